/**
 * One address for a local run: what belongs to the doors and to the WebSocket is passed on to
 * intake and gateway. A cluster's proxy routes by path instead, and then nothing arrives here.
 *
 * To a door goes what was sent: method, path, query, headers and body of any size and type, so that
 * intake's own limits answer, also while a body is still on its way (@fastify/http-proxy turns such
 * an early 413 into a failure: its client gives up when the answer comes before the body has gone).
 * A sender that breaks off is broken off at the door; a dead upstream is 503 UNAVAILABLE with
 * Retry-After; nothing is ever sent twice.
 *
 * Connections to intake are shared by all senders, so every body goes on with its length or in
 * chunks, whatever its method, and a connection is used again only after a whole request and a
 * whole answer. What is not plain about a request was refused before it came here (../framing.ts).
 * Tokens stand in these URLs: nothing here logs one.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { remembered } from '../../http/remembered.ts'
import { createSenderAddress } from '../../http/sender-address.ts'
import { ApiError, send } from '../http/errors.ts'
import { connectionNames } from '../http/framing.ts'
import { joinSockets } from './socket-tunnel.ts'

export interface Upstreams {
  intakeUrl: string
  gatewayUrl: string
  /** Networks of the proxies in front of us. */
  trustedProxies: readonly string[]
}

const DOORS = [
  '/api/v1/webhooks',
  '/api/v1/webhooks/*',
  '/api/v1/webhook',
  '/api/v1/webhook/*',
  '/api/v1/alertmanager/*',
  '/api/v1/prometheus/*',
  '/api/v1/opsgenie/*',
  '/api/v1/ping/*',
  '/ping/*',
  '/api/v1/prober/results'
]
/** Those that a door may be asked with. The others, TRACE among them, have no route. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** A door answers within 5 s of a whole body. */
const ANSWER_TIMEOUT_MS = 15_000
/** Shorter than intake keeps an idle connection, so that we are the one who ends it. */
const IDLE_MS = 4000

export const down = (): ApiError =>
  new ApiError('UNAVAILABLE', 'This part of the service is not available at the moment', { headers: { 'retry-after': '5' } })

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'uwebsockets' // Which server stands behind is nobody's business.
]

/** The servers behind us wait for ever for a request with any other name in it. */
const READABLE = /^[a-z0-9-]+$/

const passesOn = remembered((name) => READABLE.test(name) && !HOP_BY_HOP.includes(name))

/** Without what concerns one connection only, by its name or because `Connection` names it. */
export function endToEnd({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): Record<string, string | string[]> {
  const named = connectionNames(rawHeaders)
  const kept: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && passesOn(name) && !named.includes(name)) kept[name] = value
  }
  return kept
}

/** What says where the body ends; null where there is none. */
function framingOf(headers: IncomingHttpHeaders): Record<string, string> | null {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' }
  const length = headers['content-length']
  return length === undefined ? null : { 'content-length': length }
}

/**
 * Keeps connections. One on which something comes that nobody asked for is closed: it would be the
 * answer to the next request.
 */
class PlainAgent extends Agent {
  override keepSocketAlive(socket: Duplex): boolean {
    const keeps: unknown = super.keepSocketAlive(socket) // A boolean, whatever the types say.
    if (keeps === true) socket.on('data', endSurplus)
    return keeps === true
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', endSurplus)
    super.reuseSocket(socket, request)
  }
}

function endSurplus(this: Duplex): void {
  this.destroy()
}

export function installLocalProxy(app: FastifyInstance, { intakeUrl, gatewayUrl, trustedProxies }: Upstreams): void {
  const intake = new URL(intakeUrl)
  const agent = new PlainAgent({ keepAlive: true, timeout: IDLE_MS })

  function pass(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request
    const framing = framingOf(raw.headers)
    const upstream = httpRequest({
      agent,
      host: intake.hostname,
      port: intake.port,
      method: raw.method,
      path: raw.url,
      headers: {
        ...endToEnd(raw),
        ...framing,
        'x-request-id': request.id,
        // Ours alone: a sender's own word for its address counts for nothing.
        'x-forwarded-for': request.ip
      }
    })
    let answer: IncomingMessage | undefined
    if (framing) raw.pipe(upstream)
    else upstream.end()
    upstream.once('response', (response) => {
      answer = response
      if (!raw.complete) {
        // An answer to a body that is still coming: the rest is read and dropped, within the time
        // of every request, so that the sender gets to the answer.
        raw.unpipe(upstream)
        raw.resume()
        response.once('close', () => upstream.destroy())
      }
      reply.code(response.statusCode ?? 502).headers(endToEnd(response))
      reply.send(response)
    })
    upstream.once('finish', () => upstream.setTimeout(ANSWER_TIMEOUT_MS, () => upstream.destroy(new Error('no answer in time'))))
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      // The body's rest had no taker; or it is the sender who is gone.
      if (answer || reply.raw.destroyed) return
      request.log.warn({ code: error.code, request_id: request.id }, 'a door cannot be reached')
      raw.unpipe(upstream)
      raw.resume()
      send(reply, request, down())
    })
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) upstream.destroy()
    })
  }

  app.register(async (doors) => {
    doors.removeAllContentTypeParsers()
    // The body is not read here.
    doors.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const url of DOORS) {
      doors.route({
        method: METHODS,
        url,
        handler: (request, reply) => {
          pass(request, reply)
          return reply
        }
      })
    }
  })
  app.addHook('onClose', async () => agent.destroy())
  joinSockets(app, new URL(gatewayUrl), createSenderAddress(trustedProxies))
}
