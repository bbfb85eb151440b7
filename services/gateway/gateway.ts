/**
 * The WebSocket door: GET /api/v1/ws upgrades, GET /health, nothing else.
 *
 * A handshake goes: credential (401, 403, 503; 429 where its address was refused too often) → admission (1,500 upgrades/s an instance, else 503) → connects a
 * minute of its workspace (429) → upgrade. So who is refused takes from nobody else's share. What a browser's script must be able to tell apart comes after the upgrade, as a close code: an unknown channel, too many open sockets.
 * The query holds a token, so no URL is logged. Source: docs/design/api/realtime.md#s15, #rm-1 and docs/design/api.md#s21, docs/design/streaming.md#s5-1.
 */
import { rates } from '../../schemas/plans.ts'
import type { StreamClient } from '../../streams/runtime/stream.ts'
import type { Credentials } from '../credentials/tokens.ts'
import { accepted, type Failure, failed, JSON_TYPE, linesOf, send, tell, unavailable } from '../http/answer.ts'
import { health } from '../http/health.ts'
import { senderOf } from '../http/networks.ts'
import { originsOf } from '../http/origins.ts'
import { Bucket, KeyedBuckets, rateHeaders } from '../http/rate-buckets.ts'
import { idOf } from '../http/request-id.ts'
import { createSenderAddress, type SenderAddress } from '../http/sender-address.ts'
import { createStrangers, TooManyStrangers } from '../http/strangers.ts'
import { createApp, type HandshakeResponse, type HttpRequest, type HttpResponse, type Socket, type UpgradeContext } from '../http/uws.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { parseChannels } from './channels.ts'
import { startFanOut } from './fan-out.ts'
import { type Ask, type Handshake, type Holder, identify, isRefusal, type Verdict } from './identify.ts'
import { createSockets, MOST_MESSAGE_BYTES, MOST_QUEUED_BYTES, newSeat, type PingOptions, type Seat } from './sockets.ts'

export interface GatewayOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  publicUrl: string
  /** Further host names that lead here. */
  domains?: readonly string[]
  /** Networks of proxies in front. */
  trustedProxies: readonly string[]
  credentials: Credentials
  stream: Pick<StreamClient, 'clusterId' | 'follow' | 'partitionOf'>
  logger: Log
  metrics: Metrics
  /** Default 30 slots of 1 s. */
  ping?: PingOptions
  upgradesPerSecond?: number
  /** How long closing spreads over, at most. */
  spreadMs?: number
  askAgainMs?: number
  /** How often it looks which credentials have run out; default 1 s. */
  expiryMs?: number
  /** The clock that credentials end by, epoch ms. */
  now?: () => number
  /** How long the start waits for frames to flow; sockets opened before hear `stale`. */
  startMs?: number
}

export interface Gateway {
  port: number
  sockets(): number
  ready(): { gateway: boolean; frames: boolean; credentials: boolean }
  close(): Promise<void>
}

const stopping = unavailable('This instance is stopping', 1)

const notFound: Failure = { status: 404, code: 'NOT_FOUND', error: 'There is nothing here; WebSockets are at /api/v1/ws' }

const addressOf = (response: HttpResponse, request: HttpRequest, senderAddress: SenderAddress): string =>
  senderAddress(Buffer.from(response.getRemoteAddressAsText()).toString('latin1'), request.getHeader('x-forwarded-for'))

/** A refusal ends its connection. `request` is gone by then. */
const refuse = (response: HttpResponse, requestId: string, failure: Failure): void => {
  const { status, body, headers } = failed(failure, requestId)
  send(response, status, requestId, JSON_TYPE + linesOf(headers), body, true)
}

/**
 * Runs an upgrade after its handler has returned. The response must not be corked for it: uWebSockets 20.30 then takes the new socket's memory for the
 * response's, and one time in two closes what it has just opened (uNetworking/uWebSockets 1929). While another socket is corked, cork() calls the
 * upgrade and nothing else; without any other the server prints warnings that writes were not corked.
 */
function besides(other: Socket<Seat> | undefined, response: HttpResponse, upgrade: () => void): void {
  if (other) other.cork(() => response.cork(upgrade))
  else upgrade()
}

