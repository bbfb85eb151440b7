/**
 * One record → one row: the engine reads back what the record contained, and values that a column
 * cannot hold are detected before an insert.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { columnsOf, type TableName, tableNames } from '../../../services/analytics/columns.ts'
import { deletedWindowRow, tables } from '../../../services/analytics/rows.ts'
import { Unfit } from '../../../services/analytics/tsv.ts'
import { spanRows } from '../../../services/analytics/window-spans.ts'
import { record } from '../../harness/records.ts'
import { ownEngine, read } from './stand.ts'

t.setTimeout(120_000)

const NOW = Date.now()
const source = { partition: 3, offset: 41n }
const nasty = 'tab\t newline\n return\r nul\0 quote\' double" back\\slash \\N ünïcode 🙂'

t.test('every table stores any characters in its texts', async (t) => {
  const engine = await ownEngine(t)
  const [tenant_id, id] = [uuidv4(), uuidv4()]
  const lines: Record<TableName, string> = {
    check_results: tables.check_results.row(
      record('CheckResult', {
        tenant_id,
        monitor_id: id,
        event_id: uuidv4(),
        region: nasty,
        message: nasty,
        prober: nasty,
        seq: NOW,
        scheduled_at: NOW,
        checked_at: NOW + 7,
        finished_at: NOW + 70,
        received_at: NOW + 700,
        assertions: [{ index: 0, ok: false, actual: nasty, message: null }],
        timings_ms: { dns: null, connect: 0.1234, tls: null, request: null, first_byte: null, download: null, total: 1500.5 }
      }),
      source
    ),
    heartbeat_pings: tables.heartbeat_pings.row(
      record('HeartbeatPing', { tenant_id, heartbeat_id: id, event_id: uuidv4(), received_at: NOW, body_excerpt: nasty, run_id: nasty }),
      source
    ),
    alert_ingest: tables.alert_ingest.row(
      record('InboundAlert', {
        tenant_id,
        integration_id: id,
        received_at: NOW,
        occurred_at: NOW,
        title: nasty,
        dedup_key: nasty,
        labels: { [nasty]: nasty },
        links: [{ title: nasty, url: 'https://x.example/' }]
      }),
      source
    ),
    alerts_raw: tables.alerts_raw.row(
      record('RawAlert', { tenant_id, integration_id: id, received_at: NOW, reason: nasty, payload: Buffer.from(nasty) }),
      source
    ),
    check_captures: tables.check_captures.row(
      record('CheckCapture', {
        tenant_id,
        monitor_id: id,
        event_id: uuidv4(),
        region: nasty,
        prober: nasty,
        captured_at: NOW,
        received_at: NOW,
        status_text: nasty,
        headers: [{ name: nasty, value: nasty }],
        body_kind: 'text',
        body: nasty
      }),
      source
    ),
    ingest_usage: tables.ingest_usage.row(record('UsageCounter', { tenant_id, window: NOW, at: NOW, boot: nasty }), source),
    monitor_transitions: tables.monitor_transitions.row(
      record('MonitorTransition', {
        tenant_id,
        monitor_id: id,
        at: NOW,
        message: nasty,
        vote: {
          configured: 1,
          fresh: 1,
          down: 1,
          up: 0,
          needed: 1,
          regions: [
            {
              region: nasty,
              state: 'down',
              fresh: true,
              streak: 1,
              last_seq: 1,
              last_at: NOW,
              since: NOW,
              reason: null,
              status_code: null,
              response_time_ms: null,
              failures: 0,
              down_by: null,
              advisory: false
            }
          ]
        }
      }),
      source
    ),
    heartbeat_transitions: tables.heartbeat_transitions.row(
      record('HeartbeatTransition', { tenant_id, heartbeat_id: id, at: NOW }),
      source
    ),
    incident_events: tables.incident_events.row(record('IncidentEvent', { tenant_id, incident_id: id, at: NOW, comment: nasty }), source),
    incidents: tables.incidents.row(
      record('IncidentEvent', {
        incident: record('Incident', { tenant_id, incident_id: id, title: nasty, started_at: NOW, opened_at: NOW, updated_at: NOW })
      }),
      source
    ),
    alert_events: tables.alert_events.row(
      record('AlertEvent', {
        tenant_id,
        alert_id: id,
        at: NOW,
        comment: nasty,
        alert: { ...record('AlertEvent').alert, dedup_key: nasty, title: nasty, source_type: nasty, opened_at: NOW }
      }),
      source
    ),
    notification_deliveries: tables.notification_deliveries.row(
      record('Delivery', { tenant_id, delivery_id: id, at: NOW, queued_at: NOW }),
      source
    ),
    maintenance_windows: tables.maintenance_windows.row(
      record('MaintenanceWindow', {
        tenant_id,
        window_id: id,
        scope: { all: false, monitor_ids: ['a', nasty], heartbeat_ids: [], group_ids: [], integration_ids: [], tags: [nasty] },
        spans: [{ starts_at: NOW, ends_at: NOW + 1 }],
        updated_at: NOW
      }),
      source
    ),
    maintenance_spans: tables.maintenance_spans.row(
      {
        tenant_id,
        window_id: id,
        valid_from: NOW,
        ver: 1,
        excluded: true,
        scope: { all: false, monitor_ids: ['a', nasty], heartbeat_ids: [], group_ids: [], tags: [nasty] },
        span: { starts_at: 0, ends_at: 0 }
      },
      source
    ),
    rejected: tables.rejected.row({ topic: nasty, at: NOW, reason: 'decode', error: nasty, bytes: 9 }, source)
  }
  for (const table of tableNames) {
    await engine.insert(table, columnsOf(table), Buffer.from(lines[table]), table)
    const [row] = await read(engine, `SELECT ${columnsOf(table).join()} FROM {table:Identifier}`, { table })
    t.match(row, { _p: 3, _o: 41 }, table)
    t.equal(lines[table].split('\t').length, columnsOf(table).length, `${table} has a value for each column`)
    for (const [name, value] of Object.entries(row ?? {}))
      if (typeof value === 'string' && value.startsWith('tab')) t.equal(value, nasty, `${table}.${name}`)
  }
  t.match(
    await read(
      engine,
      'SELECT region, message, assertions, connect_ms, total_ms, dns_ms, toUnixTimestamp64Milli(checked_at) AS at FROM check_results'
    ),
    [{ region: nasty, message: nasty, connect_ms: 0.123, total_ms: 1500.5, dns_ms: -1, at: NOW + 7 }]
  )
  t.match(await read(engine, 'SELECT monitor_ids, tags FROM maintenance_windows'), [{ monitor_ids: ['a', nasty], tags: [nasty] }])
  t.match(await read(engine, 'SELECT mapKeys(votes) AS regions FROM monitor_transitions'), [{ regions: [nasty] }])
  t.same(await read(engine, 'SELECT labels, links FROM alert_ingest'), [
    { labels: { [nasty]: nasty }, links: JSON.stringify([{ title: nasty, url: 'https://x.example/' }]) }
  ])
  t.match(await read(engine, 'SELECT payload, encoding FROM alerts_raw'), [{ payload: nasty, encoding: 'utf8' }])
  t.match(await read(engine, 'SELECT body, status_text, headers FROM check_captures'), [
    { body: nasty, status_text: nasty, headers: JSON.stringify([{ name: nasty, value: nasty }]) }
  ])
})

t.test('an incident is what its last change says, also when Postgres was restored and versions began again', async (t) => {
  const engine = await ownEngine(t)
  const [tenant_id, incident_id] = [uuidv4(), uuidv4()]
  let nth = 0
  const put = async (ver: number, updated_at: number, title: string): Promise<void> => {
    const incident = record('Incident', { tenant_id, incident_id, ver, updated_at, started_at: NOW, opened_at: NOW, title })
    const line = tables.incidents.row(record('IncidentEvent', { incident }), source)
    await engine.insert('incidents', columnsOf('incidents'), Buffer.from(line), `incident-${nth++}`)
  }
  const shown = async (): Promise<unknown> => (await read(engine, 'SELECT title FROM incidents FINAL'))[0]?.title
  await put(8, NOW, 'eighth')
  await put(7, NOW, 'seventh')
  t.equal(await shown(), 'eighth', 'of one time, the highest version')
  await put(1, NOW - 60_000, 'first')
  t.equal(await shown(), 'eighth', 'what the relay sends again is older')
  await put(2, NOW + 1, 'resolved after the restore')
  t.equal(await shown(), 'resolved after the restore')
})

t.test('times of the first years after 1970 are stored', async (t) => {
  const engine = await ownEngine(t)
  const times = [0, 7, 9_123, 99_000, 999_001, 1_234_567, 12_345_678, 12_345_678_901, 99_999_999_999, 123_456_789_012]
  const lines = times.map((checked_at) => tables.check_results.row(record('CheckResult', { checked_at, received_at: NOW }), source))
  await engine.insert('check_results', columnsOf('check_results'), Buffer.from(lines.join('')), 'early')
  const stored = await read(engine, 'SELECT toUnixTimestamp64Milli(checked_at) AS at FROM check_results ORDER BY at')
  t.same(
    stored.map(({ at }) => at),
    times
  )
})

t.test('a payload that is not text is stored as base64', async (t) => {
  const line = tables.alerts_raw.row(record('RawAlert', { received_at: NOW, payload: Buffer.from([0xff, 0xfe, 0x00]) }), source)
  t.match(line, /\tbase64\t\/\/4A\t/)
})

t.test('a record with a value that no column can hold is refused', async (t) => {
  const cases: [string, () => string][] = [
    ['an id that is none', () => tables.check_results.row(record('CheckResult', { tenant_id: 'acme' }), source)],
    ['an instant after 2100', () => tables.check_results.row(record('CheckResult', { checked_at: 9e15 }), source)],
    ['an instant before 1970', () => tables.heartbeat_pings.row(record('HeartbeatPing', { received_at: -1 }), source)],
    [
      'a negative duration',
      () => tables.check_results.row(record('CheckResult', { timings_ms: { ...record('CheckResult', {}).timings_ms, total: -2 } }), source)
    ],
    [
      'a duration that is no number',
      () =>
        tables.check_results.row(
          record('CheckResult', { timings_ms: { ...record('CheckResult', {}).timings_ms, dns: Number.NaN } }),
          source
        )
    ],
    ['retention without end', () => tables.check_results.row(record('CheckResult', { retention_days: 1e6 }), source)],
    ['a tombstone without a workspace', () => deletedWindowRow({ tenant_id: '', window_id: uuidv4(), ver: 1, at: NOW }, source)]
  ]
  for (const [name, make] of cases) t.throws(make, Unfit, name)
})

/** Values of a line by column. */
const byColumn = (table: TableName, line: string): Record<string, string> => {
  const values = line.trimEnd().split('\t')
  return Object.fromEntries(columnsOf(table).map((name, at) => [name, values[at] ?? 'none']))
}

