/**
 * Escalation steps by one notifier, on a Postgres of their own. It measures what waiting runs cost,
 * how late steps are that come due one after the other, and how long a thousand steps take that
 * come due at once, of many workspaces and of one. Each step looks up who is on call in a schedule
 * and sends mail to the mailbox. Due and done times are instants of Postgres. No broker is
 * involved: the events of a step stay in the outbox, as they do while Kafka is away.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Definition } from '../../schemas/http/on-call-words.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { insertPolicy } from '../../services/store/escalation-policies.ts'
import { save } from '../../services/store/incidents.ts'
import { createPool, type Pool, tenantTransaction, transaction } from '../../services/store/pool.ts'
import { beginHistory, postgresNow } from '../../services/store/schedule-history.ts'
import { insertSchedule, insertVersion } from '../../services/store/schedules.ts'
import { escalationKey } from '../../streams/incident/escalation.ts'
import { makeWorkspace } from '../harness/product.ts'
import { record } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { definitionOf, layerOf } from '../streams/on-call/build.ts'
import { figure, percentile, printMachine } from './figures.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'
import { type Stand, stand } from './stand.ts'
import { notifierSettings } from './told.ts'

const WORKSPACES = 20
const RATE = 50
const WAITING = 10_000
const WARM = 200
const AT_ONCE = 500
const HOUR_MS = 3_600_000
/** Time between writing the last row and the first due time. */
const LEAD_MS = 1500
const LIMIT_MS = 120_000
/** More frequent polling would itself add to the measured load. */
const POLL_MS = 200

const TARGET_LATE_MS = 1000
const TARGET_BURST_SECONDS = 5
const TARGET_WAITING_PERCENT = 1

interface Paged {
  tenant_id: string
  policy_id: string
}

/** A workspace whose owner is on call, and a policy that names the schedule in two steps. */
async function workspace(pool: Pool, name: string): Promise<Paged> {
  const { tenant_id } = await makeWorkspace(pool, name, 'generic')
  const { rows } = await pool.query<{ user_id: string }>('SELECT user_id FROM members WHERE tenant_id = $1', [tenant_id])
  const [schedule_id, policy_id, definition] = [uuidv7(), uuidv7(), rotaOf(rows[0]?.user_id ?? '')]
  await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    const now = await postgresNow(tx)
    await insertSchedule(tx, tenant_id, schedule_id, { name: 'Primary', description: '', team_id: null, labels: {} }, now)
    await insertVersion(tx, tenant_id, schedule_id, { version: 1, effective_at: null, definition, created_by: 'system:bench' })
    await beginHistory(tx, tenant_id, schedule_id, now)
    const targets = [{ type: 'schedule', id: schedule_id, urgency: 'default' } as const]
    const step = { targets, strategy: 'all', only_if: null, on_empty: 'next' } as const
    const steps = [0, 300].map((delay_seconds) => ({ ...step, delay_seconds }))
    const course = { repeat: 0, ack_timeout_minutes: null, max_duration_minutes: 10_080, steps }
    await insertPolicy(tx, tenant_id, policy_id, { name: 'Page', description: '', team_id: null, ...course }, 'system:bench')
  })
  return { tenant_id, policy_id }
}

const rotaOf = (user_id: string): Definition =>
  definitionOf([layerOf({ name: 'weekly', participants: [user_id], starts_on: '2024-01-01' })])

let numbers = 0

/**
 * Makes incidents whose second escalation step waits, each until its time in `due` (epoch ms).
 * Returns their ids.
 */
