/**
 * Tests of figures and histories: what the api asks of analytics for each request, what it makes of
 * the answers, and what it does while analytics is down.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import type { CheckRow, PingRow, QueryRequest, StatusChangeRow, UptimeRow } from '../../../schemas/analytics.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { createAnalytics } from '../../../services/api/analytics/client.ts'
import { csvOf } from '../../../services/api/http/csv.ts'
import { cursorOf, positionOf } from '../../../services/api/http/cursor.ts'
import { canonicalZone, spanOf, zoneNamed } from '../../../services/api/http/span.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'
import { type Answering, analyticsDouble } from './analytics-double.ts'
import { stand, type Workspace } from './stand.ts'
import { heartbeat, monitor } from './watched.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const uptimeRow = (over: Partial<UptimeRow> = {}): UptimeRow => ({
  kind: 'monitor',
  id: '0190eeee-0000-7000-8000-000000000001',
  from: Date.UTC(2026, 10, 1),
  to: Date.UTC(2026, 10, 2),
  up_seconds: 85_000,
  degraded_seconds: 500,
  down_seconds: 500,
  maintenance_seconds: 300,
  unknown_seconds: 100,
  paused_seconds: 0,
  uptime_percent: 99.418605,
  longest_outage_seconds: 400,
  incidents: 2,
  checks: 1440,
  checks_ok: 1430,
  checks_percent: 99.305556,
  ...over
})

const checkRow = (monitor_id: string, n: number): CheckRow => ({
  check_id: uuidv5(monitor_id, String(n)),
  monitor_id,
  region: n % 2 ? 'eu-west' : 'us-east',
  seq: Date.UTC(2026, 10, 20) - n * 60_000,
  kind: 'scheduled',
  count: true,
  scheduled_at: Date.UTC(2026, 10, 20) - n * 60_000,
  checked_at: Date.UTC(2026, 10, 20) - n * 60_000 + 7,
  finished_at: Date.UTC(2026, 10, 20) - n * 60_000 + 207,
  received_at: Date.UTC(2026, 10, 20) - n * 60_000 + 300,
  skewed: false,
  prober: 'eu-1',
  prober_version: '1.0.0',
  config_version: 3,
  attempts: 2,
  outcome: 'failure',
  ok: false,
  reason: 'http_status',
  message: 'status 503',
  status_code: 503,
  timings_ms: { dns: 1, connect: 2, tls: 3, request: 0.5, first_byte: 100, download: null, total: 106.5 },
  response_bytes: 12,
  assertions: [{ index: 0, ok: false, actual: '503', message: 'status eq 200' }],
  certificate_not_after: Date.UTC(2027, 0, 1),
  certificate_issuer: 'CN=Test',
  certificate_chain_ok: true,
  domain_expires_at: null,
  captured: n === 0
})

const iso = (ms: number): string => new Date(ms).toISOString()

t.test('figures of analytics', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url })
  const shop = await monitor(s, s.acme, 'shop', ['web', 'eu'])
  const blog = await monitor(s, s.acme, 'blog', ['web'])
  const nightly = await heartbeat(s, s.acme, 'nightly')
  const theirs = await monitor(s, s.globex, 'theirs', ['web'])
  const theirBeat = await heartbeat(s, s.globex, 'theirs')
  const get = (path: string, who: Workspace | string = s.acme) => s.call(who, 'GET', path)
  const UPTIME = '/api/v1/analytics/uptime'
  const LATENCY = '/api/v1/analytics/latency'
  const INCIDENTS = '/api/v1/analytics/incidents'
  const idsOf = (questions: QueryRequest[]) =>
    questions.map((one) => (one.name === 'uptime' ? one.params.entities.map(({ id }) => id).sort() : one.name))

  await t.test('uptime of all monitors, of some and of a tag', async (t) => {
    double.answer = () => [
      uptimeRow({ id: shop }),
      uptimeRow({ id: nightly, kind: 'heartbeat', maintenance_seconds: 0, unknown_seconds: 1 })
    ]
    const answer = await get(UPTIME)
    t.equal(answer.statusCode, 200, answer.body)
    t.equal(answer.headers['x-ratelimit-name'], 'analytics')
    t.match(answer.json(), {
      bucket: null,
      time_zone: 'UTC',
      complete_until: '2026-11-21T00:00:00.000Z',
      excluded: { maintenance_seconds: 300, unknown_seconds: 101 },
      engine_version: /^\d+\.\d+\.\d+/,
      items: [
        {
          kind: 'monitor',
          id: shop,
          from: '2026-11-01T00:00:00.000Z',
          to: '2026-11-02T00:00:00.000Z',
          uptime_percent: 99.418605,
          incidents: 2,
          slo: null
        },
        { kind: 'heartbeat', id: nightly }
      ]
    })
    const { from, to } = answer.json()
    t.equal(Date.parse(to) - Date.parse(from), 30 * DAY, 'the last 30 days')
    const [question] = double.taken()
    if (question?.name !== 'uptime') return t.fail('uptime was asked')
    t.match(question, {
      tenant_id: s.acme.tenant_id,
      params: { bucket: 'all', time_zone: 'UTC', from: Date.parse(from), to: Date.parse(to), sight: 'all' }
    })
    t.same(question.params.entities.map(({ id }) => id).sort(), [shop, blog, nightly].sort(), 'what the workspace has, and nothing else')
    t.match(
      question.params.entities.find(({ id }) => id === shop),
      { kind: 'monitor', created_at: Date.UTC(2026, 0, 1), tags: ['web', 'eu'] }
    )
    await get(`${UPTIME}?monitor_ids=${blog.toUpperCase()},${blog}`)
    await get(`${UPTIME}?heartbeat_ids=${nightly}`)
    await get(`${UPTIME}?tag=eu`)
    await get(`${UPTIME}?tag=eu&monitor_ids=${shop}&monitor_ids=${blog}`)
    t.same(idsOf(double.taken()), [[blog], [nightly], [shop], [shop]])
    t.match((await get(`${UPTIME}?tag=nothing`)).json(), { items: [], complete_until: null })
    t.same(double.taken(), [], 'nothing to ask')
  })

  await t.test('uptime has an error budget if the request names a target', async (t) => {
    double.answer = () => [
      uptimeRow({ id: shop }),
      uptimeRow({ id: blog, up_seconds: 0, degraded_seconds: 0, down_seconds: 0, uptime_percent: null })
    ]
    const { items } = (await get(`${UPTIME}?slo_target=99.5`)).json()
    t.match(items[0].slo, { target: 99.5 })
    t.ok(Math.abs(items[0].slo.budget_left_seconds - (0.005 * 86_000 - 500)) < 1e-6)
    t.ok(Math.abs(items[0].slo.burn_rate - 500 / 430) < 1e-9)
    t.same(items[1].slo, { target: 99.5, budget_left_seconds: 0, burn_rate: 0 })
    t.equal(items[1].uptime_percent, null)
    double.taken()
  })

  await t.test('ids of another workspace get 404 before analytics is asked', async (t) => {
    for (const path of [
      `${UPTIME}?monitor_ids=${theirs}`,
      `${UPTIME}?monitor_ids=${shop},${theirs}`,
      `${UPTIME}?heartbeat_ids=${theirBeat}`,
      `${UPTIME}?monitor_ids=${nightly}`,
      `${LATENCY}?monitor_ids=${theirs}`,
      `${INCIDENTS}?monitor_ids=${theirs}`,
      `/api/v1/monitors/${theirs}/checks`,
      `/api/v1/monitors/${theirs}/status-changes`,
      `/api/v1/monitors/${nightly}/checks`,
      `/api/v1/heartbeats/${theirBeat}/pings`,
      `/api/v1/heartbeats/${shop}/pings`,
      `/api/v1/heartbeats/${theirBeat}/runs`,
      `/api/v1/heartbeats/${shop}/runs`
    ]) {
      const answer = await get(path)
      t.equal(answer.statusCode, 404, path)
      t.equal(answer.json().code, 'NOT_FOUND')
    }
    t.same(double.taken(), [])
    double.answer = () => []
    t.equal((await get(`${UPTIME}?monitor_ids=${theirs}`, s.globex)).statusCode, 200, 'its owner is answered')
    t.match(double.taken(), [{ tenant_id: s.globex.tenant_id }])
  })

  await t.test('latency by monitor, by region, overall and by phase', async (t) => {
    const spread = { count: 10, min: 1, avg: 5, stdev: 2, p50: 4, p75: 6, p90: 8, p95: 9, p99: 10, max: 11 }
    const span = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2) }
    double.answer = ({ name, params }) => {
      if (name === 'latency_phases') return [{ phase: 'first_byte', ...spread, p50: 77 }]
      if (name !== 'latency') return []
      if (!params.by_monitor && !params.by_region && params.bucket === 'all')
        return [{ monitor_id: '', region: '', ...span, ...spread, count: 20 }]
      return [{ monitor_id: shop, region: params.by_region ? 'eu-west' : '', ...span, ...spread }]
    }
    const answer = (
      await get(`${LATENCY}?monitor_ids=${shop}&regions=eu-west&bucket=day&from=2026-11-01&to=2026-11-03&time_zone=europe/berlin`)
    ).json()
    t.match(answer, {
      from: '2026-10-31T23:00:00.000Z',
      to: '2026-11-02T23:00:00.000Z',
      time_zone: 'europe/berlin',
      bucket: 'day',
      items: [{ monitor_id: shop, region: null, ...spread }],
      overall: { ...spread, count: 20 },
      phases: { dns: null, ttfb: { p50: 77 } }
    })
    const questions = double.taken()
    t.same(questions.map(({ name }) => name).sort(), ['latency', 'latency', 'latency_phases'])
    for (const { params } of questions)
      t.match(params, { monitor_ids: [shop], regions: ['eu-west'], from: Date.parse(answer.from), to: Date.parse(answer.to) })
    t.match(
      questions.find(({ params }) => 'bucket' in params && params.bucket === 'day'),
      { params: { time_zone: 'Europe/Berlin', by_monitor: true, by_region: false } }
    )
    t.match((await get(`${LATENCY}?group_by=region`)).json().items, [{ region: 'eu-west' }])
    double.taken()
    t.match((await get(`${LATENCY}?monitor_ids=${shop}&phases=false`)).json(), { overall: { ...spread, count: 10 }, phases: null })
    t.match(
      double.taken(),
      [{ name: 'latency', params: { bucket: 'all', by_monitor: true } }],
      'one question, where its answer says it all'
    )
    t.match((await get(`${LATENCY}?monitor_ids=${shop}&bucket=day&from=2026-11-01&to=2026-11-03&format=csv`)).body, /^monitor_id,region,/)
    t.same(
      double.taken().map(({ name, params }) => [name, 'bucket' in params && params.bucket]),
      [['latency', 'day']],
      'a file has neither phases nor an overall figure'
    )
    t.match((await get(LATENCY, await s.workspace('empty'))).json(), { items: [], overall: null, phases: { dns: null } })
    double.taken()
  })

  await t.test('incidents with counts, times and percentages', async (t) => {
    double.answer = () => [
      {
        group: 'critical',
        from: 0,
        to: DAY,
        opened: 4,
        resolved: 3,
        acknowledged: 1,
        mtta_avg: 30,
        mtta_p50: 20,
        mtta_p90: 60,
        mttr_avg: null,
        mttr_p50: null,
        mttr_p90: null,
        reopened: 1
      },
      {
        group: '',
        from: 0,
        to: DAY,
        opened: 0,
        resolved: 0,
        acknowledged: 0,
        mtta_avg: null,
        mtta_p50: null,
        mtta_p90: null,
        mttr_avg: null,
        mttr_p50: null,
        mttr_p90: null,
        reopened: 0
      }
    ]
    const answer = await get(`${INCIDENTS}?severity=critical&source_kind=monitor,heartbeat&group_by=severity&bucket=week`)
    t.match(answer.json().items, [
      {
        group: 'critical',
        opened: 4,
        resolved: 3,
        acknowledged: 1,
        acked_percent: 25,
        mtta: { avg: 30, p50: 20, p90: 60 },
        mttr: { avg: null },
        reopened: 1
      },
      { group: null, acked_percent: null }
    ])
    t.match(double.taken(), [
      {
        name: 'incidents',
        params: {
          severities: ['critical'],
          source_kinds: ['monitor', 'heartbeat'],
          group_by: 'severity',
          bucket: 'week',
          visible_team_ids: null
        }
      }
    ])
  })

  await t.test('an answer has at most 20,000 figures', async (t) => {
    const day = { from: 0, to: DAY }
    const spread = { count: 1, min: 1, avg: 1, stdev: 0, p50: 1, p75: 1, p90: 1, p95: 1, p99: 1, max: 1 }
    const times = { mtta_avg: null, mtta_p50: null, mtta_p90: null, mttr_avg: null, mttr_p50: null, mttr_p90: null }
    const row = {
      latency: { monitor_id: shop, region: 'eu-west', ...day, ...spread },
      incidents: { group: shop, ...day, opened: 1, resolved: 0, acknowledged: 0, reopened: 0, ...times }
    }
    const many = (rows: number) => {
      double.answer = ({ name }) => (name === 'latency' || name === 'incidents' ? Array.from({ length: rows }, () => row[name]) : [])
    }
    for (const path of [`${LATENCY}?phases=false&group_by=monitor,region`, `${INCIDENTS}?group_by=monitor`]) {
      many(20_000)
      t.equal((await get(`${path}&bucket=hour`)).json().items.length, 20_000)
      many(20_001)
      for (const [more, field] of [
        ['&bucket=hour', 'bucket'],
        ['', 'group_by']
      ] as const) {
        const answer = await get(`${path}${more}`)
        t.equal(answer.statusCode, 422, path)
        t.match(answer.json().details, [{ path: field, rule: 'max', limit: 20_000 }])
      }
    }
    double.taken()
  })

  await t.test('alerts by source, with the share of noise', async (t) => {
    const row = { kind: 'inbound', type: 'grafana', id: shop, alerts: 12, recoveries: 3, incidents: 4, acknowledged: 1, noise: 1 }
    double.answer = () => [row, { ...row, kind: 'manual', type: '', id: '', alerts: 0, incidents: 0, noise: 0 }]
    const answer = await get('/api/v1/analytics/alerts?limit=7')
    t.match(answer.json().items, [
      { source: { kind: 'inbound', type: 'grafana', id: shop }, alerts: 12, incidents: 4, noise: 1, noise_percent: 25, dedup_ratio: 3 },
      { source: { kind: 'manual', type: null, id: null }, noise_percent: null, dedup_ratio: null }
    ])
    t.match(double.taken(), [{ name: 'noise', params: { limit: 7, sight: 'all' } }])
    t.match((await get('/api/v1/analytics/alerts?format=csv')).body, /^source\.kind,source\.type,source\.id,alerts,/)
    double.taken()
  })

  await t.test('the pipeline figures measure the time from an event to its first notification', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const { rows } = await s.systemPool.query<{ opened_at: number }>(
      "UPDATE incidents SET started_at = now() - interval '2 minutes', opened_at = date_trunc('second', now()) - interval '1 minute', source_kind = 'manual' WHERE incident_id = $1 RETURNING opened_at",
      [incident_id]
    )
    const opened = rows[0]?.opened_at ?? 0
    const told = (after_ms: number, took_ms: number | null, more: { event?: string; manual?: boolean; state?: string } = {}) => {
      const { event = 'down', manual = false, state = 'delivered' } = more
      const queued = new Date(opened + after_ms)
      return s.systemPool.query(
        `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, target_id, state, manual, visibility,
                                 next_at, queued_at, expires_at, first_sent_at)
         VALUES ($1, gen_random_uuid(), gen_random_uuid(), $2, 1, $3, 0, 'webhook', gen_random_uuid(), $4, $5, 'org', $6, $6, $6, $7)`,
        [s.acme.tenant_id, incident_id, event, state, manual, queued, took_ms === null ? null : new Date(queued.getTime() + took_ms)]
      )
    }
    t.same((await get('/api/v1/analytics/pipeline')).json().stages, [])
    await told(40, 100)
    await told(90, 300)
    await told(5_000, 200)
    await told(9_000, null)
    await told(10, 60_000, { manual: true })
    await told(10, 60_000, { event: 'up' })
    await told(10, null, { state: 'suppressed' })
    const answer = (await get('/api/v1/analytics/pipeline')).json()
    t.same(answer.stages, [
      { stage: 'intent', count: 1, p50: 40, p95: 40, p99: 40 },
      { stage: 'first_attempt', count: 3, p50: 200, p95: 290, p99: 298 }
    ])
    t.same(answer.unknown_spans, ['edge_accept', 'append', 'decide', 'ws_emit'], 'it was declared by hand')
    await s.systemPool.query(
      "UPDATE incidents SET source_kind = 'inbound', detected_at = opened_at - interval '25 milliseconds' WHERE incident_id = $1",
      [incident_id]
    )
    t.match((await get('/api/v1/analytics/pipeline')).json(), {
      stages: [{ stage: 'append', count: 1, p50: 25, p95: 25, p99: 25 }, { stage: 'intent' }, { stage: 'first_attempt' }],
      unknown_spans: ['edge_accept', 'decide', 'ws_emit']
    })
    const kept = await s.keptAlert(s.acme)
    await s.systemPool.query("UPDATE alerts SET detected_at = now() - interval '1 hour' WHERE alert_id = $1", [kept])
    t.equal((await s.call(s.acme, 'POST', `/api/v1/alerts/${kept}/promote`, {})).statusCode, 200)
    t.match(
      (await get('/api/v1/analytics/pipeline')).json().stages[0],
      { stage: 'append', count: 1, p95: 25 },
      'an alert that a person promoted later took no longer to arrive'
    )
    t.same((await get('/api/v1/analytics/pipeline', s.globex)).json().stages, [], 'another workspace has its own')
    t.equal((await get('/api/v1/analytics/pipeline?from=2026-01-01&to=2026-03-01')).statusCode, 422)
    t.same(double.taken(), [], 'analytics is not asked')
  })

  await t.test('CSV has the same figures, one line each', async (t) => {
    double.answer = () => [uptimeRow({ id: shop })]
    const answer = await get(`${UPTIME}?format=csv&slo_target=99&from=2026-11-01&to=2026-11-02`)
    t.match(answer.headers, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="uptime.csv"',
      'x-complete-until': '2026-11-21T00:00:00.000Z'
    })
    const [names, values, end] = answer.body.split('\r\n')
    const row = Object.fromEntries((names ?? '').split(',').map((name, at) => [name, (values ?? '').split(',')[at]]))
    t.match(row, { kind: 'monitor', id: shop, from: '2026-11-01T00:00:00.000Z', uptime_percent: '99.418605', 'slo.target': '99' })
    t.equal(end, '')
    t.equal(csvOf([{ a: 'x,"y"\n', b: null, c: { d: '=1+1' } }]), 'a,b,c.d\r\n"x,""y""\n",,\'=1+1\r\n')
    t.equal(csvOf([]), '')
    double.taken()
  })

  await t.test('an invalid request is refused before analytics is asked', async (t) => {
    const cases: [string, string][] = [
      [`${UPTIME}?from=yesterday`, 'from pattern'],
      [`${UPTIME}?from=2026-02-30`, 'from pattern'],
      [`${UPTIME}?to=2026-11-01T25:00:00Z`, 'to pattern'],
      [`${UPTIME}?from=2026-11-02&to=2026-11-02`, 'from empty_interval'],
      [`${UPTIME}?to=9999-01-01`, 'to max'],
      [`${UPTIME}?time_zone=Mars/Olympus`, 'time_zone unknown_zone'],
      [`${UPTIME}?time_zone=%2B02:00`, 'time_zone unknown_zone'],
      [`${UPTIME}?bucket=minute`, 'bucket enum'],
      [`${UPTIME}?bucket=hour&from=2026-01-01&to=2026-11-01`, 'bucket max'],
      [`${UPTIME}?slo_target=100`, 'slo_target max'],
      [`${UPTIME}?slo_target=most`, 'slo_target type'],
      [`${UPTIME}?monitor_ids=1`, 'monitor_ids[0] pattern'],
      [`${UPTIME}?format=xml`, 'format enum'],
      [`${UPTIME}?colour=blue`, 'colour unknown_field'],
      [`${LATENCY}?regions=EU`, 'regions[0] pattern'],
      [`${LATENCY}?group_by=label.team`, 'group_by[0] enum'],
      [`${INCIDENTS}?severity=bad`, 'severity[0] enum'],
      [`/api/v1/monitors/${shop}/checks?from=2026-09-01&to=2026-11-01`, 'from max'],
      [`/api/v1/monitors/${shop}/checks?outcome=odd`, 'outcome[0] enum'],
      [`/api/v1/monitors/${shop}/checks?page=2`, 'page unknown_field'],
      [`/api/v1/heartbeats/${nightly}/pings?per_page=201`, 'per_page max'],
      [`/api/v1/heartbeats/${nightly}/runs?from=2026-09-01&to=2026-11-01`, 'from max'],
      [`/api/v1/heartbeats/${nightly}/runs?kind=exit`, 'kind unknown_field']
    ]
    for (const [path, wanted] of cases) {
      const answer = await get(path)
      t.equal(answer.statusCode, 422, `${path}: ${answer.body}`)
      const [{ path: field, rule }] = answer.json().details
      t.equal(`${field} ${rule}`, wanted, path)
    }
    t.same(double.taken(), [])
  })

  await t.test('history beyond the plan gets 410', async (t) => {
    const free = await s.workspace('free-figures', 'free')
    const own = await monitor(s, free, 'own')
    double.answer = () => []
    for (const [path, days] of [
      [UPTIME, 90],
      [LATENCY, 90],
      [INCIDENTS, 90],
      [`/api/v1/monitors/${own}/checks`, 7]
    ] as const) {
      const ago = (n: number) => `${path}?from=${iso(Date.now() - n * DAY)}&to=${iso(Date.now() - (n - 1) * DAY)}`
      const gone = await get(ago(days + 1), free)
      t.equal(gone.statusCode, 410, path)
      t.equal(gone.json().code, 'HISTORY_EXPIRED')
      t.equal((await get(ago(days), free)).statusCode, 200, `${path}: the last day is kept`)
    }
    double.taken()
    await get(`/api/v1/monitors/${own}/checks`, free)
    const [question] = double.taken()
    if (question?.name !== 'checks_list') return t.fail('checks were asked')
    t.equal(question.params.to - question.params.from, 7 * DAY, 'by default no more than is kept')
  })
})

t.test('histories of monitors and heartbeats', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url })
  const shop = await monitor(s, s.acme, 'shop')
  const nightly = await heartbeat(s, s.acme, 'nightly')
  const get = (path: string, who: Workspace = s.acme) => s.call(who, 'GET', path)
  const CHECKS = `/api/v1/monitors/${shop}/checks`

  await t.test('pages of checks by cursor have no gaps or repeats', async (t) => {
    const all = Array.from({ length: 7 }, (_, n) => checkRow(shop, n))
    double.answer = ({ name, params }) => {
      if (name !== 'checks_list') return []
      const { before } = params
      return all.filter((row) => !before || row.checked_at < before.checked_at).slice(0, params.limit)
    }
    const span = 'from=2026-11-01&to=2026-11-21'
    const pages = []
    let cursor = ''
    do {
      const answer = await get(`${CHECKS}?${span}&per_page=3&region=eu-west,us-east${cursor && `&cursor=${cursor}`}`)
      t.equal(answer.statusCode, 200, answer.body)
      pages.push(answer.json())
      cursor = answer.json().next_cursor
    } while (cursor)
    t.same(
      pages.map(({ items }) => items.length),
      [3, 3, 1]
    )
    t.same(
      pages.flatMap(({ items }) => items.map((item: { check_id: string }) => item.check_id)),
      all.map((row) => row.check_id)
    )
    t.match(pages[0], { per_page: 3, complete_until: '2026-11-21T00:00:00.000Z' })
    const questions = double.taken()
    for (const { params, tenant_id } of questions) {
      t.equal(tenant_id, s.acme.tenant_id)
      t.match(params, {
        monitor_id: shop,
        limit: 4,
        regions: ['eu-west', 'us-east'],
        from: Date.UTC(2026, 10, 1),
        to: Date.UTC(2026, 10, 21)
      })
    }
    t.match(questions[1], { params: { before: { checked_at: all[2]?.checked_at, seq: all[2]?.seq, region: all[2]?.region } } })
    t.same(pages[0].items[0], {
      check_id: all[0]?.check_id,
      monitor_id: shop,
      region: 'us-east',
      prober_instance: 'eu-1',
      prober_version: '1.0.0',
      config_version: 3,
      seq: all[0]?.seq,
      kind: 'scheduled',
      count: true,
      skewed: false,
      scheduled_at: '2026-11-20T00:00:00.000Z',
      started_at: '2026-11-20T00:00:00.007Z',
      finished_at: '2026-11-20T00:00:00.207Z',
      received_at: '2026-11-20T00:00:00.300Z',
      outcome: 'failure',
      reason: 'http_status',
      message: 'status 503',
      attempts: 2,
      timings_ms: { dns: 1, connect: 2, tls: 3, request: 0.5, ttfb: 100, download: null, total: 106.5 },
      http: { status: 503, bytes: 12 },
      tls: { issuer: 'CN=Test', not_after: '2027-01-01T00:00:00.000Z', chain_ok: true },
      assertions: [{ index: 0, ok: false, actual: '503', message: 'status eq 200' }],
      captured: true
    })
  })

  await t.test('later pages use the time span of the first page', async (t) => {
    double.answer = ({ params }) => Array.from({ length: 'limit' in params ? params.limit : 0 }, (_, n) => checkRow(shop, n))
    const first = (await get(`${CHECKS}?per_page=1`)).json()
    await get(`${CHECKS}?per_page=1&cursor=${first.next_cursor}`)
    const [one, two] = double.taken()
    if (one?.name !== 'checks_list' || two?.name !== 'checks_list') return t.fail('checks were asked')
    t.same([two.params.from, two.params.to], [one.params.from, one.params.to])
  })

  await t.test('a cursor of another list or filter, or a forged one, gets 400', async (t) => {
    double.answer = ({ params }) => Array.from({ length: 'limit' in params ? params.limit : 0 }, (_, n) => checkRow(shop, n))
    const { next_cursor } = (await get(`${CHECKS}?per_page=1`)).json()
    const other = await monitor(s, s.acme, 'other')
    const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const [mark, made, from, to, ...keys] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString())
    double.taken()
    for (const path of [
      `${CHECKS}?cursor=${next_cursor}&outcome=failure`,
      `${CHECKS}?cursor=${next_cursor}&from=2026-11-01`,
      `/api/v1/monitors/${other}/checks?cursor=${next_cursor}`,
      `/api/v1/monitors/${shop}/status-changes?cursor=${next_cursor}`,
      `/api/v1/heartbeats/${nightly}/pings?cursor=${next_cursor}`,
      `${CHECKS}?cursor=x`,
      `${CHECKS}?cursor=${encodeURIComponent('%00"')}`,
      `${CHECKS}?cursor=${next_cursor.slice(0, -4)}`,
      ...[
        null,
        {},
        [],
        [mark],
        [mark, made, from, to],
        [mark, made, from, to, ...keys, 1],
        [mark, made, from, to, 'x', keys[1], keys[2]],
        [mark, made, from, to, 1e300, keys[1], keys[2]],
        [mark, made, from, to, -5, keys[1], keys[2]],
        [mark, made, 'x', to, ...keys],
        [mark, made, from, 9e15, ...keys],
        [mark, made - 2 * DAY, from, to, ...keys],
        [mark, made + 2 * DAY, from, to, ...keys]
      ].map((parts) => `${CHECKS}?cursor=${forged(parts)}`)
    ]) {
      const answer = await get(path)
      t.equal(answer.statusCode, 400, `${path}: ${answer.body}`)
      t.equal(answer.json().code, 'BAD_REQUEST')
    }
    t.same(double.taken(), [], 'nothing was asked')
    const reaching = await get(`${CHECKS}?cursor=${forged([mark, made, from - 800 * DAY, from - 790 * DAY, ...keys])}`)
    t.equal(reaching.json().code, 'HISTORY_EXPIRED', 'and a forged one reaches no further than the plan')
    t.equal((await get(`${CHECKS}?cursor=${next_cursor}`)).statusCode, 200, 'the good one is taken')
    const at = { from: 1, to: 2, keys: [1, 2] }
    t.same(positionOf(cursorOf(['x'], at, 10), ['x'], ['number', 'number'], DAY), at)
    t.throws(() => positionOf(cursorOf(['x'], at, 10), ['x'], ['number', 'number'], DAY + 11), { code: 'BAD_REQUEST' })
    double.taken()
  })

  await t.test('status changes name the incident that they opened', async (t) => {
    const transition_id = uuidv5(shop, '7')
    const incident_id = uuidv5(transition_id, 'incident')
    await s.incident(s.acme, { event_id: transition_id })
    const row: StatusChangeRow = {
      transition_id,
      kind: 'monitor',
      id: shop,
      ver: 7,
      at: Date.UTC(2026, 10, 20),
      previous_status: 'up',
      status: 'down',
      previous_phase: 'validating',
      phase: 'down',
      reason: 'timeout',
      message: 'no answer within 10 s',
      status_code: null,
      severity: 'critical',
      cause: 'checks.results.v1:3:99',
      votes: { 'eu-west': 'down', 'us-east': 'down' },
      expected_at: null,
      deadline_at: null,
      missed_count: 0
    }
    double.answer = () => [row, { ...row, transition_id: uuidv5(shop, '6'), ver: 6, status: 'up', previous_status: 'down' }]
    const answer = await get(`/api/v1/monitors/${shop}/status-changes`)
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json().items, [
      {
        id: transition_id,
        from: 'up',
        to: 'down',
        phase: 'down',
        incident_id,
        cause: 'checks.results.v1:3:99',
        votes: { 'eu-west': 'down', 'us-east': 'down' }
      },
      { from: 'down', to: 'up', incident_id: null }
    ])
    t.match(double.taken(), [{ name: 'status_changes_list', params: { kind: 'monitor', id: shop, before: null, limit: 51 } }])
  })

  await t.test('pings are listed by kind, with their details', async (t) => {
    const row: PingRow = {
      ping_id: uuidv5(nightly, '1'),
      heartbeat_id: nightly,
      n: 42,
      kind: 'exit',
      exit_code: 3,
      run_id: null,
      received_at: Date.UTC(2026, 10, 20),
      client_at: null,
      duration_ms: 1200,
      method: 'POST',
      source_class: 'public',
      user_agent: 'curl/8',
      body_bytes: 5,
      body_excerpt: 'hello'
    }
    double.answer = () => [row]
    const answer = await get(`/api/v1/heartbeats/${nightly}/pings?kind=exit,fail`)
    t.equal(answer.statusCode, 200, answer.body)
    const { client_at: _client_at, heartbeat_id: _heartbeat_id, ping_id, ...shown } = row
    t.same(answer.json().items, [{ ...shown, id: ping_id, received_at: '2026-11-20T00:00:00.000Z' }])
    t.match(double.taken(), [{ name: 'pings_list', params: { heartbeat_id: nightly, kinds: ['exit', 'fail'], before: null } }])
  })

  await t.test('runs of a heartbeat have counts and durations', async (t) => {
    const durations = { min: 900, avg: 1200.5, p50: 1100, p95: 2000, max: 2100 }
    const path = `/api/v1/heartbeats/${nightly}/runs?from=2026-11-01&to=2026-11-20`
    double.answer = () => [{ succeeded: 9, failed: 1, ...durations }]
    const answer = await get(path)
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), {
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-20T00:00:00.000Z',
      succeeded: 9,
      failed: 1,
      duration_ms: durations
    })
    t.match(double.taken(), [{ name: 'runs', params: { heartbeat_id: nightly, from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 20) } }])
    double.answer = () => [{ succeeded: 0, failed: 2, min: 0, avg: null, p50: null, p95: null, max: 0 }]
    t.match((await get(path)).json(), { succeeded: 0, failed: 2, duration_ms: null })
    double.taken()
  })
})

t.test('time spans and time zones of requests', async (t) => {
  const now = Date.UTC(2026, 10, 21, 12)
  const kept = { kept_days: 90 }
  t.same(spanOf({}, kept, now), { from: now - 30 * DAY, to: now, time_zone: 'UTC' })
  t.same(spanOf({}, { kept_days: 7 }, now).from, now - 7 * DAY)
  t.same(spanOf({}, { kept_days: null }, now).from, now - 30 * DAY)
  t.same(spanOf({ from: '2026-10-24', to: '2026-10-26', time_zone: 'Europe/Berlin' }, kept, now), {
    from: Date.UTC(2026, 9, 23, 22),
    to: Date.UTC(2026, 9, 25, 23), // A day of 25 hours is between them.
    time_zone: 'Europe/Berlin'
  })
  t.same(spanOf({ from: '2026-11-01T02:00:00+02:00' }, kept, now).from, Date.UTC(2026, 10, 1))
  t.equal(spanOf({ from: iso(now - 90 * DAY - 60_000) }, kept, now).from, now - 90 * DAY - 60_000, 'a clock that is a little off')
  t.throws(() => spanOf({ from: iso(now - 90 * DAY - 2 * HOUR) }, kept, now), { code: 'HISTORY_EXPIRED' })
  const zones = [
    'Europe/Berlin',
    'Asia/Kolkata',
    'Europe/Kyiv',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    'UTC',
    'Etc/GMT+5',
    'EST'
  ]
  for (const zone of [...zones, 'Asia/Calcutta', 'Europe/Kiev']) {
    t.equal(zoneNamed(zone), zone, 'no name becomes another')
    t.equal(zoneNamed(zone.toLowerCase()), zone)
  }
  t.equal(canonicalZone('Asia/Kolkata'), canonicalZone('Asia/Calcutta'), 'analytics knows a zone by one name')
  for (const [short, zone] of [
    ['IST', 'Asia/Kolkata'],
    ['pst', 'America/Los_Angeles'],
    ['JST', 'Asia/Tokyo']
  ] as const)
    t.equal(canonicalZone(zoneNamed(short)), canonicalZone(zone), 'a short name is the zone that it means')
  for (const zone of ['', 'x', '+02:00', 'UTC+2', '../etc']) t.throws(() => zoneNamed(zone), { code: 'VALIDATION_FAILED' }, zone)
})

t.test('the analytics client', async (t) => {
  const question = { entities: [], from: 0, to: 1, bucket: 'all', sight: 'all' } as const
  const tenant_id = '0190aaaa-0000-7000-8000-000000000001'
  const clientOf = (url: string, more: Partial<Parameters<typeof createAnalytics>[0]> = {}) => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => lines.push(line) })
    const client = createAnalytics({ url, secret: '', log, metrics: createMetrics(), ...more })
    t.teardown(() => client.close())
    const ask = (of = tenant_id) => client.ask('uptime', of, question)
    return { client, ask, logged: () => lines.join('') }
  }

  await t.test('the client sends its secret over TCP and none over a socket file', async (t) => {
    const tcp = await analyticsDouble(t)
    const { ask, logged } = clientOf(tcp.url, { secret: 'a-shared-secret' })
    t.same((await ask()).rows, [])
    t.same(tcp.asked, [{ name: 'uptime', tenant_id, params: question }])
    t.same(tcp.seen, [{ authorization: 'Bearer a-shared-secret', url: 'POST /v1/query' }])
    t.notMatch(logged(), /a-shared-secret/)
    const folder = mkdtempSync(join(tmpdir(), 'analytics-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const file = await analyticsDouble(t, join(folder, 'analytics.sock'))
    t.equal((await clientOf(file.url).ask()).complete_until, Date.UTC(2026, 10, 21))
    t.equal(file.seen[0]?.authorization, undefined)
  })

  await t.test('any failure of analytics is UNAVAILABLE, and a bad question is our own error', async (t) => {
    const double = await analyticsDouble(t)
    const fail =
      (status: number, code: string): Answering =>
      (_question, _request, response) => {
        response.writeHead(status).end(JSON.stringify({ error: { code, message: 'secret detail' } }))
      }
    const cases: [string, Answering][] = [
      ['it is starting', fail(503, 'unavailable')],
      ['it took too long', fail(504, 'timeout')],
      ['another secret', fail(401, 'unauthorized')],
      ['no JSON', (_question, _request, response) => void response.end('<html>')],
      ['an error page', (_question, _request, response) => void response.writeHead(502).end('<html>')],
      [
        'cut off',
        (_question, _request, response) => void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy())
      ],
      ['no answer', (_question, request) => void request.socket.destroy()]
    ]
    for (const [name, answer] of cases) {
      double.answer = answer
      const { ask, logged } = clientOf(double.url)
      await t.rejects(ask(), { code: 'UNAVAILABLE', headers: { 'retry-after': '5' }, message: /^Analytics / }, name)
      t.match(logged(), /analytics/, name)
    }
    await t.rejects(clientOf('http://127.0.0.1:1').ask(), { code: 'UNAVAILABLE' }, 'nobody is there')
    await t.rejects(clientOf('unix:/nonexistent/analytics.sock').ask(), { code: 'UNAVAILABLE' }, 'no socket file')
    double.answer = fail(400, 'bad_request')
    await t.rejects(clientOf(double.url).ask(), { name: 'Misunderstood' })
    double.answer = () => undefined
    await t.rejects(clientOf(double.url, { limits: { deadlineMs: 50 } }).ask(), { code: 'UNAVAILABLE', message: 'Analytics took too long' })
    double.answer = () => Array(50).fill(uptimeRow())
    await t.rejects(clientOf(double.url, { limits: { answerBytes: 1000 } }).ask(), { code: 'UNAVAILABLE' }, 'an answer without end')
  })

  await t.test('a few requests run at once, a few wait, and more are refused', async (t) => {
    const double = await analyticsDouble(t)
    const held: (() => void)[] = []
    double.answer = () => new Promise<never[]>((resolve) => held.push(() => resolve([])))
    // One workspace gets half of the places.
    const { ask } = clientOf(double.url, { limits: { atOnce: 4, waiting: 3 } })
    const answers = Array.from({ length: 5 }, () => ask())
    await until('two are there', () => double.asked.length === 2)
    await t.rejects(ask(), { code: 'UNAVAILABLE', message: /Too many/ })
    t.equal(double.asked.length, 2)
    for (let n = 0; n < 5; n++) (await until('one to answer', () => held.shift()))()
    t.equal((await Promise.all(answers)).length, 5)
    const late = clientOf(double.url, { limits: { atOnce: 1, deadlineMs: 1000 } })
    await t.rejects(Promise.all([late.ask(), late.ask()]), { code: 'UNAVAILABLE' })
    for (const go of held) go()
    double.answer = () => []
    // On a busy machine an answer may take longer than the deadline, so the test tries again. If a
    // place were never freed, no try would succeed.
    const given = await until('those who gave up hold nobody up', () =>
      late.ask().catch((error: { code?: string }) => {
        if (error.code !== 'UNAVAILABLE') throw error
        return null
      })
    )
    t.same(given.rows, [])
  })

  await t.test('slow queries of one workspace leave places for the others', async (t) => {
    const double = await analyticsDouble(t)
    const held: (() => void)[] = []
    double.answer = (asked) => (asked.tenant_id === tenant_id ? new Promise<never[]>((resolve) => held.push(() => resolve([]))) : [])
    const { ask } = clientOf(double.url, { limits: { atOnce: 4, waiting: 20, waitingOfOne: 8 } })
    const slow = Array.from({ length: 10 }, () => ask())
    await until('half of the places are taken', () => held.length === 2)
    await t.rejects(ask(), { code: 'UNAVAILABLE', message: /Too many/ }, 'and it may not wait with more')
    const others = ['0190aaaa-0000-7000-8000-000000000002', '0190aaaa-0000-7000-8000-000000000003']
    for (const other of others) t.same((await ask(other)).rows, [], 'another one is answered')
    t.equal(held.length, 2)
    for (let n = 0; n < slow.length; n++) (await until('one to answer', () => held.shift()))()
    t.equal((await Promise.all(slow)).length, 10)
  })

  await t.test('a workspace that has long been the only one to ask gets all places', async (t) => {
    const double = await analyticsDouble(t)
    const held: (() => void)[] = []
    double.answer = () => new Promise<never[]>((resolve) => held.push(() => resolve([])))
    const { ask } = clientOf(double.url, { limits: { atOnce: 4, aloneAfterMs: 0 } })
    const answers = Array.from({ length: 4 }, () => ask())
    await until('all places are taken', () => held.length === 4)
    for (const go of held) go()
    t.equal((await Promise.all(answers)).length, 4)
  })

  await t.test('a kept connection that was closed is replaced', async (t) => {
    const double = await analyticsDouble(t)
    const { ask } = clientOf(double.url)
    await ask()
    let cut = 0
    double.answer = (_question, request) => {
      if (cut++ > 0) return []
      request.socket.destroy()
      return undefined
    }
    t.same((await ask()).rows, [])
    t.equal(cut, 2, 'asked again')
  })
})

t.test('while analytics is down, only its routes get 503', async (t) => {
  const s = await stand(t)
  const shop = await monitor(s, s.acme, 'shop')
  const nightly = await heartbeat(s, s.acme, 'nightly')
  for (const path of [
    '/api/v1/analytics/uptime',
    '/api/v1/analytics/latency',
    '/api/v1/analytics/incidents',
    '/api/v1/analytics/alerts',
    `/api/v1/monitors/${shop}/checks`,
    `/api/v1/monitors/${shop}/status-changes`,
    `/api/v1/heartbeats/${nightly}/pings`,
    `/api/v1/heartbeats/${nightly}/runs`
  ]) {
    const answer = await s.call(s.acme, 'GET', path)
    t.equal(answer.statusCode, 503, path)
    t.match(answer.json(), { code: 'UNAVAILABLE', error: 'Analytics cannot be reached just now' })
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.notMatch(answer.body, /127\.0\.0\.1|ECONN/)
  }
  for (const path of ['/api/v1/heartbeats', `/api/v1/heartbeats/${nightly}`, '/api/v1/incidents', '/health/ready']) {
    t.equal((await s.call(s.acme, 'GET', path)).statusCode, 200, path)
  }
})