t.test('each field of a check result is stored in its own column', async (t) => {
  const [tenant_id, monitor_id, event_id] = [uuidv4(), uuidv4(), uuidv4()]
  const check = record('CheckResult', {
    tenant_id,
    monitor_id,
    event_id,
    region: 'r',
    seq: 1,
    checked_at: 2,
    scheduled_at: 3,
    finished_at: 4,
    received_at: 5,
    kind: 'on_demand',
    count: false,
    skewed: true,
    attempts: 6,
    outcome: 'failure',
    ok: false,
    reason: 'timeout',
    message: 'm',
    status_code: 7,
    timings_ms: { dns: 8, connect: 9, tls: 10, request: 11, first_byte: 12, download: 13, total: 14 },
    response_bytes: 15,
    assertions: [],
    certificate_not_after: 16,
    certificate_issuer: 'i',
    certificate_chain_ok: true,
    domain_expires_at: 17,
    config_version: 18,
    prober: 'p',
    prober_version: 'v',
    team_id: 't',
    visibility: 'private',
    retention_days: 19
  })
  t.same(byColumn('check_results', tables.check_results.row(check, source)), {
    tenant_id,
    monitor_id,
    region: 'r',
    seq: '1',
    checked_at: '0000000000.002',
    scheduled_at: '0000000000.003',
    finished_at: '0000000000.004',
    received_at: '0000000000.005',
    check_id: event_id,
    kind: 'on_demand',
    counted: 'false',
    skewed: 'true',
    attempts: '6',
    outcome: 'failure',
    ok: 'false',
    reason: 'timeout',
    message: 'm',
    status_code: '7',
    dns_ms: '8',
    connect_ms: '9',
    tls_ms: '10',
    request_ms: '11',
    first_byte_ms: '12',
    download_ms: '13',
    total_ms: '14',
    response_bytes: '15',
    assertions: '',
    certificate_not_after: '16',
    certificate_issuer: 'i',
    certificate_chain_ok: '1',
    domain_expires_at: '17',
    config_version: '18',
    prober: 'p',
    prober_version: 'v',
    team_id: 't',
    visibility: 'private',
    retention_class: '30',
    expires_at: String(19 * 86_400),
    _p: '3',
    _o: '41'
  })
})

t.test('a maintenance window and its tombstone write the same columns', async (t) => {
  const window_id = uuidv4()
  const line = deletedWindowRow({ tenant_id: window_id, window_id, ver: 7, at: NOW }, source)
  t.match(byColumn('maintenance_windows', line), {
    window_id,
    ver: '7',
    deleted: 'true',
    state: 'cancelled',
    ends: '[]',
    _p: '3',
    _o: '41'
  })
  const window = record('MaintenanceWindow', { window_id, ver: 6, schedule_kind: 'once', starts_at: 1, ends_at: 2, spans: [] })
  const row = byColumn('maintenance_windows', tables.maintenance_windows.row(window, source))
  t.match(row, { window_id, ver: '6', deleted: 'false', starts: '[1]', ends: '[2]', _p: '3', _o: '41' })
  const [head, ...spans] = spanRows(window)
  t.match(head, { ver: 6, excluded: true, scope: window.scope, span: { starts_at: 0, ends_at: 0 } })
  t.match(spans, [{ ver: 6, scope: { all: false, monitor_ids: [] }, span: { starts_at: 1, ends_at: 2 } }])
  t.equal(spanRows({ ...window, count_in_uptime: true })[0]?.excluded, false)
})
