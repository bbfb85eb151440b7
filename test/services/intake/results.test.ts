/**
 * Tests of the door for probers on the real engines: what reaches the log, which prober's results
 * count, which batches are refused as a whole, and what a prober must send again.
 */
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Capture, Result } from '../../../schemas/http/prober.ts'
import { NoInstant, toCheckResult } from '../../../services/intake/results/result.ts'
import { until } from '../../harness/until.ts'
import { watchStand } from './watch-stand.ts'

const UUID = '0198e000-0000-4000-8000-00000000000a'
const owner = { tenant_id: UUID, monitor_id: UUID, team_id: null, visibility: 'org', plan: 'free' } as const

function resultOf(monitor_id: string, tenant_ref: string, fields: Partial<Result> = {}): Result {
  const at = Date.now()
  const instant = (ms: number): string => new Date(ms).toISOString()
  return {
    check_id: randomUUID(),
    monitor_id,
    tenant_ref,
    config_version: 3,
    seq: at,
    scheduled_at: instant(at),
    started_at: instant(at + 5),
    finished_at: instant(at + 95),
    outcome: 'success',
    attempts: [{ started_at: instant(at + 5), finished_at: instant(at + 95), outcome: 'success' }],
    timings_ms: { dns: 1.5, connect: 2, tls: 10, request: 0.25, ttfb: 60, download: 4, total: 90 },
    http: { status: 200, bytes: 5120 },
    tls: { issuer: 'CN=Test CA', not_after: '2027-01-01T00:00:00Z', chain_ok: true },
    assertions: [{ index: 0, ok: true, actual: null }],
    ...fields
  }
}

t.test('a result becomes a check result record', async (t) => {
  const batch = { region: 'eu-central', instance_id: 'p-1', received_at: 1_764_000_000_000, isAgreed: true }
  const at = (ms: number): string => new Date(batch.received_at + ms).toISOString()
  const judged = (fields: Partial<Result>) => toCheckResult(resultOf(UUID, UUID, { scheduled_at: at(0), ...fields }), owner, batch)
  t.match(judged({}), {
    region: 'eu-central',
    prober: 'p-1',
    ok: true,
    skewed: false,
    kind: 'scheduled',
    count: true,
    reason: null,
    retention_days: 7
  })
  t.equal(judged({ scheduled_at: at(5000) }).skewed, false)
  t.equal(judged({ scheduled_at: at(5001) }).skewed, true, 'more than 5 s after its receipt')
  const own = toCheckResult(resultOf(UUID, UUID, { scheduled_at: at(60_000) }), owner, { ...batch, isAgreed: false })
  t.equal(own.skewed, false, 'a door whose time nobody agrees to says nothing of it')
  const times = (started: number, finished: number, isAgreed = true): number[] => {
    const fields = { started_at: at(started), finished_at: at(finished) }
    const { checked_at, finished_at } = toCheckResult(resultOf(UUID, UUID, fields), owner, { ...batch, isAgreed })
    return [checked_at - batch.received_at, finished_at - batch.received_at]
  }
  const [MINUTE, DAY] = [60_000, 86_400_000]
  t.same(times(-600, -500), [-600, -500])
  t.same(times(-DAY, -DAY + 500), [-DAY, -DAY + 500], 'a prober kept it for a day')
  t.same(times(-36 * 365 * DAY, 70 * 365 * DAY), [-DAY, MINUTE], 'no result is of another year')
  t.same(times(3_600_000, 3_600_500, false), [3_600_000, 3_600_500], 'a door that may be behind moves no check')
  t.same(times(-2 * DAY, 2 * DAY, false), [-DAY, DAY], 'nor does it take one of another year')
  // biome-ignore format: a table
  const outcomes: [Result['outcome'], boolean][] = [['success', true], ['degraded', true], ['failure', false], ['prober_error', false], ['missed_window', false], ['rate_limited', false]]
  for (const [outcome, ok] of outcomes) t.match(judged({ outcome }), { outcome, ok })
  t.match(judged({ on_demand: true, count: false, attempts: [] }), { kind: 'on_demand', count: false, attempts: 0 })
  t.match(judged({ outcome: 'failure', reason: 'http_status', message: 'm'.repeat(1000), http: { status: 503, bytes: null } }), {
    reason: 'http_status',
    message: 'm'.repeat(1000),
    status_code: 503,
    response_bytes: null
  })
  t.match(judged({ http: null, tls: null, timings_ms: {}, assertions: [{ index: 4, ok: false, actual: 'a', message: 'w'.repeat(999) }] }), {
    status_code: null,
    certificate_not_after: null,
    timings_ms: { total: null, first_byte: null },
    assertions: [{ index: 4, ok: false, actual: 'a', message: 'w'.repeat(256) }]
  })
  t.match(
    judged({
      message: 'a\u0000b\ud83d',
      tls: { issuer: 'CN=\u0000\udc00', not_after: null, chain_ok: true },
      assertions: [{ index: 0, ok: false, actual: '\u0000', message: '\ud800\u{1f4a5}' }]
    }),
    {
      message: 'a\ufffdb\ufffd',
      certificate_issuer: 'CN=\ufffd\ufffd',
      assertions: [{ actual: '\ufffd', message: '\ufffd\u{1f4a5}' }]
    },
    'what an answer had in it is cleaned, and the result is taken'
  )
  t.equal(judged({ http: { status: 200, bytes: 1e300 } }).response_bytes, null, 'no number of bytes')
  t.throws(() => judged({ started_at: '2026-11-21T23:59:60Z' }), new NoInstant('started_at'))
})

