/**
 * A whole body on its way to the log: decoded, proven, parsed, appended; or refused, in this order. reception.ts has seen to token, budget and size.
 *
 *   decoded ──proof and look-ups──► proven ──parsed──► appending ──ack──► answered 2xx
 *      │                              │        │            └─ no ack ──► answered 503 (the outcome may be unknown; a repeat is absorbed by its key)
 *      └── refused: counts as one alert, kept as it came ◄─┘
 *
 * Mostly all of it happens in one call. Where something must be asked of others first (a certificate, a confirmation, which alert an id means) the bytes are
 * held and count, and everything that is asked has an end of its own, of seconds. Nothing of what the service could not judge for a fault of its own is kept
 * or counted: 5xx.
 */
import type { Codec } from '../../../schemas/codec.ts'
import { ingestPerMinute, planOf } from '../../../schemas/plans.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import type { IntegrationCredential } from '../../credentials/tokens.ts'
import { type Answer, accepted, type Failure } from '../../http/answer.ts'
import type { Log } from '../../process/log.ts'
import { type Decoded, decode, Malformed } from '../body.ts'
import { type Receipt, toInboundAlert } from '../normalise.ts'
import { type RawPayload, toRawAlert } from '../raw.ts'
import { type Control, MOST_ALERTS, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import type { Budget } from './budget.ts'
import { steadyNow } from './clock.ts'
import type { Door } from './doors.ts'
import type { DoorMetrics } from './metrics.ts'
import type { Proving } from './proving.ts'
import { noAcknowledgement, queueFull, Refused, unreadable } from './refusals.ts'

/** The plan's figure of the budget, before the floor. */
export const planCeiling = (plan: string): number => ingestPerMinute(planOf(plan))

/** The request behind a payload: how it is answered, and what holds its bytes. */
export interface Visit {
  readonly door: Door
  readonly id: string
  /** Content type. */
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  /** Answered, or the sender left. */
  readonly over: boolean
  /** Seconds since the request came. */
  took(): number
  /** A copy of the bytes that lasts until `release` or the end; null where there is no room, and then it has answered. */
  hold(bytes: Buffer): Buffer | null
  release(): void
  /** With where the budget stands now. */
  tell(answer: Answer): void
  fail(failure: Failure): void
}

export interface JudgementOptions {
  budget: Budget
  proving: Proving
  append: Append['append']
  codec: Pick<Codec, 'encode'>
  log: Log
  metrics: DoorMetrics
  /** Runs `work` for a visit under way: a fault of ours is answered with 500. */
  guarded(visit: Visit, work: () => void): void
}

export interface Judgement {
  /** `bytes` may be gone after the call. */
  judge(visit: Visit, integration: IntegrationCredential, source: Source, bytes: Buffer): void
}

interface Payload {
  integration: IntegrationCredential
  source: Source
  bytes: Buffer
  /** Epoch ms. */
  received_at: number
  /** undefined where the bytes could not be read. */
  body: Decoded['body'] | undefined
}

/** What stands between the bytes and the parser. */
type Refusal = Failure | null | Promise<Failure | null>

/** The sender's fault in words for it; a fault of ours is thrown on. */
function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return error.failure
  if (error instanceof Malformed || error instanceof Unparseable) return unreadable(error)
  throw error
}

/** What became of each alert: docs/design/api/alerts-and-routing.md#ib-10. */
function listed(events: readonly ParsedEvent[], processed: number): string {
  let alerts = ''
  for (const event of events) {
    if (alerts !== '') alerts += ','
    alerts += `{"dedup_key":${JSON.stringify(event.dedup_key)},"action":"${event.action}"`
    alerts += event.reason === null ? '}' : `,"reason":${JSON.stringify(event.reason)}}`
  }
  return `{"status":"accepted","processed":${processed},"ignored":${events.length - processed},"alerts":[${alerts}]}`
}

/** A message that is no alert. */
const obeyed = accepted('{"status":"accepted","processed":0,"ignored":1,"alerts":[]}')

const empty: Decoded = { body: {}, escaped: true }

