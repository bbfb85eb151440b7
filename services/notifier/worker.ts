/**
 * The loop that leases and runs the jobs that are due. The effect of a job and the end of the job
 * are one transaction.
 *
 *   due ──lease──► held ──effect and end in one transaction──► gone, or due again later
 *    ▲               ├─ cancelled meanwhile: the effect is rolled back
 *    ├──back-off─────┼─ failed, or its worker died: the lease runs out
 *    │               └─ failed as often as its kind is tried ──► dead (kinds.ts)
 *
 * - Any number of workers may run. A lease covers one row and names its attempt, so a worker that
 *   lost its lease changes nothing.
 * - Several jobs run at once. One workspace takes at most half of the places, however many jobs it
 *   has due. Jobs of kinds with little work that one look finds are done together (SharedRun), and
 *   each takes a quarter of a place.
 * - A job that fails backs off without delaying others; from ten failures on, it is logged as an
 *   error.
 * - What a job sends itself goes out between its transaction and its end (`Outside`).
 * - It looks when something was committed (`waking`), when the next job that it knows of is due,
 *   and every `pollMs` in any case. After an outage it waits for the folds (catch-up.ts).
 * Source: docs/design/architecture.md#s6-jobs.
 */
import type { Codec } from '../../schemas/codec.ts'
import { createTurns } from '../http/turns.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { overdue } from '../store/fold-progress.ts'
import { buryJob, countDeadJobs, delayJob, type LeasedJob, leaseJobs, nextJobIn, SMALL } from '../store/jobs.ts'
import type { Pool } from '../store/pool.ts'
import { type CatchUp, neverHolds } from './catch-up.ts'
import type { Desk } from './deliver.ts'
import type { Post, Runs } from './job.ts'
import { waitAfter } from './kinds.ts'
import { startLooking } from './looking.ts'
import { isPage, isShared, NotHeld, perform, performTogether, unitsOf } from './perform.ts'
import { createPlaces } from './places.ts'

export interface WorkerOptions {
  /** Connects as service_system and has one connection for each place. */
  pool: Pool
  codec: Codec
  log: Log
  metrics: Metrics
  /** Runs by kind. Jobs of other kinds are left for a version that knows them. */
  runs: Runs
  /**
   * Sends the deliveries that jobs decide. Without it, they wait for another process that sends.
   */
  desk?: Desk
  /** What jobs need to send something themselves. */
  post?: Post
  /** Holds the jobs after an outage. Without it, nothing holds them. */
  catchUp?: CatchUp
  pollMs?: number
  leaseMs?: number
  /** Transactions at once. */
  places?: number
}

export interface Worker {
  /** True when the last look at the jobs succeeded. */
  ready(): boolean
  /** Call when something was committed that may be due. */
  wake(): void
  /** Finishes the jobs in hand. */
  close(): Promise<void>
}

const PLACES = 16
const LOUD_AFTER = 10
/**
 * Pause between two looks; one look finds everything committed meanwhile. A look costs the same
 * however much it finds. So after a look that found little, the pause is longer and more jobs
 * gather. `FEW`: the number of filled places that still counts as little.
 */
const LEAST_MS = 10
const AFTER_FEW_MS = 40
const FEW = PLACES / 2
const leastAfter = (found: number): number => (found > 0 && found < FEW ? AFTER_FEW_MS : LEAST_MS)
const FAILED = 'jobs cannot be looked after; trying again'
const COUNT_DEAD_EVERY_MS = 60_000
const LATENESS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300]

/**
 * Returns the name and code of an error. Its text is left out, because it may hold what people
 * wrote.
 */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as Error & { code?: unknown }
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

function workerMetrics(metrics: Metrics) {
  return {
    done: metrics.counter('service_jobs_done_total', 'Jobs that were run', ['kind']),
    failures: metrics.counter('service_jobs_failed_total', 'Runs of jobs that failed and are tried again', ['kind']),
    apart: metrics.counter('service_jobs_apart_total', 'Transactions of several jobs that failed; each was run alone then'),
    given: metrics.counter('service_jobs_given_up_total', 'Jobs that failed as often as their kind is tried', ['kind']),
    lateSeconds: metrics.gauge('service_jobs_late_seconds', 'How late the last job was leased, 0 when none is due'),
    lateness: metrics.histogram('service_jobs_lateness_seconds', 'How late jobs were leased for the first time', LATENESS, ['kind']),
    busy: metrics.gauge('service_jobs_running', 'Jobs that are run now'),
    dead: metrics.gauge('service_jobs_dead', 'Jobs that were given up and wait for an operator', ['kind'])
  }
}

/** Returns a function that counts the dead jobs, at most once a minute. */
function deadCount(pool: Pool, dead: ReturnType<typeof workerMetrics>['dead']): () => Promise<void> {
  let nextAt = 0
  return async () => {
    if (Date.now() < nextAt) return
    nextAt = Date.now() + COUNT_DEAD_EVERY_MS
    dead.reset()
    for (const [kind, count] of await countDeadJobs(pool)) dead.set({ kind }, count)
  }
}

