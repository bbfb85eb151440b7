/**
 * One request at a door, from its headers to its answer.
 *
 *   reading ──body whole──► judged ──records──► appending ──ack──► answered 200
 *      │                       │                    └─ no ack ──► answered 503 (the outcome may be unknown; a repeat is absorbed by its key)
 *      └─ refused by what the headers or the size say, or too slow ──► answered, and the rest of the body is dropped unread
 *
 * Checks come in this order, and the first that fails answers: room for another request, token, integration enabled, budget, size, type, the bytes,
 * the source's parser. Nothing is parsed before the budget admits it, and it is asked again once the body is whole: what others of the workspace
 * sent meanwhile counts. Nothing is answered with 2xx before the log has acknowledged all of it. The sender may leave at any moment: then the
 * response is gone and must not be touched.
 *
 * Bounds: a body of 2 MiB; requests and bytes held, beyond them 503; a body has 8 s, or longer while it comes with 20 KiB/s, else 408 (uWebSockets.js
 * closes what sends nothing at all a few seconds later anyway).
 */

import type { Codec } from '../../../schemas/codec.ts'
import { planOf } from '../../../schemas/plans.ts'
import { createRest } from '../../../streams/runtime/rest.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import type { Log } from '../../log.ts'
import { type Credentials, type IntegrationCredential, Unavailable } from '../../tokens.ts'
import type { HttpRequest, HttpResponse } from '../../uws.ts'
import { type Decoded, decode, Malformed, MOST_BYTES } from '../body.ts'
import { type Receipt, toInboundAlert } from '../normalise.ts'
import { type RawPayload, toRawAlert } from '../raw.ts'
import { type Pace, watchPace } from '../slow-bodies.ts'
import { MOST_ALERTS, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { sources } from '../sources/index.ts'
import { type Answer, accepted, type Failure, failed, internal, overBudget, requestId, write } from './answer.ts'
import type { Budget, Standing } from './budget.ts'
import { steadyNow } from './clock.ts'
import type { Door } from './doors.ts'
import type { DoorMetrics } from './metrics.ts'
import {
  badLength,
  crowded,
  disabled,
  encoded,
  isForeignType,
  leaving,
  lengthOf,
  noAcknowledgement,
  noCredentials,
  noParser,
  queueFull,
  tooLarge,
  tooSlow,
  unreadable,
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
  append: Append['append']
  codec: Pick<Codec, 'encode'>
  log: Log
  metrics: DoorMetrics
  limits?: Partial<ReceptionLimits>
}

export interface Reception {
  receive(door: Door, response: HttpResponse, request: HttpRequest): void
  /** Answers a request that has no door, at once. */
  reply(answer: (request_id: string) => Answer, response: HttpResponse, request: HttpRequest): void
  /** Requests that have no answer yet. */
  inFlight(): number
  bytesHeld(): number
  /** Takes nothing more, and resolves when all are answered, or after `ms`. */
  close(ms: number): Promise<void>
}

const everyHeader: readonly string[] = [...new Set(Object.values(sources).flatMap((source: Source) => source.headers ?? []))]

/** The plan's figure of the budget, before the floor. A plan without one is bounded by what a door can take. */
const planCeiling = (plan: string): number => planOf(plan).limits.ingest_alerts_per_minute ?? 1_000_000

export function createReception(options: ReceptionOptions): Reception {
  const { credentials, budget, append, codec, log, metrics } = options
  const limits = { ...defaults, ...options.limits }
  const reading = new Set<Visit>()
  let inFlight = 0
  let held = 0
  let closing = false
  const { rest, wake } = createRest()

  /** A request under way. Its methods touch the response only while it is not over. */
  class Visit {
    readonly id: string
    readonly type: string
    readonly length: number
    readonly encoding: string
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
      request: HttpRequest
    ) {
      this.id = requestId(request.getHeader('x-request-id'))
      this.type = request.getHeader('content-type')
      this.length = lengthOf(request.getHeader('content-length'))
      this.encoding = request.getHeader('content-encoding')
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

    answer(answer: Answer, standing: Standing | null): void {
      if (this.over) return
      this.end()
      metrics.answered(this.door.name, answer.status)
      write(this.response, answer, this.id, standing)
    }

    /** Where the sender is known, every answer says where its budget stands. */
    fail(failure: Failure): void {
      this.answer(failed(failure, this.id), this.standing())
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
      if (!integration.enabled) this.fail(disabled)
      else if (!source) this.fail(noParser)
      else if (!this.withinBudget(integration)) return false
      else if (this.length > MOST_BYTES || this.bytes > MOST_BYTES) this.fail(tooLarge)
      else if (Number.isNaN(this.length)) this.fail(badLength)
      else if (isForeignType(this.type)) this.fail(wrongType)
      else if (this.encoding !== '' && this.encoding.toLowerCase() !== 'identity') this.fail(encoded)
      else this.source = source
      return !this.over
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
      this.answer(overBudget(standing, this.id), standing)
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
        this.judge(chunk, this.source)
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
      this.judge(bytes, this.source)
    }

    /** From the bytes to records on the log. `bytes` may be gone after the call. */
    judge(bytes: Buffer, source: Source): void {
      const { integration } = this
      if (!integration || !this.withinBudget(integration)) return
      const received_at = Date.now()
      let decoded: Decoded | undefined
      let events: ParsedEvent[]
      try {
        decoded = decode(bytes)
        const warn = (what: string, count: number): void => {
          metrics.warned(what)
          log.warn(
            { what, count, tenant_id: integration.tenant_id, integration_id: integration.integration_id },
            'a payload left something out'
          )
        }
        events = source.parse({ body: decoded.body, headers: this.headers, received_at, options: integration.options, warn })
        if (events.length > MOST_ALERTS) {
          const message = `at most ${MOST_ALERTS} alerts a payload`
          throw new Unparseable({ path: '', rule: 'max', message, limit: MOST_ALERTS, actual: events.length })
        }
      } catch (error) {
        if (!(error instanceof Malformed) && !(error instanceof Unparseable)) throw error
        budget.count(integration.tenant_id, planCeiling(integration.plan), 1, steadyNow())
        const failure = unreadable(error)
        metrics.refused(failure.code)
        this.keepRaw({
          bytes,
          source,
          received_at,
          body: decoded?.body,
          outcome: 'rejected',
          reason: `${failure.code}: ${failure.error}`,
          alerts: 0
        })()
        this.fail(failure)
        return
      }
      budget.count(integration.tenant_id, planCeiling(integration.plan), events.length, steadyNow())
      const { records, body } = written(events, { integration, source, received_at, escaped: decoded.escaped })
      const keep = integration.capture
        ? this.keepRaw({
            bytes,
            source,
            received_at,
            body: decoded.body,
            outcome: records.length > 0 ? 'accepted' : 'ignored',
            reason: null,
            alerts: events.length
          })
        : null
      if (records.length === 0) {
        keep?.()
        this.answer(accepted(body), this.standing())
        return
      }
      const sent = performance.now()
      append(records).then(
        () => {
          metrics.acknowledged(this.door.name, records.length, sent)
          keep?.()
          this.answer(accepted(body), this.standing())
        },
        (error: unknown) => {
          metrics.unacknowledged(records.length)
          if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) log.error({ err: error }, 'the log refused alerts')
          this.fail(error instanceof QueueFull ? queueFull : noAcknowledgement)
        }
      )
    }

    /** The raw payload, encoded now, while its bytes are there; the returned function appends it. A failure changes no answer. */
    keepRaw(raw: Omit<RawPayload, 'integration' | 'source' | 'content_type'> & { source: Source }): () => void {
      const { integration } = this
      if (!integration) return () => undefined
      const lost = (error: unknown): void => {
        metrics.rawLost()
        log.debug({ err: error, integration_id: integration.integration_id }, 'a raw payload was not kept')
      }
      try {
        const value = codec.encode('RawAlert', toRawAlert({ ...raw, source: raw.source.kind, integration, content_type: this.type }))
        const record: OutRecord = { topic: 'alerts.raw.v1', key: `${integration.tenant_id}|${integration.integration_id}`, value }
        return () => void append([record]).catch(lost)
      } catch (error) {
        lost(error)
        return () => undefined
      }
    }
  }

  /** The records of a payload, and the answer once they are acknowledged. */
  function written(events: readonly ParsedEvent[], receipt: Receipt): { records: OutRecord[]; body: string } {
    const records: OutRecord[] = []
    let alerts = ''
    for (const event of events) {
      if (alerts !== '') alerts += ','
      alerts += `{"dedup_key":${JSON.stringify(event.dedup_key)},"action":"${event.action}"`
      alerts += event.reason === null ? '}' : `,"reason":${JSON.stringify(event.reason)}}`
      if (event.action === 'ignore') continue
      const alert = toInboundAlert(event, receipt)
      records.push({
        topic: 'alerts.inbound.v1',
        key: `${alert.tenant_id}|${alert.dedup_key}`,
        value: codec.encode('InboundAlert', alert)
      })
    }
    const ignored = events.length - records.length
    return { records, body: `{"status":"accepted","processed":${records.length},"ignored":${ignored},"alerts":[${alerts}]}` }
  }

  /** A fault of ours must neither end the process nor leave the sender without an answer. */
  function guarded(visit: Visit, work: () => void): void {
    try {
      work()
    } catch (error) {
      log.error({ err: error, request_id: visit.id, door: visit.door.name }, 'a request failed')
      visit.fail(internal)
    }
  }

  function receive(door: Door, response: HttpResponse, request: HttpRequest): void {
    const visit = new Visit(door, response, request)
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
      reading.add(visit)
      response.onData((chunk, isLast) => guarded(visit, () => visit.take(Buffer.from(chunk), isLast)))
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

  const unwatch = watchPace(reading, limits, (visit) => visit.fail(tooSlow))

  return {
    receive,
    reply(answer, response, request) {
      const id = requestId(request.getHeader('x-request-id'))
      const made = answer(id)
      metrics.answered('none', made.status)
      write(response, request.getMethod() === 'head' ? { ...made, body: '' } : made, id, null)
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
