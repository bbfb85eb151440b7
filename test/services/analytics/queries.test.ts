/**
 * Results of the queries over small tables that were worked out by hand: time-weighted uptime,
 * latency, incidents, and pages without a gap or a repeat.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type BucketSize, type Entity, type Queries, type QueryName, queryLimits } from '../../../schemas/analytics.ts'
import { projectRoot } from '../../../schemas/files.ts'
import type { Records } from '../../../schemas/generated/events.ts'
import type { Sight } from '../../../schemas/http/visibility.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { BadRequest, bucketsOf, cellsFor, stretchesOf } from '../../../services/analytics/buckets.ts'
import { columnsOf, type TableName, tableNames } from '../../../services/analytics/columns.ts'
import { excludedBy, type VersionRow } from '../../../services/analytics/exclusions.ts'
import { migrationFiles } from '../../../services/analytics/migrations.ts'
import { questionOf, statementNames, statementOf } from '../../../services/analytics/queries.ts'
import { tables } from '../../../services/analytics/rows.ts'
import type { Source } from '../../../services/analytics/table.ts'
import { endOfSpans, spanRows } from '../../../services/analytics/window-spans.ts'
import { record } from '../../harness/records.ts'
import { ownEngine, read } from './stand.ts'

t.setTimeout(120_000)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/**
 * 2026-10-24T22:00Z: the start of the Sunday on which clocks in Berlin go back, so that it has 25
 * hours.
 */
const SUNDAY = Date.UTC(2026, 9, 24, 22)

t.test('buckets begin by the wall clock of the time zone', async (t) => {
  const begins = (from: number, to: number, size: 'hour' | 'day' | 'week' | 'month', zone: string): string[] =>
    bucketsOf(from, to, size, zone).edges.map((edge) => new Date(edge).toISOString().slice(0, 16))
  t.same(begins(SUNDAY, SUNDAY + 50 * HOUR, 'day', 'Europe/Berlin'), ['2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00'])
  t.equal(bucketsOf(SUNDAY, SUNDAY + 25 * HOUR, 'hour', 'Europe/Berlin').edges.length, 25)
  t.same(begins(Date.UTC(2026, 3, 4, 14, 30), Date.UTC(2026, 3, 4, 17), 'hour', 'Australia/Lord_Howe'), [
    '2026-04-04T14:30',
    '2026-04-04T15:00',
    '2026-04-04T15:30',
    '2026-04-04T16:30'
  ])
  t.same(begins(Date.UTC(2026, 0, 15), Date.UTC(2026, 2, 2), 'month', 'UTC'), ['2026-01-15T00:00', '2026-02-01T00:00', '2026-03-01T00:00'])
  t.same(begins(Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 24), 'week', 'UTC'), ['2026-11-21T00:00', '2026-11-23T00:00'])
  t.same(bucketsOf(5, 9, 'all'), { edges: [5], ends: [9] })
  t.throws(() => bucketsOf(0, DAY, 'day', 'Mars/Olympus'), BadRequest)
  t.throws(() => bucketsOf(9, 5, 'day'), BadRequest)
  t.throws(() => bucketsOf(0, 365 * DAY, 'hour'), BadRequest, 'too many')
})

t.test('figures of checks are read from cells that are still kept', async (t) => {
  const now = 400 * DAY
  const cells = (days: number, length: number, size: BucketSize, zone = 'UTC'): string =>
    cellsFor(bucketsOf(now - days * DAY, now - days * DAY + length, size, zone), now)
  t.equal(cells(1, HOUR, 'hour'), 'checks_1m')
  t.equal(cells(5, DAY, 'day', 'Asia/Kolkata'), 'checks_1m')
  t.equal(cells(60, DAY, 'hour'), 'checks_1h', 'the smallest plan keeps minutes for a week')
  t.equal(cells(7, HOUR, 'all'), 'checks_1h')
  t.equal(cells(30, 30 * DAY, 'day', 'Europe/Berlin'), 'checks_1h')
  t.equal(cells(30, 30 * DAY, 'day', 'Asia/Kolkata'), 'checks_1h')
  t.equal(cells(365, 365 * DAY, 'month'), 'checks_1d')
})

t.test('whole days are read from daily cells, the ends of a range from smaller ones', async (t) => {
  const stretches = (from: number, to: number, size: 'hour' | 'day' | 'all', zone = 'UTC', until = to, now = to): string[] =>
    stretchesOf(bucketsOf(from, to, size, zone), until, now).map(
      (one) =>
        `${one.cells} ${one.from / HOUR}-${one.until / HOUR}${one.hole_from < one.hole_until ? ` without ${one.hole_from / HOUR}-${one.hole_until / HOUR}` : ''}`
    )
  t.same(stretches(0, 30 * DAY, 'day'), ['checks_1d 0-720'])
  t.same(stretches(5 * HOUR, 30 * DAY + 7 * HOUR, 'day'), ['checks_1d 24-720', 'checks_1h 5-727 without 24-720'])
  t.same(stretches(0, 10 * DAY + 7 * HOUR, 'all'), ['checks_1d 0-240', 'checks_1h 0-247 without 0-240'])
  t.same(
    stretches(0, 30 * DAY, 'day', 'UTC', 10 * DAY + HOUR),
    ['checks_1d 0-240', 'checks_1h 0-241 without 0-240'],
    'what is to come has no cells'
  )
  t.same(stretches(12 * HOUR, 12 * HOUR + 100 * DAY, 'all'), ['checks_1d 24-2400', 'checks_1h 12-2412 without 24-2400'])
  t.same(stretches(0, 30 * DAY, 'day', 'Europe/Berlin'), ['checks_1h 0-720'], 'days of another zone are no cells')
  t.same(stretches(0, 10 * DAY, 'hour'), ['checks_1h 0-240'])
  t.same(stretches(0, 6 * HOUR, 'all'), ['checks_1m 0-6'])
  t.same(stretches(12 * HOUR, 36 * HOUR, 'all'), ['checks_1m 12-36'], 'no whole day')
  t.same(stretches(12.5 * HOUR, 36 * HOUR, 'hour', 'UTC', 36 * HOUR, 30 * DAY), ['checks_1h 12-36'], 'its minutes are no longer kept')
})

