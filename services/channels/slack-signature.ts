/**
 * The signature of Slack's calls: HMAC-SHA256 over the timestamp and the raw body, with the app's
 * signing secret.
 * Source: docs/design/outbound-channels.md#s4-2.
 */
import { createHmac } from 'node:crypto'
import { isSameSecret } from './same-secret.ts'

/** How far the timestamp of a call may be from our time, in either direction. */
export const SLACK_WINDOW_SECONDS = 300

export const slackSignature = (secret: string, timestamp: string, body: Buffer): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`

/** Returns whether one of the secrets signed the call within the allowed time. `now`: epoch ms. */
export function verifySlack(secrets: readonly string[], timestamp: string, signature: string, body: Buffer, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > SLACK_WINDOW_SECONDS) return false
  return secrets.some((secret) => isSameSecret(slackSignature(secret, timestamp, body), signature))
}
