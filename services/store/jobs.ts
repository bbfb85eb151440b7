/**
 * Timers and pieces of work: rows that the notifier's workers lease. Rules start and cancel them by
 * idempotency key, in the transaction of the change they belong to. So a timer never exists without
 * its cause.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { JobChange } from '../../streams/define.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

const CANCEL = `
  DELETE FROM jobs
   USING unnest($1::uuid[], $2::text[]) AS cancelled (tenant_id, idem_key)
   WHERE jobs.tenant_id = cancelled.tenant_id AND jobs.idem_key = cancelled.idem_key`

const START = `
  INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
  SELECT job_id, tenant_id, kind, CASE WHEN at_once THEN least(run_at, clock_timestamp()) ELSE run_at END, idem_key, payload
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::jsonb[], $7::boolean[])
      AS started (job_id, tenant_id, kind, run_at, idem_key, payload, at_once)
  ON CONFLICT (idem_key) DO NOTHING`

/**
 * Applies `changes` as if one after the other: the last change of a key counts. Starting an
 * existing job leaves it as it is; cancelling a missing one does nothing. At most two statements.
 */
export async function changeJobs(tx: Tx, changes: readonly JobChange[]): Promise<void> {
  const cancels = new Map<string, string>()
  const starts = new Map<string, Extract<JobChange, { start: string }>>()
  for (const change of changes) {
    if ('cancel' in change) {
      cancels.set(change.cancel, change.tenant_id)
      starts.delete(change.cancel)
    } else if (!starts.has(change.idem_key)) {
      starts.set(change.idem_key, change)
    }
  }
  if (cancels.size > 0) await tx.query({ name: 'jobs-cancel', text: CANCEL, values: [[...cancels.values()], [...cancels.keys()]] })
  if (starts.size === 0) return
  const rows = [...starts.values()]
  await tx.query({
    name: 'jobs-start',
    text: START,
    values: [
      rows.map(() => uuidv7()),
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.start),
      rows.map((row) => new Date(row.run_at).toISOString()),
      rows.map((row) => row.idem_key),
      rows.map((row) => JSON.stringify(row.payload)),
      rows.map((row) => row.at_once ?? false)
    ]
  })
}

/** A job as a worker holds it. */
export interface LeasedJob {
  job_id: string
  tenant_id: string
  kind: string
  /** Number of this attempt, from 1 on. It identifies the lease. */
  attempts: number
  /** Epoch ms at which it was due. */
  run_at: number
  payload: Record<string, unknown>
  idem_key: string
}

/** The share of a place that a job of a small kind takes. */
export const SMALL = 1 / 4

/** Which jobs a worker may take, and how many. */
export interface LeaseOptions {
  kinds: readonly string[]
  /** Kinds in `kinds` whose jobs are done together. Each takes SMALL of a place, others a place. */
  small?: readonly string[]
  /** Places in all. */
  most: number
  /** Maximum places of one workspace; `held` counts the places that it has already. */
  perTenant: number
  held: ReadonlyMap<string, number>
  leaseMs: number
}

const DUE = 'run_at <= now() AND lease_until <= now() AND kind = ANY ($1)'
/** One look chooses from this many of the oldest jobs. No worker has places for more. */
const LOOK = 64
/** Maximum number of workspaces that are asked in turn. */
const MAX_TENANTS = 1000

/** The oldest of all. */
const OLDEST = `SELECT job_id, tenant_id, kind, run_at FROM jobs WHERE ${DUE} ORDER BY run_at LIMIT ${LOOK}`
/**
 * The oldest jobs of each workspace that has room. A workspace with a hundred thousand due jobs
 * must not hide those of another. The query steps along the index from the first job of a workspace
 * to the first of the next, so that waiting jobs cost nothing.
 */
const OF_EACH = `
  SELECT due.job_id, due.tenant_id, due.kind, due.run_at FROM (
    WITH RECURSIVE tenant (id, first_at) AS (
      (SELECT tenant_id, run_at FROM jobs ORDER BY tenant_id, run_at LIMIT 1)
      UNION ALL
      SELECT j.tenant_id, j.run_at FROM tenant CROSS JOIN LATERAL (
        SELECT tenant_id, run_at FROM jobs WHERE tenant_id > tenant.id ORDER BY tenant_id, run_at LIMIT 1) j)
    SELECT id FROM tenant WHERE first_at <= now() AND id <> ALL ($8::uuid[]) LIMIT ${MAX_TENANTS}) AS t
   CROSS JOIN LATERAL (
     SELECT job_id, tenant_id, kind, run_at FROM jobs WHERE tenant_id = t.id AND ${DUE} ORDER BY run_at LIMIT ($4 / ${SMALL})::int) AS due`

