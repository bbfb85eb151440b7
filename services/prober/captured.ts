/**
 * Makes the form in which the answer of a failed HTTP check is kept: its status line, its headers
 * and the beginning of its body, without what looks like a secret. Nothing of the answer leaves the
 * prober before that. If the bytes are not text, only their number is kept.
 *
 * These are removed: what the monitor itself sends as a secret, also in the spelling of an address,
 * a form or a page; values of headers, members, elements, attributes and form fields whose names
 * are those of credentials; queries of addresses in headers; and what redact.ts recognises by its
 * look. The time is linear in the answer: every pattern is bounded or only moves forward.
 * Source: docs/design/api/monitors.md#capture.
 */
import type { Assignment, Capture } from '../../schemas/http/prober.ts'
import { isSensitiveHeader } from '../../schemas/http/secret-headers.ts'
import {
  MAX_CAPTURE_BODY,
  MAX_CAPTURE_HEADER_NAME,
  MAX_CAPTURE_HEADER_VALUE,
  MAX_CAPTURE_HEADERS,
  MAX_CAPTURE_STATUS_TEXT
} from '../../schemas/limits.ts'
import { printable, redact } from '../credentials/redact.ts'
import type { Reason } from './failure.ts'
import { withoutQuery, withoutSecrets } from './found.ts'
import { excerptOf } from './http-body.ts'
import type { Head } from './http-shapes.ts'

/** More than is kept, so that a secret that crosses the cut is still recognised. */
const SEEN_BYTES = MAX_CAPTURE_BODY + 1024
/** Characters that are left out at the end of a text that was cut: a secret may begin in them. */
const TAIL = 512
/** Characters of a header that are examined. */
const SEEN_HEADER = 4096
const SECRET = '[secret]'

/** Collects an answer as it arrives, during its attempt. */
export class SeenAnswer {
  head: Head | null = null
  /** Bytes of the body, after decoding. */
  bytes = 0
  isWhole = false
  readonly #secrets: string[]
  #pieces: Buffer[] = []
  #room = SEEN_BYTES

  /** `secrets`: what the monitor sends and nobody may see. */
  constructor(secrets: readonly string[]) {
    this.#secrets = [...secrets]
  }

  get secrets(): readonly string[] {
    return this.#secrets
  }

  hide(secret: string): void {
    this.#secrets.push(secret)
  }

  /** Starts a new answer, which replaces the one before. */
  begin(head: Head): void {
    this.head = head
    this.bytes = 0
    this.isWhole = false
    this.#pieces = []
    this.#room = SEEN_BYTES
  }

  readonly add = (piece: Buffer): void => {
    this.bytes += piece.length
    if (this.#room <= 0) return
    this.#pieces.push(piece.subarray(0, this.#room))
    this.#room -= piece.length
  }

  beginning(): Buffer {
    return Buffer.concat(this.#pieces)
  }
}

export type Captured = Pick<
  Capture,
  'http_version' | 'status' | 'status_text' | 'headers' | 'headers_left_out' | 'body_kind' | 'body' | 'body_bytes' | 'body_cut'
>

/** Returns the answer as it is kept; null if no answer had begun. */
export function capturedOf(seen: SeenAnswer): Captured | null {
  const { head, bytes, isWhole } = seen
  if (!head) return null
  const secrets = seen.secrets.flatMap(spellings)
  const headers = headersOf(head, secrets)
  const text = bytes === 0 ? null : textOf(seen.beginning(), head)
  const body = text === null ? null : redactedBody(text, secrets, { isWhole, isLong: bytes > SEEN_BYTES })
  return {
    http_version: head.version.slice(0, 16),
    status: head.status,
    status_text: head.text === '' ? null : redactedLine(head.text, secrets).slice(0, MAX_CAPTURE_STATUS_TEXT),
    headers: headers.slice(0, MAX_CAPTURE_HEADERS),
    headers_left_out: Math.max(0, headers.length - MAX_CAPTURE_HEADERS),
    body_kind: bytes === 0 ? 'none' : body === null ? 'binary' : 'text',
    body: body && whole(body, MAX_CAPTURE_BODY),
    body_bytes: bytes,
    body_cut: !isWhole || bytes > SEEN_BYTES || (body !== null && body.length > MAX_CAPTURE_BODY)
  }
}

/** Returns what goes to the service. `at`: epoch ms by the service's clock. */
export const captureOf = (
  captured: Captured,
  { monitor_id, tenant_ref, config_version }: Pick<Assignment, 'monitor_id' | 'tenant_ref' | 'config_version'>,
  check: { checkId: string; reason: Reason | null; at: number }
): Capture => ({
  check_id: check.checkId,
  monitor_id,
  tenant_ref,
  config_version,
  captured_at: new Date(check.at).toISOString(),
  reason: check.reason,
  ...captured
})

/** Returns a secret as answers may spell it: plain, in an address, in a form, in a page. */
function spellings(secret: string): string[] {
  const page = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const pages = ['"', '&quot;', '&#34;'].flatMap((quote) =>
    ["'", '&#39;', '&#039;', '&#x27;'].map((apostrophe) => page.replaceAll('"', quote).replaceAll("'", apostrophe))
  )
  const address = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'))
  return [...new Set([secret, address, new URLSearchParams({ '': secret }).toString().slice(1), ...pages])]
}

const redactedLine = (text: string, secrets: readonly string[]): string =>
  redact(printable(withoutSecrets(text, secrets))).replace(/[\r\n\t]+/g, ' ')

const isAddress = (name: string): boolean => /^(?:(?:content-)?location|link|refresh|referer)$/.test(name)

function headersOf(head: Head, secrets: readonly string[]): Captured['headers'] {
  const lines = Object.entries(head.headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]))
  return lines
    .filter(([name]) => !name.startsWith(':')) // Pseudo-headers of HTTP/2: the status line.
    .map(([name, value]) => ({ name: name.slice(0, MAX_CAPTURE_HEADER_NAME), value: headerValue(name, value, secrets) }))
}

