/**
 * The loop over due jobs: lease, run, delete, each effect in one transaction with the end of its
 * job.
 *
 *   due ──lease──► held ──effect and DELETE in one transaction──► gone
 *    ▲               ├─ cancelled meanwhile: the effect is rolled back
 *    └──back-off─────┴─ failed, or its worker died: the lease runs out
 *
 * - Any number of workers: a lease is one row's, and names its attempt; whoever lost it changes
 *   nothing.
 * - A job that fails is tried again after 2 s, 4 s, … up to an hour, for ever: nothing that was
 *   promised is dropped. Ten failures are logged as an error.
 * - Without a due job it rests until the next is, at most `pollMs`: a job that is made meanwhile
 *   and due sooner is at most so late.
 * Source: docs/design/architecture.md#s3 and #s6.
 */

import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { claimMade, watchDeliveries } from '../store/deliveries.ts'
import { delayJob, finishJob, type LeasedJob, leaseJobs, nextJobIn } from '../store/jobs.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import type { Desk } from './deliver.ts'
import type { RunJob } from './job.ts'

export interface WorkerOptions {
  /** As service_system. */
  pool: Pool
  codec: Codec
  log: Log
  metrics: Metrics
  /** By kind. Jobs of other kinds are left for a version that knows them. */
  runs: Readonly<Record<string, RunJob>>
  /** Sends what jobs decide; without it their deliveries wait for whoever does. */
  desk?: Desk
  pollMs?: number
  leaseMs?: number
}

export interface Worker {
  /** The last look at the jobs succeeded. */
  ready(): boolean
  /** Finishes the jobs in hand. */
  close(): Promise<void>
}

const BATCH = 20
const MAX_DELAY_MS = 3_600_000
const LOUD_AFTER = 10

/** Somebody else holds the job, or it was cancelled: what was done for it is rolled back. */
class NotHeld extends Error {
  override readonly name = 'NotHeld'
}

/** The client as a value of this transaction alone, with the deliveries that it makes. */
function watched(client: Tx): { tx: Tx; made: readonly string[] } {
  const tx: Tx = { query: (text, values) => client.query(text, values) }
  return { tx, made: watchDeliveries(tx) }
}

export function startWorker({ pool, codec, log, metrics, runs, desk, pollMs = 5000, leaseMs = 60_000 }: WorkerOptions): Worker {
  const kinds = Object.keys(runs)
  const done = metrics.counter('service_jobs_done_total', 'Jobs that were run', ['kind'])
  const failures = metrics.counter('service_jobs_failed_total', 'Runs of jobs that failed and are tried again', ['kind'])
  const lateSeconds = metrics.gauge('service_jobs_late_seconds', 'How late the last job was leased')
  const { rest, end } = createRest()
  let closing = false
  let ready = false

  async function run(job: LeasedJob): Promise<void> {
    const act = runs[job.kind]
    if (!act) return
    try {
      const claim = await tenantTransaction(pool, wholeWorkspace(job.tenant_id), async (client) => {
        const { tx, made } = watched(client)
        await act(tx, job, { codec, actor: { kind: 'system', id: job.kind, via: 'system', request_id: null } })
        if (!(await finishJob(tx, job))) throw new NotHeld(`job ${job.job_id} is not held any more`)
        const rows = desk ? await claimMade(tx, job.tenant_id, made, { leaseMs: desk.leaseMs, room: desk.room() }) : []
        return { rows, left: made.length - rows.length }
      })
      desk?.take(claim.rows)
      if (claim.left > 0) desk?.wake()
      done.inc({ kind: job.kind })
    } catch (error) {
      if (error instanceof NotHeld) return
      failures.inc({ kind: job.kind })
      const fields = { err: error, job_id: job.job_id, kind: job.kind, tenant_id: job.tenant_id, attempts: job.attempts }
      if (job.attempts >= LOUD_AFTER) log.error(fields, 'a job keeps failing; it is tried again')
      else log.warn(fields, 'a job failed; it is tried again')
      await delayJob(pool, job, Math.min(1000 * 2 ** Math.min(job.attempts, 20), MAX_DELAY_MS))
    }
  }

  async function look(): Promise<number> {
    const jobs = await leaseJobs(pool, kinds, BATCH, leaseMs)
    const [first] = jobs
    if (first) lateSeconds.set(Math.max(0, Date.now() - first.run_at) / 1000)
    for (const job of jobs) await run(job)
    if (jobs.length === BATCH) return 0
    return Math.min((await nextJobIn(pool, kinds)) ?? pollMs, pollMs)
  }

  async function loop(): Promise<void> {
    let wait = 0
    while (!closing) {
      try {
        wait = Math.max(await look(), 1)
        ready = true
      } catch (error) {
        ready = false
        wait = pollMs
        log.warn({ err: error }, 'jobs cannot be looked after; trying again')
      }
      await rest(wait)
    }
  }

  const running = loop()
  return {
    ready: () => ready,
    async close() {
      closing = true
      end()
      await running
    }
  }
}
