/** Assertions by table: source, operator and value against one answer. */
import t from 'tap'
import type { Assertion } from '../../../schemas/http/check-config.ts'
import { AssertionFault, compileAssertions, evaluateAssertions, type Facts } from '../../../services/prober/assertions.ts'

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
// Source, and after a space its property.
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

t.test('what an answer does not have holds no assertion but the negative ones', async (t) => {
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

t.test('the verdict', async (t) => {
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

t.test('results carry no text of the answer and no text that people compare with', async (t) => {
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

t.test('what cannot be evaluated is a fault, not a failure', async (t) => {
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

t.test('patterns and paths of ill will end', async (t) => {
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
