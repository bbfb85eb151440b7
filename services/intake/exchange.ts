/**
 * The life of a request at every door of intake: headers, body, one answer.
 *
 * - The body is read as it comes. Of a body over `bodyBytes` nothing is held. At most the first
 *   `keptBytes` are held, and none where all comes at once and the door can take it.
 * - A body has 8 s, or longer while it comes with 20 KiB/s, else 408 (uWebSockets.js closes what
 *   sends nothing at all a few seconds later anyway).
 * - At most `requests` at once, and `heldBytes` held by all of them; beyond, 503. Where it is known
 *   whose a request is, that workspace takes a place only while it holds fewer than are free, and
 *   bytes likewise: alone it gets half of them, and room for others stays
 *   (docs/decisions/0035-a-workspace-takes-a-place-only-while-it-holds-fewer-than-are-free.md).
 * - The sender may leave at any moment: then the response is gone and is not touched again, and
 *   what is done with the body goes on.
 * - A door that closes takes nothing more, and waits for the answers that are due.
 */

import type { ErrorBody } from '../../schemas/http/common.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import { type Answer, type Failure, failed, internal, linesOf, send } from '../http/answer.ts'
import { idOf } from '../http/request-id.ts'
import type { HttpRequest, HttpResponse } from '../http/uws.ts'
import type { Log } from '../process/log.ts'
import type { DoorMetrics } from './doors/metrics.ts'
import { crowded, leaving, lengthOf, malformedLength, rateLimited, tooSlow } from './doors/refusals.ts'
import type { RateStanding } from './rates.ts'
import { type Pace, watchPace } from './slow-bodies.ts'

export interface ExchangeLimits extends Pace {
  requests: number
  bodyBytes: number
  keptBytes: number
  heldBytes: number
}

export interface ExchangesOptions {
  limits: ExchangeLimits
  /** Header lines of every answer, each with \r\n before it; default: none. */
  headers?: string
  log: Log
  metrics: Pick<DoorMetrics, 'answered' | 'left'>
}

/** The body of a refusal, made of ours; `took` in seconds. */
export type Wording = (ours: ErrorBody, took: number) => object

/** Where a sender stands with what it may send. */
type Standing = Pick<RateStanding, 'limit' | 'remaining' | 'reset_seconds'>

/** The header lines that say it. */
export const standingLines = ({ limit, remaining, reset_seconds }: Standing, name: string): string =>
  `\r\nX-RateLimit-Limit: ${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${reset_seconds}\r\nX-RateLimit-Name: ${name}`

/** What the requests of one workspace hold. */
interface Share {
  requests: number
  bytes: number
}

/** The requests under way at one kind of door. */
export class Exchanges {
  readonly limits: ExchangeLimits
  readonly headers: string
  readonly log: Log
  readonly metrics: ExchangesOptions['metrics']
  readonly tooLarge: Failure
  /** Those whose body still comes. */
  readonly reading = new Set<Exchange>()
  held = 0
  /** By workspace; none without a request. */
  private readonly shares = new Map<string, Share>()
  private count = 0
  private closing = false
  private readonly rest = createRest()
  private readonly unwatch: () => void

  constructor({ limits, headers = '', log, metrics }: ExchangesOptions) {
    this.limits = limits
    this.headers = headers
    this.log = log
    this.metrics = metrics
    this.tooLarge = { status: 413, code: 'BODY_TOO_LARGE', error: `A body has at most ${limits.bodyBytes} bytes` }
    this.unwatch = watchPace(this.reading, limits, (slow) => slow.fail(tooSlow))
  }

  begun(): void {
    this.count += 1
  }

  ended(exchange: Exchange): void {
    this.reading.delete(exchange)
    this.count -= 1
    if (this.count === 0) this.rest.wake()
  }

  /**
   * Why no further request is taken now; null where there is room. The request that asks counts
   * already.
   */
  refusal(): Failure | null {
    if (this.closing) return leaving
    return this.count > this.limits.requests ? crowded : null
  }