async function runsThatWait(pool: Pool, workspaces: readonly Paged[], due: readonly number[]): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < due.length; from += AT_ONCE) {
    const now = Date.now()
    const some = due.slice(from, from + AT_ONCE).map((next_at, nth) => {
      const { tenant_id, policy_id } = workspaces[(from + nth) % workspaces.length] as Paged
      numbers += 1
      const key = `man:escalate-${numbers}`
      const incident = record('Incident', {
        ...{ tenant_id, incident_id: uuidv7(), number: numbers, dedup_key: key, title: `Disk full on db-${numbers}` },
        ...{ severity: 'critical', status: 'ongoing', started_at: now, updated_at: now, ver: 1 },
        ...{ team_id: null, visibility: 'org', escalation_policy_id: policy_id }
      })
      return { incident, next_at: new Date(next_at).toISOString() }
    })
    const column = <T>(of: (one: (typeof some)[number]) => T): T[] => some.map(of)
    const columns = [
      column(({ incident }) => incident.tenant_id),
      column(({ incident }) => incident.incident_id),
      column(({ incident }) => incident.escalation_policy_id),
      column(({ incident }) => incident.dedup_key),
      column(({ next_at }) => next_at),
      column(() => uuidv7())
    ]
    await transaction(pool, async (tx) => {
      const incidents = some.map(({ incident }) => ({ incident, seen: 0 }))
      await save(tx, { signals: [], incidents, events: [], counters: [], alerts: [], alertEvents: [], holds: [] })
      await tx.query(
        `WITH one AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::uuid[])
                        AS r (tenant_id, incident_id, policy_id, dedup_key, next_at, job_id)),
              signal AS (INSERT INTO signals (tenant_id, dedup_key, incident_id) SELECT tenant_id, dedup_key, incident_id FROM one),
              run AS (INSERT INTO escalation_runs (tenant_id, incident_id, run, policy_id, policy_version, state, cycle, step, part, next_at, started_at, last_fired_at)
                      SELECT tenant_id, incident_id, 1, policy_id, 1, 'running', 0, 1, 0, next_at, now(), now() FROM one)
         INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
         SELECT job_id, tenant_id, 'escalation_step', next_at, $7 || incident_id,
                jsonb_build_object('incident_id', incident_id, 'run', 1, 'cycle', 0, 'step', 1) FROM one`,
        [...columns, escalationKey('')]
      )
    })
    ids.push(...some.map(({ incident }) => incident.incident_id))
  }
  return ids
}

interface Lateness {
  late: number[]
  /** From the due time of the first step to the end of the last step, ms. */
  whole: number
}

/** Waits until the steps of all these runs are done, and returns how late each was. */
async function asked(pool: Pool, ids: readonly string[]): Promise<Lateness> {
  const rows = await until(
    `${ids.length} steps`,
    async () => {
      await sleep(POLL_MS)
      const { rows } = await pool.query<{ due_at: number; at: number; outcome: string }>(
        'SELECT due_at, at, outcome FROM escalation_steps WHERE incident_id = ANY ($1::uuid[])',
        [ids]
      )
      return rows.length >= ids.length && rows
    },
    LIMIT_MS
  )
  const wrong = rows.find(({ outcome }) => outcome !== 'fired')
  if (rows.length > ids.length || wrong) throw new Error(`${rows.length} steps of ${ids.length}, one is ${wrong?.outcome ?? 'twice'}`)
  const first = Math.min(...rows.map(({ due_at }) => due_at))
  return { late: rows.map(({ due_at, at }) => at - due_at), whole: Math.max(...rows.map(({ at }) => at)) - first }
}

/**
 * Waits until open deliveries have ended, so that the previous measurement does not count in the
 * next.
 */
const rested = (pool: Pool): Promise<unknown> =>
  until('every delivery to end', async () => (await pool.query('SELECT FROM deliveries WHERE open LIMIT 1')).rowCount === 0, LIMIT_MS)

const told = (label: string, { late, whole }: Lateness): void =>
  console.log(
    `  ${label}: late p50 ${percentile(late, 0.5).toFixed(0)} ms, p99 ${percentile(late, 0.99).toFixed(0)} ms, at most ${Math.max(...late).toFixed(0)} ms; ${(whole / 1000).toFixed(2)} s in all`
  )

/** CPU seconds that the notifier and Postgres used so far. */
const spentBy = ({ postgresPid }: Stand, pid: number): number => cpuSeconds(pid) + treeCpuSeconds(postgresPid)

