/**
 * The signature of what Discord calls: Ed25519 over the time and the body as it came, by the key of
 * the application. Source: docs/design/outbound-channels.md#s4-5.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** How far the time of a call may be from ours, either way. Discord itself has no window. */
export const DISCORD_WINDOW_SECONDS = 300

/** `hex`: 64 characters, as Discord shows the key. */
export const discordKey = (hex: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(hex, 'hex').toString('base64url') }, format: 'jwk' })

/** Whether the key signed it, within the window. `now`: epoch ms. */
export function verifyDiscord(key: KeyObject, timestamp: string, signature: string, body: Buffer, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > DISCORD_WINDOW_SECONDS) return false
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'hex'))
}
