/**
 * The readers that the parsers of sources use. Each takes any value that a sender wrote and returns
 * what the contract requires, or refuses it with the path of the value.
 *
 * Source: docs/design/inbound-sources.md#s1-4, #s1-5.
 */
import { hash } from 'node:crypto'
import type { Link, Severity } from '../../schemas/generated/events.ts'
import { MAX_URL } from '../../schemas/limits.ts'
import { type Json, MAX_ALERTS, type ParsedEvent, Unparseable } from './source.ts'

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object; throws when the value is something else or missing. */
export function object(value: unknown, path: string): Json {
  if (isObject(value)) return value
  throw new Unparseable(
    value === undefined || value === null
      ? { path, rule: 'required', message: 'an object is required' }
      : { path, rule: 'type', message: 'expected an object' }
  )
}

/** Returns the alerts of a payload: an array of at most MAX_ALERTS. */
export function batch(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Unparseable({ path, rule: 'type', message: 'expected an array' })
  if (value.length > MAX_ALERTS) {
    throw new Unparseable({
      path,
      rule: 'max',
      message: `at most ${MAX_ALERTS} alerts a payload`,
      limit: MAX_ALERTS,
      actual: value.length
    })
  }
  return value
}

/** Returns the body when it must be one object; throws for an array. */
export const single = (body: Json | readonly unknown[]): Json => object(body, '')

const nothing: Json = Object.freeze({})

/**
 * Returns an object, or an empty one when the value is something else or missing. For parts that a
 * sender may leave out.
 */
export const objectOrNothing = (value: unknown): Json => (isObject(value) ? value : nothing)

/** Returns an array, or an empty one when the value is something else or missing. */
export const listOrNothing = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns a finite number, given as a number or as text; null for anything else. */
export function numberOf(value: unknown): number | null {
  const found = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(found) ? found : null
}

/** Returns true for true, 1, "true", "1", "yes", "on" in any case; false for anything else. */
export const flag = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^(?:true|1|yes|on)$/i.test(value.trim()))

/**
 * Reads the members of an object whose field names the sender's user chooses: each field by any of
 * several names, in any case.
 */
export interface Fields {
  /** Returns the first of the names that has a text (optionalText). */
  text(...names: string[]): string | null
  /** Returns the first of the names whose value is neither null nor blank text. */
  value(...names: string[]): unknown
  /**
   * Returns the first of the names, as sent, whose value is a variable that the sender did not
   * expand.
   */
  unexpanded(...names: string[]): string | null
}

export function fieldsOf(body: Json): Fields {
  const members = new Map<string, { name: string; value: unknown }>()
  for (const name of Object.keys(body)) {
    const lower = name.toLowerCase()
    if (!members.has(lower)) members.set(lower, { name, value: body[name] })
  }
  return {
    text(...names) {
      for (const name of names) {
        const found = optionalText(members.get(name)?.value)
        if (found !== null) return found
      }
      return null
    },
    value(...names) {
      for (const name of names) {
        const value = members.get(name)?.value
        if (value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '')) return value
      }
      return undefined
    },
    unexpanded(...names) {
      for (const name of names) {
        const member = members.get(name)
        if (typeof member?.value === 'string' && optionalText(member.value) === null && member.value.trim() !== '') return member.name
      }
      return null
    }
  }
}

const MAX_TEXTS = 64

/**
 * Returns the texts of an array, or of one text with commas between them. Leaves out blank ones and
 * those after the 64th.
 */
export function textsOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.slice(0, MAX_TEXTS) : typeof value === 'string' ? value.split(',', MAX_TEXTS) : [value]
  return parts.map(optionalText).filter((part) => part !== null)
}

/** Joins the texts that are present, with a blank line between them; null when there are none. */
export function paragraphs(...parts: (string | null)[]): string | null {
  const found = parts.filter((part) => part !== null && part !== '')
  return found.length === 0 ? null : found.join('\n\n')
}

/** Returns the links that are present. */
export const linksOf = (...found: (Link | null)[]): Link[] => found.filter((one) => one !== null)

/**
 * Returns the named values that are texts. When two have the same name, the first stays. A part
 * that is not an object adds nothing. The result has no prototype, so that a label may be called
 * __proto__.
 */
