/**
 * Addresses of modules that a test hands to another process. `npm test` runs the compiled files
 * (dist-test/), `npx tap` the sources. In both cases the test names the module as in the source,
 * relative to its own `import.meta.url`.
 */
import { extname } from 'node:path'

/** Returns the URL of a module. `path` is relative to the test and ends in .ts. */
export const moduleUrl = (path: string, from: string): string => new URL(path.replace(/\.ts$/, extname(from)), from).href

/** Returns the arguments that Node needs to load the module. */
export const loaderOf = (from: string): string[] => (extname(from) === '.ts' ? ['--import=tsx'] : [])
