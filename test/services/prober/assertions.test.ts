/** Table of assertions: source, operator and value against one answer. */
import t from 'tap'
import type { Assertion } from '../../../schemas/http/check-config.ts'
import { AssertionFault, compileAssertions, evaluateAssertions, type Facts } from '../../../services/prober/assertions.ts'
import { secretsOf, withoutSecrets } from '../../../services/prober/found.ts'

const facts: Facts = {
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'set-cookie': ['a=1', 'b=2'], 'x-empty': '', 'x-count': '12' },
  body: JSON.stringify({
    status: 'ok',
    count: 3,
    ready: true,
    nothing: null,
    items: [{ id: 1 }, { id: 2 }],
    tags: ['a', 'b'],
    empty: [],
    text: 'naïve 👍'
  }),
  latency_ms: 120.5,
  tls_days: 12.4,
  redirect_url: 'https://example.org/login',
  ip: '192.0.2.7'
}

type Row = [source: string, op: Assertion['op'], value: Assertion['value'], ok: boolean, actual?: string | null]
// The source and, after a space, its property.
const rows: Row[] = [
  ['status', 'eq', 200, true, '200'],
  ['status', 'eq', '200', true, '200'],
  ['status', 'ne', 200, false, '200'],
  ['status', 'gte', 200, true],
  ['status', 'gt', 200, false],
  ['status', 'lte', 200, true],
  ['status', 'lt', 200, false],
  ['status', 'in', [200, 204], true],
  ['status', 'in', ['204', '200'], true],
  ['status', 'not_in', [500, 503], true],
  ['status', 'matches', '^2..$', true],
  ['header content-type', 'contains', 'json', true, null],
  ['header Content-Type', 'eq', 'application/json; charset=utf-8', true, null],
  ['header content-type', 'not_contains', 'html', true],
  ['header set-cookie', 'eq', 'b=2', true],
  ['header set-cookie', 'ne', 'b=2', false],
  ['header x-count', 'gt', 11, true],
  ['header x-empty', 'exists', undefined, true],
  ['header x-empty', 'empty', undefined, true],
  ['header x-missing', 'exists', undefined, false],
  ['header x-missing', 'not_exists', undefined, true],
  ['header x-missing', 'empty', undefined, true],
  ['header x-missing', 'not_empty', undefined, false],
  ['header x-missing', 'eq', 'a', false],
  ['header x-missing', 'ne', 'a', true],
  ['header x-missing', 'not_matches', 'a', true],
  ['header x-missing', 'len_eq', 0, false],
  ['header constructor', 'exists', undefined, false],
  ['body', 'contains', '"status":"ok"', true, null],
  ['body', 'not_contains', 'error', true],
  ['body', 'matches', '"count":\\d+', true, null],
  ['body', 'not_matches', '(?i)fatal', true],
  ['body', 'not_empty', undefined, true],
  ['body', 'len_gt', 10, true, '126'],
  ['body', 'len_lt', 10, false, '126'],
  ['json $.status', 'eq', 'ok', true, null],
  ['json $.count', 'gte', 3, true, null],
  ['json $.count', 'eq', '3', true],
  ['json $.ready', 'eq', true, true],
  ['json $.ready', 'eq', 'true', true],
  ['json $.nothing', 'exists', undefined, true],
  ['json $.nothing', 'empty', undefined, true],
  ['json $.missing', 'exists', undefined, false],
  ['json $.missing', 'empty', undefined, true],
  ['json $.empty', 'len_eq', 0, true, '0'],
  ['json $.items', 'len_eq', 2, true, '2'],
  ['json $.items[*]', 'len_eq', 2, true, '2'],
  ['json $.items[?@.id>5]', 'len_eq', 0, true, '0'],
  ['json $.text', 'len_eq', 7, true, '7'],
  ['json $.items[*].id', 'eq', 2, true],
  ['json $.items[*].id', 'ne', 2, false],
  ['json $..id', 'in', [7, 1], true],
  ['json $.tags', 'contains', 'b', true],
  ['json $.tags', 'not_contains', 'c', true],
  ['json $.text', 'matches', 'na.ve', true],
  ['latency_ms', 'lt', 500, true, '120.5'],
  ['latency_ms', 'lt', 100, false, '120.5'],
  ['tls_days', 'gt', 7, true, '12.4'],
  ['tls_days', 'gt', 14, false, '12.4'],
  ['redirect_url', 'eq', 'https://example.org/login', true, null],
  ['redirect_url', 'matches', '/login$', true],
  ['ip', 'eq', '192.0.2.7', true, '192.0.2.7'],
  ['ip', 'in', ['192.0.2.8'], false]
]

const assertionOf = (source: string, op: Assertion['op'], value: Assertion['value']): Assertion => {
  const [name, ...property] = source.split(' ')
  return {
    source: name as Assertion['source'],
    op,
    ...(property.length > 0 && { property: property.join(' ') }),
    ...(value !== undefined && { value })
  }
}

