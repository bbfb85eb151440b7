/**
 * Handles one ping, from its address to its answer.
 *
 * The checks run in this order, and the first that fails answers: room, announced size, address,
 * method, run id, token, method of the heartbeat, rate of the heartbeat and of its workspace, size
 * of the body, an open door. The words of its body may decide what a ping means (body-rules.ts).
 *
 * A ping counts at the moment when the door has read it, and is answered 200 once the log has
 * acknowledged it. This also holds for a ping of a paused heartbeat, because the fold decides what
 * a pause means. Pings are appended in the order in which they are read. When the log fails,
 * pings/gap.ts decides.
 *
 * Source: docs/design/api/heartbeats.md#s4-3, docs/design/api.md#s21,
 * docs/design/api/decision-rules.md#s23-10.
 */

import type { Codec } from '../../../schemas/codec.ts'
import type { HeartbeatPing } from '../../../schemas/generated/events.ts'
import { pingsPerWorkspace, planOf, rates } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { type Append, OutcomeUnknown, QueueFull } from '../../../streams/runtime/stream.ts'
import { type Answer, accepted, type Failure, methodNotAllowed, notFound, send, unavailable } from '../../http/answer.ts'
import { idOf } from '../../http/request-id.ts'
import { addressOf, type SenderAddress } from '../../http/sender-address.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import type { Log } from '../../process/log.ts'
import { Unavailable } from '../../store/kept-lookups.ts'
import type { PingedRow } from '../../store/lookups.ts'
import type { DoorMetrics } from '../doors/metrics.ts'
import { type ExchangeLimits, Exchanges, RatedExchange, type Wording } from '../exchange.ts'
import { retentionDays } from '../normalise.ts'
import { createRates, type Rate, type RateStanding, type Rates } from '../rates.ts'
import type { Watched } from '../watched.ts'
import { hasRules, kindByBody } from './body-rules.ts'
import type { GapKeeper } from './gap.ts'
import type { PingMetrics } from './metrics.ts'
import { clientAt, excerptOfBody, MAX_BYTES, type Pinged, pingedBy, READ_BYTES, runOf } from './ping.ts'
import { KEPT_BYTES } from './redact.ts'
import { agentOf, classOf } from './senders.ts'

const defaults: ExchangeLimits = {
  requests: 12_000,
  bodyBytes: MAX_BYTES,
  keptBytes: KEPT_BYTES,
  heldBytes: 48 * 1024 * 1024,
  bodyMs: 8000,
  bodyBytesPerSecond: 20 * 1024
}

const METHODS = 'GET, HEAD, POST'
const CORS = `\r\nAccess-Control-Allow-Origin: *\r\nPing-Body-Limit: ${READ_BYTES}`
const preflight = `\r\nVary: Origin${CORS}\r\nAccess-Control-Allow-Methods: ${METHODS}\r\nAccess-Control-Allow-Headers: *\r\nAccess-Control-Max-Age: 86400`

const perHeartbeat: Rate = { windowMs: rates.ping.window_seconds * 1000, limit: rates.ping.limit.free, burst: rates.ping.burst }
const workspaceRates = new Map<string, Rate>()
/** The burst allows all pings of a minute at once, because jobs start at the full minute. */
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
  /** The door's time, epoch ms (time/door-time.ts). Default: the wall clock. */
  now?: () => number
  codec: Pick<Codec, 'encode'>
  /** Name of this door. */
  instance: string
  senderAddress: SenderAddress
  log: Log
  metrics: PingMetrics
  doorMetrics: Pick<DoorMetrics, 'answered' | 'left'>
  limits?: Partial<ExchangeLimits>
}

/** Another door that receives pings. */
export interface PingDoor {
  /**
   * Returns the heartbeat of the ping, null when there is none, or the refusal. Rejects with
   * Unavailable when the lookup is not possible.
   */
  find(): Found | Promise<Found>
  unknown: Failure
  /** The answer to a ping that the log has accepted; `took` is in seconds. */
  accepted(request_id: string, took: number): Answer
  wording: Wording
}
export type Found = PingedRow | Failure | null

export interface PingReception {
  receive(response: HttpResponse, request: HttpRequest): void
  /**
   * Receives a ping that means success at a door that reads its address and its method itself. PUT
   * and PATCH count as POST.
   */
  receiveAt(door: PingDoor, response: HttpResponse, request: HttpRequest): void
  inFlight: Exchanges['inFlight']
  close: Exchanges['close']
}

