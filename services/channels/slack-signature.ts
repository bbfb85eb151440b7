/**
 * The signature of what Slack calls: HMAC-SHA256 over the time and the body as it came, with the
 * signing secret of the app. Source: docs/design/outbound-channels.md#s4-2.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the time of a call may be from ours, either way. */
export const SLACK_WINDOW_SECONDS = 300

export const slackSignature = (secret: string, timestamp: string, body: Buffer): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`

const same = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Whether one of the secrets made it, within the window. `now`: epoch ms. */
export function verifySlack(secrets: readonly string[], timestamp: string, signature: string, body: Buffer, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > SLACK_WINDOW_SECONDS) return false
  return secrets.some((secret) => same(slackSignature(secret, timestamp, body), signature))
}
