/**
 * A batch of check results, from its headers to its answer: POST /api/v1/prober/results.
 *
 * Checks come in this order, and the first that fails answers: method, room, size, token, rate, encoding, the bytes, the shape. A batch of a wrong shape is
 * refused whole. Answered 202 once the log has acknowledged all of it; whatever else goes wrong is a 503, and the prober sends the batch again: duplicates and
 * lateness are judged by the status fold. A result of a monitor that does not exist, or of another workspace than it says, can be stored for nobody: it
 * is dropped and counted, and the answer counts it, since sending it again would change nothing.
 * Source: docs/design/api/prober.md#pr-3, #s16-4 and docs/design/api.md#s21.
 */
import { gunzip } from 'node:zlib'
import type { Codec } from '../../../schemas/codec.ts'
import type { ResultsBody } from '../../../schemas/http/prober.ts'
import { type Fault, faultOf, isResultsBody } from '../../../schemas/http/results-check.ts'
import { rates } from '../../../schemas/plans.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import type { Credentials, ProberCredential } from '../../credentials/tokens.ts'
import { type Failure, methodNotAllowed, unavailable } from '../../http/answer.ts'
import type { App, HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import type { Metrics } from '../../process/metrics.ts'
import { Unavailable } from '../../store/kept-lookups.ts'
import type { MonitorOwnerRow } from '../../store/lookups.ts'
import { decode, Malformed } from '../body.ts'
import { bearer } from '../doors/doors.ts'
import type { DoorMetrics } from '../doors/metrics.ts'
import { noCredentials, queueFull } from '../doors/refusals.ts'
import { createRates, type Rate } from '../rates.ts'
import { Unparseable } from '../source.ts'
import { createVisits, crowded, rateLimited, type Visit, type VisitLimits, type Visits } from '../visits.ts'
import type { Watched } from '../watched.ts'
import { NoInstant, toCheckResult } from './result.ts'

const PATH = '/api/v1/prober/results'
const MOST_BYTES = 4 * 1024 * 1024
/** Bodies that are being inflated at once: each may become 4 MiB. */
const MOST_INFLATING = 8

const defaults: VisitLimits = {
  requests: 64,
  bodyBytes: MOST_BYTES,
  keptBytes: MOST_BYTES,
  heldBytes: 64 * 1024 * 1024,
  bodyMs: 8000,
  bodyBytesPerSecond: 20 * 1024
}

const perToken: Rate = { windowMs: rates.prober.window_seconds * 1000, limit: rates.prober.limit.free, burst: rates.prober.burst }

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
const inflatedTooLarge: Failure = { status: 413, code: 'BODY_TOO_LARGE', error: `A body has at most ${MOST_BYTES} bytes, inflated` }
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
  codec: Pick<Codec, 'encode'>
  log: Log
  metrics: ResultMetrics
  doorMetrics: Pick<DoorMetrics, 'answered' | 'left'>
  limits?: Partial<VisitLimits>
}

export interface ResultReception {
  receive(response: HttpResponse, request: HttpRequest): void
  inFlight: Visits['inFlight']
  close: Visits['close']
}

export interface ResultMetrics {
  accepted(region: string, results: number): void
  /** Results of monitors that do not exist, or of another workspace. */
  dropped(why: 'unknown_monitor' | 'other_workspace'): void
  skewed(): void
  unacknowledged(results: number): void
}

export function createResultMetrics(metrics: Metrics): ResultMetrics {
  const accepted = metrics.counter('service_intake_results_total', 'Check results acknowledged by the log', ['region'])
  const dropped = metrics.counter('service_intake_results_dropped_total', 'Check results that are of no workspace', ['reason'])
  const skewed = metrics.counter('service_intake_results_skewed_total', 'Check results scheduled after their receipt')
  const lost = metrics.counter('service_intake_results_unacknowledged_total', 'Check results that the log did not acknowledge')
  return {
    accepted: (region, results) => accepted.inc({ region }, results),
    dropped: (reason) => dropped.inc({ reason }),
    skewed: () => skewed.inc(),
    unacknowledged: (results) => lost.inc(results)
  }
}

