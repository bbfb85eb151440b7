/**
 * Handles a request at every door of intake: headers, body, one answer.
 *
 * - The body is read as it arrives. A body over `bodyBytes` is refused. At most the first
 *   `keptBytes` are held, what follows is dropped as it arrives, and none when the body arrives in
 *   one piece and the door can take it.
 * - A body must arrive within 8 s, or longer while it arrives at 20 KiB/s; otherwise 408
 *   (uWebSockets.js itself closes a connection that sends nothing at all a few seconds later).
 * - At most `requests` run at once, and all of them together hold at most `heldBytes`; beyond
 *   that, 503. Once the workspace of a request is known, it takes a place only while the workspace
 *   holds fewer places than are free. The same rule applies to bytes. So a workspace alone gets
 *   half of them, and room for others remains
 *   (docs/decisions/0035-a-workspace-takes-a-place-only-while-it-holds-fewer-than-are-free.md).
 * - The sender may disconnect at any moment. Then the response is invalid and is not used again,
 *   and the processing of the body continues.
 * - A door that closes accepts no further requests, and waits for the answers that are due.
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
  /** Header lines for every answer, each with \r\n before it. Default: none. */
  headers?: string
  log: Log
  metrics: Pick<DoorMetrics, 'answered' | 'left'>
}

/** Builds the body of a refusal from the standard one; `took` is in seconds. */
export type Wording = (ours: ErrorBody, took: number) => object

/** The state of a sender's rate or budget. */
type Standing = Pick<RateStanding, 'limit' | 'remaining' | 'reset_seconds'>

/** Returns the header lines that report it. */
export const standingLines = ({ limit, remaining, reset_seconds }: Standing, name: string): string =>
  `\r\nX-RateLimit-Limit: ${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${reset_seconds}\r\nX-RateLimit-Name: ${name}`

const tooLarge = (most: number): Failure => ({ status: 413, code: 'BODY_TOO_LARGE', error: `A body has at most ${most} bytes` })

/** The requests and bytes that one workspace holds. */
interface Share {
  requests: number
  bytes: number
}

/** All requests in progress at one kind of door. */
export class Exchanges {
  readonly limits: ExchangeLimits
  readonly headers: string
  readonly log: Log
  readonly metrics: ExchangesOptions['metrics']
  /** Requests whose body is still arriving. */
  readonly reading = new Set<Exchange>()
  held = 0
  /** By workspace; a workspace without requests has no entry. */
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
   * Returns why no further request is accepted now; null when there is room. The current request is
   * already counted.
   */
  refusal(): Failure | null {
    if (this.closing) return leaving
    return this.count > this.limits.requests ? crowded : null
  }

  /** Takes a place for the workspace; null when it holds at least as many places as are free. */
  place(tenant_id: string): Share | null {
    const share = this.shares.get(tenant_id) ?? { requests: 0, bytes: 0 }
    // The current request is already counted in `count`, hence + 1.
    if (share.requests >= this.limits.requests - this.count + 1) return null
    share.requests += 1
    this.shares.set(tenant_id, share)
    return share
  }

  leave(tenant_id: string, share: Share): void {
    share.requests -= 1
    if (share.requests === 0) this.shares.delete(tenant_id)
  }

  /** Returns whether the held bytes are within the limit, both in total and for this workspace. */
  hasRoom(share: Share | null): boolean {
    const free = this.limits.heldBytes - this.held
    return free >= 0 && (share === null || share.bytes <= free)
  }

  readonly inFlight = (): number => this.count

  readonly bytesHeld = (): number => this.held

  /** Accepts no further requests. Resolves when all are answered, or after `ms`. */
  readonly close = async (ms: number): Promise<void> => {
    this.closing = true
    if (this.count > 0) await this.rest.rest(ms)
    this.unwatch()
  }
}

/** One request and its answer. The response is not touched once `over` is true. */
export abstract class Exchange {
  readonly id: string
  readonly started = performance.now()
  /** True once it is answered or the sender has disconnected. */
  over = false
  /** Received so far. */
  bytes = 0
  /** Number of those bytes held in `chunks`. */
  private kept = 0
  private chunks: Buffer[] = []
  /** The workspace and its share; null while the workspace is not known. */
  private owner: { tenant_id: string; share: Share } | null = null
  /** The whole body has arrived. */
  private whole = false
  /** The door accepts the body once it is complete. */
  private awaited = false
  private readonly isHead: boolean

