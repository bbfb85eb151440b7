/**
 * What is shown of an answer where an assertion about its text failed: a part of it, without what
 * looks like a secret, and without what its name says is one. Pure. The rest of the answer is not
 * kept anywhere. Work is bounded whatever the answer is: an assertion is decided in little time.
 * Source: docs/design/api/monitors.md#s3-4.
 */
import type { Assertion } from '../../schemas/http/check-config.ts'
import { isSensitiveHeader } from '../../schemas/http/secret-headers.ts'
import { printable, redact } from '../credentials/redact.ts'
import type { JsonValue } from './json-path.ts'

/** So much of a text is looked at for what is shown of it; more makes what is cut recognisable. */
const LOOKED_AT = 1024
/** So many values of a path, or lines of a header, are shown. */
const MAX_VALUES = 5
const SECRET = '[secret]'
/** A shorter one is found everywhere, and guessed by whoever wants to. */
const MIN_SECRET = 4

/** A name of the header or anywhere in the path: `$.token.value`, `$.passwords[0]`. */
const isNamedSecret = ({ source, property = '' }: Assertion): boolean =>
  (source === 'header' || source === 'json') && property.split(/[^\w-]+/).some((name) => name !== '' && isSensitiveHeader(name))

/** A JSON value as far as it is looked at; values of names that say so are secrets. */
function written(value: JsonValue, room: number): string {
  if (room <= 0) return ''
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  const names = isList ? value.keys() : namesOf(value)
  for (const name of names) {
    if (text.length >= room) return text
    if (text.length > 1) text += ','
    if (typeof name === 'number') text += written((value as JsonValue[])[name] ?? null, room - text.length)
    else {
      const inside = (value as Record<string, JsonValue>)[name] ?? null
      text += `${JSON.stringify(name.slice(0, room))}:${isSensitiveHeader(name.slice(0, room)) ? SECRET : written(inside, room - text.length)}`
    }
  }
  return `${text}${isList ? ']' : '}'}`
}

/** One after the other: an object may have a million. */
function* namesOf(value: object): Generator<string> {
  for (const name in value) if (Object.hasOwn(value, name)) yield name
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value.slice(0, LOOKED_AT) : written(value, LOOKED_AT))

/** What an address carries in its query and fragment is for its page alone. */
export const withoutQuery = (text: string): string => text.replace(/([?&#][^=&#\s]{0,64}=)[^&#\s]+/g, '$1…')

const isAddress = ({ source, property = '' }: Assertion): boolean =>
  source === 'redirect_url' || (source === 'header' && /^(content-)?location$/i.test(property))

/** '' where nothing was found. */
export function foundIn(assertion: Assertion, values: readonly JsonValue[]): string {
  if (values.length === 0) return ''
  if (isNamedSecret(assertion)) return SECRET
  const texts = values.slice(0, MAX_VALUES).map(textOf)
  if (values.length > MAX_VALUES) texts.push(`and ${values.length - MAX_VALUES} more`)
  const text = redact(printable(texts.join(', '))).trim()
  return isAddress(assertion) ? withoutQuery(text) : text
}

/** What gives a secret header away: its value, a token after its scheme, a password in it. */
export function secretsOf(value: string): string[] {
  const [, scheme = '', token = ''] = /^(\w+) (.+)$/.exec(value) ?? []
  if (token === '') return [value]
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString() : ''
  return [value, token, pair, pair.slice(pair.indexOf(':') + 1)]
}

/**
 * Without what the monitor itself sends as a secret, where the answer gives it back: also as JSON
 * writes it, and where the end of the text cuts it.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let left = text
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET) continue
    for (const one of new Set([secret, JSON.stringify(secret).slice(1, -1)])) left = left.replaceAll(one, SECRET)
    left = withoutBeginning(left, secret)
  }
  return left
}

function withoutBeginning(text: string, secret: string): string {
  if (!text.endsWith('…')) return text
  const body = text.slice(0, -1)
  for (let length = Math.min(secret.length - 1, body.length); length >= MIN_SECRET; length--)
    if (body.endsWith(secret.slice(0, length))) return `${body.slice(0, -length)}${SECRET}…`
  return text
}
