/**
 * Tests that an alert ends by silence only when its sender was silent: not while a repeat of it is
 * unread on the log, and not for the time in which our doors refused it.
 */
import t, { type Test } from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { resolveQuiet } from '../../../services/notifier/auto-resolve.ts'
import { createHearOut, type HearOut } from '../../../services/notifier/hear-out.ts'
import { createPool } from '../../../services/store/pool.ts'
import { WORKSPACES } from '../../../services/store/quiet-alerts.ts'
import { nameOf } from '../../../streams/incident/fold.ts'
import { partitionOf } from '../../../streams/runtime/record-batch.ts'
import { localCodec } from '../../harness/codec.ts'
import { type Stand, stand } from '../api/stand.ts'

const codec = localCodec()
const ALERTS: TopicName = 'alerts.inbound.v1'
const TIMED: TopicName = 'heartbeat.pings.v1'
const PARTITIONS = 12

async function stored(s: Stand, processor: string, topic: TopicName, next: (partition: number) => number): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition++)
    await s.systemPool.query(
      `INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ($1, $2, $3, $4, 'test')
       ON CONFLICT (processor, topic, partition) DO UPDATE SET next_offset = excluded.next_offset`,
      [processor, topic, partition, next(partition)]
    )
}

const ends = async (topics: readonly TopicName[]) =>
  new Map(topics.flatMap((topic) => Array.from({ length: PARTITIONS }, (_, partition) => [`${topic}:${partition}`, 9n] as const)))

interface Said {
  warn(about: object, message?: string): void
  warnings: string[]
}

function listening(): Said {
  const warnings: string[] = []
  return { warn: (_about, message = '') => void warnings.push(message), warnings }
}

const hearing = (s: Stand, log: Said, endsOf = ends): HearOut =>
  createHearOut({ pool: s.systemPool, endsOf, log, rest: async () => undefined, looks: 2 })

async function quiet(t: Test): Promise<{ s: Stand; log: Said; sweep(hearOut: HearOut): Promise<number> }> {
  const s = await stand(t)
  const log = listening()
  await s.systemPool.query('UPDATE integrations SET auto_resolve_minutes = 30')
  await stored(s, 'incident', ALERTS, () => 9)
  await stored(s, 'heartbeat', TIMED, () => 9)
  return { s, log, sweep: (hearOut) => resolveQuiet(s.systemPool, codec, log, hearOut) }
}

const silentFor = (s: Stand, minutes: number) =>
  s.systemPool.query('UPDATE signals SET last_seen_at = now() - make_interval(mins => $1)', [minutes])

t.test('an alert whose repeat may be unread on the log is left, and those of other partitions end', async (t) => {
  const { s, log, sweep } = await quiet(t)
  const partitions = new Set<number>()
  let behind = -1
  let alerts = 0
  while (partitions.size < 2) {
    const { dedup_key } = await s.signal(s.acme)
    behind = partitionOf(nameOf({ tenant_id: s.acme.tenant_id, dedup_key }), PARTITIONS)
    partitions.add(behind)
    alerts += 1
  }
  await silentFor(s, 40)
  await stored(s, 'incident', ALERTS, (partition) => (partition === behind ? 8 : 9))
  t.equal(await sweep(hearing(s, log)), alerts - 1)
  t.equal(await sweep(hearing(s, log)), 0)
  await stored(s, 'incident', ALERTS, () => 9)
  t.equal(await sweep(hearing(s, log)), 1, 'the fold has read all')
})

t.test('nothing ends while the broker does not answer, or the notices of an outage may be unread', async (t) => {
  const { s, log, sweep } = await quiet(t)
  await s.incident(s.acme)
  await silentFor(s, 40)
  let isAway = true
  const hearOut = hearing(s, log, async (topics) => {
    if (isAway) throw new Error('no broker')
    return ends(topics)
  })
  t.equal(await sweep(hearOut), 0)
  t.equal(log.warnings.length, 1)
  isAway = false
  t.equal(await sweep(hearOut), 0, 'its first answer may come before the notice of this outage')
  await stored(s, 'heartbeat', TIMED, () => 8)
  t.equal(await sweep(hearOut), 0, 'no partition of the fold that saves notices is at its end')
  await stored(s, 'heartbeat', TIMED, (partition) => (partition === 3 ? 9 : 8))
  t.equal(await sweep(hearOut), 1)
})

t.test('the time of our own outages is not the silence of a sender', async (t) => {
  const { s, log, sweep } = await quiet(t)
  await s.incident(s.acme)
  await silentFor(s, 40)
  const notice = (kind: string, from: number, to: number) =>
    s.systemPool.query(
      `INSERT INTO platform_notices (notice_id, kind, started_at, ended_at) VALUES ($1, $2, now() - make_interval(mins => $3), now() - make_interval(mins => $4))`,
      [uuidv7(), kind, from, to]
    )
  await notice('clock', 39, 1)
  await notice('ingest_gap', 60, 45)
  await notice('ingest_gap', 20, 5)
  t.equal(await sweep(hearing(s, log)), 0, '25 minutes of 40')
  await silentFor(s, 50)
  t.equal(await sweep(hearing(s, log)), 0, '30 of 50, but five of them of the older outage')
  await silentFor(s, 62)
  t.equal(await sweep(hearing(s, log)), 1)
})

t.test('a workspace that fails does not hold up the others', async (t) => {
  const { s, log, sweep } = await quiet(t)
  for (const home of [s.acme, s.globex]) await s.incident(home)
  await silentFor(s, 40)
  await s.systemPool.query(`UPDATE incidents SET routing = '{"auto_resolve_minutes":"x"}' WHERE tenant_id = $1`, [s.acme.tenant_id])
  t.equal(await sweep(hearing(s, log)), 1)
  t.equal(log.warnings.length, 1)
})

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

/** Returns the rows that a plan reads in the step that reads the most. */
const most = (node: Node): number =>
  Math.max((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'], ...(node.Plans ?? []).map(most))

t.test('which workspaces to look at is read without their alerts', async (t) => {
  const s = await stand(t)
  await s.incident(s.acme)
  const { rows: columns } = await s.ownerPool.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'incidents' AND is_generated = 'NEVER'"
  )
  const own: Record<string, string> = { incident_id: 'gen_random_uuid()', number: '1000 + n', dedup_key: "'flood:' || n" }
  const names = columns.map(({ name }) => name)
  await s.systemPool.query(
    `INSERT INTO incidents (${names.join(', ')}) SELECT ${names.map((name) => own[name] ?? name).join(', ')} FROM incidents, generate_series(1, 5000) n`
  )
  await s.ownerPool.query('ANALYZE incidents')
  const { incident_id } = await s.incident(s.globex)
  await s.systemPool.query(`UPDATE incidents SET routing = '{"auto_resolve_minutes":30}' WHERE incident_id = $1`, [incident_id])
  const pool = createPool(s.systemUrl, { application_name: 'test', max: 1, byKey: true })
  t.teardown(() => pool.end())
  t.same((await pool.query(WORKSPACES)).rows, [{ id: s.globex.tenant_id }])
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Node }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${WORKSPACES}`)
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (!plan) throw new Error('there is no plan')
  t.ok(most(plan) < 100, `${most(plan)} rows at most`)
})
