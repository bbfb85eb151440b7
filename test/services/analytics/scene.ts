/**
 * Topics of the test's own with known content, a sink over an engine, and the ledger that every
 * table is compared with.
 */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { RecordName, Records } from '../../../schemas/generated/events.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { columnsOf } from '../../../services/analytics/columns.ts'
import type { Engine } from '../../../services/analytics/engine.ts'
import { formBatch, learn, sinkTopicNames } from '../../../services/analytics/forming.ts'
import { REV } from '../../../services/analytics/rows.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { readLogState } from '../../../streams/runtime/connect.ts'
import { createTopics, deleteTopics } from '../../../streams/runtime/create-topics.ts'
import { groupOffsets } from '../../../streams/runtime/intents.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import { runSink, type Sink, type SinkOptions } from '../../../streams/runtime/sink.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { engines, type Teardown } from '../../harness/engines.ts'
import { record } from '../../harness/records.ts'
import { until } from '../../harness/until.ts'
import { type TestMetrics, testLog, testMetrics } from '../../streams/runtime/support.ts'
import { read } from './stand.ts'

export const GROUP = 'analytics'
export const codec = localCodec()

export interface Started {
  sink: Sink
  metrics: TestMetrics
  fatals: { reason: string; error: unknown }[]
  close(): Promise<void>
}

export interface Scene {
  prefix: string
  append(records: readonly OutRecord[]): Promise<void>
  run(engine: Engine, more?: Partial<SinkOptions>): Promise<Started>
  /**
   * Waits until everything that is on the log now has been inserted, or something fatal happens.
   */
  drained(started: Started): Promise<void>
  /** Number of partitions whose announced batch is not finished. */
  announced(): Promise<number>
}

/**
 * `topics`: the topics that exist; the sink reads no others. `prefix`: the prefix of an earlier
 * scene.
 */
export async function scene(
  t: Teardown,
  topics: readonly TopicName[] = sinkTopicNames,
  prefix = `test${randomBytes(5).toString('hex')}-`
): Promise<Scene> {
  const { kafkaBrokers: brokers } = engines()
  const log = testLog()
  const client = { brokers, clientId: 'sink-test', topicPrefix: prefix, prefix, log }
  await createTopics(client, topics)
  t.teardown(() => deleteTopics(client, topics))
  const batcher = createBatcher(new Producer(client))
  t.teardown(() => batcher.close())
  const { clusterId } = await readLogState(client)
  const started: Started[] = []
  t.teardown(() => Promise.all(started.map((one) => one.close())))
  return {
    prefix,
    append: (records) => batcher.append(records.map((one) => ({ ...one, topic: (prefix + one.topic) as TopicName }))),
    async run(engine, more = {}) {
      const metrics = testMetrics()
      const fatals: Started['fatals'] = []
      const sink = await runSink({
        ...client,
        group: GROUP,
        topics,
        sessionTimeoutMs: 2000,
        clusterId,
        rev: REV,
        metrics,
        begin: () => formBatch(codec, () => undefined),
        prepare: (records) => learn(codec, records),
        insert: ({ table, body }, token) => engine.insert(table, columnsOf(table), body, token),
        trickleMs: 600,
        onFatal: (reason, error) => void fatals.push({ reason, error }),
        ...more
      })
      let closed: Promise<void> | null = null
      const one: Started = {
        sink,
        metrics,
        fatals,
        close: () => {
          closed ??= sink.close()
          return closed
        }
      }
      started.push(one)
      return one
    },
    async drained({ sink, fatals }) {
      const now = Date.now()
      await until(
        'everything to be inserted',
        () => {
          if (fatals[0]) throw new Error(`fatal: ${fatals[0].reason}`, { cause: fatals[0].error })
          return topics.every((topic) => (sink.completeUntil(topic) ?? 0) > now)
        },
        40_000
      )
    },
    async announced() {
      const offsets = groupOffsets(client, prefix + GROUP)
      try {
        let count = 0
        for (const topic of topics) count += (await offsets.fetch(prefix + topic)).filter(({ intent }) => intent !== null).length
        return count
      } finally {
        offsets.close()
      }
    }
  }
}

function fact<N extends RecordName>(topic: TopicName, key: string, name: N, fields: Partial<Records[N]>): OutRecord {
  return { topic, key, value: codec.encode(name, record(name, fields)) }
}

export interface Ledger {
  tenant_id: string
  records: OutRecord[]
  /** Rows by table. */
  rows: Record<string, number>
  /** Number of distinct (monitor, region, seq), and how many of them were ok. */
  checks: number
  checksOk: number
}

/**
 * Makes facts of one workspace on every topic of the sink, with ticks between them and results that
 * a prober repeated.
 */
