/**
 * Runs the rounds of the monitors that this prober checks: decides which slot is due
 * (slot-timer.ts), limits how many rounds run at a time and shares the places between workspaces
 * (gate.ts), and handles what a round gives (perform.ts).
 *
 * A slot that cannot start before the next one (too many at a time, the previous round still
 * running, the process stopped) is reported as missed_window and not made up for. Of a long stop,
 * only the first missed slot is reported. A pause between two attempts of a round holds no place.
 *
 * A monitor with a quicker rhythm uses it from a check that failed here until the monitor has
 * recovered. The prober decides this alone, so it works while the service cannot be reached.
 * Another prober that takes over the monitor starts with the usual rhythm.
 */
import { setMaxListeners } from 'node:events'
import type { Assignment, Result } from '../../schemas/http/prober.ts'
import { FairGate } from '../process/gate.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { AssertionPool } from './assertion-pool.ts'
import type { AttemptReport } from './attempt.ts'
import type { Captures } from './capture-delivery.ts'
import { mayCapture, paceAfter } from './capture-pace.ts'
import { capturedOf, captureOf } from './captured.ts'
import { type Round, resultWithout } from './check.ts'
import type { Network } from './connection.ts'
import { createPerform, type Perform } from './perform.ts'
import { PlacedWork } from './placed-work.ts'
import { checkId } from './schedule.ts'
import { SlotTimer } from './slot-timer.ts'
import { intervalOf, type Plan, rhythmAfter, type Watched, WatchList } from './watched.ts'

export interface RoundsOptions {
  version: string
  region: () => string
  /** Epoch ms by the service's clock. */
  now: () => number
  network: () => Network
  pool: Pick<AssertionPool, 'evaluate'>
  plan: (assignment: Assignment) => Plan
  concurrency: number
  onResult: (result: Result) => void
  /** Takes the answers of failed checks. */
  captures: Pick<Captures, 'admits' | 'add'>
  /** Gets the outcome of a trial of a definition, which is not a result of a monitor. */
  onTrial: (result: Result) => void
  log: Log
  metrics: Metrics
}

/** Both in epoch ms. */
export interface TrialOrder {
  checkId: string
  scheduledAt: number
  expiresAt: number
}

export interface Rounds {
  /**
   * Checks the monitor from its next slot on. A monitor that is already watched continues with the
   * new settings, and keeps its rhythm if the interval is the same.
   */
  watch(assignment: Assignment): void
  /** Stops checking the monitor. A running round still ends and is reported. */
  unwatch(monitorId: string): void
  watches(monitorId: string): boolean
  readonly size: number
  readonly running: number
  /** Number of workspaces whose monitors are watched. */
  readonly workspaces: number
  /**
   * Milliseconds since the oldest slot that should have begun and has not, for workspaces of which
   * nothing runs; 0 when nothing is late. A workspace that waits because it uses up its own share
   * says nothing about the prober.
   */
  oldestDueMs(): number
  /** Makes all plans again at their next round, because keys or networks changed. */
  replan(): void
  /** Computes all slots again, because the clock was corrected. */
  reschedule(): void
  /** Runs an on-demand check at once, beside the slots. */
  once(monitorId: string, check: { checkId: string; scheduledAt: number; count: boolean; expiresAt: number }): void
  /** Checks a definition that is not watched yet, once, in a place of its workspace. */
  trial(definition: Assignment, check: TrialOrder): void
  /**
   * Starts nothing more. Waits for what runs until `deadlineAt` (performance.now()), then gives it
   * up.
   */
  close(deadlineAt: number): Promise<void>
}