/** What the headers, address and query of a ping say. */
type Said = Pick<HeartbeatPing, 'kind' | 'exit_code' | 'run_id' | 'client_at' | 'method' | 'source_class' | 'user_agent'>

const pong = accepted('OK')

/** The ping says only that it arrived, and has a body. */
const mayHaveWords = ({ kind, method }: Said): boolean => kind === 'success' && method === 'POST'
const readsBody = (said: Said, { body_rules }: PingedRow): boolean => mayHaveWords(said) && hasRules(body_rules)

/** A ping under way. */
class PingExchange extends RatedExchange {
  /** Known, and within its rate. */
  private heartbeat: PingedRow | null = null
  private said: Said | null = null

  constructor(
    private readonly pings: Pings,
    /** null: one of the doors for pings. */
    private readonly door: PingDoor | null,
    response: HttpResponse,
    request: HttpRequest
  ) {
    super(pings.exchanges, 'ping', response, request, door?.wording)
  }

  protected override start(request: HttpRequest): void {
    if (!this.fits(request)) return
    if (this.door) {
      this.said = { ...this.sender(request), kind: 'success', exit_code: null, run_id: null, client_at: null }
      this.meet(this.said, this.door.find())
      return
    }
    const pinged = pingedBy(request.getUrl())
    if (pinged === null) return void this.fail(notFound)
    if ('error' in pinged) return void this.fail(malformed(pinged.error))
    const method = request.getMethod()
    if (method !== 'get' && method !== 'post' && method !== 'head') return void this.fail(methodNotAllowed(METHODS))
    this.find(pinged, request)
  }

  private find(pinged: Pinged, request: HttpRequest): void {
    // A missing parameter is undefined here, although the server's types say otherwise.
    const asked = Boolean(request.getQuery())
    const run_id = asked ? runOf(request.getQuery('rid') || '') : null
    if (run_id !== null && typeof run_id !== 'string') return void this.fail(malformed(run_id.error))
    const client_at = asked ? clientAt(request.getQuery('ts') || '') : null
    this.said = { ...this.sender(request), kind: pinged.kind, exit_code: pinged.exit_code, run_id, client_at }
    this.meet(this.said, this.pings.watched.heartbeat(pinged.by, pinged.key))
  }

  private sender(request: HttpRequest): Pick<Said, 'method' | 'source_class' | 'user_agent'> {
    const method = request.getMethod().toUpperCase()
    return {
      method: method === 'PUT' || method === 'PATCH' ? 'POST' : method,
      source_class: classOf(addressOf(this.pings.senderAddress, this.response, request.getHeader('x-forwarded-for'))),
      user_agent: agentOf(request.getHeader('user-agent'))
    }
  }

  private meet(said: Said, found: Found | Promise<Found>): void {
    if (!(found instanceof Promise)) return void this.check(said, found)
    found.then(
      (heartbeat) => this.guarded(() => void (this.over || this.check(said, heartbeat))),
      (error: unknown) => {
        const { log, metrics, gap } = this.pings
        if (!(error instanceof Unavailable)) log.error({ err: error, request_id: this.id }, 'a ping address could not be looked up')
        metrics.ping(said.kind, 'no_credentials')
        if (!(error instanceof Unavailable && error.crowded)) gap.notLookedUp(this.pings.now())
        this.fail(notLookedUp)
      }
    )
  }

  private check(said: Said, heartbeat: Found): void {
    if (heartbeat === null || 'status' in heartbeat) {
      this.pings.metrics.ping(said.kind, 'unknown')
      return void this.fail(heartbeat ?? this.door?.unknown ?? notFound)
    }
    if (!heartbeat.allowed_methods.includes(said.method)) {
      this.pings.metrics.ping(said.kind, 'method')
      return void this.fail(methodNotAllowed(heartbeat.allowed_methods.join(', ')))
    }
    if (!this.within(this.pings.rate(heartbeat))) return void this.pings.metrics.ping(said.kind, 'limited')
    this.heartbeat = heartbeat
    if (!this.keepLess() || !this.belongsTo(heartbeat.tenant_id)) return
    if (!this.isTooLarge(this.announced)) this.awaitBody()
  }