t.test('results from probers', async (t) => {
  const stand = await watchStand(t)
  const { url, workspace, results, kafka, port } = stand
  const monitor = await stand.monitor()
  const token = await stand.prober('eu-central')
  const send = async (body: unknown, headers: Record<string, string> = {}, method = 'POST') => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const answer = await fetch(`${url}/api/v1/prober/results`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(method === 'GET' ? {} : { body: new Uint8Array(bytes) })
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
  }
  const batch = (...given: unknown[]) => ({ instance_id: 'prober-1', results: given })
  const mine = (fields: Partial<Result> = {}): Result => resultOf(monitor, workspace.tenant_id, fields)

  t.test('all results of an accepted batch reach the log', async (t) => {
    const before = Date.now()
    const sent = Array.from({ length: 500 }, (_, nth) => mine({ seq: before + nth }))
    const { status, body, headers } = await send(batch(...sent))
    t.equal(status, 202)
    t.same(body, { accepted: 500 })
    t.equal(headers.get('x-ratelimit-name'), 'prober')
    t.equal(headers.get('x-ratelimit-limit'), '1200')
    const found = await until('all of them', () => results().length >= 500 && results())
    t.same(
      found.map(({ value }) => value.event_id),
      sent.map(({ check_id }) => check_id),
      'each once, in their order'
    )
    const [first] = found
    t.equal(first?.key, monitor)
    t.same(first?.headers, {})
    t.equal(first?.partition, stand.stream.partitionOf('checks.results.v1', monitor))
    const {
      event_id: _,
      received_at,
      checked_at,
      finished_at,
      ...rest
    } = first?.value ?? { event_id: '', received_at: 0, checked_at: 0, finished_at: 0 }
    t.ok(received_at >= before && received_at <= Date.now())
    t.equal(finished_at - checked_at, 90)
    t.same(JSON.parse(JSON.stringify(rest)), {
      tenant_id: workspace.tenant_id,
      monitor_id: monitor,
      region: 'eu-central',
      seq: before,
      scheduled_at: Date.parse(sent[0]?.scheduled_at ?? ''),
      skewed: false,
      prober: 'prober-1',
      prober_version: null,
      kind: 'scheduled',
      count: true,
      attempts: 1,
      outcome: 'success',
      ok: true,
      reason: null,
      message: null,
      status_code: 200,
      timings_ms: { dns: 1.5, connect: 2, tls: 10, request: 0.25, first_byte: 60, download: 4, total: 90 },
      response_bytes: 5120,
      assertions: [{ index: 0, ok: true, actual: null, message: null }],
      certificate_not_after: Date.parse('2027-01-01T00:00:00Z'),
      certificate_issuer: 'CN=Test CA',
      certificate_chain_ok: true,
      domain_expires_at: null,
      config_version: 3,
      team_id: null,
      visibility: 'org',
      retention_days: 395
    })
    t.match(await stand.metrics(), /service_intake_results_total\{region="eu-central"\} 500/)
  })

  t.test('gzip and unknown fields are accepted, and the token decides the region', async (t) => {
    const known = results().length
    const one = { ...mine(), region: 'us-east', later: { much: ['more'] } }
    t.equal((await send(gzipSync(JSON.stringify({ ...batch(one), region: 'us-east' })), { 'content-encoding': 'gzip' })).status, 202)
    const found = await until('it', () => results()[known])
    t.equal(found.value.event_id, one.check_id)
    t.equal(found.value.region, 'eu-central', 'the region is the token’s')
  })

  t.test('a result for a monitor of no or another workspace is accepted, dropped and counted', async (t) => {
    const known = results().length
    const other = await stand.makeWorkspace()
    const theirs = await stand.monitor(other)
    const good = mine()
    const sent = [
      resultOf(randomUUID(), workspace.tenant_id),
      resultOf(theirs, workspace.tenant_id),
      resultOf(monitor, other.tenant_id),
      good
    ]
    const { status, body } = await send(batch(...sent))
    t.same([status, body], [202, { accepted: 4 }])
    await until('the good one', () => results().length > known)
    t.same(
      results()
        .slice(known)
        .map(({ value }) => value.event_id),
      [good.check_id]
    )
    t.match(await stand.metrics(), /service_intake_results_dropped_total\{reason="unknown_monitor"\} 1/)
    t.match(await stand.metrics(), /service_intake_results_dropped_total\{reason="other_workspace"\} 2/)
    const made = await stand.monitor()
    t.equal((await send(batch(resultOf(made, workspace.tenant_id)))).status, 202)
    await until('a monitor that was just made', () => results().some(({ value }) => value.monitor_id === made))
  })

  t.test('the token of a private location writes results only for its own workspace', async (t) => {
    const other = await stand.makeWorkspace()
    const theirs = await stand.monitor(other)
    const as = (location: string) => ({ authorization: `Bearer ${location}` })
    const own = as(await stand.location())
    const stranger = as(await stand.location(other))
    const known = results().length
    for (const [name, headers, given, path] of [
      ['a foreign result', stranger, [mine()], 'results[0].tenant_ref'],
      ['one behind a good one', own, [mine(), resultOf(theirs, other.tenant_id)], 'results[1].tenant_ref'],
      ['in capitals', stranger, [resultOf(monitor, workspace.tenant_id.toUpperCase())], 'results[0].tenant_ref']
    ] as const) {
      const { status, body } = await send(batch(...given), headers)
      t.match([status, body], [403, { code: 'FORBIDDEN', details: [{ path }] }], name)
    }
    const { status, body } = await send(batch(resultOf(monitor, other.tenant_id)), stranger)
    t.same([status, body], [202, { accepted: 1 }], 'a foreign monitor in its own name belongs to nobody')
    const good = mine()
    t.equal((await send(batch(good), own)).status, 202)
    await until('the good one', () => results().length > known)
    t.match(
      results().slice(known),
      [{ value: { event_id: good.check_id, tenant_id: workspace.tenant_id, region: /^loc-/ } }],
      'nothing else was written'
    )
    t.equal(results().length, known + 1)
    t.match(await stand.metrics(), /service_intake_results_total\{region="private"\} 1/)
    t.equal((await send(batch(resultOf(theirs, other.tenant_id)))).status, 202, 'a region of everybody brings results of all')
    await until('the last one', () => results().length > known + 1)
  })

  const captureOf = (fields: Partial<Capture> = {}): Capture => ({
    check_id: randomUUID(),
    monitor_id: monitor,
    tenant_ref: workspace.tenant_id,
    config_version: 3,
    captured_at: new Date().toISOString(),
    reason: 'http_status',
    http_version: '1.1',
    status: 503,
    status_text: 'Service Unavailable',
    headers: [{ name: 'x-served-by', value: 'web-3' }],
    body_kind: 'text',
    body: 'Down for repairs',
    body_bytes: 16,
    body_cut: false,
    ...fields
  })
  const captures = (...given: unknown[]) => ({ instance_id: 'prober-1', results: [], captures: given })

  t.test('captured answers of failed checks go only to their own topic', async (t) => {
    const known = results().length
    const before = Date.now()
    const sent = captureOf({ captured_at: new Date(before).toISOString() })
    const { status, body } = await send(captures(sent, captureOf({ body_kind: 'binary', body: null, reason: null })))
    t.same([status, body], [202, { accepted: 2 }])
    const found = await until('both', () => stand.captures().length >= 2 && stand.captures())
    const [first, second] = found
    t.equal(first?.key, `${workspace.tenant_id}|${monitor}`)
    t.same(first?.headers, {})
    const { received_at, ...rest } = first?.value ?? { received_at: 0 }
    t.ok(received_at >= before)
    t.match(rest, {
      event_id: sent.check_id,
      tenant_id: workspace.tenant_id,
      monitor_id: monitor,
      region: 'eu-central',
      prober: 'prober-1',
      captured_at: before,
      config_version: 3,
      reason: 'http_status',
      status_code: 503,
      status_text: 'Service Unavailable',
      body: 'Down for repairs',
      body_cut: false,
      retention_days: 3
    })
    t.same(JSON.parse(JSON.stringify(first?.value.headers)), [{ name: 'x-served-by', value: 'web-3' }])
    t.match(second?.value, { body_kind: 'binary', body: null, reason: null })
    t.equal(results().length, known, 'no result has any of it')
    t.match(await stand.metrics(), /service_intake_captures_total 2/)
  })

  t.test('results and captured answers in one request are both stored', async (t) => {
    const [known, kept] = [results().length, stand.captures().length]
    const one = mine({ outcome: 'failure', reason: 'http_status' })
    const { status, body } = await send({ ...batch(one), captures: [captureOf({ check_id: one.check_id })] })
    t.same([status, body], [202, { accepted: 2 }])
    await until('the result', () => results().length > known)
    await until('its answer', () => stand.captures().length > kept)
    t.equal(stand.captures().at(-1)?.value.event_id, one.check_id)
  })

  t.test('a captured answer of an unknown monitor is dropped, one of another workspace gets 403', async (t) => {
    const kept = stand.captures().length
    const other = await stand.makeWorkspace()
    const theirs = await stand.monitor(other)
    const foreign = await send(
      captures(captureOf({ monitor_id: randomUUID() }), captureOf({ monitor_id: theirs }), captureOf({ tenant_ref: other.tenant_id }))
    )
    t.same([foreign.status, foreign.body], [202, { accepted: 3 }])
    const as = { authorization: `Bearer ${await stand.location(other)}` }
    const { status, body } = await send(captures(captureOf()), as)
    t.match([status, body], [403, { code: 'FORBIDDEN', details: [{ path: 'captures[0].tenant_ref' }] }])
    const good = captureOf({ monitor_id: theirs, tenant_ref: other.tenant_id })
    t.equal((await send(captures(good), as)).status, 202)
    await until('the good one', () => stand.captures().length > kept)
    t.match(stand.captures().slice(kept), [{ value: { event_id: good.check_id, tenant_id: other.tenant_id, region: /^loc-/ } }])
    t.equal(stand.captures().length, kept + 1, 'nothing else was written')
  })

  t.test('a batch with a wrong shape is refused as a whole', async (t) => {
    const known = results().length
    const without = (name: keyof Result) => Object.fromEntries(Object.entries(mine()).filter(([key]) => key !== name))
    //  a case                      body                                                              status code  path
    const cases: [string, unknown, number, string, string?][] = [
      ['no results', batch(), 422, 'VALIDATION_FAILED', 'results'],
      ['too many', batch(...Array.from({ length: 501 }, () => mine())), 422, 'VALIDATION_FAILED', 'results'],
      ['no instance', { results: [mine()] }, 422, 'VALIDATION_FAILED', 'instance_id'],
      ['an array', [mine()], 422, 'VALIDATION_FAILED', ''],
      ['one without its id', batch(mine(), without('check_id')), 422, 'VALIDATION_FAILED', 'results[1].check_id'],
      ['an outcome that is none', batch({ ...mine(), outcome: 'down' }), 422, 'VALIDATION_FAILED', 'results[0].outcome'],
      [
        'a time that is text',
        batch(mine(), mine(), { ...mine(), scheduled_at: 'now' }),
        422,
        'VALIDATION_FAILED',
        'results[2].scheduled_at'
      ],
      ['a leap second', batch(mine({ started_at: '2016-12-31T23:59:60Z' })), 422, 'VALIDATION_FAILED', 'results[0].started_at'],
      ['a monitor that is no id', batch({ ...mine(), monitor_id: "'; --" }), 422, 'VALIDATION_FAILED', 'results[0].monitor_id'],
      ['answers of nothing', captures(), 422, 'VALIDATION_FAILED', 'captures'],
      ['too many answers', captures(...Array.from({ length: 21 }, () => captureOf())), 422, 'VALIDATION_FAILED', 'captures'],
      ['an answer that is too long', captures(captureOf({ body: 'x'.repeat(16_385) })), 422, 'VALIDATION_FAILED', 'captures[0].body'],
      [
        'an answer at no time',
        captures(captureOf({ captured_at: '2016-12-31T23:59:60Z' })),
        422,
        'VALIDATION_FAILED',
        'captures[0].captured_at'
      ],
      ['an answer beside a wrong result', { ...batch({}), captures: [captureOf()] }, 422, 'VALIDATION_FAILED', 'results[0].check_id'],
      ['a message that is too long', batch(mine({ message: 'm'.repeat(1001) })), 422, 'VALIDATION_FAILED', 'results[0].message'],
      ['a status that is text', batch({ ...mine(), http: { status: '200' } }), 422, 'VALIDATION_FAILED', 'results[0].http.status'],
      ['nothing', '', 400, 'MALFORMED_JSON'],
      ['no JSON', '{"results":[', 400, 'MALFORMED_JSON'],
      ['a form', 'results=1', 400, 'MALFORMED_JSON'],
      ['nested too deep', `{"results":${'['.repeat(40)}${']'.repeat(40)}}`, 400, 'MALFORMED_JSON'],
      ['more values than 500 results have', `{"results":[${'1,'.repeat(200_000)}1]}`, 422, 'VALIDATION_FAILED', ''],
      ['a word for a name', 'null', 400, 'MALFORMED_JSON']
    ]
    for (const [name, body, status, code, path] of cases) {
      const answer = await send(body)
      t.equal(answer.status, status, name)
      t.equal(answer.body.code, code, name)
      if (path !== undefined) t.match(answer.body.details, [{ path, rule: String, message: String }], name)
    }
    t.equal((await send(batch(mine()))).status, 202)
    await until('the good one', () => results().length > known)
    t.equal(results().length, known + 1)
  })

  t.test('size limits and encodings of a batch', async (t) => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
    t.match([(await send(bomb, { 'content-encoding': 'gzip' })).status, bomb.length < 100_000], [413, true])
    t.equal((await send(Buffer.alloc(4 * 1024 * 1024 + 1, ' '))).status, 413)
    t.equal((await send('{', { 'content-encoding': 'gzip' })).status, 400)
    t.equal((await send(gzipSync(JSON.stringify(batch(mine()))).subarray(0, 100), { 'content-encoding': 'gzip' })).status, 400, 'cut off')
    t.equal((await send(batch(mine()), { 'content-encoding': 'br' })).status, 415)
    const padded = `${JSON.stringify(batch(mine())).slice(0, -1)}${' '.repeat(3 * 1024 * 1024)}}`
    t.equal((await send(padded)).status, 202)
    t.equal((await send(gzipSync(padded), { 'content-encoding': 'GZIP' })).status, 202)
  })

  t.test('only a valid prober token may send results', async (t) => {
    const body = batch(mine())
    for (const authorization of ['', 'Basic x', 'Bearer prober_nobody', `Bearer ${workspace.apiToken}`]) {
      const { status, headers, body: said } = await send(body, { authorization })
      t.equal(status, 401, authorization.slice(0, 12))
      t.equal(headers.get('www-authenticate'), 'Bearer')
      t.equal(said.code, 'UNAUTHENTICATED')
    }
    t.match(await send(body, {}, 'GET'), { status: 405 })
    const gone = await stand.prober('us-east')
    const authorization = `Bearer ${gone}`
    t.equal((await send(batch(mine()), { authorization })).status, 202)
    await until('its region', () => results().some(({ value }) => value.region === 'us-east'))
    await stand.system.query("UPDATE prober_tokens SET revoked_at = now() WHERE region = 'us-east'")
    await until('it to be refused', async () => (await send(body, { authorization })).status === 401, 5000)
  })

  t.test('too many batches of one prober get 429 after its burst, others still pass', async (t) => {
    const authorization = `Bearer ${await stand.prober('ap-south')}`
    // Many at once: twenty pass each second, so on a slow machine sequential requests would never
    // be too many.
    let refused: Awaited<ReturnType<typeof send>> | undefined
    let admitted = 0
    const sendOn = async (): Promise<void> => {
      for (let nth = 0; nth < 100 && !refused; nth++) {
        const answer = await send('x', { authorization })
        if (answer.status === 429) refused ??= answer
        else admitted += 1
      }
    }
    await Promise.all(Array.from({ length: 32 }, sendOn))
    t.ok(admitted >= 200, 'not before its burst')
    t.match(refused?.headers.get('retry-after'), /^[1-9]/)
    t.match(refused?.body, { code: 'RATE_LIMITED' })
    t.equal((await send(batch(mine()))).status, 202, 'the others go on')
  })

  t.test('without Postgres results of known monitors are stored, others get 503', async (t) => {
    stand.postgres.refuse(true)
    stand.postgres.cutAll()
    t.equal((await send(batch(mine()))).status, 202)
    const unknown = await send(batch(mine(), resultOf(randomUUID(), workspace.tenant_id)))
    t.equal(unknown.status, 503)
    t.match(unknown.headers.get('retry-after'), /^[1-9]/)
    t.equal((await send(batch(mine()), { authorization: 'Bearer prober_never_seen' })).status, 503, 'nobody can say whether it is one')
    stand.postgres.refuse(false)
    await until('Postgres', async () => (await send(batch(resultOf(randomUUID(), workspace.tenant_id)))).status === 202)
  })

  t.test('without the log a batch gets 503 and is stored when it is sent again', async (t) => {
    kafka.refuse(true)
    kafka.cutAll()
    const again = mine()
    const { status, headers, body } = await send(batch(again))
    t.equal(status, 503)
    t.equal(body.code, 'UNAVAILABLE')
    t.match(headers.get('retry-after'), /^[1-9]/)
    kafka.refuse(false)
    await until('the log', async () => (await send(batch(again))).status === 202, 30_000)
    await until('it', () => results().some(({ value }) => value.event_id === again.check_id))
    t.ok(port)
  })
  t.end()
})
