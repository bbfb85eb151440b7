/**
 * Refuses requests that two servers could read differently: where one request ends and the next
 * begins, and for whom it is. Other servers stand behind this one on kept connections. So an
 * ambiguous request is refused, and nothing after it on its connection is read (RFC 9112, sections
 * 6.3, 11.1 and 11.2).
 *
 * Node's own parser, with the server's default options, already refuses two lengths, lengths that
 * are no digits, a length together with chunks, folded lines, bare CR, LF and NUL, a space before
 * the colon, unknown methods, and faulty chunks. This file judges what the parser lets through, by
 * the raw headers: in the parsed headers, duplicates are joined or gone.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError, send } from './errors.ts'

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>

/**
 * These headers decide where a request ends and for whom it is, so a `Connection` header must not
 * remove them.
 */
const KEPT = ['content-length', 'transfer-encoding', 'host']

/**
 * Returns the names that `Connection` lists in raw headers, in lower case. They concern this
 * connection only.
 */
export function connectionNames(rawHeaders: readonly string[]): readonly string[] {
  let names: string[] | null = null
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length !== 10 || rawHeaders[at]?.toLowerCase() !== 'connection') continue
    const value = rawHeaders[at + 1] ?? ''
    if (value === 'keep-alive' || value === 'close') continue
    names ??= []
    for (const name of value.split(',')) names.push(name.trim().toLowerCase())
  }
  return names ?? none
}
const none: readonly string[] = []

/**
 * Says in words for the sender what is ambiguous about a request; null if it may be read. It runs
 * for every request, so it goes through the headers only once.
 */
export function framingFault({ method = '', url = '', httpVersion, rawHeaders }: RequestHead): string | null {
  let [hosts, lengths, codings, length, coding] = [0, 0, 0, '0', 'chunked']
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4) {
      if (name.toLowerCase() === 'host') hosts++
    } else if (name.length === 14) {
      if (name.toLowerCase() !== 'content-length') continue
      lengths++
      length = rawHeaders[at + 1] ?? ''
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      codings++
      coding = rawHeaders[at + 1] ?? ''
    }
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Expected HTTP/1.1'
  if (method === 'TRACE' || method === 'CONNECT') return `The method ${method} is not taken`
  if (!url.startsWith('/')) return 'The target of the request must be a path'
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'Expected one Host header'
  if (lengths > 1 || !/^\d{1,15}$/.test(length)) return 'Content-Length must be one number'
  if (codings > 0 && lengths > 0) return 'Expected Content-Length or Transfer-Encoding, not both'
  if (codings > 1 || coding.toLowerCase() !== 'chunked' || (codings > 0 && httpVersion === '1.0'))
    return 'Transfer-Encoding must be chunked'
  const taken = connectionNames(rawHeaders).find((name) => KEPT.includes(name))
  return taken === undefined ? null : `Connection must not name ${taken}`
}

/**
 * Answers 400 to every request with such a fault, before any other hook runs, and ends its
 * connection.
 */
export function refuseBadFraming(app: FastifyInstance): void {
  const refused = new WeakSet<Socket>()
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    if (refused.has(raw.socket)) {
      reply.hijack() // Sent after the refused request; the connection ends with that answer.
      return
    }
    const fault = framingFault(raw) ?? (raw.headers.upgrade === undefined ? null : 'There is nothing to upgrade to here')
    if (fault === null) return done()
    refused.add(raw.socket)
    send(reply.header('connection', 'close'), request, new ApiError('BAD_REQUEST', fault))
  })
}
