/**
 * Timers and pieces of work: rows that the notifier's workers lease. Rules start and cancel them by idempotency key, in the transaction of the change
 * they belong to, so a timer never exists without its cause.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { JobChange } from '../../streams/define.ts'
import type { Tx } from './pool.ts'

const CANCEL = `
  DELETE FROM jobs
   USING unnest($1::uuid[], $2::text[]) AS cancelled (tenant_id, idem_key)
   WHERE jobs.tenant_id = cancelled.tenant_id AND jobs.idem_key = cancelled.idem_key`

const START = `
  INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::jsonb[])
  ON CONFLICT (idem_key) DO NOTHING`

/**
 * Applies `changes` as if one after the other: the last word on a key counts. Starting what exists leaves it as it is; cancelling what does not exist
 * does nothing. At most two statements.
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
