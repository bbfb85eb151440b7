/**
 * Performs one request over HTTP/2, on a connection that was opened and judged elsewhere: over TLS
 * as ALPN agreed, or in the clear by prior knowledge. One stream, no pushes. Rejects as performHop
 * does. The caller ends the connection.
 */
import { connect, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import type { Socket } from 'node:net'
import { CheckFailure, withoutStatus } from './failure.ts'
import { Body, readBody } from './http-body.ts'
import { type Answer, type Hop, isStatus, MAX_HEADER_BYTES } from './http-shapes.ts'
import type { Stopwatch } from './phases.ts'

const brokenOff = (): CheckFailure => new CheckFailure('protocol', 'The server broke off the answer')

export function exchangeHttp2(socket: Socket, hop: Hop, watch: Stopwatch, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { url, method, body } = hop
    const onAbort = (): void => fail(signal.reason)
    const settle = (tell: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      tell()
      session.destroy()
    }
    const fail = (error: unknown): void => settle(() => reject(error))
    const session = connect(url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: MAX_HEADER_BYTES }
    })
    // What breaks the connection is told to the stream, too; once it is over, nobody listens.
    session.on('error', fail)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const { host = url.host, ...headers } = hop.headers
    const stream = session.request(
      {
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_SCHEME]: url.protocol.slice(0, -1),
        [constants.HTTP2_HEADER_AUTHORITY]: host,
        [constants.HTTP2_HEADER_PATH]: `${url.pathname}${url.search}`,
        ...headers
      },
      { endStream: body === null }
    )
    stream.on('error', fail)
    stream.on('aborted', () => fail(brokenOff()))
    // A body that is still being decoded has already been read to its end.
    stream.on('close', () => stream.readableEnded || fail(brokenOff()))
    stream.on('response', (sent: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
      watch.enter('download')
      const status = sent[':status'] ?? 0
      if (!isStatus(status)) return fail(withoutStatus())
      const head = { status, text: '', version: '2', headers: sent }
      hop.onHead(head)
      const isWanted = hop.isBodyWanted(head)
      const read = isWanted ? readBody(stream, sent['content-encoding'], hop.maxBodyBytes, hop.onPiece) : Promise.resolve(new Body([]))
      read.then((answered) => settle(() => resolve({ head, body: answered })), fail)
    })
    if (body === null) watch.enter('ttfb')
    else {
      stream.on('finish', () => {
        if (watch.phase === 'request') watch.enter('ttfb')
      })
      stream.end(body)
    }
  })
}
