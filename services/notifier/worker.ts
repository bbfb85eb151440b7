/**
 * The loop over due jobs: lease, run, end, each effect in one transaction with the end of its job.
 *
 *   due ──lease──► held ──effect and end in one transaction──► gone, or due again later
 *    ▲               ├─ cancelled meanwhile: the effect is rolled back
 *    ├──back-off─────┼─ failed, or its worker died: the lease runs out
 *    │               └─ failed as often as its kind is tried ──► dead (kinds.ts)
 *
 * - Any number of workers: a lease is one row's, and names its attempt; whoever lost it changes
 *   nothing.
 * - Several jobs at once. One workspace takes half of the places at most, whatever it has due.
 * - A job that fails backs off alone; ten failures are logged as an error.
 * - What a job sends itself goes out between its transaction and its end (`Outside`).
 * - It looks when something was committed (`waking`), when the next job is due that it knows of,
 *   and every `pollMs` in any case.
 * Source: docs/design/architecture.md#s6-jobs.
 */
import type { Codec } from '../../schemas/codec.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { claimMade, type MadeDelivery, watchDeliveries } from '../store/deliveries.ts'
import { buryJob, countDeadJobs, delayJob, finishJob, type LeasedJob, leaseJobs, nextJobIn, repeatJob } from '../store/jobs.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import { RowMoved } from '../store/row-moved.ts'
import type { Desk } from './deliver.ts'
import type { Post, RunJob } from './job.ts'
import { waitAfter } from './kinds.ts'
import { startLooking } from './looking.ts'

export interface WorkerOptions {
  /** As service_system; it has a connection for each place. */
  pool: Pool
  codec: Codec
  log: Log
  metrics: Metrics
  /** By kind. Jobs of other kinds are left for a version that knows them. */
  runs: Readonly<Record<string, RunJob>>
  /** Sends what jobs decide; without it their deliveries wait for whoever does. */
  desk?: Desk
  /** By what jobs send themselves. */
  post?: Post
  pollMs?: number
  leaseMs?: number
  /** Jobs at once. */
  places?: number
}

export interface Worker {
  /** The last look at the jobs succeeded. */
  ready(): boolean
  /** Something was committed that may be due. */
  wake(): void
  /** Finishes the jobs in hand. */
  close(): Promise<void>
}

const PLACES = 16
const LOUD_AFTER = 10
/** Between two looks: what was committed meanwhile is found by one. */
const BREATH_MS = 10
const COUNT_DEAD_EVERY_MS = 60_000
const MAX_TRIES = 3
const LATENESS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300]

/** Somebody else holds the job, or it was cancelled: what was done for it is rolled back. */
class NotHeld extends Error {
  override readonly name = 'NotHeld'
}

/** The client as a value of this transaction alone, with the deliveries that it makes. */
function watched(client: Tx): { tx: Tx; made: readonly MadeDelivery[] } {
  const tx: Tx = { query: (text, values) => client.query(text, values) }
  return { tx, made: watchDeliveries(tx) }
}

/** Kind and code of an error, without its text, which may hold what people wrote. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as Error & { code?: unknown }
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

type Act = Pick<WorkerOptions, 'pool' | 'codec' | 'runs' | 'desk' | 'post'>

/**
 * A row that moved under the job's locks is read anew at once. While the worker `isBusy`, what jobs
 * decide is left to a look at the queue: one claims many, for a tenth of the work.
 */
async function perform({ pool, codec, runs, desk, post }: Act, job: LeasedJob, isBusy: () => boolean): Promise<void> {
  const act = runs[job.kind]
  if (!act) return
  crashPoint('job.after-lease')
  for (let tries = 1; ; tries++) {
    try {
      const claim = await tenantTransaction(pool, wholeWorkspace(job.tenant_id), async (client) => {
        const { tx, made } = watched(client)
        const again = await act(tx, job, { codec, post, actor: { kind: 'system', id: job.kind, via: 'system', request_id: null } })
        if (again && 'outside' in again) return { ...again, rows: [], left: [] }
        crashPoint('job.before-end')
        const [ended, rows] = await Promise.all([
          again ? repeatJob(tx, job, again) : finishJob(tx, job),
          desk && !isBusy() ? claimMade(tx, job.tenant_id, made.filter(desk.mayTake), { leaseMs: desk.leaseMs, room: desk.room() }) : []
        ])
        if (!ended) throw new NotHeld(`job ${job.job_id} is not held any more`)
        const claimed = new Set(rows.map(({ delivery_id }) => delivery_id))
        return { rows, left: made.filter(({ delivery_id }) => !claimed.has(delivery_id)) }
      })
      if ('outside' in claim) {
        const end = await claim.outside()
        await tenantTransaction(pool, wholeWorkspace(job.tenant_id), async (tx) => {
          const again = await end?.(tx)
          if (!(again ? await repeatJob(tx, job, again) : await finishJob(tx, job)))
            throw new NotHeld(`job ${job.job_id} is not held any more`)
        })
      }
      desk?.take(claim.rows)
      if (claim.left.length > 0) desk?.wake(claim.left)
      return
    } catch (error) {
      if (!(error instanceof RowMoved) || tries === MAX_TRIES) throw error
    }
  }
}

