/**
 * Helpers for the proofs of senders: they compare secrets and signatures in constant time, and
 * never return or log a value. Senders that cannot sign, but can send a header of the user's
 * choice, share one proof: `sharedSecret` and `secretHeaders`.
 *
 * Source: docs/design/inbound-sources.md#s29-2.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Delivery, Json, Source } from './source.ts'

/** Returns whether two texts are equal. The time it takes reveals only their lengths. */
export function isSame(presented: string, expected: string): boolean {
  const one = Buffer.from(presented)
  const other = Buffer.from(expected)
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Returns whether the text is the HMAC-SHA256 of the concatenated parts, in hex (any case) or
 * base64.
 */
export function isHmac(presented: string, encoding: 'hex' | 'base64', key: string | Buffer, ...parts: (string | Buffer)[]): boolean {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return isSame(encoding === 'hex' ? presented.toLowerCase() : presented, hmac.digest(encoding))
}

/** Returns a text setting of the integration, or null when it is not set. */
export function textSetting(settings: Json, name: string): string | null {
  const value = settings[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * The headers that may carry a shared secret. A source that offers `sharedSecret` lists them in its
 * `headers`.
 */
export const secretHeaders = ['x-webhook-secret', 'authorization', 'x-api-key', 'x-webhook-token'] as const

/**
 * A proof for senders that cannot sign: a secret in a header. In Authorization it may follow a
 * scheme (Bearer), or be the password of Basic.
 */
export const sharedSecret: NonNullable<Source['verify']> = {
  settings: {
    secret: {
      type: 'text',
      secret: true,
      description: 'The value of the header that the sender is told to send. Deliveries without it are refused.'
    },
    secret_header: {
      type: 'choice',
      choices: secretHeaders,
      default: 'x-webhook-secret',
      description: 'The header that the secret comes in. Authorization takes "Bearer SECRET", and Basic with the secret as the password.'
    }
  },
  check({ headers, settings }: Delivery) {
    const secret = textSetting(settings, 'secret')
    if (secret === null) return null
    const name = textSetting(settings, 'secret_header') ?? 'x-webhook-secret'
    const presented = headers[name]
    if (presented === undefined) return `The header ${name} is missing`
    const matches = name === 'authorization' ? isCredential(presented, secret) : isSame(presented, secret)
    return matches ? null : `The header ${name} does not hold the secret of this integration`
  }
}

/**
 * Accepts the secret itself, the secret after a scheme, or the secret as the password of Basic with
 * any user name.
 */
function isCredential(presented: string, secret: string): boolean {
  const space = presented.indexOf(' ')
  if (space < 0) return isSame(presented, secret)
  const scheme = presented.slice(0, space).toLowerCase()
  const value = presented.slice(space + 1).trim()
  if (scheme !== 'basic') return isSame(value, secret) || isSame(presented, secret)
  return isSame(passwordOf(value), secret)
}

/** Returns the password in what follows Basic. Without a colon, all of it is the password. */
export function passwordOf(credential: string): string {
  const pair = Buffer.from(credential, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}

/**
 * Returns whether a delivery must be proven: the source always requires it, or the integration has
 * a setting for it. `settings` is null when a secret cannot be decrypted.
 */
export const asksProof = ({ verify }: Source, settings: Json | null): boolean =>
  verify !== undefined && (verify.always === true || settings === null || Object.keys(settings).length > 0)

/**
 * A proof for senders that can only use HTTP Basic authentication: the secret is the password. A
 * source that offers it lists `authorization` in its `headers`.
 */
export const basicSecret: NonNullable<Source['verify']> = {
  settings: {
    secret: { type: 'text', secret: true, description: 'The password of HTTP Basic authentication; the user name may be any.' }
  },
  check: (delivery) => sharedSecret.check({ ...delivery, settings: { ...delivery.settings, secret_header: 'authorization' } })
}
