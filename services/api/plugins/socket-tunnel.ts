/**
 * Passes on the WebSocket of a local run below HTTP. Once the gateway has accepted the upgrade, two
 * sockets are joined byte by byte. So PING frames, close codes, refusals before the upgrade (401,
 * 403, 503), backpressure and broken connections reach the other side unchanged.
 *
 * A handshake is a GET without a body, on a connection to the gateway of its own. Data that a
 * client sends after a handshake that is not accepted is never read.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { requestIdOf } from '../../http/request-id.ts'
import type { SenderAddress } from '../../http/sender-address.ts'
import { ApiError } from '../http/errors.ts'
import { framingFault } from '../http/framing.ts'
import { destroySoon, headText, refusalText } from '../http/raw-answer.ts'
import { down, endToEnd } from './local-proxy.ts'

const SOCKET_PATH = '/api/v1/ws'
const UPGRADE_TIMEOUT_MS = 10_000

/** Returns why an upgrade request is not passed on; null for a handshake. */
function refusalOf(request: IncomingMessage): ApiError | null {
  const { method, url, headers } = request
  const fault = framingFault(request)
  if (fault !== null) return new ApiError('BAD_REQUEST', fault)
  if (method !== 'GET') return new ApiError('BAD_REQUEST', 'A WebSocket is opened with GET')
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return new ApiError('BAD_REQUEST', 'A WebSocket is opened without a body')
  if (url?.split('?', 1)[0] !== SOCKET_PATH || headers.upgrade?.toLowerCase() !== 'websocket')
    return new ApiError('NOT_FOUND', `WebSockets are at ${SOCKET_PATH}`)
  return null
}

export function joinSockets(app: FastifyInstance, gateway: URL, senderAddress: SenderAddress): void {
  const open = new Set<Duplex>()

  /** A broken socket closes itself; without a listener its error would end the process. */
  function hold(socket: Duplex, onClose: () => void): void {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      onClose()
    })
  }

  app.server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const request_id = requestIdOf(request.headers['x-request-id'])
    const refusal = refusalOf(request)
    if (refusal !== null) {
      hold(client, () => undefined)
      return refuse(client, request_id, refusal)
    }
    // `host` is kept, because the gateway compares it with Origin.
    const upstream = httpRequest({
      agent: false,
      host: gateway.hostname,
      port: gateway.port,
      path: request.url,
      headers: {
        ...endToEnd(request),
        connection: 'Upgrade',
        upgrade: 'websocket',
        'x-request-id': request_id,
        'x-forwarded-for': senderAddress(request.socket.remoteAddress ?? '', String(request.headers['x-forwarded-for'] ?? ''))
      },
      timeout: UPGRADE_TIMEOUT_MS
    })
    hold(client, () => upstream.destroy())
    upstream.once('timeout', () => upstream.destroy(new Error('the gateway did not answer the upgrade')))
    upstream.on('error', () => refuse(client, request_id, down()))
    upstream.once('response', (response) => {
      client.write(headText(response.statusCode ?? 502, { ...endToEnd(response), connection: 'close' }))
      response.pipe(client)
      client.once('finish', () => endSoon(client))
    })
    upstream.once('upgrade', (response, far, rest) => {
      // From here on silence is normal: the gateway's PINGs keep the pair alive, or end it.
      for (const socket of [far, request.socket]) socket.setTimeout(0)
      hold(far, () => client.destroy())
      client.on('close', () => far.destroy())
      client.write(headText(101, { ...endToEnd(response), connection: 'Upgrade', upgrade: 'websocket' }))
      if (rest.length > 0) client.write(rest)
      if (head.length > 0) far.write(head)
      far.pipe(client)
      client.pipe(far)
    })
    upstream.end()
  })

  // Nothing else ends sockets that have left HTTP, and the server would wait for them.
  app.addHook('preClose', async () => {
    for (const socket of open) socket.destroy()
  })
}

function refuse(client: Duplex, request_id: string, error: ApiError): void {
  if (client.destroyed || client.writableEnded) return
  client.end(refusalText(error, request_id))
  endSoon(client)
}

/**
 * Drops further data, and closes the connection after the client has had time to read the answer.
 */
function endSoon(client: Duplex): void {
  client.resume()
  destroySoon(client)
}
