/**
 * Runs compiled test files in several lanes side by side. Each file runs in a process of its own,
 * or shares a process with others of its folder (packs.ts). Most files spend their time waiting for
 * engines or a browser, so there are more lanes than the smallest machine has cores.
 *
 * A free lane takes the next file. Half of the lanes begin with the files that start whole
 * products, because these take longest. The other lanes begin with the rest and take such files at
 * the end.
 *
 * tap's own runner is not used: it takes files in the order of their names, and loading TypeScript
 * and what it watches in each process would take as much time as most files need for their tests.
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
  /** Limit for one file, in seconds. After it, tap reports what the file waits for. */
  limitSeconds: number
  /** A file that does not end at its limit is killed this many seconds later. */
  graceSeconds?: number
  /** Folder of the compiled files; default: `COMPILED`. */
  out?: string
  /**
   * Further environment variables for a file that runs in a process alone. They may take a while to
   * be ready.
   */
  envOf?(file: string): Promise<NodeJS.ProcessEnv>
  /** Whether files that may share a process (packs.ts) do so. */
  together?: boolean
  onEnd(ended: Ended): void
}

/**
 * After a process has ended, its last output is read for at most this long. A process that it left
 * behind may hold the pipe open.
 */
const DRAIN_MS = 5000

/** The module that each test process loads before anything else. */
const UNCAUGHT = pathToFileURL(join(projectRoot, COMPILED, 'test/harness/uncaught.js')).href

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')

const startsProduct = (text: string): boolean => /\b(startProduct|tellStories)\(/.test(text)

/** Whether a file tells stories of the dashboard in a product that it shares with other files. */
export const tellsStories = (file: string, read = textOf): boolean => {
  const text = read(file)
  return /\btellStories\(/.test(text) && !/\balone: true\b/.test(text)
}

/** How long one dashboard story takes. */
const STORY_MS = 45_000
/** A file without stories takes about this part of its limit. */
const PART_OF_LIMIT = 1 / 6

/** Returns about how long a file takes that starts a product, in ms. */
function lengthOf(text: string): number {
  const stories = text.match(/ from '\.\/stories\//g)?.length ?? 0
  return Math.max(stories * STORY_MS, limitOf(text) * PART_OF_LIMIT)
}

/**
 * Returns the files that start products, the longest first. If such a file began last, it would end
 * long after the others.
 */
export function productsOf(files: readonly string[], read = textOf): string[] {
  return files
    .map((file) => ({ file, text: read(file) }))
    .filter(({ text }) => startsProduct(text))
    .sort((one, other) => lengthOf(other.text) - lengthOf(one.text))
    .map(({ file }) => file)
}

/**
 * Signals all processes of a group: its leader, and whatever it started that has no group of its
 * own.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    // No process of the group is left, which is what should be.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Runs the files. `stop` ends the running processes and starts no more. A file that hangs or leaves
 * programs behind does not delay the run: at its end, the programs it left get a SIGTERM, and a
 * product's supervisor then stops what it has started.
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

  /**
   * CPU seconds of the process that has just ended. If two end at the same moment, the first is
   * credited with the time of both.
   */
  const cpuSeconds = (): number => {
    const before = counted
    counted = waitedForSeconds()
    return counted - before
  }

  /** Runs a compiled module until it ends. `line` is called with each line that it prints. */
  const run = (module: string, more: NodeJS.ProcessEnv, line: (text: string) => void): Promise<{ exit: number | string; cpu: number }> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [...SHORT_LIVED, '--import', UNCAUGHT, module], {
        cwd: projectRoot,
        env: { ...env, ...more, TAP_TIMEOUT: String(limitSeconds) },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true // A group of its own, to find what it leaves behind.
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

  /**
   * Runs the files of a pack in one process. A file that did not run in the pack runs in a process
   * of its own.
   */
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