export function labelsOf(...parts: unknown[]): Record<string, string> {
  const labels: Record<string, string> = Object.create(null)
  for (const part of parts) {
    for (const [name, value] of Object.entries(objectOrNothing(part))) {
      const found = optionalText(value)
      if (found !== null && name !== '' && !Object.hasOwn(labels, name)) labels[name] = found
    }
  }
  return labels
}

/** Returns the integration's value of a boolean option, or the option's default. */
export const flagOption = (options: Json, name: string, otherwise: boolean): boolean => {
  const value = options[name]
  return typeof value === 'boolean' ? value : otherwise
}

export const choiceOption = (options: Json, name: string, otherwise: string): string => {
  const value = options[name]
  return typeof value === 'string' ? value : otherwise
}

/** Returns the texts of an option; empty when the integration set none. */
export const textsOption = (options: Json, name: string): readonly string[] =>
  listOrNothing(options[name]).filter((value): value is string => typeof value === 'string')

/** Removes control characters except tab and line ends; half a surrogate pair becomes U+FFFD. */
export function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '').replace(/\p{Surrogate}/gu, '\ufffd')
}

/**
 * The longest text inside a body that is parsed as JSON: the size that Amazon SNS carries. The
 * limits on the shape of a body do not apply inside it.
 */
const MAX_INNER_CHARACTERS = 262_144

/**
 * Parses a text inside a body as JSON; undefined when it is not JSON. The door does not look for
 * escapes inside such a text, so its strings are cleaned here.
 */
export function innerJson(value: string): unknown {
  if (value.length > MAX_INNER_CHARACTERS) return undefined
  try {
    if (!/\\[ubf]/.test(value)) return JSON.parse(value)
    return JSON.parse(value, (_name, inner: unknown) => (typeof inner === 'string' ? cleaned(inner) : inner))
  } catch {
    // Text that is not JSON is no error: senders put both into the same field.
    return undefined
  }
}

/**
 * Returns a trimmed string that is not blank; numbers and booleans count as their text. null when
 * there is none.
 */
export function optionalText(value: unknown): string | null {
  if (typeof value === 'string') {
    const trimmed = value.trim()
    return trimmed === '' || isPlaceholder(trimmed) ? null : trimmed
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** Like optionalText, but refuses a value that is present and not text. */
export function textOrNothing(value: unknown, path: string): string | null {
  if (value !== undefined && value !== null && typeof value === 'object')
    throw new Unparseable({ path, rule: 'type', message: 'expected a string' })
  return optionalText(value)
}

/** Returns a string that is present and not blank; otherwise throws. */
export function text(value: unknown, path: string): string {
  const found = textOrNothing(value, path)
  if (found === null) throw new Unparseable({ path, rule: 'required', message: 'a string that is not blank is required' })
  return found
}

/**
 * Returns whether a text is a variable that the sender did not expand, which counts as absent:
 * `$ALERT_ID`, `*monitorID*`, `{EVENT.ID}`, `{$ZABBIX.URL}`, `{{ title }}`. `trimmed` must not be
 * empty.
 */
export function isPlaceholder(trimmed: string): boolean {
  switch (trimmed.charCodeAt(0)) {
    case 36: // $
      return /^\$[A-Z][A-Z0-9_]*$/.test(trimmed)
    case 42: // *
      return /^\*[a-z]+[A-Z]\w*\*$/.test(trimmed)
    case 123: // {
      return /^\{\{[^{}]*\}\}$/.test(trimmed) || /^\{\$?[A-Z][A-Z0-9_.]*\}$/.test(trimmed)
    default:
      return false
  }
}

/** No time of a sender is before this: Go's zero time and epoch 0 mean "not set". */
const FIRST_INSTANT = 1
const LAST_INSTANT = 8.64e15
/** An epoch below this is in seconds; any other is in milliseconds. */
const SECONDS_BELOW = 1e11
/** No valid time is longer. Trying to parse a long text would be slow. */
const MAX_INSTANT_CHARACTERS = 64

/**
 * Returns epoch ms for an ISO date or an epoch in seconds or milliseconds, given as number or text;
 * null when it cannot be read.
 */
export function instant(value: unknown): number | null {
  let ms: number
  if (typeof value === 'number') ms = value < SECONDS_BELOW ? value * 1000 : value
  else if (typeof value !== 'string' || value === '' || value.length > MAX_INSTANT_CHARACTERS) return null
  else {
    const epoch = Number(value)
    ms = Number.isNaN(epoch) ? Date.parse(value) : epoch < SECONDS_BELOW ? epoch * 1000 : epoch
  }
  if (!(ms >= FIRST_INSTANT && ms <= LAST_INSTANT)) return null
  return Math.trunc(ms)
}

const words: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ...'critical crit fatal emergency emerg alert page disaster high severe major error err down p1 p2 sev0 sev1 1 2'
    .split(' ')
    .map((word): [string, Severity] => [word, 'critical']),
  ...'warning warn medium moderate average minor degraded p3 sev2 3'.split(' ').map((word): [string, Severity] => [word, 'warning']),
  ...'info information informational notice low debug trace none ok p4 p5 sev3 sev4 4 5'
    .split(' ')
    .map((word): [string, Severity] => [word, 'info'])
])

