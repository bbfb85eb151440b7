/**
 * Sends requests to vendors over HTTP/2. One connection to each vendor host is kept and carries all
 * requests at once. TLS is verified, and every phase and the answer have a limit. When a server
 * says goodbye, the requests that it did not take are sent once more, on a new connection.
 * Source: docs/design/outbound-channels.md#s1-3 and #s6-3.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import type { LookupFunction } from 'node:net'
import type { HttpRequest, SendReply } from '../channels/channel.ts'
import { failureOf, SendFailure } from './failure.ts'

export interface Http2Limits {
  connectMs: number
  totalMs: number
}

export interface Http2Sender {
  /** Rejects with SendFailure when nothing came back. */
  send(request: HttpRequest, url: URL, limits: Http2Limits): Promise<SendReply>
  close(): void
}

export interface Http2Options {
  lookup(port: number): LookupFunction
  /** Certificates to trust in addition to the usual ones; for tests. */
  ca?: string
}

const MAX_REPLY_BYTES = 65_536
/** Apple asks clients to keep connections, but networks in between forget idle ones. */
const IDLE_MS = 600_000

interface Held {
  session: ClientHttp2Session
  /** Rejects with SendFailure. */
  ready: Promise<void>
  /** Requests on their way. */
  flights: Set<Flight>
}

interface Flight {
  stream: ClientHttp2Stream
  /** Call when the server has said that it does not process the request. */
  refuse(): void
}

/** The server did not process the request, so another connection may carry it. */
class NotTaken extends Error {
  override readonly name = 'NotTaken'
}

export function createHttp2Sender({ lookup, ca }: Http2Options): Http2Sender {
  /** The connections for new requests, by origin. */
  const sessions = new Map<string, Held>()
  const all = new Set<ClientHttp2Session>()

  /** Gives the connection no new requests; those on their way may finish. */
  function retire(origin: string, { session }: Held): void {
    if (sessions.get(origin)?.session === session) sessions.delete(origin)
    if (!session.closed && !session.destroyed) session.close()
  }

  function open(url: URL, connectMs: number): Held {
    const { origin } = url
    const known = sessions.get(origin)
    if (known && !known.session.closed && !known.session.destroyed) return known
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
    const options = { lookup: lookup(port), settings: { enablePush: false }, ...(ca !== undefined && { ca }) }
    const session = connect(origin, options)
    const ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => fail(new SendFailure('timeout', `No connection within ${connectMs / 1000} s`)), connectMs)
      const fail = (error: unknown): void => {
        clearTimeout(timer)
        reject(failureOf(error, false))
        session.destroy()
      }
      session.once('error', fail)
      session.once('close', () => fail(Object.assign(new Error('cut'), { code: 'ECONNRESET' })))
      session.once('connect', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    const held: Held = { session, ready, flights: new Set() }
    sessions.set(origin, held)
    all.add(session)
    session.unref()
    session.setTimeout(IDLE_MS, () => retire(origin, held))
    // The streams report the error to their requests.
    session.on('error', () => retire(origin, held))
    session.on('close', () => {
      all.delete(session)
      retire(origin, held)
    })
    session.on('goaway', (_code, last) => {
      retire(origin, held)
      for (const flight of held.flights) if ((flight.stream.id ?? Number.POSITIVE_INFINITY) > last) flight.refuse()
    })
    return held
  }

  async function attempt(request: HttpRequest, url: URL, limits: Http2Limits, until: number): Promise<SendReply> {
    const held = open(url, Math.min(limits.connectMs, limits.totalMs))
    await held.ready
    return exchange(held, request, url, until - performance.now()).catch((error: unknown) => {
      // A connection on which nothing comes back gets no more requests.
      if (error instanceof SendFailure && error.kind === 'timeout') retire(url.origin, held)
      throw error
    })
  }

  return {
    async send(request, url, limits) {
      const until = performance.now() + limits.totalMs
      try {
        return await attempt(request, url, limits, until)
      } catch (error) {
        if (!(error instanceof NotTaken)) throw error
      }
      return attempt(request, url, limits, until).catch((error: unknown) => {
        throw error instanceof NotTaken ? new SendFailure('network', 'The other side takes no more requests') : error
      })
    },
    close() {
      for (const session of all) session.destroy()
      sessions.clear()
    }
  }
}

function exchange({ session, flights }: Held, request: HttpRequest, url: URL, leftMs: number): Promise<SendReply> {
  return new Promise((done, failed) => {
    const body = request.body === null ? null : Buffer.from(request.body)
    const headers = {
      ':method': request.method,
      ':path': `${url.pathname}${url.search}`,
      ...request.headers,
      ...(body && { 'content-length': String(body.length) })
    }
    if (session.closed || session.destroyed) return failed(new NotTaken())
    const stream = session.request(headers, { endStream: body === null })
    const pieces: Buffer[] = []
    let bytes = 0
    let answer: IncomingHttpHeaders | null = null
    const end = (): void => {
      clearTimeout(timer)
      flights.delete(flight)
    }
    const fail = (error: unknown): void => {
      end()
      const refused = error instanceof NotTaken || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
      failed(refused ? new NotTaken() : failureOf(error, true))
      stream.close(constants.NGHTTP2_CANCEL)
    }
    const timer = setTimeout(() => fail(new SendFailure('timeout', 'No answer in time', true)), Math.max(0, leftMs))
    const flight: Flight = { stream, refuse: () => fail(new NotTaken()) }
    flights.add(flight)
    const finish = (): void => {
      if (answer === null) return
      end()
      done(replyOf(answer, Buffer.concat(pieces)))
    }
    stream.on('error', fail)
    stream.on('response', (received) => {
      answer = received
    })
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece)
      bytes += piece.length
      if (bytes < MAX_REPLY_BYTES) return
      finish()
      stream.close(constants.NGHTTP2_CANCEL)
    })
    // A stream that was cut off also closes. Its close code tells whether it was complete.
    stream.on('close', () => {
      if (answer !== null && stream.rstCode === constants.NGHTTP2_NO_ERROR) finish()
      else fail(Object.assign(new Error('cut'), { code: 'ECONNRESET' }))
    })
    stream.end(body ?? undefined)
  })
}

function replyOf(received: IncomingHttpHeaders, body: Buffer): SendReply {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(received))
    if (!name.startsWith(':') && value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  return { status: Number(received[':status'] ?? 0), headers, body: body.subarray(0, MAX_REPLY_BYTES).toString('utf8') }
}
