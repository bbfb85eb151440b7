/**
 * Modules that a test hands to another process: `npm test` runs what it has compiled (dist-test/),
 * `npx tap` the source. Both name them as the source does, from the test's own `import.meta.url`.
 */
import { extname } from 'node:path'

/** URL of a module. `path` is relative to the test and ends in .ts. */
export const moduleUrl = (path: string, from: string): string => new URL(path.replace(/\.ts$/, extname(from)), from).href

/** What Node needs to be told to load it. */
export const loaderOf = (from: string): string[] => (extname(from) === '.ts' ? ['--import=tsx'] : [])
