/**
 * The rounds of what this prober checks: which slot is due, one timer for the next of them all, a bound on how many run at a time, whose places
 * workspaces share (gate.ts).
 *
 * A slot that cannot start before the next one (too many at a time, the round before still under way, the process was stopped) is reported as missed_window and
 * not made up for; of a long stop only the first missed slot is reported. A pause between two attempts of a round holds no place.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Assignment, Result } from '../../schemas/http/prober.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { AssertionPool } from './assertion-pool.ts'
import { performRound, type Round, resultWithout } from './check.ts'
import { FairGate } from './gate.ts'
import type { Network } from './http-hop.ts'
import type { HttpPlan } from './http-plan.ts'
import { checkId, DueQueue, nextSlot, slotOffset } from './schedule.ts'

/** A timer sleeps no longer, so that a clock that was set is noticed. */
const LONGEST_SLEEP_MS = 60_000

export interface RoundsOptions {
  version: string
  region: () => string
  /** Epoch ms by the service's clock. */
  now: () => number
  network: () => Network
  pool: Pick<AssertionPool, 'evaluate'>
  /** What to do for a monitor, or why nothing can be done. */
  plan: (assignment: Assignment) => HttpPlan | { fault: string }
  concurrency: number
  onResult: (result: Result) => void
  log: Log
  metrics: Metrics
}

interface Watched {
  assignment: Assignment
  plan: HttpPlan | { fault: string } | null
  /** Grows when its slots change; an entry of the queue with another is stale. */
  generation: number
  /** Slot that waits for a place; null when none does. */
  waiting: number | null
  isRunning: boolean
}

export interface Rounds {
  /** Checks the monitor from its next slot on; one that is held goes on with the new settings, in its rhythm where the interval is the same. */
  watch(assignment: Assignment): void
  /** A round under way ends and is reported. */
  unwatch(monitorId: string): void
  watches(monitorId: string): boolean
  readonly size: number
  readonly running: number
  /** Workspaces whose monitors are watched. */
  readonly workspaces: number
  /**
   * Milliseconds since the oldest slot that should have begun and has not, of workspaces for whom nothing runs; 0 when nothing is late. A workspace that
   * waits because it uses up its own share says nothing of the prober.
   */
  oldestDueMs(): number
  /** Plans are made anew at the next round: keys or networks changed. */
  replan(): void
  /** The clock was corrected: slots are counted anew. */
  reschedule(): void
  /** An on-demand check, at once, beside the slots. */
  once(monitorId: string, check: { checkId: string; scheduledAt: number; count: boolean; expiresAt: number }): void
  /** Starts nothing any more; waits for what runs until `deadlineAt` (performance.now()), then gives it up. */
  close(deadlineAt: number): Promise<void>
}