export function content(topics: readonly TopicName[] = sinkTopicNames, scale = 1): Ledger {
  const tenant_id = uuidv4()
  const now = Date.now()
  const monitors = [uuidv4(), uuidv4(), uuidv4()]
  const records: OutRecord[] = []
  const rows: Record<string, number> = {}
  const put = (table: string, one: OutRecord): void => {
    if (!topics.includes(one.topic)) return
    records.push(one)
    rows[table] = (rows[table] ?? 0) + 1
  }
  let [checks, checksOk] = [0, 0]
  for (let n = 0; n < 100 * scale; n++) {
    const at = now - 3_600_000 + n * 20_000
    for (const [m, monitor_id] of monitors.entries()) {
      const ok = (n + m) % 10 !== 0
      const fields = {
        event_id: uuidv4(),
        tenant_id,
        monitor_id,
        region: ['eu', 'us', 'ap'][n % 3] ?? 'eu',
        seq: at,
        scheduled_at: at,
        checked_at: at + 5,
        finished_at: at + 50,
        received_at: at + 60,
        ok,
        outcome: ok ? ('success' as const) : ('failure' as const)
      }
      put('check_results', fact('checks.results.v1', monitor_id, 'CheckResult', fields))
      checks += 1
      if (ok) checksOk += 1
      // The prober repeats this result, because it did not get the acknowledgement.
      if (n % 25 === 3) put('check_results', fact('checks.results.v1', monitor_id, 'CheckResult', fields))
    }
    if (n % 10 === 0) {
      for (let partition = 0; partition < 12; partition++) {
        const tick = { key: 'clock', partition, value: codec.encode('Tick', { t: now + n, boot: 'b' }), headers: { event_type: 'tick' } }
        for (const topic of ['checks.results.v1', 'heartbeat.pings.v1'] as const)
          if (topics.includes(topic)) records.push({ ...tick, topic })
      }
    }
  }
  for (let n = 0; n < 20 * scale; n++) {
    const [id, other] = [uuidv4(), uuidv4()]
    const at = now - n * 1000
    const own = { event_id: uuidv4(), tenant_id }
    put('heartbeat_pings', fact('heartbeat.pings.v1', id, 'HeartbeatPing', { ...own, heartbeat_id: id, received_at: at }))
    put(
      'alert_ingest',
      fact('alerts.inbound.v1', id, 'InboundAlert', { ...own, integration_id: id, received_at: at, occurred_at: at, dedup_key: other })
    )
    put('alerts_raw', fact('alerts.raw.v1', id, 'RawAlert', { ...own, integration_id: id, received_at: at }))
    const ended = { captured_at: at, received_at: at }
    put('check_captures', fact('checks.captures.v1', `${tenant_id}|${id}`, 'CheckCapture', { ...own, monitor_id: id, ...ended }))
    put('monitor_transitions', fact('monitor.transitions.v1', id, 'MonitorTransition', { ...own, monitor_id: id, at }))
    put('heartbeat_transitions', fact('heartbeat.transitions.v1', id, 'HeartbeatTransition', { ...own, heartbeat_id: id, at }))
    const incident = record('Incident', { incident_id: id, tenant_id, opened_at: at, started_at: at, updated_at: at })
    put('incident_events', fact('incident.events.v1', id, 'IncidentEvent', { ...own, incident_id: id, at, incident }))
    if (topics.includes('incident.events.v1')) rows.incidents = (rows.incidents ?? 0) + 1
    const alert = { ...record('AlertEvent').alert, tenant_id, alert_id: id, opened_at: at }
    put('alert_events', fact('alert.events.v1', id, 'AlertEvent', { ...own, alert_id: id, at, alert }))
    put('notification_deliveries', fact('notification.deliveries.v1', id, 'Delivery', { ...own, delivery_id: id, at, queued_at: at }))
    put('maintenance_windows', fact('maintenance.windows.v1', id, 'MaintenanceWindow', { tenant_id, window_id: id, updated_at: at }))
    if (topics.includes('maintenance.windows.v1')) rows.maintenance_spans = (rows.maintenance_spans ?? 0) + 1
    put('ingest_usage', fact('ingest.usage.v1', tenant_id, 'UsageCounter', { ...own, window: at, at }))
  }
  return { tenant_id, records, rows, checks, checksOk }
}

/**
 * Checks that every table has each record of the ledger once, and that the rollups match the raw
 * rows.
 */
export async function exactlyOnce(t: Test, engine: Engine, ledger: Ledger): Promise<void> {
  const { tenant_id } = ledger
  for (const [table, count] of Object.entries(ledger.rows)) {
    const found = await read(
      engine,
      'SELECT count() AS plain, uniqExact(_p, _o) AS places FROM {table:Identifier} WHERE tenant_id = {tenant_id:UUID}',
      {
        table,
        tenant_id
      }
    )
    t.same(found, [{ plain: count, places: count }], table)
  }
  const [raw] = await read(
    engine,
    'SELECT uniqExact(monitor_id, region, seq) AS n, uniqExactIf((monitor_id, region, seq), r.ok) AS ok, countIf(r.ok) AS timed FROM check_results AS r WHERE tenant_id = {tenant_id:UUID}',
    { tenant_id }
  )
  t.match(raw, { n: ledger.checks, ok: ledger.checksOk }, 'checks of the ledger')
  for (const table of ['checks_1m', 'checks_1h', 'checks_1d']) {
    const [rollup] = await read(
      engine,
      'SELECT sum(n_cell) AS n, sum(ok_cell) AS ok, sum(timed_cell) AS timed FROM (SELECT uniqExactMerge(r.n) AS n_cell, uniqExactMerge(r.ok) AS ok_cell, sum(latency_n) AS timed_cell FROM {table:Identifier} AS r WHERE tenant_id = {tenant_id:UUID} GROUP BY monitor_id, region, bucket)',
      { table, tenant_id }
    )
    t.same(rollup, { n: raw?.n, ok: raw?.ok, timed: raw?.timed }, `${table} says what the raw rows say`)
  }
  const alerts = await read(engine, 'SELECT sum(fires) AS n FROM alerts_1h WHERE tenant_id = {tenant_id:UUID}', { tenant_id })
  t.same(alerts, [{ n: ledger.rows.alert_ingest ?? 0 }], 'alerts_1h counts each alert once')
}
