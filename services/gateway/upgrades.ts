/**
 * Handles handshakes at GET /api/v1/ws, from the request to the open socket.
 *
 * The steps: credential (401, 403, 503; 429 when its address was refused too often) → connects
 * a minute of its workspace (429) → 1,500 upgrades/s of the instance (503) → upgrade.
 * What a browser's script must be able to tell apart is sent after the upgrade, as a close code: an
 * unknown channel, too many open sockets. The query holds a token, so no URL is logged.
 * Source: docs/design/api/realtime.md#s15, #rm-1.
 */
import type { Credentials } from '../credentials/tokens.ts'
import { type Failure, failed, JSON_TYPE, linesOf, send, unavailable } from '../http/answer.ts'
import type { Origins } from '../http/origins.ts'
import { idOf } from '../http/request-id.ts'
import { addressOf, type SenderAddress } from '../http/sender-address.ts'
import { createStrangers, TooManyStrangers } from '../http/strangers.ts'
import type { HandshakeResponse, HttpRequest, HttpResponse, UpgradeContext } from '../http/uws.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { Admission } from './admission.ts'
import { parseChannels } from './channels.ts'
import { type Ask, type Handshake, identify, isRefusal, type Verdict } from './identify.ts'
import { newSeat, type Seat, type Seated } from './seat.ts'

export const notFound: Failure = {
  status: 404,
  code: 'NOT_FOUND',
  error: 'There is nothing here; WebSockets are at /api/v1/ws',
  close: true
}

const stopping = unavailable('This instance is stopping', 1)

export interface UpgradesOptions {
  credentials: Credentials
  origins: Origins
  senderAddress: SenderAddress
  admission: Admission
  /** Returns an open socket, if there is one. */
  anySocket(): Seated | undefined
  isClosing(): boolean
  logger: Log
  metrics: Metrics
}

/** What the request says. It is copied, because the request is gone once its handler returns. */
interface Asked extends Handshake {
  key: string
  protocol: string
  extensions: string
  /** False for "Connection: close", which would end the connection under the new socket. */
  isUpgrade: boolean
}

const read = (response: HttpResponse, request: HttpRequest, senderAddress: SenderAddress): Asked => ({
  query: new URLSearchParams(request.getQuery()),
  cookie: request.getHeader('cookie'),
  origin: request.getHeader('origin'),
  host: request.getHeader('host'),
  address: addressOf(senderAddress, response, request.getHeader('x-forwarded-for')),
  requestId: idOf(request),
  key: request.getHeader('sec-websocket-key'),
  protocol: request.getHeader('sec-websocket-protocol'),
  extensions: request.getHeader('sec-websocket-extensions'),
  isUpgrade: /(^|[\s,])upgrade($|[\s,])/i.test(request.getHeader('connection'))
})

/** Refuses the handshake and ends the connection. */
function refuse(response: HttpResponse, request_id: string, failure: Failure): void {
  const { status, body, headers } = failed(failure, request_id)
  send(response, status, request_id, JSON_TYPE + linesOf(headers), body, true)
}

/**
 * Runs an upgrade after its handler has returned. The response must not be corked for this:
 * uWebSockets 20.30 then takes the new socket's memory for the response's, and every second time
 * closes the socket that it has just opened (uNetworking/uWebSockets 1929). While another socket is
 * corked, cork() only calls the upgrade. Without another socket, the server prints warnings that
 * writes were not corked.
 */
function besides(other: Seated | undefined, response: HttpResponse, upgrade: () => void): void {
  if (other) other.cork(() => response.cork(upgrade))
  else upgrade()
}

/**
 * A handshake under way. It is refused or opened once, and nothing is done when its sender has
 * gone.
 */
class Upgrade {
  private isGone = false

  constructor(
    readonly asked: Asked,
    private readonly response: HandshakeResponse,
    private readonly context: UpgradeContext
  ) {
    response.onAborted(() => {
      this.isGone = true
    })
  }

  refuse(failure: Failure): void {
    if (!this.isGone) refuse(this.response, this.asked.requestId, failure)
  }

  open(holder: Exclude<Verdict, Failure>, ask: Ask, later: { beside: Seated | undefined } | null): void {
    if (this.isGone) return
    const { query, requestId, key, protocol, extensions } = this.asked
    const names = query.get('channels')?.split(',') ?? []
    const seat = newSeat(holder, ask, parseChannels(names.filter((name) => name !== '')))
    const upgrade = (): void => this.response.upgrade<Seat>(seat, requestId, key, protocol, extensions, this.context)
    if (later) besides(later.beside, this.response, upgrade)
    else upgrade()
  }

  /**
   * Resolves to `verdict` once the server has read everything that came with the request. Never
   * resolves when the sender has gone.
   */
  afterReading = (verdict: Verdict): Promise<Verdict> => new Promise((resolve) => this.response.afterReading(() => resolve(verdict)))
}

type Upgrades = (response: HandshakeResponse, request: HttpRequest, context: UpgradeContext) => void

export function createUpgrades(options: UpgradesOptions): Upgrades {
  const { credentials, origins, senderAddress, admission, anySocket, isClosing, logger, metrics } = options
  const refusals = metrics.counter('service_gateway_upgrades_refused_total', 'Handshakes refused, by code', ['code'])
  const strangers = createStrangers()

  function deny(upgrade: Upgrade, failure: Failure): void {
    refusals.inc({ code: failure.code })
    upgrade.refuse(failure)
  }

  function admit(upgrade: Upgrade, ask: Ask, verdict: Verdict, isLate: boolean): void {
    if (isRefusal(verdict)) return void deny(upgrade, admission.refused(upgrade.asked.address, verdict))
    const failure = isClosing() ? stopping : admission.connect(verdict)
    if (failure) deny(upgrade, failure)
    else upgrade.open(verdict, ask, isLate ? { beside: anySocket() } : null)
  }

  function admitLater(upgrade: Upgrade, ask: Ask, verdict: Promise<Verdict>): void {
    const { address, requestId } = upgrade.asked
    verdict
      .then(upgrade.afterReading)
      .then((late) => admit(upgrade, ask, late, true))
      .catch((error: unknown) => {
        if (error instanceof TooManyStrangers) return void deny(upgrade, admission.tooManyRefused(address))
        logger.error({ err: error, request_id: requestId }, 'a handshake failed')
        deny(upgrade, unavailable('The connection could not be opened', 1))
      })
  }

  /**
   * Returns the question that judges the credential now, and the one that the open socket asks
   * later. The later one does not wait in the queue of strangers, and takes no answer from before
   * a change that may have been missed.
   */
  function questions(asked: Asked): { question: Ask; ask: Ask } | Failure {
    if (isClosing()) return stopping
    if (!asked.isUpgrade) return notFound
    const isSlowed = admission.isSlowed(asked.address)
    const question = identify(asked, strangers.credentials(credentials, isSlowed), origins)
    if (typeof question !== 'function') return question
    const again = identify(asked, credentials.current, origins)
    return { question, ask: typeof again === 'function' ? again : question }
  }

  return (response, request, context) => {
    const asked = read(response, request, senderAddress)
    const upgrade = new Upgrade(asked, response, context)
    const asks = questions(asked)
    if ('status' in asks) return void deny(upgrade, admission.refused(asked.address, asks))
    const verdict = asks.question()
    if (verdict instanceof Promise) admitLater(upgrade, asks.ask, verdict)
    else admit(upgrade, asks.ask, verdict, false)
  }
}
