/**
 * The contract of a source, and the readers that its parsers are made of.
 *
 * A source is one file in sources/: what people are told about it, what an integration of it may set, how a delivery proves its sender, and a pure
 * function from a decoded body to the alerts in it. It has no clock, does no I/O and trusts nothing: each reader takes the path of what it reads, so that
 * a refusal tells the sender what was expected where. The door does the rest alike for all: it decodes the bytes, judges the sender's time, applies
 * the integration's severity map and labels, strips HTML, cuts to the limits of the schema. Texts are helped by source-text.ts, proofs by proof.ts.
 * Source: inbound-sources.md 1.2 to 1.5.
 */
import { hash } from 'node:crypto'
import type { Link, Severity } from '../../schemas/generated/events.ts'
import type { SourceText } from './source-text.ts'

/** A payload carries at most so many alerts, at any door. */
export const MOST_ALERTS = 5000

export type Json = Readonly<Record<string, unknown>>

/** One alert of a payload as its source reports it. */
export interface ParsedEvent {
  /**
   * ignore: an event that is none of ours to act on (a test, an acknowledgement); `reason` says which. note and update are about the ongoing incident: what was
   * said of it (`description`), or another title or description (empty, null: as it was).
   */
  action: 'fire' | 'resolve' | 'ignore' | 'note' | 'update'
  reason: string | null
  /** The source's own key of the condition: equal for an alert, its repeats and its recovery. */
  dedup_key: string
  /** The whole key of the signal, where the door has looked it up already. */
  signal_key?: string
  /** Not empty, but for an update. The door cuts it. */
  title: string
  /** Plain text or Markdown. */
  description: string | null
  /** null: the sender gave none, or a word that the source does not know. */
  severity: Severity | null
  /** The sender's own word, which the integration's severity map may know. */
  source_severity: string | null
  /** Epoch ms by the sender's clock; null when it sent none. The door judges it. */
  occurred_at: number | null
  /** Grows per dedup key where the source has such a number. */
  sequence: number | null
  /** The sender's id of this delivery; an equal one is an exact repeat. */
  delivery_id: string | null
  /** Strings by name; may be an object of the body itself. */
  labels: Readonly<Record<string, unknown>>
  links: Link[]
}

export interface SourceInput {
  /** The decoded body: an object, or an array; the fields of a form are strings. */
  body: Json | readonly unknown[]
  /** Those that were sent of the request headers that the source names; names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Epoch ms by the door's clock. */
  received_at: number
  /** What the integration sets of the source's `options`; read with flagOption, choiceOption and textsOption. */
  options: Json
  /** Something that the operator should know and the sender need not: logged and counted, never with values of the payload. */
  warn(what: string, count: number): void
}

/** One thing that an integration of a source may set. The api validates by it; a `secret` is sealed and never shown again. */
export type Setting =
  | { type: 'boolean'; default: boolean; description: string }
  | { type: 'choice'; choices: readonly string[]; default: string; description: string }
  | { type: 'texts'; most: number; description: string }
  | { type: 'text'; secret: boolean; pattern?: string; description: string }

/** What a proof of the sender is looked for in. */
export interface Delivery {
  /** The body as it came: signatures are over these bytes. */
  bytes: Buffer
  body: Json | readonly unknown[]
  headers: Readonly<Record<string, string>>
  received_at: number
  /** What the integration sets of `verify.settings`; secrets are open here. */
  settings: Json
  /**
   * The PEM text at an address, fetched through the address guard without redirects within 5 s, and kept. Rejects where it cannot be had; `check` lets that
   * through, and the answer is 503: the sender is not refused and comes again.
   */
  certificate(url: string): Promise<string>
}

/** Something that a sender asks of the service instead of reporting an alert. */
export type Control =
  /** A topic wants to deliver here: pin it and answer at the address, both only after the proof. */
  | { kind: 'subscribe'; topic_arn: string; confirm_url: string }
  /** The topic delivers here no more. */
  | { kind: 'unsubscribed'; topic_arn: string }

export interface Source {
  kind: string
  about: SourceText
  /** For alerts without a severity, where the integration sets none. Default: warning. */
  default_severity?: Severity
  /** Request headers that `parse`, `verify` or `control` read, in lower case. */
  headers?: readonly string[]
  /** A GET with a query string stands for a form. */
  query?: true
  options?: Readonly<Record<string, Setting>>
  verify?: {
    settings: Readonly<Record<string, Setting>>
    /** Proof is asked even where the integration sets nothing. Default: only where it sets something. */
    always?: true
    /** Why the delivery is refused (403 SIGNATURE_INVALID), in words for the sender, without values; null where it is proven. */
    check(delivery: Delivery): string | null | Promise<string | null>
  }
  /** What a proven delivery asks for, or null where it is an event for `parse`. */
  control?(body: Json | readonly unknown[]): Control | null
  /** Throws Unparseable. */
  parse(input: SourceInput): ParsedEvent[]
}