  constructor(
    protected readonly all: Exchanges,
    /** The name of the door in the metrics. */
    readonly doorName: string,
    readonly response: HttpResponse,
    request: HttpRequest,
    /** How this door words its refusals; undefined: the standard way. */
    protected readonly wording: Wording | undefined
  ) {
    this.id = idOf(request)
    this.isHead = request.getMethod() === 'head'
    all.begun()
  }

  /**
   * Runs in the handler, while `request` is valid. Refuses, or calls `awaitBody` now or once the
   * workspace of the request is known.
   */
  protected abstract start(request: HttpRequest): void

  /**
   * Processes the body. `body` is the first part of the complete body, and a view that is invalid
   * after the call.
   */
  protected abstract take(body: Buffer): void

  /** The most bytes of the body that are held. */
  protected mostKept(): number {
    return this.all.limits.keptBytes
  }

  /** The most bytes that the body may have. */
  protected mostBytes(): number {
    return this.all.limits.bodyBytes
  }

  /** Header lines that report the sender's rate or budget; empty while the sender is not known. */
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
   * `chunk` is a view that is invalid after the call. An internal error must neither end the
   * process nor leave the sender without an answer.
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
    const { reading } = this.all
    if (this.bytes > this.mostBytes()) return void this.overflow()
    // Less may be kept than before, once the workspace is known.
    const room = Math.max(0, this.mostKept() - this.kept)
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

  /**
   * Checks the announced length (-1: none) and the bytes received. True: the request has been
   * answered.
   */
  isTooLarge(announced: number): boolean {
    const most = this.mostBytes()
    const isOver = announced > most || this.bytes > most
    if (isOver) this.fail(tooLarge(most))
    return isOver
  }

  /** Runs when more bytes arrived than a body may have. */
  protected overflow(): void {
    this.fail(tooLarge(this.mostBytes()))
  }

  /** Holds the bytes. False when there is no room; then the request has been answered. */
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

  /**
   * Drops what is held beyond what may be kept now. False when there is no room; then the request
   * has been answered.
   */
  protected keepLess(): boolean {
    const most = this.mostKept()
    if (this.kept <= most) return true
    const first = Buffer.concat(this.chunks, most)
    this.release()
    return this.keep(first)
  }

  /**
   * Takes a place for the workspace. False when it gets none; then the request has been answered.
   */
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

  /** Allows the body to be processed: now if it is complete, otherwise once it is. */
  protected awaitBody(): void {
    this.awaited = true
    if (this.whole && !this.over) this.takeKept()
  }

  /**
   * Returns a copy of the bytes that is kept until `release` or the end of the request; null when
   * there is no room, and then the request has been answered.
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

  /** Seconds since the request arrived. */
  took(): number {
    return Math.round(performance.now() - this.started) / 1000
  }

  /** Runs `work` outside the handler. An internal error is answered with 500. */
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
   * Sends the one answer. Every part of its headers is either generated here or checked (digits,
   * the request id's characters).
   */
  answer({ status, body, headers, close }: Answer, standing = this.standing(), type = 'application/json'): void {
    if (this.over) return
    this.end()
    this.all.metrics.answered(this.doorName, status)
    const lines = `\r\nContent-Type: ${type}${this.all.headers}${standing}${linesOf(headers)}`
    send(this.response, status, this.id, lines, this.isHead ? '' : body, close)
  }
}

/** A request whose sender has a rate limit, and whose length is checked before anything else. */
export abstract class RatedExchange extends Exchange {
  private rate: RateStanding | null = null
  /** The Content-Length; -1 without one. */
  protected announced = -1

  protected override standing(): string {
    return this.rate === null ? '' : standingLines(this.rate, this.rate.name)
  }

  /**
   * Returns false when the sender is over its rate; then the request has been answered. Every later
   * answer reports the rate.
   */
  protected within(rate: RateStanding): boolean {
    this.rate = rate
    if (!rate.admitted) this.fail(rateLimited(rate))
    return rate.admitted
  }

  /**
   * Returns false when the Content-Length is invalid or too large; then the request has been
   * answered.
   */
  protected fits(request: HttpRequest): boolean {
    const length = lengthOf(request.getHeader('content-length'))
    if (!Number.isNaN(length)) {
      this.announced = length
      return !this.isTooLarge(length)
    }
    this.fail(malformedLength)
    return false
  }
}
