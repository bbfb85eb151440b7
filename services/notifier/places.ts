/**
 * The places of a worker: a job takes one, and one of a small kind a quarter of one (SMALL). They
 * bound how many transactions there are at once, and what one workspace may have of them.
 */
import type { LeasedJob } from '../store/jobs.ts'

export interface Places {
  /** Those that nothing has taken. */
  free(): number
  /** More than half are taken. */
  isBusy(): boolean
  /** By workspace, what its jobs have taken. */
  held: ReadonlyMap<string, number>
  /** Jobs that have taken any. */
  jobs(): number
  take(job: LeasedJob): void
  giveBack(job: LeasedJob): void
}

/** `shareOf`: what a job takes of a place. */
export function createPlaces(all: number, shareOf: (job: LeasedJob) => number): Places {
  const held = new Map<string, number>()
  let taken = 0
  let jobs = 0

  function change(job: LeasedJob, by: 1 | -1): void {
    const { tenant_id } = job
    const share = by * shareOf(job)
    const own = (held.get(tenant_id) ?? 0) + share
    if (own > 0) held.set(tenant_id, own)
    else held.delete(tenant_id)
    taken += share
    jobs += by
  }

  return {
    free: () => all - taken,
    isBusy: () => taken > all / 2,
    held,
    jobs: () => jobs,
    take: (job) => change(job, 1),
    giveBack: (job) => change(job, -1)
  }
}
