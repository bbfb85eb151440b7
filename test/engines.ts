/**
 * `npm run engines`: starts real engines that outlive a test run, for working on many files in a
 * row. `npm run test:one` finds them by itself. Ctrl-C stops them and removes their data.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { identify } from '../services/local/identity.ts'
import { writeWhole } from '../services/local/lock.ts'
import { KEPT_FILE, type KeptEngines, keptEngines, startTestEngines } from './harness/run-engines.ts'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

if (keptEngines()) {
  tell('engines are running already')
  process.exit(0)
}
const engines = await startTestEngines(tell)

async function stop(code: number): Promise<never> {
  rmSync(KEPT_FILE, { force: true })
  await engines.stop()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))

try {
  const addresses = await engines.addresses
  const self = identify(process.pid)
  if (!self) throw new Error('this process cannot find itself in the process table')
  mkdirSync(dirname(KEPT_FILE), { recursive: true })
  writeWhole(KEPT_FILE, JSON.stringify({ process: self, addresses } satisfies KeptEngines))
  tell('npm run test:one -- test/<file>.test.ts')
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  await stop(1)
}
