/**
 * Runs one attempt at a check of any type: limits its time, collects what it finds, and turns
 * errors into outcomes. Never rejects because of the target; a failing target is an outcome.
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
  /** `prober_error`: the prober itself could not do the check. It says nothing about the target. */
  outcome: 'success' | 'degraded' | 'failure' | 'prober_error'
  /** A `prober_error` that may go better in a moment, and is repeated like a failure. */
  again: boolean
  reason: Reason | null
  message: string | null
  timings: Timings
  status: number | null
  version: string | null
  /** Bytes of the decoded body. */
  bytes: number | null
  /** Where each redirect led, without the query, which may hold private data. */
  redirects: string[]
  remoteIp: string | null
  tls: TlsReport | null
  dns: DnsReport | null
  /** Expiry of a registered domain; null if the check does not ask for it. */
  domainExpiresAt: string | null
  /** Results of the assertions that were decided. */
  assertions: AssertionResult[]
  /** For a large body, only its beginning. */
  body: string | null
  /** Null if nothing of an answer may be kept. */
  answer: SeenAnswer | null
}

/**
 * What an attempt needs from outside. `abort` ends the attempt, which then rejects with the
 * signal's reason.
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
  /** Aborted when the attempt's time is over, or when the attempt is given up. */
  signal: AbortSignal
  /** By performance.now(). Moves while the time stands still. */
  deadlineAt: number
  /**
   * Does work of the prober's own between two parts of a check. The time of the attempt stands
   * still meanwhile, because a busy prober says nothing about the target.
   */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Marks that the target has done its part: later work is not timed. */
  ended(): void
  /** Prefix of a failure message, for people: names the part of the check. */
  at: string
}

/** Abort reason when the attempt's own timeout is over. */
const OVER = Symbol('over')

export const emptyReport = (): AttemptReport => ({
  outcome: 'failure',
  again: false,
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

/** Runs `perform`, which fills in the report. An error that it throws becomes the outcome. */
export async function attemptWithin(
  timeoutMs: number,
  abort: AbortSignal,
  perform: (running: Running) => Promise<void>
): Promise<AttemptReport> {
  const report = emptyReport()
  // AbortSignal.any is not used: on Node 20, the signals that it derives from a signal that lives
  // as long as the process are never freed.
  const ending = new AbortController()
  const onAbort = (): void => ending.abort(abort.reason)
  const end = (): void => ending.abort(OVER)
  let timer = setTimeout(end, timeoutMs)
  if (abort.aborted) onAbort()
  abort.addEventListener('abort', onAbort)
  const watch = new Stopwatch()
  const ended = (): void => {
    watch.stop()
    clearTimeout(timer)
  }
  const aside = async <T>(work: () => Promise<T>): Promise<T> => {
    clearTimeout(timer)
    watch.pause()
    const leftMs = running.deadlineAt - performance.now()
    try {
      return await work()
    } finally {
      watch.resume()
      running.deadlineAt = performance.now() + leftMs
      timer = setTimeout(end, leftMs)
    }
  }
  const running: Running = { report, watch, signal: ending.signal, deadlineAt: performance.now() + timeoutMs, ended, aside, at: '' }
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
      report.again = error instanceof ProberFault && error.again
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

/** Returns the failure for an error about a body; null for other errors. */
export function bodyFailure(error: unknown): CheckFailure | null {
  if (error instanceof BodyTooLarge) return new CheckFailure('body_too_large', error.message)
  return error instanceof Undecodable ? new CheckFailure('protocol', error.message) : null
}

/** Returns the attempts of a plan. Each one runs `perform` within the monitor's timeout. */
export function attemptsOf(assignment: Assignment, perform: (running: Running, edge: Edge) => Promise<void>): Attempts {
  const timeoutMs = assignment.timeout_seconds * 1000
  return { timeoutMs, attempt: (edge) => attemptWithin(timeoutMs, edge.abort, (running) => perform(running, edge)) }
}
