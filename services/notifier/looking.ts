/**
 * The loop of whoever looks in Postgres for what is due: again when something woke it, when the
 * next is due that it knows of, and after `pollMs` in any case. However often it is woken, between
 * two looks there are `leastMs`, and as long as the last look took: what comes meanwhile is found
 * by one look, and looks take half of a connection at most.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'

export interface LookingOptions {
  /** Resolves with the milliseconds until there is something to look for; 0: at once. */
  look(): Promise<number>
  leastMs(): number
  pollMs: number
  log: Pick<Log, 'warn'>
  /** Said of a look that failed. */
  failed: string
}

export interface Looking {
  /** Something may be due. */
  wake(): void
  /** The last look succeeded. */
  ready(): boolean
  /** Resolves when the look in hand is over; there is no other. */
  close(): Promise<void>
}

export function startLooking({ look, leastMs, pollMs, log, failed }: LookingOptions): Looking {
  const { rest, wake: stir, end } = createRest()
  let closing = false
  let ready = false
  let woken = false

  async function loop(): Promise<void> {
    while (!closing) {
      woken = false
      let wait = pollMs
      const from = performance.now()
      try {
        wait = await look()
        ready = true
      } catch (error) {
        ready = false
        log.warn({ err: error }, failed)
      }
      const least = Math.max(leastMs(), Math.min(performance.now() - from, pollMs))
      await sleep(least)
      if (!woken && wait > least) await rest(wait - least)
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
