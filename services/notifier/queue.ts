/**
 * The loop over the queue of deliveries: lane by lane, each from target to target, and when nothing
 * is due a rest until something is, or until somebody wakes it.
 */
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { type Cursor, claimDeliveries, type DeliveryRow, firstCursor, LANES, type Lane, nextDeliveryIn } from '../store/deliveries.ts'
import type { Pool } from '../store/pool.ts'

export interface QueueOptions {
  pool: Pool
  log: Pick<Log, 'warn'>
  pollMs: number
  leaseMs: number
  maxInFlight: number
  room(): number
  /** Targets that are given a rest. */
  resting(): readonly string[]
  take(rows: readonly DeliveryRow[]): void
  /** Frees pages whose claims ran out. */
  free(): Promise<unknown>
}

export interface Queue {
  /** Something may be due. */
  wake(): void
  /** The last look succeeded. */
  ready(): boolean
  /** Claims nothing more. */
  close(): Promise<void>
}

/** Of one workspace, in all processes: a quarter of what one process has. */
const WORKSPACE_SHARE = 4
/** Of what is no incident. */
const MINOR_SHARE = 8
const TARGETS_A_LOOK = 500
/** Between two looks that something woke. */
const LEAST_MS = 5

export function startQueue({ pool, log, pollMs, leaseMs, maxInFlight, room, resting, take, free }: QueueOptions): Queue {
  const cursors = new Map<Lane, Cursor>()
  const { rest, wake: stir, end } = createRest()
  let closing = false
  let ready = false
  let woken = false
  let minorAt = 0

  async function lookIn(lane: Lane, most: number): Promise<number> {
    const free = Math.min(room(), most)
    if (free < 1) return 0
    const { claimed, after } = await claimDeliveries(pool, {
      lane,
      leaseMs,
      room: free,
      roomOfWorkspace: Math.ceil(maxInFlight / WORKSPACE_SHARE),
      resting: resting(),
      after: cursors.get(lane) ?? firstCursor,
      targets: TARGETS_A_LOOK
    })
    cursors.set(lane, after)
    take(claimed)
    // Behind the last target others may wait.
    if (after !== firstCursor) woken = true
    return claimed.length
  }

  /** Milliseconds until the next look. */
  async function look(): Promise<number> {
    woken = false
    let claimed = await lookIn(LANES.incident, maxInFlight)
    if (performance.now() >= minorAt) {
      minorAt = performance.now() + pollMs
      await free()
      for (const lane of [LANES.feed, LANES.status]) claimed += await lookIn(lane, Math.ceil(maxInFlight / MINOR_SHARE))
    }
    if (claimed > 0 || woken) return LEAST_MS
    const next = await nextDeliveryIn(pool)
    return next === null || next <= 0 ? pollMs : Math.min(next + 1, pollMs)
  }

  async function loop(): Promise<void> {
    while (!closing) {
      let wait = pollMs
      try {
        wait = await look()
        ready = true
      } catch (error) {
        ready = false
        log.warn({ err: error }, 'the queue of deliveries cannot be looked at; trying again')
      }
      await rest(woken ? LEAST_MS : wait)
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