t.test('operators by source', async (t) => {
  for (const [source, op, value, ok, actual] of rows) {
    const { results } = evaluateAssertions(compileAssertions([assertionOf(source, op, value)]), facts)
    t.match(results, [{ index: 0, ok, ...(actual !== undefined && { actual }) }], `${source} ${op} ${JSON.stringify(value) ?? ''}`)
  }
})

t.test('a failed assertion shows what was found, shortened and without secrets', async (t) => {
  const found = (source: string, op: Assertion['op'], value: Assertion['value'], over: Partial<Facts> = {}) =>
    evaluateAssertions(compileAssertions([assertionOf(source, op, value)]), { ...facts, ...over }).results[0]?.actual
  const json = (body: object): Partial<Facts> => ({ body: JSON.stringify(body) })
  // biome-ignore format: a table
  const rows: [what: string, actual: string | null | undefined, expected: string | null][] = [
    ['status', found('status', 'eq', 503), '200'],
    ['latency', found('latency_ms', 'lt', 100), '120.5'],
    ['days of the certificate', found('tls_days', 'gt', 14), '12.4'],
    ['JSON path', found('json $.status', 'eq', 'degraded'), 'ok'],
    ['number in JSON', found('json $.count', 'eq', 4), '3'],
    ['several of a path', found('json $.items[*].id', 'eq', 3), '1, 2'],
    ['more than are shown', found('json $.n[*]', 'eq', 0, json({ n: [1, 2, 3, 4, 5, 6, 7] })), '1, 2, 3, 4, 5, and 2 more'],
    ['a list', found('json $.tags', 'contains', 'c'), '["a","b"]'],
    ['nothing was found', found('json $.missing', 'eq', 4), null],
    ['header', found('header content-type', 'contains', 'html'), 'application/json; charset=utf-8'],
    ['header that is not there', found('header x-missing', 'eq', 'a'), null],
    ['body', found('body', 'contains', 'healthy', { body: ' <h1>Sorry</h1>\n' }), '<h1>Sorry</h1>'],
    ['what holds', found('body', 'contains', 'ok'), null],
    ['control characters', found('body', 'eq', 'x', { body: 'a\u0000b' }), 'a b'],
    ['address of a redirect', found('redirect_url', 'eq', 'https://example.org/'), 'https://example.org/login'],
    ['and its query', found('redirect_url', 'eq', 'x', { redirect_url: 'https://a.test/cb?code=42&state=ab#at=9' }), 'https://a.test/cb?code=…&state=…#at=…'],
    ['a header with an address', found('header location', 'eq', 'x', { headers: { location: '/in?ticket=ST-1' } }), '/in?ticket=…'],
    // Hidden because of the name of the header or of any part of the path.
    ['cookie', found('header set-cookie', 'eq', 'c=3'), '[secret]'],
    ['header of a credential', found('header x-api-key', 'eq', 'a', { headers: { 'x-api-key': 'plain words' } }), '[secret]'],
    ['name in a path', found('json $.api_token', 'eq', 'x', json({ api_token: 'plain words' })), '[secret]'],
    ['name in brackets', found("json $['user']['password']", 'eq', 'x', json({ user: { password: 'horse' } })), '[secret]'],
    ['name above', found('json $.passwords[0]', 'eq', 'x', json({ passwords: ['horse'] })), '[secret]'],
    ['name inside a value', found('json $.user', 'eq', 'x', json({ user: { name: 'Jo', pin: '1234', at: [{ otp: 99 }] } })), '{"name":"Jo","pin":[secret],"at":[{"otp":[secret]}]}']
  ]
  for (const [what, actual, expected] of rows) t.equal(actual, expected, what)
  const hidden = found('body', 'contains', 'healthy', { body: 'user=anna@example.com password=horse token: eyJhbGciOiJIUzI1NiJ9.e30.abc' })
  for (const secret of ['anna@example.com', 'horse', 'eyJhbGci']) t.notOk(hidden?.includes(secret), `${secret} in ${hidden}`)
  const long = found('body', 'contains', 'healthy', { body: 'word '.repeat(2000) }) ?? ''
  t.ok(long.length <= 256 && long.endsWith('…'), `${long.length} characters`)
  const wide = found('json $', 'eq', 'x', json(Object.fromEntries(Array.from({ length: 100_000 }, (_, nth) => [`k${nth}`, 'v']))))
  t.equal(wide?.length, 256, 'of a large value')
})

