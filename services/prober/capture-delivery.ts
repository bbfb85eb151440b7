/**
 * Sends the answers of failed checks to the service. They go beside the results and never before
 * them: in requests of their own, a little later, and not while the service does not take results.
 * They are worth less than a result. So an answer is dropped if it does not fit into the queue, if
 * it is not taken after a few tries, or if it is left at the end. All of these are counted.
 *
 * To make a capture takes a few milliseconds. So captures are limited before they are made: by the
 * minute, for each workspace and in total.
 */
import type { Capture } from '../../schemas/http/prober.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { offerCaptures, pauseMs } from './offer.ts'
import type { Service } from './service.ts'

/** The result itself is sent within a quarter of this time. */
const GATHER_MS = 1000
const MAX_QUEUED = 200
const MAX_QUEUED_BYTES = 4 * 1_048_576
/** Limits of one request; one capture has at most 150 kB. */
const BATCH = 10
const BATCH_BYTES = 300_000
const MAX_TRIES = 5

const MINUTE_MS = 60_000
const MOST_A_MINUTE = 300
const MOST_OF_A_WORKSPACE = 60

interface Queued {
  /** JSON. */
  text: string
  bytes: number
}

export interface Captures {
  /**
   * Whether one more capture of the workspace may be made. Counts it as made if so, else as lost.
   */
  admits(workspace: string): boolean
  add(capture: Capture): void
  /** Tries once more to send what is left, until `deadlineAt` (performance.now()). */
  close(deadlineAt: number): Promise<void>
}

export interface CapturesOptions {
  service: Pick<Service, 'results'>
  instance: string
  /** True while the service does not take results. */
  isAway: () => boolean
  log: Log
  metrics: Metrics
  gatherMs?: number
}

export const createCaptures = (options: CapturesOptions): Captures => new QueuedCaptures(options)

class QueuedCaptures implements Captures {
  readonly #options: CapturesOptions
  readonly #counters: ReturnType<typeof countersOf>
  readonly #aborting = new AbortController()
  #queue: Queued[] = []
  #bytes = 0
  #tries = 0
  /** How many of the next captures were in a refused request. Each goes alone. */
  #suspects = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #isClosing = false
  #minute = 0
  #made = 0
  readonly #madeOf = new Map<string, number>()

  constructor(options: CapturesOptions) {
    this.#options = options
    this.#counters = countersOf(options.metrics)
  }

  admits(workspace: string): boolean {
    const minute = Math.floor(performance.now() / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#made = 0
      this.#madeOf.clear()
    }
    const own = this.#madeOf.get(workspace) ?? 0
    if (this.#isClosing || this.#made >= MOST_A_MINUTE || own >= MOST_OF_A_WORKSPACE || this.#queue.length >= MAX_QUEUED) {
      this.#counters.dropped.inc()
      return false
    }
    this.#made++
    this.#madeOf.set(workspace, own + 1)
    return true
  }

  add(capture: Capture): void {
    const text = JSON.stringify(capture)
    const bytes = Buffer.byteLength(text)
    if (this.#isClosing || this.#queue.length >= MAX_QUEUED || this.#bytes + bytes > MAX_QUEUED_BYTES) {
      this.#counters.dropped.inc()
      return
    }
    this.#queue.push({ text, bytes })
    this.#bytes += bytes
    this.#arrange(this.#options.gatherMs ?? GATHER_MS)
  }

  async close(deadlineAt: number): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    const giveUp = setTimeout(() => this.#aborting.abort(), Math.max(0, deadlineAt - performance.now()))
    await this.#sending
    await this.#send()
    clearTimeout(giveUp)
    this.#aborting.abort()
    this.#counters.dropped.inc(this.#queue.length)
    this.#queue = []
  }

  #arrange(ms: number): void {
    if (this.#timer || this.#sending || this.#isClosing || this.#queue.length === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sending = this.#send().then((waitMs) => {
        this.#sending = undefined
        this.#arrange(waitMs)
      })
    }, ms)
  }

  /** Sends until nothing is left or a try fails. Returns the milliseconds to wait. */
  async #send(): Promise<number> {
    const { service, instance, isAway, gatherMs = GATHER_MS, log } = this.#options
    while (this.#queue.length > 0 && !this.#aborting.signal.aborted) {
      if (isAway()) return this.#giveWay(null)
      const batch = this.#batch()
      const offered = await offerCaptures(service, instance, batch, this.#aborting.signal)
      if (offered.kind === 'away') return this.#giveWay(offered.retryAfter)
      if (offered.kind === 'misshapen' && batch.length > 1) {
        this.#suspects = batch.length
        continue
      }
      if (offered.kind === 'taken') this.#counters.sent.inc(batch.length)
      else {
        this.#counters.dropped.inc(batch.length)
        log.warn({ status: offered.status }, 'the service refuses the answer of a failed check: it is dropped')
      }
      this.#release(batch.length)
    }
    return gatherMs
  }

  #batch(): string[] {
    const texts: string[] = []
    let total = 0
    for (const { text, bytes } of this.#queue.slice(0, this.#suspects > 0 ? 1 : BATCH)) {
      total += bytes
      if (texts.length > 0 && total > BATCH_BYTES) break
      texts.push(text)
    }
    return texts
  }

  #release(count: number): void {
    for (const { bytes } of this.#queue.splice(0, count)) this.#bytes -= bytes
    this.#suspects = Math.max(0, this.#suspects - count)
    this.#tries = 0
  }

  /** Handles a failed try: after a few tries, the captures that waited longest are dropped. */
  #giveWay(retryAfter: number | null): number {
    this.#tries++
    const pause = pauseMs(this.#tries, retryAfter, Math.random())
    if (this.#tries >= MAX_TRIES) {
      const { length } = this.#batch()
      this.#release(length)
      this.#counters.dropped.inc(length)
    }
    return pause
  }
}

const countersOf = (metrics: Metrics) => ({
  dropped: metrics.counter(
    'service_prober_captures_dropped_total',
    'Answers of failed checks that were not kept: too many, or not taken',
    []
  ),
  sent: metrics.counter('service_prober_captures_sent_total', 'Answers of failed checks that the service has taken', [])
})
