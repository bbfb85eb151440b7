/**
 * Connections of checks: a name is asked for once, every address of it is judged, and exactly those
 * are connected to. So a name that changes its answer gains nothing, and each phase is what
 * happened on the wire.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type SecureVersion, type TLSSocket } from 'node:tls'
import { type AddressGuard, BlockedTarget, type Checked, type Resolve } from '../http/address-guard.ts'
import type { Running } from './attempt.ts'
import { distrust, reportTls } from './certificate.ts'
import { CheckFailure, ourFault, untrusted } from './failure.ts'

/** How connections come about: the guard as it stands, and who is asked for names. */
export interface Network {
  guard: AddressGuard
  resolve: Resolve
}

/**
 * Rejects with the reason of `signal` as soon as that is aborted. Name servers cannot be hurried:
 * what they answer after the end is not waited for.
 */
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
export async function connectToOne(
  addresses: Checked[],
  port: number,
  guard: Pick<AddressGuard, 'judge'>,
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

/** What a handshake is to be like. */
export interface TlsWish {
  /** Name that the certificate must be for. */
  host: string
  /** False: whatever is shown is taken. The caller looks at what stands against it. */
  verify: boolean
  /** Null: the default roots. */
  secureContext?: SecureContext | null
  protocols?: string[]
  /** A secureContext has its own. */
  minVersion?: SecureVersion
}

export function secure(plain: Socket, wish: TlsWish, signal: AbortSignal): Promise<TLSSocket> {
  const { host, verify, secureContext = null, protocols, minVersion } = wish
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: plain,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(secureContext && { secureContext }),
      ...(protocols && { ALPNProtocols: protocols }),
      // Whom nobody verifies may be as old as it is; otherwise what stands against a certificate is
      // read from the connection, with its dates.
      minVersion: minVersion ?? (verify ? 'TLSv1.2' : 'TLSv1'),
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

export interface Dialled {
  host: string
  port: number
  family: 0 | 4 | 6
}

/** The addresses that a check may speak to; the phase is that of names. */
export function resolveTarget({ host, port, family }: Dialled, network: Network, { watch, signal }: Running): Promise<Checked[]> {
  watch.enter('dns')
  return unlessAborted(network.guard.resolve(host, port, family, network.resolve), signal)
}

/** A connection to the first address that answers. The caller destroys it. */
export async function openTo(to: Dialled, network: Network, running: Running): Promise<Socket> {
  const { watch, report, deadlineAt, signal } = running
  const addresses = await resolveTarget(to, network, running)
  watch.enter('connect')
  const socket = await connectToOne(addresses, to.port, network.guard, deadlineAt, signal)
  report.remoteIp = socket.remoteAddress ?? null
  return socket
}

/** TLS over a connection; throws what stands against the certificate where it is verified. */
export async function encrypt(plain: Socket, wish: TlsWish, { watch, report, signal }: Running): Promise<TLSSocket> {
  watch.enter('tls')
  const secured = await secure(plain, wish, signal)
  report.tls ??= reportTls(secured)
  const code = distrust(secured)
  if (wish.verify && code !== null) {
    secured.destroy()
    throw untrusted(code)
  }
  return secured
}
