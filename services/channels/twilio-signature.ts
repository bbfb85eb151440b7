/**
 * The signature of Twilio's callbacks: HMAC-SHA1 over the address as it was called and every field
 * of the form.
 * Source: docs/design/outbound-channels.md#s4-4.
 */
import { createHmac } from 'node:crypto'
import { isSameSecret } from './same-secret.ts'

/** The fields in their order. A name may occur twice. */
export type Form = readonly (readonly [name: string, value: string])[]

/** Names are sorted. The values of one name are sorted too, each once. */
function signedText(url: string, form: Form): string {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value))
  const names = [...values.keys()].sort()
  return url + names.flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value)).join('')
}

export const twilioSignature = (token: string, url: string, form: Form): string =>
  createHmac('sha1', token).update(signedText(url, form), 'utf8').digest('base64')

/** Twilio signs some addresses with the default port in them, and some without it. */
function spellings(url: string): string[] {
  const { protocol, host, hostname, port } = new URL(url)
  const start = `${protocol}//`
  if (port === '') return [url, `${start}${hostname}:${protocol === 'https:' ? 443 : 80}${url.slice(start.length + host.length)}`]
  return [url, `${start}${hostname}${url.slice(start.length + host.length)}`]
}

/**
 * Returns whether one of the tokens made the signature. `url`: the public address, with its query.
 */
export const verifyTwilio = (tokens: readonly string[], signature: string, url: string, form: Form): boolean =>
  tokens.some((token) => spellings(url).some((spelling) => isSameSecret(twilioSignature(token, spelling, form), signature)))
