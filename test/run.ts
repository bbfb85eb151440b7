/**
 * `npm test [-- file …]`: starts real engines in a temporary folder (or uses those that the
 * environment names), runs the test files, and ends with one line of counts, `N passed, N failed`.
 * If no test ran, that is a failure. The engines are stopped in every case.
 */
import { readdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { projectRoot } from '../schemas/files.ts'
import { buildAll } from './harness/build.ts'
import { fetchChromium } from './harness/chromium.ts'
import { type CountedRun, runCounted } from './harness/counted.ts'
import { usedSeconds } from './harness/cpu.ts'
import { provide } from './harness/debian.ts'
import { tellsStories } from './harness/lanes.ts'
import { startTestEngines, type TestEngines } from './harness/run-engines.ts'
import { type StoryProduct, startStoryProduct } from './services/web/story-product.ts'

const LANES = 5

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
let engines: TestEngines | undefined
let storyProduct: Promise<StoryProduct> | undefined
let run: CountedRun | undefined
let cleaning: Promise<void> | undefined

function clean(): Promise<void> {
  cleaning ??= (async () => {
    // If the product did not start, the run has already failed.
    const product = await storyProduct?.catch(() => undefined)
    await product?.stop()
    await engines?.stop()
  })()
  return cleaning
}

/** One product for all files with stories, because each start takes half a minute of CPU time. */
async function envOf(file: string): Promise<NodeJS.ProcessEnv> {
  if (!tellsStories(file)) return {}
  storyProduct ??= startStoryProduct()
  return { ...(await storyProduct).environment }
}

/**
 * Returns every test file except those of test/bench and test/chaos, which have commands of their
 * own.
 */
async function allFiles(): Promise<string[]> {
  const entries = await readdir(join(projectRoot, 'test'), { recursive: true, withFileTypes: true })
  return (
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)))
      .filter((file) => !/^test\/(bench|chaos)\//.test(file))
      // Files directly in test/ come first: the type check of everything takes long.
      .sort((one, other) => one.split('/').length - other.split('/').length || one.localeCompare(other, 'en'))
  )
}

async function main(): Promise<number> {
  const named = process.argv.slice(2).map((name) => relative(projectRoot, resolve(name)))
  const files = named.length > 0 ? named : await allFiles()
  engines = await startTestEngines(tell)
  // If a program or the browser is missing, only the tests that need it fail, and say why.
  const provided = named.length > 0 ? [] : [provide(tell), fetchChromium(tell).catch(({ message }: Error) => tell(message))]
  const [addresses] = await Promise.all([engines.addresses, buildAll(), ...provided])
  const before = usedSeconds()
  Object.assign(process.env, addresses)
  run = runCounted(files, { lanes: LANES, env: process.env, envOf, together: true }, tell)
  const { passed, failed, cpuSeconds } = await run.done
  await clean()
  const minutes = (seconds: number): string => (seconds / 60).toFixed(1)
  const rest = usedSeconds() - before - cpuSeconds
  tell(`minutes of a processor: ${minutes(cpuSeconds)} in files, ${minutes(before)} in builds, ${minutes(rest)} in engines and the rest`)
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
