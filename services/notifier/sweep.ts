/** Work that is looked for again and again, because no single change says that it is due. */
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'

export interface SweepOptions {
  /** Does what is due, and resolves to how much that was. */
  sweep(): Promise<number>
  /** Between the end of a sweep and the next. */
  everyMs: number
  log: Log
  /** Said of a sweep that did something, with the count under this name. */
  done: { count: string; message: string }
  /** Said of a sweep that failed; the next one tries again. */
  failed: string
}

/** Sweeps at once and then every `everyMs`. Returns what stops it, after the sweep in hand. */
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
