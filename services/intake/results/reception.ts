/**
 * Handles a batch of check results, from its headers to its answer: POST /api/v1/prober/results.
 *
 * The checks run in this order, and the first that fails answers: room, announced size, method,
 * token, rate, encoding, size of the body, the bytes, the shape, the workspace. A batch with a
 * wrong shape is refused whole. So is a batch that the token of a private location sends for
 * another workspace than its own. A batch is answered 202 once the log has acknowledged all of it.
 * Every other failure is a 503, and the prober sends the batch again: the status fold handles
 * duplicates and late results. A result whose monitor does not exist, or is not in the workspace
 * that the result names, is dropped and counted. The answer counts it too, because sending it again
 * would change nothing.
 *
 * Answers of failed checks (captures) use the same door and the same checks, in batches of their
 * own. When captures come with results, the results are answered first. A capture that the log does
 * not accept after that is lost, and counted.
 *
 * Source: docs/design/api/prober.md#pr-3, #s16-4 and docs/design/api.md#s21.
 */

import { gunzip } from 'node:zlib'
import type { Codec } from '../../../schemas/codec.ts'
import type { Capture, ResultsBody } from '../../../schemas/http/prober.ts'
import { type Fault, faultOf, isResultsBody } from '../../../schemas/http/results-check.ts'
import { rates } from '../../../schemas/plans.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import type { Credentials, ProberCredential } from '../../credentials/tokens.ts'
import { type Answer, type Failure, methodNotAllowed, unavailable } from '../../http/answer.ts'
import type { App, HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import type { Metrics } from '../../process/metrics.ts'
import { Unavailable } from '../../store/kept-lookups.ts'
import type { MonitorOwnerRow } from '../../store/lookups.ts'
import { decode, Malformed } from '../body.ts'
import { bearer } from '../doors/doors.ts'
import type { DoorMetrics } from '../doors/metrics.ts'
import { crowded, noCredentials, queueFull } from '../doors/refusals.ts'
import { type ExchangeLimits, Exchanges, RatedExchange } from '../exchange.ts'
import { createRates, type Rate } from '../rates.ts'
import { Unparseable } from '../source.ts'
import type { DoorTime } from '../time/door-time.ts'
import type { Watched } from '../watched.ts'
import { keyOf, toCheckCapture } from './capture.ts'
import { type Batch, NoInstant, toCheckResult } from './result.ts'

const PATH = '/api/v1/prober/results'
const MAX_BYTES = 4 * 1024 * 1024
/** Limit for bodies that are inflated at the same time: each may become 4 MiB. */
const MAX_INFLATING = 8

const defaults: ExchangeLimits = {
  requests: 64,
  bodyBytes: MAX_BYTES,
  keptBytes: MAX_BYTES,
  heldBytes: 64 * 1024 * 1024,
  bodyMs: 8000,
  bodyBytesPerSecond: 20 * 1024
}

const perToken: Rate = { windowMs: rates.prober.window_seconds * 1000, limit: rates.prober.limit.free, burst: rates.prober.burst }

/**
 * Results of a location: enough for the checks of the largest plan, and for the results that a
 * prober stored while it was offline.
 */
const perLocation: Rate = { windowMs: 60_000, limit: 120_000, burst: 60_000 }

const unauthenticated: Failure = {
  status: 401,
  code: 'UNAUTHENTICATED',
  error: 'Expected the header "Authorization: Bearer prober_…" with the token of a prober',
  headers: [['WWW-Authenticate', 'Bearer']]
}
const foreignEncoding: Failure = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  error: 'Send the body as it is, or with Content-Encoding: gzip'
}
const notInflated: Failure = { status: 400, code: 'MALFORMED_JSON', error: 'The body is not gzip' }
const inflatedTooLarge: Failure = { status: 413, code: 'BODY_TOO_LARGE', error: `A body has at most ${MAX_BYTES} bytes, inflated` }
const noHeaders: Answer['headers'] = []
const notJson = new Malformed('The body is not a JSON object')
const noMonitors = unavailable('Monitors cannot be looked up at the moment: nothing was stored, send the batch again', 2)
const unconfirmed = unavailable('The log did not acknowledge in time: the results may or may not be stored, send the batch again', 2)

