/** Runs work that must be looked for at intervals, because no single change says that it is due. */
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'

export interface SweepOptions {
  /** Does the work that is due. Resolves to how much it did. */
  sweep(): Promise<number>
  /** Milliseconds between the end of a sweep and the next one. */
  everyMs: number
  log: Log
  /** The message for a sweep that did something, and the name of its count in the log. */
  done: { count: string; message: string }
  /** Log message for a sweep that failed; the next one tries again. */
  failed: string
}

/**
 * Sweeps at once and then every `everyMs`. Returns a function that stops it after the sweep under
 * way.
 */
export function startSweep({ sweep, everyMs, log, done, failed }: SweepOptions): () => Promise<void> {
  const { rest, end } = createRest()
  let closing = false
  async function loop(): Promise<void> {
    while (!closing) {
      try {
        const count = await sweep()
        if (count > 0) log.info({ [done.count]: count }, done.message)
      } catch (error) {
        log.warn({ err: error }, failed)
      }
      await rest(everyMs)
    }
  }
  const running = loop()
  return async () => {
    closing = true
    end()
    await running
  }
}
