/**
 * The signatures of the generic webhook: X-Service-Signature, and the headers of Standard Webhooks
 * when the secret has their form.
 * Source: docs/design/outbound-channels.md#s5-2.
 */
import { createHmac } from 'node:crypto'

const GENERATED = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/

/**
 * Returns `t=…,v1=…[,v1=…]`: one signature for each secret, the newest first. `seconds`: Unix time
 * of the attempt.
 */
export const serviceSignature = (secrets: readonly string[], seconds: number, body: string): string =>
  [`t=${seconds}`, ...secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`)].join(',')

/** Null when no secret has the form `whsec_<base64>`. */
export function standardSignature(secrets: readonly string[], id: string, seconds: number, body: string): string | null {
  const keys = secrets.map((secret) => GENERATED.exec(secret)?.[1]).filter((key) => key !== undefined)
  if (keys.length === 0) return null
  return keys
    .map((key) => `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ')
}
