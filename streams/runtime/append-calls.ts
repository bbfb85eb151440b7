/**
 * The `append` calls that are not answered yet. Each is answered once: when its last record is
 * acknowledged, on its first failure, or at its deadline. If nothing of a call was sent by its
 * deadline, it certainly is not on the log (QueueFull). Otherwise its outcome is unknown.
 */
import { OutcomeUnknown, QueueFull } from './stream.ts'

export interface Call {
  /** Records not yet acknowledged. */
  left: number
  /** How many of its first records are acknowledged. No longer counted once some were refused. */
  acknowledged: number
  /** Some of its records were refused, so that others are acknowledged out of order. */
  refused: boolean
  /** An instant of steadyNow. */
  deadline: number
  /** Some of it went out. */
  sent: boolean
  settled: boolean
  resolve(): void
  reject(error: Error): void
}

/**
 * Calls and queued items are removed by advancing an index. Once this many removed entries lie
 * before the index, the array is cut.
 */
export const CUT_AT = 4096

/** Notes that one more record of the call is on the log. */
export function acknowledge(call: Call): void {
  call.left -= 1
  if (!call.refused) call.acknowledged += 1
  if (call.left > 0 || call.settled) return
  call.settled = true
  call.resolve()
}

export function fail(call: Call, error: Error): void {
  if (call.settled) return
  call.settled = true
  call.reject(error)
}

/** Fails a call that was sent, whose remaining records may or may not be on the log. */
export function failUnknown(call: Call, message: string, cause?: unknown): void {
  if (!call.settled) fail(call, new OutcomeUnknown(message, { acknowledged: call.acknowledged, cause }))
}

export class AppendCalls {
  /** Sorted by deadline, which is the order of appending. */
  #calls: Call[] = []
  #first = 0
  readonly #onSilence: () => void

  /**
   * `onSilence` is called when a call that was sent reaches its deadline without an
   * acknowledgement.
   */
  constructor(onSilence: () => void) {
    this.#onSilence = onSilence
  }

  /** The oldest call that is not known to be settled. */
  get oldest(): Call | undefined {
    return this.#calls[this.#first]
  }

  add(call: Call): void {
    this.#calls.push(call)
  }

  /** Answers a call whose deadline has passed. */
  expire(call: Call, unsent = 'waited out its time in the queue and was not sent'): void {
    if (call.sent) {
      this.#onSilence()
      failUnknown(call, 'no acknowledgement within the deadline')
    } else fail(call, new QueueFull(unsent))
  }

  /** Answers the calls whose deadline is at or before `now` (of steadyNow). */
  expireUntil(now: number, unsent?: string): void {
    for (; this.#first < this.#calls.length; this.#first++) {
      const call = this.#calls[this.#first] as Call
      if (call.settled) continue // Nearly all calls; no error object is made for them.
      if (call.deadline > now) break
      this.expire(call, unsent)
    }
    this.forget()
  }

  /** Removes settled calls from the front. Without this they would stay until their deadlines. */
  forget(): void {
    while (this.#calls[this.#first]?.settled) this.#first += 1
    if (this.#first < CUT_AT && this.#first < this.#calls.length) return
    this.#calls = this.#calls.slice(this.#first)
    this.#first = 0
  }
}
