/** The contract of a job. Each kind of job has one file in jobs/, named after it. */
import type { Codec } from '../../schemas/codec.ts'
import type { Deployment } from '../channels/channel.ts'
import type { HttpSender } from '../delivery/http.ts'
import type { MailSender } from '../delivery/perform.ts'
import type { Actor } from '../store/audit.ts'
import type { LeasedJob } from '../store/jobs.ts'
import type { Tx } from '../store/pool.ts'
import type { HoldEnd } from '../store/releases.ts'

/** What jobs need to send something themselves. */
export interface Post {
  /** Null when this deployment sends no mail. */
  mail: MailSender | null
  http: HttpSender
  deployment: Deployment
  secretsKey: string
  publicUrl: string
}

export interface JobContext {
  codec: Codec
  /** Missing when nothing is sent. */
  post?: Post | undefined
  /** The actor is the service itself, on behalf of this job. */
  actor: Actor
}

/** The job is due again at `at` (epoch ms), with this payload. */
export interface Again {
  at: number
  payload: Record<string, unknown>
}

/**
 * Work that is done after the transaction and before the job ends, so that no lock is held while
 * the other side answers. If the worker dies in between, the work is done again.
 */
export interface Outside {
  outside(): Promise<Ending | undefined> | Promise<void>
}

/** Writes what was learned outside, in the transaction that ends the job. */
export type Ending = (tx: Tx) => Promise<Again | undefined>

/**
 * Does the work of the job, inside the transaction that also ends the job. When there is nothing
 * left to do (resumed, deleted, resolved), it returns; that is no failure. When it throws, the job
 * is tried again later. It locks what it changes before it touches the job's row, in the same order
 * as the api. It must not cancel its own key: it ends by returning, and continues by returning
 * `Again`.
 */
export type RunJob = (tx: Tx, job: LeasedJob, context: JobContext) => Promise<Again | Outside | undefined> | Promise<void>

/**
 * For a kind of which hundreds of jobs a second may be due, each with little work. The jobs of one
 * look are done together in one transaction, across workspaces. So nothing that the run reads may
 * depend on the workspace of the transaction, and the run sends nothing itself. When one job fails,
 * all are rolled back and each is done alone.
 */
export interface SharedRun {
  /**
   * Returns what the job locks first. Null when the payload does not say; the job then fails alone.
   * It never throws, because every look at the queue calls it.
   */
  lock(job: LeasedJob): string | null
  /**
   * Does the jobs, which come sorted by the text of `lock`; it must lock in that order. Several
   * jobs may have the same lock.
   */
  together(tx: Tx, jobs: readonly LeasedJob[], context: JobContext): Promise<void>
}

/**
 * For a kind whose job locks the keys of many incidents, one page at a time. A worker runs such
 * jobs one after another. If they ran at the same time, each would hold its locks for as long as
 * all of them take. Alerts of those incidents would then wait, together with everything that was
 * read along with them.
 */
export interface PageRun {
  page: RunJob
}

/** What each kind of job does when it is due. */
export type Runs = Readonly<Record<string, RunJob | SharedRun | PageRun>>

/** Returns a field of the payload. Throws when it is not of the type that the rules write. */
export function payloadText(job: LeasedJob, name: string): string {
  const value = job.payload[name]
  if (typeof value !== 'string') throw new TypeError(`job ${job.kind}: payload.${name} is no text`)
  return value
}

export function payloadNumber(job: LeasedJob, name: string): number {
  const value = job.payload[name]
  if (typeof value !== 'number') throw new TypeError(`job ${job.kind}: payload.${name} is no number`)
  return value
}

export function payloadInstant(job: LeasedJob, name: string): number {
  const value = job.payload[name]
  if (typeof value !== 'number') throw new TypeError(`job ${job.kind}: payload.${name} is no instant`)
  return value
}

/** Returns the source of a hold's end: this job, at Postgres's time. */
export async function endOf(tx: Tx, { job_id }: LeasedJob): Promise<HoldEnd> {
  const { rows } = await tx.query<{ now: number }>('SELECT clock_timestamp() AS now')
  const at = rows[0]?.now
  if (at === undefined) throw new Error('Postgres told no time')
  return { at, kind: 'job', src: `job:${job_id}`, request_id: null }
}
