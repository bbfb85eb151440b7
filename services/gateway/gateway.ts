/**
 * The WebSocket server: GET /api/v1/ws upgrades (upgrades.ts), GET /health answers, and nothing
 * else. Frames of the log (fan-out.ts) go to the open sockets (sockets.ts).
 * Source: docs/design/api/realtime.md#s15, docs/design/streaming.md#s5-1.
 */
import type { StreamClient } from '../../streams/runtime/stream.ts'
import type { Credentials } from '../credentials/tokens.ts'
import { accepted, failed, tell } from '../http/answer.ts'
import { health } from '../http/health.ts'
import { originsOf } from '../http/origins.ts'
import { idOf } from '../http/request-id.ts'
import { createSenderAddress } from '../http/sender-address.ts'
import { type App, createApp, type SocketBehavior } from '../http/uws.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { createAdmission } from './admission.ts'
import { startFanOut } from './fan-out.ts'
import { MAX_MESSAGE_BYTES, MAX_QUEUED_BYTES, type Seat } from './seat.ts'
import { createSockets, type PingOptions, type Sockets } from './sockets.ts'
import { createUpgrades, notFound } from './upgrades.ts'

export interface GatewayOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  publicUrl: string
  /** Further host names of this service. */
  domains?: readonly string[]
  /** Networks of the proxies in front of the gateway. */
  trustedProxies: readonly string[]
  credentials: Credentials
  stream: Pick<StreamClient, 'clusterId' | 'follow' | 'partitionOf'>
  logger: Log
  metrics: Metrics
  /** Default 30 slots of 1 s. */
  ping?: PingOptions
  upgradesPerSecond?: number
  /** The time over which the sockets are closed, at most. */
  spreadMs?: number
  askAgainMs?: number
  /** How often it looks for credentials that have run out; default 1 s. */
  expiryMs?: number
  /** The clock that decides when credentials end, in epoch ms. */
  now?: () => number
  /** How long the start waits for frames to flow. Sockets that open before that hear `stale`. */
  startMs?: number
}

export interface Gateway {
  port: number
  sockets(): number
  ready(): { gateway: boolean; frames: boolean; credentials: boolean }
  close(): Promise<void>
}

/** The server calls these handlers directly: nothing stands between a message and its handler. */
const behavior = (sockets: Sockets, upgrade: Required<SocketBehavior<Seat>>['upgrade']): SocketBehavior<Seat> => ({
  // Higher than what a client may send: a message that is too long gets a close code, a much longer
  // one is cut off.
  maxPayloadLength: 4 * MAX_MESSAGE_BYTES,
  maxBackpressure: MAX_QUEUED_BYTES,
  closeOnBackpressureLimit: true,
  idleTimeout: 100,
  sendPingsAutomatically: false,
  upgrade,
  open: sockets.open,
  message: sockets.message,
  pong: sockets.pong,
  close: sockets.closed
})

function answerOthers(app: App): void {
  app.get('/health', (response, request) => tell(response, request, accepted(JSON.stringify(health())), idOf(request)))
  app.any('/*', (response, request) => {
    const request_id = idOf(request)
    tell(response, request, failed(notFound, request_id), request_id)
  })
}

/**
 * Resolves when the gateway listens; Kafka may be down meanwhile. Rejects when the port is taken.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { credentials, logger, metrics, spreadMs = 3000, ping = { slots: 30, slotMs: 1000 } } = options
  const { askAgainMs = 1000, expiryMs = 1000, now = Date.now } = options
  const app = createApp()
  const fanOut = startFanOut({
    stream: options.stream,
    publish: (topic, message) => app.publish(topic, message, false),
    measure: () => sockets.measure(),
    logger,
    metrics
  })
  const sockets = createSockets({ fanOut, ping, askAgainMs, expiryMs, now, logger, metrics })
  let closing = false
  const upgrade = createUpgrades({
    credentials,
    origins: originsOf({ publicUrl: options.publicUrl, domains: options.domains ?? [] }),
    senderAddress: createSenderAddress(options.trustedProxies),
    admission: createAdmission(options.upgradesPerSecond ?? 1500),
    anySocket: sockets.any,
    isClosing: () => closing,
    logger,
    metrics
  })
  app.ws<Seat>('/api/v1/ws', behavior(sockets, upgrade))
  answerOthers(app)
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