const wrongShape = (path: string, rule: Fault['rule'], message: string): Failure => ({
  status: 422,
  code: 'VALIDATION_FAILED',
  error: path === '' ? `The batch ${message}` : `${path} ${message}`,
  details: [{ path, rule, message }]
})

export interface ResultOptions {
  credentials: Pick<Credentials, 'prober'>
  watched: Pick<Watched, 'monitors'>
  append: Append['append']
  /**
   * The door's time (../time/door-time.ts). Default: the wall clock, which counts as not agreed.
   */
  time?: Pick<DoorTime, 'now' | 'isAgreed'>
  codec: Pick<Codec, 'encode'>
  log: Log
  metrics: ResultMetrics
  doorMetrics: Pick<DoorMetrics, 'answered' | 'left'>
  limits?: Partial<ExchangeLimits>
}

export interface ResultReception {
  receive(response: HttpResponse, request: HttpRequest): void
  inFlight: Exchanges['inFlight']
  close: Exchanges['close']
}

/**
 * The region in the door's counters for every private location. There are many locations, and the
 * operator does not need them one by one.
 */
const PRIVATE = 'private'

export interface ResultMetrics {
  accepted(region: string, results: number): void
  /** Results whose monitor does not exist or belongs to another workspace. */
  dropped(why: 'unknown_monitor' | 'other_workspace'): void
  skewed(): void
  unacknowledged(results: number): void
  /** Answers of failed checks that the log acknowledged (`captured`) or did not. */
  captured(captures: number): void
  capturesLost(captures: number): void
}

export function createResultMetrics(metrics: Metrics): ResultMetrics {
  const accepted = metrics.counter('service_intake_results_total', 'Check results acknowledged by the log', ['region'])
  const dropped = metrics.counter('service_intake_results_dropped_total', 'Check results that are of no workspace', ['reason'])
  const skewed = metrics.counter('service_intake_results_skewed_total', 'Check results scheduled after their receipt')
  const lost = metrics.counter('service_intake_results_unacknowledged_total', 'Check results that the log did not acknowledge')
  const captured = metrics.counter('service_intake_captures_total', 'Answers of failed checks acknowledged by the log')
  const capturesLost = metrics.counter('service_intake_captures_lost_total', 'Answers of failed checks that the log did not acknowledge')
  return {
    accepted: (region, results) => accepted.inc({ region }, results),
    dropped: (reason) => dropped.inc({ reason }),
    skewed: () => skewed.inc(),
    unacknowledged: (results) => lost.inc(results),
    captured: (captures) => captured.inc(captures),
    capturesLost: (captures) => capturesLost.inc(captures)
  }
}

/** One batch under way. */
class ResultExchange extends RatedExchange {
  private prober: ProberCredential | null = null
  private readonly encoding: string

  constructor(
    private readonly results: Results,
    response: HttpResponse,
    request: HttpRequest
  ) {
    super(results.exchanges, 'prober_results', response, request, undefined)
    this.encoding = request.getHeader('content-encoding').toLowerCase()
  }

  protected override start(request: HttpRequest): void {
    if (!this.fits(request)) return
    if (request.getMethod() !== 'post') return void this.fail(methodNotAllowed('POST'))
    const { credentials, log } = this.results.options
    const token = bearer(request.getHeader('authorization'))
    const found = token === '' ? null : credentials.prober(token)
    if (!(found instanceof Promise)) return void this.check(found)
    found.then(
      (prober) => this.guarded(() => void (this.over || this.check(prober))),
      (error: unknown) => {
        if (!(error instanceof Unavailable)) log.error({ err: error, request_id: this.id }, 'a prober token could not be checked')
        this.fail(noCredentials)
      }
    )
  }

  private check(prober: ProberCredential | null): void {
    if (prober === null) return void this.fail(unauthenticated)
    if (!this.within(this.results.tokens.take(prober.token_id, perToken, performance.now()))) return
    if (this.encoding !== '' && this.encoding !== 'identity' && this.encoding !== 'gzip') return void this.fail(foreignEncoding)
    this.prober = prober
    this.awaitBody()
  }

  protected override take(body: Buffer): void {
    const { prober, results } = this
    if (!prober) return
    if (this.encoding === 'gzip') this.inflate(prober, body)
    else results.judge(this, prober, body)
  }

