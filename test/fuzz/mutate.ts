/**
 * Payloads that no sender should send: seeds of a source whose structure stays while parts of it
 * are dropped, doubled, retyped, swapped or filled with harmful values. Sometimes a payload is
 * something else altogether, and sometimes its bytes are broken. Each follows from seed, source and
 * number alone, so any single one can be made again.
 */
import fc from 'fast-check'
import type { Corpus, Seed } from './corpus.ts'
import { Dice } from './dice.ts'
import type { Payload } from './door.ts'

export { Dice } from './dice.ts'

/** The random numbers of the n-th payload of a source. */
export function diceOf(seed: number, kind: string, n: number): Dice {
  let start = seed ^ 0x811c9dc5
  for (let i = 0; i < kind.length; i++) start = Math.imul(start ^ kind.charCodeAt(i), 0x01000193)
  const dice = new Dice(start ^ Math.imul(n + 1, 0x9e3779b1))
  dice.next()
  return dice
}

const nested = (depth: number): unknown => {
  let value: unknown = 'deep'
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

/** Texts that often break parsers. */
export const texts: readonly [string, ...string[]] = [
  '',
  ' ',
  '\t\n\r',
  '0',
  '1',
  '-1',
  '1e400',
  'NaN',
  'Infinity',
  'null',
  'true',
  'undefined',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '$ALERT_ID',
  '$STATUS',
  '{{ title }}',
  '{EVENT.ID}',
  '{$ZABBIX.URL}',
  '*monitorID*',
  '*UNKNOWN*',
  '[',
  '{',
  '[[[[[[[[',
  '{"a":',
  '[{"tag":"a","value":"\\u0000"}]',
  '{"AlarmName":"\\ud800","NewStateValue":"ALARM"}',
  '[Triggered on {',
  '[Triggered on {a}] ',
  '<',
  '<b>',
  '</script',
  '<!--',
  '<script><b',
  '&amp;lt;',
  '%',
  '%zz',
  'a=b&c=%ff',
  'http://',
  'http://[',
  'https://user:pw@example.test/x',
  'https://example.test/\ud800',
  'https://example.test/a b"<>',
  'javascript:alert(1)',
  'https://sns.eu-west-1.amazonaws.com.evil.test/x.pem',
  'arn:aws:sns:eu-west-1:1:t',
  '2026-10-05T12:00:00Z',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00Z',
  '2026-13-45T99:99:99Z',
  '1791201600',
  '8640000000000001',
  '99999999999999999999999999',
  '\u0000',
  '\u0007\u001b\u007f',
  '\ud800',
  '\udc00\ud800',
  'a\ud83d',
  '\u202e\u2066rtl\u2069',
  '\ufeff',
  '\u2028\u2029',
  'é̂̃̄̅',
  '👩‍👩‍👧‍👦',
  'ß'.repeat(257),
  '👍'.repeat(150),
  `x${'👍'.repeat(1000)}`,
  `${'x'.repeat(299)}👍`,
  `${'x'.repeat(511)}👍`,
  `${'x'.repeat(1999)}👍👍`,
  'a '.repeat(500),
  '<'.repeat(500),
  '<b'.repeat(300),
  '&'.repeat(500),
  '\\'.repeat(100),
  ':'.repeat(300),
  ','.repeat(300),
  '@webhook-'.repeat(100),
  'https://a.test/'.repeat(200)
]

const values: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  2,
  0.5,
  1e-320,
  1e21,
  1e308,
  2 ** 31,
  2 ** 53,
  -(2 ** 53) - 2,
  8.64e15,
  8.64e15 + 1,
  -62135596800000,
  1791201600,
  1791201600000,
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: { b: { c: [] } } },
  { length: 3 },
  { toString: 1 },
  { id: null },
  nested(6),
  nested(25)
]

const names: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  '0',
  '',
  '\u0000',
  '\ud800',
  'ü',
  'a b',
  'X'.repeat(300)
]

/** A huge text repeats one of these. */
const units: readonly [string, ...string[]] = [
  'x',
  ' ',
  '<',
  '<b>',
  '<script>',
  '&amp;',
  '\\',
  '"',
  ',',
  ':',
  '@webhook-a ',
  '[',
  ']',
  '{',
  '{{',
  '$A',
  '%%%',
  '0',
  '\n',
  'é',
  '👍',
  '\ud800',
  'https://',
  '/',
  '-',
  '_',
  '.',
  '=',
  '&',
  'a:b,',
  '\u0000'
]

export interface Maker {
  /** Makes the n-th payload of the run. */
  make(n: number): Payload
}

const POOL = 400

/**
 * Generators of values and bodies by fast-check: any JSON, and objects with the source's own names.
 */
