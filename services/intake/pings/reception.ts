/**
 * One ping at the door, from its address to its answer.
 *
 * Checks come in this order, and the first that fails answers: address, method, run id, room, size, token, rate of the heartbeat and of its workspace, an open
 * door. A ping counts at the instant at which the door had read it, and is answered 200 once the log has acknowledged it; a ping of a paused heartbeat
 * too, since what a pause means is the fold's business. The order of appending is the order of reading. When the log fails, pings/gap.ts has the word.
 * Source: docs/design/api/heartbeats.md#s4-3, docs/design/api.md#s21, docs/design/api/decision-rules.md#s23-10.
 */
import type { Codec } from '../../../schemas/codec.ts'
import type { HeartbeatPing } from '../../../schemas/generated/events.ts'
import { pingsPerWorkspace, planOf, rates } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { type Append, OutcomeUnknown, QueueFull } from '../../../streams/runtime/stream.ts'
import { type Failure, methodNotAllowed, notFound, send, unavailable } from '../../http/answer.ts'
import { idOf } from '../../http/request-id.ts'
import { addressOf, type SenderAddress } from '../../http/sender-address.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import { Unavailable } from '../../store/kept-lookups.ts'
import type { PingedRow } from '../../store/lookups.ts'
import type { DoorMetrics } from '../doors/metrics.ts'
import { retentionDays } from '../normalise.ts'
import { createRates, type Rate, type RateStanding } from '../rates.ts'
import { createVisits, rateLimited, type Visit, type VisitLimits, type Visits, type Wording } from '../visits.ts'
import type { Watched } from '../watched.ts'
import type { GapKeeper } from './gap.ts'
import type { PingMetrics } from './metrics.ts'
import { clientAt, excerptOfBody, MOST_BYTES, type Pinged, pingedBy, runOf } from './ping.ts'
import { KEPT_BYTES } from './redact.ts'
import { agentOf, classOf } from './senders.ts'

const defaults: VisitLimits = {
  requests: 12_000,
  bodyBytes: MOST_BYTES,
  keptBytes: KEPT_BYTES,
  heldBytes: 48 * 1024 * 1024,
  bodyMs: 8000,
  bodyBytesPerSecond: 20 * 1024
}

const METHODS = 'GET, HEAD, POST'
const CORS = '\r\nAccess-Control-Allow-Origin: *\r\nPing-Body-Limit: 102400'
const preflight = `\r\nVary: Origin${CORS}\r\nAccess-Control-Allow-Methods: ${METHODS}\r\nAccess-Control-Allow-Headers: *\r\nAccess-Control-Max-Age: 86400`

const perHeartbeat: Rate = { windowMs: rates.ping.window_seconds * 1000, limit: rates.ping.limit.free, burst: rates.ping.burst }
const workspaceRates = new Map<string, Rate>()
/** All of a minute may come at once: jobs start at the full minute. */
function workspaceRate(plan: string): Rate {
  const known = workspaceRates.get(plan)
  if (known) return known
  const limit = pingsPerWorkspace[planOf(plan).id]
  const rate = { windowMs: 60_000, limit, burst: limit }
  workspaceRates.set(plan, rate)
  return rate
}

const shut = unavailable('The log cannot be written at the moment: the ping was not taken, nothing is missed for it, try again', 2)
const notLookedUp = unavailable('Ping addresses cannot be looked up at the moment: try again', 2)
const unconfirmed = unavailable('The log did not acknowledge in time: the ping may or may not be stored, sending it again is safe', 2)
const malformed = (error: string): Failure => ({ status: 400, code: 'MALFORMED_REQUEST', error })

export interface PingOptions {
  watched: Pick<Watched, 'heartbeat'>
  append: Append['append']
  gap: GapKeeper
  codec: Pick<Codec, 'encode'>
  /** Name of this door. */
  instance: string
  senderAddress: SenderAddress
  log: Log
  metrics: PingMetrics
  doorMetrics: Pick<DoorMetrics, 'answered' | 'left'>
  limits?: Partial<VisitLimits>
}

/** Another door at which pings arrive. */
export interface PingDoor {
  /** Whom the ping is for, null for nobody; or why it is refused. Rejects with Unavailable where nobody can say. */
  find(): Found | Promise<Found>
  unknown: Failure
  /** The answer to a ping that is on the log. */
  accepted(visit: Visit): void
  wording: Wording
}
export type Found = PingedRow | Failure | null

export interface PingReception {
  receive(response: HttpResponse, request: HttpRequest): void
  /** A success by GET or POST, at a door that reads its address itself. */
  receiveAt(door: PingDoor, response: HttpResponse, request: HttpRequest): void
  inFlight: Visits['inFlight']
  close: Visits['close']
}

/** What of a ping stands in its headers, address and query. */
type Said = Pick<HeartbeatPing, 'kind' | 'exit_code' | 'run_id' | 'client_at' | 'method' | 'source_class' | 'user_agent'>

type Answers = Pick<PingDoor, 'unknown' | 'accepted'>
const own: Answers = { unknown: notFound, accepted: (visit) => visit.answer(200, 'text/plain', 'OK') }

