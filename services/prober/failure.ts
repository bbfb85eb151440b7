/**
 * Describes a failure of a target: a reason from the closed list, and a sentence for people. The
 * sentence contains no host, header, credential or text of the answer, because it goes to data
 * teams with the result.
 * Source: docs/design/api/monitors.md#s3-5, CheckResult.avsc.
 */
import type { failureReasons } from '../../schemas/http/check-config.ts'
import { BlockedTarget } from '../http/address-guard.ts'
import type { Phase } from './phases.ts'

export type Reason = (typeof failureReasons)[number]

export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly reason: Reason
  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * The prober could not do the check, which says nothing about the target. `message` says why, for
 * people.
 */
export class ProberFault extends Error {
  override readonly name = 'ProberFault'
  /** The check may go better in a moment: it is repeated like one that fails. */
  readonly again: boolean
  constructor(message: string, { again = false } = {}) {
    super(message)
    this.again = again
  }
}

export const withoutStatus = (): CheckFailure => new CheckFailure('protocol', 'The answer has no valid status code')

const socketTexts: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EHOSTUNREACH: 'The host is unreachable',
  EPIPE: 'The connection was closed while the request was sent',
  ETIMEDOUT: 'The system gave the connection up'
}

const dnsTexts: Record<string, string> = {
  ENOTFOUND: 'The name does not exist',
  ENODATA: 'The name has no address of this family',
  ESERVFAIL: 'The name server failed',
  EREFUSED: 'The name server refused the question',
  ETIMEOUT: 'The name server did not answer'
}

/**
 * Errors about the prober's machine and not the target. A prober without a network, or out of
 * sockets, cannot judge a target.
 */
const oursTexts: Record<string, string> = {
  ENETUNREACH: 'The prober has no way to this network',
  ENETDOWN: 'The network of the prober is down',
  EADDRNOTAVAIL: 'The prober has no address to connect from',
  EMFILE: 'The prober has too many connections open',
  ENFILE: 'The machine of the prober has too many files open',
  ENOBUFS: 'The machine of the prober has no room for connections',
  ENOMEM: 'The machine of the prober is out of memory'
}

const certificateTexts: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The chain ends in a self-signed certificate that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The chain of the certificate is incomplete',
  UNABLE_TO_GET_ISSUER_CERT: 'The chain of the certificate is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The issuer of the certificate is not trusted',
  CERT_REVOKED: 'The certificate is revoked',
  INVALID_PURPOSE: 'The certificate is not for servers'
}

const phaseTexts: Record<Phase, string> = {
  dns: 'while the name was resolved',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  request: 'while the request was sent',
  ttfb: 'before the answer began',
  download: 'before the answer ended'
}

/** Codes come from Node or OpenSSL, never from the target. The pattern makes sure of that. */
const withCode = (text: string, code: string): string => (/^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? `${text} (${code})` : text)

export const timedOut = (phase: Phase | null): CheckFailure =>
  new CheckFailure('timeout', `The time was over ${phase ? phaseTexts[phase] : 'at the start'}`)

export const untrusted = (code: string): CheckFailure =>
  new CheckFailure('tls', certificateTexts[code] ?? withCode('The certificate is not trusted', code))

/** Returns why the prober itself could not do the check; null if the error is not of that kind. */
export function ourFault(error: unknown, phase: Phase | null): string | null {
  const code = (error instanceof Error && (error as NodeJS.ErrnoException).code) || ''
  if (phase === 'dns' && code === 'ECONNREFUSED') return 'The prober reaches no name server'
  return phase === 'dns' || phase === 'connect' ? (oursTexts[code] ?? null) : null
}

/**
 * Turns an error of a phase into a failure. Returns null if it is not an error of a connection,
 * which means a fault of the prober.
 */
export function toFailure(error: unknown, phase: Phase | null): CheckFailure | null {
  if (error instanceof CheckFailure) return error
  if (error instanceof BlockedTarget) return new CheckFailure('blocked_target', error.message)
  if (!(error instanceof Error) || phase === null) return null
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === '') return null
  if (phase === 'dns') return new CheckFailure('dns', dnsTexts[code] ?? withCode('The name could not be resolved', code))
  if (phase === 'tls') return new CheckFailure('tls', withCode('The TLS handshake failed', code))
  if (phase === 'connect') return new CheckFailure('connect', socketTexts[code] ?? withCode('The connection failed', code))
  // In TLS 1.3 the server checks a client certificate only after the handshake.
  if (code.startsWith('ERR_SSL_')) return new CheckFailure('tls', withCode('The server ended the TLS connection', code))
  if (code.startsWith('ERR_HTTP2_')) return new CheckFailure('protocol', withCode('The answer is not HTTP/2', code))
  if (code.startsWith('HPE_')) return new CheckFailure('protocol', withCode('The answer is not HTTP/1.1', code))
  return new CheckFailure('protocol', withCode(`The connection broke ${phaseTexts[phase]}`, code))
}
