/**
 * Opens the connections of checks. A name is resolved once, every address of it is judged by the
 * guard, and only these addresses are connected to. So a name that changes its answer gains
 * nothing, and the time of each phase is what happened on the wire.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type SecureVersion, type TLSSocket } from 'node:tls'
import { type AddressGuard, BlockedTarget, type Checked, type Resolve } from '../http/address-guard.ts'
import type { Running } from './attempt.ts'
import { distrust, reportTls } from './certificate.ts'
import { CheckFailure, ourFault, untrusted } from './failure.ts'

/** How connections are made: the current guard, and the resolver for names. */
export interface Network {
  guard: AddressGuard
  resolve: Resolve
}

/**
 * Rejects with the reason of `signal` as soon as it is aborted. A name lookup cannot be cancelled,
 * so an answer that comes after the end is not waited for.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    // Its rejection is handled in each case: one that nobody handles ends the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Connects to the first address that answers. Each address gets an equal part of the time left, so
 * that a dead one does not use it up.
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
      // The system connects to the address that it was given; to verify this costs one comparison.
      const refusal = guard.judge(socket.remoteAddress ?? '', port)
      if (!refusal) return socket
      socket.destroy()
      throw new BlockedTarget(refusal)
    } catch (error) {
      if (signal.aborted || error instanceof BlockedTarget) throw error
      // An error of one address that is about the target outweighs an error of another that the
      // prober cannot reach, such as IPv6 on many machines.
      if (said === null || ourFault(error, 'connect') === null) said = error
    }
  }
  throw said ?? new CheckFailure('dns', 'The name has no address')
}

/** `limitMs`: time limit for this address; null: only the signal ends the try. */
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

/** What a TLS handshake must be like. */
export interface TlsWish {
  /** The name that the certificate must be for. */
  host: string
  /** False: any certificate is accepted, and the caller looks at the objections to it. */
  verify: boolean
  /** Null: the default roots. */
  secureContext?: SecureContext | null
  protocols?: string[]
  /** Not for use with a secureContext, which has its own. */
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
      // A server that is not verified may use an old version of TLS. Objections to a certificate
      // are read from the connection later, together with its dates.
      minVersion: minVersion ?? (verify ? 'TLSv1.2' : 'TLSv1'),
      rejectUnauthorized: false
    })
    settle(socket, 'secureConnect', signal, () => resolve(socket), reject)
  })
}

/** Settles on the first of: the event, an error, a close before either, the abort. */
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
  // The error listener stays. A socket that breaks later has another listener too, but one without
  // any listener would end the process.
  socket.on('error', onError).once(event, onEvent).once('close', onClose)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
}

export interface Dialled {
  host: string
  port: number
  family: 0 | 4 | 6
}

/** Returns the addresses that a check may connect to. Enters the phase `dns`. */
export function resolveTarget({ host, port, family }: Dialled, network: Network, { watch, signal }: Running): Promise<Checked[]> {
  watch.enter('dns')
  return unlessAborted(network.guard.resolve(host, port, family, network.resolve), signal)
}

/** Opens a connection to the first address that answers. The caller destroys it. */
export async function openTo(to: Dialled, network: Network, running: Running): Promise<Socket> {
  const { watch, report, deadlineAt, signal } = running
  const addresses = await resolveTarget(to, network, running)
  watch.enter('connect')
  const socket = await connectToOne(addresses, to.port, network.guard, deadlineAt, signal)
  report.remoteIp = socket.remoteAddress ?? null
  return socket
}

/** Starts TLS on a connection. If the certificate is to be verified, throws the objection to it. */
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
