/** One record → one row: what the engine reads back is what the record said, and what no column holds is told apart before an insert. */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { columns, columnsOf, type TableName, tableNames } from '../../../services/analytics/columns.ts'
import * as rows from '../../../services/analytics/rows.ts'
import { Unfit } from '../../../services/analytics/tsv.ts'
import { ownEngine, read, record } from './stand.ts'

t.setTimeout(120_000)

const NOW = Date.now()
const source = { partition: 3, offset: 41n }
const nasty = 'tab\t newline\n return\r nul\0 quote\' double" back\\slash \\N ünïcode 🙂'

t.test('every table takes its row, whatever stands in its texts', async (t) => {
  const engine = await ownEngine(t)
  const [tenant_id, id] = [uuidv4(), uuidv4()]
  const lines: Record<TableName, string> = {
    check_results: rows.checkRow(
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
    heartbeat_pings: rows.pingRow(
      record('HeartbeatPing', { tenant_id, heartbeat_id: id, event_id: uuidv4(), received_at: NOW, body_excerpt: nasty, run_id: nasty }),
      source
    ),
    alert_ingest: rows.alertRow(
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
    alerts_raw: rows.rawAlertRow(
      record('RawAlert', { tenant_id, integration_id: id, received_at: NOW, reason: nasty, payload: Buffer.from(nasty) }),
      source
    ),
    ingest_usage: rows.usageRow(record('UsageCounter', { tenant_id, window: NOW, at: NOW, boot: nasty }), source),
    monitor_transitions: rows.monitorTransitionRow(
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
              response_time_ms: null
            }
          ]
        }
      }),
      source
    ),
    heartbeat_transitions: rows.heartbeatTransitionRow(record('HeartbeatTransition', { tenant_id, heartbeat_id: id, at: NOW }), source),
    incident_events: rows.incidentEventRow(record('IncidentEvent', { tenant_id, incident_id: id, at: NOW, comment: nasty }), source),
    incidents: rows.incidentRow(
      record('IncidentEvent', {
        incident: record('Incident', { tenant_id, incident_id: id, title: nasty, started_at: NOW, opened_at: NOW, updated_at: NOW })
      }),
      source
    ),
    notification_deliveries: rows.deliveryRow(record('Delivery', { tenant_id, delivery_id: id, at: NOW, queued_at: NOW }), source),
    maintenance_windows: rows.windowRow(
      record('MaintenanceWindow', {
        tenant_id,
        window_id: id,
        scope: { all: false, monitor_ids: ['a', nasty], heartbeat_ids: [], group_ids: [], integration_ids: [], tags: [nasty] },
        spans: [{ starts_at: NOW, ends_at: NOW + 1 }],
        updated_at: NOW
      }),
      source
    ),
    rejected: rows.rejectedRow({ topic: nasty, at: NOW, reason: 'decode', error: nasty, bytes: 9 }, source)
  }
  for (const table of tableNames) {
    await engine.insert(table, columnsOf(table), Buffer.from(lines[table]), table)
    const [row] = await read(engine, `SELECT ${columns[table]} FROM {table:Identifier}`, { table })
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
})

t.test('a payload that is no text is kept as base64', async (t) => {
  const line = rows.rawAlertRow(record('RawAlert', { received_at: NOW, payload: Buffer.from([0xff, 0xfe, 0x00]) }), source)
  t.match(line, /\tbase64\t\/\/4A\t/)
})

t.test('what no column holds is no row', async (t) => {
  const cases: [string, () => string][] = [
    ['an id that is none', () => rows.checkRow(record('CheckResult', { tenant_id: 'acme' }), source)],
    ['an instant after 2100', () => rows.checkRow(record('CheckResult', { checked_at: 9e15 }), source)],
    ['an instant before 1970', () => rows.pingRow(record('HeartbeatPing', { received_at: -1 }), source)],
    [
      'a negative duration',
      () => rows.checkRow(record('CheckResult', { timings_ms: { ...record('CheckResult', {}).timings_ms, total: -2 } }), source)
    ],
    [
      'a duration that is no number',
      () => rows.checkRow(record('CheckResult', { timings_ms: { ...record('CheckResult', {}).timings_ms, dns: Number.NaN } }), source)
    ],
    ['retention without end', () => rows.checkRow(record('CheckResult', { retention_days: 1e6 }), source)],
    ['a tombstone without a workspace', () => rows.deletedWindowRow({ tenant_id: '', window_id: uuidv4(), ver: 1, at: NOW }, source)]
  ]
  for (const [name, make] of cases) t.throws(make, Unfit, name)
})