export function createRounds(options: RoundsOptions): Rounds {
  const { now, log, metrics, version, onResult } = options
  const watched = new Map<string, Watched>()
  const queue = new DueQueue<{ watched: Watched; generation: number }>()
  /** Workspace → how many of its monitors are watched. */
  const shares = new Map<string, number>()
  const gate = new FairGate(options.concurrency, () => shares.size === 1)
  const underWay = new Set<Promise<void>>()
  const aborting = new AbortController()
  // Each check listens to it.
  setMaxListeners(0, aborting.signal)
  const outcomes = metrics.counter('service_prober_checks_total', 'Checks by outcome', ['outcome'])
  const durations = metrics.histogram(
    'service_prober_check_duration_seconds',
    'Duration of checks, attempts and pauses included',
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    []
  )
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  const intervalOf = ({ assignment }: Watched): number => assignment.interval_seconds * 1000
  const slotAfter = (one: Watched, instant: number): number =>
    nextSlot(instant, intervalOf(one), slotOffset(one.assignment.monitor_id, intervalOf(one)))
  const isHeld = (one: Watched): boolean => watched.get(one.assignment.monitor_id) === one

  function put(one: Watched, at: number): void {
    queue.put(at, { watched: one, generation: one.generation })
  }

  function arm(): void {
    clearTimeout(timer)
    timer = undefined
    if (isClosing || queue.firstAt === null) return
    timer = setTimeout(wake, Math.min(LONGEST_SLEEP_MS, Math.max(0, queue.firstAt - now())))
  }

  function wake(): void {
    const instant = now()
    for (let due = queue.take(instant); due; due = queue.take(instant)) {
      const { watched: one, generation } = due.item
      if (!isHeld(one) || one.generation !== generation) continue
      const next = slotAfter(one, instant)
      put(one, next)
      if (next - due.at > intervalOf(one)) missed(one, due.at, 'The prober was not running in time for this check')
      begin(one, next - intervalOf(one))
    }
    arm()
  }

  const roundOf = (one: Watched, slot: number): Round => ({
    checkId: checkId(one.assignment.monitor_id, options.region(), slot),
    scheduledAt: slot,
    endsAt: slot + intervalOf(one),
    onDemand: false,
    count: true
  })

  function report(result: Result): void {
    outcomes.inc({ outcome: result.outcome })
    onResult(result)
  }

  function missed(one: Watched, slot: number, message: string): void {
    report(resultWithout(one.assignment, roundOf(one, slot), 'missed_window', message, now(), version))
  }

  function begin(one: Watched, slot: number): void {
    if (one.isRunning) missed(one, slot, 'The check before it was still running')
    else if (one.waiting !== null) {
      missed(one, one.waiting, 'The prober was too busy for this check')
      one.waiting = slot
    } else {
      one.waiting = slot
      track(runSlot(one))
    }
  }

  function track(work: Promise<void>): void {
    const guarded = work
      .catch((error: unknown) => {
        if (!aborting.signal.aborted) log.error({ err: error }, 'a check failed by a fault of the prober')
      })
      .finally(() => underWay.delete(guarded))
    underWay.add(guarded)
  }

  async function runSlot(one: Watched): Promise<void> {
    // It may come to another assignment while it waits, though never to another workspace.
    const { tenant_ref: share } = one.assignment
    await gate.enter(share)
    try {
      const slot = one.waiting
      one.waiting = null
      if (slot === null || isClosing || !isHeld(one)) return
      if (now() >= slot + intervalOf(one)) {
        missed(one, slot, 'The prober was too busy for this check')
        return
      }
      one.isRunning = true
      report(await perform(one, roundOf(one, slot)))
    } finally {
      one.isRunning = false
      gate.leave(share)
    }
  }

  async function perform(one: Watched, round: Round): Promise<Result> {
    const { assignment } = one
    one.plan ??= options.plan(assignment)
    const { plan } = one
    if ('fault' in plan) return resultWithout(assignment, round, 'prober_error', plan.fault, now(), version)
    const done = durations.startTimer()
    try {
      return await performRound(plan, assignment.retry, assignment.config.capture_on_failure ?? true, assignment, round, {
        network: options.network(),
        pool: options.pool,
        now,
        abort: aborting.signal,
        rest: (ms) => rest(ms, assignment.tenant_ref),
        version
      })
    } catch (error) {
      if (aborting.signal.aborted) throw error
      log.error({ err: error, monitor_id: assignment.monitor_id }, 'a check failed by a fault of the prober')
      return resultWithout(assignment, round, 'prober_error', 'The prober failed', now(), version)
    } finally {
      done()
    }
  }

  async function rest(ms: number, share: string): Promise<void> {
    gate.leave(share)
    try {
      await wait(ms, undefined, { signal: aborting.signal })
    } finally {
      await gate.enter(share)
    }
  }

  async function runOnce(one: Watched, round: Round): Promise<void> {
    const { tenant_ref: share } = one.assignment
    await gate.enter(share)
    try {
      if (!isClosing && isHeld(one) && now() < round.endsAt) report(await perform(one, round))
    } finally {
      gate.leave(share)
    }
  }

  function count(share: string, change: 1 | -1): void {
    const left = (shares.get(share) ?? 0) + change
    if (left > 0) shares.set(share, left)
    else shares.delete(share)
  }

  function drop(monitorId: string): void {
    const one = watched.get(monitorId)
    if (one && watched.delete(monitorId)) count(one.assignment.tenant_ref, -1)
  }

  return {
    watch(assignment) {
      const held = watched.get(assignment.monitor_id)
      const one: Watched = held ?? { assignment, plan: null, generation: 0, waiting: null, isRunning: false }
      const isSameRhythm = held?.assignment.interval_seconds === assignment.interval_seconds
      if (!held) count(assignment.tenant_ref, 1)
      one.assignment = assignment
      one.plan = null
      watched.set(assignment.monitor_id, one)
      if (isSameRhythm) return
      one.generation++
      // Entries gone stale by changes would outnumber the living where somebody changes one monitor over and over.
      if (queue.size > 1000 + 2 * watched.size) return this.reschedule()
      put(one, slotAfter(one, now()))
      arm()
    },
    unwatch: drop,
    watches: (monitorId) => watched.has(monitorId),
    get size() {
      return watched.size
    },
    get running() {
      return underWay.size
    },
    get workspaces() {
      return shares.size
    },
    oldestDueMs() {
      const instant = now()
      let oldest = queue.firstAt ?? instant
      for (const { waiting, assignment } of watched.values()) {
        if (waiting !== null && waiting < oldest && gate.held(assignment.tenant_ref) === 0) oldest = waiting
      }
      return Math.max(0, instant - oldest)
    },
    replan() {
      for (const one of watched.values()) one.plan = null
    },
    reschedule() {
      queue.clear()
      const instant = now()
      for (const one of watched.values()) put(one, slotAfter(one, instant))
      arm()
    },
    once(monitorId, { checkId: id, scheduledAt, count, expiresAt }) {
      const one = watched.get(monitorId)
      if (!one || isClosing) return
      track(runOnce(one, { checkId: id, scheduledAt, endsAt: expiresAt, onDemand: true, count }))
    },
    async close(deadlineAt) {
      isClosing = true
      clearTimeout(timer)
      queue.clear()
      const giveUp = setTimeout(() => aborting.abort(), Math.max(0, deadlineAt - performance.now()))
      await Promise.all(underWay)
      clearTimeout(giveUp)
    }
  }
}
