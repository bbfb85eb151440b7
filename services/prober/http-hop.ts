/**
 * One request over one connection of its own: resolve, guard, connect, handshake, send, read.
 * HTTP/1.1 on sockets opened here, so that each phase is what happened on the wire and the address
 * connected to is one that the guard has judged.
 * Rejects with CheckFailure, BlockedTarget, BodyTooLarge, Undecodable or the error of the socket;
 * `signal` ends it at any point.
 */
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { distrust, reportTls, type TlsReport } from './certificate.ts'
import { connectToOne, type Network, secure, unlessAborted } from './connection.ts'
import { untrusted } from './failure.ts'
import { Body, readBody } from './http-body.ts'
import type { Stopwatch } from './phases.ts'

/** Policies of some sites alone have 20 kB. */
const MAX_HEADER_BYTES = 65_536

export interface Hop {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer | null
  verifyTls: boolean
  secureContext: SecureContext | null
  family: 0 | 4 | 6
  maxBodyBytes: number
  /** By performance.now(). */
  deadlineAt: number
  /** Told as soon as it is known, so that an answer that fails later has it. */
  onTls(report: TlsReport): void
  onConnected(address: string): void
  onStatus(status: number): void
  /** The answer leads elsewhere: its body is not wanted. */
  isRedirect(answer: IncomingMessage): boolean
}

export interface Answer {
  message: IncomingMessage
  /** Empty where it was not wanted. */
  body: Body
}

export async function performHop(hop: Hop, network: Network, watch: Stopwatch, signal: AbortSignal): Promise<Answer> {
  const { url } = hop
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
      const secured = await secure(plain, { host, verify, secureContext, protocols: ['http/1.1'] }, signal)
      socket = secured
      hop.onTls(reportTls(secured))
      const code = distrust(secured)
      if (hop.verifyTls && code !== null) throw untrusted(code)
    }
    watch.enter('request')
    return await exchange(socket, hop, watch, signal)
  } finally {
    socket.destroy()
    plain.destroy()
  }
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
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    sent.on('error', fail)
    sent.on('finish', () => {
      if (watch.phase === 'request') watch.enter('ttfb')
    })
    sent.on('response', (message) => {
      // An answer may come before the whole request is out.
      if (watch.phase === 'request') watch.enter('ttfb')
      watch.enter('download')
      hop.onStatus(message.statusCode ?? 0)
      const isWanted = !hop.isRedirect(message)
      const body = isWanted ? readBody(message, message.headers['content-encoding'], hop.maxBodyBytes) : Promise.resolve(new Body([]))
      body.then((read) => {
        signal.removeEventListener('abort', onAbort)
        resolve({ message, body: read })
        sent.destroy()
      }, fail)
    })
    sent.end(hop.body ?? undefined)
  })
}
