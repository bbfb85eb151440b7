/**
 * Runs test files, compiled, each as a process of its own or with others of its folder in one
 * (packs.ts), some side by side. Most of them wait most of the time, for engines or a browser, so
 * there are more lanes than the smallest machine has cores. Half of the lanes begin with the files
 * that start whole products, which are the longest, beside all the rest. The others come to them at
 * the end.
 * Whoever is free takes the next file. tap's own runner takes files in the order of their names;
 * loading TypeScript, and what that runner watches in each process, would take as much time as most
 * files need for their tests.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../../schemas/files.ts'
import { COMPILED } from './build.ts'
import { waitedForSeconds } from './cpu.ts'
import { limitOf, packsOf } from './packs.ts'
import type { Ended } from './report.ts'
import { readSeveral } from './several-report.ts'
import { SHORT_LIVED } from './short-lived.ts'

export interface LaneOptions {
  lanes: number
  env: NodeJS.ProcessEnv
  /** A file may take so long: tap says what it waits for then. */
  limitSeconds: number
  /** A file that does not even end with its limit is killed so much later. */
  graceSeconds?: number
  /** Where the compiled files are; default: `COMPILED`. */
  out?: string
  /** What a file that has a process alone needs beside that, which may take a while to be there. */
  envOf?(file: string): Promise<NodeJS.ProcessEnv>
  /** Files that may share a process (packs.ts) do so. */
  together?: boolean
  onEnd(ended: Ended): void
}

/**
 * What a file printed last is read within this time of its end, unless a process that it left holds
 * the pipe open.
 */
const DRAIN_MS = 5000

/** Loaded before what is run. */
const UNCAUGHT = pathToFileURL(join(projectRoot, COMPILED, 'test/harness/uncaught.js')).href

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')

const startsProduct = (text: string): boolean => /\b(startProduct|tellStories)\(/.test(text)

/** Of those that share a product. */
export const tellsStories = (file: string, read = textOf): boolean => {
  const text = read(file)
  return /\btellStories\(/.test(text) && !/\balone: true\b/.test(text)
}

/** Stories of the dashboard take a minute each, more than anything else. */
const storiesIn = (text: string): number => text.match(/ from '\.\/stories\//g)?.length ?? 0

/**
 * Those that start products, the longest first: one that began last would end long after the
 * others.
 */
export function productsOf(files: readonly string[], read = textOf): string[] {
  return files
    .map((file) => ({ file, text: read(file) }))
    .filter(({ text }) => startsProduct(text))
    .sort((one, other) => storiesIn(other.text) - storiesIn(one.text) || limitOf(other.text) - limitOf(one.text))
    .map(({ file }) => file)
}

/**
 * Signals the processes of a group: its leader, and all that it has started and not given a group
 * of its own.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    // Nobody is left, as it should be.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * `stop` ends the processes that run and starts no more. A file that hangs, or leaves programs
 * behind, holds nobody up: those are asked to end with it, and a product's supervisor then stops
 * what it has started.
 */
export function runFiles(
  files: readonly string[],
  { lanes, env, limitSeconds, graceSeconds = 20, out = COMPILED, together = false, envOf, onEnd }: LaneOptions
): { done: Promise<void>; stop(): void } {
  const products = productsOf(files)
  const others = files.filter((file) => !products.includes(file))
  const running = new Set<ChildProcess>()
  let stopped = false
  let counted = waitedForSeconds()

  /** Of the process that has just ended. Of two that end in one moment the first has it all. */
  const cpuSeconds = (): number => {
    const before = counted
    counted = waitedForSeconds()
    return counted - before
  }

  /** Runs a compiled module to its end; `line` is each line that it prints. */
  const run = (module: string, more: NodeJS.ProcessEnv, line: (text: string) => void): Promise<{ exit: number | string; cpu: number }> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [...SHORT_LIVED, '--import', UNCAUGHT, module], {
        cwd: projectRoot,
        env: { ...env, ...more, TAP_TIMEOUT: String(limitSeconds) },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true // A group of its own: whatever it leaves is found by it.
      })
      running.add(child)
      const limit = setTimeout(() => child.kill('SIGKILL'), (limitSeconds + graceSeconds) * 1000)
      let drain: NodeJS.Timeout | undefined
      let begun = ''
      let cpu = 0
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        const lines = `${begun}${part}`.split('\n')
        begun = lines.pop() ?? ''
        lines.forEach(line)
      })
      child.once('error', reject)
      child.once('exit', () => {
        cpu = cpuSeconds()
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGTERM')
        drain = setTimeout(() => child.stdout.destroy(), DRAIN_MS)
      })
      child.once('close', (code, signal) => {
        running.delete(child)
        clearTimeout(limit)
        clearTimeout(drain)
        if (begun !== '') line(begun)
        resolve({ exit: code ?? signal ?? 'nothing', cpu })
      })
    })

  async function runOne(file: string): Promise<void> {
    const more = (await envOf?.(file)) ?? {}
    const begun = performance.now()
    const lines: string[] = []
    const { exit, cpu } = await run(join(out, file.replace(/\.ts$/, '.js')), more, (line) => void lines.push(line))
    onEnd({ file, seconds: (performance.now() - begun) / 1000, cpuSeconds: cpu, lines, exit })
  }

  /** Whoever did not get to its turn has one of its own. */
  async function runPack(pack: readonly string[]): Promise<void> {
    const [file] = pack
    if (file !== undefined && pack.length === 1) return runOne(file)
    const reader = readSeveral(pack, onEnd)
    const { exit } = await run(join(out, 'test/harness/several.js'), { TEST_FILES: JSON.stringify(pack), TEST_OUT: out }, reader.line)
    for (const left of reader.end(exit)) if (!stopped) await runOne(left)
  }

  async function lane(queues: readonly string[][][]): Promise<void> {
    for (const queue of queues) {
      for (let pack = queue.shift(); pack !== undefined && !stopped; pack = queue.shift()) await runPack(pack)
    }
  }

  const single = (all: readonly string[]): string[][] => all.map((file) => [file])
  const rest = together ? packsOf(others) : single(others)
  const alone = single(products)
  const all = Array.from({ length: lanes }, (_, index) => lane(index < lanes / 2 ? [alone, rest] : [rest, alone]))
  return {
    done: Promise.all(all).then(() => undefined),
    stop() {
      stopped = true
      for (const { pid } of running) if (pid !== undefined) signalGroup(pid, 'SIGTERM')
    }
  }
}
