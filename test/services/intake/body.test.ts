/**
 * Tests of decoding bytes to JSON or a form: what is accepted, what is refused, and that nothing
 * takes long.
 */
import t from 'tap'
import { decode, Malformed } from '../../../services/intake/body.ts'
import { Unparseable } from '../../../services/intake/source.ts'

const MEGABYTE = 1024 * 1024
const of = (text: string | Buffer): unknown => JSON.parse(JSON.stringify(decode(Buffer.from(text as string)).body))

t.test('JSON and form bodies that are accepted', async (t) => {
  const cases: [string, string | Buffer, unknown][] = [
    ['an object', '{"a":1}', { a: 1 }],
    ['an array', '[{"a":1}]', [{ a: 1 }]],
    ['white space around', ' \r\n\t{"a":1}\n', { a: 1 }],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"a":1}')]), { a: 1 }],
    ['UTF-8', '{"a":"ü€😀"}', { a: 'ü€😀' }],
    ['brackets and quotes inside strings', '{"a":"[[{{\\"}]","b":"\\\\"}', { a: '[[{{"}]', b: '\\' }],
    ['32 levels', `${'['.repeat(32)}${']'.repeat(32)}`, JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`)],
    ['deep brackets inside a string', `{"a":"${'['.repeat(100)}"}`, { a: '['.repeat(100) }],
    ['a form', 'a=1&b=x+y%2Bz', { a: '1', b: 'x y+z' }],
    ['a form with an equals sign in a value', 'a=b=c', { a: 'b=c' }],
    ['a form field without a value, and an empty one', 'a&b=&c=1', { a: '', b: '', c: '1' }],
    ['the last of equal names', 'a=1&a=2', { a: '2' }],
    ['a form in UTF-8, escaped and not', 'a=%C3%BC&b=ü', { a: 'ü', b: 'ü' }],
    ['a single form field payload with JSON', 'payload=%7B%22a%22%3A1%7D', { a: 1 }],
    ['a form field payload among others stays a field', 'payload=%7B%7D&a=1', { payload: '{}', a: '1' }],
    ['a form field payload with text stays a field', 'payload=x', { payload: 'x' }]
  ]
  for (const [name, body, expected] of cases) t.same(of(body), expected, name)
})

t.test('bodies that are refused as malformed', async (t) => {
  const cases: [string, string | Buffer][] = [
    ['nothing', ''],
    ['white space', ' \n '],
    ['XML', '<alert><title>x</title></alert>'],
    ['text', 'disk full'],
    ['a JSON string', '"title"'],
    ['a number', '42'],
    ['null', 'null'],
    ['an object cut off', '{"title":"x'],
    ['a trailing comma', '{"a":1,}'],
    ['two objects', '{"a":1}{"b":2}'],
    ['a closing bracket too many', '{"a":1}]'],
    ['only closing brackets', '{}}}}}{{{'],
    ['single quotes', "{'a':1}"],
    ['a raw control character in a string', '{"a":"\u0000"}'],
    ['invalid UTF-8 in JSON', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc0, 0xaf, 0x22, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d])],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['invalid UTF-8 in a form', Buffer.from([0x61, 0x3d, 0xff])],
    ['an escape in a form that is not UTF-8', 'a=%FF'],
    ['an escape in a form that is none', 'a=%zz'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
    ['a form field payload with broken JSON', 'payload=%7B'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])]
  ]
  for (const [name, body] of cases) t.throws(() => of(body), Malformed, name)
})

t.test('a body with too many values or fields is refused', async (t) => {
  const many = (count: number, make: (nth: number) => string): string => Array.from({ length: count }, (_, nth) => make(nth)).join(',')
  const cases: [string, string][] = [
    ['members in one object', `{${many(1001, (nth) => `"k${nth}":1`)}}`],
    ['values', `[${many(100_002, () => '1')}]`],
    ['objects', `[${many(20_011, () => '{}')}]`],
    ['form fields', Array.from({ length: 1001 }, (_, nth) => `f${nth}=1`).join('&')]
  ]
  for (const [name, body] of cases) t.throws(() => of(body), { name: 'Unparseable', details: [{ path: '', rule: 'max' }] }, name)
  t.doesNotThrow(() => of(`{${many(1000, (nth) => `"k${nth}":1`)}}`), 'one less is taken')
})

t.test('names such as __proto__ stay plain fields and touch no prototype', async (t) => {
  const { body } = decode(Buffer.from('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":1}'))
  t.equal(Reflect.get({}, 'admin'), undefined, 'no prototype was touched')
  t.equal(Reflect.get(body, 'admin'), undefined, 'nor that of the body')
  t.same(Object.keys(body), ['__proto__', 'constructor', 'toString'])
  const form = decode(Buffer.from('__proto__=x&constructor=y&a=1')).body
  t.same(Object.keys(form), ['__proto__', 'constructor', 'a'])
})

t.test('a body that may contain escaped control characters is marked as escaped', async (t) => {
  const cases: [string, boolean][] = [
    ['{"a":"\\u0000"}', true],
    ['{"a":"\\ud800"}', true],
    ['{"a\\u0000":1}', true],
    ['{"a":"\\\\u0000"}', false],
    ['{"a":"\\b"}', true],
    ['{"a":"\\f"}', true],
    ['{"a":"\\n"}', false],
    ['{"a":"ü"}', false],
    ['a=1', true]
  ]
  for (const [body, escaped] of cases) t.equal(decode(Buffer.from(body)).escaped, escaped, body)
})

t.test('2 MiB of brackets are refused without being parsed', async (t) => {
  const parsed = t.capture(JSON, 'parse', () => ({}))
  for (const bytes of ['['.repeat(2 * MEGABYTE), '{"a":'.repeat((2 * MEGABYTE) / 5), '[[],'.repeat(MEGABYTE / 2)]) {
    t.throws(() => decode(Buffer.from(bytes)), Malformed)
  }
  t.throws(() => decode(Buffer.from(`[${'[],'.repeat((2 * MEGABYTE) / 3 - 2)}[]]`)), Unparseable)
  t.same(parsed(), [])
})