  private inflate(prober: ProberCredential, body: Buffer): void {
    const { results } = this
    if (results.inflating >= MAX_INFLATING) return void this.fail(crowded)
    results.inflating += 1
    gunzip(Buffer.from(body), { maxOutputLength: MAX_BYTES }, (error, inflated) => {
      results.inflating -= 1
      this.guarded(() => {
        if (!error) return results.judge(this, prober, inflated)
        this.fail('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? inflatedTooLarge : notInflated)
      })
    })
  }

  /**
   * Returns false when a location sends more results than it may; then the request has been
   * answered.
   */
  mayBring({ token_id, tenant_id }: ProberCredential, count: number): boolean {
    if (tenant_id === null) return true
    const { admitted, reset_seconds } = this.results.locations.take(token_id, perLocation, performance.now(), count)
    if (admitted) return true
    const error = `More than ${perLocation.limit} results a minute: nothing was stored, try again in ${reset_seconds} s`
    this.fail({ status: 429, code: 'RATE_LIMITED', error, headers: [['Retry-After', String(reset_seconds)]] })
    return false
  }

  /** The whole batch was accepted. */
  accepted(results: number): void {
    this.answer({ status: 202, body: `{"accepted":${results}}`, headers: noHeaders, close: false })
  }
}

class Results implements ResultReception {
  readonly exchanges: Exchanges
  readonly tokens = createRates('prober')
  readonly locations = createRates('location_results')
  readonly inFlight: Exchanges['inFlight']
  readonly close: Exchanges['close']
  inflating = 0

  constructor(readonly options: ResultOptions) {
    this.exchanges = new Exchanges({ limits: { ...defaults, ...options.limits }, log: options.log, metrics: options.doorMetrics })
    this.inFlight = this.exchanges.inFlight
    this.close = this.exchanges.close
  }

  readonly receive = (response: HttpResponse, request: HttpRequest): void => new ResultExchange(this, response, request).receive(request)

  /**
   * Checks the bytes, the shape, and the owners of the monitors. `body` may be invalid after the
   * call.
   */
  judge(exchange: ResultExchange, prober: ProberCredential, body: Buffer): void {
    const { watched, log, time } = this.options
    const received_at = time?.now() ?? Date.now()
    const batch = batchOf(body)
    if (!('results' in batch)) return void exchange.fail(batch)
    const stranger = strangerIn(prober, batch)
    if (stranger) {
      this.options.metrics.dropped('other_workspace')
      return void exchange.fail(stranger)
    }
    const { results, captures = [] } = batch
    if (!exchange.mayBring(prober, results.length + captures.length)) return
    const owners = watched.monitors([...results, ...captures].map(({ monitor_id }) => monitor_id.toLowerCase()))
    if (!(owners instanceof Promise)) return void this.store(exchange, prober, batch, owners, received_at)
    owners.then(
      (found) => exchange.guarded(() => this.store(exchange, prober, batch, found, received_at)),
      (error: unknown) => {
        if (!(error instanceof Unavailable)) log.error({ err: error, request_id: exchange.id }, 'monitors could not be looked up')
        exchange.fail(noMonitors)
      }
    )
  }

  private store(
    exchange: ResultExchange,
    { region, tenant_id }: ProberCredential,
    { instance_id, results, captures = [] }: ResultsBody,
    owners: Owners,
    received_at: number
  ): void {
    const { time, codec, metrics } = this.options
    const from = { region, instance_id, received_at, isAgreed: time?.isAgreed() ?? false }
    const facts = this.records(exchange, 'results', results, owners, (result, owner) => {
      const fact = toCheckResult(result, owner, from)
      if (fact.skewed) metrics.skewed()
      return { topic: 'checks.results.v1', key: fact.monitor_id, value: codec.encode('CheckResult', fact) }
    })
    const kept =
      facts && this.records(exchange, 'captures', captures, owners, (capture, owner) => captureRecord(codec, capture, owner, from))
    if (!facts || !kept) return
    const where = tenant_id === null ? region : PRIVATE
    const isTaken = (): void => {
      if (facts.length > 0) metrics.accepted(where, facts.length)
      else if (kept.length > 0) metrics.captured(kept.length)
      exchange.accepted(results.length + captures.length)
      if (facts.length > 0 && kept.length > 0) this.appendBehind(kept)
    }
    const records = facts.length > 0 ? facts : kept
    if (records.length === 0) return void isTaken()
    this.append(exchange, records, isTaken, () =>
      records === facts ? metrics.unacknowledged(facts.length) : metrics.capturesLost(kept.length)
    )
  }

