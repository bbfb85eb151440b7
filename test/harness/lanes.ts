/**
 * Runs test files, compiled, each as a process of its own, some side by side. Most of them wait for
 * engines most of the time, so there may be more lanes than cores. Half of the lanes begin with the
 * files that start whole products, which are long and have engines of their own to feed, beside all
 * the rest. The others come to them at the end.
 * Whoever is free takes the next file. tap's own runner takes files in the order of their names;
 * loading TypeScript, and what that runner watches in each process, would take as much time as most
 * files need for their tests.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { Ended } from './report.ts'

export interface LaneOptions {
  lanes: number
  env: NodeJS.ProcessEnv
  /** A file may take so long: tap says what it waits for then. */
  limitSeconds: number
  /** A file that does not even end with its limit is killed so much later. */
  graceSeconds?: number
  /** Where the compiled files are; default: where tsconfig.test.json puts them. */
  out?: string
  onEnd(ended: Ended): void
}

/**
 * What a file printed last is read within this time of its end, unless a process that it left holds
 * the pipe open.
 */
const DRAIN_MS = 5000

const startsProduct = (file: string): boolean => /\b(startProduct|tellStories)\(/.test(readFileSync(join(projectRoot, file), 'utf8'))

/** The longest of all files: begun last, they would end long after the others. */
const isLong = (file: string): boolean => file.startsWith('test/services/web/dashboard-')

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
  { lanes, env, limitSeconds, graceSeconds = 20, out = 'dist-test', onEnd }: LaneOptions
): { done: Promise<void>; stop(): void } {
  const products = files.filter(startsProduct).sort((one, other) => Number(isLong(other)) - Number(isLong(one)))
  const others = files.filter((file) => !products.includes(file))
  const running = new Set<ChildProcess>()
  let stopped = false

  const run = (file: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const begun = performance.now()
      const child = spawn(process.execPath, ['--enable-source-maps', join(out, file.replace(/\.ts$/, '.js'))], {
        cwd: projectRoot,
        env: { ...env, TAP_TIMEOUT: String(limitSeconds) },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true // A group of its own: whatever it leaves is found by it.
      })
      running.add(child)
      const limit = setTimeout(() => child.kill('SIGKILL'), (limitSeconds + graceSeconds) * 1000)
      let drain: NodeJS.Timeout | undefined
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      child.once('error', reject)
      child.once('exit', () => {
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGTERM')
        drain = setTimeout(() => child.stdout.destroy(), DRAIN_MS)
      })
      child.once('close', (code, signal) => {
        running.delete(child)
        clearTimeout(limit)
        clearTimeout(drain)
        const lines = text.trimEnd().split('\n')
        onEnd({ file, seconds: (performance.now() - begun) / 1000, lines, exit: code ?? signal ?? 'nothing' })
        resolve()
      })
    })

  async function lane(queues: readonly string[][]): Promise<void> {
    for (const queue of queues) {
      for (let file = queue.shift(); file !== undefined && !stopped; file = queue.shift()) await run(file)
    }
  }

  const all = Array.from({ length: lanes }, (_, index) => lane(index < lanes / 2 ? [products, others] : [others, products]))
  return {
    done: Promise.all(all).then(() => undefined),
    stop() {
      stopped = true
      for (const { pid } of running) if (pid !== undefined) signalGroup(pid, 'SIGTERM')
    }
  }
}