/** All steps are due at one instant: how long until the last is done, and the CPU of each. */
async function burst(bench: Stand, pid: number, workspaces: readonly Paged[], count: number, id: string): Promise<void> {
  const { pool } = bench
  const ids = await runsThatWait(
    pool,
    workspaces,
    Array.from({ length: count }, () => Date.now() + HOUR_MS)
  )
  await pool.query(
    `WITH due AS (UPDATE escalation_runs SET next_at = now() + interval '500 milliseconds' WHERE incident_id = ANY ($1::uuid[]))
     UPDATE jobs SET run_at = now() + interval '500 milliseconds' WHERE idem_key = ANY ($2::text[])`,
    [ids, ids.map(escalationKey)]
  )
  const before = spentBy(bench, pid)
  const found = await asked(pool, ids)
  const each = ((spentBy(bench, pid) - before) * 1000) / count
  told(`${count} at once of ${workspaces.length === 1 ? 'one workspace' : `${workspaces.length} workspaces`}`, found)
  console.log(`  ${each.toFixed(1)} ms of CPU each, of notifier and Postgres`)
  figure({ id, value: found.whole / 1000, unit: 's', target: { op: '<=', value: TARGET_BURST_SECONDS } })
  await rested(pool)
}

/** CPU of notifier and Postgres, in percent of a core. */
async function quiet(bench: Stand, pid: number, seconds: number): Promise<number> {
  const [before, from] = [spentBy(bench, pid), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  return ((spentBy(bench, pid) - before) * 100_000) / (performance.now() - from)
}

async function waiting(bench: Stand, pid: number, workspaces: readonly Paged[], seconds: number): Promise<void> {
  const settled = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 2000))
  await settled()
  const without = await quiet(bench, pid, seconds)
  await runsThatWait(
    bench.pool,
    workspaces,
    Array.from({ length: WAITING }, (_, nth) => Date.now() + HOUR_MS + nth)
  )
  const owner = createPool(bench.ownerUrl, { application_name: 'bench owner', max: 1 })
  try {
    // Postgres would do this by itself some time later.
    await owner.query('VACUUM (ANALYZE) jobs, escalation_runs, incidents, signals')
  } finally {
    await owner.end()
  }
  await settled()
  const beside = await quiet(bench, pid, seconds)
  console.log(`  notifier and Postgres: ${without.toFixed(2)} % of a core without, ${beside.toFixed(2)} % with ${WAITING} waiting runs`)
  const value = Math.max(0, beside - without)
  figure({ id: 'ESCALATE_WAITING', value, unit: 'percent_of_a_core', target: { op: '<=', value: TARGET_WAITING_PERCENT } })
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      secs: { type: 'string', default: '60' },
      'quiet-secs': { type: 'string', default: '15' },
      burst: { type: 'string', default: '1000' }
    }
  })
  const [secs, quietSecs, count] = [Number(values.secs), Number(values['quiet-secs']), Number(values.burst)]
  printMachine(
    `${RATE} steps due a second for ${secs} s, and ${count} at once, beside ${WAITING} waiting runs; CPU of ${quietSecs} s; one notifier`
  )
  const bench = await stand([])
  const { pool } = bench
  try {
    const workspaces: Paged[] = []
    for (let nth = 0; nth < WORKSPACES; nth++) workspaces.push(await workspace(pool, `escalate-${nth}`))
    const notifier = await bench.role(['notifier'], { ...notifierSettings, SERVICE_MAILBOX: 'on' })
    await asked(
      pool,
      await runsThatWait(
        pool,
        workspaces,
        Array.from({ length: WARM }, () => Date.now())
      )
    )
    await rested(pool)
    await waiting(bench, notifier.pid, workspaces, quietSecs)

    const begins = Date.now() + secs * 25 + LEAD_MS
    const steady = await asked(
      pool,
      await runsThatWait(
        pool,
        workspaces,
        Array.from({ length: RATE * secs }, (_, nth) => begins + (nth * 1000) / RATE)
      )
    )
    told(`${RATE} a second`, steady)
    const value = percentile(steady.late, 0.99)
    figure({ id: 'ESCALATE_LATENESS', value, unit: 'ms_p99', target: { op: '<=', value: TARGET_LATE_MS } })
    await rested(pool)
    await burst(bench, notifier.pid, workspaces, count, 'ESCALATE_BURST')
    await burst(bench, notifier.pid, workspaces.slice(0, 1), count, 'ESCALATE_BURST_ONE')
  } finally {
    await bench.stop()
  }
}
