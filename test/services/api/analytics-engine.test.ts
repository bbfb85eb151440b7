/**
 * Tests of figures and histories end to end: facts in the real ClickHouse, the analytics role's own
 * server on a socket file, and the api's routes that query it.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import type { RecordName, Records } from '../../../schemas/generated/events.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { columnsOf } from '../../../services/analytics/columns.ts'
import { formBatch } from '../../../services/analytics/forming.ts'
import { serveQueries } from '../../../services/analytics/server.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { until } from '../../harness/until.ts'
import { ownEngine, ownFolder } from '../analytics/stand.ts'
import { stand, type Workspace } from './stand.ts'
import { heartbeat, monitor } from './watched.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

t.test('analytics end to end, from stored records to answers', async (t) => {
  const folder = ownFolder(t)
  const engine = await ownEngine(t)
  const log = pino({ level: 'silent' })
  const complete = Date.UTC(2026, 10, 21, 12)
  const url = `unix:${join(folder, 'analytics.sock')}`
  const server = await serveQueries({ url, secret: '', engine, completeUntil: () => complete, log, metrics: createMetrics() })
  t.teardown(() => server.close())
  const s = await stand(t, { analyticsUrl: server.url })
  const { tenant_id } = s.acme
  const shop = await monitor(s, s.acme, 'shop')
  const quiet = await monitor(s, s.acme, 'quiet')
  const nightly = await heartbeat(s, s.acme, 'nightly')
  const theirs = await monitor(s, s.globex, 'theirs')

  // Two monitors and two heartbeats with a tag; one of each belongs to a private team.
  const home = await s.workspace('windows')
  const closed = (await s.call(home, 'POST', '/api/v1/teams', { name: 'Closed', visibility: 'private' })).json().id
  const watched = {
    open: [await monitor(s, home, 'open', ['db']), await heartbeat(s, home, 'open')],
    closed: [await monitor(s, home, 'closed', ['db']), await heartbeat(s, home, 'closed')]
  }
  await s.systemPool.query('UPDATE monitors SET team_id = $1 WHERE monitor_id = $2', [closed, watched.closed[0]])
  await s.systemPool.query('UPDATE heartbeats SET team_id = $1 WHERE heartbeat_id = $2', [closed, watched.closed[1]])
  await s.systemPool.query("UPDATE heartbeats SET tags = '{db}', created_at = '2026-01-01' WHERE tenant_id = $1", [home.tenant_id])

  // Four full hours, yesterday.
  const begin = Math.floor((Date.now() - 26 * HOUR) / HOUR) * HOUR
  const end = begin + 4 * HOUR
  const span = `from=${new Date(begin).toISOString()}&to=${new Date(end).toISOString()}`

  const codec = localCodec()
  const facts: InRecord[] = []
  let offset = 0n
  function fact<N extends RecordName>(topic: TopicName, key: string, name: N, fields: Partial<Records[N]>): void {
    const value = codec.encode(name, record(name, fields))
    facts.push({ topic, partition: 0, offset: offset++, timestamp: begin, key, value, headers: {} })
  }
  for (let n = 0; n < 120; n++) {
    const at = begin + n * 2 * MINUTE
    const down = n >= 60 && n < 75
    for (const [of, tenant] of [
      [shop, tenant_id],
      [theirs, s.globex.tenant_id]
    ] as const) {
      fact('checks.results.v1', of, 'CheckResult', {
        event_id: uuidv5(of, String(n)),
        tenant_id: tenant,
        monitor_id: of,
        region: n % 2 ? 'eu-west' : 'us-east',
        seq: at,
        scheduled_at: at,
        checked_at: at + 5,
        finished_at: at + 105,
        received_at: at + 200,
        outcome: down ? 'failure' : 'success',
        ok: !down,
        reason: down ? 'http_status' : null,
        status_code: down ? 503 : 200,
        timings_ms: { dns: 1, connect: 2, tls: 3, request: 0.5, first_byte: 90, download: 3.5, total: 100 + n },
        retention_days: 395
      })
    }
  }
  const fell = uuidv4()
  const incident_id = uuidv5(fell, 'incident')
  const change = { tenant_id, monitor_id: shop, name: 'shop', type: 'http' }
  // The monitor is down for 10 % of the time, while 12.5 % of its checks fail.
  const recovered = begin + 2 * HOUR + 24 * MINUTE
  fact('monitor.transitions.v1', shop, 'MonitorTransition', { ...change, event_id: fell, ver: 1, at: begin + 2 * HOUR })
  fact('monitor.transitions.v1', shop, 'MonitorTransition', {
    ...change,
    event_id: uuidv4(),
    ver: 2,
    at: recovered,
    previous_status: 'down',
    status: 'up',
    previous_phase: 'down',
    phase: 'ok'
  })
  const opened = record('Incident', {
    tenant_id,
    incident_id,
    monitor_id: shop,
    started_at: begin + 2 * HOUR,
    detected_at: begin + 2 * HOUR,
    opened_at: begin + 2 * HOUR,
    updated_at: begin + 2 * HOUR
  })
  const ended = {
    ...opened,
    ver: 2,
    status: 'resolved' as const,
    resolved_at: begin + 2 * HOUR + 30 * MINUTE,
    resolution_reason: 'recovered'
  }
  fact('incident.events.v1', incident_id, 'IncidentEvent', {
    event_id: uuidv4(),
    tenant_id,
    incident_id,
    ver: 1,
    change: 'created',
    at: opened.opened_at,
    incident: opened
  })
  fact('incident.events.v1', incident_id, 'IncidentEvent', {
    event_id: uuidv4(),
    tenant_id,
    incident_id,
    ver: 2,
    change: 'resolved',
    at: ended.resolved_at,
    incident: ended
  })
  for (let n = 0; n < 5; n++) {
    fact('heartbeat.pings.v1', nightly, 'HeartbeatPing', {
      event_id: uuidv5(nightly, String(n)),
      tenant_id,
      heartbeat_id: nightly,
      kind: n % 2 ? 'success' : 'start',
      received_at: begin + n * MINUTE,
      retention_days: 395
    })
  }
  // All of them are down for the second and third hour; a window covers the second by `all`, the
  // third by the tag.
  for (const [n, scope] of [
    [1, { all: true, tags: [] }],
    [2, { all: false, tags: ['db'] }]
  ] as const) {
    const window_id = uuidv4()
    fact('maintenance.windows.v1', window_id, 'MaintenanceWindow', {
      tenant_id: home.tenant_id,
      window_id,
      scope: { ...scope, monitor_ids: [], heartbeat_ids: [], group_ids: [], integration_ids: [], tags: [...scope.tags] },
      spans: [{ starts_at: begin + n * HOUR, ends_at: begin + (n + 1) * HOUR }]
    })
  }
  for (const [monitor_id, heartbeat_id] of Object.values(watched)) {
    const of = { tenant_id: home.tenant_id }
    const ended = { ver: 2, at: begin + 3 * HOUR, status: 'up' } as const
    const began = { ver: 1, at: begin + HOUR }
    if (!monitor_id || !heartbeat_id) continue
    for (const one of [began, { ...ended, previous_status: 'down', previous_phase: 'down', phase: 'ok' } as const])
      fact('monitor.transitions.v1', monitor_id, 'MonitorTransition', { ...of, monitor_id, event_id: uuidv4(), ...one })
    for (const one of [began, { ...ended, previous_status: 'missed', previous_phase: 'missed', phase: 'on_time' } as const])
      fact('heartbeat.transitions.v1', heartbeat_id, 'HeartbeatTransition', { ...of, heartbeat_id, event_id: uuidv4(), ...one })
  }
  for (const topic of new Set(facts.map((one) => one.topic))) {
    const batch = formBatch(codec, (_topic, reason) => t.fail(`a fact is no row: ${reason}`))
    batch.take(facts.filter((one) => one.topic === topic))
    for (const { table, body } of batch.inserts()) await engine.insert(table, columnsOf(table), body, uuidv4())
  }

  const get = async (path: string, who: Workspace = s.acme) => {
    const answer = await s.call(who, 'GET', path)
    t.equal(answer.statusCode, 200, `${path}: ${answer.body.slice(0, 300)}`)
    return answer.json()
  }

  await t.test('uptime of monitors is a share of the time, not of the checks, in total and by hour', async (t) => {
    const answer = await get(`/api/v1/analytics/uptime?${span}&monitor_ids=${shop},${quiet}&slo_target=99`)
    t.equal(answer.complete_until, '2026-11-21T12:00:00.000Z')
    t.equal(answer.items.length, 2)
    const item = answer.items.find(({ id }: { id: string }) => id === shop)
    t.match(item, {
      kind: 'monitor',
      up_seconds: 12_960,
      down_seconds: 1440,
      uptime_percent: 90,
      longest_outage_seconds: 1440,
      checks: 120,
      checks_ok: 105
    })
    t.equal(item.incidents, 1)
    t.match(item.slo, { target: 99, budget_left_seconds: -1296, burn_rate: 10 })
    const hours = await get(`/api/v1/analytics/uptime?${span}&monitor_ids=${shop}&bucket=hour&time_zone=Europe/Berlin`)
    t.same(
      hours.items.map((one: { down_seconds: number }) => one.down_seconds),
      [0, 0, 1440, 0]
    )
    t.equal((await get(`/api/v1/analytics/uptime?${span}`)).items.length, 3, 'all that the workspace has')
  })

  await t.test('a window by all or by a tag leaves out no time of what a private team owns', async (t) => {
    const { items } = await get(`/api/v1/analytics/uptime?${span}`, home)
    const of = (id: string | undefined) => items.find((one: { id: string }) => one.id === id)
    for (const id of watched.open) t.match(of(id), { up_seconds: 7200, down_seconds: 0, maintenance_seconds: 7200, uptime_percent: 100 })
    for (const id of watched.closed) t.match(of(id), { up_seconds: 7200, down_seconds: 7200, maintenance_seconds: 0, uptime_percent: 50 })
    interface Shown {
      name: string
      uptime: { d30: number | null }
    }
    const list = await until('the uptime of both', async () => {
      const shown: Shown[] = (await get('/api/v1/monitors', home)).items
      return shown.every(({ uptime }) => uptime.d30 !== null) && shown
    })
    t.same(Object.fromEntries(list.map(({ name, uptime }) => [name, uptime.d30 === 100])), { open: true, closed: false })
  })

  await t.test('latency counts only successful checks', async (t) => {
    const answer = await get(`/api/v1/analytics/latency?${span}&monitor_ids=${shop}`)
    t.match(answer.items, [{ monitor_id: shop, region: null, count: 105, min: 100, max: 219 }])
    t.match(answer.overall, { count: 105 })
    t.ok(Math.abs(answer.phases.ttfb.avg - 90) < 0.01)
    const regions = await get(`/api/v1/analytics/latency?${span}&monitor_ids=${shop}&group_by=region`)
    t.same(regions.items.map(({ region }: { region: string }) => region).sort(), ['eu-west', 'us-east'])
  })

  await t.test('incidents are counted in total and by monitor', async (t) => {
    const { items } = await get(`/api/v1/analytics/incidents?${span}&monitor_ids=${shop}`)
    t.match(items, [{ group: null, opened: 1, resolved: 1, acknowledged: 0, acked_percent: 0, mttr: { avg: 1800 }, mtta: { avg: null } }])
    t.match((await get(`/api/v1/analytics/incidents?${span}&group_by=monitor`)).items, [{ group: shop, opened: 1 }])
  })

  await t.test('pages of any size list every check once', async (t) => {
    for (const per_page of [7, 120, 200]) {
      const seen: string[] = []
      let cursor = ''
      do {
        const page: { items: { check_id: string; monitor_id: string }[]; next_cursor: string | null } = await get(
          `/api/v1/monitors/${shop}/checks?${span}&per_page=${per_page}${cursor && `&cursor=${cursor}`}`
        )
        seen.push(...page.items.map(({ check_id }) => check_id))
        cursor = page.next_cursor ?? ''
      } while (cursor)
      t.same(
        seen,
        Array.from({ length: 120 }, (_, n) => uuidv5(shop, String(119 - n)))
      )
    }
    const failed = await get(`/api/v1/monitors/${shop}/checks?${span}&outcome=failure&region=eu-west`)
    t.equal(failed.items.length, 7)
    t.match(failed.items[0], { outcome: 'failure', reason: 'http_status', http: { status: 503, bytes: 512 }, timings_ms: { ttfb: 90 } })
  })

  await t.test('lists of status changes and pings', async (t) => {
    const { items } = await get(`/api/v1/monitors/${shop}/status-changes?${span}&per_page=1`)
    t.match(items, [{ from: 'down', to: 'up', ver: 2 }])
    const all = await get(`/api/v1/monitors/${shop}/status-changes?${span}`)
    t.match(all.items[1], { id: fell, from: 'up', to: 'down', incident_id: null }, 'the incident is not in Postgres here')
    const pings = await get(`/api/v1/heartbeats/${nightly}/pings?${span}&per_page=2`)
    t.equal(pings.items.length, 2)
    const rest = await get(
      `/api/v1/heartbeats/${nightly}/pings?${span}&per_page=200&cursor=${pings.next_cursor}`.replace('per_page=2&', '')
    )
    t.same(
      [...pings.items, ...rest.items].map(({ id }) => id),
      [4, 3, 2, 1, 0].map((n) => uuidv5(nightly, String(n)))
    )
    t.equal((await get(`/api/v1/heartbeats/${nightly}/pings?${span}&kind=success`)).items.length, 2)
  })
})
