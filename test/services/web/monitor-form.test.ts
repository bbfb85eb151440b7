/**
 * Tests of a monitor's form: what it reads it writes back unchanged, typed text becomes the right
 * kind of value, and only changes are sent. Also time spans and numbers in words.
 */
import t from 'tap'
import type { Assertion } from '../../../schemas/http/check-config.ts'
import { MASK } from '../../../schemas/http/check-words.ts'
import { newestOf } from '../../../services/web/api/newest.ts'
import type { Monitor } from '../../../services/web/api/shapes.ts'
import { differing } from '../../../services/web/forms/differing.ts'
import { importBody } from '../../../services/web/pages/monitors/import-body.ts'
import { trialOfNew } from '../../../services/web/pages/monitors/trial-body.ts'
import { type AssertionRow, assertionOf, changesOf, createBody, valueKind, valuesOf } from '../../../services/web/pages/monitors/values.ts'
import { budgetInWords, msInWords, percentInWords } from '../../../services/web/parts/figures.ts'
import { bucketOf, rangeNamed, rangeSearch, singlePlot, singleSpan, spanOf } from '../../../services/web/parts/range.ts'
import { rangeWords } from '../../../services/web/parts/range-words.ts'

const assertions: Assertion[] = [
  { source: 'status', op: 'in', value: [200, 204], on_fail: 'down' },
  { source: 'json', property: '$.healthy', op: 'eq', value: true, on_fail: 'degraded' },
  { source: 'json', property: '$.code', op: 'eq', value: '12', on_fail: 'down' },
  { source: 'json', property: '$.count', op: 'gte', value: 3, on_fail: 'down' },
  { source: 'header', property: 'Content-Type', op: 'exists', on_fail: 'down' },
  { source: 'body', op: 'len_gt', value: 10, on_fail: 'down' },
  { source: 'body', op: 'matches', value: 'a{1,2}', on_fail: 'down' }
]

const monitor = {
  name: 'Shop',
  target: 'https://shop.example/',
  description: '',
  interval_seconds: 60,
  timeout_seconds: 10,
  regions: ['eu-central'],
  config: {
    method: 'POST',
    headers: [{ name: 'X-Key', value: MASK, secret: true }],
    auth: { type: 'basic', username: 'u', password: MASK }
  },
  assertions,
  degraded_after_ms: 400,
  down_interval_seconds: 20,
  confirmation: {
    regions: 2,
    rounds: 2,
    min_seconds: 0,
    recovery_rounds: 2,
    recovery_seconds: 0,
    failure_rate: { failures: 3, window_seconds: 600 },
    advisory_after_seconds: 900
  },
  retry: { count: 1, strategy: 'fixed', base_seconds: 5, max_total_seconds: 60 },
  flap: { enabled: true, window_rounds: 20, high_percent: 30, low_percent: 15 },
  severity_down: 'critical',
  severity_degraded: 'warning',
  open_on_degraded: false,
  tls_expiry_days: [30, 7],
  repeat_interval_seconds: 900,
  tags: ['web', 'shop'],
  labels: { team: 'core', url: 'a=b' }
} as unknown as Monitor

t.test('the form writes back unchanged what it has read', async (t) => {
  const values = valuesOf(monitor)
  const body = createBody(values)
  t.same(body.assertions, assertions)
  t.match(body, { interval_seconds: 60, degraded_after_ms: 400, regions: ['eu-central'], tls_expiry_days: [30, 7], tags: ['web', 'shop'] })
  t.same(body.labels, { team: 'core', url: 'a=b' })
  t.same(body.confirmation, monitor.confirmation)
  t.same(body.config, monitor.config, 'and of the request only what is not usual')
  t.same(changesOf(values, values), {})
})

