/**
 * Looks at the queue of deliveries: one lane after another, and within a lane from target to
 * target.
 */
import type { Log } from '../process/log.ts'
import {
  type Cursor,
  claimDeliveries,
  type DeliveryRow,
  firstCursor,
  LANES,
  type Lane,
  type MailRoom,
  type NextDelivery,
  nextDelivery
} from '../store/deliveries.ts'
import type { Pool } from '../store/pool.ts'
import type { CatchUp } from './catch-up.ts'
import { type Looking, startLooking } from './looking.ts'

export interface QueueOptions {
  pool: Pool
  log: Pick<Log, 'warn'>
  pollMs: number
  leaseMs: number
  maxInFlight: number
  room(): number
  mailRoom(): MailRoom
  /** Targets that are resting (breaker.ts). */
  resting(): readonly string[]
  /** `claimedAt`: of performance.now(). Deliveries of a claim that is too old are put back. */
  take(rows: readonly DeliveryRow[], claimedAt?: number): void
  /** Holds the queue after an outage. */
  catchUp: CatchUp
  /** Frees pages whose claims ran out. */
  free(): Promise<unknown>
}

const WORKSPACE_SHARE = 4
/** Deliveries that are not about incidents get at most this fraction of the places: one in 8. */
const MINOR_SHARE = 8
const TARGETS_A_LOOK = 500
/**
 * Most attempts that one workspace may have at once, in all processes: a quarter of what one
 * process may have.
 */
export const shareOfWorkspace = (maxInFlight: number): number => Math.ceil(maxInFlight / WORKSPACE_SHARE)

/**
 * Pause between two looks when the queue is woken. A look costs the same however much it finds. So
 * after a look that found little, the pause is longer and more deliveries gather.
 */
const LEAST_MS = 5
const AFTER_FEW_MS = 40
const FEW = 8

/** No claim is as old as this. */
const LONG_AGO = Number.NEGATIVE_INFINITY

export function startQueue(options: QueueOptions): Looking {
  const { pool, log, pollMs, leaseMs, maxInFlight, room, mailRoom, resting, take, free, catchUp } = options
  const cursors = new Map<Lane, Cursor>()
  let minorAt = 0
  let found = 0

  /** Returns whether there may be more deliveries to claim. */
  async function lookIn(lane: Lane, most: number): Promise<boolean> {
    const places = Math.min(room(), most)
    if (places < 1) return false
    const { claimed, after } = await claimDeliveries(pool, {
      lane,
      leaseMs,
      room: places,
      roomOfWorkspace: shareOfWorkspace(maxInFlight),
      resting: resting(),
      mail: mailRoom(),
      after: cursors.get(lane) ?? firstCursor,
      targets: TARGETS_A_LOOK
    })
    cursors.set(lane, after)
    if (!catchUp.answered()) {
      take(claimed, LONG_AGO)
      return false
    }
    found += claimed.length
    take(claimed)
    // Other targets may wait after the last one that was looked at.
    return claimed.length > 0 || after !== firstCursor
  }

  const waitFor = ({ ms }: NextDelivery): number => (ms === null || ms <= 0 ? pollMs : Math.min(ms + 1, pollMs))

  async function look(isPoll: boolean): Promise<number> {
    found = 0
    if (!(await catchUp.mayAct())) return pollMs
    if (isPoll) {
      // A poll seldom finds a delivery. A claim is planned each time, so to ask first costs less.
      const next = await nextDelivery(pool)
      if (!catchUp.answered()) return pollMs
      if (!next.has_more && (next.ms === null || next.ms > 0)) return waitFor(next)
    }
    let more = await lookIn(LANES.incident, maxInFlight)
    if (performance.now() >= minorAt) {
      minorAt = performance.now() + pollMs
      await free()
      for (const lane of [LANES.feed, LANES.status]) more = (await lookIn(lane, Math.ceil(maxInFlight / MINOR_SHARE))) || more
    }
    if (more) return 0
    return waitFor(await nextDelivery(pool))
  }

  return startLooking({
    look,
    leastMs: () => (found < FEW && room() > maxInFlight / 2 ? AFTER_FEW_MS : LEAST_MS),
    pollMs,
    log,
    failed: 'the queue of deliveries cannot be looked at; trying again',
    onFailure: catchUp.failed
  })
}
