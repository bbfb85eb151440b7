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

t.test('strings that a template did not escape are mended', async (t) => {
  const cases: [name: string, body: string, expected: unknown][] = [
    ['a line feed', '{"a":"x\ny"}', { a: 'x\ny' }],
    ['carriage return and tab', '{"a":"x\r\n\ty"}', { a: 'x\r\n\ty' }],
    ['any control character', '{"a":"\u0000\u001b[31mx\u001f"}', { a: '\u0000\u001b[31mx\u001f' }],
    ['a name', '{"a\nb":1}', { 'a\nb': 1 }],
    ['a backslash before a letter', '{"a":"expected /\\d+\\s/"}', { a: 'expected /\\d+\\s/' }],
    ['a path', '{"a":"C:\\Users\\x y"}', { a: 'C:\\Users\\x y' }],
    ['a backslash before what is no code', '{"a":"\\users \\u12 \\u12","b":"\\uz"}', { a: '\\users \\u12 \\u12', b: '\\uz' }],
    ['a backslash before a line feed', '{"a":"x\\\ny"}', { a: 'x\\\ny' }],
    ['a backslash before a letter of two bytes', '{"a":"\\ü"}', { a: '\\ü' }],
    ['escapes beside them stay', '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fc\n"}', { a: '"\\/\b\f\n\r\tü\n' }],
    ['two backslashes are one', '{"a":"\\\\d\n"}', { a: '\\d\n' }],
    ['only what is wrong', '[ "a\n" ,\n\t"\\d", {"b" : "c"} ]\n', ['a\n', '\\d', { b: 'c' }]],
    ['a form field payload', `payload=${encodeURIComponent('{"a":"x\ny"}')}`, { a: 'x\ny' }]
  ]
  for (const [name, body, expected] of cases) {
    t.same(of(body), expected, name)
    t.match(decode(Buffer.from(body)), { escaped: true, mended: true }, `${name}: says so`)
  }
  t.equal(decode(Buffer.from('{"a":"x\\ny"}')).mended, undefined, 'valid JSON is read as it is')
})

t.test('a mended body has the limits of any other', async (t) => {
  t.throws(() => of(`["\n",${Array.from({ length: 100_002 }, () => '1').join(',')}]`), { name: 'Unparseable', details: [{ rule: 'max' }] })
  const parsed = t.capture(JSON, 'parse', JSON.parse)
  t.throws(() => decode(Buffer.from(`{"a":"${'\u0001'.repeat(2 * MEGABYTE - 8)}"}`)), Malformed, 'mended it is longer than 2 MiB')
  t.equal(parsed().length, 1, 'and is not parsed again')
  t.same(of(`{"a":"${'\n'.repeat(MEGABYTE - 8)}"}`), { a: '\n'.repeat(MEGABYTE - 8) })
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
    ['a raw control character outside of a string', '{"a":\u0000"b"}'],
    ['a backslash outside of a string', '{"a":\\"b"}'],
    ['a quote in a value', '{"a":"the "b" is\ndown"}'],
    ['a backslash that takes the quote behind it', '{"a":"C:\\","b":"\n"}'],
    ['a string with a raw line feed that is cut off', '{"a":"x\ny'],
    ['a string that ends in half an escape', '{"a":"x\ny\\'],
    ['a raw line feed, and a trailing comma', '{"a":"x\ny",}'],
    ['invalid UTF-8 beside a raw line feed', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0x0a, 0xff, 0x22, 0x7d])],
    ['33 levels behind a raw line feed', `["\n",${'['.repeat(32)}${']'.repeat(32)}]`],
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
