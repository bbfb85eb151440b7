/**
 * Reads what a ping says from the address, query and body of its request. Pure.
 *
 * Addresses: /api/v1/ping/{token} and /api/v1/ping/k/{ping_key}/{slug}. Senders made for
 * self-hosted Healthchecks use /ping/{uuid} and /ping/{ping_key}/{slug}. After each may come
 * nothing, /start, /fail, /log or /{0-255}; a final slash makes no difference.
 *
 * Source: docs/design/api/heartbeats.md#s4-3; healthchecks.io/docs/http_api (2026-11).
 */
import { isUtf8 } from 'node:buffer'
import type { PingKind } from '../../../schemas/generated/events.ts'
import { EXCERPT, excerptOf } from './redact.ts'

/** Jobs send their whole log, which may grow. What follows READ_BYTES is dropped as it arrives. */
export const MAX_BYTES = 10 * 1024 * 1024
/** How much of a body is read, for the words in it. */
export const READ_BYTES = 100 * 1024

export interface Pinged {
  /** The lookup key: a ping token, or ping key and slug. */
  by: 'token' | 'slug'
  key: string
  kind: PingKind
  exit_code: number | null
}

/** A mistake of the sender, with a text for it: 400. */
export interface Misspelt {
  error: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PING_KEY = /^[A-Za-z0-9_-]{1,64}$/
const SLUG = /^[a-z0-9_-]{1,100}$/
const NATIVE = '/api/v1/ping/'
const COMPATIBLE = '/ping/'

/**
 * Returns null when there is nothing at this address. `path` is the path of a request, without its
 * query.
 */
export function pingedBy(path: string): Pinged | Misspelt | null {
  const native = path.startsWith(NATIVE)
  const parts = path.slice(native ? NATIVE.length : COMPATIBLE.length).split('/')
  if (parts.at(-1) === '') parts.pop()
  const [first = '', second = ''] = parts
  const token = first.toLowerCase()
  if (UUID.test(token)) return parts.length > 2 ? null : reported('token', token, parts[1])
  if (native && first !== 'k') return null
  if (native) parts.shift()
  const [ping_key = first, slug = second, action] = parts
  if (parts.length < 2 || parts.length > 3 || !PING_KEY.test(ping_key) || !SLUG.test(slug)) return null
  return reported('slug', `${ping_key}/${slug}`, action)
}

function reported(by: Pinged['by'], key: string, action: string | undefined): Pinged | Misspelt | null {
  switch (action) {
    case undefined:
      return { by, key, kind: 'success', exit_code: null }
    case 'start':
    case 'fail':
    case 'log':
      return { by, key, kind: action, exit_code: null }
  }
  if (!/^\d{1,9}$/.test(action)) return null
  const exit_code = Number(action)
  return exit_code <= 255 ? { by, key, kind: 'exit', exit_code } : { error: 'An exit code is a number from 0 to 255' }
}

/** Returns the run that a ping belongs to; null for none. */
export function runOf(rid: string): string | Misspelt | null {
  if (rid === '') return null
  const run_id = rid.toLowerCase()
  return UUID.test(run_id) ? run_id : { error: 'rid must be a UUID, such as 0198e000-0000-4000-8000-000000000000' }
}

/** A number above this is in milliseconds. */
const SECONDS_END = 100_000_000_000
/** Year 2100: a later time is not accepted from a sender. */
const LATEST = 4_102_444_800_000

/**
 * Returns the sender's own time: epoch seconds or milliseconds, or ISO 8601. Returns null when it
 * cannot be read, because it is only informative.
 */
export function clientAt(ts: string): number | null {
  if (ts === '' || ts.length > 40) return null
  const number = Number(ts)
  const ms = Number.isNaN(number) ? Date.parse(ts) : number < SECONDS_END ? number * 1000 : number
  return ms >= 0 && ms < LATEST ? Math.floor(ms) : null
}

/**
 * Returns the first `most` characters of a body; null when it is not text. `whole`: no further
 * bytes follow these.
 */
export function excerptOfBody(bytes: Buffer, whole: boolean, most = EXCERPT): string | null {
  if (bytes.length === 0) return null
  const text = whole ? bytes : bytes.subarray(0, characterBoundary(bytes))
  return isUtf8(text) ? excerptOf(text.toString('utf8'), most) : null
}

/** Returns where the last complete character ends. */
function characterBoundary(bytes: Buffer): number {
  let at = bytes.length
  for (let back = 0; back < 4 && at > 0; back++) {
    at -= 1
    const byte = bytes[at] ?? 0
    if (byte < 0x80) return at + 1
    if (byte >= 0xc0) return at
  }
  return bytes.length
}
