/**
 * What a vendor's reply means when its channel has no special rule for it.
 * Source: docs/design/outbound-channels.md#s1-3 and #s1-4.
 */
import type { HttpRequest, SendContext, SendOutcome, SendReply } from './channel.ts'
import { truncate } from './text.ts'

/** A longer wait counts as a quota. */
export const MAX_RETRY_AFTER_MS = 3_600_000
/**
 * The longest wait that a target may ask for: a month, like the longest quota. A server that means
 * a time and not a delay would silence its channel for decades.
 */
const MAX_WAIT_MS = 31 * 24 * 3_600_000
/** How much of the reply a reason quotes, in characters. */
const MAX_QUOTED = 200

/** Reads Retry-After, in seconds or as an HTTP date. Null when it is missing or not readable. */
export function retryAfterMs({ headers }: SendReply, now: number): number | null {
  const text = headers['retry-after']?.trim()
  if (!text) return null
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

export const succeeded = ({ status }: SendReply): boolean => status >= 200 && status < 300

/** The body as an object. Null when it is not an object. */
export function objectIn({ body }: SendReply): Record<string, unknown> | null {
  try {
    return recordIn(JSON.parse(body))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export const recordIn = (value: unknown): Record<string, unknown> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null

export const textIn = (object: Record<string, unknown> | null, key: string): string | null => {
  const value = object?.[key]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

const quoted = (body: string): string => {
  const text = truncate(body.replace(/\s+/g, ' ').trim(), MAX_QUOTED)
  return text === '' ? '' : `: ${text}`
}

/** For example `HTTP 503: try later`. */
export const why = ({ status, body }: SendReply): string => `HTTP ${status}${quoted(body)}`

export const later = (reply: SendReply, now: number, given: number | null = retryAfterMs(reply, now)): SendOutcome => {
  const wait = given === null ? {} : { after_ms: Math.min(given, MAX_WAIT_MS) }
  const isQuota = given !== null && given > MAX_RETRY_AFTER_MS
  return { outcome: 'retry', why: why(reply), ...wait, ...(isQuota && { quota: true as const }) }
}

/** The vendor accepts nothing before `until` (epoch ms). */
export const quotaUntil = (reply: SendReply, until: number, now: number): SendOutcome => ({
  outcome: 'retry',
  why: why(reply),
  after_ms: Math.min(Math.max(0, until - now), MAX_WAIT_MS),
  quota: true
})

export const deadChannel = (reply: SendReply, user_text: string, at_once = false): SendOutcome => ({
  outcome: 'permanent',
  why: why(reply),
  scope: 'channel',
  ...(at_once && { at_once: true as const }),
  user_text
})

export const lost = (reply: SendReply, user_text: string): SendOutcome => ({
  outcome: 'permanent',
  why: why(reply),
  scope: 'delivery',
  user_text
})

/** Judges a reply that is not a success. */
export function judge(reply: SendReply, { now }: SendContext): SendOutcome {
  const { status } = reply
  if (status >= 300 && status < 400) return lost(reply, 'The address answers with a redirect, which is not followed. Update the address.')
  if (status === 408 || status === 425 || status === 429 || status >= 500) return later(reply, now)
  if (status === 410) return deadChannel(reply, 'The target says that it is gone for good.', true)
  if (status === 401 || status === 403) return deadChannel(reply, 'The target refuses the credential. Enter it again.')
  if (status === 404) return deadChannel(reply, 'The target knows no such address.')
  if (status >= 400) return lost(reply, 'The target refused this message.')
  // A 1xx never arrives here. A 2xx does when its body is not the vendor's body of a success.
  return { outcome: 'retry', why: `an answer that was not understood, ${why(reply)}`, ambiguous: true }
}

/**
 * Marks the outcome of a request that opens an alert or ticket: after a server error or timeout it
 * may exist all the same.
 */
export function unsure(reply: SendReply, outcome: SendOutcome): SendOutcome {
  const { status } = reply
  return outcome.outcome === 'retry' && (status >= 500 || status === 408) ? { ...outcome, ambiguous: true } : outcome
}

/** A request with a JSON body. */
export const jsonRequest = (
  url: string,
  body: unknown,
  { deployment }: SendContext,
  rest: Partial<Pick<HttpRequest, 'method' | 'headers' | 'secrets' | 'guarded'>> = {}
): HttpRequest => ({
  via: 'http',
  method: rest.method ?? 'POST',
  url,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    accept: 'application/json',
    'user-agent': deployment.user_agent,
    ...rest.headers
  },
  body: JSON.stringify(body),
  secrets: rest.secrets ?? [],
  guarded: rest.guarded ?? false
})

/** A request with a form as its body. */
export const formRequest = (
  url: string,
  form: readonly [name: string, value: string][],
  { deployment }: SendContext,
  rest: Partial<Pick<HttpRequest, 'headers' | 'secrets' | 'guarded'>> = {}
): HttpRequest => ({
  via: 'http',
  method: 'POST',
  url,
  headers: {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    accept: 'application/json',
    'user-agent': deployment.user_agent,
    ...rest.headers
  },
  body: new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString(),
  secrets: rest.secrets ?? [],
  guarded: rest.guarded ?? false
})

/** The vendor's address, or the one that the operator has set for the kind. */
export const baseUrl = (kind: string, vendor: string, { deployment }: SendContext): string =>
  (deployment.base_urls[kind] ?? vendor).replace(/\/+$/, '')