t.test('secrets that the monitor sends are removed from shown answers', async (t) => {
  const basic = secretsOf(`Basic ${Buffer.from('jo:two"words').toString('base64')}`)
  t.equal(withoutSecrets('you are jo with two"words', basic), 'you are jo with [secret]')
  t.equal(withoutSecrets('{"password":"two\\"words"}', basic), '{"password":"[secret]"}', 'as JSON writes it')
  t.equal(withoutSecrets('got Bearer correct horse', secretsOf('Bearer correct horse')), 'got [secret]')
  t.equal(withoutSecrets('got correct horse', secretsOf('Bearer correct horse')), 'got [secret]')
  t.equal(withoutSecrets('you sent correct ho…', secretsOf('correct horse')), 'you sent [secret]…', 'cut at the end')
  t.equal(withoutSecrets('abc', secretsOf('a')), 'abc', 'one so short is in every text')
})

t.test('a missing value fails every assertion except the negative ones', async (t) => {
  const bare: Facts = { ...facts, body: 'no json', tls_days: null, redirect_url: null }
  const cases: [string, Assertion['op'], Assertion['value'], boolean][] = [
    ['json $.a', 'eq', 1, false],
    ['json $.a', 'ne', 1, true],
    ['json $', 'not_exists', undefined, true],
    ['tls_days', 'gt', 0, false],
    ['redirect_url', 'not_exists', undefined, true]
  ]
  for (const [source, op, value, ok] of cases)
    t.match(evaluateAssertions(compileAssertions([assertionOf(source, op, value)]), bare).results, [{ ok }], `${source} ${op}`)
})

t.test('the verdict of several assertions', async (t) => {
  const of = (assertions: Assertion[], status = 200) => evaluateAssertions(compileAssertions(assertions), { ...facts, status }).failed
  t.equal(of([]), null)
  t.match(of([], 199), { source: 'status', onFail: 'down', index: null })
  t.match(of([], 300), { source: 'status', index: null })
  t.equal(of([{ source: 'status', op: 'eq', value: 503 }], 503), null, 'an assertion on the status replaces the default')
  t.match(of([{ source: 'body', op: 'not_empty' }], 500), { index: null }, 'one on anything else does not')
  const slow: Assertion = { source: 'latency_ms', op: 'lt', value: 1, on_fail: 'degraded' }
  t.match(of([slow]), { onFail: 'degraded', index: 0 })
  t.match(of([slow, { source: 'body', op: 'contains', value: 'nowhere' }]), { onFail: 'down', index: 1 }, 'down wins over degraded')
})

t.test('passed assertions carry no text of the answer or of the expected value', async (t) => {
  const secret = 'hunter2-of-the-page'
  const { results } = evaluateAssertions(
    compileAssertions([
      { source: 'body', op: 'contains', value: secret },
      { source: 'header', property: 'x-key', op: 'eq', value: secret },
      { source: 'json', property: '$.key', op: 'eq', value: secret },
      { source: 'redirect_url', op: 'contains', value: secret }
    ]),
    { ...facts, headers: { 'x-key': secret }, body: JSON.stringify({ key: secret }), redirect_url: `http://a/${secret}` }
  )
  t.same(
    results.map(({ ok }) => ok),
    [true, true, true, true]
  )
  t.notMatch(JSON.stringify(results), secret)
  for (const { message } of results) t.ok(message.length > 0 && message.length <= 256)
  const [long] = evaluateAssertions(compileAssertions([{ source: 'ip', op: 'in', value: Array(50).fill('x'.repeat(100)) }]), facts).results
  t.equal(long?.message.length, 256)
})

t.test('an assertion that cannot be evaluated is a fault, not a failure', async (t) => {
  const faults: [string, Assertion][] = [
    ['a pattern that backtracks only', { source: 'body', op: 'matches', value: '(a)\\1' }],
    ['a pattern too long', { source: 'body', op: 'matches', value: 'a'.repeat(513) }],
    ['no path', { source: 'json', op: 'exists' }],
    ['a broken path', { source: 'json', property: '$[', op: 'exists' }],
    ['a path with an engine that backtracks', { source: 'json', property: "$[?match(@.a, '(a+)+b')]", op: 'exists' }],
    ['a path that costs the square', { source: 'json', property: '$..a..b', op: 'exists' }],
    ['a header without a name', { source: 'header', op: 'exists' }],
    ['no value', { source: 'status', op: 'eq' }],
    ['several values for one', { source: 'status', op: 'gt', value: [1, 2] }]
  ]
  for (const [what, assertion] of faults) t.throws(() => compileAssertions([assertion]), AssertionFault, what)
})

t.test('hostile patterns and paths end in time', async (t) => {
  const long = 'a'.repeat(1_000_000)
  const evil = compileAssertions([
    { source: 'body', op: 'not_matches', value: '(a+)+$b' },
    { source: 'body', op: 'not_matches', value: '(.*a){20}b' }
  ])
  t.same(
    evaluateAssertions(evil, { ...facts, body: long }).results.map(({ ok }) => ok),
    [true, true]
  )
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const [result] = evaluateAssertions(compileAssertions([{ source: 'json', property: '$..a', op: 'exists' }]), {
    ...facts,
    body: deep
  }).results
  t.equal(result?.ok, false)
})
