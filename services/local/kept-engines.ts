/**
 * The engines that were started here. Each is kept running, and they are stopped in the order
 * broker, registry, Postgres.
 */
import { join } from 'node:path'
import { type KeepOptions, type Kept, keep } from './keep.ts'
import type { Lock } from './lock.ts'

export const READY_MS = 90_000

/** How one engine is started and stopped. */
export type Engine = Pick<KeepOptions, 'start' | 'ready' | 'stopSignal' | 'stopMs' | 'held'>

export interface KeptEnginesOptions {
  /** Folder of the log files. */
  logs: string
  lock: Pick<Lock, 'note'>
  tell(line: string): void
}

export class KeptEngines {
  readonly #options: KeptEnginesOptions
  readonly #started: Kept[] = []
  readonly #stopping = new AbortController()

  constructor(options: KeptEnginesOptions) {
    this.#options = options
  }

  /** Aborts when no more processes may be started. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /**
   * Starts an engine and keeps it running. Resolves when it is usable, and rejects with a sentence
   * when it cannot be started.
   */
  async run(name: string, engine: Engine): Promise<void> {
    if (this.#stopping.signal.aborted) throw new Error(`${name} was not started`)
    const { logs, lock, tell } = this.#options
    const kept = keep({
      name,
      ...engine,
      readyMs: READY_MS,
      logFile: join(logs, `${name}.log`),
      lastWords: (child) => child.lastLines(),
      onPid: (pid) => lock.note(name, pid),
      tell
    })
    this.#started.push(kept)
    await kept.ready
  }

  /** `starting`: the engines that may still be starting. */
  async stop(starting: readonly Promise<unknown>[]): Promise<void> {
    this.#stopping.abort()
    for (const name of ['kafka', 'registry', 'postgres']) await this.#started.find((kept) => kept.name === name)?.stop()
    await Promise.allSettled(starting)
    // Engines that came up while the others were being stopped.
    await Promise.all(this.#started.map((kept) => kept.stop()))
  }
}
