/**
 * The calls of `append` that are not answered yet. Each is answered once: when its last record is
 * acknowledged, with the first failure, or by its deadline. A call of which nothing left by then
 * certainly is not on the log (QueueFull); of any other the outcome is unknown.
 */
import { OutcomeUnknown, QueueFull } from './stream.ts'

export interface Call {
  /** Records not yet acknowledged. */
  left: number
  /** Of steadyNow. */
  deadline: number
  /** Some of it went out. */
  sent: boolean
  settled: boolean
  resolve(): void
  reject(error: Error): void
}

/** Calls and queued items move by an index; the array is cut once so many lie behind it. */
export const CUT_AT = 4096

/** One more record of the call is on the log. */
export function acknowledge(call: Call): void {
  call.left -= 1
  if (call.left > 0 || call.settled) return
  call.settled = true
  call.resolve()
}

export function fail(call: Call, error: Error): void {
  if (call.settled) return
  call.settled = true
  call.reject(error)
}

export class AppendCalls {
  /** In the order of their deadlines, which is the order of appending. */
  #calls: Call[] = []
  #first = 0
  readonly #onSilence: () => void

  /** `onSilence`: a call that went out ran into its deadline without an acknowledgement. */
  constructor(onSilence: () => void) {
    this.#onSilence = onSilence
  }

  /** The oldest of which it is not known that it is settled. */
  get oldest(): Call | undefined {
    return this.#calls[this.#first]
  }

  add(call: Call): void {
    this.#calls.push(call)
  }

  /** Answers a call whose time is over. */
  expire(call: Call, unsent = 'waited out its time in the queue and was not sent'): void {
    if (call.sent) this.#onSilence()
    fail(call, call.sent ? new OutcomeUnknown('no acknowledgement within the deadline') : new QueueFull(unsent))
  }

  /** Answers the calls whose deadline is at or before `now` (of steadyNow). */
  expireUntil(now: number, unsent?: string): void {
    for (; this.#first < this.#calls.length; this.#first++) {
      const call = this.#calls[this.#first] as Call
      if (call.settled) continue // Nearly all: an error is not made for them.
      if (call.deadline > now) break
      this.expire(call, unsent)
    }
    this.forget()
  }

  /** Lets go of settled calls, from the oldest on; otherwise they stay until their deadlines. */
  forget(): void {
    while (this.#calls[this.#first]?.settled) this.#first += 1
    if (this.#first < CUT_AT && this.#first < this.#calls.length) return
    this.#calls = this.#calls.slice(this.#first)
    this.#first = 0
  }
}
