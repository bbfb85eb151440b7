/**
 * Takes claimed deliveries, checks once more whether each must still be sent, and makes the
 * attempts, outside of any transaction. A delivery that cannot be looked at now, or whose lease is
 * too old, is put back as if it had never been claimed.
 */
import type { Channel } from '../channels/channel.ts'
import { MAX_ATTEMPT_MS } from '../delivery/perform.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { Step } from '../store/delivery-outcomes.ts'
import { loadSending, type Sending } from '../store/delivery-targets.ts'
import { type Attempted, attemptDelivery, stepOf } from './attempt.ts'
import { judgeBefore } from './before-sending.ts'
import type { DelivererOptions } from './deliver.ts'

/** Pause before deliveries whose targets could not be read are claimed again. */
const AGAIN_MS = 500

export interface LaunchOptions {
  leaseMs: number
  /** Called after each attempt, with its outcome. */
  attempted(row: DeliveryRow, attempted: Attempted): void
  /** Called for a delivery that is not sent now. */
  settled(step: Step): void
}

export interface Launches {
  /** `claimedAt`: of performance.now(). */
  launch(rows: readonly DeliveryRow[], claimedAt: number): void
  /** Resolves when the attempts under way have ended. */
  ended(): Promise<unknown>
  /** True when nothing is under way. */
  isIdle(): boolean
}

export function createLaunches(options: DelivererOptions, { leaseMs, attempted, settled }: LaunchOptions): Launches {
  const { pool, log, channels } = options
  const running = new Set<Promise<void>>()

  /** Never rejects. */
  async function attempt(row: DeliveryRow, channel: Channel, target: Sending, combined: boolean): Promise<void> {
    attempted(row, await attemptDelivery(options, row, channel, target, combined))
  }

  async function look(rows: readonly DeliveryRow[], claimedAt: number): Promise<void> {
    let targets: Map<string, Sending>
    try {
      targets = await loadSending(pool, rows)
    } catch (error) {
      log.warn({ err: error, deliveries: rows.length }, 'claimed deliveries could not be looked at; they are put back')
      for (const row of rows) settled(stepOf(row, { state: 'retrying', next_at: Date.now() + AGAIN_MS }))
      return
    }
    const now = Date.now()
    // The lease may end before the attempt does.
    const late = performance.now() - claimedAt > leaseMs - MAX_ATTEMPT_MS
    for (const row of rows) {
      const channel = channels[row.kind]
      const target = targets.get(row.delivery_id)
      const verdict = judgeBefore(row, channel, target, now)
      if (!verdict.send) {
        const { send: _send, next_at = null, ...told } = verdict
        settled(stepOf(row, { ...told, next_at }))
      } else if (late) settled(stepOf(row, { state: 'retrying', next_at: now }))
      else if (channel && target) follow(attempt(row, channel, target, verdict.combined))
    }
  }

  function follow(one: Promise<void>): void {
    running.add(one)
    void one.finally(() => running.delete(one))
  }

  return {
    launch: (rows, claimedAt) => follow(look(rows, claimedAt)),
    ended: () => Promise.all(running),
    isIdle: () => running.size === 0
  }
}
