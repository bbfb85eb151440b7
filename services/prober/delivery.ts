/**
 * Results to the service, in their order: batches, one in flight, kept until the service has taken them.
 *
 * It wakes when there is something to send and not otherwise. What arrives within a moment goes together; what arrives while a batch is under way is the next one.
 * No answer, 5xx, 429 and refused credentials: the batch stays and is sent again after a back-off. A batch of a wrong shape (400, 413, 422) is halved until
 * the result that is to blame stands alone; that one is dropped, counted and logged, or nothing would ever follow it.
 */
import type { Result } from '../../schemas/http/prober.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { backOff } from './back-off.ts'
import { type Bounds, ResultBuffer } from './buffer.ts'
import type { Service } from './service.ts'

/** What comes within it goes in one batch. */
const GATHER_MS = 250
/** Of a batch, about; doors take a megabyte. */
const BATCH_BYTES = 800_000
/** A WARN for dropped results at most so often. */
const WARN_EVERY_MS = 10_000

export interface Delivery {
  add(result: Result): void
  /** As the service asks for in hello. */
  setLimits(limits: { batch: number; flushMs: number }): void
  /** Results not yet taken. */
  readonly pending: number
  /** Sends what there is until `deadlineAt` (performance.now()) or until a try fails; afterwards nothing is sent any more. */
  close(deadlineAt: number): Promise<void>
}

export function createDelivery(options: { service: Service; instance: string; bounds: Bounds; log: Log; metrics: Metrics }): Delivery {
  const { service, instance, log, metrics } = options
  const buffer = new ResultBuffer(options.bounds)
  const aborting = new AbortController()
  const dropped = metrics.counter('service_prober_results_dropped_total', 'Results lost: the buffer was full', [])
  const refused = metrics.counter('service_prober_results_refused_total', 'Results that the service refused for their shape', [])
  const sentTotal = metrics.counter('service_prober_results_sent_total', 'Results that the service has taken', [])
  const size = metrics.gauge('service_prober_results_buffered', 'Results waiting for the service', [])
  const bytes = metrics.gauge('service_prober_results_buffered_bytes', 'Bytes of the results waiting for the service', [])
  let limits = { batch: 500, flushMs: 1000 }
  let most = limits.batch
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let failures = 0
  let isClosing = false
  let warnedAt = Number.NEGATIVE_INFINITY
  let unsaid = 0

  function show(): void {
    size.set(buffer.size)
    bytes.set(buffer.bytes)
  }

  function warnOf(gone: number): void {
    dropped.inc(gone)
    unsaid += gone
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    log.warn(
      { dropped: unsaid, dropped_in_all: buffer.dropped, kept: buffer.size },
      'the buffer of results is full: the oldest are dropped'
    )
    warnedAt = performance.now()
    unsaid = 0
  }

  function arrange(ms: number): void {
    if (timer || sending || isClosing || buffer.size === 0) return
    timer = setTimeout(() => {
      timer = undefined
      start()
    }, ms)
  }

  const gatherMs = (): number => Math.min(GATHER_MS, limits.flushMs)

  function start(): void {
    if (sending) return
    sending = send().then((waitMs) => {
      sending = undefined
      arrange(waitMs ?? gatherMs()) // What came after the buffer was found empty could not arrange anything: this counted as sending still.
    })
  }

  /** Until nothing is left (null) or a try fails (milliseconds to wait). */
  async function send(): Promise<number | null> {
    for (;;) {
      const batch = buffer.peek(most, BATCH_BYTES)
      if (!batch) return null
      const status = await attempt(batch.texts)
      if (status.kind === 'taken') {
        buffer.release(batch.last)
        sentTotal.inc(batch.texts.length)
        failures = 0
        most = Math.min(limits.batch, most * 2)
      } else if (status.kind === 'misshapen') {
        if (batch.texts.length > 1) most = Math.ceil(batch.texts.length / 2)
        else {
          buffer.release(batch.last)
          refused.inc()
          log.error({ status: status.status }, 'the service refuses the shape of a result: it is dropped')
        }
      } else {
        failures++
        if (failures === 1)
          log.warn({ status: status.status, err: status.error, kept: buffer.size }, 'results cannot be delivered: they are kept')
        return status.retryAfter === null ? backOff(failures, Math.random()) : Math.max(status.retryAfter * 1000, backOff(1, Math.random()))
      }
      show()
    }
  }

  type Attempted =
    | { kind: 'taken' }
    | { kind: 'misshapen'; status: number }
    | { kind: 'away'; status: number | null; error: unknown; retryAfter: number | null }

  async function attempt(texts: string[]): Promise<Attempted> {
    try {
      const text = `{"instance_id":${JSON.stringify(instance)},"results":[${texts.join(',')}]}`
      const { status, retryAfter } = await service.results(text, aborting.signal)
      if (status >= 200 && status < 300) return { kind: 'taken' }
      if (status === 400 || status === 413 || status === 422) return { kind: 'misshapen', status }
      return { kind: 'away', status, error: undefined, retryAfter }
    } catch (error) {
      return { kind: 'away', status: null, error, retryAfter: null }
    }
  }

  return {
    add(result) {
      const gone = buffer.add(JSON.stringify(result))
      if (gone > 0) warnOf(gone)
      show()
      if (failures > 0) return arrange(backOff(failures, Math.random()))
      if (buffer.size >= limits.batch && timer) {
        clearTimeout(timer)
        timer = undefined
        start()
      } else arrange(gatherMs())
    },
    setLimits(next) {
      limits = { batch: Math.max(1, Math.min(500, next.batch)), flushMs: Math.max(0, next.flushMs) }
      most = Math.min(most, limits.batch)
    },
    get pending() {
      return buffer.size
    },
    async close(deadlineAt) {
      isClosing = true
      clearTimeout(timer)
      timer = undefined
      const giveUp = setTimeout(() => aborting.abort(), Math.max(0, deadlineAt - performance.now()))
      await sending
      if (!aborting.signal.aborted) await send()
      clearTimeout(giveUp)
      aborting.abort()
      if (buffer.size > 0) log.warn({ lost: buffer.size }, 'results are lost: the service did not take them before the end')
    }
  }
}
