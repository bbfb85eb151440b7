/**
 * Carries frames from the log to the sockets: each frame of realtime.frames.v1 is published once,
 * with its cursor, without being parsed.
 *
 * It follows every partition from the end of the log. The frames of one fetch are published in one
 * turn of the event loop. The socket server gathers them, so a socket gets them in one write. While
 * the log cannot be read, the sockets stay open and hear `stale`; they hear `resumed` when frames
 * flow again.
 * Source: docs/design/architecture.md#s9, docs/design/streaming.md#s5-2 and #s5-3.
 */
import type { Follower, InRecord, StreamClient } from '../../streams/runtime/stream.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { SYSTEM, topicsOfFrame } from './channels.ts'
import { cursorsOf, spliceCursor } from './cursor.ts'
import { createRepeats } from './repeats.ts'

export interface FanOut {
  /**
   * Resolves when the end of the log is found, after which no frame is missed, or when `ms` have
   * passed.
   */
  live(ms: number): Promise<void>
  /**
   * Returns the cursor of the newest frame on the workspace's partition; null before the first
   * frame.
   */
  cursor(tenant_id: string): string | null
  /**
   * Returns since when frames are interrupted, in epoch ms; null while they flow. From the start
   * until the end of the log is found, they are interrupted.
   */
  staleSince(): number | null
  close(): Promise<void>
}

export interface FanOutOptions {
  stream: Pick<StreamClient, 'clusterId' | 'follow' | 'partitionOf'>
  publish(topic: string, message: Uint8Array | string): void
  /**
   * Called before frames are published, whenever MEASURE_BYTES were published since the last call.
   */
  measure(): void
  logger: Log
  metrics: Metrics
}

export const systemFrame = (type: 'hello' | 'stale' | 'resumed', data: Record<string, unknown>): string =>
  JSON.stringify({ channel: SYSTEM, type, data, at: new Date().toISOString() })

export const staleFrame = (since: number): string => systemFrame('stale', { since: new Date(since).toISOString() })

const TOPIC = 'realtime.frames.v1'

/**
 * A quarter of what may wait for a socket. So a socket is seen to fall behind before it reaches its
 * limit, unless one fetch alone fills it.
 */
const MEASURE_BYTES = 64 * 1024

export function startFanOut({ stream, publish, measure, logger, metrics }: FanOutOptions): FanOut {
  const published = metrics.counter('service_gateway_frames_total', 'Frames published to sockets')
  const repeated = metrics.counter('service_gateway_repeats_total', 'Frames dropped because they had been published before')
  const unfit = metrics.counter('service_gateway_unfit_frames_total', 'Records that are no frame, or for an audience that is not known')
  const repeats = createRepeats()
  const newest = new Map<number, string>()
  let cursorOf = cursorsOf('')
  let bytes = 0
  let stale: number | null = Date.now()
  let follower: Follower | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let isLive: () => void = () => undefined
  const live = new Promise<void>((resolve) => {
    isLive = resolve
  })

  function fanOut(records: readonly InRecord[]): void {
    if (stale !== null) flowing() // Announced before the new frames.
    const now = performance.now()
    if (bytes >= MEASURE_BYTES) {
      bytes = 0
      measure()
    }
    for (const { partition, offset, value, headers } of records) {
      if (repeats.seen(headers, now)) {
        repeated.inc()
        continue
      }
      const cursor = cursorOf(partition, offset)
      const topics = topicsOfFrame(headers)
      const frame = value && topics.length > 0 ? spliceCursor(value, cursor) : null
      if (!frame) {
        unfit.inc()
        logger.error(
          { partition, offset: String(offset), event_type: headers.event_type, audience: headers.audience },
          'a record is no frame'
        )
        continue
      }
      newest.set(partition, cursor)
      for (const topic of topics) publish(topic, frame)
      bytes += frame.length
      published.inc()
    }
  }

  function interrupted(since: number): void {
    if (stale !== null) return
    stale = since
    publish(SYSTEM, staleFrame(since))
  }

  /** Returns false when frames were flowing before. */
  function resumed(): boolean {
    isLive()
    if (stale === null) return false
    const since = new Date(stale).toISOString()
    stale = null
    publish(SYSTEM, systemFrame('resumed', { since }))
    return true
  }

  function flowing(): void {
    if (!resumed()) return
    // The log may have been replaced by another one. Cursors of the new log must not look like
    // those of the old one.
    stream.clusterId().then(
      (id) => {
        cursorOf = cursorsOf(id)
      },
      (error: unknown) => logger.warn({ err: error }, 'the cluster id could not be read again')
    )
  }

  /** Starts to follow the log. Cursors need the id of the cluster, so it is read first. */
  async function connect(): Promise<void> {
    try {
      cursorOf = cursorsOf(await stream.clusterId())
      if (closed) return
      follower = await stream.follow({ topics: [TOPIC], from: 'end', onRecords: fanOut, onStale: interrupted, onLive: flowing })
      if (closed) await follower.close()
      // This comes before the first fetch, which waits for new records.
      else void follower.caughtUp.then((reached) => reached && resumed())
    } catch (error) {
      if (closed) return
      if (retry === undefined) logger.warn({ err: error }, 'the log cannot be reached; trying again')
      retry = setTimeout(() => void connect(), 1000)
    }
  }
  const connecting = connect()

  return {
    async live(ms) {
      let timer: NodeJS.Timeout | undefined
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
      })
      await Promise.race([live, over])
      clearTimeout(timer)
    },
    cursor: (tenant_id) => newest.get(stream.partitionOf(TOPIC, tenant_id)) ?? null,
    staleSince: () => stale,
    async close() {
      closed = true
      clearTimeout(retry)
      await connecting
      await follower?.close()
    }
  }
}
