/**
 * The loop that looks in Postgres for what is due. It looks again when it is woken, when the next
 * item that it knows of is due, and after `pollMs` in any case. However often it is woken, it waits
 * at least `leastMs` between two looks, and at least as long as the last look took. So one look
 * finds everything that came in meanwhile, and looks use at most half of a connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'

export interface LookingOptions {
  /**
   * Looks once. Resolves with the milliseconds until the next look; 0 means at once. `isPoll`:
   * nothing asked for this look, and no item that is known is due.
   */
  look(isPoll: boolean): Promise<number>
  leastMs(): number
  pollMs: number
  log: Pick<Log, 'warn'>
  /** Log message for a look that failed. */
  failed: string
  /** Called for a look that failed. `since`: of performance.now(), when it began. */
  onFailure(error: unknown, since: number): void
}

export interface Looking {
  /** Something may be due. */
  wake(): void
  /** True when the last look succeeded. */
  ready(): boolean
  /** Resolves when the look under way has ended; no other look follows. */
  close(): Promise<void>
}

export function startLooking({ look, leastMs, pollMs, log, failed, onFailure }: LookingOptions): Looking {
  const { rest, wake: stir, end } = createRest()
  let closing = false
  let ready = false
  let woken = false
  let isPoll = false

  async function loop(): Promise<void> {
    while (!closing) {
      woken = false
      let wait = pollMs
      const from = performance.now()
      try {
        wait = await look(isPoll)
        ready = true
      } catch (error) {
        ready = false
        log.warn({ err: error }, failed)
        onFailure(error, from)
      }
      const least = Math.max(leastMs(), Math.min(performance.now() - from, pollMs))
      await sleep(least)
      if (!woken && wait > least) await rest(wait - least)
      isPoll = !woken && wait >= pollMs
    }
  }

  const running = loop()
  return {
    wake() {
      woken = true
      stir()
    },
    ready: () => ready,
    async close() {
      closing = true
      end()
      await running
    }
  }
}