export interface Detail {
  /** As in `alerts[0].status`; empty for the whole body. */
  path: string
  rule: 'required' | 'type' | 'enum' | 'max' | 'custom_template' | 'common_schema_required'
  message: string
  limit?: number
  actual?: number
}

/** The payload is no such thing as this source sends: 422 with `details`. */
export class Unparseable extends Error {
  override readonly name = 'Unparseable'
  readonly details: readonly Detail[]

  constructor(...details: [Detail, ...Detail[]]) {
    super(details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
    this.details = details
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object; throws where it is something else or missing. */
export function object(value: unknown, path: string): Json {
  if (isObject(value)) return value
  throw new Unparseable(
    value === undefined || value === null
      ? { path, rule: 'required', message: 'an object is required' }
      : { path, rule: 'type', message: 'expected an object' }
  )
}

/** The alerts of a payload: an array of at most MOST_ALERTS. */
export function batch(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Unparseable({ path, rule: 'type', message: 'expected an array' })
  if (value.length > MOST_ALERTS) {
    throw new Unparseable({
      path,
      rule: 'max',
      message: `at most ${MOST_ALERTS} alerts a payload`,
      limit: MOST_ALERTS,
      actual: value.length
    })
  }
  return value
}

/** The only object of a body that cannot be an array; throws for an array. */
export const single = (body: Json | readonly unknown[]): Json => object(body, '')

const nothing: Json = Object.freeze({})

/** An object, or an empty one where there is something else or nothing: for parts that a sender may leave out. */
export const objectOrNothing = (value: unknown): Json => (isObject(value) ? value : nothing)

/** An array, or an empty one where there is something else or nothing. */
export const listOrNothing = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A finite number, or its text; null for anything else. */
export function numberOf(value: unknown): number | null {
  const found = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(found) ? found : null
}

/** true for true, 1, "true", "1", "yes", "on" in any case; false for anything else. */
export const flag = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^(?:true|1|yes|on)$/i.test(value.trim()))

/** The members of an object whose field names the sender's user writes: by any of several names, in any case. */
export interface Fields {
  /** The first of the names that has a text (optionalText). */
  text(...names: string[]): string | null
  /** The first of the names that has anything but null and blank text. */
  value(...names: string[]): unknown
  /** The first of the names, as sent, whose variable the sender's template left as it was. */
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

const MOST_TEXTS = 64

/** The texts of an array, or of one text with commas between them; blank ones and those after the 64th are left out. */
export function textsOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.slice(0, MOST_TEXTS) : typeof value === 'string' ? value.split(',', MOST_TEXTS) : [value]
  return parts.map(optionalText).filter((part) => part !== null)
}

/** What is there of the texts, with a blank line between them; null where nothing is. */
export function paragraphs(...parts: (string | null)[]): string | null {
  const found = parts.filter((part) => part !== null && part !== '')
  return found.length === 0 ? null : found.join('\n\n')
}

/** What is there of the links. */
export const linksOf = (...found: (Link | null)[]): Link[] => found.filter((one) => one !== null)

/**
 * Those of the named values that are texts; of two with one name the first stays, and a part that is no object adds nothing. Without a prototype, so that
 * a label may be called __proto__.
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

/** What an integration set of a boolean option, or the option's default. */
export const flagOption = (options: Json, name: string, otherwise: boolean): boolean => {
  const value = options[name]
  return typeof value === 'boolean' ? value : otherwise
}

export const choiceOption = (options: Json, name: string, otherwise: string): string => {
  const value = options[name]
  return typeof value === 'string' ? value : otherwise
}

/** Empty where the integration set none. */
export const textsOption = (options: Json, name: string): readonly string[] =>
  listOrNothing(options[name]).filter((value): value is string => typeof value === 'string')

/** Without control characters but tab and line ends; half a surrogate pair becomes U+FFFD. */
export function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '').replace(/\p{Surrogate}/gu, '\ufffd')
}

/** The longest text that is read as JSON inside a body: what Amazon SNS carries. The limits on a body's shape do not reach into it. */
const MOST_INNER_CHARACTERS = 262_144