function headerValue(name: string, value: string, secrets: readonly string[]): string {
  if (isSensitiveHeader(name)) return SECRET
  const isLong = value.length > SEEN_HEADER
  const line = redactedLine(isLong ? `${value.slice(0, SEEN_HEADER)}…` : value, secrets)
  const text = isAddress(name) ? withoutQuery(line) : line
  return text.length > MAX_CAPTURE_HEADER_VALUE ? `${whole(text, MAX_CAPTURE_HEADER_VALUE - 1)}…` : text
}

/** Returns at most `most` UTF-16 units of a text, without half a surrogate pair at its end. */
const whole = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

/** Returns the text of the bytes; null if they are not text. */
function textOf(beginning: Buffer, { headers }: Head): string | null {
  const type = headers['content-type'] ?? ''
  if (/^\s*(?:image\/(?!svg)|audio\/|video\/|font\/)/i.test(type)) return null
  const text = excerptOf(beginning, type)
  const broken = text.split('\ufffd').length - 1
  return text.includes('\0') || broken * 20 > text.length ? null : text
}

/** `isLong`: the body goes on after `text`. The result is not yet cut to the kept length. */
function redactedBody(text: string, secrets: readonly string[], { isWhole, isLong }: { isWhole: boolean; isLong: boolean }): string {
  const hasEnd = isWhole && !isLong
  const own = withoutSecrets(hasEnd ? text : `${text}…`, secrets)
  const redacted = redact(withoutElements(withoutMembers(printable(hasEnd ? own : own.slice(0, -1)))))
  return isLong ? redacted.slice(0, Math.max(0, redacted.length - TAIL)) : redacted
}

/**
 * Replaces the values of JSON members whose names are those of credentials, wherever the members
 * stand. A value is replaced with everything in it. In a text that was cut, that may be all the
 * rest.
 */
function withoutMembers(text: string): string {
  const member = /"((?:[^"\\\r\n]|\\.){1,100})"\s{0,16}:\s{0,16}/g
  let left = ''
  let from = 0
  for (let found = member.exec(text); found; found = member.exec(text)) {
    if (!isSensitiveHeader(found[1] ?? '')) continue
    const at = member.lastIndex
    const end = endOfValue(text, at)
    left += `${text.slice(from, at)}"${SECRET}"`
    from = end
    member.lastIndex = end
  }
  return withoutQuoted(left + text.slice(from))
}

/** The same for members of JSON that is inside a JSON string. */
const withoutQuoted = (text: string): string =>
  text.replace(
    /(\\{1,8}"([^"\\\r\n]{1,100})\\{1,8}"\s{0,16}:\s{0,16})(\\{1,8}"[^"\\]*|[^,}\]\s\\]*)/g,
    (found, before: string, name: string) => (isSensitiveHeader(name) ? `${before}${SECRET}` : found)
  )

/**
 * Returns the position after the value that begins at `at`, or after the part of it that is there.
 */
function endOfValue(text: string, at: number): number {
  const token = /"(?:[^"\\]|\\[\s\S])*"?|[{[]|[}\]]|[^"{}[\]]+/y
  const first = text.charAt(at)
  if (first !== '"' && first !== '{' && first !== '[') {
    const plain = /[^,}\]\r\n]*/y
    plain.lastIndex = at
    plain.exec(text)
    return plain.lastIndex
  }
  let depth = 0
  token.lastIndex = at
  for (let found = token.exec(text); found; found = token.exec(text)) {
    if (found[0] === '{' || found[0] === '[') depth++
    else if (found[0] === '}' || found[0] === ']') depth--
    if (depth <= 0) return token.lastIndex
  }
  return text.length
}

const ATTRIBUTE = /([\w:.-]{1,64})(\s{0,3}=\s{0,3})("[^"]*"?|'[^']*'?|[^\s"'<>]+)/g
const isNaming = (attribute: string): boolean => /^(?:name|id|property|itemprop)$/i.test(attribute)
const isValue = (attribute: string): boolean => /^(?:value|content)$/i.test(attribute)
const unquoted = (value: string): string => value.replace(/^["']|["']$/g, '')

/**
 * Replaces the values of elements and attributes in HTML and XML, by their names and the names of
 * form fields.
 */
function withoutElements(given: string): string {
  const text = given.replace(/<[a-z][\w:.-]{0,63}\s[^<>]{0,4000}/gi, withoutAttributes)
  const opening = /<([a-z][\w:.-]{0,63})(?:\s[^<>]{0,4000})?>/gi
  let left = ''
  let from = 0
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const [, name = ''] = found
    if (!isSensitiveHeader(name)) continue
    const at = opening.lastIndex
    const closing = text.indexOf(`</${name}`, at)
    const end = closing < 0 ? text.length : closing
    if (text.slice(at, end).trim() === '') continue
    left += `${text.slice(from, at)}${SECRET}`
    from = end
    opening.lastIndex = end
  }
  return left + text.slice(from)
}

function withoutAttributes(tag: string): string {
  const isNamed = [...tag.matchAll(ATTRIBUTE)].some(
    ([, name = '', , value = '']) =>
      (isNaming(name) && isSensitiveHeader(unquoted(value))) || (/^type$/i.test(name) && /^password$/i.test(unquoted(value)))
  )
  return tag.replace(ATTRIBUTE, (found, name: string, between: string) =>
    isSensitiveHeader(name) || (isNamed && isValue(name)) ? `${name}${between}"${SECRET}"` : found
  )
}
