/**
 * One address for a local run: what belongs to the doors and to the WebSocket is passed on to intake and gateway. A cluster's proxy routes by
 * path instead, and then nothing arrives here.
 *
 * Doors go through @fastify/http-proxy: method, path, query, headers and body as they came, of any size and type, so that intake's own limits answer.
 * The WebSocket is passed on below HTTP: once the gateway has accepted the upgrade, two sockets are joined byte by byte, so PING frames, refusals
 * (401, 403, 503), backpressure and broken connections reach the other side as they are. A dead upstream is 503 UNAVAILABLE with Retry-After.
 * Tokens stand in these URLs: nothing here logs one.
 */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import httpProxy from '@fastify/http-proxy'
import type { FastifyInstance } from 'fastify'
import { ApiError, bodyOf, statusOf } from '../errors.ts'
import { requestIdOf } from '../request-id.ts'

export interface Upstreams {
  intakeUrl: string
  gatewayUrl: string
}

const DOORS = ['/api/v1/webhooks', '/api/v1/webhook']
const SOCKET_PATH = '/api/v1/ws'
/** A door answers within 5 s of a whole body; the rest is the body's time. */
const DOOR_TIMEOUT_MS = 30_000
const UPGRADE_TIMEOUT_MS = 10_000

const down = (): ApiError =>
  new ApiError('UNAVAILABLE', 'This part of the service cannot be reached just now', { headers: { 'retry-after': '5' } })

export async function installLocalProxy(app: FastifyInstance, { intakeUrl, gatewayUrl }: Upstreams): Promise<void> {
  for (const prefix of DOORS) {
    await app.register(httpProxy, {
      upstream: intakeUrl,
      prefix,
      rewritePrefix: prefix,
      disableRequestLogging: true,
      // Errors of the upstream go to the sender as ours; the library would log and answer in its own words.
      replyOptions: {
        rewriteRequestHeaders: (request, headers) => ({
          ...headers,
          'x-request-id': request.id,
          'x-forwarded-for': request.ip // Ours alone: a sender's own word for its address counts for nothing.
        }),
        onError: (reply) => {
          reply.send(down())
        }
      },
      undici: { headersTimeout: DOOR_TIMEOUT_MS, bodyTimeout: DOOR_TIMEOUT_MS, connect: { timeout: 2000 } },
      // A POST is never repeated by us: its sender decides.
      retryMethods: []
    })
  }
  joinSockets(app, new URL(gatewayUrl))
}

/** Hop-by-hop headers stay, for an upgrade they are the point; `host` stays too, the gateway compares it with Origin. */
function joinSockets(app: FastifyInstance, gateway: URL): void {
  const open = new Set<Duplex>()

  app.server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    open.add(client)
    client.on('close', () => open.delete(client))
    // The other half is told by `close`; without a listener an error would end the process.
    client.on('error', () => client.destroy())
    const request_id = requestIdOf(request.headers['x-request-id'])
    if (request.url?.split('?', 1)[0] !== SOCKET_PATH || request.headers.upgrade?.toLowerCase() !== 'websocket') {
      return answer(client, request_id, new ApiError('NOT_FOUND', `WebSockets are at ${SOCKET_PATH}`))
    }
    const upstream = httpRequest({
      host: gateway.hostname,
      port: gateway.port,
      path: request.url,
      method: request.method,
      headers: { ...request.headers, 'x-request-id': request_id, 'x-forwarded-for': request.socket.remoteAddress ?? '' },
      timeout: UPGRADE_TIMEOUT_MS
    })
    client.once('close', () => upstream.destroy())
    upstream.once('timeout', () => upstream.destroy(new Error('the gateway did not answer the upgrade')))
    upstream.once('error', () => answer(client, request_id, down()))
    upstream.once('response', (response) => {
      // A refusal: passed on as it is.
      client.write(`${headText(response.statusCode ?? 502, { ...response.headers, connection: 'close' })}`)
      response.pipe(client)
    })
    upstream.once('upgrade', (response, socket, rest) => {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
      })
      client.on('close', () => socket.destroy())
      client.write(headText(101, response.headers))
      if (rest.length > 0) client.write(rest)
      if (head.length > 0) socket.write(head)
      socket.pipe(client)
      client.pipe(socket)
    })
    upstream.end()
  })

  app.addHook('preClose', async () => {
    for (const socket of open) socket.destroy()
  })
}

function headText(status: number, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
}

function answer(client: Duplex, request_id: string, error: ApiError): void {
  if (client.destroyed) return
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