export function createJudgement({ budget, proving, append, codec, log, metrics, guarded }: JudgementOptions): Judgement {
  const count = ({ tenant_id, plan }: IntegrationCredential, alerts: number): void =>
    void budget.count(tenant_id, planCeiling(plan), alerts, steadyNow())

  /** The raw payload, encoded now, while its bytes are there; the returned function appends it. A failure changes no answer. */
  function keepRaw(visit: Visit, payload: Payload, told: Pick<RawPayload, 'outcome' | 'reason' | 'alerts'>): () => void {
    const { integration, source, bytes, received_at, body } = payload
    const lost = (error: unknown): void => {
      metrics.rawLost()
      log.debug({ err: error, integration_id: integration.integration_id }, 'a raw payload was not kept')
    }
    try {
      const raw = toRawAlert({ integration, source: source.kind, received_at, content_type: visit.type, bytes, body, ...told })
      const key = `${integration.tenant_id}|${integration.integration_id}`
      const record: OutRecord = { topic: 'alerts.raw.v1', key, value: codec.encode('RawAlert', raw) }
      return () => void append([record]).catch(lost)
    } catch (error) {
      lost(error)
      return () => undefined
    }
  }

  function reject(visit: Visit, payload: Payload, failure: Failure): void {
    metrics.refused(failure.code)
    if (failure.status < 500) {
      count(payload.integration, 1)
      keepRaw(visit, payload, { outcome: 'rejected', reason: `${failure.code}: ${failure.error}`, alerts: 0 })()
    }
    visit.fail(failure)
  }

  function recordsOf(events: readonly ParsedEvent[], receipt: Receipt): OutRecord[] {
    const records: OutRecord[] = []
    for (const event of events) {
      if (event.action === 'ignore') continue
      const alert = toInboundAlert(event, receipt)
      records.push({ topic: 'alerts.inbound.v1', key: `${alert.tenant_id}|${alert.dedup_key}`, value: codec.encode('InboundAlert', alert) })
    }
    return records
  }

  function parsed(visit: Visit, { integration, source, received_at }: Payload, body: Decoded['body']): ParsedEvent[] {
    const { tenant_id, integration_id, options } = integration
    const warn = (what: string, times: number): void => {
      metrics.warned(what)
      log.warn({ what, count: times, tenant_id, integration_id }, 'a payload left something out')
    }
    const events = source.parse({ body, headers: visit.headers, received_at, options, warn })
    if (events.length <= MOST_ALERTS) return events
    const message = `at most ${MOST_ALERTS} alerts a payload`
    throw new Unparseable({ path: '', rule: 'max', message, limit: MOST_ALERTS, actual: events.length })
  }

  /** From what was decoded to records on the log. */
  function take(visit: Visit, payload: Payload, { body, escaped }: Decoded): void {
    const { integration, source, received_at } = payload
    const { door } = visit
    let events: ParsedEvent[]
    try {
      events = parsed(visit, payload, body)
    } catch (error) {
      reject(visit, payload, failureOf(error))
      return
    }
    count(integration, door.cost?.(events) ?? events.length)
    const records = recordsOf(events, { integration, source, received_at, escaped })
    const outcome = records.length > 0 ? 'accepted' : 'ignored'
    const keep = integration.capture ? keepRaw(visit, payload, { outcome, reason: null, alerts: events.length }) : null
    const taken = (): void => {
      keep?.()
      const told = door.accepted?.({ integration, events, received_at, request_id: visit.id, took: visit.took() })
      visit.tell(told ?? accepted(listed(events, records.length)))
    }
    if (records.length === 0) {
      taken()
      return
    }
    const sent = performance.now()
    append(records).then(
      () => {
        metrics.acknowledged(door.name, records.length, sent)
        taken()
      },
      (error: unknown) => {
        metrics.unacknowledged(records.length)
        if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) log.error({ err: error }, 'the log refused alerts')
        visit.fail(error instanceof QueueFull ? queueFull : noAcknowledgement)
      }
    )
  }

  /** Where something must be asked of others first. */
  function judgeLater(visit: Visit, payload: Payload, decoded: Decoded, refusal: Refusal): void {
    const bytes = visit.hold(payload.bytes)
    if (bytes === null) return
    const held = { ...payload, bytes }
    const { integration, source } = payload
    const ask = async (): Promise<() => void> => {
      const failure = (await refusal) ?? (await visit.door.prepare?.(integration)) ?? null
      const control: Control | null = failure === null ? (source.control?.(decoded.body) ?? null) : null
      const refused = control === null ? failure : await proving.obey(control, integration)
      if (refused !== null) return () => reject(visit, held, refused)
      if (control === null) return () => take(visit, held, decoded)
      return () => {
        count(integration, 1)
        visit.tell(obeyed)
      }
    }
    const then = (work: () => void): void => {
      if (visit.over) return
      visit.release()
      guarded(visit, work)
    }
    ask().then(then, (error: unknown) =>
      guarded(visit, () => {
        throw error
      })
    )
  }

  return {
    judge(visit, integration, source, bytes) {
      const payload: Payload = { integration, source, bytes, received_at: Date.now(), body: undefined }
      let decoded: Decoded
      try {
        decoded = bytes.length === 0 && visit.door.bodiless ? empty : decode(bytes)
        if (visit.door.bodiless) decoded.escaped = true // An address may hold what a body's escapes may.
      } catch (error) {
        reject(visit, payload, failureOf(error))
        return
      }
      const { body } = decoded
      payload.body = body
      payload.source = visit.door.reads?.(body) ?? source
      const { headers } = visit
      const refusal: Refusal =
        proving.refusalAt(payload.source, integration) ??
        proving.refusal(payload.source, integration, { bytes, body, headers, received_at: payload.received_at })
      if (refusal instanceof Promise) judgeLater(visit, payload, decoded, refusal)
      else if (refusal !== null) reject(visit, payload, refusal)
      else if (visit.door.prepare || payload.source.control?.(body)) judgeLater(visit, payload, decoded, null)
      else take(visit, payload, decoded)
    }
  }
}
