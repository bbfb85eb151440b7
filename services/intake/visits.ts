/**
 * The life of a request at the doors for pings and for results: headers, body, one answer; the alerts' own (doors/reception.ts) has more to weigh.
 *
 * - The body is read as it comes, and at most the first `keptBytes` are held, not even those when all of it comes at once. Over `bodyBytes` it is 413.
 * - A body has 8 s, or longer while it comes with 20 KiB/s, else 408 (uWebSockets.js closes what sends nothing at all a few seconds later anyway).
 * - At most `requests` at once, and `heldBytes` held by all of them; beyond, 503.
 * - The sender may leave at any moment: then the response is gone and is not touched again, and what is done with the body goes on.
 */
import { createRest } from '../../streams/runtime/rest.ts'
import { errorBody, type Failure, internal, linesOf, type Status, send, unavailable } from '../http/answer.ts'
import { idOf } from '../http/request-id.ts'
import type { HttpRequest, HttpResponse } from '../http/uws.ts'
import type { Log } from '../process/log.ts'
import type { DoorMetrics } from './doors/metrics.ts'
import { lengthOf, tooSlow } from './doors/refusals.ts'
import type { RateStanding } from './rates.ts'
import { type Pace, watchPace } from './slow-bodies.ts'

export interface VisitLimits extends Pace {
  requests: number
  bodyBytes: number
  keptBytes: number
  heldBytes: number
}

export interface VisitOptions {
  /** In the metrics. */
  door: string
  limits: VisitLimits
  /** Header lines of every answer, each with \r\n before it. */
  headers: string
  log: Log
  metrics: Pick<DoorMetrics, 'answered' | 'left'>
}

/** What a whole body is: `kept` is the beginning of it, a view that ends with the call. */
export type OnBody = (kept: Buffer, bytes: number) => void

export interface Visit {
  readonly id: string
  /** Seconds since the request came. */
  took(): number
  /** Answered, or the sender left. */
  over(): boolean
  /** Where the sender's rate stands: every answer from now on says it. */
  rated(standing: RateStanding): void
  /** Called once the body is whole, unless the visit is over before. */
  onBody(handler: OnBody): void
  /** `type` is the content type of the body. */
  answer(status: Status, type: string, body: string): void
  fail(failure: Failure): void
}

/** The text of a refusal, made of ours; `took` in seconds. */
export type Wording = (body: string, request_id: string, took: number) => string

export interface Visits {
  /** `handle` runs at once, while `request` is there; what it throws is answered with 500. `wording` is how refusals are told, where not as ours. */
  receive(response: HttpResponse, request: HttpRequest, handle: (visit: Visit) => void, wording?: Wording): void
  /** Runs `work` for a visit under way: a fault of ours must neither end the process nor leave the sender without an answer. */
  guarded(visit: Visit, work: () => void): void
  inFlight(): number
  /** Takes nothing more, and resolves when all are answered, or after `ms`. */
  close(ms: number): Promise<void>
}

export const crowded = unavailable('This door has its hands full: try again', 1)
export const leaving = { ...unavailable('This door is closing: try again', 1), close: true }
const badLength: Failure = { status: 400, code: 'MALFORMED_REQUEST', error: 'Content-Length is not a number', close: true }

export function rateLimited({ name, limit, reset_seconds }: RateStanding): Failure {
  const error = `More than ${limit} requests a minute (${name}): nothing was stored, try again in ${reset_seconds} s`
  return { status: 429, code: 'RATE_LIMITED', error, headers: [['Retry-After', String(reset_seconds)]] }
}

