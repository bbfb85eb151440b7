/**
 * Requests that two readers could take for different ones: where one ends and the next begins, whom it is for. Behind this server stand others on kept
 * connections, so what is not plain is refused, and nothing that follows it on its connection is read (RFC 9112, sections 6.3, 11.1 and 11.2).
 *
 * Node's own parser already refuses, with the server's default options: two lengths, lengths that are no digits, a length beside chunks, folded lines, bare
 * CR, LF and NUL, a space before the colon, methods it does not know, faulty chunks. What it lets through is judged here, by the headers as they came: in the
 * parsed ones duplicates are joined or gone.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError, send } from './errors.ts'

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>

/** Of these depends where a request ends and whom it is for: no `Connection` header may take them away. */
const KEPT = ['content-length', 'transfer-encoding', 'host']

/** `given` as they came: name, value, name, value. */
function valuesOf(given: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < given.length; at += 2) {
    const [key = '', value = ''] = [given[at], given[at + 1]]
    if (key.length === name.length && key.toLowerCase() === name) values.push(value)
  }
  return values
}

/** Names that `Connection` lists, lower case: they concern this connection only. */
export const connectionNames = (given: readonly string[]): string[] =>
  valuesOf(given, 'connection').flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase()))

/** What is not plain about a request, in words for its sender; null for what may be read. */
export function framingFault({ method = '', url = '', httpVersion, rawHeaders }: RequestHead): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Expected HTTP/1.1'
  if (method === 'TRACE' || method === 'CONNECT') return `The method ${method} is not taken`
  if (!url.startsWith('/')) return 'The target of the request must be a path'
  const hosts = valuesOf(rawHeaders, 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'Expected one Host header'
  const lengths = valuesOf(rawHeaders, 'content-length')
  if (lengths.length > 1 || !lengths.every((length) => /^\d{1,15}$/.test(length))) return 'Content-Length must be one number'
  const codings = valuesOf(rawHeaders, 'transfer-encoding')
  if (codings.length > 0) {
    if (lengths.length > 0) return 'Expected Content-Length or Transfer-Encoding, not both'
    if (codings.length > 1 || codings[0]?.toLowerCase() !== 'chunked' || httpVersion !== '1.1') return 'Transfer-Encoding must be chunked'
  }
  const taken = connectionNames(rawHeaders).find((name) => KEPT.includes(name))
  return taken === undefined ? null : `Connection must not name ${taken}`
}

/** Answers 400 to every request with such a fault, before any other hook, and ends its connection. */
export function refuseBadFraming(app: FastifyInstance): void {
  const refused = new WeakSet<Socket>()
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    if (refused.has(raw.socket)) {
      reply.hijack() // It came behind the refused one; the connection ends with that one's answer.
      return
    }
    const fault = framingFault(raw) ?? (raw.headers.upgrade === undefined ? null : 'There is nothing to upgrade to here')
    if (fault === null) return done()
    refused.add(raw.socket)
    send(reply.header('connection', 'close'), request, new ApiError('BAD_REQUEST', fault))
  })
}
