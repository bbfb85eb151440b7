/**
 * Records gaps, so that an outage of this service never makes a heartbeat count as missed. A gap
 * covers the pings that this door refused or could not confirm. It is on the log, as a DoorGap on
 * every partition of heartbeat.pings.v1, before the door accepts pings again.
 *
 * Source: docs/design/architecture.md#s6-heartbeats, docs/design/api/decision-rules.md#s23-10.
 *
 *   open ──a ping was not confirmed, or the log fails──► closed: every ping is refused
 *     ▲                                                    │ DoorGap{from, to} to all partitions, again and again
 *     └──────────────── acknowledged by all ───────────────┘
 *
 * - `from` is the receipt of the first ping that was not accepted. When no ping showed the failure
 *   (alerts found the log failing), it is the last time when the log was healthy, checked once a
 *   second: a sender may have given up before its ping could fail. A log that fails while nobody
 *   sends anything is not noticed, and need not be, because nobody was refused.
 * - `to` is 5 s after the start of the attempt that succeeds. An append may wait that long for its
 *   acknowledgement, and pings are refused meanwhile. So the last refused ping lies inside the gap,
 *   and so does the retry of a sender that obeys Retry-After.
 * - Pings that were in progress when the door closed are inside the gap as well, however they end.
 * - While tokens cannot be looked up (Postgres is down), pings of unknown tokens are refused and
 *   the others are accepted. The door stays open then, and appends a gap every 2 s for as long as
 *   it refuses. That is before any deadline inside the gap can be judged (6 s). Refusals because of
 *   a rate or too many requests are not gaps: a sender that floods a door must not be able to delay
 *   every deadline.
 * - Not covered: the time when this process does not run, or is cut off from its senders. Other
 *   instances serve then; without another instance, connections are refused, which senders retry.
 *   What the process knew of a gap is lost with it, unless it can still write the gap while it
 *   closes.
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
  /** Pause after a failed attempt. */
  pauseMs: number
  /** Pause after the log refused the gap permanently: the topic is missing. */
  refusedMs: number
  /** How far `to` lies after the start of the attempt; at least the deadline of an append. */
  aheadMs: number
  /** Interval between two checks of the log's health. */
  watchMs: number
  /** Interval between two gaps while tokens cannot be looked up. */
  rollMs: number
}

const defaults: GapLimits = { pauseMs: 250, refusedMs: 5000, aheadMs: 5000, watchMs: 1000, rollMs: 2000 }

export interface GapOptions {
  log: Pick<Append, 'append' | 'healthy'>
  codec: Pick<Codec, 'encode'>
  /** The name of this door; `boot` identifies its process. */
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
  /** False: pings must be refused, with 503. */
  isOpen(): boolean
  /**
   * Reports that a ping was not acknowledged, and closes the door. `received_at` is its receipt
   * (epoch ms), `error` is what the append rejected with, and `at` is its receipt by
   * performance.now().
   */
  notConfirmed(received_at: number, error: unknown, at: number): void
  /** Reports that a ping was refused because its token could not be looked up. */
  notLookedUp(received_at: number): void
  /** Stops further attempts; resolves when the current one has ended. */
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
  // Receipt of the first ping since the last gap that was refused because of a failed token lookup.
  let rolling: number | null = null
  // When the attempt of the last acknowledged gap began, by the monotonic clock.
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
    // Uses the monotonic clock: every ping refused during the append must lie inside the gap.
    if (performance.now() - begun > limits.aheadMs) throw new Error('the acknowledgement came after the end of the gap that it is for')
    writtenAt = begun
  }

  /** Writes gaps until none is left. One at a time, so that they are on the log in order. */
  async function write(): Promise<void> {
    while (gap !== null || rolling !== null) {
      const from = gap ? Math.min(gap.from, rolling ?? gap.from) : (rolling ?? 0)
      try {
        await append(from, gap?.reason ?? 'refused')
        rolling = null
        wellAt = now()
        // A ping reported meanwhile may be older than the start of the written gap.
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
      // The last gap covers this ping: it was in progress when the door closed.
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