  /**
   * Returns the records of the items whose monitor is known and in the right workspace. Returns
   * null when a time is invalid; then the request has been answered.
   */
  private records<Item extends { monitor_id: string; tenant_ref: string }>(
    exchange: ResultExchange,
    list: 'results' | 'captures',
    items: readonly Item[],
    owners: Owners,
    toRecord: (item: Item, owner: MonitorOwnerRow) => OutRecord
  ): OutRecord[] | null {
    const { metrics } = this.options
    const records: OutRecord[] = []
    for (const [nth, item] of items.entries()) {
      const owner = owners.get(item.monitor_id.toLowerCase())
      if (!owner) metrics.dropped('unknown_monitor')
      else if (owner.tenant_id !== item.tenant_ref.toLowerCase()) metrics.dropped('other_workspace')
      else {
        try {
          records.push(toRecord(item, owner))
        } catch (error) {
          if (!(error instanceof NoInstant)) throw error
          exchange.fail(wrongShape(`${list}[${nth}].${error.message}`, 'type', 'is no instant'))
          return null
        }
      }
    }
    return records
  }

  private append(exchange: ResultExchange, records: OutRecord[], isTaken: () => void, isLost: () => void): void {
    const { append, log } = this.options
    append(records).then(isTaken, (error: unknown) => {
      isLost()
      if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) log.error({ err: error }, 'the log refused results')
      exchange.fail(error instanceof QueueFull ? queueFull : unconfirmed)
    })
  }

  /** Appends captures that came with results, after the results have been answered. */
  private appendBehind(kept: OutRecord[]): void {
    const { append, log, metrics } = this.options
    append(kept).then(
      () => metrics.captured(kept.length),
      (error: unknown) => {
        metrics.capturesLost(kept.length)
        log.debug({ err: error }, 'answers of failed checks were not kept')
      }
    )
  }
}

type Owners = ReadonlyMap<string, MonitorOwnerRow | null>

function captureRecord(codec: Pick<Codec, 'encode'>, capture: Capture, owner: MonitorOwnerRow, from: Batch): OutRecord {
  const fact = toCheckCapture(capture, owner, from)
  return { topic: 'checks.captures.v1', key: keyOf(fact), value: codec.encode('CheckCapture', fact) }
}

/**
 * Returns the refusal for a batch with an item of another workspace than that of the location's
 * token; otherwise null.
 */
function strangerIn({ tenant_id }: ProberCredential, { results, captures = [] }: ResultsBody): Failure | null {
  if (tenant_id === null) return null
  const isForeign = ({ tenant_ref }: { tenant_ref: string }): boolean => tenant_ref.toLowerCase() !== tenant_id
  const message = 'is not the workspace of this token'
  for (const [list, items] of Object.entries({ results, captures })) {
    const nth = items.findIndex(isForeign)
    const path = `${list}[${nth}].tenant_ref`
    if (nth >= 0) return { status: 403, code: 'FORBIDDEN', error: `${path} ${message}`, details: [{ path, rule: 'tenant', message }] }
  }
  return null
}

function batchOf(body: Buffer): ResultsBody | Failure {
  let batch: unknown
  try {
    if (body.indexOf(123) < 0) throw notJson // {
    batch = decode(body).body
  } catch (error) {
    if (error instanceof Malformed) return { status: 400, code: 'MALFORMED_JSON', error: error.message }
    if (error instanceof Unparseable) return wrongShape('', 'max', `has ${error.message}`)
    throw error
  }
  if (isResultsBody(batch)) return batch
  const { path, rule, message } = faultOf(batch)
  return wrongShape(path, rule, message)
}

export const createResultReception = (options: ResultOptions): ResultReception => new Results(options)

export const openResultDoor = (app: App, reception: ResultReception): void =>
  void app.any(PATH, (response, request) => reception.receive(response, request))
