/**
 * Six-digit codes that prove a phone number or an address. Whoever has a plain hash of six digits
 * can guess them, so a keyed hash is stored: HMAC-SHA256 under a key that is derived from the
 * service's own.
 * Source: docs/design/api/notifications.md#no-8; RFC 2104, RFC 5869.
 */
import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto'

const DIGITS = 6

export const mintCode = (): string => String(randomInt(0, 10 ** DIGITS)).padStart(DIGITS, '0')

/** `secretsKey`: 64 hex characters. `verification_id`: the id of this sending only. */
export function codeHmac(secretsKey: string, verification_id: string, code: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secretsKey, 'hex'), 'service.codes.v1', '', 32))
  return createHmac('sha256', key).update(`${verification_id.toLowerCase()}:${code}`).digest()
}

export const isCode = (hmac: Buffer, secretsKey: string, verification_id: string, code: string): boolean => {
  const other = codeHmac(secretsKey, verification_id, code)
  return other.length === hmac.length && timingSafeEqual(other, hmac)
}
