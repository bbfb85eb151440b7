/**
 * The leading clock records who is on call when a shift begins, and looks at every schedule again
 * when there is new time zone data.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Log } from '../process/log.ts'
import type { Pool } from '../store/pool.ts'
import { sweepSchedules } from '../store/schedule-history.ts'

const EVERY_MS = 5000

export interface SweepOptions {
  /** A pool of the role service_system. */
  pool: Pool
  leads(): boolean
  log: Log
  everyMs?: number
}

/** Starts the sweep. Returns a function that stops it after the sweep under way. */
export function startScheduleSweep({ pool, leads, log, everyMs = EVERY_MS }: SweepOptions): () => Promise<void> {
  let working: Promise<void> | null = null
  async function sweep(): Promise<void> {
    if (leads()) await sweepSchedules(pool)
  }
  const timer = setInterval(() => {
    working ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'shifts that began were not written down; it is tried again'))
      .finally(() => {
        working = null
      })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await working
  }
}