// The commit does not wait for the disk. If Postgres dies before the next commit that does, a
// fraction of a second later, the lease is lost. Its holder can then end nothing, because it names
// its attempt.
const leaseSql = (from: string): string => `
  WITH hurry AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
  room AS (SELECT * FROM unnest($5::uuid[], $6::numeric[]) AS r (tenant_id, held)),
  due AS (SELECT *, CASE WHEN kind = ANY ($7) THEN ${SMALL} ELSE 1 END AS share FROM (${from}) AS due),
  ranked AS (
    SELECT job_id, run_at, share, sum(share) OVER (PARTITION BY tenant_id ORDER BY run_at, job_id) + coalesce(held, 0) AS of_tenant
      FROM due LEFT JOIN room USING (tenant_id)),
  fair AS (SELECT job_id, sum(share) OVER (ORDER BY run_at, job_id) AS of_all FROM ranked WHERE of_tenant <= $4),
  chosen AS (
    SELECT job_id FROM jobs
     WHERE job_id IN (SELECT job_id FROM fair WHERE of_all <= $2) AND lease_until <= now()
       FOR UPDATE SKIP LOCKED)
  UPDATE jobs SET attempts = attempts + 1, lease_until = now() + $3 * interval '1 millisecond'
    FROM hurry WHERE job_id IN (SELECT job_id FROM chosen)
  RETURNING job_id, tenant_id, kind, attempts, run_at, payload, idem_key`

/** Exported for the test of its plan. */
export const LEASE = leaseSql(OLDEST)
const LEASE_EACH = leaseSql(OF_EACH)

/**
 * Leases due jobs, oldest first, as far as there are places. Other workers skip them for `leaseMs`.
 * `crowded`: some workspace holds as many places as it may, so each workspace is queried
 * separately.
 */
export async function leaseJobs(pool: Pool, { kinds, small = [], most, perTenant, held, leaseMs }: LeaseOptions): Promise<LeasedJob[]> {
  const full = [...held].filter(([, count]) => count >= perTenant).map(([tenant_id]) => tenant_id)
  const lease = async (each: boolean): Promise<LeasedJob[]> => {
    const { rows } = await pool.query<LeasedJob>({
      name: each ? 'jobs-lease-each' : 'jobs-lease',
      text: each ? LEASE_EACH : LEASE,
      values: [kinds, most, leaseMs, perTenant, [...held.keys()], [...held.values()], small, ...(each ? [full] : [])]
    })
    return rows.sort((one, other) => one.run_at - other.run_at)
  }
  if (full.length > 0) return lease(true)
  const oldest = await lease(false)
  return oldest.length > 0 || held.size === 0 ? oldest : lease(true)
}

/**
 * Ends jobs that are done, or no longer worth doing. Their rows are deleted in the transaction of
 * their effects. Returns false when somebody else has the lease of one, or one was cancelled.
 */
export async function finishJobs(tx: Tx, jobs: readonly LeasedJob[]): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'jobs-finish',
    text: `DELETE FROM jobs j USING unnest($1::uuid[], $2::uuid[], $3::int[]) AS k (tenant_id, job_id, attempts)
            WHERE j.tenant_id = k.tenant_id AND j.job_id = k.job_id AND j.attempts = k.attempts`,
    values: [jobs.map(({ tenant_id }) => tenant_id), jobs.map(({ job_id }) => job_id), jobs.map(({ attempts }) => attempts)]
  })
  return rowCount === jobs.length
}

/**
 * Ends a job that becomes due again. Works as finishJobs, but the row stays under its key. It gets
 * another id, so the previous holder no longer holds it.
 */
export async function repeatJob(
  tx: Tx,
  { tenant_id, job_id, attempts }: LeasedJob,
  { at, payload }: { at: number; payload: Record<string, unknown> }
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'jobs-repeat',
    text: `UPDATE jobs SET job_id = $4, run_at = $5, payload = $6, attempts = 0, lease_until = '-infinity', created_at = now()
            WHERE tenant_id = $1 AND job_id = $2 AND attempts = $3`,
    values: [tenant_id, job_id, attempts, uuidv7(), new Date(at), JSON.stringify(payload)]
  })
  return rowCount === 1
}

