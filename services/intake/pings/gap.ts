/**
 * Keeps the promise that no heartbeat is missed for an outage of ours: what this door refused or
 * could not confirm is on the log, as a DoorGap on every partition of heartbeat.pings.v1, before it
 * accepts pings again.
 * Source: docs/design/architecture.md#s6-heartbeats, docs/design/api/decision-rules.md#s23-10.
 *
 *   open ──a ping was not confirmed, or the log fails──► closed: every ping is refused
 *     ▲                                                    │ DoorGap{from, to} to all partitions, again and again
 *     └──────────────── acknowledged by all ───────────────┘
 *
 * - `from` is the receipt of the first ping that was not taken. Where no ping told (alerts found
 *   the log failing), it is the last instant at which the log was seen well, asked for once a
 *   second: a sender may have given up before its ping could fail. A log that fails while nobody
 *   sends anything is not noticed, and need not be: nobody was refused.
 * - `to` is 5 s after the attempt that succeeds began. So long an append may wait for its
 *   acknowledgement, and pings are refused meanwhile: what was refused last lies inside, and so
 *   does the retry of a sender that does as Retry-After says.
 * - Pings that were under way when the door closed are inside as well, however they end.
 * - While tokens cannot be looked up (Postgres is away), pings of unknown tokens are refused, the
 *   others are taken. The door stays open then and appends a gap every 2 s for as long as it
 *   refuses: before any deadline inside could be judged (6 s). Refusals for haste or crowds are not
 *   gaps: whoever floods a door must not be able to hold up every deadline.
 * - Not covered: the time in which this process does not run, or is cut off from its senders. Other
 *   instances serve then; a lone one is a connection refused, which senders repeat. What it knew of
 *   a gap is lost with the process, unless it can still write it while it closes.
 */
import type { Codec } from '../../../schemas/codec.ts'
import type { DoorGap } from '../../../schemas/generated/events.ts'
import { specOf } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { createRest } from '../../../streams/runtime/rest.ts'
import { type Append, type OutRecord, QueueFull, RecordRefused } from '../../../streams/runtime/stream.ts'
import type { Log } from '../../process/log.ts'

const TOPIC = 'heartbeat.pings.v1'

export interface GapLimits {
  /** Between an attempt that failed and the next. */
  pauseMs: number
  /** The same, when the log refused it for good: the topic is missing. */
  refusedMs: number
  /** How far `to` lies behind the beginning of the attempt: at least the deadline of an append. */
  aheadMs: number
  /** Between two looks at the log's health. */
  watchMs: number
  /** Between two gaps while tokens cannot be looked up. */
  rollMs: number
}

const defaults: GapLimits = { pauseMs: 250, refusedMs: 5000, aheadMs: 5000, watchMs: 1000, rollMs: 2000 }

export interface GapOptions {
  log: Pick<Append, 'append' | 'healthy'>
  codec: Pick<Codec, 'encode'>
  /** Name of this door, and the identity of its process. */
  instance: string
  boot: string
  /** The door's time, epoch ms (../time/door-time.ts). Default: the wall clock. */
  now?: () => number
  logger: Log
  onClosed?(): void
  onWritten?(gap: DoorGap): void
  limits?: Partial<GapLimits>
}

export interface GapKeeper {
  /** False: pings are to be refused, with 503. */
  isOpen(): boolean
  /**
   * A ping received at `received_at` (epoch ms) was not acknowledged: `error` is what the append
   * rejected with, `at` the instant of performance.now() of its receipt. Closes the door.
   */
  notConfirmed(received_at: number, error: unknown, at: number): void
  /** A ping was refused since its token could not be looked up. */
  notLookedUp(received_at: number): void
  /** Ends the attempts; resolves when the one under way has ended. */
  close(): Promise<void>
}

export function createGapKeeper({
  log,
  codec,
  instance,
  boot,
  now = Date.now,
  logger,
  onClosed,
  onWritten,
  limits: given
}: GapOptions): GapKeeper {
  const limits = { ...defaults, ...given }
  const partitions = Array.from({ length: specOf(TOPIC).partitions }, (_, partition) => partition)
  let gap: Pick<DoorGap, 'from' | 'reason'> | null = null
  // Receipt of the first ping since the last gap that was refused for want of its token.
  let rolling: number | null = null
  // When the last gap that was acknowledged began to be written, by the clock that never jumps.
  let writtenAt = Number.NEGATIVE_INFINITY
  let wellAt = now()
  let writing: Promise<void> | null = null
  let stopped = false
  const { rest, wake } = createRest()

  async function append(from: number, reason: DoorGap['reason']): Promise<void> {
    const startedAt = now()
    const begun = performance.now()
    const value: DoorGap = {
      event_id: uuidv7(startedAt),
      instance,
      boot,
      from: Math.min(from, startedAt),
      to: startedAt + limits.aheadMs,
      reason
    }
    const bytes = codec.encode('DoorGap', value)
    const headers = { event_id: value.event_id, event_type: 'door_gap' }
    await log.append(partitions.map((partition): OutRecord => ({ topic: TOPIC, partition, key: instance, value: bytes, headers })))
    onWritten?.(value)
    // By the clock that never jumps: what was refused meanwhile must lie inside.
    if (performance.now() - begun > limits.aheadMs) throw new Error('the acknowledgement came after the end of the gap that it is for')
    writtenAt = begun
  }

  /**
   * Until nothing is left to write. One at a time, so that gaps stand on the log in their order.
   */
  async function write(): Promise<void> {
    while (gap !== null || rolling !== null) {
      const from = gap ? Math.min(gap.from, rolling ?? gap.from) : (rolling ?? 0)
      try {
        await append(from, gap?.reason ?? 'refused')
        rolling = null
        wellAt = now()
        // What came meanwhile may reach further back than what was written.
        if (gap !== null && gap.from >= from) {
          logger.warn({ from }, 'pings are accepted again; the gap is on the log')
          gap = null
        }
      } catch (error) {
        if (error instanceof RecordRefused) logger.error({ err: error }, 'the log refuses the gap: pings stay refused')
        else logger.debug({ err: error }, 'the gap could not be written')
        shut(from, 'unconfirmed')
        if (error instanceof RecordRefused && !stopped) await rest(limits.refusedMs)
      }
      if (stopped) return
      if (gap !== null) await rest(limits.pauseMs)
      else await rest(limits.rollMs)
      if (stopped && gap === null) return
    }
  }

  function start(): void {
    writing ??= write().finally(() => {
      writing = null
      if (!stopped && (gap !== null || rolling !== null)) start()
    })
  }

  function shut(from: number, reason: DoorGap['reason']): void {
    if (gap !== null) {
      gap = { from: Math.min(gap.from, from), reason: gap.reason }
      return
    }
    gap = { from, reason }
    logger.warn({ from, reason }, 'pings are refused until the gap is on the log')
    onClosed?.()
    wake()
    start()
  }

  const watch = setInterval(() => {
    if (gap !== null) return
    if (log.healthy()) wellAt = now()
    else shut(wellAt, 'refused')
  }, limits.watchMs)
  watch.unref()

  return {
    isOpen: () => gap === null,
    notConfirmed(received_at, error, at) {
      // The last gap reaches beyond it: the ping was under way when the door closed.
      if (gap === null && at <= writtenAt) return
      shut(received_at, error instanceof QueueFull ? 'refused' : 'unconfirmed')
    },
    notLookedUp(received_at) {
      rolling ??= received_at
      start()
    },
    async close() {
      clearInterval(watch)
      stopped = true
      wake()
      await writing
    }
  }
}
