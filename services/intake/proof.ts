/**
 * What the proofs of senders are checked with: secrets and signatures compared in constant time. Nothing here says or logs a value.
 * Source: inbound-sources.md 29.2.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Json } from './source.ts'

/** Whether two texts are equal, in a time that tells only their lengths. */
export function isSame(presented: string, expected: string): boolean {
  const one = Buffer.from(presented)
  const other = Buffer.from(expected)
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Whether the text is the HMAC-SHA256 of the parts, one after the other, in hex (any case) or base64. */
export function isHmac(presented: string, encoding: 'hex' | 'base64', key: string | Buffer, ...parts: (string | Buffer)[]): boolean {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return isSame(encoding === 'hex' ? presented.toLowerCase() : presented, hmac.digest(encoding))
}

/** A text that the integration sets, or null where it sets none. */
export function textSetting(settings: Json, name: string): string | null {
  const value = settings[name]
  return typeof value === 'string' && value !== '' ? value : null
}
