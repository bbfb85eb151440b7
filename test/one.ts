/**
 * `npm run test:one -- FILE …`: runs test files one after the other, as quickly as possible. It
 * compiles only what changed. It starts engines only if a file needs them, and uses those of `npm
 * run engines` or of the environment if there are any. The last line is the count, `N passed, N
 * failed`.
 */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { projectRoot } from '../schemas/files.ts'
import { buildChanged } from './harness/build.ts'
import { type CountedRun, runCounted } from './harness/counted.ts'
import { needsOf } from './harness/needs.ts'
import { keptEngines, startTestEngines, type TestEngines } from './harness/run-engines.ts'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const files = process.argv.slice(2).map((name) => relative(projectRoot, resolve(name)))
const missing = files.find((file) => !file.endsWith('.test.ts') || !existsSync(join(projectRoot, file)))
if (files.length === 0 || missing !== undefined) {
  process.stderr.write(missing ? `${missing} is not a test file\n` : 'usage: npm run test:one -- test/<file>.test.ts …\n')
  process.exit(2)
}

let engines: TestEngines | undefined
let run: CountedRun | undefined
let isEnding = false

async function end(code: number): Promise<never> {
  isEnding = true
  run?.stop()
  await engines?.stop()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void (isEnding || end(130)))

/** Returns the addresses of engines, or none if no file needs any. */
async function addressesFor(isNeeded: boolean): Promise<NodeJS.ProcessEnv> {
  if (!isNeeded) return {}
  const kept = keptEngines()
  if (kept) return { ...kept }
  engines = await startTestEngines(tell)
  return { ...(await engines.addresses) }
}

try {
  const needs = files.map((file) => needsOf(file))
  const has = (name: keyof (typeof needs)[number]): boolean => needs.some((one) => one[name])
  const [addresses] = await Promise.all([
    addressesFor(has('engines')),
    buildChanged({ service: has('service'), dashboard: has('dashboard') })
  ])
  run = runCounted(files, { lanes: 1, env: { ...process.env, ...addresses } }, tell)
  const { passed, failed } = await run.done
  tell(`${passed} passed, ${failed} failed`)
  await end(failed === 0 && passed > 0 ? 0 : 1)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  tell('0 passed, 1 failed')
  await end(1)
}