t.test('every statement restricts its tables to one workspace', async (t) => {
  const folder = join(projectRoot, 'clickhouse/queries')
  t.same(readdirSync(folder).sort(), statementNames.map((name) => `${name}.sql`).sort(), 'each statement has its file')
  const texts = statementNames.map((name): [string, string] => [name, statementOf(name)])
  const scoped = new Set<string>([
    '{cells:Identifier}',
    '{transitions:Identifier}',
    'checks_1m',
    'checks_1h',
    'checks_1d',
    'alerts_1h',
    ...tableNames
  ])
  // A table's own WHERE comes before the next FROM.
  const fault = (sql: string): string[] =>
    sql
      .split(/\bFROM\s+/)
      .slice(1)
      .filter((part) => scoped.has(/^[^\s,)]+/.exec(part)?.[0] ?? ''))
      .filter((part) => !/\bWHERE\s+(?:\w+\.)?tenant_id = \{tenant_id:UUID\}/.test(part))
  for (const [name, sql] of texts) {
    t.same(fault(sql), [], name)
    t.ok(sql.includes('{tenant_id:UUID}'), `${name} takes a workspace`)
  }
  t.equal(fault('SELECT 1 FROM check_results WHERE monitor_id = {id:UUID}').length, 1, 'control: a statement without one is found')
  t.throws(() => questionOf('uptime_summary', undefined, { entities: [], at: Date.now() }, 0), BadRequest)
  t.throws(() => questionOf('uptime_summary', "x' OR 1", { entities: [], at: Date.now() }, 0), BadRequest)
  t.throws(() => questionOf('drop', uuidv4(), {}, 0), BadRequest)
  t.ok(migrationFiles().length >= 5)
})

