/**
 * What a TLS connection shows about itself, for the result. Nothing is decided here: the handshake
 * has already said whether the certificate is good.
 */
import type { TLSSocket } from 'node:tls'
import type { Result } from '../../schemas/http/prober.ts'
import { MAX_CERTIFICATE_ALTERNATIVE_NAME, MAX_CERTIFICATE_ALTERNATIVE_NAMES, MAX_CERTIFICATE_NAME } from '../../schemas/limits.ts'

export type TlsReport = NonNullable<Result['tls']>

/** The name is verified after the chain, so this error says nothing against the chain. */
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'

/** `CN=R11, O=Let's Encrypt, C=US`, the parts people look for first. */
function distinguished(name: Record<string, unknown> | undefined): string | null {
  const parts = ['CN', 'O', 'OU', 'C'].flatMap((key) => [name?.[key] ?? []].flat().map((value) => `${key}=${String(value)}`))
  return parts.length === 0 ? null : parts.join(', ').slice(0, MAX_CERTIFICATE_NAME)
}

function instant(text: string | undefined): string | null {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/**
 * Returns the code of the handshake's objection to the certificate; null if the certificate is
 * trusted, its name included.
 */
export function distrust(socket: TLSSocket): string | null {
  if (socket.authorized) return null
  const error: unknown = socket.authorizationError
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error ?? 'UNKNOWN')
}

export function reportTls(socket: TLSSocket): TlsReport {
  const certificate = socket.getPeerCertificate()
  const code = distrust(socket)
  return {
    version: socket.getProtocol(),
    cipher: socket.getCipher().name.slice(0, 64),
    issuer: distinguished({ ...certificate.issuer }),
    subject: distinguished({ ...certificate.subject }),
    sans: (certificate.subjectaltname ?? '')
      .split(', ')
      .filter(Boolean)
      .slice(0, MAX_CERTIFICATE_ALTERNATIVE_NAMES)
      .map((name) => name.slice(0, MAX_CERTIFICATE_ALTERNATIVE_NAME)),
    not_before: instant(certificate.valid_from),
    not_after: instant(certificate.valid_to),
    chain_ok: code === null || code === OTHER_NAME
  }
}
