/**
 * Two small processors, one of each kind, for the tests of the loop. Both count and add up the
 * amounts of BudgetConfig records by key. They also leave a trace of each record that is not made
 * unique, so that a record that is folded twice, or not at all, shows.
 *
 * Amounts below 100 are orders: QUIET changes nothing, THROWS makes the fold throw, REFUSED is
 * refused, NUL writes text that Postgres does not accept, HUGE sends a record that no topic
 * accepts.
 */

import type { Pool } from 'pg'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { effectWrites } from '../../../services/store/effects.ts'
import { createPool } from '../../../services/store/pool.ts'
import type { Input, JobChange, KeyProcessor, Outcome, Outgoing, PartitionProcessor, Refusal } from '../../../streams/define.ts'
import type { Tx } from '../../../streams/runtime/offsets.ts'
import {
  bindKey,
  bindPartition,
  type KeyStore,
  type Running,
  type RunOptions,
  runProcessor,
  type Work
} from '../../../streams/runtime/run.ts'
import type { InRecord, OutRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { type TestLog, type TestMetrics, testLog, testMetrics } from './support.ts'

export const TOPIC = 'ingest.usage.v1' // 6 partitions
export const QUIET = 0
export const THROWS = 13
export const REFUSED = 14
export const NUL = 98
export const HUGE = 99

export interface Sum {
  count: number
  sum: number
  note?: string
}

const NAMESPACE = '0f6d4bd0-6f31-5b3e-8d44-3e0f4a3b1a77'
export const codec = localCodec()
/** All records of a test file have one time, so that two scenes with the same records are equal. */
const AT = Date.now()

/** Makes a record for the log. `id` determines its event id. */
export const order = (id: string, tenant: number, amount: number, partition: number): OutRecord & { topic: typeof TOPIC } => {
  const tenant_id = uuidv5(NAMESPACE, `tenant ${tenant}`)
  const value = record('BudgetConfig', { event_id: uuidv5(NAMESPACE, id), tenant_id, at: 1_700_000_000_000, ceiling: amount })
  return { topic: TOPIC, partition, key: tenant_id, value: codec.encode('BudgetConfig', value), timestamp: AT }
}

/** What both folds do. */
function add(before: ReadonlyMap<string, Sum>, inputs: readonly Input[]): Outcome & { changed: Map<string, Sum>; seen: string[] } {
  const changed = new Map<string, Sum>()
  const outgoing: Outgoing[] = []
  const jobs: JobChange[] = []
  const refused: Refusal[] = []
  const seen: string[] = []
  for (const input of inputs) {
    if (input.record !== 'BudgetConfig') throw new Error(`unexpected ${input.record}`)
    const { tenant_id, event_id, ceiling } = input.value
    if (ceiling === QUIET) continue
    if (ceiling === THROWS) throw new Error('an amount that the fold cannot bear')
    if (ceiling === REFUSED) {
      refused.push({ input, reason: 'an amount that the fold refuses' })
      continue
    }
    const { count, sum } = changed.get(tenant_id) ?? before.get(tenant_id) ?? { count: 0, sum: 0 }
    changed.set(tenant_id, { count: count + 1, sum: sum + ceiling, ...(ceiling === NUL && { note: 'a\0b' }) })
    seen.push(event_id)
    const src = `${input.topic}:${input.partition}:${input.offset}`
    const common = {
      tenant_id,
      aggregate: `demo:${tenant_id}`,
      ver: Number(input.offset),
      key: tenant_id,
      event_id,
      event_type: 'demo',
      src
    }
    outgoing.push(
      ceiling === HUGE
        ? { ...common, topic: 'realtime.frames.v1', body: 'frame', json: 'x'.repeat(950_000), audience: 'tenant' }
        : { ...common, topic: TOPIC, body: 'record', record: 'BudgetConfig', value: input.value }
    )
    jobs.push({ start: 'demo', idem_key: event_id, tenant_id, run_at: 0, payload: { src } })
  }
  return { changed, outgoing, jobs, refused, seen }
}

export const partitionProcessor: PartitionProcessor<Sum> = {
  kind: 'byPartition',
  name: 'demo-partition',
  reads: [TOPIC],
  keeps: 'a sum per key',
  emits: [TOPIC, 'realtime.frames.v1', 'jobs'],
  fold: (state, inputs) => ({ ...add(state, inputs), kept: new Map(), notices: [], hints: [] })
}

export interface Saved {
  changed: ReadonlyMap<string, Sum>
  seen: readonly string[]
}
export const keyProcessor: KeyProcessor<ReadonlyMap<string, Sum>, Saved> = {
  kind: 'byKey',
  name: 'demo-key',
  reads: [TOPIC],
  keeps: 'a sum per key',
  emits: [TOPIC, 'realtime.frames.v1', 'jobs'],
  fold(loaded, inputs) {
    const { changed, outgoing, jobs, refused, seen } = add(loaded, inputs)
    return { saved: { changed, seen }, outgoing, jobs, refused }
  }
}

const keyOf = (input: Input): string => ('tenant_id' in input.value ? String(input.value.tenant_id) : '')

export const keyStore: KeyStore<ReadonlyMap<string, Sum>, Saved> = {
  async load(tx, inputs) {
    const keys = [...new Set(inputs.map(keyOf))].sort()
    await tx.query('INSERT INTO demo_rows SELECT key, 0, 0 FROM unnest($1::text[]) AS key ORDER BY key ON CONFLICT DO NOTHING', [keys])
    const { rows } = await tx.query('SELECT key, count, sum FROM demo_rows WHERE key = ANY ($1) ORDER BY key FOR UPDATE', [keys])
    return new Map(rows.map((row) => [row.key, { count: row.count, sum: row.sum }]))
  },
  async save(tx, { changed, seen }) {
    const rows = [...changed]
    await tx.query(
      'UPDATE demo_rows SET count = new.count, sum = new.sum, note = new.note FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS new (key, count, sum, note) WHERE demo_rows.key = new.key',
      [rows.map(([key]) => key), rows.map(([, row]) => row.count), rows.map(([, row]) => row.sum), rows.map(([, row]) => row.note ?? null)]
    )
    await tx.query('INSERT INTO demo_seen SELECT unnest($1::uuid[])', [seen])
  }
}

export type Kind = 'byPartition' | 'byKey'
export const kinds: readonly Kind[] = ['byPartition', 'byKey']
export const workOf = (kind: Kind): Work => (kind === 'byPartition' ? bindPartition(partitionProcessor) : bindKey(keyProcessor, keyStore))

export const nameOf = (kind: Kind): string => (kind === 'byPartition' ? partitionProcessor.name : keyProcessor.name)

/**
 * Makes `count` orders with amounts from 100 over some tenants and partitions; every fifth is
 * quiet.
 */
export const orders = (count: number, partitions = 3): OutRecord[] =>
  Array.from({ length: count }, (_, index) => order(uuidv4(), index % 7, index % 5 === 4 ? QUIET : 100 + (index % 11), index % partitions))

/** Creates the tables of the byKey processor in a test's own database. */
export async function createTables(ownerUrl: string): Promise<void> {
  const owner = createPool(ownerUrl, { application_name: 'runtime test', max: 1 })
  try {
    await owner.query('CREATE TABLE demo_rows (key text PRIMARY KEY, count bigint NOT NULL, sum bigint NOT NULL, note text)')
    await owner.query('CREATE TABLE demo_seen (event_id uuid NOT NULL)')
    await owner.query('GRANT ALL ON demo_rows, demo_seen TO service_system')
  } finally {
    await owner.end()
  }
}

export interface Started extends Running {
  log: TestLog
  metrics: TestMetrics
  fatals: { reason: string; error: unknown }[]
}

export type StartOptions = Pick<RunOptions, 'pool' | 'brokers' | 'topicPrefix' | 'clusterId'> & Partial<RunOptions>

export async function start(work: Work, options: StartOptions): Promise<Started> {
  const log = testLog()
  const metrics = testMetrics()
  const fatals: Started['fatals'] = []
  const running = await runProcessor({
    work,
    codec,
    effectWrites,
    sendHints: () => undefined,
    clientId: 'runtime-test',
    sessionTimeoutMs: 2000,
    log,
    metrics,
    onFatal: (reason, error) => fatals.push({ reason, error }),
    ...options
  })
  return { ...running, log, metrics, fatals }
}

/**
 * Everything that processing leaves behind, in an order that depends on the contents alone: it is
 * equal for two runs with the same result.
 */
export async function leftBehind(pool: Pool): Promise<Record<string, unknown[]>> {
  const ask = async (statement: string): Promise<unknown[]> => (await pool.query(statement)).rows
  return {
    offsets: await ask('SELECT processor, topic, partition, next_offset FROM stream_offsets ORDER BY 1, 2, 3'),
    state: await ask('SELECT processor, partition, key, state FROM partition_state ORDER BY 1, 2, 3'),
    rows: await ask('SELECT key, count, sum, note FROM demo_rows WHERE count > 0 ORDER BY 1'),
    seen: await ask('SELECT event_id FROM demo_seen ORDER BY 1'),
    outbox: await ask(
      "SELECT topic, aggregate, ver, headers->>'event_id' AS event_id, headers->>'src' AS src, payload FROM outbox ORDER BY 2, 3, 4"
    ),
    jobs: await ask('SELECT idem_key, payload FROM jobs ORDER BY 1'),
    dead: await ask('SELECT processor, topic, partition, "offset", reason, error FROM dead_letters ORDER BY 1, 2, 3, 4')
  }
}

/** How many records count. */
export const folded = (records: readonly OutRecord[]): number =>
  [...sums(records, 'byKey').values()].reduce((sum, { count }) => sum + count, 0)

/**
 * Computes the sums from the records alone: what one pass without any fault leaves for this kind.
 */
export function sums(records: readonly (InRecord | OutRecord)[], kind: Kind): Map<string, Sum> {
  const totals = new Map<string, Sum>()
  for (const { value, partition } of records) {
    if (!value) continue
    const { tenant_id, ceiling } = codec.decode('BudgetConfig', value)
    if (ceiling < 100) continue
    const key = kind === 'byPartition' ? `${partition}:${tenant_id}` : tenant_id
    const { count, sum } = totals.get(key) ?? { count: 0, sum: 0 }
    totals.set(key, { count: count + 1, sum: sum + ceiling })
  }
  return new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The sums that the store holds for this kind, in the form of `sums`. */
export async function stored(pool: Pool, kind: Kind): Promise<Map<string, Sum>> {
  const { rows } =
    kind === 'byPartition'
      ? await pool.query(
          "SELECT partition || ':' || key AS key, (state->>'count')::int AS count, (state->>'sum')::int AS sum FROM partition_state"
        )
      : await pool.query('SELECT key, count::int AS count, sum::int AS sum FROM demo_rows WHERE count > 0')
  const totals = rows.map((row): [string, Sum] => [row.key, { count: row.count, sum: row.sum }])
  return new Map(totals.sort(([a], [b]) => (a < b ? -1 : 1)))
}

export type { Tx }