  protected override take(kept: Buffer): void {
    const { said, heartbeat } = this
    if (!said || !heartbeat) return
    const kind = readsBody(said, heartbeat) ? kindByBody(heartbeat.body_rules, kept) : said.kind
    this.pings.append(this, heartbeat, { ...said, kind }, kept.subarray(0, this.all.limits.keptBytes))
  }

  /** The body is held when its words count, or when it is not yet known whether they do. */
  protected override mostKept(): number {
    const { said, heartbeat } = this
    const reads = said !== null && (heartbeat === null ? mayHaveWords(said) : readsBody(said, heartbeat))
    return reads ? READ_BYTES : super.mostKept()
  }

  /** Where words count, all of the body must be read: its end may tell of a failure. */
  protected override mostBytes(): number {
    const { said, heartbeat } = this
    return said && heartbeat && readsBody(said, heartbeat) ? READ_BYTES : super.mostBytes()
  }

  /** Answers a ping that the log has accepted. */
  accepted(): void {
    if (this.door) this.answer(this.door.accepted(this.id, this.took()))
    else this.answer(pong, this.standing(), 'text/plain')
  }
}

class Pings implements PingReception {
  readonly exchanges: Exchanges
  readonly watched: PingOptions['watched']
  readonly gap: GapKeeper
  readonly now: () => number
  readonly senderAddress: SenderAddress
  readonly log: Log
  readonly metrics: PingMetrics
  readonly inFlight: Exchanges['inFlight']
  readonly close: Exchanges['close']
  private readonly options: PingOptions
  private readonly heartbeats: Rates = createRates('ping')
  private readonly workspaces: Rates = createRates('ping')

  constructor(options: PingOptions) {
    const limits = { ...defaults, ...options.limits }
    this.exchanges = new Exchanges({ limits, headers: CORS, log: options.log, metrics: options.doorMetrics })
    this.options = options
    this.watched = options.watched
    this.gap = options.gap
    this.now = options.now ?? Date.now
    this.senderAddress = options.senderAddress
    this.log = options.log
    this.metrics = options.metrics
    this.inFlight = this.exchanges.inFlight
    this.close = this.exchanges.close
  }

  readonly receive = (response: HttpResponse, request: HttpRequest): void =>
    new PingExchange(this, null, response, request).receive(request)

  readonly receiveAt = (door: PingDoor, response: HttpResponse, request: HttpRequest): void =>
    new PingExchange(this, door, response, request).receive(request)

  rate({ heartbeat_id, tenant_id, plan }: PingedRow): RateStanding {
    const now = performance.now()
    const own = this.heartbeats.take(heartbeat_id, perHeartbeat, now)
    if (!own.admitted) return own
    const all = this.workspaces.take(tenant_id, workspaceRate(plan), now)
    return all.admitted ? own : all
  }

  /** Appends a complete ping to the log. `kept` is invalid after the call. */
  append(exchange: PingExchange, heartbeat: PingedRow, said: Said, kept: Buffer): void {
    const { gap, log, metrics } = this
    const { append, codec, instance } = this.options
    const received_at = this.now()
    const at = performance.now()
    if (!gap.isOpen()) {
      metrics.ping(said.kind, 'gap')
      return void exchange.fail(shut)
    }
    const { tenant_id, heartbeat_id, team_id, visibility, plan, paused, body_excerpt_chars } = heartbeat
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
      body_bytes: exchange.bytes,
      body_excerpt: body_excerpt_chars === 0 ? null : excerptOfBody(kept, kept.length === exchange.bytes, body_excerpt_chars),
      instance,
      team_id,
      visibility,
      retention_days: retentionDays(plan)
    })
    append([{ topic: 'heartbeat.pings.v1', key: heartbeat_id, value }]).then(
      () => {
        metrics.ping(said.kind, paused ? 'paused' : 'accepted')
        exchange.accepted()
      },
      (error: unknown) => {
        if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) log.error({ err: error }, 'the log refused a ping')
        gap.notConfirmed(received_at, error, at)
        metrics.ping(said.kind, 'unconfirmed')
        exchange.fail(error instanceof QueueFull ? shut : unconfirmed)
      }
    )
  }
}

export const createPingReception = (options: PingOptions): PingReception => new Pings(options)

/** Answers the preflight request that browsers send before a ping with custom headers. */
export function answerPreflight(response: HttpResponse, request: HttpRequest): void {
  send(response, 204, idOf(request), preflight)
}
