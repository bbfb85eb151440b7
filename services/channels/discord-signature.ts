/**
 * The signature of Discord's calls: Ed25519 over the timestamp and the raw body, with the
 * application's key.
 * Source: docs/design/outbound-channels.md#s4-5.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/**
 * How far the timestamp of a call may be from our time, in either direction. Discord itself sets no
 * limit.
 */
export const DISCORD_WINDOW_SECONDS = 300

/** `hex`: the key as Discord shows it, 64 characters. */
export const discordKey = (hex: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(hex, 'hex').toString('base64url') }, format: 'jwk' })

/** Returns whether the key signed the call within the allowed time. `now`: epoch ms. */
export function verifyDiscord(key: KeyObject, timestamp: string, signature: string, body: Buffer, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > DISCORD_WINDOW_SECONDS) return false
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'hex'))
}
