/**
 * Selects what is shown of an answer when an assertion about its text has failed: a part of it,
 * without what looks like a secret or has the name of one. Pure. The rest of the answer is not kept
 * anywhere. The work is bounded for any answer, because an assertion must be decided quickly.
 * Source: docs/design/api/monitors.md#s3-4.
 */
import type { Assertion } from '../../schemas/http/check-config.ts'
import { isSensitiveHeader } from '../../schemas/http/secret-headers.ts'
import { printable, redact } from '../credentials/redact.ts'
import type { JsonValue } from './json-path.ts'

/**
 * Characters of a text that are examined. Examining more than is shown makes a secret at the cut
 * recognisable.
 */
const LOOKED_AT = 1024
/** Values of a path, or lines of a header, that are shown at most. */
const MAX_VALUES = 5
const SECRET = '[secret]'
/** Shorter secrets are not replaced: they occur everywhere, and anybody can guess them. */
const MIN_SECRET = 4

/**
 * True if the header's name, or any name in the path, is that of a secret: `$.token.value`,
 * `$.passwords[0]`.
 */
const isNamedSecret = ({ source, property = '' }: Assertion): boolean =>
  (source === 'header' || source === 'json') && property.split(/[^\w-]+/).some((name) => name !== '' && isSensitiveHeader(name))

/** Writes a JSON value, up to about `room` characters. Values whose names say so are secrets. */
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

/** Yields names one by one, because an object may have a million of them. */
function* namesOf(value: object): Generator<string> {
  for (const name in value) if (Object.hasOwn(value, name)) yield name
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value.slice(0, LOOKED_AT) : written(value, LOOKED_AT))

/** Hides the values in the query and fragment of an address, which are meant for its page alone. */
export const withoutQuery = (text: string): string => text.replace(/([?&#][^=&#\s]{0,64}=)[^&#\s]+/g, '$1…')

const isAddress = ({ source, property = '' }: Assertion): boolean =>
  source === 'redirect_url' || (source === 'header' && /^(content-)?location$/i.test(property))

/** Returns the text to show; '' if nothing was found. */
export function foundIn(assertion: Assertion, values: readonly JsonValue[]): string {
  if (values.length === 0) return ''
  if (isNamedSecret(assertion)) return SECRET
  const texts = values.slice(0, MAX_VALUES).map(textOf)
  if (values.length > MAX_VALUES) texts.push(`and ${values.length - MAX_VALUES} more`)
  const text = redact(printable(texts.join(', '))).trim()
  return isAddress(assertion) ? withoutQuery(text) : text
}

/**
 * Returns every text that would reveal a secret header: its value, the token after its scheme, and
 * the password in it.
 */
export function secretsOf(value: string): string[] {
  const [, scheme = '', token = ''] = /^(\w+) (.+)$/.exec(value) ?? []
  if (token === '') return [value]
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString() : ''
  return [value, token, pair, pair.slice(pair.indexOf(':') + 1)]
}

/**
 * Removes secrets that the monitor itself sends and the answer repeats, also as JSON writes them,
 * and also where the end of the text cuts them.
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