/** What a text inside a body holds as JSON; undefined where it is no JSON. The door does not look for escapes in there, so its texts are cleaned here. */
export function innerJson(value: string): unknown {
  if (value.length > MOST_INNER_CHARACTERS) return undefined
  try {
    if (!/\\[ubf]/.test(value)) return JSON.parse(value)
    return JSON.parse(value, (_name, inner: unknown) => (typeof inner === 'string' ? cleaned(inner) : inner))
  } catch {
    return undefined // Text that is no JSON is nothing to report: senders put both into the same field.
  }
}

/** A string that is not blank, trimmed; numbers and booleans count as their text. null where there is none. */
export function optionalText(value: unknown): string | null {
  if (typeof value === 'string') {
    const trimmed = value.trim()
    return trimmed === '' || isPlaceholder(trimmed) ? null : trimmed
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** As optionalText, but something that is neither missing nor text is refused. */
export function textOrNothing(value: unknown, path: string): string | null {
  if (value !== undefined && value !== null && typeof value === 'object')
    throw new Unparseable({ path, rule: 'type', message: 'expected a string' })
  return optionalText(value)
}

/** A string that is there and not blank. */
export function text(value: unknown, path: string): string {
  const found = textOrNothing(value, path)
  if (found === null) throw new Unparseable({ path, rule: 'required', message: 'a string that is not blank is required' })
  return found
}

/**
 * A variable that the sender's template left as it was counts as absent: `$ALERT_ID`, `*monitorID*`, `{EVENT.ID}`, `{$ZABBIX.URL}`, `{{ title }}`.
 * `trimmed` is not empty.
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

/** No instant of a sender lies before this: Go's zero time and epoch 0 mean "not set". */
const FIRST_INSTANT = 1
const LAST_INSTANT = 8.64e15
/** An epoch below is in seconds, from it on in milliseconds. */
const SECONDS_BELOW = 1e11
/** No instant is longer, and to find that out of a long text takes long. */
const MOST_INSTANT_CHARACTERS = 64

/** Epoch ms of an ISO date or an epoch in seconds or milliseconds, as number or text; null where there is none that can be read. */
export function instant(value: unknown): number | null {
  let ms: number
  if (typeof value === 'number') ms = value < SECONDS_BELOW ? value * 1000 : value
  else if (typeof value !== 'string' || value === '' || value.length > MOST_INSTANT_CHARACTERS) return null
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

/** The usual words for a severity, in any case; null for none and for one that is not known. */
export function severityOf(word: string | null): Severity | null {
  if (word === null) return null
  return words.get(word) ?? words.get(word.trim().toLowerCase()) ?? null
}

const MOST_URL_CHARACTERS = 2048

/** A text for a part of an address; half of a surrogate pair, which would throw, becomes U+FFFD. */
export const addressPart = (value: string): string => encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'))

/** An http or https address without user information; null for anything else. */
export function link(title: string, value: unknown): Link | null {
  if (typeof value !== 'string' || value.length < 8 || value.length > MOST_URL_CHARACTERS) return null
  if (isPlainAddress(value)) return { title, url: value }
  if (!URL.canParse(value)) return null
  const url = new URL(value)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  url.username = ''
  url.password = ''
  const { href } = url
  // URL leaves a quote in a host and a backslash in a query as they are.
  return href.length > MOST_URL_CHARACTERS || /["<>\\]/.test(href) ? null : { title, url: href }
}

/**
 * The usual case, without the cost of a URL: lower-case scheme, a name as host that nobody could take for a number or an international one, a port of at
 * most 4 digits, then printable ASCII without quotes, brackets, backslash, or an @ that could end user information.
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
  // An empty host, one that ends in a number, or is written in punycode, is a matter for URL.
  if (!isLetter(value.charCodeAt(label)) || value.includes('xn--')) return false
  if (value.charCodeAt(end) === 58) {
    const port = end + 1
    for (end = port; end - port < 5 && isDigit(value.charCodeAt(end)); end++);
    if (end === port || end - port > 4) return false
  }
  const next = value.charCodeAt(end)
  if (end < value.length && next !== 47 && next !== 63 && next !== 35) return false // The host ends with: / ? #
  for (let i = end; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code <= 32 || code >= 127 || code === 64 || code === 34 || code === 60 || code === 62 || code === 92) return false
  }
  return true
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isNameCode = (code: number): boolean => isLetter(code) || isDigit(code) || code === 45

/** An event that is none of ours to act on. The reason is a few fixed words, shown to the sender. */
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

/** At most `most` UTF-16 units, and no half of a pair at the end. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

/** SHA-256 of a text, hex: for a dedup key where the sender has none. */
export const digest = (value: string): string => hash('sha256', value, 'hex')