export function startWorker(options: WorkerOptions): Worker {
  const { pool, log, metrics, runs, pollMs = 250, leaseMs = 20_000, places = PLACES } = options
  const kinds = Object.keys(runs)
  const done = metrics.counter('service_jobs_done_total', 'Jobs that were run', ['kind'])
  const failures = metrics.counter('service_jobs_failed_total', 'Runs of jobs that failed and are tried again', ['kind'])
  const given = metrics.counter('service_jobs_given_up_total', 'Jobs that failed as often as their kind is tried', ['kind'])
  const lateSeconds = metrics.gauge('service_jobs_late_seconds', 'How late the last job was leased')
  const lateness = metrics.histogram('service_jobs_lateness_seconds', 'How late jobs were leased', LATENESS, ['kind'])
  const busy = metrics.gauge('service_jobs_running', 'Jobs that are run now')
  const dead = metrics.gauge('service_jobs_dead', 'Jobs that were given up and wait for an operator', ['kind'])
  const running = new Set<Promise<void>>()
  const held = new Map<string, number>()
  let countDeadAt = 0

  async function failed(job: LeasedJob, error: unknown): Promise<void> {
    const wait = waitAfter(job.kind, job.attempts)
    const fields = { err: error, job_id: job.job_id, kind: job.kind, tenant_id: job.tenant_id, attempts: job.attempts }
    if (wait === null) {
      given.inc({ kind: job.kind })
      log.error(fields, 'a job is given up; it waits among the dead ones')
      await buryJob(pool, job, kindOf(error))
      return
    }
    failures.inc({ kind: job.kind })
    if (job.attempts >= LOUD_AFTER) log.error(fields, 'a job keeps failing; it is tried again')
    else log.warn(fields, 'a job failed; it is tried again')
    await delayJob(pool, job, wait)
  }

  async function run(job: LeasedJob): Promise<void> {
    try {
      await perform(options, job, () => running.size > places / 2)
      done.inc({ kind: job.kind })
    } catch (error) {
      if (!(error instanceof NotHeld)) await failed(job, error)
    }
  }

  function take(job: LeasedJob): void {
    const { tenant_id } = job
    const late = Math.max(0, Date.now() - job.run_at) / 1000
    lateSeconds.set(late)
    lateness.observe({ kind: job.kind }, late)
    held.set(tenant_id, (held.get(tenant_id) ?? 0) + 1)
    const work: Promise<void> = run(job)
      // What cannot even be told to Postgres: the lease runs out.
      .catch((error: unknown) =>
        log.warn({ err: error, job_id: job.job_id }, 'a failed job could not be put off; its lease ends by itself')
      )
      .finally(() => {
        running.delete(work)
        const left = (held.get(tenant_id) ?? 1) - 1
        if (left > 0) held.set(tenant_id, left)
        else held.delete(tenant_id)
        busy.set(running.size)
        looking.wake()
      })
    running.add(work)
    busy.set(running.size)
  }

  async function countDead(): Promise<void> {
    if (Date.now() < countDeadAt) return
    countDeadAt = Date.now() + COUNT_DEAD_EVERY_MS
    dead.reset()
    for (const [kind, count] of await countDeadJobs(pool)) dead.set({ kind }, count)
  }

  async function look(): Promise<number> {
    const free = places - running.size
    if (free <= 0) return pollMs
    const jobs = await leaseJobs(pool, { kinds, most: free, perTenant: Math.ceil(places / 2), held, leaseMs })
    for (const job of jobs) take(job)
    if (jobs.length > 0) return 0
    await countDead()
    return Math.min((await nextJobIn(pool, kinds)) ?? pollMs, pollMs)
  }

  const looking = startLooking({ look, leastMs: () => BREATH_MS, pollMs, log, failed: 'jobs cannot be looked after; trying again' })
  return {
    ready: looking.ready,
    wake: looking.wake,
    async close() {
      await looking.close()
      await Promise.all(running)
    }
  }
}
