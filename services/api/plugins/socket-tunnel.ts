/**
 * The WebSocket of a local run, passed on below HTTP: once the gateway has accepted the upgrade, two sockets are joined byte by byte, so PING frames, close
 * codes, refusals before the upgrade (401, 403, 503), backpressure and broken connections reach the other side as they are.
 */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ApiError, bodyOf, statusOf } from '../errors.ts'
import { requestIdOf } from '../request-id.ts'
import { down } from './local-proxy.ts'

const SOCKET_PATH = '/api/v1/ws'
const UPGRADE_TIMEOUT_MS = 10_000

export function joinSockets(app: FastifyInstance, gateway: URL): void {
  const open = new Set<Duplex>()

  /** A broken socket closes; the listener is there because an error without one ends the process. */
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
    if (request.url?.split('?', 1)[0] !== SOCKET_PATH || request.headers.upgrade?.toLowerCase() !== 'websocket') {
      hold(client, () => undefined)
      return refuse(client, request_id, new ApiError('NOT_FOUND', `WebSockets are at ${SOCKET_PATH}`))
    }
    // The headers go as they came: for an upgrade the hop-by-hop ones are the point, and the gateway compares `host` with Origin.
    const upstream = httpRequest({
      host: gateway.hostname,
      port: gateway.port,
      path: request.url,
      method: request.method,
      headers: { ...request.headers, 'x-request-id': request_id, 'x-forwarded-for': request.socket.remoteAddress ?? '' },
      timeout: UPGRADE_TIMEOUT_MS
    })
    hold(client, () => upstream.destroy())
    upstream.once('timeout', () => upstream.destroy(new Error('the gateway did not answer the upgrade')))
    upstream.on('error', () => refuse(client, request_id, down()))
    upstream.once('response', (response) => {
      client.write(headText(response.statusCode ?? 502, { ...response.headers, connection: 'close' }))
      response.pipe(client)
    })
    upstream.once('upgrade', (response, far, rest) => {
      // From here on silence is normal: the gateway's PINGs keep the pair alive, or end it.
      for (const socket of [far, request.socket]) socket.setTimeout(0)
      hold(far, () => client.destroy())
      client.on('close', () => far.destroy())
      client.write(headText(101, response.headers))
      if (rest.length > 0) client.write(rest)
      if (head.length > 0) far.write(head)
      far.pipe(client)
      client.pipe(far)
    })
    upstream.end()
  })

  // Nobody else ends sockets that have left HTTP, and the server would wait for them.
  app.addHook('preClose', async () => {
    for (const socket of open) socket.destroy()
  })
}

function headText(status: number, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
}

function refuse(client: Duplex, request_id: string, error: ApiError): void {
  if (client.destroyed || client.writableEnded) return
  const body = JSON.stringify(bodyOf(error, request_id))
  const headers = {
    ...error.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': request_id,
    connection: 'close'
  }
  client.end(headText(statusOf[error.code], headers) + body)
}
