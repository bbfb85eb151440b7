/**
 * Compares the log with the tables of ClickHouse: every fact and event is there once, and rollups
 * add up to their rows.
 */
import { join } from 'node:path'
import type { TopicName } from '../../schemas/topics.ts'
import { openEngine } from '../../services/analytics/engine.ts'
import type { Verdicts } from './checks.ts'
import type { ReadBack } from './readback.ts'

/**
 * Facts by topic, where each offset is a row; events by topic, where each event is a row however
 * often the relay sent it.
 */
const FACTS = {
  'checks.results.v1': 'check_results',
  'heartbeat.pings.v1': 'heartbeat_pings',
  'alerts.inbound.v1': 'alert_ingest'
} as const
const EVENTS = {
  'monitor.transitions.v1': { table: 'monitor_transitions', id: 'monitor_id' },
  'heartbeat.transitions.v1': { table: 'heartbeat_transitions', id: 'heartbeat_id' },
  'incident.events.v1': { table: 'incident_events', id: 'incident_id' },
  'alert.events.v1': { table: 'alert_events', id: 'alert_id' }
} as const
const FACT_RECORDS = ['CheckResult', 'HeartbeatPing', 'InboundAlert']

/** Length of a bucket, ms. */
const ROLLUPS = { checks_1m: 60_000, checks_1h: 3_600_000, checks_1d: 86_400_000 } as const
type Rollup = keyof typeof ROLLUPS
const rollups = Object.keys(ROLLUPS) as Rollup[]

export interface Expected {
  /** Table → `partition:offset` of each fact. */
  facts: Map<string, Set<string>>
  /** Table → event ids. */
  events: Map<string, Set<string>>
  /** Table → distinct results. A result that was checked again counts in each of its buckets. */
  results: Record<Rollup, Set<string>>
  /** run_id of every ping on the log. */
  runs: Set<string>
  /** Transitions to missed, and to down. */
  missed: string[]
  down: string[]
}

/** `mayFail`: monitors that are down on purpose. */
export async function expectedOf(log: ReadBack, mayFail: ReadonlySet<string> = new Set()): Promise<Expected> {
  const results = { checks_1m: new Set<string>(), checks_1h: new Set<string>(), checks_1d: new Set<string>() }
  const expected: Expected = { facts: new Map(), events: new Map(), results, runs: new Set(), missed: [], down: [] }
  for (const [topic, table] of Object.entries(FACTS)) {
    const places = new Set<string>()
    for (const { value, partition, offset } of await log.read(topic as TopicName)) {
      if (!value) continue
      const decoded = log.codec.decodeAny(value)
      if (!FACT_RECORDS.includes(decoded.record)) continue
      places.add(`${partition}:${offset}`)
      if (decoded.record === 'CheckResult') {
        const { monitor_id, region, seq, checked_at } = decoded.value
        for (const table of rollups) results[table].add(`${monitor_id} ${region} ${seq} ${Math.floor(checked_at / ROLLUPS[table])}`)
      }
      if (decoded.record === 'HeartbeatPing' && decoded.value.run_id) expected.runs.add(decoded.value.run_id)
    }
    expected.facts.set(table, places)
  }
  for (const [topic, { table }] of Object.entries(EVENTS)) {
    const ids = new Set<string>()
    for (const { value, partition, offset } of await log.read(topic as TopicName)) {
      if (!value) continue
      const { record, value: event } = log.codec.decodeAny(value)
      if ('event_id' in event) ids.add(String(event.event_id))
      const place = `${topic}:${partition}:${offset}`
      if (record === 'HeartbeatTransition' && event.status === 'missed' && event.previous_status !== 'missed') expected.missed.push(place)
      if (record === 'MonitorTransition' && event.status === 'down' && event.previous_status !== 'down' && !mayFail.has(event.monitor_id))
        expected.down.push(place)
    }
    expected.events.set(table, ids)
  }
  return expected
}

/** Opens the engine's folder, so analytics must have ended. */
export async function compareTables(dataDir: string, expected: Expected): Promise<Verdicts> {
  const engine = openEngine({ path: join(dataDir, 'clickhouse') })
  const violations: string[] = []
  const counts: Verdicts['counts'] = {}
  const ask = async (sql: string): Promise<Record<string, number>> =>
    (JSON.parse(await engine.query(sql, {}, { timeMs: 60_000, maxRows: 10 })) as Record<string, number>[])[0] ?? {}
  try {
    for (const [table, places] of expected.facts) {
      const { n, uniq } = await ask(`SELECT count() AS n, uniqExact(_p, _o) AS uniq FROM ${table}`)
      counts[table] = `${n} rows, ${uniq} distinct, ${places.size} on the log`
      if (n !== places.size || uniq !== places.size) violations.push(`${table}: ${counts[table]}`)
    }
    for (const { table, id } of Object.values(EVENTS)) {
      const ids = expected.events.get(table) ?? new Set()
      const { n, uniq } = await ask(
        `SELECT (SELECT count() FROM ${table} FINAL) AS n, (SELECT uniqExact(${id}, ver) FROM ${table}) AS uniq`
      )
      counts[table] = `${n} rows, ${uniq} distinct, ${ids.size} on the log`
      if (n !== ids.size || uniq !== ids.size) violations.push(`${table}: ${counts[table]}`)
    }
    for (const table of rollups) {
      const { size } = expected.results[table]
      const { n, timed } = await ask(
        `SELECT sum(m) AS n, sum(t) AS timed FROM (SELECT uniqExactMerge(n) AS m, sum(latency_n) AS t FROM ${table} GROUP BY tenant_id, monitor_id, bucket, region)`
      )
      const raw = await ask('SELECT countIf(ok AND total_ms >= 0) AS timed FROM check_results')
      counts[table] = `${n} results, ${timed} timed; raw ${size} and ${raw.timed}`
      if (n !== size || timed !== raw.timed) violations.push(`${table}: ${counts[table]}`)
    }
    const { n: rejected } = await ask('SELECT count() AS n FROM rejected')
    counts.rejected = rejected ?? 0
    if (rejected !== 0) violations.push(`${rejected} rejected records`)
    return { counts, violations }
  } finally {
    await engine.close()
  }
}