export function createRounds(options: RoundsOptions): Rounds {
  const { now, log, metrics, version } = options
  const list = new WatchList()
  const gate = new FairGate(options.concurrency, () => list.workspaces === 1)
  const aborting = new AbortController()
  setMaxListeners(0, aborting.signal) // Each check adds a listener.
  const perform = createPerform({ ...options, gate, signal: aborting.signal })
  const work = new PlacedWork(gate, (error) => {
    if (!aborting.signal.aborted) log.error({ err: error }, 'a check failed by a fault of the prober')
  })
  const outcomes = metrics.counter('service_prober_checks_total', 'Checks by outcome', ['outcome'])
  let isClosing = false
  const timer = new SlotTimer({
    now,
    isHeld: (one) => list.holds(one),
    onDue(one, slot, slept) {
      if (slept !== null) miss(one, slept, 'The prober was not running in time for this check')
      begin(one, slot)
    }
  })

  function report(result: Result): void {
    outcomes.inc({ outcome: result.outcome })
    options.onResult(result)
  }

  /** Reports the result of a check, and adjusts the rhythm and slots of its monitor. */
  function note(one: Watched, result: Result): void {
    const before = intervalOf(one)
    if (result.count !== false) one.rhythm = rhythmAfter(one.rhythm, result.outcome, one.assignment)
    one.pace = paceAfter(one.pace, result.outcome)
    if (list.holds(one) && intervalOf(one) !== before) restart(one)
    report(result)
  }

  const check = (one: Watched, round: Round): Promise<Result> => perform(one, round, keeping(options, one, round))

  /** Computes its slots again, from now on. */
  function restart(one: Watched): void {
    one.generation++
    if (timer.isCrowded(list.size)) timer.restart(list.values())
    else timer.add(one)
  }

  const roundOf = (one: Watched, slot: number): Round => roundAt(one, slot, options.region())

  function miss(one: Watched, slot: number, message: string): void {
    report(resultWithout(one.assignment, roundOf(one, slot), 'missed_window', message, now(), version))
  }

  function begin(one: Watched, slot: number): void {
    if (one.isRunning) {
      miss(one, slot, 'The check before it was still running')
      return
    }
    const before = one.waiting
    one.waiting = slot
    if (before === null) work.start(one.assignment.tenant_ref, () => runSlot(one))
    else miss(one, before, 'The prober was too busy for this check')
  }

  /**
   * Runs the waiting slot, now that there is a place. During the wait its assignment may change,
   * but never its workspace.
   */
  async function runSlot(one: Watched): Promise<void> {
    const slot = one.waiting
    one.waiting = null
    if (slot === null || isClosing || !list.holds(one)) return
    if (now() >= slot + intervalOf(one)) return miss(one, slot, 'The prober was too busy for this check')
    one.isRunning = true
    try {
      note(one, await check(one, roundOf(one, slot)))
    } finally {
      one.isRunning = false
    }
  }

  async function runOnce(one: Watched, round: Round): Promise<void> {
    if (!isClosing && list.holds(one) && now() < round.endsAt) note(one, await check(one, round))
  }

  return {
    watch(assignment) {
      const held = list.get(assignment.monitor_id)
      const before = held && intervalOf(held)
      const one = list.put(assignment)
      if (intervalOf(one) !== before) restart(one)
    },
    unwatch: (monitorId) => list.drop(monitorId),
    watches: (monitorId) => list.get(monitorId) !== undefined,
    get size() {
      return list.size
    },
    get running() {
      return work.size
    },
    get workspaces() {
      return list.workspaces
    },
    oldestDueMs() {
      const instant = now()
      let oldest = timer.firstAt ?? instant
      for (const { waiting, assignment } of list.values()) {
        if (waiting !== null && waiting < oldest && gate.held(assignment.tenant_ref) === 0) oldest = waiting
      }
      return Math.max(0, instant - oldest)
    },
    replan() {
      for (const one of list.values()) one.plan = null
    },
    reschedule: () => timer.restart(list.values()),
    once(monitorId, { checkId: id, scheduledAt, count, expiresAt }) {
      const one = list.get(monitorId)
      if (!one || isClosing) return
      work.start(one.assignment.tenant_ref, () => runOnce(one, { checkId: id, scheduledAt, endsAt: expiresAt, onDemand: true, count }))
    },
    trial(definition, check) {
      if (!isClosing) startTrial(work, perform, options, definition, check)
    },
    async close(deadlineAt) {
      isClosing = true
      timer.stop()
      const giveUp = setTimeout(() => aborting.abort(), Math.max(0, deadlineAt - performance.now()))
      await work.ended()
      clearTimeout(giveUp)
    }
  }
}

const roundAt = (one: Watched, slot: number, region: string): Round => ({
  checkId: checkId(one.assignment.monitor_id, region, slot),
  scheduledAt: slot,
  endsAt: slot + intervalOf(one),
  onDemand: false,
  count: true
})

/**
 * Keeps the answer of a failed check, if the monitor wants that and the last one is not too recent.
 */
function keeping(
  { now, captures }: Pick<RoundsOptions, 'now' | 'captures'>,
  one: Watched,
  { checkId, onDemand }: Round
): (last: AttemptReport) => void {
  const { assignment } = one
  return ({ answer, reason }) => {
    const at = performance.now()
    if (!answer?.head || !mayCapture(one.pace, at, onDemand) || !captures.admits(assignment.tenant_ref)) return
    one.pace = { at, hasOne: true }
    const captured = capturedOf(answer)
    if (captured) captures.add(captureOf(captured, assignment, { checkId, reason, at: now() }))
  }
}

/**
 * Starts a trial in a place of its workspace. A trial that nobody waits for any more is not begun.
 */
function startTrial(
  work: PlacedWork,
  perform: Perform,
  { now, onTrial }: Pick<RoundsOptions, 'now' | 'onTrial'>,
  assignment: Assignment,
  { checkId, scheduledAt, expiresAt }: TrialOrder
): void {
  const round = { checkId, scheduledAt, endsAt: expiresAt, onDemand: true, count: false }
  work.start(assignment.tenant_ref, async () => {
    if (now() < expiresAt) onTrial(await perform({ assignment, plan: null }, round))
  })
}
