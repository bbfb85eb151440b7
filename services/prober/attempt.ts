/**
 * One attempt at a check, whatever its type: its time, what it found, and what an error means.
 * Never rejects for what a target does: that is an outcome.
 */
import type { Assignment, Result } from '../../schemas/http/prober.ts'
import type { AssertionPool } from './assertion-pool.ts'
import type { AssertionResult } from './assertions.ts'
import type { SeenAnswer } from './captured.ts'
import type { TlsReport } from './certificate.ts'
import type { Network } from './connection.ts'
import { Undecided } from './evaluator.ts'
import { CheckFailure, ourFault, ProberFault, type Reason, timedOut, toFailure } from './failure.ts'
import { BodyTooLarge, Undecodable } from './http-body.ts'
import { Stopwatch, type Timings } from './phases.ts'
import type { Attempts } from './prober-type.ts'

export type DnsReport = NonNullable<Result['dns']>

export interface AttemptReport {
  /** prober_error: the prober could not do it, which says nothing of the target. */
  outcome: 'success' | 'degraded' | 'failure' | 'prober_error'
  reason: Reason | null
  message: string | null
  timings: Timings
  status: number | null
  version: string | null
  /** Of the body as it unpacks. */
  bytes: number | null
  /** Where each redirect led, without query: it may hold what is nobody's business. */
  redirects: string[]
  remoteIp: string | null
  tls: TlsReport | null
  dns: DnsReport | null
  /** Of a registered domain; null where nobody asked. */
  domainExpiresAt: string | null
  /** Of those that were decided. */
  assertions: AssertionResult[]
  /** Of a large body the beginning. */
  body: string | null
  /** Null where nothing of an answer may be kept. */
  answer: SeenAnswer | null
}

/**
 * What an attempt needs from outside. `abort` ends it; it then rejects with the signal's reason.
 */
export interface Edge {
  network: Network
  pool: Pick<AssertionPool, 'evaluate'>
  /** Epoch ms by the service's clock. */
  now: () => number
  abort: AbortSignal
}

/** An attempt under way. */
export interface Running {
  report: AttemptReport
  watch: Stopwatch
  /** Aborted when its time is over, or when it is given up. */
  signal: AbortSignal
  /** By performance.now(). */
  deadlineAt: number
  /** What the target had to do is done: what follows is not timed. */
  ended(): void
  /** Before what fails, for people: which part of the check it is. */
  at: string
}

/** Thrown into an attempt by its own clock. */
const OVER = Symbol('over')

export const emptyReport = (): AttemptReport => ({
  outcome: 'failure',
  reason: null,
  message: null,
  timings: { dns: null, connect: null, tls: null, request: null, ttfb: null, download: null, total: null },
  status: null,
  version: null,
  bytes: null,
  redirects: [],
  remoteIp: null,
  tls: null,
  dns: null,
  domainExpiresAt: null,
  assertions: [],
  body: null,
  answer: null
})

/** `perform` fills the report in; what it throws becomes the outcome. */
export async function attemptWithin(
  timeoutMs: number,
  abort: AbortSignal,
  perform: (running: Running) => Promise<void>
): Promise<AttemptReport> {
  const report = emptyReport()
  // Not AbortSignal.any: on Node 20 what it makes of a signal that lives as long as the process is
  // never freed.
  const ending = new AbortController()
  const onAbort = (): void => ending.abort(abort.reason)
  const timer = setTimeout(() => ending.abort(OVER), timeoutMs)
  if (abort.aborted) onAbort()
  abort.addEventListener('abort', onAbort)
  const watch = new Stopwatch()
  const ended = (): void => {
    watch.stop()
    clearTimeout(timer)
  }
  const running: Running = { report, watch, signal: ending.signal, deadlineAt: performance.now() + timeoutMs, ended, at: '' }
  try {
    await perform(running)
    watch.stop()
  } catch (error) {
    const { phase } = watch
    watch.stop()
    if (abort.aborted) throw abort.reason
    const own = error instanceof Undecided || error instanceof ProberFault ? error.message : ourFault(error, phase)
    if (own === null) {
      const failure = error === OVER ? timedOut(phase) : (bodyFailure(error) ?? toFailure(error, phase))
      if (!failure) throw error
      report.outcome = 'failure'
      report.reason = failure.reason
      report.message = `${running.at}${failure.message}`
    } else {
      report.outcome = 'prober_error'
      report.reason = null
      report.message = own
    }
  } finally {
    clearTimeout(timer)
    abort.removeEventListener('abort', onAbort)
  }
  report.timings = watch.read()
  return report
}

/** Of what is wrong with a body; null where nothing is. */
export function bodyFailure(error: unknown): CheckFailure | null {
  if (error instanceof BodyTooLarge) return new CheckFailure('body_too_large', error.message)
  return error instanceof Undecodable ? new CheckFailure('protocol', error.message) : null
}

/** The attempts of a plan: each is `perform`, within the time of the monitor. */
export function attemptsOf(assignment: Assignment, perform: (running: Running, edge: Edge) => Promise<void>): Attempts {
  const timeoutMs = assignment.timeout_seconds * 1000
  return { timeoutMs, attempt: (edge) => attemptWithin(timeoutMs, edge.abort, (running) => perform(running, edge)) }
}