export function createResultReception(options: ResultOptions): ResultReception {
  const { credentials, watched, append, codec, log, metrics } = options
  const limits = { ...defaults, ...options.limits }
  const visits = createVisits({ door: 'prober_results', limits, headers: '', log, metrics: options.doorMetrics })
  const tokens = createRates('prober')
  let inflating = 0

  function admit(visit: Visit, prober: ProberCredential | null, encoding: string): void {
    if (prober === null) {
      visit.fail(unauthenticated)
      return
    }
    const standing = tokens.take(prober.token_id, perToken, performance.now())
    visit.rated(standing)
    if (!standing.admitted) {
      visit.fail(rateLimited(standing))
      return
    }
    if (encoding === '' || encoding === 'identity') {
      visit.onBody((body) => read(visit, prober, body))
      return
    }
    if (encoding !== 'gzip') {
      visit.fail(foreignEncoding)
      return
    }
    visit.onBody((body) => inflate(visit, prober, body))
  }

  function inflate(visit: Visit, prober: ProberCredential, body: Buffer): void {
    if (inflating >= MOST_INFLATING) {
      visit.fail(crowded)
      return
    }
    inflating += 1
    gunzip(Buffer.from(body), { maxOutputLength: MOST_BYTES }, (error, inflated) => {
      inflating -= 1
      visits.guarded(visit, () => {
        if (!error) return read(visit, prober, inflated)
        visit.fail('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? inflatedTooLarge : notInflated)
      })
    })
  }

  /** `body` may be gone after the call. */
  function read(visit: Visit, prober: ProberCredential, body: Buffer): void {
    const received_at = Date.now()
    let batch: unknown
    try {
      if (body.indexOf(123) < 0) throw notJson // {
      batch = decode(body).body
    } catch (error) {
      if (error instanceof Malformed) {
        visit.fail({ status: 400, code: 'MALFORMED_JSON', error: error.message })
        return
      }
      if (error instanceof Unparseable) {
        visit.fail(wrongShape('', 'max', `has ${error.message}`))
        return
      }
      throw error
    }
    if (!isResultsBody(batch)) {
      const { path, rule, message } = faultOf(batch)
      visit.fail(wrongShape(path, rule, message))
      return
    }
    const shaped = batch
    const owners = watched.monitors(shaped.results.map(({ monitor_id }) => monitor_id.toLowerCase()))
    if (!(owners instanceof Promise)) {
      store(visit, prober, shaped, owners, received_at)
      return
    }
    owners.then(
      (found) => visits.guarded(visit, () => store(visit, prober, shaped, found, received_at)),
      (error: unknown) => {
        if (!(error instanceof Unavailable)) log.error({ err: error, request_id: visit.id }, 'monitors could not be looked up')
        visit.fail(noMonitors)
      }
    )
  }

  function store(
    visit: Visit,
    { region }: ProberCredential,
    { instance_id, results }: ResultsBody,
    owners: ReadonlyMap<string, MonitorOwnerRow | null>,
    received_at: number
  ): void {
    const records: OutRecord[] = []
    for (const [nth, result] of results.entries()) {
      const owner = owners.get(result.monitor_id.toLowerCase())
      if (!owner) metrics.dropped('unknown_monitor')
      else if (owner.tenant_id !== result.tenant_ref.toLowerCase()) metrics.dropped('other_workspace')
      else {
        try {
          const fact = toCheckResult(result, owner, { region, instance_id, received_at })
          if (fact.skewed) metrics.skewed()
          records.push({ topic: 'checks.results.v1', key: fact.monitor_id, value: codec.encode('CheckResult', fact) })
        } catch (error) {
          if (!(error instanceof NoInstant)) throw error
          visit.fail(wrongShape(`results[${nth}].${error.message}`, 'type', 'is no instant'))
          return
        }
      }
    }
    const accepted = `{"accepted":${results.length}}`
    if (records.length === 0) {
      visit.answer(202, 'application/json', accepted)
      return
    }
    append(records).then(
      () => {
        metrics.accepted(region, records.length)
        visit.answer(202, 'application/json', accepted)
      },
      (error: unknown) => {
        metrics.unacknowledged(records.length)
        if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) log.error({ err: error }, 'the log refused results')
        visit.fail(error instanceof QueueFull ? queueFull : unconfirmed)
      }
    )
  }

  return {
    receive(response, request) {
      visits.receive(response, request, (visit) => {
        if (request.getMethod() !== 'post') return visit.fail(methodNotAllowed('POST'))
        const token = bearer(request.getHeader('authorization'))
        const encoding = request.getHeader('content-encoding').toLowerCase()
        const check = token === '' ? null : credentials.prober(token)
        if (!(check instanceof Promise)) return admit(visit, check, encoding)
        check.then(
          (prober) => visits.guarded(visit, () => void (!visit.over() && admit(visit, prober, encoding))),
          (error: unknown) => {
            if (!(error instanceof Unavailable)) log.error({ err: error, request_id: visit.id }, 'a prober token could not be checked')
            visit.fail(noCredentials)
          }
        )
      })
    },
    inFlight: visits.inFlight,
    close: visits.close
  }
}

export const openResultDoor = (app: App, reception: ResultReception): void =>
  void app.any(PATH, (response, request) => reception.receive(response, request))
