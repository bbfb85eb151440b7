/**
 * One request over one connection of its own: resolve, guard, connect, handshake, send, read.
 * HTTP/1.1 on sockets opened here, so that each phase is what happened on the wire and the address
 * connected to is one that the guard has judged.
 * Rejects with CheckFailure, BlockedTarget, BodyTooLarge, Undecodable or the error of the socket;
 * `signal` ends it at any point.
 */
import { type IncomingMessage, request } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import { type AddressGuard, BlockedTarget, type Checked, type Resolve } from '../http/address-guard.ts'
import { distrust, reportTls, type TlsReport } from './certificate.ts'
import { CheckFailure, ourFault, untrusted } from './failure.ts'
import { Body, readBody } from './http-body.ts'
import type { Stopwatch } from './phases.ts'

/** Policies of some sites alone have 20 kB. */
const MAX_HEADER_BYTES = 65_536

/** How connections come about: the guard as it stands, and who is asked for names. */
export interface Network {
  guard: AddressGuard
  resolve: Resolve
}

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
      const secured = await secure(plain, host, hop, signal)
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

/** Name servers cannot be hurried: what they answer after the end is not waited for. */
/** Rejects with the reason of `signal` as soon as that is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/**
 * The first of the addresses that answers; each gets an even part of the time left, so that a dead
 * one does not use it up.
 */
async function connectToOne(
  addresses: Checked[],
  port: number,
  guard: AddressGuard,
  deadlineAt: number,
  signal: AbortSignal
): Promise<Socket> {
  let said: unknown = null
  for (const [at, checked] of addresses.entries()) {
    const left = addresses.length - at
    try {
      const socket = await open(checked, port, left > 1 ? (deadlineAt - performance.now()) / left : null, signal)
      // The system connected where it was told; that this is so costs one comparison to know.
      const refusal = guard.judge(socket.remoteAddress ?? '', port)
      if (!refusal) return socket
      socket.destroy()
      throw new BlockedTarget(refusal)
    } catch (error) {
      if (signal.aborted || error instanceof BlockedTarget) throw error
      // What one address says of the target outweighs that the prober has no way to another, as to
      // IPv6 on many a machine.
      if (said === null || ourFault(error, 'connect') === null) said = error
    }
  }
  throw said ?? new CheckFailure('dns', 'The name has no address')
}

/** `limitMs`: own limit of this address, null for none but the signal. */
function open({ address, family }: Checked, port: number, limitMs: number | null, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, family, noDelay: true })
    const timer =
      limitMs === null
        ? undefined
        : setTimeout(() => socket.destroy(new CheckFailure('connect', 'The connection was not answered')), limitMs)
    const done = (tell: () => void) => {
      clearTimeout(timer)
      tell()
    }
    settle(
      socket,
      'connect',
      signal,
      () => done(() => resolve(socket)),
      (error) => done(() => reject(error))
    )
  })
}

function secure(plain: Socket, host: string, { verifyTls, secureContext }: Hop, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: plain,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(secureContext && { secureContext }),
      ALPNProtocols: ['http/1.1'],
      // Whom nobody verifies may be as old as it is; otherwise what stands against a certificate is
      // read from the connection, with its dates.
      minVersion: verifyTls ? 'TLSv1.2' : 'TLSv1',
      rejectUnauthorized: false
    })
    settle(socket, 'secureConnect', signal, () => resolve(socket), reject)
  })
}

/** One of: the event, an error, the end before either, the abort. */
function settle(socket: Socket, event: string, signal: AbortSignal, done: () => void, failed: (error: unknown) => void): void {
  const onAbort = (): void => finish(() => failed(signal.reason), true)
  const onEvent = (): void => finish(done, false)
  const onError = (error: Error): void => finish(() => failed(error), true)
  const onClose = (): void => onError(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }))
  const finish = (tell: () => void, destroy: boolean): void => {
    signal.removeEventListener('abort', onAbort)
    socket.off(event, onEvent).off('close', onClose)
    if (destroy) socket.destroy()
    tell()
  }
  // Stays: a socket that breaks later has another listener, and one without any would end the
  // process.
  socket.on('error', onError).once(event, onEvent).once('close', onClose)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
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