export function createPingReception(options: PingOptions): PingReception {
  const { watched, append, gap, codec, instance, senderAddress, log, metrics } = options
  const limits = { ...defaults, ...options.limits }
  const visits = createVisits({ door: 'ping', limits, headers: CORS, log, metrics: options.doorMetrics })
  const heartbeats = createRates('ping')
  const workspaces = createRates('ping')

  function rate({ heartbeat_id, tenant_id, plan }: PingedRow): RateStanding {
    const now = performance.now()
    const own = heartbeats.take(heartbeat_id, perHeartbeat, now)
    if (!own.admitted) return own
    const all = workspaces.take(tenant_id, workspaceRate(plan), now)
    return all.admitted ? own : all
  }

  /** The ping is whole: onto the log. `kept` is gone after the call. */
  function take(visit: Visit, heartbeat: PingedRow, said: Said, answers: Answers, kept: Buffer, bytes: number): void {
    const received_at = Date.now()
    if (!gap.isOpen()) {
      metrics.ping(said.kind, 'gap')
      visit.fail(shut)
      return
    }
    const { tenant_id, heartbeat_id, team_id, visibility, plan, paused } = heartbeat
    const value = codec.encode('HeartbeatPing', {
      event_id: uuidv7(received_at),
      tenant_id,
      heartbeat_id,
      kind: said.kind,
      exit_code: said.exit_code,
      run_id: said.run_id,
      received_at,
      client_at: said.client_at,
      method: said.method,
      source_class: said.source_class,
      user_agent: said.user_agent,
      body_bytes: bytes,
      body_excerpt: excerptOfBody(kept, kept.length === bytes),
      instance,
      team_id,
      visibility,
      retention_days: retentionDays(plan)
    })
    append([{ topic: 'heartbeat.pings.v1', key: heartbeat_id, value }]).then(
      () => {
        metrics.ping(said.kind, paused ? 'paused' : 'accepted')
        answers.accepted(visit)
      },
      (error: unknown) => {
        if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) log.error({ err: error }, 'the log refused a ping')
        gap.notConfirmed(received_at, error)
        metrics.ping(said.kind, 'unconfirmed')
        visit.fail(error instanceof QueueFull ? shut : unconfirmed)
      }
    )
  }

  function admit(visit: Visit, heartbeat: Found, said: Said, answers: Answers): void {
    if (heartbeat === null || 'status' in heartbeat) {
      metrics.ping(said.kind, 'unknown')
      visit.fail(heartbeat ?? answers.unknown)
      return
    }
    const standing = rate(heartbeat)
    visit.rated(standing)
    if (!standing.admitted) {
      metrics.ping(said.kind, 'limited')
      visit.fail(rateLimited(standing))
      return
    }
    visit.onBody((kept, bytes) => take(visit, heartbeat, said, answers, kept, bytes))
  }

  function begin(visit: Visit, pinged: Pinged, method: string, response: HttpResponse, request: HttpRequest): void {
    // What is absent is undefined here, whatever the server's types say.
    const asked = Boolean(request.getQuery())
    const run_id = asked ? runOf(request.getQuery('rid') || '') : null
    if (run_id !== null && typeof run_id !== 'string') {
      visit.fail(malformed(run_id.error))
      return
    }
    const said: Said = {
      ...saidBy(method, response, request),
      kind: pinged.kind,
      exit_code: pinged.exit_code,
      run_id,
      client_at: asked ? clientAt(request.getQuery('ts') || '') : null
    }
    meet(visit, watched.heartbeat(pinged.by, pinged.key), said, own)
  }

  function saidBy(method: string, response: HttpResponse, request: HttpRequest): Pick<Said, 'method' | 'source_class' | 'user_agent'> {
    return {
      method,
      source_class: classOf(addressOf(senderAddress, response, request.getHeader('x-forwarded-for'))),
      user_agent: agentOf(request.getHeader('user-agent'))
    }
  }

  function meet(visit: Visit, found: Found | Promise<Found>, said: Said, answers: Answers): void {
    if (!(found instanceof Promise)) {
      admit(visit, found, said, answers)
      return
    }
    found.then(
      (heartbeat) => visits.guarded(visit, () => void (!visit.over() && admit(visit, heartbeat, said, answers))),
      (error: unknown) => {
        if (!(error instanceof Unavailable)) log.error({ err: error, request_id: visit.id }, 'a ping address could not be looked up')
        metrics.ping(said.kind, 'no_credentials')
        if (!(error instanceof Unavailable && error.crowded)) gap.notLookedUp(Date.now())
        visit.fail(notLookedUp)
      }
    )
  }

  return {
    receive(response, request) {
      visits.receive(response, request, (visit) => {
        const pinged = pingedBy(request.getUrl())
        if (pinged === null) return visit.fail(notFound)
        if ('error' in pinged) return visit.fail(malformed(pinged.error))
        const method = request.getMethod().toUpperCase()
        if (method === 'GET' || method === 'POST' || method === 'HEAD') return begin(visit, pinged, method, response, request)
        visit.fail(methodNotAllowed(METHODS))
      })
    },
    receiveAt(door, response, request) {
      const handle = (visit: Visit): void => {
        const said = saidBy(request.getMethod().toUpperCase(), response, request)
        meet(visit, door.find(), { ...said, kind: 'success', exit_code: null, run_id: null, client_at: null }, door)
      }
      visits.receive(response, request, handle, door.wording)
    },
    inFlight: visits.inFlight,
    close: visits.close
  }
}

/** Asked by browsers before a ping with headers of its own. */
export function answerPreflight(response: HttpResponse, request: HttpRequest): void {
  send(response, 204, idOf(request), preflight)
}
