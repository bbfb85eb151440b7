/** The contract of a job's run: one file a kind in jobs/, named after it. */
import type { Codec } from '../../schemas/codec.ts'
import type { Deployment } from '../channels/channel.ts'
import type { HttpSender } from '../delivery/http.ts'
import type { MailSender } from '../delivery/perform.ts'
import type { Actor } from '../store/audit.ts'
import type { LeasedJob } from '../store/jobs.ts'
import type { Tx } from '../store/pool.ts'
import type { HoldEnd } from '../store/releases.ts'

/** By what a job sends itself. */
export interface Post {
  /** Null: this deployment sends no mail. */
  mail: MailSender | null
  http: HttpSender
  deployment: Deployment
  secretsKey: string
  publicUrl: string
}

export interface JobContext {
  codec: Codec
  /** Missing where nothing is sent. */
  post?: Post | undefined
  /** Who acts: the service itself, for this job. */
  actor: Actor
}

/** The job is due again then (epoch ms), with this payload. */
export interface Again {
  at: number
  payload: Record<string, unknown>
}

/**
 * What is done after the transaction and before the job ends, so that nothing is locked while the
 * other side answers. Whoever dies between the two does it again.
 */
export interface Outside {
  outside(): Promise<Ending | undefined> | Promise<void>
}

/** What was learned outside, written in the transaction that ends the job. */
export type Ending = (tx: Tx) => Promise<Again | undefined>

/**
 * Does what the job is for, inside the transaction that also ends the job. Nothing to do any more
 * (it was resumed, deleted, resolved) is no failure: it returns. What it throws is tried again
 * later. It locks what it changes before the job's row is touched, in the order in which the api
 * does. It must not cancel its own key: it ends by returning, or goes on by returning `Again`.
 */
export type RunJob = (tx: Tx, job: LeasedJob, context: JobContext) => Promise<Again | Outside | undefined> | Promise<void>

/**
 * Of a kind of which hundreds a second may be due, and each does little: the jobs of one look are
 * done together, in one transaction, of whichever workspaces they are. Nothing that it reads may
 * depend on the workspace of the transaction, and it sends nothing itself. Where one fails, all are
 * rolled back, and each is done alone.
 */
export interface SharedRun {
  /**
   * What the job locks first. Null: the payload does not say, and the job fails alone. It throws
   * nothing: a look at the queue asks for it.
   */
  lock(job: LeasedJob): string | null
  /**
   * The jobs come in the order of the texts of `lock`, and it locks in that order. Several may lock
   * the same.
   */
  together(tx: Tx, jobs: readonly LeasedJob[], context: JobContext): Promise<void>
}

/**
 * Of a kind whose job locks the keys of many incidents, a page of them. A worker runs such jobs one
 * after another. At the same time, each would hold its locks for as long as all of them take, and
 * alerts of these incidents would wait for it, with everything that was read along with them.
 */
export interface PageRun {
  page: RunJob
}

/** What each kind of job does when it is due. */
export type Runs = Readonly<Record<string, RunJob | SharedRun | PageRun>>

/** A field of the payload, which rules wrote; throws where it is not what they write. */
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

/** What a job that ends a hold says of itself, at Postgres's time. */
export async function endOf(tx: Tx, { job_id }: LeasedJob): Promise<HoldEnd> {
  const { rows } = await tx.query<{ now: number }>('SELECT clock_timestamp() AS now')
  const at = rows[0]?.now
  if (at === undefined) throw new Error('Postgres told no time')
  return { at, kind: 'job', src: `job:${job_id}`, request_id: null }
}