t.test('a row of assertions that nobody changed is sent as it was read', async (t) => {
  const read: Assertion[] = [
    { source: 'header', property: 'cache-control', op: 'in', value: ['no-cache, no-store', 'private'], on_fail: 'down' },
    { source: 'header', property: 'etag', op: 'not_in', value: ['"a"', 'W/"b"', 'c"d', '\\e'], on_fail: 'down' },
    { source: 'json', property: '$.a', op: 'eq', value: '"quoted"', on_fail: 'down' },
    { source: 'json', property: '$.b', op: 'eq', value: '"a\\"', on_fail: 'down' },
    { source: 'json', property: '$.c', op: 'eq', value: ' 12 ', on_fail: 'down' },
    { source: 'json', property: '$.s', op: 'in', value: ['a,b', ' c', '1', 'true', '1e5', '', 1, true], on_fail: 'down' },
    { source: 'latency_ms', op: 'lt', value: 2000, on_fail: 'down' }
  ]
  const before = valuesOf({ ...monitor, assertions: read } as Monitor)
  const last = before.assertions.length - 1
  const assertions = before.assertions.map((row, at) => (at === last ? { ...row, value: '3000' } : row))
  t.same(changesOf(before, { ...before, assertions }).assertions, [...read.slice(0, last), { ...read[last], value: 3000 }])
  for (const [at, row] of before.assertions.entries()) {
    const { given: _given, ...typed } = row
    t.same(assertionOf(typed), read[at], `${row.source} ${row.property}: the text ${row.value} means what was read`)
    t.same(assertionOf({ ...row, on_fail: 'degraded' }), { ...read[at], on_fail: 'degraded' })
  }
})

t.test('only the fields that differ are left of a body', async (t) => {
  const before = { name: 'Shop', tags: ['web'], retry: { count: 1 }, team_id: null as string | null }
  const cases: [string, Partial<typeof before>, object][] = [
    ['nothing', {}, {}],
    ['the same list again', { tags: ['web'] }, {}],
    ['another list', { tags: [] }, { tags: [] }],
    ['a part of an object', { retry: { count: 2 } }, { retry: { count: 2 } }],
    ['null', { name: 'Store', team_id: null }, { name: 'Store' }],
    ['a value in the place of null', { team_id: 'a' }, { team_id: 'a' }]
  ]
  for (const [what, change, wanted] of cases) t.same(differing(before, { ...before, ...change }), wanted, what)
  t.same(differing<object>({}, { added: 1 }), { added: 1 }, 'a new field')
})

t.test('a copy and its trial keep the escalation policy of the monitor', async (t) => {
  const values = valuesOf(monitor)
  const cases: [string, Pick<Monitor, 'escalation_policy_id'> | null, Record<string, unknown>][] = [
    ['a new monitor', null, {}],
    ['a copy of one without', { escalation_policy_id: null }, {}],
    ['a copy of one with a policy', { escalation_policy_id: 'p' }, { escalation_policy_id: 'p' }]
  ]
  for (const [what, like, kept] of cases)
    for (const body of [createBody(values, like), trialOfNew(values, like)] as Record<string, unknown>[])
      t.same(
        Object.entries(body).filter(([name]) => name === 'escalation_policy_id'),
        Object.entries(kept),
        what
      )
})

t.test('the form sends only the fields that changed', async (t) => {
  const values = valuesOf(monitor)
  const cases: [string, Partial<typeof values>, unknown][] = [
    ['a name', { name: 'Store' }, { name: 'Store' }],
    ['one figure of a group', { rounds: '3' }, { confirmation: { rounds: 3 } }],
    ['no failure rate any more', { rate_failures: '', rate_window: ' ' }, { confirmation: { failure_rate: null } }],
    ['no flapping any more', { flap: false }, { flap: { enabled: false } }],
    ['no reminders any more', { repeat: ' ' }, { repeat_interval_seconds: null }],
    ['half of one', { rate_window: '' }, { confirmation: { failure_rate: { failures: 3, window_seconds: -1 } } }],
    ['the usual rhythm again', { down_interval: '' }, { down_interval_seconds: null }],
    ['no limit any more', { degraded_after: ' ' }, { degraded_after_ms: null }],
    ['no access any more', { auth: 'none' }, { config: { auth: { type: 'none' } } }],
    ['answers are kept', { capture_on_failure: true }, { config: { capture_on_failure: true } }],
    ['given to a team', { team_id: 'a team' }, { team_id: 'a team' }],
    ['the service picks again', { regions: [] }, { regions: [] }],
    ['what is no number is below every least value', { interval: 'often' }, { interval_seconds: -1 }],
    ['spaces and repetitions in lists do not count', { tags: ' web,shop ,, web' }, {}]
  ]
  for (const [name, change, expected] of cases) t.same(changesOf(values, { ...values, ...change }), expected, name)
})

