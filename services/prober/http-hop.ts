/**
 * Performs one request over one connection of its own: resolve, guard, connect, handshake, send,
 * read. The sockets are opened here, so that the time of each phase is what happened on the wire,
 * and the connected address is one that the guard has judged. Uses HTTP/1.1, or HTTP/2 if asked
 * for. Rejects with CheckFailure, BlockedTarget, BodyTooLarge, Undecodable or the error of the
 * socket; `signal` ends the request at any point.
 */
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { distrust, reportTls } from './certificate.ts'
import { connectToOne, type Network, secure, unlessAborted } from './connection.ts'
import { CheckFailure, untrusted, withoutStatus } from './failure.ts'
import { Body, readBody } from './http-body.ts'
import { type Answer, type Hop, isStatus, MAX_HEADER_BYTES } from './http-shapes.ts'
import { exchangeHttp2 } from './http2-exchange.ts'
import type { Stopwatch } from './phases.ts'

export async function performHop(hop: Hop, network: Network, watch: Stopwatch, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted()
  const { url, http2 } = hop
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  watch.enter('dns')
  const addresses = await unlessAborted(network.guard.resolve(host, port, hop.family, network.resolve), signal)
  watch.enter('connect')
  const plain = await connectToOne(addresses, port, network.guard, hop.deadlineAt, signal)
  let socket = plain
  try {
    hop.onConnected(plain.remoteAddress ?? '')
    if (isTls) {
      watch.enter('tls')
      const { verifyTls: verify, secureContext } = hop
      const secured = await secure(plain, { host, verify, secureContext, protocols: [http2 ? 'h2' : 'http/1.1'] }, signal).catch(refusal)
      socket = secured
      hop.onTls(reportTls(secured))
      const code = distrust(secured)
      if (hop.verifyTls && code !== null) throw untrusted(code)
      if (http2 && secured.alpnProtocol !== 'h2') throw withoutHttp2()
    }
    watch.enter('request')
    return await (http2 ? exchangeHttp2 : exchange)(socket, hop, watch, signal)
  } finally {
    socket.destroy()
    plain.destroy()
  }
}

const withoutHttp2 = (): CheckFailure => new CheckFailure('protocol', 'The server does not speak HTTP/2')

/** Some servers end the handshake if there is no protocol in common. */
function refusal(error: NodeJS.ErrnoException): never {
  throw error.code?.includes('NO_APPLICATION_PROTOCOL') ? withoutHttp2() : error
}

function exchange(socket: Socket, hop: Hop, watch: Stopwatch, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { url } = hop
    const onAbort = (): void => fail(signal.reason)
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort)
      reject(error)
      sent.destroy()
    }
    const sent = request({
      createConnection: () => socket,
      method: hop.method,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...hop.headers },
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES
    })
    sent.on('error', fail)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    sent.on('finish', () => {
      if (watch.phase === 'request') watch.enter('ttfb')
    })
    sent.on('response', (message) => {
      // An answer may begin before the whole request is sent.
      if (watch.phase === 'request') watch.enter('ttfb')
      watch.enter('download')
      const { statusCode: status = 0, statusMessage: text = '', httpVersion: version, headers } = message
      if (!isStatus(status)) return fail(withoutStatus())
      const head = { status, text, version, headers }
      hop.onHead(head)
      const isWanted = hop.isBodyWanted(head)
      const body = isWanted ? readBody(message, headers['content-encoding'], hop.maxBodyBytes, hop.onPiece) : Promise.resolve(new Body([]))
      body.then((read) => {
        signal.removeEventListener('abort', onAbort)
        resolve({ head, body: read })
        sent.destroy()
      }, fail)
    })
    sent.end(hop.body ?? undefined)
  })
}