t.test('queries over small tables', async (t) => {
  const engine = await ownEngine(t)
  let offset = 0n
  const put = async <T>(table: TableName, row: (value: T, source: Source) => string, ...values: T[]): Promise<void> => {
    const lines = values.map((value) => row(value, { partition: 0, offset: offset++ }))
    await engine.insert(table, columnsOf(table), Buffer.from(lines.join('')), uuidv4())
  }
  async function ask<N extends QueryName>(
    name: N,
    tenant_id: string,
    params: Queries[N]['params'],
    now = 4e12
  ): Promise<Queries[N]['row'][]> {
    const { statements, answer } = questionOf(name, tenant_id, params, now)
    const limits = { timeMs: 20_000, maxRows: 30_000 }
    const texts = await Promise.all(statements.map(({ sql, params: all }) => engine.query(sql, all, limits)))
    return JSON.parse(answer(texts)) as Queries[N]['row'][]
  }

  const uptime = (tenant_id: string, params: Omit<Queries['uptime']['params'], 'sight'> & { sight?: Sight }, now?: number) =>
    ask('uptime', tenant_id, { sight: 'all', ...params }, now)

  type Change = [at: number, status: Records['MonitorTransition']['status'], phase: Records['MonitorTransition']['phase']]
  async function life(tenant_id: string, monitor_id: string, start: Change, ...changes: Change[]): Promise<void> {
    let before = start
    const records = changes.map((change, index) => {
      const [at, status, phase] = change
      const value = record('MonitorTransition', {
        event_id: uuidv4(),
        tenant_id,
        monitor_id,
        ver: index + 1,
        at,
        status,
        phase,
        previous_status: before[1],
        previous_phase: before[2],
        previous_at: before[0]
      })
      before = change
      return value
    })
    await put('monitor_transitions', tables.monitor_transitions.row, ...records)
    // The relay sends the last record again.
    await put('monitor_transitions', tables.monitor_transitions.row, ...records.slice(-1))
  }

  const from = Date.UTC(2026, 5, 1)
  const entity = (id: string, more: Partial<Entity> = {}): Entity => ({
    kind: 'monitor',
    id,
    created_at: from - 90 * DAY,
    open: true,
    ...more
  })

  t.test('uptime is weighted by time and leaves out pauses, maintenance and unknown time', async (t) => {
    const [tenant, other, a, b, c, d] = [uuidv4(), uuidv4(), uuidv4(), uuidv4(), uuidv4(), uuidv4()]
    await life(
      tenant,
      a,
      [from - 30 * DAY, 'up', 'ok'],
      [from - HOUR, 'down', 'down'], // Still down when the range begins.
      [from + HOUR, 'up', 'ok'],
      [from + 2 * HOUR, 'up', 'degraded'],
      [from + 4 * HOUR, 'up', 'ok'],
      [from + 5 * HOUR, 'paused', 'paused'],
      [from + 8 * HOUR, 'up', 'ok'],
      [from + 9 * HOUR, 'up', 'no_data'],
      [from + 10 * HOUR, 'up', 'ok'],
      [from + 23 * HOUR, 'down', 'down'], // Into the second day.
      [from + 26 * HOUR, 'up', 'ok']
    )
    // A row of another workspace with the same id.
    await life(other, a, [from - DAY, 'up', 'ok'], [from - DAY, 'down', 'down'])
    const scope = { all: false, monitor_ids: [a], heartbeat_ids: [], group_ids: [], integration_ids: [], tags: ['db'] }
    const window = (ver: number, fields: Partial<Records['MaintenanceWindow']>): Records['MaintenanceWindow'] =>
      record('MaintenanceWindow', { tenant_id: tenant, window_id: uuidv4(), ver, scope, updated_at: from, ...fields })
    const moved = uuidv4()
    await put(
      'maintenance_windows',
      tables.maintenance_windows.row,
      window(1, { spans: [{ starts_at: from + 23.5 * HOUR, ends_at: from + 24.5 * HOUR }] }),
      // Overlaps the first.
      window(1, { spans: [{ starts_at: from + 24 * HOUR, ends_at: from + 25 * HOUR }] }),
      // While paused.
      window(1, { spans: [{ starts_at: from + 7 * HOUR, ends_at: from + 8 * HOUR }] }),
      window(1, { count_in_uptime: true, spans: [{ starts_at: from, ends_at: from + DAY }] }),
      window(1, { state: 'cancelled', spans: [{ starts_at: from, ends_at: from + DAY }] }),
      window(1, { window_id: moved, spans: [{ starts_at: from, ends_at: from + DAY }] }),
      window(2, { window_id: moved, spans: [{ starts_at: from + 12 * HOUR, ends_at: from + 13 * HOUR }] })
    )
    const [closed, private_team] = [uuidv4(), uuidv4()]
    const incident = (opened_at: number, fields: Partial<Records['Incident']> = {}): Records['IncidentEvent'] =>
      record('IncidentEvent', {
        incident: record('Incident', {
          tenant_id: tenant,
          incident_id: uuidv4(),
          monitor_id: a,
          opened_at,
          started_at: opened_at,
          updated_at: opened_at,
          ...fields
        })
      })
    await put(
      'incidents',
      tables.incidents.row,
      incident(from - HOUR),
      incident(from + 23 * HOUR),
      incident(from + 22 * HOUR, { status: 'resolved', resolution_reason: 'merged' }),
      // A rule or a person gave them to other teams.
      incident(from + 30 * HOUR, { team_id: closed }),
      incident(from + 31 * HOUR, { team_id: private_team, visibility: 'private' })
    )

    const days = await uptime(tenant, { entities: [entity(a)], from, to: from + 2 * DAY, bucket: 'day' })
    t.match(days, [
      {
        id: a,
        from,
        to: from + DAY,
        up_seconds: (1 + 1 + 1 + 2 + 10) * 3600, // 1-2, 4-5, 8-9, 10-12, 13-23
        degraded_seconds: 2 * 3600,
        down_seconds: 1.5 * 3600, // 0-1, 23-23:30
        maintenance_seconds: 1.5 * 3600, // 12-13, 23:30-24
        unknown_seconds: 3600,
        paused_seconds: 3 * 3600,
        uptime_percent: (100 * 17) / 18.5,
        longest_outage_seconds: 3600,
        incidents: 1
      },
      {
        from: from + DAY,
        up_seconds: 22 * 3600,
        down_seconds: 3600, // 25-26
        maintenance_seconds: 3600,
        uptime_percent: (100 * 22) / 23,
        longest_outage_seconds: 3600,
        incidents: 2
      }
    ])
    for (const [sight, incidents] of [
      [{ own: [], hidden: [closed, private_team] }, 0],
      [{ own: [private_team], hidden: [closed] }, 1],
      [{ own: [closed, private_team], hidden: [] }, 2]
    ] as const)
      t.match(await uptime(tenant, { entities: [entity(a)], from: from + DAY, to: from + 2 * DAY, bucket: 'all', sight }), [{ incidents }])
    const older = { entities: [entity(a)], from, to: from + 2 * DAY, bucket: 'all' }
    const { statements } = questionOf('uptime', tenant, older as unknown, 4e12)
    t.same(statements.find(({ params }) => 'all_teams' in params)?.params.ids, [], 'no incident counts for an api that names no sight')
    const [whole] = await uptime(tenant, { entities: [entity(a)], from, to: from + 2 * DAY, bucket: 'all' })
    t.match(whole, { up_seconds: 37 * 3600, degraded_seconds: 2 * 3600, down_seconds: 2.5 * 3600, uptime_percent: (100 * 39) / 41.5 })
    t.equal(
      (whole?.up_seconds ?? 0) +
        (whole?.degraded_seconds ?? 0) +
        (whole?.down_seconds ?? 0) +
        (whole?.maintenance_seconds ?? 0) +
        (whole?.unknown_seconds ?? 0) +
        (whole?.paused_seconds ?? 0),
      2 * 86_400,
      'every second is in one state'
    )

    const many = await uptime(tenant, {
      entities: [
        entity(b), // Nothing ever happened.
        entity(c, { created_at: from + 12 * HOUR }), // Made in the middle.
        entity(d, { tags: ['db', 'x'] }), // Covered by tag.
        { kind: 'heartbeat', id: a, created_at: from - DAY, open: true } // Same id, another kind.
      ],
      from,
      to: from + DAY,
      bucket: 'all'
    })
    const of = (id: string, kind = 'monitor') => many.find((row) => row.id === id && row.kind === kind)
    t.match(of(b), { up_seconds: 86_400, uptime_percent: 100, down_seconds: 0 })
    t.match(of(c), { up_seconds: 12 * 3600, uptime_percent: 100, maintenance_seconds: 0 })
    t.match(of(d), { maintenance_seconds: (0.5 + 1 + 1) * 3600, up_seconds: 21.5 * 3600 })
    t.match(of(a, 'heartbeat'), { up_seconds: 86_400 })
    t.match(await uptime(other, { entities: [entity(a)], from, to: from + DAY, bucket: 'all' }), [
      { down_seconds: 86_400, uptime_percent: 0, maintenance_seconds: 0, longest_outage_seconds: 86_400 }
    ])
    const [running] = await uptime(tenant, { entities: [entity(b)], from, to: from + DAY, bucket: 'all' }, from + HOUR)
    t.match(running, { up_seconds: 3600 }, 'the future counts as nothing')
    const [early] = await uptime(tenant, {
      entities: [entity(a, { created_at: 0 })],
      from: from - 40 * DAY,
      to: from - 31 * DAY,
      bucket: 'all'
    })
    t.match(early, { up_seconds: 9 * 86_400 }, 'before the first transition: what it was said to end')
  })

  t.test('a change of a maintenance window leaves the past as it was', async (t) => {
    const [tenant, a, b] = [uuidv4(), uuidv4(), uuidv4()]
    for (const id of [a, b])
      await life(
        tenant,
        id,
        [from - 600 * DAY, 'up', 'ok'],
        [from - 500 * DAY + HOUR, 'down', 'down'],
        [from - 500 * DAY + 2 * HOUR, 'up', 'ok'],
        [from + HOUR, 'down', 'down'],
        [from + 2 * HOUR, 'up', 'ok'],
        [from + 7 * DAY + HOUR, 'down', 'down'],
        [from + 7 * DAY + 2 * HOUR, 'up', 'ok']
      )
    const window_id = uuidv4()
    const night = (days: number) => ({ starts_at: from + days * DAY, ends_at: from + days * DAY + 4 * HOUR })
    let ver = 0
    const say = async (updated_at: number, ids: string[], nights: number[], more: Partial<Records['MaintenanceWindow']> = {}) => {
      const scope = { all: false, monitor_ids: ids, heartbeat_ids: [], group_ids: [], integration_ids: [], tags: [] }
      const schedule_kind = 'recurring' as const
      const about = { tenant_id: tenant, window_id, ver: ++ver, updated_at, scope, schedule_kind, spans: nights.map(night) }
      const window = record('MaintenanceWindow', { ...about, ...more })
      await put('maintenance_windows', tables.maintenance_windows.row, window)
      await put('maintenance_spans', tables.maintenance_spans.row, ...spanRows(window))
    }
    const down = async (days: number, id: string): Promise<number> => {
      const day = { from: from + days * DAY, to: from + (days + 1) * DAY, bucket: 'all' } as const
      const created_at = from - 600 * DAY
      return (await uptime(tenant, { entities: [entity(id, { created_at })], ...day }))[0]?.down_seconds ?? -1
    }
    const made = from - 590 * DAY
    await say(made, [a], [-500, -493])
    await say(made, [a], [-7, 0, 7])
    t.same([await down(-500, a), await down(0, a), await down(0, b)], [0, 0, 3600], 'spans that the window forgot still count')
    await say(from + 2 * DAY, [b], [-7, 0, 7])
    t.same([await down(-500, a), await down(0, a), await down(0, b)], [0, 0, 3600], 'the past is not of the new scope')
    t.same([await down(7, a), await down(7, b)], [3600, 0])
    await say(from + 8 * DAY, [b], [-7, 0, 7, 14], { count_in_uptime: true })
    t.same([await down(0, a), await down(7, b)], [0, 0], 'nor what is to count from now on')
    await say(from + 9 * DAY, [b], [7, 14])
    await put(
      'maintenance_spans',
      tables.maintenance_spans.row,
      endOfSpans({ tenant_id: tenant, window_id, ver: ++ver, at: from + 10 * DAY })
    )
    const asked = { tenant_id: tenant, from: from + 5 * DAY, until: from + 30 * DAY }
    t.match(
      excludedBy(await read<VersionRow>(engine, statementOf('exclusions'), asked)),
      [{ monitor_ids: [b], spans: [[night(7).starts_at, night(7).ends_at]] }],
      'nothing is to come of a deleted one'
    )
  })

  t.test('changes count in the order of their versions when a clock went back, and no version hides a later one', async (t) => {
    const [tenant, id, again] = [uuidv4(), uuidv4(), uuidv4()]
    const start: Change = [from - DAY, 'up', 'no_data']
    await life(tenant, id, start, [from - DAY, 'up', 'ok'], [from + HOUR + 4000, 'down', 'down'], [from + HOUR, 'up', 'ok'])
    for (const begin of [from, from + HOUR + 2000, from + 2 * HOUR])
      t.match(await uptime(tenant, { entities: [entity(id)], from: begin, to: from + DAY, bucket: 'all' }), [
        { down_seconds: 0, uptime_percent: 100 }
      ])
    await life(tenant, again, [from - DAY, 'up', 'ok'], [from - 3 * HOUR, 'down', 'down'], [from - 2 * HOUR, 'up', 'ok'])
    // After a restore of Postgres, beside a new log.
    await life(tenant, again, [from - DAY, 'up', 'ok'], [from - HOUR, 'down', 'down'])
    for (const begin of [from - 90 * 60_000, from])
      t.match(await uptime(tenant, { entities: [entity(again)], from: begin, to: from + DAY, bucket: 'all' }), [
        { down_seconds: (from + DAY - Math.max(begin, from - HOUR)) / 1000 }
      ])
  })

  t.test('a day of 25 hours counts 25 hours', async (t) => {
    const [tenant, id] = [uuidv4(), uuidv4()]
    await life(tenant, id, [SUNDAY - DAY, 'up', 'ok'], [SUNDAY + 2 * HOUR, 'down', 'down'], [SUNDAY + 4 * HOUR, 'up', 'ok'])
    const found = await uptime(tenant, {
      entities: [entity(id)],
      from: SUNDAY,
      to: SUNDAY + 49 * HOUR,
      bucket: 'day',
      time_zone: 'Europe/Berlin'
    })
    t.match(found, [
      { from: SUNDAY, to: SUNDAY + 25 * HOUR, up_seconds: 23 * 3600, down_seconds: 2 * 3600, uptime_percent: 92 },
      { from: SUNDAY + 25 * HOUR, up_seconds: 24 * 3600, down_seconds: 0 }
    ])
  })

  t.test('a missed heartbeat counts as down', async (t) => {
    const [tenant, id] = [uuidv4(), uuidv4()]
    const change = (ver: number, at: number, status: 'up' | 'missed', phase: 'on_time' | 'missed' | 'failed' | 'unknown' | 'paused') =>
      record('HeartbeatTransition', {
        tenant_id: tenant,
        heartbeat_id: id,
        event_id: uuidv4(),
        ver,
        at,
        status,
        phase,
        previous_status: 'up',
        previous_phase: 'on_time'
      })
    await put(
      'heartbeat_transitions',
      tables.heartbeat_transitions.row,
      change(1, from + HOUR, 'missed', 'missed'),
      change(2, from + 3 * HOUR, 'up', 'on_time'),
      change(3, from + 4 * HOUR, 'up', 'unknown'),
      change(4, from + 5 * HOUR, 'missed', 'failed'),
      change(5, from + 6 * HOUR, 'up', 'paused')
    )
    const beat: Entity = { kind: 'heartbeat', id, created_at: from, open: true }
    t.match(await uptime(tenant, { entities: [beat], from, to: from + 7 * HOUR, bucket: 'all' }), [
      {
        kind: 'heartbeat',
        up_seconds: 2 * 3600,
        down_seconds: 3 * 3600,
        unknown_seconds: 3600,
        paused_seconds: 3600,
        longest_outage_seconds: 2 * 3600
      }
    ])
    const page = await ask('status_changes_list', tenant, { kind: 'heartbeat', id, from, to: from + DAY, limit: 2 })
    t.match(page, [
      { ver: 5, status: 'up', phase: 'paused' },
      { ver: 4, phase: 'failed' }
    ])
  })

  t.test('uptime of the last 24 hours, 7 days and 30 days', async (t) => {
    const [tenant, id, quiet] = [uuidv4(), uuidv4(), uuidv4()]
    const at = from + 60 * DAY
    await life(
      tenant,
      id,
      [from, 'up', 'ok'],
      [at - 20 * DAY, 'down', 'down'],
      [at - 17 * DAY, 'up', 'ok'],
      [at - 12 * HOUR, 'down', 'down'],
      [at - 6 * HOUR, 'up', 'ok']
    )
    const found = await ask('uptime_summary', tenant, { entities: [entity(id), entity(quiet, { created_at: at })], at })
    const of = (one: string) => found.find((row) => row.id === one)
    t.equal(of(id)?.h24, 75)
    t.ok(Math.abs((of(id)?.d7 ?? 0) - (100 * 6.75) / 7) < 1e-9)
    t.ok(Math.abs((of(id)?.d30 ?? 0) - (100 * 26.75) / 30) < 1e-9)
    t.match(of(quiet) ?? { h24: null, d7: null, d30: null }, { h24: null, d7: null, d30: null }, 'no time at all')
  })

  t.test('pages of checks have no gaps or repeats, and filters and figures are right', async (t) => {
    const [tenant, other, id] = [uuidv4(), uuidv4(), uuidv4()]
    const results: Records['CheckResult'][] = []
    for (let n = 0; n < 40; n++) {
      const seq = from + n * MINUTE
      for (const region of ['eu', 'us']) {
        const failed = n >= 30 && region === 'us'
        const broken = n === 5 && region === 'us'
        results.push(
          record('CheckResult', {
            event_id: uuidv4(),
            tenant_id: tenant,
            monitor_id: id,
            region,
            seq,
            scheduled_at: seq,
            checked_at: seq, // Both regions at one instant: the cursor must tell them apart.
            finished_at: seq + 1,
            received_at: seq + 2,
            retention_days: 395, // The test's past is older than a month.
            ok: !failed && !broken,
            outcome: broken ? 'prober_error' : failed ? 'failure' : 'success',
            reason: failed ? 'timeout' : null,
            timings_ms: {
              dns: 1,
              connect: null,
              tls: null,
              request: null,
              first_byte: 2,
              download: null,
              total: region === 'eu' ? 100 : n + 1
            }
          })
        )
      }
    }
    await put('check_results', tables.check_results.row, ...results)
    // The prober sends some results again.
    await put('check_results', tables.check_results.row, ...results.slice(10, 20))
    await put('check_results', tables.check_results.row, ...results.map((one) => ({ ...one, tenant_id: other })))
    const range = { monitor_id: id, from, to: from + HOUR }
    const seen: string[] = []
    let before: Queries['checks_list']['params']['before'] = null
    for (;;) {
      const page: Queries['checks_list']['row'][] = await ask('checks_list', tenant, { ...range, before, limit: 7 })
      seen.push(...page.map((row) => `${row.seq}:${row.region}`))
      const last = page.at(-1)
      if (!last) break
      before = { checked_at: last.checked_at, seq: last.seq, region: last.region }
    }
    const expected = results.map((row) => `${row.seq}:${row.region}`).reverse()
    t.same(seen, expected, 'newest first, each once')
    const failures = await ask('checks_list', tenant, {
      ...range,
      outcomes: ['failure'],
      reasons: ['timeout'],
      regions: ['us'],
      limit: 100
    })
    t.equal(failures.length, 10)
    t.match(failures[0], {
      reason: 'timeout',
      ok: false,
      seq: from + 39 * MINUTE,
      timings_ms: { dns: 1, connect: null, total: 40 },
      assertions: [],
      count: true,
      message: null,
      certificate_chain_ok: null
    })
    t.equal((await ask('checks_list', tenant, { ...range, regions: ['ap'], limit: 10 })).length, 0)
    const [counted] = await uptime(tenant, { entities: [entity(id)], from, to: from + HOUR, bucket: 'all' })
    t.match(
      counted,
      { checks: 79, checks_ok: 69, checks_percent: (100 * 69) / 79 },
      'repeats and what says nothing of the target are not counted'
    )
    const latency = await ask('latency', tenant, { monitor_ids: [id], from, to: from + HOUR, bucket: 'all', by_region: true })
    t.match(latency, [
      { region: 'eu', min: 100, avg: 100, p50: 100, p99: 100, max: 100, stdev: 0 },
      { region: 'us', min: 1, max: 30 }
    ])
    t.ok(Math.abs((latency[1]?.p50 ?? 0) - 15) <= 2, `p50 of 1..30 without 6: ${latency[1]?.p50}`)
    const merged = await ask('latency', tenant, { monitor_ids: [id], regions: ['us'], from, to: from + HOUR, bucket: 'hour' })
    t.match(merged, [{ region: '', monitor_id: id, from, max: 30 }])
    const phases = await ask('latency_phases', tenant, { monitor_ids: [id], from, to: from + HOUR })
    t.match(phases, [
      { phase: 'dns', p50: 1 },
      { phase: 'first_byte', avg: 2 }
    ])
    t.equal(phases.length, 2)
    t.equal((await ask('latency', uuidv4(), { monitor_ids: [id], from, to: from + HOUR, bucket: 'all' })).length, 0, 'nobody else sees it')
    for (const table of ['checks_1m', 'checks_1h', 'checks_1d'])
      t.same(
        await read(
          engine,
          'SELECT sum(n_cell) AS n FROM (SELECT uniqExactMerge(n) AS n_cell FROM {table:Identifier} WHERE tenant_id = {tenant:UUID} GROUP BY monitor_id, region, bucket)',
          { table, tenant }
        ),
        [{ n: 80 }]
      )
  })

  t.test('checks over many days are counted once each, whichever cells hold them', async (t) => {
    const [tenant, id] = [uuidv4(), uuidv4()]
    const results = Array.from({ length: 5 * 48 }, (_, n) => {
      const at = from + n * 30 * MINUTE
      const ok = n % 7 !== 0
      const more = { seq: at, scheduled_at: at, checked_at: at, finished_at: at, received_at: at, retention_days: 395 }
      const outcome = ok ? ('success' as const) : ('failure' as const)
      return record('CheckResult', { event_id: uuidv4(), tenant_id: tenant, monitor_id: id, ok, outcome, ...more })
    })
    await put('check_results', tables.check_results.row, ...results)
    // Some once more.
    await put('check_results', tables.check_results.row, ...results.slice(40, 60))
    for (const bucket of ['all', 'day', 'hour'] as const) {
      const [begin, to] = [from + 5 * HOUR, from + 4 * DAY + 7 * HOUR]
      const found = await uptime(tenant, { entities: [entity(id)], from: begin, to, bucket })
      for (const row of found) {
        const held = results.filter(({ seq }) => seq >= row.from && seq < row.to)
        if (row.checks !== held.length || row.checks_ok !== held.filter(({ ok }) => ok).length)
          t.same(row, held, `of ${bucket} at ${row.from}`)
      }
      t.equal(
        found.reduce((sum, { checks }) => sum + checks, 0),
        2 * (4 * 24 + 2),
        `each once: ${bucket}`
      )
    }
  })

  t.test('a day whose minutes are no longer kept has its figures', async (t) => {
    const [tenant, id] = [uuidv4(), uuidv4()]
    const results = Array.from({ length: 48 }, (_, n) => {
      const at = from + n * 30 * MINUTE
      const more = { seq: at, scheduled_at: at, checked_at: at, finished_at: at, received_at: at, retention_days: 395 }
      const timings_ms = { ...record('CheckResult').timings_ms, total: 100 }
      return record('CheckResult', {
        event_id: uuidv4(),
        tenant_id: tenant,
        monitor_id: id,
        ok: true,
        outcome: 'success',
        timings_ms,
        ...more
      })
    })
    await put('check_results', tables.check_results.row, ...results)
    await engine.command(`DELETE FROM checks_1m WHERE tenant_id = '${tenant}'`)
    const day = { from, to: from + DAY, bucket: 'hour' } as const
    const now = from + 20 * DAY
    const latency = await ask('latency', tenant, { ...day, monitor_ids: [id] }, now)
    t.same(
      latency.map(({ count }) => count),
      Array(24).fill(2)
    )
    const found = await uptime(tenant, { ...day, entities: [entity(id)] }, now)
    t.same(
      found.map(({ checks }) => checks),
      Array(24).fill(2)
    )
    const afternoon = { from: from + 12.5 * HOUR, to: from + 18 * HOUR, bucket: 'all' } as const
    t.match(await ask('latency', tenant, { ...afternoon, monitor_ids: [id], time_zone: 'Asia/Kolkata' }, now), [{ count: 12 }])
  })

  t.test('an answer ends one figure after the largest number', async (t) => {
    const [tenant, id] = [uuidv4(), uuidv4()]
    const rows = queryLimits.figures + 10
    const at = `toDateTime(${from / 1000} + 3600 * intDiv(number, 30), 'UTC')`
    await engine.command(`INSERT INTO checks_1h (tenant_id, monitor_id, bucket, region, latency, latency_n, latency_sum, expires_at)
      SELECT '${tenant}', '${id}', ${at}, concat('r', toString(number % 30)), quantilesTDigestState(0.5, 0.75, 0.9, 0.95, 0.99)(toFloat32(1)), 1, 1, '2040-01-01'
        FROM numbers(${rows}) GROUP BY number`)
    await engine.command(`INSERT INTO incidents (tenant_id, incident_id, ver, monitor_id, opened_at, started_at, updated_at)
      SELECT '${tenant}', generateUUIDv4(1), 1, toString(generateUUIDv4(2)), ${at}, ${at}, ${at} FROM numbers(${rows})`)
    const range = { from, to: from + 30 * DAY }
    const regions = await ask('latency', tenant, { ...range, monitor_ids: [id], bucket: 'hour', by_region: true })
    t.equal(regions.length, queryLimits.figures + 1)
    const monitors = await ask('incidents', tenant, { ...range, bucket: 'all', group_by: 'monitor', sight: 'all' })
    t.equal(monitors.length, queryLimits.figures + 1)
  })

  t.test('pages of pings, and durations of runs', async (t) => {
    const [tenant, id] = [uuidv4(), uuidv4()]
    const ping = (received_at: number, kind: Records['HeartbeatPing']['kind'], run_id: string | null, exit_code: number | null = null) =>
      record('HeartbeatPing', {
        event_id: uuidv4(),
        tenant_id: tenant,
        heartbeat_id: id,
        received_at,
        kind,
        run_id,
        exit_code,
        retention_days: 395
      })
    await put(
      'heartbeat_pings',
      tables.heartbeat_pings.row,
      ping(from, 'start', 'r1'),
      ping(from + 1500, 'exit', 'r1', 3),
      ping(from + 1500, 'success', null),
      ping(from + 2000, 'log', null)
    )
    const range = { heartbeat_id: id, from, to: from + HOUR }
    const first = await ask('pings_list', tenant, { ...range, limit: 2 })
    t.match(first, [{ kind: 'log' }, { kind: 'success', duration_ms: null, run_id: null }])
    const last = first[1]
    const rest = await ask('pings_list', tenant, { ...range, limit: 9, before: { received_at: last?.received_at ?? 0, n: last?.n ?? 0 } })
    t.match(rest, [
      { kind: 'exit', exit_code: 3, duration_ms: 1500 },
      { kind: 'start', duration_ms: null }
    ])
    t.equal(rest.length, 2)
    t.equal((await ask('pings_list', tenant, { ...range, kinds: ['log'], limit: 9 })).length, 1)

    const plain = uuidv4()
    await put(
      'heartbeat_pings',
      tables.heartbeat_pings.row,
      ...[
        ping(from, 'start', null),
        ping(from + 10, 'start', null),
        ping(from + 20, 'start', 'r2'),
        ping(from + 30, 'log', null),
        ping(from + 40, 'exit', 'r2', 0),
        ping(from + 60, 'exit', null, 1),
        ping(from + 90, 'success', null)
      ].map((row) => ({ ...row, heartbeat_id: plain }))
    )
    t.same(
      (await ask('pings_list', tenant, { ...range, heartbeat_id: plain, limit: 9 })).map(({ kind, duration_ms }) => [kind, duration_ms]),
      [
        ['success', null],
        ['exit', 50],
        ['exit', 20],
        ['log', null],
        ['start', null],
        ['start', null],
        ['start', null]
      ],
      'a start without a run belongs to the next end without one'
    )
    t.match(
      await ask('pings_list', tenant, { ...range, heartbeat_id: plain, kinds: ['exit'], limit: 9 }),
      [{ duration_ms: 50 }, { duration_ms: 20 }],
      'also where the starts are not asked for'
    )
    const took = (
      succeeded: number,
      failed: number,
      min: number,
      avg: number | null,
      p50: number | null,
      p95: number | null,
      max: number
    ) => ({
      succeeded,
      failed,
      min,
      avg,
      p50,
      p95,
      max
    })
    t.same(await ask('runs', tenant, { ...range, heartbeat_id: plain }), [took(1, 1, 20, 20, 20, 20, 20)])
    t.same(await ask('runs', tenant, range), [took(0, 1, 0, null, null, null, 0)], 'no run of it succeeded')
    t.same(await ask('runs', tenant, { ...range, to: from + 1 }), [took(0, 0, 0, null, null, null, 0)])
    t.same(await ask('runs', uuidv4(), { ...range, heartbeat_id: plain }), [took(0, 0, 0, null, null, null, 0)], 'of another workspace')
    const often = uuidv4()
    const runs = [100, 200, 300, 400].flatMap((ms, nth) => [
      ping(from + nth * 1000, 'start', `r${nth}`),
      ping(from + nth * 1000 + ms, 'success', `r${nth}`)
    ])
    await put('heartbeat_pings', tables.heartbeat_pings.row, ...runs.map((row) => ({ ...row, heartbeat_id: often })))
    t.same(await ask('runs', tenant, { ...range, heartbeat_id: often }), [took(4, 0, 100, 250, 250, 385, 400)])
  })

  t.test('pages of alerts by key, without alerts past their retention', async (t) => {
    const [tenant, other, integration_id] = [uuidv4(), uuidv4(), uuidv4()]
    const dedup_key = `int:${integration_id}:${'ab'.repeat(200)}`
    const alert = (received_at: number, over: Partial<Records['InboundAlert']> = {}) =>
      record('InboundAlert', {
        event_id: uuidv4(),
        tenant_id: tenant,
        integration_id,
        dedup_key,
        received_at,
        occurred_at: received_at - 500,
        title: `at ${received_at - from}`,
        retention_days: 395,
        ...over
      })
    const links = [{ title: 'Graph “a”', url: 'https://x.example/?a=1' }]
    await put(
      'alert_ingest',
      tables.alert_ingest.row,
      alert(from - 1),
      alert(from, { labels: { host: "db-7's" }, links }),
      alert(from + 5),
      alert(from + 5, { action: 'note' }),
      alert(from + 5, { dedup_key: 'int:x:another' }),
      alert(from + 5, { integration_id: uuidv4() }),
      alert(from + 5, { tenant_id: other }),
      alert(from + 9, { action: 'resolve', severity: 'info' }),
      alert(from + 10)
    )
    const asked = { integration_id, dedup_key, from, to: from + 10, at: from + DAY, limit: 2 }
    const first = await ask('alerts_list', tenant, asked)
    t.match(first, [
      { title: 'at 9', action: 'resolve', severity: 'info', labels: {}, links: [] },
      { title: 'at 5', action: 'note' }
    ])
    const last = first[1]
    const rest = await ask('alerts_list', tenant, { ...asked, before: { received_at: last?.received_at ?? 0, n: last?.n ?? 0 } })
    t.match(rest, [
      { title: 'at 5', action: 'fire' },
      { title: 'at 0', occurred_at: from - 500, received_at: from, source: 'alertmanager', labels: { host: "db-7's" }, links }
    ])
    t.equal((await ask('alerts_list', tenant, { ...asked, at: from + 394 * DAY, limit: 9 })).length, 4)
    t.same(await ask('alerts_list', tenant, { ...asked, at: from + 396 * DAY, limit: 9 }), [], 'the plan keeps them no longer')
    await t.rejects(ask('alerts_list', tenant, { ...asked, dedup_key: 'x'.repeat(513) }), /dedup_key: expected at most 512 characters/)
  })

  t.test('incidents are counted by bucket, with times to acknowledge and to resolve', async (t) => {
    const tenant = uuidv4()
    const incident = (opened_at: number, fields: Partial<Records['Incident']>): Records['IncidentEvent'] =>
      record('IncidentEvent', {
        incident: record('Incident', {
          tenant_id: tenant,
          incident_id: uuidv4(),
          opened_at,
          started_at: opened_at - MINUTE,
          updated_at: opened_at,
          ...fields
        })
      })
    const repeated = uuidv4()
    await put(
      'incidents',
      tables.incidents.row,
      incident(from + HOUR, { acknowledged_at: from + HOUR + 60_000, resolved_at: from + 2 * HOUR, status: 'resolved' }),
      incident(from + 2 * HOUR, { acknowledged_at: from + 2 * HOUR + 180_000, severity: 'warning' }),
      incident(from + 23 * HOUR, { resolved_at: from + 25 * HOUR, status: 'resolved' }),
      incident(from + 3 * HOUR, { resolution_reason: 'merged' }),
      incident(from + 3 * HOUR, { visibility: 'private', team_id: 'red' }),
      incident(from + 4 * HOUR, { visibility: 'org', team_id: 'blue' }),
      incident(from + 26 * HOUR, { incident_id: repeated, ver: 1 }),
      incident(from + 26 * HOUR, { incident_id: repeated, ver: 2, severity: 'info', reopened_from: uuidv4() })
    )
    const range = { from, to: from + 2 * DAY, bucket: 'day' as const, sight: { own: [], hidden: [] } }
    t.match(await ask('incidents', tenant, range), [
      {
        group: '',
        from,
        opened: 4,
        resolved: 1,
        acknowledged: 2,
        mtta_avg: 120,
        mtta_p50: 120,
        mtta_p90: 168,
        mttr_avg: 3660,
        reopened: 0
      },
      { from: from + DAY, opened: 1, resolved: 1, acknowledged: 0, mtta_avg: null, mtta_p90: null, mttr_p50: 7260, reopened: 1 }
    ])
    const bySeverity = await ask('incidents', tenant, { ...range, bucket: 'all', group_by: 'severity', sight: 'all' })
    t.same(
      bySeverity.map(({ group, opened }) => [group, opened]),
      [
        ['critical', 4],
        ['info', 1],
        ['warning', 1]
      ],
      'the private one counts for those who see every team'
    )
    const opened = async (own: string[], hidden: string[]) =>
      (await ask('incidents', tenant, { ...range, bucket: 'all', sight: { own, hidden } }))[0]?.opened
    t.equal(await opened(['red'], []), 6, 'a member sees what is private to the team')
    t.equal(await opened([], ['red']), 5)
    t.equal(await opened(['red'], ['blue']), 5, 'nobody sees what belongs to a team that is hidden from them, though it says org')
  })

  t.test('the first acknowledgement counts, also if it was taken back', async (t) => {
    const [tenant, again, recovered, integration_id] = [uuidv4(), uuidv4(), uuidv4(), uuidv4()]
    const event = (incident_id: string, ver: number, change: Records['IncidentEvent']['change'], minutes: number, fields = {}) => {
      const at = from + minutes * MINUTE
      const about = { tenant_id: tenant, incident_id, ver, opened_at: from, started_at: from, updated_at: at }
      const incident = record('Incident', { ...about, source_kind: 'inbound', source_type: 'grafana', integration_id, ...fields })
      return record('IncidentEvent', { event_id: uuidv4(), tenant_id: tenant, incident_id, ver, change, at, incident })
    }
    const [late, over] = [{ acknowledged_at: from + 65 * MINUTE }, { resolved_at: from + 4 * MINUTE, resolution_reason: 'recovered' }]
    const events = [
      event(again, 1, 'created', 0),
      event(again, 2, 'acknowledged', 2, { acknowledged_at: from + 2 * MINUTE }),
      event(again, 3, 'unacknowledged', 62),
      event(again, 4, 'acknowledged', 65, late),
      event(recovered, 1, 'created', 0),
      event(recovered, 2, 'acknowledged', 1, { acknowledged_at: from + MINUTE }),
      event(recovered, 3, 'unacknowledged', 3),
      event(recovered, 4, 'resolved', 4, { ...over, status: 'resolved' })
    ]
    await put('incident_events', tables.incident_events.row, ...events)
    await put('incidents', tables.incidents.row, ...events)
    const asked = { from, to: from + DAY, sight: 'all' as const }
    t.match(await ask('incidents', tenant, { ...asked, bucket: 'all' }), [{ opened: 2, acknowledged: 2, mtta_avg: 90 }])
    t.match(await ask('noise', tenant, { ...asked, limit: 10 }), [{ incidents: 2, acknowledged: 2, noise: 0 }])
  })

  t.test('alerts and noise are counted for each source', async (t) => {
    const tenant = uuidv4()
    const [noisy, quiet, monitor_id] = [uuidv4(), uuidv4(), uuidv4()]
    const incident = (minutes: number, fields: Partial<Records['Incident']>): Records['IncidentEvent'] => {
      const opened_at = from + minutes * MINUTE
      const about = { tenant_id: tenant, incident_id: uuidv4(), opened_at, started_at: opened_at, updated_at: opened_at }
      return record('IncidentEvent', { incident: record('Incident', { ...about, ...fields }) })
    }
    const over = (minutes: number) =>
      ({ status: 'resolved', resolution_reason: 'recovered', resolved_at: from + minutes * MINUTE }) as const
    const inbound = (integration_id: string) => ({ source_kind: 'inbound', source_type: 'grafana', integration_id }) as const
    await put(
      'incidents',
      tables.incidents.row,
      incident(10, { ...inbound(noisy), ...over(14) }),
      incident(20, { ...inbound(noisy), ...over(25) }),
      incident(30, { ...inbound(noisy), ...over(36) }),
      incident(40, { ...inbound(noisy), ...over(41), acknowledged_at: from + 40.5 * MINUTE }),
      incident(50, { ...inbound(noisy), ...over(51), resolution_reason: 'user' }),
      incident(60, { ...inbound(noisy), resolution_reason: 'merged' }),
      incident(15, { source_kind: 'monitor', monitor_id, visibility: 'private', team_id: 'red' })
    )
    const alert = (integration_id: string, action: 'fire' | 'resolve', by_former_key = false) => {
      const at = { received_at: from + HOUR, occurred_at: from + HOUR, retention_days: 395 }
      return record('InboundAlert', {
        event_id: uuidv4(),
        tenant_id: tenant,
        integration_id,
        source: 'grafana',
        action,
        by_former_key,
        ...at
      })
    }
    await put(
      'alert_ingest',
      tables.alert_ingest.row,
      alert(noisy, 'fire'),
      alert(noisy, 'fire'),
      alert(noisy, 'resolve'),
      alert(noisy, 'resolve', true),
      alert(quiet, 'fire')
    )
    const asked = { from, to: from + DAY, limit: 10, sight: { own: [], hidden: [] } }
    const counts = { recoveries: 0, acknowledged: 0, noise: 0 }
    t.same(await ask('noise', tenant, asked), [
      { kind: 'inbound', type: 'grafana', id: noisy, alerts: 2, recoveries: 1, incidents: 5, acknowledged: 1, noise: 2 },
      { ...counts, kind: 'inbound', type: 'grafana', id: quiet, alerts: 1, incidents: 0 }
    ])
    t.match(
      (await ask('noise', tenant, { ...asked, sight: 'all' })).map(({ kind, id }) => [kind, id]),
      [
        ['inbound', noisy],
        ['monitor', monitor_id],
        ['inbound', quiet]
      ],
      'whoever sees every team sees all of it'
    )
    t.equal((await ask('noise', tenant, { ...asked, limit: 1 })).length, 1)
    // Of the hour in which the span begins, only the single alerts can say which are part of it.
    const late = { ...asked, from: from + HOUR + MINUTE }
    t.same((await ask('noise', tenant, late)).length, 0)
    t.match(await ask('noise', tenant, { ...late, from: from + HOUR, to: from + HOUR + 1 }), [{ id: noisy, alerts: 2 }, { id: quiet }])
    await engine.command(`DELETE FROM alert_ingest WHERE tenant_id = '${tenant}'`)
    t.match(
      await ask('noise', tenant, asked),
      [
        { id: noisy, alerts: 2, recoveries: 1, incidents: 5 },
        { id: quiet, alerts: 1, incidents: 0 }
      ],
      'single alerts are gone, and still count'
    )
    t.same(await ask('noise', tenant, { ...asked, from: from + DAY, to: from + 2 * DAY }), [])
  })
})