t.test('a header with the name of a credential is sent as a secret', async (t) => {
  const values = valuesOf(monitor)
  const typed = [
    { key: 1, name: ' Authorization ', value: 'a', secret: false },
    { key: 2, name: 'Accept', value: 'b', secret: false }
  ]
  t.same(changesOf(values, { ...values, headers: typed }), {
    config: {
      headers: [
        { name: 'Authorization', value: 'a', secret: true },
        { name: 'Accept', value: 'b', secret: false }
      ]
    }
  })
})

t.test('an assertion value has the type that its source and operator need', async (t) => {
  const row = (source: AssertionRow['source'], op: AssertionRow['op'], value: string): AssertionRow => ({
    key: 0,
    source,
    property: '$.a',
    op,
    value,
    on_fail: 'down'
  })
  const cases: [AssertionRow, unknown][] = [
    [row('status', 'eq', '200'), 200],
    [row('status', 'eq', 'fine'), 'fine'],
    [row('status', 'in', '200, 301'), [200, 301]],
    [row('json', 'eq', 'true'), true],
    [row('json', 'eq', '"true"'), 'true'],
    [row('json', 'eq', '-1.5'), -1.5],
    [row('json', 'eq', '"C:\\new"'), 'C:\\new'],
    [row('json', 'in', 'a, "b, c" , "12", 12,, ""'), ['a', 'b, c', '12', 12, '']],
    [row('header', 'in', 'a"b, "c", d'), ['a"b', 'c', 'd']],
    [row('header', 'in', '"open, b'), ['"open', 'b']],
    [row('header', 'eq', '12'), '12'],
    [row('body', 'len_eq', '12'), 12],
    [row('json', 'matches', '12'), '12'],
    [row('json', 'not_exists', 'left over'), undefined]
  ]
  for (const [typed, value] of cases) t.same(assertionOf(typed).value, value, `${typed.source} ${typed.op} ${typed.value}`)
  t.equal(valueKind('header', 'empty'), 'none')
})

t.test('time ranges in the address', async (t) => {
  const now = Date.parse('2026-11-22T10:00:00Z')
  t.same(rangeSearch({ range: '24h' }), {}, 'the usual one is left out')
  t.same(rangeSearch({ range: 'century' }), {})
  t.same(rangeSearch({ range: '7d' }), { range: '7d' })
  t.same(rangeSearch({ from: '2026-11-22T08:00:00.123Z', to: '2026-11-22T09:00:00Z', range: '7d' }), {
    from: '2026-11-22T08:00:00Z',
    to: '2026-11-22T09:00:00Z'
  })
  t.same(rangeSearch({ from: '2026-11-22T09:00:00Z', to: '2026-11-22T08:00:00Z' }), {}, 'one that ends before it begins is none')
  t.same(spanOf({}, now), { from: now - 86_400_000, to: now })
  t.equal(bucketOf(spanOf({ range: '7d' }, now)), 'hour')
  t.equal(bucketOf(spanOf({ range: '90d' }, now)), 'day')
  t.same(rangeSearch({ range: '45m' }), { range: '45m' }, 'any length until now')
  t.same(spanOf({ range: '45m' }, now), { from: now - 45 * 60_000, to: now })
  for (const range of ['4m', '761d', '0d', '-3d', '3w', '3', '1.5h', '99999m ']) t.same(rangeSearch({ range }), {}, range)
  t.equal(rangeNamed(3, 'd'), '3d')
  t.equal(rangeNamed(Number.NaN, 'd'), null)
  t.equal(rangeNamed(900, 'd'), null)
  t.equal(rangeWords('1h'), 'the last hour')
  t.equal(rangeWords('90d'), 'the last 90 days')
})