/** Resolves when it listens; Kafka may be away meanwhile. Rejects when the port is taken. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const {
    credentials,
    logger,
    metrics,
    ping = { slots: 30, slotMs: 1000 },
    upgradesPerSecond = 1500,
    spreadMs = 3000,
    askAgainMs = 1000,
    expiryMs = 1000,
    now = Date.now
  } = options
  const refusals = metrics.counter('service_gateway_upgrades_refused_total', 'Handshakes refused, by code', ['code'])
  const origins = originsOf({ publicUrl: options.publicUrl, domains: options.domains ?? [] })
  const senderAddress = createSenderAddress(options.trustedProxies)
  const app = createApp()
  const fanOut = startFanOut({
    stream: options.stream,
    publish: (topic, message) => app.publish(topic, message, false),
    measure: () => sockets.measure(),
    logger,
    metrics
  })
  const sockets = createSockets({ fanOut, ping, askAgainMs, expiryMs, now, logger, metrics })
  const upgrades = new Bucket(upgradesPerSecond, Math.max(upgradesPerSecond, 1), performance.now())
  const connects = new KeyedBuckets()
  const refused = new KeyedBuckets()
  const strangers = createStrangers()
  let closing = false

  function limited(name: keyof typeof rates, limit: number, bucket: Bucket, error: string): Failure {
    const reset_seconds = bucket.waitSeconds()
    return {
      status: 429,
      code: 'RATE_LIMITED',
      error,
      headers: [['Retry-After', String(reset_seconds)], ...Object.entries(rateHeaders({ name, limit, remaining: 0, reset_seconds }))]
    }
  }

  function connectRefusal({ tenant_id, plan }: Holder): Failure | null {
    const now = performance.now()
    if (!upgrades.take(now)) return unavailable('Too many connects at once', 1)
    const { limit, burst, window_seconds } = rates.realtime
    const bucket = connects.of(tenant_id, limit[plan] / window_seconds, burst, now)
    if (bucket.take(now)) return null
    return limited('realtime', limit[plan], bucket, `At most ${limit[plan]} connects a minute for the workspace`)
  }

  function strangersOf(address: string): Bucket {
    const { limit, burst, window_seconds } = rates.public
    return refused.of(senderOf(address), limit.free / window_seconds, burst, performance.now())
  }

  /** A credential that is refused counts for its address, which hears of nothing else once there were too many. Good ones of it are let in. */
  function counted(address: string, refusal: Failure): Failure {
    if (refusal.status !== 401 && refusal.status !== 403) return refusal
    const bucket = strangersOf(address)
    return bucket.take(performance.now()) ? refusal : tooManyRefused(bucket)
  }

  const tooManyRefused = (bucket: Bucket): Failure =>
    limited('public', rates.public.limit.free, bucket, 'Too many refused credentials from this address')

  function upgrade(response: HandshakeResponse, request: HttpRequest, context: UpgradeContext): void {
    // The request is gone once this call returns: everything that is needed is copied here.
    const key = request.getHeader('sec-websocket-key')
    const protocol = request.getHeader('sec-websocket-protocol')
    const extensions = request.getHeader('sec-websocket-extensions')
    // "Connection: close" would end the connection under the socket that an upgrade makes of it.
    const isUpgrade = /(^|[\s,])upgrade($|[\s,])/i.test(request.getHeader('connection'))
    const handshake: Handshake = {
      query: new URLSearchParams(request.getQuery()),
      cookie: request.getHeader('cookie'),
      origin: request.getHeader('origin'),
      host: request.getHeader('host'),
      address: addressOf(response, request, senderAddress),
      requestId: idOf(request)
    }
    let aborted = false
    response.onAborted(() => {
      aborted = true
    })
    const deny = (refusal: Failure): void => {
      refusals.inc({ code: refusal.code })
      if (!aborted) refuse(response, handshake.requestId, refusal)
    }
    const names = handshake.query.get('channels')?.split(',') ?? []
    const { address } = handshake
    const admit = (ask: Ask, verdict: Verdict, later: boolean): void => {
      const refusal = isRefusal(verdict) ? counted(address, verdict) : closing ? stopping : connectRefusal(verdict)
      if (refusal) deny(refusal)
      if (refusal || aborted || isRefusal(verdict)) return
      const seat = newSeat(verdict, ask, parseChannels(names.filter((name) => name !== '')))
      const open = (): void => response.upgrade<Seat>(seat, handshake.requestId, key, protocol, extensions, context)
      if (later) besides(sockets.any(), response, open)
      else open()
    }
    const isSlowed = strangersOf(address).isEmpty(performance.now())
    const identified = (known: Parameters<typeof identify>[1]) => identify(handshake, known, origins)
    const question = closing ? stopping : isUpgrade ? identified(strangers.credentials(credentials, isSlowed)) : notFound
    if (typeof question !== 'function') {
      deny(counted(address, question))
      return
    }
    // An open socket asks again without waiting among strangers.
    const again = isSlowed ? identified(credentials) : question
    const ask = typeof again === 'function' ? again : question
    const verdict = question()
    if (verdict instanceof Promise) {
      verdict
        .then((late) => new Promise<Verdict>((resolve) => response.afterReading(() => resolve(late))))
        .then((late) => admit(ask, late, true))
        .catch((error: unknown) => {
          if (error instanceof TooManyStrangers) return deny(tooManyRefused(strangersOf(address)))
          logger.error({ err: error, request_id: handshake.requestId }, 'a handshake failed')
          deny(unavailable('The connection could not be opened', 1))
        })
    } else {
      admit(ask, verdict, false)
    }
  }

  app.ws<Seat>('/api/v1/ws', {
    // A little above what a client may send: a longer message is answered with a close code, a much longer one is cut off.
    maxPayloadLength: 4 * MOST_MESSAGE_BYTES,
    maxBackpressure: MOST_QUEUED_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: 100,
    sendPingsAutomatically: false,
    upgrade,
    open: sockets.open,
    message: sockets.message,
    pong: sockets.pong,
    close: sockets.closed
  })
  app.get('/health', (response, request) => tell(response, request, accepted(JSON.stringify(health())), idOf(request)))
  app.any('/*', (response, request) => {
    const requestId = idOf(request)
    tell(response, request, failed({ ...notFound, close: true }, requestId), requestId)
  })
  const offRevoked = credentials.onRevoked((sha256) => sockets.recheck(sha256))

  await fanOut.live(options.startMs ?? 5000)
  let port: number
  try {
    port = await app.listen(options.host, options.port)
  } catch (error) {
    offRevoked()
    await fanOut.close()
    throw error
  }
  return {
    port,
    sockets: sockets.size,
    ready: () => ({ gateway: !closing, frames: fanOut.staleSince() === null, credentials: credentials.listening() }),
    async close() {
      closing = true
      app.stopListening()
      await sockets.closeAll(spreadMs)
      offRevoked()
      sockets.stop()
      await fanOut.close()
      app.close()
    }
  }
}