export function createVisits({ door, limits, headers: always, log, metrics }: VisitOptions): Visits {
  const tooLarge: Failure = { status: 413, code: 'BODY_TOO_LARGE', error: `A body has at most ${limits.bodyBytes} bytes` }
  const reading = new Set<OneVisit>()
  let inFlight = 0
  let held = 0
  let closing = false
  const { rest, wake } = createRest()

  class OneVisit implements Visit {
    readonly id: string
    readonly started = performance.now()
    readonly response: HttpResponse
    readonly isHead: boolean
    ended = false
    bytes = 0
    private chunks: Buffer[] = []
    private kept = 0
    private whole = false
    private standing: RateStanding | null = null
    private handler: OnBody | null = null

    private readonly wording: Wording | undefined

    constructor(response: HttpResponse, request: HttpRequest, wording: Wording | undefined) {
      this.response = response
      this.wording = wording
      this.id = idOf(request)
      this.isHead = request.getMethod() === 'head'
      inFlight += 1
    }

    over(): boolean {
      return this.ended
    }

    took(): number {
      return Math.round(performance.now() - this.started) / 1000
    }

    rated(standing: RateStanding): void {
      this.standing = standing
    }

    end(): void {
      this.ended = true
      reading.delete(this)
      this.release()
      inFlight -= 1
      if (inFlight === 0) wake()
    }

    private release(): void {
      held -= this.kept
      this.kept = 0
      this.chunks = []
    }

    answer(status: Status, type: string, body: string): void {
      this.write(status, type, body, '', false)
    }

    fail(failure: Failure): void {
      const { status, headers = [], close = false } = failure
      const body = JSON.stringify(errorBody(failure, this.id))
      const worded = this.wording?.(body, this.id, this.took()) ?? body
      this.write(status, 'application/json', worded, linesOf(headers), close)
    }

    private write(status: Status, type: string, body: string, more: string, close: boolean): void {
      if (this.ended) return
      this.end()
      metrics.answered(door, status)
      let lines = `\r\nContent-Type: ${type}${always}${more}`
      if (this.standing) {
        const { name, limit, remaining, reset_seconds } = this.standing
        lines += `\r\nX-RateLimit-Limit: ${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${reset_seconds}\r\nX-RateLimit-Name: ${name}`
      }
      send(this.response, status, this.id, lines, this.isHead ? '' : body, close)
    }

    onBody(handler: OnBody): void {
      if (this.ended) return
      this.handler = handler
      if (!this.whole) return
      const bytes = Buffer.concat(this.chunks)
      this.release()
      handler(bytes, this.bytes)
    }

    /** `chunk` is a view that ends with the call. */
    take(chunk: Buffer, isLast: boolean): void {
      if (this.ended) return
      this.bytes += chunk.length
      if (this.bytes > limits.bodyBytes) {
        this.fail(tooLarge)
        return
      }
      const room = limits.keptBytes - this.kept
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk
      if (isLast) reading.delete(this)
      if (isLast && this.handler && this.chunks.length === 0) {
        this.handler(part, this.bytes)
        return
      }
      if (part.length > 0) {
        this.chunks.push(Buffer.from(part))
        this.kept += part.length
        held += part.length
        if (held > limits.heldBytes) {
          this.fail(crowded)
          return
        }
      }
      if (!isLast) return
      this.whole = true
      if (this.handler) this.onBody(this.handler)
    }
  }

  function guarded(visit: Visit, work: () => void): void {
    try {
      work()
    } catch (error) {
      log.error({ err: error, request_id: visit.id, door }, 'a request failed')
      visit.fail(internal)
    }
  }

  const unwatch = watchPace(reading, limits, (visit) => visit.fail(tooSlow))

  return {
    guarded,
    receive(response, request, handle, wording) {
      const visit = new OneVisit(response, request, wording)
      response.onAborted(() => {
        if (visit.ended) return
        metrics.left(door)
        visit.end()
      })
      guarded(visit, () => {
        if (closing) return visit.fail(leaving)
        if (inFlight > limits.requests) return visit.fail(crowded)
        const length = lengthOf(request.getHeader('content-length'))
        if (Number.isNaN(length)) return visit.fail(badLength)
        if (length > limits.bodyBytes) return visit.fail(tooLarge)
        handle(visit)
        if (visit.over()) return
        reading.add(visit)
        response.onData((chunk, isLast) => guarded(visit, () => visit.take(Buffer.from(chunk), isLast)))
      })
    },
    inFlight: () => inFlight,
    async close(ms) {
      closing = true
      if (inFlight > 0) await rest(ms)
      unwatch()
    }
  }
}
