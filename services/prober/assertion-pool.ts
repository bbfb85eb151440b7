/**
 * Evaluates assertions in separate processes, for those that must not run beside other checks. Each
 * process takes one answer at a time, for a limited time.
 *
 * Workspaces share the places in these processes as they share those of checks (gate.ts). Waiting
 * is limited in time and bytes. A process starts when it is first needed and stays. A process that
 * has ended is replaced at once, so that the next check does not wait for a start. A monitor whose
 * assertions took too much is not evaluated for a while (cooling.ts). What cannot be decided is
 * Undecided, which says nothing about the target.
 */
import type { Assertion } from '../../schemas/http/check-config.ts'
import type { TimeLimit } from '../process/child.ts'
import { FairGate } from '../process/gate.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { AssertionResult, Facts } from './assertions.ts'
import { unlessAborted } from './connection.ts'
import { Cooling } from './cooling.ts'
import { type Evaluator, startEvaluator, Undecided } from './evaluator.ts'

/** Limit for one answer, with all its assertions. */
export const ANSWER_LIMIT: TimeLimit = { processorMs: 2000, clockMs: 8000 }
const MAX_WAIT_MS = 10_000
/**
 * Limit on the bytes of all waiting bodies. Above it, a job is still admitted if no other job of
 * its workspace is waiting.
 */
const MAX_WAITING_BYTES = 256 * 1_048_576

export interface Job {
  /** Workspace. */
  share: string
  /** Its id and version. */
  monitor: string
  /** All assertions of the monitor, and the positions of those to evaluate. */
  assertions: readonly Assertion[]
  asked: readonly number[]
  facts: Omit<Facts, 'body'>
  /** The body in pieces. */
  body: readonly Buffer[]
  contentType: string | undefined
}

export interface AssertionPool {
  /**
   * Returns one result for each assertion in `asked`. Rejects with Undecided, or with the reason of
   * `signal`.
   */
  evaluate(job: Job, signal: AbortSignal): Promise<AssertionResult[]>
  /** Ends all processes. No process starts after that: a later call rejects with Undecided. */
  close(): void
}

export interface PoolOptions {
  processes: number
  log: Log
  metrics: Metrics
  /** Whether there is only one workspace. */
  isAlone?: () => boolean
  /** Limit for one answer; default: ANSWER_LIMIT. */
  limit?: TimeLimit
}

export function createAssertionPool({ processes, log, metrics, isAlone, limit = ANSWER_LIMIT }: PoolOptions): AssertionPool {
  const gate = new FairGate(processes, isAlone)
  const living = new Set<Evaluator>()
  const idle: Evaluator[] = []
  const cooling = new Cooling()
  let waitingBytes = 0
  let isClosed = false
  const undecided = metrics.counter('service_prober_undecided_total', 'Checks whose assertions were not decided, by reason', ['reason'])

  function leaveAlone(monitor: string): void {
    const rest = cooling.rest(monitor)
    if (rest === 0) return
    throw new Undecided('costly', `The assertions took too much lately; they are evaluated again in ${Math.ceil(rest / 1000)} s`)
  }

  async function enter({ share, body }: Job, signal: AbortSignal): Promise<void> {
    const bytes = body.reduce((sum, piece) => sum + piece.length, 0)
    if (waitingBytes + bytes > MAX_WAITING_BYTES && gate.isWaiting(share)) {
      throw new Undecided('busy', 'The prober is busy with other assertions of this workspace')
    }
    // AbortSignal.any is not used here; attempt.ts says why.
    const waiting = new AbortController()
    const onAbort = (): void => waiting.abort(signal.reason)
    const late = new Undecided('busy', 'The prober was too busy to evaluate the assertions')
    const timer = setTimeout(() => waiting.abort(late), MAX_WAIT_MS)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    waitingBytes += bytes
    try {
      await gate.enter(share, waiting.signal)
    } finally {
      waitingBytes -= bytes
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  function start(): Evaluator {
    const one = startEvaluator(log)
    living.add(one)
    return one
  }

  function take(): Evaluator {
    if (isClosed) throw new Undecided('process', 'The prober is ending')
    for (let one = idle.pop(); one; one = idle.pop()) {
      if (one.isAlive) return one
      living.delete(one)
    }
    return start()
  }

  function giveBack(one: Evaluator): void {
    if (one.isAlive) {
      idle.push(one)
      return
    }
    living.delete(one)
    if (isClosed) return
    try {
      idle.push(start())
    } catch (error) {
      // The next check that needs a process tries to start one again, and reports a failure.
      log.warn({ err: error }, 'no process for assertions could be started')
    }
  }

  async function evaluate(job: Job, signal: AbortSignal): Promise<AssertionResult[]> {
    await enter(job, signal)
    try {
      const { assertions, asked, facts, body, contentType } = job
      const one = take()
      try {
        return await unlessAborted(one.ask({ assertions, asked, facts, contentType: contentType ?? null }, body, limit, signal), signal)
      } finally {
        giveBack(one)
      }
    } finally {
      gate.leave(job.share)
    }
  }

  return {
    async evaluate(job, signal) {
      const { monitor } = job
      try {
        leaveAlone(monitor)
        const results = await evaluate(job, signal)
        cooling.decided(monitor)
        return results
      } catch (error) {
        if (error instanceof Undecided) {
          if (error.reason === 'deadline' || error.reason === 'memory') cooling.tooCostly(monitor)
          undecided.inc({ reason: error.reason })
        }
        throw error
      }
    },
    close() {
      isClosed = true
      for (const one of living) one.kill()
    }
  }
}
