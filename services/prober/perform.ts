/**
 * Performs one round of a monitor, from its plan to its result. A fault of the prober becomes a
 * result too.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Assignment, Result } from '../../schemas/http/prober.ts'
import type { FairGate } from '../process/gate.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { AssertionPool } from './assertion-pool.ts'
import type { AttemptReport } from './attempt.ts'
import { performRound, type Round, resultWithout } from './check.ts'
import type { Network } from './connection.ts'
import type { Plan, Watched } from './watched.ts'

export interface PerformOptions {
  version: string
  /** Epoch ms by the service's clock. */
  now: () => number
  network: () => Network
  pool: Pick<AssertionPool, 'evaluate'>
  /** Makes the plan for a monitor that has none yet. */
  plan: (assignment: Assignment) => Plan
  /** The caller holds a place. A pause between two attempts gives it back. */
  gate: FairGate
  /** Aborts running attempts; the round then rejects. */
  signal: AbortSignal
  log: Log
  metrics: Metrics
}

/**
 * The plan that is made is stored in `one`. `failed` receives the report of the last attempt of a
 * failed check.
 */
export type Perform = (one: Pick<Watched, 'assignment' | 'plan'>, round: Round, failed?: (last: AttemptReport) => void) => Promise<Result>

export function createPerform({ version, now, network, pool, plan, gate, signal, log, metrics }: PerformOptions): Perform {
  const durations = metrics.histogram(
    'service_prober_check_duration_seconds',
    'Duration of checks, attempts and pauses included',
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    []
  )

  async function rest(ms: number, share: string): Promise<void> {
    gate.leave(share)
    try {
      await wait(ms, undefined, { signal })
    } finally {
      await gate.enter(share)
    }
  }

  return async (one, round, failed) => {
    const { assignment } = one
    one.plan ??= plan(assignment)
    const own = one.plan
    if ('fault' in own) return resultWithout(assignment, round, 'prober_error', own.fault, now(), version)
    const done = durations.startTimer()
    try {
      return await performRound(own, assignment.retry, assignment, round, {
        network: network(),
        pool,
        now,
        abort: signal,
        rest: (ms) => rest(ms, assignment.tenant_ref),
        version,
        ...(failed && { failed })
      })
    } catch (error) {
      if (signal.aborted) throw error
      log.error({ err: error, monitor_id: assignment.monitor_id }, 'a check failed by a fault of the prober')
      return resultWithout(assignment, round, 'prober_error', 'The prober failed', now(), version)
    } finally {
      done()
    }
  }
}
