/**
 * Hostile input: values one step outside what a schema allows, texts with a harmful part, bodies
 * that JSON.stringify would not make.
 */
import { brokenBytes, type Dice, texts } from '../mutate.ts'
import type { Schema } from './document.ts'

/** Body limit of the api. */
export const LIMIT = 1024 * 1024

/** A value as it appears in a query. */
export const scalar = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Returns the value with one field one step outside what its schema allows. */
export function overStepped(value: unknown, schema: Schema, dice: Dice): unknown {
  const { properties = {} } = schema
  const names = Object.keys(properties)
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && names.length > 0) {
    const name = names[dice.below(names.length)] ?? ''
    return { ...value, [name]: overStepped(Reflect.get(value, name), properties[name] ?? {}, dice) }
  }
  const choices: unknown[] = [null, [], {}, true]
  if (schema.maxLength !== undefined) choices.push('x'.repeat(schema.maxLength + 1), '👍'.repeat(schema.maxLength))
  if (schema.minLength !== undefined) choices.push('x'.repeat(Math.max(0, schema.minLength - 1)))
  if (schema.maximum !== undefined) choices.push(schema.maximum + 1, schema.maximum + 0.5)
  if (schema.minimum !== undefined) choices.push(schema.minimum - 1, -schema.minimum)
  if (schema.maxItems !== undefined)
    choices.push(Array.from({ length: schema.maxItems + 1 }, () => (Array.isArray(value) ? (value[0] as unknown) : value) ?? 'x'))
  if (schema.enum) choices.push('other', schema.enum, String(schema.enum[0]).toUpperCase())
  if (schema.format !== undefined || schema.pattern !== undefined) choices.push('not of this form', ' ', `${scalar(value)}\n`)
  return choices[dice.below(choices.length)]
}

/** Harmful parts that are put into otherwise valid texts. */
const spikes: readonly [string, ...string[]] = [
  '\u0000',
  '\ud800',
  '\udc00',
  '\u0007',
  '\u202e',
  '\ufeff',
  '\u2028',
  '\n',
  "'",
  '"',
  '\\',
  '%',
  '_',
  '<b>',
  '{{x}}',
  'İ',
  '💥'.repeat(40)
]

export const spikedText = (text: string, dice: Dice): string => {
  const at = dice.below(text.length + 1)
  return `${text.slice(0, at)}${dice.pick(spikes)}${text.slice(at)}`
}

/**
 * Returns the value with a harmful part in one of its texts; now and then in the name of a member.
 */
export function spiked(value: unknown, dice: Dice): unknown {
  if (typeof value === 'string') return spikedText(value, dice)
  if (typeof value !== 'object' || value === null) return dice.oneIn(4) ? spikedText('', dice) : value
  const entries = Object.entries(value as Record<string, unknown>)
  const [name, inner] = entries[dice.below(entries.length)] ?? ['', '']
  if (Array.isArray(value)) return value.map((one: unknown, index) => (String(index) === name ? spiked(one, dice) : one))
  const { [name]: _gone, ...rest } = value as Record<string, unknown>
  return dice.oneIn(12) ? { ...rest, [spikedText(name, dice)]: inner } : { ...rest, [name]: spiked(inner, dice) }
}

export const nestedText = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** Functions that make bodies which JSON.stringify would not make, from a valid body `text`. */
export const texters: readonly ((text: string, dice: Dice) => string | Buffer)[] = [
  (text, dice) => text.slice(0, dice.below(text.length)),
  (text, dice) => brokenBytes(Buffer.from(text), dice),
  (text) => `${text}${text}`,
  (text) => text.replace('{', '{"name":"first","type":1,"__a":null,'),
  (text) => text.replace('{', '{"__proto__":{"admin":true},'),
  (text) => text.replace('{', '{"\\u005f_proto__":[],'),
  (text) => text.replace('{', '{"constructor":{"prototype":{"admin":true}},'),
  (text, dice) => text.replace('{', `{"deep":${nestedText(dice.pick([29, 30, 31, 32, 33, 1000, 100_000]))},`),
  (text) => text.replace(/"[^"]*"(?=[,}])/, nestedText(31)),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:[${'1,'.repeat(9999)}1]`),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:[${'"x",'.repeat(9999)}"x"]`),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:"${'y'.repeat(Math.max(0, LIMIT - text.length - 20))}"`),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:"${'\\u0061'.repeat(170_000)}"`),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:${'9'.repeat(100_000)}`),
  (text) => text.replace(/:("[^"]*"|\d+)/, ':1e999'),
  (text) => text.replace(/:("[^"]*"|\d+)/, ':-0.0000000000000000000000000000000000000001e-300'),
  (text) => text.replace(/:("[^"]*"|\d+)/, ':NaN'),
  (text) => text.replace(/:("[^"]*"|\d+)/, ':-Infinity'),
  (text) => `${' '.repeat(LIMIT - text.length)}${text}`,
  (text) => `${' '.repeat(LIMIT)}${text}`,
  (text) => `\ufeff${text}`,
  () => '',
  () => 'null',
  () => '0',
  () => '"text"',
  () => '[]',
  (text) => `[${text}]`,
  (text) => `[${`${text},`.repeat(200)}${text}]`,
  (text) => Buffer.concat([Buffer.from(text.slice(0, 3)), Buffer.from([0xff, 0xc0, 0xaf]), Buffer.from(text.slice(3))]),
  (text) => Buffer.from(text, 'utf16le')
]

export const types: readonly string[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset="UTF-8"',
  'APPLICATION/JSON',
  'application/problem+json',
  'nonsense',
  ';',
  `application/json;${'a=b;'.repeat(500)}`
]

/** Odd values to send in place of a number, an id or a cursor. */
export const odd: readonly [string, ...string[]] = [
  ...texts,
  '-1',
  '0',
  '1e3',
  '00001',
  '99999999999999999999',
  '9007199254740993',
  '1.5',
  'true',
  'null',
  '../../etc/passwd',
  '..%2f..%2f',
  "'; DROP TABLE incidents; --",
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '(a|b|c|d){500}',
  '((a+)+)+$',
  '*',
  '%00',
  '\r\nx: y',
  'INC-0',
  'INC-1',
  'inc-99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'eyJhIjoxfQ==',
  'bnVsbA',
  't0zzzzzzzzzzzz',
  '0000-00-00',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  'x'.repeat(200),
  'x'.repeat(4000),
  '1,'.repeat(500),
  'a'.repeat(36),
  'ſ', // Upper case is S: comparisons without case.
  'İ'
] as const