  /** A place of the workspace; null where it holds as many as are free, or more. */
  place(tenant_id: string): Share | null {
    const share = this.shares.get(tenant_id) ?? { requests: 0, bytes: 0 }
    // The request that asks counts already.
    if (share.requests >= this.limits.requests - this.count + 1) return null
    share.requests += 1
    this.shares.set(tenant_id, share)
    return share
  }

  leave(tenant_id: string, share: Share): void {
    share.requests -= 1
    if (share.requests === 0) this.shares.delete(tenant_id)
  }

  /** Whether what is held may stay, all of it and what the workspace has of it. */
  hasRoom(share: Share | null): boolean {
    const free = this.limits.heldBytes - this.held
    return free >= 0 && (share === null || share.bytes <= free)
  }

  readonly inFlight = (): number => this.count

  readonly bytesHeld = (): number => this.held

  /** Takes nothing more, and resolves when all are answered, or after `ms`. */
  readonly close = async (ms: number): Promise<void> => {
    this.closing = true
    if (this.count > 0) await this.rest.rest(ms)
    this.unwatch()
  }
}

/** One request and its answer. The response is touched only while it is not over. */
export abstract class Exchange {
  readonly id: string
  readonly started = performance.now()
  /** Answered, or the sender left. */
  over = false
  /** Received so far. */
  bytes = 0
  /** Of them held here, in `chunks`. */
  private kept = 0
  private chunks: Buffer[] = []
  /** Whose it is, and what they hold; null while that is not known. */
  private owner: { tenant_id: string; share: Share } | null = null
  /** All of the body has come. */
  private whole = false
  /** The door takes the body once it is whole. */
  private awaited = false
  private readonly isHead: boolean

  constructor(
    protected readonly all: Exchanges,
    /** In the metrics. */
    readonly doorName: string,
    readonly response: HttpResponse,
    request: HttpRequest,
    /** How refusals are told, where not as ours. */
    protected readonly wording: Wording | undefined
  ) {
    this.id = idOf(request)
    this.isHead = request.getMethod() === 'head'
    all.begun()
  }

  /**
   * Runs in the handler, while `request` is there: refuses, or calls `awaitBody` now or once it is
   * known whose the request is.
   */
  protected abstract start(request: HttpRequest): void

  /** `body` is the beginning of the whole body, a view that ends with the call. */
  protected abstract take(body: Buffer): void

  /** Bytes of the body that are held. */
  protected mostKept(): number {
    return this.all.limits.keptBytes
  }

  /** Header lines that say where the sender stands; empty while that is not known. */
  protected abstract standing(): string

  receive(request: HttpRequest): void {
    this.response.onAborted(() => this.leave())
    try {
      const refusal = this.all.refusal()
      if (refusal !== null) return void this.fail(refusal)
      this.start(request)
      if (!this.over) this.listen()
    } catch (error) {
      this.broke(error)
    }
  }

  protected listen(): void {
    this.all.reading.add(this)
    this.response.onData((chunk, isLast) => this.arrived(Buffer.from(chunk), isLast))
  }

  /**
   * `chunk` is a view that ends with the call. A fault of ours must neither end the process nor
   * leave the sender without an answer.
   */
  protected arrived(chunk: Buffer, isLast: boolean): void {
    try {
      this.read(chunk, isLast)
    } catch (error) {
      this.broke(error)
    }
  }

  private read(chunk: Buffer, isLast: boolean): void {
    if (this.over) return
    this.bytes += chunk.length
    const { limits, reading } = this.all
    if (this.bytes > limits.bodyBytes) return void this.overflow()
    const room = this.mostKept() - this.kept
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk
    if (isLast && this.awaited && this.chunks.length === 0) {
      reading.delete(this)
      this.take(part)
      return
    }
    if (part.length > 0 && !this.keep(Buffer.from(part))) return
    if (!isLast) return
    reading.delete(this)
    this.whole = true
    if (this.awaited) this.takeKept()
  }

