/**
 * Decodes the bytes of a payload to JSON or to the fields of a form. The bytes themselves decide
 * which of the two it is; the content type is only a hint.
 *
 * JSON is scanned once before it is parsed, in time linear in its length. The scan refuses nesting
 * deeper than 32, because Node's parser takes a third of a second for 2 MiB of brackets. It also
 * refuses more values than 5,000 alerts can have. Strings may hold anything. `__proto__` as a key
 * becomes a property like any other. Bytes that are not UTF-8 are refused, not repaired. JSON that
 * is not valid is read a second time with its strings mended (mended-json.ts); what is valid is
 * read once, as it is.
 *
 * Source: docs/design/inbound-sources.md#s1-4, docs/design/api.md#s1-6.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { mendedJson } from './mended-json.ts'
import { type Json, Unparseable } from './source.ts'

export const MAX_BYTES = 2 * 1024 * 1024
const MAX_DEPTH = 32
/**
 * Limit for objects and arrays: 5,000 alerts, each with labels, annotations and one more object.
 */
const MAX_CONTAINERS = 20_010
/** Limit for members and elements: 20 for each of 5,000 alerts. */
const MAX_VALUES = 100_000
const MAX_MEMBERS = 1000
const MAX_FIELDS = 1000

export interface Decoded {
  body: Json | readonly unknown[]
  /**
   * True: strings may hold control characters or halves of surrogate pairs. Only escapes and mended
   * strings can produce them.
   */
  escaped: boolean
  /** True: the body is no valid JSON, and is read with its strings mended. */
  mended?: true
}

/** The bytes cannot be decoded: 400 MALFORMED_JSON. The message never quotes the bytes. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

const QUOTE = 34
const PLUS = 43
const COMMA = 44
const OPEN_ARRAY = 91
const BACKSLASH = 92
const CLOSE_ARRAY = 93
const LETTER_B = 98
const LETTER_F = 102
const LETTER_U = 117
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/**
 * Decodes a payload. Throws Malformed, or Unparseable (rule max) when it has more values than any
 * payload of alerts.
 */
export function decode(payload: Buffer): Decoded {
  let start = 0
  if (payload[0] === 0xef && payload[1] === 0xbb && payload[2] === 0xbf) start = 3
  for (; start < payload.length; start++) {
    const byte = payload[start]
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) break
  }
  const bytes = start === 0 ? payload : payload.subarray(start)
  switch (bytes[0]) {
    case undefined:
      throw new Malformed('The body is empty')
    case OPEN_OBJECT:
    case OPEN_ARRAY:
      return fromJson(bytes)
    case 60: // <
      throw new Malformed('The body is XML: choose JSON at the sender')
    default:
      if (bytes.includes(61)) return fromForm(bytes) // =
      throw new Malformed('The body is neither a JSON object or array nor a form')
  }
}

function fromJson(bytes: Buffer): Decoded {
  const escaped = scan(bytes)
  const ascii = isAscii(bytes)
  if (!ascii && !isUtf8(bytes)) throw new Malformed('The body is not UTF-8')
  const encoding = ascii ? 'latin1' : 'utf8'
  const body = parsed(bytes.toString(encoding))
  if (body) return { body, escaped }
  const mended = mendedJson(bytes, MAX_BYTES)
  const reread = mended && parsed(mended.toString(encoding))
  if (!reread) throw new Malformed('The body is not valid JSON')
  return { body: reread, escaped: true, mended: true }
}

/** Returns null when the text is not valid JSON. The parser's message is not used: it quotes it. */
function parsed(text: string): Json | unknown[] | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether the byte is the letter of \uXXXX, \b or \f. */
const isEscape = (byte: number | undefined): boolean => byte === LETTER_U || byte === LETTER_B || byte === LETTER_F

const kinds = new Uint8Array(MAX_DEPTH + 2)
const members = new Uint32Array(MAX_DEPTH + 2)

/**
 * Checks the depth and the number of values by the brackets and commas outside of strings. Returns
 * true when a string has an escape that can stand for a control character.
 */
function scan(bytes: Buffer): boolean {
  const length = bytes.length
  let depth = 0
  let containers = 0
  let values = 0
  let escaped = false
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      for (i++; i < length; i++) {
        const inside = bytes[i]
        if (inside === QUOTE) break
        if (inside === BACKSLASH) {
          i++
          if (isEscape(bytes[i])) escaped = true
        }
      }
    } else if (byte === COMMA) {
      values++
      const count = (members[depth] ?? 0) + 1
      members[depth] = count
      if (count >= MAX_MEMBERS && kinds[depth] === OPEN_OBJECT) throw tooMany('members in one object', MAX_MEMBERS)
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++
      if (depth > MAX_DEPTH) throw new Malformed(`The body is nested deeper than ${MAX_DEPTH}`)
      containers++
      kinds[depth] = byte
      members[depth] = 0
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--
      if (depth < 0) throw new Malformed('The body is not valid JSON')
    }
  }
  if (containers > MAX_CONTAINERS) throw tooMany('objects and arrays', MAX_CONTAINERS)
  if (values > MAX_VALUES) throw tooMany('values', MAX_VALUES)
  return escaped
}

const tooMany = (what: string, limit: number): Unparseable =>
  new Unparseable({ path: '', rule: 'max', message: `at most ${limit} ${what}`, limit })

/**
 * Decodes a form. When a name occurs more than once, the last one counts. If the only field is
 * `payload` and it holds JSON, that JSON is the body.
 */
function fromForm(bytes: Buffer): Decoded {
  const fields = formFields(bytes)
  const names = Object.keys(fields)
  if (names.length === 1 && names[0] === 'payload') {
    const inner = Buffer.from((fields.payload ?? '').trim())
    if (inner[0] === OPEN_OBJECT || inner[0] === OPEN_ARRAY) return fromJson(inner)
  }
  return { body: fields, escaped: true }
}

function formFields(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) throw new Malformed('The body is not UTF-8')
  const fields: Record<string, string> = Object.create(null)
  const pairs = spaced(bytes)
    .toString()
    .split('&', MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) throw tooMany('fields', MAX_FIELDS)
  try {
    for (const pair of pairs) {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      if (name === '') continue
      fields[decodeURIComponent(name)] = equals < 0 ? '' : decodeURIComponent(pair.slice(equals + 1))
    }
  } catch {
    throw new Malformed('The form has an escape that is not UTF-8')
  }
  return fields
}

/**
 * Returns a copy with spaces in place of plus signs. Replacing a million of them in a string would
 * take a tenth of a second.
 */
function spaced(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let i = 0; i < copy.length; i++) if (copy[i] === PLUS) copy[i] = 32
  return copy
}
