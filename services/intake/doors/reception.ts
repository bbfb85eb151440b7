/**
 * One request at a door, from its headers to its answer.
 *
 *   reading ──body whole──► judged ──records──► appending ──ack──► answered 200
 *      │                       │                    └─ no ack ──► answered 503 (the outcome may be unknown; a repeat is absorbed by its key)
 *      └─ refused by what the headers or the size say, or too slow ──► answered, and the rest of the body is dropped unread
 *
 * Checks come in this order, and the first that fails answers: room for another request, token, integration enabled, address, budget, size, type, the bytes,
 * the proof of the sender, the source's parser. Nothing is parsed before the budget admits it, and it is asked again once the body is whole: what others of
 * the workspace sent meanwhile counts. Nothing is answered with 2xx before the log has acknowledged all of it. The sender may leave at any moment: then the
 * response is gone and must not be touched.
 *
 * Bounds: a body of 2 MiB; requests and bytes held, beyond them 503; a body has 8 s, or longer while it comes with 20 KiB/s, else 408 (uWebSockets.js
 * closes what sends nothing at all a few seconds later anyway).
 */

import type { Codec } from '../../../schemas/codec.ts'
import { createRest } from '../../../streams/runtime/rest.ts'
import type { Append } from '../../../streams/runtime/stream.ts'
import { type Credentials, type IntegrationCredential, Unavailable } from '../../credentials/tokens.ts'
import { type Answer, type Failure, failed, internal, methodNotAllowed, tell } from '../../http/answer.ts'
import { isAllowed } from '../../http/networks.ts'
import { idOf } from '../../http/request-id.ts'
import { addressOf, type SenderAddress } from '../../http/sender-address.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import { MOST_BYTES } from '../body.ts'
import { type Pace, watchPace } from '../slow-bodies.ts'
import type { Source } from '../source.ts'
import { sources } from '../sources/index.ts'
import { overBudget, write } from './answer.ts'
import type { Budget, Standing } from './budget.ts'
import { steadyNow } from './clock.ts'
import type { Door } from './doors.ts'
import { createJudgement, type Visit as Judged, planCeiling } from './judgement.ts'
import type { DoorMetrics } from './metrics.ts'
import type { Proving } from './proving.ts'
import {
  addressNotAllowed,
  badLength,
  crowded,
  disabled,
  encoded,
  isForeignType,
  leaving,
  lengthOf,
  noCredentials,
  noParser,
  tooLarge,
  tooSlow,
  wrongType
} from './refusals.ts'

export interface ReceptionLimits extends Pace {
  requests: number
  /** Bytes of bodies held, all requests together. */
  bytes: number
}

const defaults: ReceptionLimits = { requests: 2000, bytes: 64 * 1024 * 1024, bodyMs: 8000, bodyBytesPerSecond: 20 * 1024 }

export interface ReceptionOptions {
  credentials: Pick<Credentials, 'integration'>
  budget: Budget
  proving: Proving
  senderAddress: SenderAddress
  append: Append['append']
  codec: Pick<Codec, 'encode'>
  log: Log
  metrics: DoorMetrics
  limits?: Partial<ReceptionLimits>
}

export interface Reception {
  receive(door: Door, response: HttpResponse, request: HttpRequest): void
  /** A request without a body whose query stands for one, at the sources that have it so. */
  receiveQuery(door: Door, response: HttpResponse, request: HttpRequest): void
  /** Answers a request that has no door, at once. */
  reply(answer: (request_id: string) => Answer, response: HttpResponse, request: HttpRequest): void
  /** Requests that have no answer yet. */
  inFlight(): number
  bytesHeld(): number
  /** Takes nothing more, and resolves when all are answered, or after `ms`. */
  close(ms: number): Promise<void>
}

const everyHeader: readonly string[] = [...new Set(Object.values(sources).flatMap((source: Source) => source.headers ?? []))]

