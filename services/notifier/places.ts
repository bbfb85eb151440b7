/**
 * The places of a worker. A job takes one place, a job of a small kind takes a quarter of one
 * (SMALL). Places limit how many transactions run at once, and how many of them one workspace may
 * have.
 */
import type { LeasedJob } from '../store/jobs.ts'

export interface Places {
  /** Places that are free. */
  free(): number
  /** True when more than half of the places are taken. */
  isBusy(): boolean
  /** Places that the jobs of each workspace have taken. */
  held: ReadonlyMap<string, number>
  /** Number of jobs that hold places. */
  jobs(): number
  take(job: LeasedJob): void
  giveBack(job: LeasedJob): void
}

/** `shareOf` returns how much of a place a job takes. */
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