/**
 * Notes how late a job is leased. A job that is tried again keeps the time at which it was due, so
 * it says nothing about the worker.
 */
function noteLateness({ lateSeconds, lateness }: ReturnType<typeof workerMetrics>, { kind, attempts, run_at }: LeasedJob): void {
  if (attempts > 1) return
  const late = Math.max(0, Date.now() - run_at) / 1000
  lateSeconds.set(late)
  lateness.observe({ kind }, late)
}

/** Shows operators how late the work is that waits for the folds. */
async function noteWaiting(pool: Pool, kinds: readonly string[], { lateSeconds }: ReturnType<typeof workerMetrics>): Promise<void> {
  lateSeconds.set((await overdue(pool, kinds, [])).work / 1000)
}

/** Tells `catchUp` whether work that writes has succeeded. */
async function reporting(catchUp: CatchUp, work: Promise<void>): Promise<void> {
  const from = performance.now()
  try {
    await work
    catchUp.wrote()
  } catch (error) {
    catchUp.failed(error, from)
    throw error
  }
}

export function startWorker(options: WorkerOptions): Worker {
  const { pool, log, metrics, runs, pollMs = 250, leaseMs = 20_000, catchUp = neverHolds } = options
  const all = options.places ?? PLACES
  const kinds = Object.keys(runs)
  const small = kinds.filter((kind) => isShared(runs[kind]))
  const shareOf = ({ kind }: LeasedJob): number => (isShared(runs[kind]) ? SMALL : 1)
  const places = createPlaces(all, shareOf)
  const counts = workerMetrics(metrics)
  const { done, failures, apart, given, lateSeconds, busy, dead } = counts
  const running = new Set<Promise<void>>()
  const countDead = deadCount(pool, dead)
  /** Places that the last look filled. */
  let found = 0
  const pages = createTurns({ atOnce: 1, waiting: all, crowded: () => new Error('more pages wait than there are places') })

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
      await reporting(catchUp, perform(options, job, places.isBusy))
      done.inc({ kind: job.kind })
    } catch (error) {
      if (!(error instanceof NotHeld)) await failed(job, error)
    }
  }

  /** Runs the jobs together. If that fails, each runs alone. */
  async function runAll(jobs: readonly LeasedJob[]): Promise<void> {
    const [job, another] = jobs
    if (!job) return
    if (!another) return run(job)
    try {
      await reporting(catchUp, performTogether(options, jobs, places.isBusy))
      for (const { kind } of jobs) done.inc({ kind })
    } catch (error) {
      apart.inc()
      log.debug({ err: error, jobs: jobs.length }, 'jobs of one transaction failed; each goes alone')
      for (const one of jobs) await told(one, run(one))
    }
  }

  /** Logs a failure that could not be written to Postgres either. The lease of the job runs out. */
  const told = ({ job_id }: LeasedJob, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => log.warn({ err: error, job_id }, 'a failed job could not be put off; its lease ends by itself'))

  function take(jobs: readonly LeasedJob[]): void {
    for (const job of jobs) {
      noteLateness(counts, job)
      places.take(job)
    }
    busy.set(places.jobs())
    const [first] = jobs
    if (!first) return
    const work: Promise<void> = told(first, isPage(runs[first.kind]) ? pages(() => runAll(jobs)) : runAll(jobs)).finally(() => {
      running.delete(work)
      for (const job of jobs) places.giveBack(job)
      busy.set(places.jobs())
      looking.wake()
    })
    running.add(work)
  }

  /** Returns the ms until a job can be leased, or 0 if one can be leased now. */
  async function waitForNext(): Promise<number> {
    const next = (await nextJobIn(pool, kinds)) ?? pollMs
    return catchUp.answered() ? Math.min(next, pollMs) : pollMs
  }

  async function look(isPoll: boolean): Promise<number> {
    const free = places.free()
    found = 0
    // With less than one whole place free, a job that needs a whole place would be looked for all
    // the time.
    if (free < 1) return pollMs
    if (!(await catchUp.mayAct())) return noteWaiting(pool, kinds, counts).then(() => pollMs)
    // A poll seldom finds a job. To ask for one is cheaper than to lease one.
    const next = isPoll ? await waitForNext() : 0
    if (next > 0) {
      lateSeconds.set(0)
      await countDead()
      return next
    }
    const jobs = await leaseJobs(pool, { kinds, small, most: free, perTenant: Math.ceil(all / 2), held: places.held, leaseMs })
    if (!catchUp.answered()) {
      await Promise.all(jobs.map((job) => delayJob(pool, job, 0)))
      return pollMs
    }
    found = jobs.reduce((sum, job) => sum + shareOf(job), 0)
    for (const unit of unitsOf(jobs, runs)) take(unit)
    if (jobs.length > 0) return 0
    lateSeconds.set(0)
    await countDead()
    return waitForNext()
  }

  const looking = startLooking({ look, leastMs: () => leastAfter(found), pollMs, log, failed: FAILED, onFailure: catchUp.failed })
  return {
    ready: looking.ready,
    wake: looking.wake,
    async close() {
      await looking.close()
      await Promise.all(running)
    }
  }
}
