/**
 * Delivers results to the service in order. Results go in batches, one in flight at a time, and are
 * kept until the service has taken them.
 *
 * Delivery wakes only when there is something to send. Results that arrive within a moment go
 * together; those that arrive while a batch is in flight form the next batch. Without an answer, or
 * after 5xx, 429 or refused credentials, the batch stays and is sent again after a back-off. A
 * batch that is too large (413) or of a wrong shape (400, 422) is halved until the faulty result
 * stands alone. That result is dropped, counted and logged; otherwise nothing after it would ever
 * be sent.
 */
import type { Result } from '../../schemas/http/prober.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { backOff } from './back-off.ts'
import { BatchSize } from './batch-size.ts'
import { type Bounds, ResultBuffer } from './buffer.ts'
import { LossWarning } from './loss-warning.ts'
import { type Offered, offer, pauseMs } from './offer.ts'
import type { Service } from './service.ts'

/** Results that arrive within this time go in one batch. */
const GATHER_MS = 250
/** Approximate size of a batch; the service's doors take a megabyte. */
const BATCH_BYTES = 800_000
/** Results in a batch. */
const MAX_BATCH = 500

export interface Delivery {
  add(result: Result): void
  /** Sets the limits that the service asks for in hello. */
  setLimits(limits: { batch: number; flushMs: number }): void
  /** Number of results not yet taken. */
  readonly pending: number
  /** True when the last try failed. */
  readonly isAway: boolean
  /**
   * Sends what is left until `deadlineAt` (performance.now()) or until a try fails. After that,
   * nothing is sent.
   */
  close(deadlineAt: number): Promise<void>
}

export interface DeliveryOptions {
  service: Pick<Service, 'results'>
  instance: string
  bounds: Bounds
  log: Log
  metrics: Metrics
}

export function createDelivery(options: DeliveryOptions): Delivery {
  return new BufferedDelivery(options)
}

class BufferedDelivery implements Delivery {
  readonly #service: Pick<Service, 'results'>
  readonly #instance: string
  readonly #log: Log
  readonly #counters: ReturnType<typeof countersOf>
  readonly #buffer: ResultBuffer
  readonly #losses: LossWarning
  readonly #size = new BatchSize(MAX_BATCH)
  readonly #aborting = new AbortController()
  #flushMs = 1000
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #failures = 0
  #isClosing = false

  constructor({ service, instance, bounds, log, metrics }: DeliveryOptions) {
    this.#service = service
    this.#instance = instance
    this.#log = log
    this.#counters = countersOf(metrics)
    this.#buffer = new ResultBuffer(bounds)
    this.#losses = new LossWarning(log)
  }

  get pending(): number {
    return this.#buffer.size
  }

  get isAway(): boolean {
    return this.#failures > 0
  }

  add(result: Result): void {
    this.#countLost(this.#buffer.add(JSON.stringify(result)))
    this.#show()
    if (this.#failures > 0) this.#arrange(backOff(this.#failures, Math.random()))
    else if (this.#buffer.size >= this.#size.limit && this.#timer) {
      this.#stopTimer()
      this.#start()
    } else this.#arrange(this.#gatherMs())
  }

  setLimits({ batch, flushMs }: { batch: number; flushMs: number }): void {
    this.#size.setLimit(Math.max(1, Math.min(MAX_BATCH, batch)))
    this.#flushMs = Math.max(0, flushMs)
  }

  async close(deadlineAt: number): Promise<void> {
    this.#isClosing = true
    this.#stopTimer()
    const giveUp = setTimeout(() => this.#aborting.abort(), Math.max(0, deadlineAt - performance.now()))
    await this.#sending
    if (!this.#aborting.signal.aborted) await this.#send()
    clearTimeout(giveUp)
    this.#aborting.abort()
    const lost = this.#buffer.size
    if (lost > 0) this.#log.warn({ lost }, 'results are lost: the service did not take them before the end')
  }

  #gatherMs(): number {
    return Math.min(GATHER_MS, this.#flushMs)
  }

  /** Schedules a send after `ms`, unless one is scheduled or running already. */
  #arrange(ms: number): void {
    if (this.#timer || this.#sending || this.#isClosing || this.#buffer.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#start()
    }, ms)
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #start(): void {
    if (this.#sending) return
    this.#sending = this.#send().then((waitMs) => {
      this.#sending = undefined
      // A result that came after the buffer was found empty could not schedule a send, because one
      // was still running.
      this.#arrange(waitMs ?? this.#gatherMs())
    })
  }

  /**
   * Sends until nothing is left (returns null) or a try fails (returns the milliseconds to wait).
   */
  async #send(): Promise<number | null> {
    for (;;) {
      const batch = this.#buffer.peek(this.#size.most, BATCH_BYTES)
      if (!batch) return null
      const offered = await offer(this.#service, this.#instance, batch.texts, this.#aborting.signal)
      if (offered.kind === 'away') {
        this.#countLost(this.#buffer.keep())
        return this.#postpone(offered)
      }
      if (offered.kind === 'taken') {
        this.#buffer.release(batch.last)
        this.#counters.sent.inc(batch.texts.length)
        this.#failures = 0
        this.#size.passed(batch.texts.length)
      } else if (batch.texts.length > 1) {
        this.#countLost(this.#buffer.keep())
        if (offered.status === 413) this.#size.halve(batch.texts.length)
        else this.#size.suspect(batch.texts.length)
      } else {
        this.#buffer.release(batch.last)
        this.#size.dropped()
        this.#counters.refused.inc()
        this.#log.error({ status: offered.status }, 'the service refuses the shape of a result: it is dropped')
      }
      this.#show()
    }
  }

  /** Returns the milliseconds until the next try. */
  #postpone({ status, error, retryAfter }: Offered & { kind: 'away' }): number {
    this.#failures++
    if (this.#failures === 1) this.#log.warn({ status, err: error, kept: this.#buffer.size }, 'results cannot be delivered: they are kept')
    return pauseMs(this.#failures, retryAfter, Math.random())
  }

  #countLost(count: number): void {
    if (count === 0) return
    this.#counters.dropped.inc(count)
    this.#losses.note(count, this.#buffer.dropped, this.#buffer.size, performance.now())
  }

  #show(): void {
    this.#counters.size.set(this.#buffer.size)
    this.#counters.bytes.set(this.#buffer.bytes)
  }
}

const countersOf = (metrics: Metrics) => ({
  dropped: metrics.counter('service_prober_results_dropped_total', 'Results lost: the buffer was full', []),
  refused: metrics.counter('service_prober_results_refused_total', 'Results that the service refused for their shape', []),
  sent: metrics.counter('service_prober_results_sent_total', 'Results that the service has taken', []),
  size: metrics.gauge('service_prober_results_buffered', 'Results waiting for the service', []),
  bytes: metrics.gauge('service_prober_results_buffered_bytes', 'Bytes of the results waiting for the service', [])
})
