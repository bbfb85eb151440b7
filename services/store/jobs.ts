/**
 * Timers and pieces of work: rows that the notifier's workers lease. Rules start and cancel them by
 * idempotency key, in the transaction of the change they belong to, so a timer never exists without
 * its cause.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { JobChange } from '../../streams/define.ts'
import type { Pool, Tx } from './pool.ts'

const CANCEL = `
  DELETE FROM jobs
   USING unnest($1::uuid[], $2::text[]) AS cancelled (tenant_id, idem_key)
   WHERE jobs.tenant_id = cancelled.tenant_id AND jobs.idem_key = cancelled.idem_key`

const START = `
  INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::jsonb[])
  ON CONFLICT (idem_key) DO NOTHING`

/**
 * Applies `changes` as if one after the other: the last word on a key counts. Starting what exists
 * leaves it as it is; cancelling what does not exist does nothing. At most two statements.
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
      rows.map((row) => JSON.stringify(row.payload))
    ]
  })
}

/** A job as a worker holds it. */
export interface LeasedJob {
  job_id: string
  tenant_id: string
  kind: string
  /** Which attempt this is, from 1 on; it names the lease. */
  attempts: number
  /** Epoch ms at which it was due. */
  run_at: number
  payload: Record<string, unknown>
}

/**
 * Leases up to `most` due jobs of these kinds, the oldest first; other workers pass over them for
 * `leaseMs`.
 */
export async function leaseJobs(pool: Pool, kinds: readonly string[], most: number, leaseMs: number): Promise<LeasedJob[]> {
  const { rows } = await pool.query<LeasedJob>({
    name: 'jobs-lease',
    text: `UPDATE jobs SET attempts = attempts + 1, lease_until = now() + $3 * interval '1 millisecond'
            WHERE job_id IN (SELECT job_id FROM jobs WHERE run_at <= now() AND lease_until <= now() AND kind = ANY($1)
                              ORDER BY run_at LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING job_id, tenant_id, kind, attempts, run_at, payload`,
    values: [kinds, most, leaseMs]
  })
  return rows.sort((one, other) => one.run_at - other.run_at)
}

/**
 * The job is done, or not worth doing: its row goes, in the transaction of its effect. False when
 * the lease is somebody else's or the job was cancelled.
 */
export async function finishJob(tx: Tx, { tenant_id, job_id, attempts }: LeasedJob): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM jobs WHERE tenant_id = $1 AND job_id = $2 AND attempts = $3', [
    tenant_id,
    job_id,
    attempts
  ])
  return rowCount === 1
}

/** A failed job is tried again after `ms`. */
export async function delayJob(pool: Pool, { tenant_id, job_id, attempts }: LeasedJob, ms: number): Promise<void> {
  await pool.query(
    "UPDATE jobs SET lease_until = now() + $4 * interval '1 millisecond' WHERE tenant_id = $1 AND job_id = $2 AND attempts = $3",
    [tenant_id, job_id, attempts, ms]
  )
}

/**
 * Milliseconds until the next job of these kinds may be leased; null when there is none. Not
 * negative.
 */
export async function nextJobIn(pool: Pool, kinds: readonly string[]): Promise<number | null> {
  const { rows } = await pool.query<{ ms: number | null }>({
    name: 'jobs-next',
    text: `SELECT (extract(epoch FROM min(greatest(run_at, lease_until)) - now()) * 1000)::float8 AS ms
             FROM (SELECT run_at, lease_until FROM jobs WHERE kind = ANY($1) ORDER BY run_at LIMIT 100) AS first`,
    values: [kinds]
  })
  const ms = rows[0]?.ms ?? null
  return ms === null ? null : Math.max(0, ms)
}
