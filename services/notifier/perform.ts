/**
 * Runs leased jobs: the effect of each in one transaction with its end, and what it sends itself
 * between the two. Jobs that do little share a transaction, so that hundreds a second cost few
 * commits and few round trips: what they ask leaves together.
 * Source: docs/design/architecture.md#s6-jobs,
 * docs/decisions/0082-small-jobs-of-one-look-share-a-transaction.md.
 */
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { claimMade, type DeliveryRow, type MadeDelivery, watchDeliveries } from '../store/deliveries.ts'
import { finishJob, type LeasedJob, repeatJob } from '../store/jobs.ts'
import { type Tx, tenantTransaction, transaction } from '../store/pool.ts'
import { RowMoved } from '../store/row-moved.ts'
import type { Outside } from './job.ts'
import { sharedLock } from './kinds.ts'
import type { WorkerOptions } from './worker.ts'

export type Act = Pick<WorkerOptions, 'pool' | 'codec' | 'runs' | 'desk' | 'post'>

const MAX_TRIES = 3

/** Somebody else holds the job, or it was cancelled: what was done for it is rolled back. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld'
}

/** What a job has decided to send: claimed with its commit, or left in the queue. */
interface Decided {
  claimed: readonly DeliveryRow[]
  left: readonly MadeDelivery[]
}

/** The client as a value of this job alone, with the deliveries that it makes. */
function watched(client: Tx): { tx: Tx; made: readonly MadeDelivery[] } {
  const tx: Tx = { query: (text, values) => client.query(text, values) }
  return { tx, made: watchDeliveries(tx) }
}

/** `room`: deliveries that it may claim. */
async function inTransaction({ codec, runs, desk, post }: Act, client: Tx, job: LeasedJob, room: number): Promise<Decided | Outside> {
  const { tx, made } = watched(client)
  const actor = { kind: 'system', id: job.kind, via: 'system', request_id: null } as const
  const again = await runs[job.kind]?.(tx, job, { codec, post, actor })
  if (again && 'outside' in again) return again
  crashPoint('job.before-end')
  const [ended, claimed] = await Promise.all([
    again ? repeatJob(tx, job, again) : finishJob(tx, job),
    desk && room > 0 ? claimMade(tx, job.tenant_id, made.filter(desk.mayTake), { leaseMs: desk.leaseMs, room }) : []
  ])
  if (!ended) throw new NotHeld(`job ${job.job_id} is not held any more`)
  const ids = new Set(claimed.map(({ delivery_id }) => delivery_id))
  return { claimed, left: made.filter(({ delivery_id }) => !ids.has(delivery_id)) }
}

function handIn({ desk }: Act, decided: readonly Decided[]): void {
  desk?.take(decided.flatMap(({ claimed }) => claimed))
  const left = decided.flatMap((one) => one.left)
  if (left.length > 0) desk?.wake(left)
}

/**
 * Runs one job, and again at once if a row changed under its locks. While the worker `isBusy`, the
 * deliveries that the job makes wait for a look at the queue, which claims many for a tenth of the
 * work.
 */
export async function perform(act: Act, job: LeasedJob, isBusy: () => boolean): Promise<void> {
  const { pool, desk } = act
  crashPoint('job.after-lease')
  for (let tries = 1; ; tries++) {
    try {
      const room = desk && !isBusy() ? desk.room() : 0
      const decided = await tenantTransaction(pool, wholeWorkspace(job.tenant_id), (client) => inTransaction(act, client, job, room))
      if (!('outside' in decided)) return handIn(act, [decided])
      const end = await decided.outside()
      await tenantTransaction(pool, wholeWorkspace(job.tenant_id), async (tx) => {
        const again = await end?.(tx)
        if (!(again ? await repeatJob(tx, job, again) : await finishJob(tx, job)))
          throw new NotHeld(`job ${job.job_id} is not held any more`)
      })
      return
    } catch (error) {
      if (!(error instanceof RowMoved) || tries === MAX_TRIES) throw error
    }
  }
}

/**
 * Several jobs in one transaction, each as `perform` runs it. Rejects when one of them fails; then
 * nothing of any happened. Waits for all of them: a statement that goes on after the ROLLBACK would
 * be outside the transaction.
 */
export async function performTogether(act: Act, jobs: readonly LeasedJob[], isBusy: () => boolean): Promise<void> {
  const { pool, desk } = act
  crashPoint('job.after-lease')
  const room = desk && !isBusy() ? Math.floor(desk.room() / jobs.length) : 0
  const decided = await transaction(pool, async (client) => {
    const settled = await Promise.allSettled(jobs.map((job) => inTransaction(act, client, job, room)))
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason
      if ('outside' in one.value) throw new TypeError('a job that shares a transaction sends nothing itself')
      return one.value
    })
  })
  handIn(act, decided)
}

/**
 * What runs together: the jobs of one look that may share a transaction, no two of them with the
 * same lock and in the order of their locks, so that two workers never wait for each other; every
 * other job alone.
 */
export function unitsOf(jobs: readonly LeasedJob[]): LeasedJob[][] {
  const together = new Map<string, LeasedJob>()
  const units: LeasedJob[][] = []
  for (const job of jobs) {
    const lock = sharedLock(job)
    if (lock === null || together.has(lock)) units.push([job])
    else together.set(lock, job)
  }
  const inOrder = [...together].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, job]) => job)
  return inOrder.length > 0 ? [inOrder, ...units] : units
}
