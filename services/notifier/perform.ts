/**
 * Runs leased jobs. The effect of a job and its end are one transaction; what the job sends itself
 * goes out between a first transaction and its end. Jobs of a kind with little work are done
 * together (SharedRun), so that hundreds a second cost few statements and few commits.
 * Source: docs/design/architecture.md#s6-jobs,
 * docs/decisions/0084-jobs-of-one-look-are-one-piece-of-work.md.
 */
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { byText } from '../../schemas/text-order.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { claimMade, type DeliveryRow, type MadeDelivery, watchDeliveries } from '../store/deliveries.ts'
import { finishJobs, type LeasedJob, repeatJob } from '../store/jobs.ts'
import { type Tx, tenantTransaction, transaction } from '../store/pool.ts'
import { retrying } from '../store/row-moved.ts'
import type { Place } from './deliver.ts'
import type { Again, JobContext, Outside, PageRun, RunJob, Runs, SharedRun } from './job.ts'
import type { WorkerOptions } from './worker.ts'

export type Act = Pick<WorkerOptions, 'pool' | 'codec' | 'runs' | 'desk' | 'post'>

/** Another worker holds a job, or the job was cancelled. What was done for it is rolled back. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld'
}

const notHeld = (jobs: readonly LeasedJob[]): NotHeld =>
  new NotHeld(
    jobs.length === 1 ? `job ${jobs[0]?.job_id} is not held any more` : `one of ${jobs.length} ${jobs[0]?.kind} jobs is not held any more`
  )

/** Deliveries that jobs have decided on: claimed in the same commit, or left in the queue. */
interface Decided {
  claimed: readonly DeliveryRow[]
  left: readonly MadeDelivery[]
}

/** Jobs that are done, or one job that is due again. */
type Ending = { jobs: readonly LeasedJob[]; again?: undefined } | { job: LeasedJob; again: Again }

const contextOf = ({ codec, post }: Act, kind: string): JobContext => ({
  codec,
  post,
  actor: { kind: 'system', id: kind, via: 'system', request_id: null }
})

type Run = Runs[string] | undefined

export const isShared = (run: Run): run is SharedRun => typeof run === 'object' && 'together' in run
export const isPage = (run: Run): run is PageRun => typeof run === 'object' && 'page' in run

/** Takes places for deliveries of a transaction, until it is over. */
type Reserve = (made: readonly MadeDelivery[]) => readonly Place[]

/** Ends the jobs as `ending` says, and claims the deliveries that they made while there is room. */
async function end({ desk }: Act, tx: Tx, ending: Ending, made: readonly MadeDelivery[], reserve: Reserve): Promise<Decided> {
  crashPoint('job.before-end')
  const [ended, claimed] = await Promise.all([
    ending.again ? repeatJob(tx, ending.job, ending.again) : finishJobs(tx, ending.jobs),
    desk ? claimMade(tx, reserve(made), desk) : []
  ])
  if (!ended) throw notHeld(ending.again ? [ending.job] : ending.jobs)
  const ids = new Set(claimed.map(({ delivery_id }) => delivery_id))
  return { claimed, left: made.filter(({ delivery_id }) => !ids.has(delivery_id)) }
}

async function inTransaction(act: Act, tx: Tx, job: LeasedJob, run: RunJob | undefined, reserve: Reserve): Promise<Decided | Outside> {
  const made = watchDeliveries(tx)
  const again = (await run?.(tx, job, contextOf(act, job.kind))) ?? undefined
  if (again && 'outside' in again) return again
  return end(act, tx, again ? { job, again } : { jobs: [job] }, made, reserve)
}

function handIn({ desk }: Act, { claimed, left }: Decided): void {
  desk?.take(claimed)
  if (left.length > 0) desk?.wake(left)
}

/**
 * Runs a transaction that decides on deliveries, and hands these in. While the worker `isBusy`,
 * they are left for a look at the queue, which claims many of them for a tenth of the work.
 */
async function deciding<T extends Decided | Outside>(act: Act, isBusy: () => boolean, work: (reserve: Reserve) => Promise<T>): Promise<T> {
  const { desk } = act
  const claims = !isBusy()
  const places: Place[] = []
  try {
    const decided = await work((made) => {
      if (desk && claims) places.push(...desk.reserve(made))
      return places
    })
    if (!('outside' in decided)) handIn(act, decided)
    return decided
  } finally {
    desk?.giveBack(places)
  }
}

/**
 * Runs one job, and runs it again at once if a row changed under its locks, or it lost a deadlock.
 */
export async function perform(act: Act, job: LeasedJob, isBusy: () => boolean): Promise<void> {
  const { pool, runs } = act
  const run = runs[job.kind]
  if (isShared(run)) return performTogether(act, [job], isBusy)
  crashPoint('job.after-lease')
  const decided = await retrying(() =>
    deciding(act, isBusy, (reserve) =>
      tenantTransaction(pool, wholeWorkspace(job.tenant_id), (tx) => inTransaction(act, tx, job, isPage(run) ? run.page : run, reserve))
    )
  )
  if (!('outside' in decided)) return
  // What was done outside is not done again for the sake of the transaction that ends the job.
  const ending = await decided.outside()
  await retrying(() =>
    tenantTransaction(pool, wholeWorkspace(job.tenant_id), async (tx) => {
      const again = await ending?.(tx)
      if (!(again ? await repeatJob(tx, job, again) : await finishJobs(tx, [job]))) throw notHeld([job])
    })
  )
}

/**
 * Runs jobs of one shared kind in one transaction. Rejects when one of them fails; then none of
 * them has any effect.
 */
export async function performTogether(act: Act, jobs: readonly LeasedJob[], isBusy: () => boolean): Promise<void> {
  const { pool, runs } = act
  const kind = jobs[0]?.kind ?? ''
  const run = runs[kind]
  if (!isShared(run)) throw new TypeError(`jobs of kind ${kind} are not done together`)
  crashPoint('job.after-lease')
  await deciding(act, isBusy, (reserve) =>
    transaction(pool, async (tx) => {
      const made = watchDeliveries(tx)
      await run.together(tx, jobs, contextOf(act, kind))
      return end(act, tx, { jobs }, made, reserve)
    })
  )
}

/**
 * Groups jobs into units of work. The jobs of one look of a shared kind are one unit, sorted by
 * their locks, so that two workers never deadlock. Every other job is a unit of its own.
 */
export function unitsOf(jobs: readonly LeasedJob[], runs: Runs): LeasedJob[][] {
  const together = new Map<string, { lock: string; job: LeasedJob }[]>()
  const units: LeasedJob[][] = []
  for (const job of jobs) {
    const run = runs[job.kind]
    const lock = isShared(run) ? run.lock(job) : null
    if (lock === null) units.push([job])
    else together.set(job.kind, [...(together.get(job.kind) ?? []), { lock, job }])
  }
  const inOrder = [...together.values()].map((one) => one.sort((a, b) => byText(a.lock, b.lock)))
  return [...inOrder.map((one) => one.map(({ job }) => job)), ...units]
}
