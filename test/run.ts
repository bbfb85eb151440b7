/**
 * `npm test [-- file …]`: brings up real engines in a folder that is thrown away (or uses those the environment names), runs the test files, and
 * ends with one line of real counts, `N passed, N failed`. No test run is a failure. Engines are stopped whatever happens.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { projectRoot } from '../schemas/files.ts'
import { type Engines, startEngines } from '../services/local/engines.ts'
import { type Lock, takeLock } from '../services/local/lock.ts'
import { readLocalOptions } from '../services/local/options.ts'
import { migrateSchemas } from '../services/migrate.ts'
import { provide } from './harness/debian.ts'
import { ensureTemplate } from './harness/engines.ts'
import { runFiles } from './harness/lanes.ts'
import { reportOf } from './harness/report.ts'

const LANES = 3
const FILE_SECONDS = 900
const TOOL_MS = 300_000

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'service-test-'))
let lock: Lock | undefined
let engines: Engines | undefined
let run: ReturnType<typeof runFiles> | undefined
let cleaning: Promise<void> | undefined

function clean(): Promise<void> {
  cleaning ??= (async () => {
    await engines?.stop()
    await lock?.release()
    rmSync(folder, { recursive: true, force: true })
  })()
  return cleaning
}

/** Every test file but those of test/bench and test/chaos, which have commands of their own. */
async function allFiles(): Promise<string[]> {
  const entries = await readdir(join(projectRoot, 'test'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)))
    .filter((file) => !/^test\/(bench|chaos)\//.test(file))
    .sort((one, other) => one.split('/').length - other.split('/').length || one.localeCompare(other, 'en')) // The type check of everything is long.
}

/** Runs a program to its end, whatever it says. One that hangs is killed: what it did not build is missed by the tests. */
const program = (file: string, ...args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: projectRoot, stdio: 'ignore', timeout: TOOL_MS, killSignal: 'SIGKILL' })
    child.once('error', reject)
    child.once('exit', () => resolve())
  })

/** One of node_modules. */
const tool = (name: string, ...args: string[]): Promise<void> => program(join(projectRoot, 'node_modules/.bin', name), ...args)

/**
 * What a user runs is what `npm start` compiles; some files test just that. The test files are compiled, too, with what they import (dist-test/). A type error does not stop it here: the type check has a test of its own.
 * tap, too, is built once after an install: with the plugins of .taprc, without which its own loader would not understand TypeScript 7.
 */
async function build(): Promise<void> {
  await Promise.all([tool('tsc', '-p', 'tsconfig.build.json'), tool('tap', 'build')])
  await tool('vite', 'build', '--config', 'services/web/vite.config.ts')
  await Promise.all([
    tool('tsc', '-p', 'tsconfig.test.json'),
    program(process.execPath, join(projectRoot, 'dist/services/supply-chain/sbom.js'))
  ])
}

/** Addresses for the test files. */
async function bringUp(): Promise<NodeJS.ProcessEnv> {
  const from = Date.now()
  const options = readLocalOptions()
  lock = await takeLock(folder, tell)
  const started = await startEngines({ ...options, dataDir: folder, lock, database: 'service_test', throwaway: true, tell })
  engines = started
  const [{ ownerUrl }, { brokers }, { url }] = await Promise.all([
    started.postgres.then(async (address) => {
      await ensureTemplate(address.ownerUrl)
      return address
    }),
    started.kafka,
    started.registry.then(async (address) => {
      await migrateSchemas(address.url)
      return address
    })
  ])
  tell(`engines ready after ${((Date.now() - from) / 1000).toFixed(1)} s`)
  return { SERVICE_KAFKA_BROKERS: brokers.join(','), SERVICE_SCHEMA_REGISTRY_URL: url, SERVICE_POSTGRES_URL: ownerUrl }
}

async function main(): Promise<number> {
  const named = process.argv.slice(2).map((name) => relative(projectRoot, resolve(name)))
  const files = named.length > 0 ? named : await allFiles()
  const [addresses] = await Promise.all([bringUp(), build(), ...(named.length > 0 ? [] : [provide(tell)])])
  let [passed, failed] = [0, 0]
  run = runFiles(files, {
    lanes: LANES,
    env: { ...process.env, ...addresses },
    limitSeconds: FILE_SECONDS,
    onEnd(ended) {
      const report = reportOf(ended)
      passed += report.passed
      failed += report.failed
      report.shown.forEach(tell)
    }
  })
  await run.done
  await clean()
  tell(`${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0 ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    run?.stop()
    clean().finally(() => process.exit(130))
  })
}
main().then(
  (code) => process.exit(code),
  async (error: Error) => {
    process.stderr.write(`${error.message}\n`)
    run?.stop()
    await clean().catch((failure: Error) => process.stderr.write(`${failure.message}\n`))
    tell('0 passed, 1 failed')
    process.exit(1)
  }
)