export function createReception(options: ReceptionOptions): Reception {
  const { credentials, budget, proving, senderAddress, append, codec, log, metrics } = options
  const limits = { ...defaults, ...options.limits }
  const reading = new Set<Visit>()
  let inFlight = 0
  let held = 0
  let closing = false
  const { rest, wake } = createRest()

  /** A request under way. Its methods touch the response only while it is not over. */
  class Visit implements Judged {
    readonly id: string
    readonly type: string
    readonly length: number
    readonly encoding: string
    /** Of X-Forwarded-For. */
    readonly forwarded: string
    readonly started = performance.now()
    over = false
    integration: IntegrationCredential | null = null
    source: Source | null = null
    /** Received so far, and how many of them are in `chunks`. */
    bytes = 0
    kept = 0
    chunks: Buffer[] = []
    /** All of the body is in `chunks`: the token is still being looked up. */
    whole = false
    /** Those that the source reads; those that any source reads while it is not known. */
    headers: Record<string, string> = {}

    constructor(
      readonly door: Door,
      readonly response: HttpResponse,
      request: HttpRequest,
      /** Stands for the body; null where there is one. */
      readonly query: string | null
    ) {
      this.id = idOf(request)
      this.type = request.getHeader('content-type')
      this.length = lengthOf(request.getHeader('content-length'))
      this.encoding = request.getHeader('content-encoding')
      this.forwarded = request.getHeader('x-forwarded-for')
      inFlight += 1
    }

    /** The visit ends, answered or left. */
    end(): void {
      this.over = true
      reading.delete(this)
      this.release()
      inFlight -= 1
      if (inFlight === 0) wake()
    }

    release(): void {
      held -= this.kept
      this.kept = 0
      this.chunks = []
    }

    tell(answer: Answer): void {
      this.answer(answer, this.standing())
    }

    answer(answer: Answer, standing: Standing | null): void {
      if (this.over) return
      this.end()
      metrics.answered(this.door.name, answer.status)
      write(this.response, answer, this.id, standing)
    }

    /** Where the sender is known, every answer says where its budget stands. */
    fail(failure: Failure): void {
      this.refuse(failed(failure, this.id), this.standing())
    }

    refuse(answer: Answer, standing: Standing | null): void {
      const body = this.door.wording?.(answer.body, this.id, this.took())
      this.answer(body === undefined ? answer : { ...answer, body }, standing)
    }

    /** Seconds. */
    took(): number {
      return Math.round(performance.now() - this.started) / 1000
    }

    standing(): Standing | null {
      return this.integration ? budget.standing(this.integration.tenant_id, planCeiling(this.integration.plan), steadyNow()) : null
    }

    /** Token, enabled, budget, size, type: in this order. False when one of them has answered. */
    admit(integration: IntegrationCredential | null): boolean {
      if (!integration) {
        this.fail(this.door.unknown)
        return false
      }
      this.integration = integration
      const source = this.door.source(integration.source_type)
      const { allowed_cidrs } = integration
      if (!integration.enabled) this.fail(disabled)
      else if (allowed_cidrs.length > 0 && !isAllowed(this.address(), allowed_cidrs)) this.fail(addressNotAllowed)
      else if (!source) this.fail(noParser)
      else if (this.query !== null && !source.query) this.fail(methodNotAllowed('POST'))
      else if (!this.withinBudget(integration)) return false
      else if (this.length > MOST_BYTES || this.bytes > MOST_BYTES) this.fail(tooLarge)
      else if (Number.isNaN(this.length)) this.fail(badLength)
      else if (isForeignType(this.type)) this.fail(wrongType)
      else if (this.encoding !== '' && this.encoding.toLowerCase() !== 'identity') this.fail(encoded)
      else this.source = source
      return !this.over
    }

    address(): string {
      return addressOf(senderAddress, this.response, this.forwarded)
    }

    /** The request is gone once its handler returns. */
    keepHeaders(request: HttpRequest): void {
      for (const name of this.source ? (this.source.headers ?? []) : everyHeader) {
        const value = request.getHeader(name)
        if (value !== '') this.headers[name] = value
      }
    }

    withinBudget({ tenant_id, plan }: IntegrationCredential): boolean {
      const standing = budget.admit(tenant_id, planCeiling(plan), steadyNow())
      if (standing.admitted) return true
      metrics.refused('budget')
      this.refuse(overBudget(standing, this.id), standing)
      return false
    }

    /** `chunk` is a view that ends with the call. */
    take(chunk: Buffer, isLast: boolean): void {
      if (this.over) return
      this.bytes += chunk.length
      if (this.bytes > MOST_BYTES) {
        // The token comes first: while it is looked up, what is too much is dropped.
        this.release()
        if (this.source) this.fail(tooLarge)
      } else if (isLast && this.source && this.chunks.length === 0) {
        reading.delete(this)
        this.judge(chunk)
      } else {
        this.chunks.push(Buffer.from(chunk))
        this.kept += chunk.length
        held += chunk.length
        if (held > limits.bytes) {
          this.fail(crowded)
        } else if (isLast) {
          reading.delete(this)
          this.whole = true
          this.judgeWhole()
        }
      }
    }

    judgeWhole(): void {
      if (this.over || !this.whole || !this.source) return
      const bytes = Buffer.concat(this.chunks)
      this.release()
      this.judge(bytes)
    }

    /** `bytes` may be gone after the call. */
    judge(bytes: Buffer): void {
      const { integration, source } = this
      if (integration && source && this.withinBudget(integration)) judgement.judge(this, integration, source, bytes)
    }

    hold(bytes: Buffer): Buffer | null {
      const copy = Buffer.from(bytes)
      this.chunks = [copy]
      this.kept = copy.length
      held += copy.length
      if (held <= limits.bytes) return copy
      this.fail(crowded)
      return null
    }
  }

  /** A fault of ours must neither end the process nor leave the sender without an answer. */
  function guarded(visit: Judged, work: () => void): void {
    try {
      work()
    } catch (error) {
      log.error({ err: error, request_id: visit.id, door: visit.door.name }, 'a request failed')
      visit.fail(internal)
    }
  }

  function receive(door: Door, response: HttpResponse, request: HttpRequest, query: string | null = null): void {
    const visit = new Visit(door, response, request, query)
    response.onAborted(() => {
      if (!visit.over) {
        metrics.left(door.name)
        visit.end()
      }
    })
    guarded(visit, () => {
      if (closing) return visit.fail(leaving)
      if (inFlight > limits.requests) return visit.fail(crowded)
      const token = door.token(request)
      const check = token === '' ? null : credentials.integration(token)
      const pending = check instanceof Promise
      if (!pending && !visit.admit(check)) return
      visit.keepHeaders(request)
      if (query === null) {
        reading.add(visit)
        response.onData((chunk, isLast) => guarded(visit, () => visit.take(Buffer.from(chunk), isLast)))
      } else visit.take(Buffer.from(query), true)
      if (!pending) return
      check.then(
        (integration) => guarded(visit, () => void (!visit.over && visit.admit(integration) && visit.judgeWhole())),
        (error: unknown) => {
          if (!(error instanceof Unavailable)) log.error({ err: error, request_id: visit.id }, 'a token could not be checked')
          visit.fail(noCredentials)
        }
      )
    })
  }

  const judgement = createJudgement({ budget, proving, append, codec, log, metrics, guarded })
  const unwatch = watchPace(reading, limits, (visit) => visit.fail(tooSlow))

  return {
    receive: (door, response, request) => receive(door, response, request),
    receiveQuery(door, response, request) {
      const query = request.getQuery() || null // What is absent is undefined here, whatever the server's types say.
      if (query === null) this.reply((request_id) => failed(methodNotAllowed('POST'), request_id), response, request)
      else receive(door, response, request, query)
    },
    reply(answer, response, request) {
      const id = idOf(request)
      const made = answer(id)
      metrics.answered('none', made.status)
      tell(response, request, made, id)
    },
    inFlight: () => inFlight,
    bytesHeld: () => held,
    async close(ms) {
      closing = true
      if (inFlight > 0) await rest(ms)
      unwatch()
    }
  }
}
