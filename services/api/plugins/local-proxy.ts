/**
 * One address for a local run: what belongs to the doors and to the WebSocket is passed on to intake and gateway. A cluster's proxy routes by path instead,
 * and then nothing arrives here.
 *
 * To a door goes what was sent: method, path, query, headers and body of any size and type, so that intake's own limits answer, also while a body is still
 * on its way (@fastify/http-proxy turns such an early 413 into a failure: its client gives up when the answer comes before the body has gone). A sender that
 * breaks off is broken off at the door; a dead upstream is 503 UNAVAILABLE with Retry-After; nothing is ever sent twice.
 * Tokens stand in these URLs: nothing here logs one.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, send } from '../errors.ts'
import { joinSockets } from './socket-tunnel.ts'

export interface Upstreams {
  intakeUrl: string
  gatewayUrl: string
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
/** A door answers within 5 s of a whole body. */
const ANSWER_TIMEOUT_MS = 15_000
/** Shorter than intake keeps an idle connection, so that we are the one who ends it. */
const IDLE_MS = 4000

export const down = (): ApiError =>
  new ApiError('UNAVAILABLE', 'This part of the service cannot be reached just now', { headers: { 'retry-after': '5' } })

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect'
]

/** Without what concerns one connection only, by name or named by `connection`. */
function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const dropped = new Set([...HOP_BY_HOP, ...(headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())])
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined && !dropped.has(entry[0]))
  )
}

export function installLocalProxy(app: FastifyInstance, { intakeUrl, gatewayUrl }: Upstreams): void {
  const intake = new URL(intakeUrl)
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })

  function pass(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request
    // Chunked bodies stay chunked, the others keep their length.
    const upstream = httpRequest({
      agent,
      host: intake.hostname,
      port: intake.port,
      method: raw.method,
      path: raw.url,
      headers: {
        ...endToEnd(raw.headers),
        ...(raw.headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
        'x-request-id': request.id,
        'x-forwarded-for': request.ip // Ours alone: a sender's own word for its address counts for nothing.
      }
    })
    let answer: IncomingMessage | undefined
    raw.pipe(upstream)
    upstream.once('response', (response) => {
      answer = response
      if (!raw.complete) {
        // An answer to a body that is still coming: the rest is read and dropped, within the time of every request, so that the sender gets to the answer.
        raw.unpipe(upstream)
        raw.resume()
        response.once('close', () => upstream.destroy())
      }
      reply.code(response.statusCode ?? 502).headers(endToEnd(response.headers))
      reply.send(response)
    })
    upstream.once('finish', () => upstream.setTimeout(ANSWER_TIMEOUT_MS, () => upstream.destroy(new Error('no answer in time'))))
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (answer || reply.raw.destroyed) return // The body's rest had no taker; or it is the sender who is gone.
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
      doors.all(url, (request, reply) => {
        pass(request, reply)
        return reply
      })
    }
  })
  app.addHook('onClose', async () => agent.destroy())
  joinSockets(app, new URL(gatewayUrl))
}
