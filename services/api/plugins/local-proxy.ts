/**
 * Gives a local run one address: requests for the doors and for the WebSocket are passed on to
 * intake and gateway. A cluster's proxy routes by path instead, and then none of these requests
 * arrives here.
 *
 * A door gets exactly what was sent: method, path, query, headers and body of any size and type. So
 * intake's own limits answer, even while a body is still being sent (@fastify/http-proxy turns such
 * an early 413 into a failure: its client gives up when the answer comes before the body has gone).
 * If a sender breaks off, the request to the door is broken off, too. An upstream that is down is
 * 503 UNAVAILABLE with Retry-After. Nothing is ever sent twice.
 *
 * All senders share connections to intake. So every body is passed on with its length or in chunks,
 * whatever its method, and a connection is used again only after a whole request and a whole
 * answer. Ambiguous requests were refused before they came here (../http/framing.ts). These URLs
 * contain tokens: nothing here logs one.
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
  /** Networks of the proxies in front of this service. */
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
/** Methods that a door accepts. The others, TRACE among them, have no route. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** A door answers within 5 s of a whole body. */
const ANSWER_TIMEOUT_MS = 15_000
/** Shorter than intake keeps an idle connection, so that this side is the one that ends it. */
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
  'uwebsockets' // Must not reveal which server stands behind this one.
]

/** For a request with any other header name, the servers behind this one wait for ever. */
const READABLE = /^[a-z0-9-]+$/

const passesOn = remembered((name) => READABLE.test(name) && !HOP_BY_HOP.includes(name))

/**
 * Returns the headers without those that concern one connection only, by their name or because
 * `Connection` names them.
 */
export function endToEnd({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): Record<string, string | string[]> {
  const named = connectionNames(rawHeaders)
  const kept: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && passesOn(name) && !named.includes(name)) kept[name] = value
  }
  return kept
}

/** Returns the header that says where the body ends; null if there is no body. */
function framingOf(headers: IncomingHttpHeaders): Record<string, string> | null {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' }
  const length = headers['content-length']
  return length === undefined ? null : { 'content-length': length }
}

/**
 * Keeps connections open. A connection that receives data outside a request is closed: the data
 * would be taken as the answer to the next request.
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
        // Set only by this service: a sender's own claim about its address is ignored.
        'x-forwarded-for': request.ip
      }
    })
    let answer: IncomingMessage | undefined
    if (framing) raw.pipe(upstream)
    else upstream.end()
    upstream.once('response', (response) => {
      answer = response
      if (!raw.complete) {
        // The answer came while the body is still being sent. The rest is read and dropped, within
        // the time limit of every request, so that the sender gets to read the answer.
        raw.unpipe(upstream)
        raw.resume()
        response.once('close', () => upstream.destroy())
      }
      reply.code(response.statusCode ?? 502).headers(endToEnd(response))
      reply.send(response)
    })
    upstream.once('finish', () => upstream.setTimeout(ANSWER_TIMEOUT_MS, () => upstream.destroy(new Error('no answer in time'))))
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      // The rest of the body was not accepted, or the sender is gone.
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
    // The body is not read here but piped on.
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