  /** By the length that was announced (-1: none) or by what came. True: it has answered. */
  isTooLarge(announced: number): boolean {
    const { bodyBytes } = this.all.limits
    const isOver = announced > bodyBytes || this.bytes > bodyBytes
    if (isOver) this.fail(this.all.tooLarge)
    return isOver
  }

  /** More came than a body may have. */
  protected overflow(): void {
    this.fail(this.all.tooLarge)
  }

  /** False where there is no room; then it has answered. */
  private keep(bytes: Buffer): boolean {
    this.chunks.push(bytes)
    this.kept += bytes.length
    this.all.held += bytes.length
    const share = this.owner?.share ?? null
    if (share) share.bytes += bytes.length
    if (this.all.hasRoom(share)) return true
    this.fail(crowded)
    return false
  }

  /** Takes a place of the workspace. False where it has none; then it has answered. */
  protected belongsTo(tenant_id: string): boolean {
    const share = this.all.place(tenant_id)
    if (share) {
      this.owner = { tenant_id, share }
      share.bytes += this.kept
    }
    if (share && this.all.hasRoom(share)) return true
    this.fail(crowded)
    return false
  }

  private takeKept(): void {
    const body = Buffer.concat(this.chunks)
    this.release()
    this.take(body)
  }

  /** The body may be taken: now where it is whole, else once it is. */
  protected awaitBody(): void {
    this.awaited = true
    if (this.whole && !this.over) this.takeKept()
  }

  /**
   * A copy of the bytes that lasts until `release` or the end; null where there is no room, and
   * then it has answered.
   */
  hold(bytes: Buffer): Buffer | null {
    const copy = Buffer.from(bytes)
    return this.keep(copy) ? copy : null
  }

  release(): void {
    this.all.held -= this.kept
    if (this.owner) this.owner.share.bytes -= this.kept
    this.kept = 0
    this.chunks = []
  }

  private end(): void {
    this.over = true
    this.release()
    if (this.owner) this.all.leave(this.owner.tenant_id, this.owner.share)
    this.owner = null
    this.all.ended(this)
  }

  private leave(): void {
    if (this.over) return
    this.all.metrics.left(this.doorName)
    this.end()
  }

  /** Seconds since the request came. */
  took(): number {
    return Math.round(performance.now() - this.started) / 1000
  }

  /** Runs `work` outside the handler: a fault of ours is answered with 500. */
  guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.broke(error)
    }
  }

  private broke(error: unknown): void {
    this.all.log.error({ err: error, request_id: this.id, door: this.doorName }, 'a request failed')
    this.fail(internal)
  }

  fail(failure: Failure, standing = this.standing()): void {
    const { wording } = this
    this.answer(failed(failure, this.id, wording && ((ours) => wording(ours, this.took()))), standing)
  }

  /**
   * The one answer. Every part of its headers is ours or was checked (digits, the request id's
   * characters).
   */
  answer({ status, body, headers, close }: Answer, standing = this.standing(), type = 'application/json'): void {
    if (this.over) return
    this.end()
    this.all.metrics.answered(this.doorName, status)
    const lines = `\r\nContent-Type: ${type}${this.all.headers}${standing}${linesOf(headers)}`
    send(this.response, status, this.id, lines, this.isHead ? '' : body, close)
  }
}

/** A request whose sender has a rate, and whose length is checked before anything else. */
export abstract class RatedExchange extends Exchange {
  private rate: RateStanding | null = null

  protected override standing(): string {
    return this.rate === null ? '' : standingLines(this.rate, this.rate.name)
  }

  /**
   * False where the sender is over its rate; then it has answered. Every answer from now on says
   * where the rate stands.
   */
  protected within(rate: RateStanding): boolean {
    this.rate = rate
    if (!rate.admitted) this.fail(rateLimited(rate))
    return rate.admitted
  }

  /** False where Content-Length says that the body cannot be taken; then it has answered. */
  protected fits(request: HttpRequest): boolean {
    const length = lengthOf(request.getHeader('content-length'))
    if (!Number.isNaN(length)) return !this.isTooLarge(length)
    this.fail(malformedLength)
    return false
  }
}
