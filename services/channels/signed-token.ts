/**
 * Signed tokens with which the service identifies itself to Google and Apple. A token is made once
 * per period and used for many messages, because signing costs more than the rest of a message.
 * Source: RFC 7519; docs/design/outbound-channels.md#s6.
 */
import { sign } from 'node:crypto'

const kept = new Map<string, string>()
const MAX_KEPT = 100

const part = (value: object | Buffer): string => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url')

/** `key`: PEM. ES256 needs a P-256 key, RS256 an RSA key. */
export function signedToken(
  alg: 'ES256' | 'RS256',
  key: string,
  claims: Readonly<Record<string, string | number>>,
  header: Readonly<Record<string, string>> = {}
): string {
  const text = `${part({ alg, ...header })}.${part(claims)}`
  const name = `${key} ${text}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const signature = sign('sha256', Buffer.from(text), { key, ...(alg === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }) })
  const token = `${text}.${part(signature)}`
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(name, token)
  return token
}

/** How far clocks may differ. */
const SKEW_SECONDS = 60

/**
 * `iat` in Unix seconds. It is the same for a whole period, and so is the token. It is never ahead
 * of the other side's clock.
 */
export function issuedAt(now: number, periodSeconds: number): number {
  const seconds = Math.floor(now / 1000) - SKEW_SECONDS
  return seconds - (seconds % periodSeconds)
}