/** Returns the severity of a usual word, in any case; null for no word or an unknown one. */
export function severityOf(word: string | null): Severity | null {
  if (word === null) return null
  return words.get(word) ?? words.get(word.trim().toLowerCase()) ?? null
}

/**
 * Encodes a text as a part of an address. Half of a surrogate pair, which would throw, becomes
 * U+FFFD.
 */
export const addressPart = (value: string): string => encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'))

/** Returns a link for an http or https address without user information; null for anything else. */
export function link(title: string, value: unknown): Link | null {
  if (typeof value !== 'string' || value.length < 8 || value.length > MAX_URL) return null
  if (isPlainAddress(value)) return { title, url: value }
  if (!URL.canParse(value)) return null
  const url = new URL(value)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  url.username = ''
  url.password = ''
  const { href } = url
  // URL does not escape a quote in a host or a backslash in a query.
  return href.length > MAX_URL || /["<>\\]/.test(href) ? null : { title, url: href }
}

/**
 * Recognises the usual addresses without the cost of a URL: a lower-case scheme; a host name that
 * cannot be read as a number or as an international name; a port of at most 4 digits; then
 * printable ASCII without quotes, brackets, backslash, or an @ that could end user information.
 */
function isPlainAddress(value: string): boolean {
  const start = value.startsWith('https://') ? 8 : value.startsWith('http://') ? 7 : 0
  if (start === 0) return false
  let end = start
  let label = start
  for (; end < value.length; end++) {
    const code = value.charCodeAt(end)
    if (code === 46) label = end + 1
    else if (!isNameCode(code)) break
  }
  // URL must judge an empty host, a host that ends in a number, and a host in punycode.
  if (!isLetter(value.charCodeAt(label)) || value.includes('xn--')) return false
  if (value.charCodeAt(end) === 58) {
    const port = end + 1
    for (end = port; end - port < 5 && isDigit(value.charCodeAt(end)); end++);
    if (end === port || end - port > 4) return false
  }
  const next = value.charCodeAt(end)
  // The host must end before one of: / ? #
  if (end < value.length && next !== 47 && next !== 63 && next !== 35) return false
  for (let i = end; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code <= 32 || code >= 127 || code === 64 || code === 34 || code === 60 || code === 62 || code === 92) return false
  }
  return true
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isNameCode = (code: number): boolean => isLetter(code) || isDigit(code) || code === 45

/**
 * Returns an event that the service does not act on. The reason is a few fixed words, shown to the
 * sender.
 */
export const ignored = (reason: string, dedup_key = ''): ParsedEvent => ({
  action: 'ignore',
  reason,
  dedup_key,
  title: reason,
  description: null,
  severity: null,
  source_severity: null,
  occurred_at: null,
  sequence: null,
  delivery_id: null,
  labels: nothing,
  links: []
})

/** Returns at most `max` UTF-16 units, without half of a surrogate pair at the end. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Returns the SHA-256 of a text in hex: the dedup key when the sender has none. */
export const digest = (value: string): string => hash('sha256', value, 'hex')