export function arbitraries({ names: known }: Pick<Corpus, 'names'>): { value: fc.Arbitrary<unknown>; body: fc.Arbitrary<unknown> } {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom(...texts)
  )
  const leaf = fc.oneof(
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.webUrl(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  )
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...(known.length > 0 ? known : ['title'])) },
    { weight: 1, arbitrary: fc.constantFrom(...names) }
  )
  const value = fc.oneof(leaf, fc.jsonValue({ maxDepth: 3 }))
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 12, noNullPrototype: false })
    )
  }))
  const body = fc.oneof(
    fc.dictionary(key, tree, { maxKeys: 20, noNullPrototype: false }),
    fc.array(fc.dictionary(key, tree, { maxKeys: 8 }), { maxLength: 3 })
  )
  return { value, body }
}

/** Samples by seed: they are the same for every source. */
const sampled = new Map<number, readonly unknown[]>()

export function createMaker(corpus: Corpus, seed: number): Maker {
  const { value, body } = arbitraries(corpus)
  const some = sampled.get(seed) ?? fc.sample(value, { seed, numRuns: POOL })
  sampled.set(seed, some)
  // Made at first use: few are needed, and for some sources none.
  let bodies: readonly unknown[] | undefined
  const bodyAt = (nth: number): unknown => {
    bodies ??= fc.sample(body, { seed, numRuns: POOL })
    return bodies[nth]
  }
  const { seeds, kind } = corpus
  return {
    make(n) {
      const dice = diceOf(seed, kind, n)
      const from = dice.pick(seeds)
      const rest = settingsOf(corpus, dice, from)
      const what = dice.below(100)
      if (what < 4) return { ...rest, bytes: Buffer.from(JSON.stringify(bodyAt(dice.below(POOL)))) }
      if (!from.isJson || what < 10) return { ...rest, bytes: brokenBytes(Buffer.from(from.text), dice) }
      const parsed: unknown = JSON.parse(from.text)
      const mutated = mutate(parsed, { dice, some, seeds })
      if (what < 18) return { ...rest, bytes: Buffer.from(formOf(mutated)) }
      const text = JSON.stringify(mutated) ?? 'null'
      if (what < 20) return { ...rest, bytes: Buffer.from(`payload=${encodeURIComponent(text)}`) }
      if (what < 22) return { ...rest, bytes: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]) }
      return { ...rest, bytes: Buffer.from(text) }
    }
  }
}

/** The text without what a header cannot carry. */
const headerOf = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no server takes them
  text.replace(/[\u0000-\u001f\u007f]/g, '').replace(/\p{Surrogate}/gu, '\ufffd')

/** Headers, options and settings of the fixture, with some of them missing or changed. */
function settingsOf({ source }: Corpus, dice: Dice, { headers, options, settings }: Seed): Omit<Payload, 'bytes'> {
  const sent: Record<string, string> = {}
  for (const name of source.headers ?? []) {
    const own = headers[name]
    if (own !== undefined && !dice.oneIn(8)) sent[name] = own
    else if (dice.oneIn(4)) sent[name] = headerOf(dice.pick(texts))
  }
  const set = (known: typeof source.options, brought: Seed['options']): Record<string, unknown> => {
    const chosen: Record<string, unknown> = { ...brought }
    for (const [name, setting] of Object.entries(known ?? {})) {
      if (!dice.oneIn(4)) continue
      if (setting.type === 'boolean') chosen[name] = dice.oneIn(2)
      else if (setting.type === 'choice') chosen[name] = setting.choices[dice.below(setting.choices.length)]
      else if (setting.type === 'texts') chosen[name] = [dice.pick(texts), 'main', '*']
      else chosen[name] = dice.pick(texts)
    }
    return chosen
  }
  return { headers: sent, options: set(source.options, options), settings: set(source.verify?.settings, settings) }
}

interface Material {
  dice: Dice
  some: readonly unknown[]
  seeds: readonly [Pick<Seed, 'text' | 'isJson'>, ...Pick<Seed, 'text' | 'isJson'>[]]
  /** The most changes to make; default 4. */
  most?: number
}

type Holder = { get(): unknown; set(value: unknown): void; drop(): void; double(): void }

const isHolder = (value: unknown): value is Record<string, unknown> | unknown[] => typeof value === 'object' && value !== null