/** Retries a failed job after `ms`. */
export async function delayJob(pool: Pool, { tenant_id, job_id, attempts }: LeasedJob, ms: number): Promise<void> {
  await pool.query(
    "UPDATE jobs SET lease_until = now() + $4 * interval '1 millisecond' WHERE tenant_id = $1 AND job_id = $2 AND attempts = $3",
    [tenant_id, job_id, attempts, ms]
  )
}

const DEAD = 'job_id, tenant_id, kind, run_at, attempts, idem_key, payload, created_at'

/** Gives up a job: its row moves to `dead_jobs`. `error`: kind and code of the last failure. */
export async function buryJob(pool: Pool, { tenant_id, job_id, attempts }: LeasedJob, error: string): Promise<void> {
  await pool.query(
    `WITH dead AS (DELETE FROM jobs WHERE tenant_id = $1 AND job_id = $2 AND attempts = $3 RETURNING ${DEAD})
     INSERT INTO dead_jobs (${DEAD}, error) SELECT ${DEAD}, $4 FROM dead`,
    [tenant_id, job_id, attempts, error]
  )
}

export interface DeadJob {
  job_id: string
  tenant_id: string
  kind: string
  run_at: number
  attempts: number
  died_at: number
  error: string
}

/** Lists dead jobs, the latest death first. */
export async function listDeadJobs(pool: Pool, most: number): Promise<DeadJob[]> {
  const { rows } = await pool.query<DeadJob>(
    'SELECT job_id, tenant_id, kind, run_at, attempts, died_at, error FROM dead_jobs ORDER BY died_at DESC, job_id LIMIT $1',
    [most]
  )
  return rows
}

/** Counts dead jobs by kind. */
export async function countDeadJobs(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ kind: string; count: number }>('SELECT kind, count(*) FROM dead_jobs GROUP BY kind')
  return new Map(rows.map(({ kind, count }) => [kind, count]))
}

/**
 * Puts dead jobs back, due now; null: all. A job whose key is in use again is left. Returns how
 * many.
 */
export async function reviveJobs(pool: Pool, job_id: string | null): Promise<number> {
  const { rowCount } = await pool.query(
    `WITH back AS (
       INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
       SELECT job_id, tenant_id, kind, now(), idem_key, payload FROM dead_jobs WHERE $1::uuid IS NULL OR job_id = $1
       ON CONFLICT DO NOTHING RETURNING job_id)
     DELETE FROM dead_jobs d USING back WHERE d.job_id = back.job_id`,
    [job_id]
  )
  return rowCount ?? 0
}

/** Deletes a dead job for good. Returns whether there was one. */
export async function dropDeadJob(pool: Pool, job_id: string): Promise<boolean> {
  const { rowCount } = await pool.query('DELETE FROM dead_jobs WHERE job_id = $1', [job_id])
  return rowCount === 1
}

const DEAD_DAYS = 90

/** Deletes jobs that died 90 days ago. Returns how many. */
export const forgetDeadJobs = (pool: Pool): Promise<number> =>
  forget(pool, 'dead_jobs', 'x.died_at < now() - make_interval(days => $1)', [DEAD_DAYS])

/** The next job is one of this many with the earliest times, unless one can be leased now. */
const FIRST = 100

/**
 * Returns the milliseconds until the next job of these kinds may be leased: 0 if one can be leased
 * now, null when there is none. Never negative.
 */
export async function nextJobIn(pool: Pool, kinds: readonly string[]): Promise<number | null> {
  const { rows } = await pool.query<{ ms: number | null }>({
    name: 'jobs-next',
    text: `SELECT CASE WHEN EXISTS (SELECT FROM jobs WHERE ${DUE}) THEN 0 ELSE (
             SELECT (extract(epoch FROM min(greatest(run_at, lease_until)) - now()) * 1000)::float8
               FROM (SELECT run_at, lease_until FROM jobs WHERE kind = ANY($1) ORDER BY run_at LIMIT ${FIRST}) AS first) END AS ms`,
    values: [kinds]
  })
  const ms = rows[0]?.ms ?? null
  return ms === null ? null : Math.max(0, ms)
}
