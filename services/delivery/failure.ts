/** The error of an attempt that got no reply, or that is not allowed. */

/**
 * `blocked_target`: the address guard refused it. `timeout` and `network`: nothing came back.
 * `unsupported`: this deployment cannot send it.
 */
export type FailureKind = 'blocked_target' | 'timeout' | 'network' | 'tls_untrusted' | 'unsupported'

export class SendFailure extends Error {
  override readonly name = 'SendFailure'
  readonly kind: FailureKind
  /** True when the request was already on its way, so the other side may have received it. */
  readonly ambiguous: boolean
  /** True when the other side belongs to this deployment, as its mail server does. */
  readonly operator: boolean
  constructor(kind: FailureKind, message: string, ambiguous = false, operator = false) {
    super(message)
    this.kind = kind
    this.ambiguous = ambiguous
    this.operator = operator
  }
}

/** Certificate errors, by the codes of OpenSSL and Node. */
const UNTRUSTED =
  /^(?:CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)/

/**
 * Turns a socket error into words for people. It uses only the error code, because error messages
 * contain addresses.
 */
export function failureOf(error: unknown, ambiguous: boolean): SendFailure {
  if (error instanceof SendFailure) return error
  const code = (error as NodeJS.ErrnoException | null)?.code ?? 'ERR_UNKNOWN'
  if (code === 'ERR_BLOCKED_TARGET')
    return new SendFailure(
      'blocked_target',
      'The address may not be sent to: it is not public, or the operator of this service has closed it'
    )
  if (UNTRUSTED.test(code)) return new SendFailure('tls_untrusted', `The certificate of the other side is not trusted (${code})`)
  return new SendFailure('network', `The connection failed (${code})`, ambiguous)
}