/** Sets a member, even one called __proto__. */
const put = (into: Record<string, unknown>, name: string, value: unknown): void => {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Picks a part of the body, more often near its root than deep in it. */
function partOf(root: unknown, dice: Dice): Holder | null {
  let holder: Holder | null = null
  let at = root
  while (isHolder(at)) {
    const within: Record<string, unknown> | unknown[] = at
    const keys = Object.keys(within)
    if (keys.length === 0) break
    const key = keys[dice.below(keys.length)] ?? ''
    holder = Array.isArray(within)
      ? {
          get: () => within[Number(key)],
          set: (value) => void within.splice(Number(key), 1, value),
          drop: () => void within.splice(Number(key), 1),
          double: () => void within.push(structuredClone(within[Number(key)]))
        }
      : {
          get: () => within[key],
          set: (value) => put(within, key, value),
          drop: () => void delete within[key],
          double: () => put(within, key === key.toUpperCase() ? key.toLowerCase() : key.toUpperCase(), within[key])
        }
    at = holder.get()
    if (dice.oneIn(3)) break
  }
  return holder
}

/** Changes parts of `root` in place, or returns another value in its place. */
export function mutate(root: unknown, material: Material): unknown {
  const { dice, most = 4 } = material
  let body = root
  for (let times = 1 + dice.below(most); times > 0; times--) {
    const part = partOf(body, dice)
    if (part === null) body = structuredClone(dice.pick(values))
    else if (dice.oneIn(60)) body = dice.oneIn(2) ? [body] : { payload: body }
    else dice.pick(changes)(part, material)
  }
  return body
}

type Change = (part: Holder, material: Material) => void

const hurt: Change = (part, { dice }) => part.set(dice.pick(texts))

/** The first ones are listed twice: they test a parser best. */
const changes: readonly [Change, ...Change[]] = [
  (part) => part.drop(),
  (part) => part.drop(),
  hurt,
  hurt,
  (part) => part.double(),
  (part, { dice }) => part.set(retyped(part.get(), dice)),
  // Cloned, because a later change may modify it.
  (part, { dice }) => part.set(structuredClone(dice.pick(values))),
  (part, { dice, some }) => part.set(structuredClone(some[dice.below(some.length)])),
  (part, { dice }) => part.set(hugeText(dice)),
  (part, { dice }) => {
    const value = part.get()
    part.set(typeof value === 'string' ? `${value.slice(0, dice.below(value.length + 1))}${dice.pick(texts)}${value}` : [value, value])
  },
  (part, { dice, seeds }) => {
    // A part of another payload of the same source.
    const other = dice.pick(seeds)
    part.set(other.isJson ? (partOf(JSON.parse(other.text), dice)?.get() ?? null) : other.text)
  },
  (part, { dice }) => {
    const value = part.get()
    if (!isHolder(value) || Array.isArray(value)) part.set({ [dice.pick(names)]: value })
    else put(value, dice.pick(names), dice.oneIn(2) ? dice.pick(texts) : structuredClone(value))
  },
  (part, { dice }) => {
    const value = part.get()
    part.set(dice.oneIn(20) ? nested(40) : Array.from({ length: dice.below(80) }, () => value))
  },
  (part, { dice }) => {
    const value = part.get()
    if (typeof value === 'string') part.set(value.toUpperCase())
    else if (isHolder(value) && !Array.isArray(value)) {
      for (let i = dice.below(90); i > 0; i--) put(value, `n${i}${dice.pick(names)}`, dice.pick(texts))
    }
  }
]

function retyped(value: unknown, dice: Dice): unknown {
  if (dice.oneIn(4)) return [value]
  if (dice.oneIn(4)) return { value }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value.length
  return JSON.stringify(value)
}

/**
 * Mostly a few KiB; now and then enough to fill the body. The text after the run makes regular
 * expressions start again at each of its characters.
 */
const hugeText = (dice: Dice): string => {
  const unit = dice.pick(units)
  const size = dice.oneIn(200) ? 1_500_000 : dice.oneIn(10) ? 60_000 : 3000
  const run = unit.repeat(Math.ceil(size / unit.length))
  return dice.oneIn(2) ? run : `${dice.pick(texts)}${run}${dice.pick(texts)}`
}

const encoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

/** Writes some of the members as a form. */
function formOf(body: unknown): string {
  const fields: string[] = []
  for (const [name, value] of Object.entries(isHolder(body) ? body : { body })) {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    fields.push(`${encoded(name)}=${encoded(text).replaceAll('%20', '+')}`)
  }
  return fields.join('&')
}

const bits: readonly [Buffer, ...Buffer[]] = [
  Buffer.from('"'),
  Buffer.from('{'),
  Buffer.from(']'),
  Buffer.from(','),
  Buffer.from('\\'),
  Buffer.from('\\u0000'),
  Buffer.from('\\ud800'),
  Buffer.from('"__proto__":{"a":1},'),
  Buffer.from([0]),
  Buffer.from([0xff]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf0, 0x9f]),
  Buffer.from('1e999'),
  Buffer.from('%'),
  Buffer.from('&a=')
]

/** Cuts the bytes off, or removes, doubles or inserts a piece. */
export function brokenBytes(bytes: Buffer, dice: Dice): Buffer {
  let broken = bytes
  for (let times = dice.below(3); times >= 0; times--) {
    const at = dice.below(broken.length + 1)
    const length = dice.below(20)
    const before = broken.subarray(0, at)
    switch (dice.below(4)) {
      case 0:
        broken = dice.oneIn(4) ? before : Buffer.concat([before, broken.subarray(at + length)])
        break
      case 1:
        broken = Buffer.concat([before, broken.subarray(at, at + length), broken.subarray(at)])
        break
      default:
        broken = Buffer.concat([before, dice.pick(bits), broken.subarray(at)])
    }
  }
  return broken
}