t.test('only short and recent spans are drawn check by check, from the start of the monitor', async (t) => {
  const HOUR = 3_600_000
  const now = Date.parse('2026-11-22T10:00:00Z')
  const long = spanOf({ range: '90d' }, now)
  t.same(singleSpan(long, now - HOUR, now), { from: now - HOUR, to: now }, '90 days of a young monitor')
  t.equal(singleSpan(long, now - 4 * HOUR, now), null, 'one of some hours has figures')
  t.same(singleSpan(spanOf({ range: '1h' }, now), now - 99 * HOUR, now), { from: now - HOUR, to: now }, 'a short span of an old one')
  const before = { from: now - 400 * HOUR, to: now - 399 * HOUR }
  t.equal(singleSpan(before, 0, now), null, 'its checks may not be kept')
  t.same(
    singleSpan({ from: now - 3 * HOUR, to: now - 2 * HOUR }, now - HOUR, now),
    { from: now - 2 * HOUR - 1, to: now - 2 * HOUR },
    'a span'
  )
})

t.test('a plot of single checks that leaves older ones out starts at the oldest one that was read', async (t) => {
  const MINUTE = 60_000
  const to = Date.parse('2026-11-22T15:00:00Z')
  const asked = { from: to - 180 * MINUTE, to }
  t.same(singlePlot(asked, asked, to - 100 * MINUTE), { from: to - 100 * MINUTE, to }, 'no empty part says that nothing was checked')
  t.same(singlePlot(asked, asked, null), asked, 'all were read')
  const young = { from: to - MINUTE, to }
  t.same(singlePlot(asked, young, null), { from: to - 10 * MINUTE, to }, 'a new monitor')

  const pager = (all: number) => async (cursor: string | null) => {
    const at = Number(cursor ?? 0)
    const items = Array.from({ length: Math.min(2, all - at) }, (_, nth) => at + nth)
    return { items, next_cursor: at + 2 < all ? String(at + 2) : null }
  }
  t.same(await newestOf(pager(3), 4), { items: [0, 1, 2], isCut: false })
  t.same(await newestOf(pager(4), 4), { items: [0, 1, 2, 3], isCut: false })
  t.same(await newestOf(pager(9), 4), { items: [0, 1, 2, 3], isCut: true }, 'older ones are left out')
  t.same(await newestOf(pager(0), 4), { items: [], isCut: false })
})

t.test('an unspent error budget does not read as spent', async (t) => {
  const cases: [left: number, burn: number, words: string][] = [
    [0.3, 0, 'All of it left'],
    [0, 0, 'All of it left'],
    [43, 0.5, '50 % left (43 s)'],
    [2592, 0, 'All of it left'],
    [0, 1, '0 % left (0 s)'],
    [-90, 2, 'Spent, 1 min over']
  ]
  for (const [budget_left_seconds, burn_rate, words] of cases) t.equal(budgetInWords({ budget_left_seconds, burn_rate }), words)
})

t.test('times and percentages in words', async (t) => {
  const times: [number, string][] = [
    [0.25, '0.3 ms'],
    [12.4, '12 ms'],
    [999, '999 ms'],
    [1240, '1.24 s'],
    [12_340, '12.3 s']
  ]
  for (const [ms, words] of times) t.equal(msInWords(ms), words)
  const percents: [number, string][] = [
    [100, '100 %'],
    [99.9999, '99.999 %'],
    [99.95, '99.95 %'],
    [60.47, '60.47 %'],
    [55, '55 %'],
    [0, '0 %']
  ]
  for (const [percent, words] of percents) t.equal(percentInWords(percent), words)
})

t.test('import requests from pasted text', async (t) => {
  const items = [{ name: 'Shop' }]
  const cases: [text: string, body: object | null][] = [
    ['name,type\nShop,http\n', { format: 'csv', content: 'name,type\nShop,http', dry_run: true }],
    [JSON.stringify(items), { format: 'native', items, dry_run: true }],
    [`  ${JSON.stringify({ items, total: 1 })}`, { format: 'native', items, dry_run: true }],
    ['{"name": "Shop"}', null],
    ['["Shop"]', null],
    ['[{"name": "Shop"}', null]
  ]
  for (const [text, body] of cases) t.same(importBody(text, true), body, text)
})

t.test('a trial sends what the form would save, even without a name', async (t) => {
  const values = valuesOf(monitor)
  t.same(trialOfNew(values), createBody(values))
  const { name: _name, ...unnamed } = createBody(values)
  t.same(trialOfNew({ ...values, name: ' ' }), unnamed)
})
