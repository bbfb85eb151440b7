/**
 * Writes every generated file: what follows from the schemas and folders (schemas/generate.ts), the
 * picture of the flow (streams/flow-page.ts) and the tables of docs/configuration.md.
 * `npm run generate`                 writes what is stale
 * `npm run generate -- --check`      writes nothing; exits with 1 and the names of stale files
 * `npm run generate -- --release`    as the first, and adds version n+1 with golden bytes for each
 *                                    subject whose schema changed since its last release; refuses
 *                                    with every fault of the lint. Raise `rev` in the .avsc file
 *                                    before it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { generate, generated } from '../../schemas/generate.ts'
import { documents } from '../../streams/flow-page.ts'
import { localVariables } from '../local/options.ts'
import { proberVariables } from '../prober/settings.ts'
import { configSections } from '../process/config.ts'
import { type Section, withTables } from './configuration-page.ts'
import { runTool } from './tool.ts'

const PAGE = 'docs/configuration.md'

export const sections: readonly Section[] = [
  ...Object.entries(configSections).map(([title, variables]) => ({ title, variables })),
  { title: 'Probers', variables: proberVariables },
  { title: 'Local run', variables: localVariables }
]

/** Returns path from the project's folder → text, for every generated file. */
export function everyGenerated(root: string = projectRoot): ReadonlyMap<string, string> {
  return new Map([...generated(root), ...documents(root), [PAGE, withTables(readFileSync(join(root, PAGE), 'utf8'), sections)]])
}

runTool(import.meta.url, async () => {
  process.exitCode = generate(process.argv.slice(2), everyGenerated())
})
