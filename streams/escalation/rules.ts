/**
 * The course of an escalation: which step is due, what follows it, and whom a step asks.
 *
 * In       a version of the policy, the position of the run, the incident, a time in epoch ms; the
 *          people whom the step's targets name at that time
 * Out      what to do now, and when to look again
 * Source   docs/design/api/on-call.md#s7-3
 *
 *   case                              now        next
 *   its longest time has passed       exhausted  nothing
 *   the step is not due yet           wait       the same step, when it is due
 *   its condition does not hold       skipped    the step after, its delay from the last fired one
 *   it has somebody to ask            fired      the step after, its delay from now
 *   one_by_one, and more are left     fired      the same step, its delay from now
 *   nobody is there to ask            empty      the step after, at once
 *   after the last, it repeats                   step 0 of the next cycle
 *   after the last, it does not       exhausted  nothing
 *
 * Every cycle after the first, and the end, wait for the delay of step 0, or for
 * DEFAULT_DELAY_SECONDS if step 0 has none. So the last person who was asked has time to answer,
 * and a policy that reaches nobody does not run through all its cycles at once.
 *
 * Pure: no clock, no counter. Round robin uses the incident and the cycle.
 */
import type { Severity } from '../../schemas/generated/events.ts'
import {
  DEFAULT_DELAY_SECONDS,
  type Policy,
  type PolicyStep,
  type StepCondition,
  type Urgency
} from '../../schemas/http/escalation-words.ts'
import { compileWindow } from '../routing/civil-time.ts'

/** `part`: how many people a step that asks one by one has asked. */
export interface Position {
  cycle: number
  step: number
  part: number
}

/** The position of a run. Times are epoch ms. */
export interface Standing extends Position {
  started_at: number
  /** When the step is due. */
  next_at: number
  last_fired_at: number | null
}

export interface Next extends Position {
  next_at: number
}

export type Due = { now: 'wait'; until: number } | { now: 'exhausted' } | { now: 'skipped'; next: Next } | { now: 'ask'; step: PolicyStep }

const MINUTE_MS = 60_000
const SECOND_MS = 1000

const delayOf = ({ steps }: Policy, step: number): number => (steps[step]?.delay_seconds ?? 0) * SECOND_MS

/** The pause after the last step of a cycle, before the next cycle or the end. */
const pauseOf = (policy: Policy): number => delayOf(policy, 0) || DEFAULT_DELAY_SECONDS * SECOND_MS

/** The pause between two people of a step that asks one by one. */
const turnOf = (policy: Policy, step: number): number => delayOf(policy, step) || DEFAULT_DELAY_SECONDS * SECOND_MS

/** Where a run begins; its first step waits for its own delay. */
export const beginning = (policy: Policy, at: number): Standing => ({
  cycle: 0,
  step: 0,
  part: 0,
  started_at: at,
  next_at: Math.min(at + delayOf(policy, 0), endOf(policy, at)),
  last_fired_at: null
})

/** When a run that began at `started_at` is exhausted at the latest. */
export const endOf = ({ max_duration_minutes }: Policy, started_at: number): number => started_at + max_duration_minutes * MINUTE_MS

/**
 * Whether a step applies to an incident at an instant. A time window that cannot be read excludes
 * nothing.
 */
export function applies(condition: StepCondition | null, severity: Severity, at: number): boolean {
  if (condition === null) return true
  if (condition.severity.length > 0 && !condition.severity.includes(severity)) return false
  const window = condition.time_window && compileWindow(condition.time_window)
  return !window || window(at)
}

export function dueOf(policy: Policy, standing: Standing, severity: Severity, at: number): Due {
  const { cycle, step: index, next_at, started_at } = standing
  if (at >= endOf(policy, started_at)) return { now: 'exhausted' }
  if (at < next_at) return { now: 'wait', until: next_at }
  const step = policy.steps[index]
  if (cycle > policy.repeat || !step) return { now: 'exhausted' }
  if (applies(step.only_if, severity, at)) return { now: 'ask', step }
  return { now: 'skipped', next: follows(policy, standing, (delay) => Math.max(at, (standing.last_fired_at ?? started_at) + delay), at) }
}

/**
 * The position after a step. `when` turns the delay of the next step into its time, which is at
 * most the end of the run.
 */
function follows(policy: Policy, { cycle, step, started_at }: Standing, when: (delay: number) => number, at: number): Next {
  const isLast = step + 1 >= policy.steps.length
  const next_at = isLast ? at + pauseOf(policy) : when(delayOf(policy, step + 1))
  const place = isLast ? { cycle: cycle + 1, step: 0 } : { cycle, step: step + 1 }
  return { ...place, part: 0, next_at: Math.min(next_at, endOf(policy, started_at)) }
}

/**
 * Returns what follows a step that asked somebody. `more`: the step has more people to ask one by
 * one.
 */
export function afterFired(policy: Policy, standing: Standing, more: boolean, at: number): Next {
  if (!more) return follows(policy, standing, (delay) => at + delay, at)
  const { cycle, step, part, started_at } = standing
  return { cycle, step, part: part + 1, next_at: Math.min(at + turnOf(policy, step), endOf(policy, started_at)) }
}

/**
 * Returns what follows a step that had nobody to ask. The next step does not wait for its delay.
 */
export const afterEmpty = (policy: Policy, standing: Standing, at: number): Next => follows(policy, standing, () => at, at)

/** Whether a run that stands at `reached` may already have done the step at `place`. */
export const wasDone = (reached: Position, place: Position): boolean =>
  place.cycle === reached.cycle && (place.step < reached.step || (place.step === reached.step && place.part < reached.part))

/** A person named by the targets of a step. */
export interface Candidate {
  user_id: string
  urgency: Urgency
  /** Can be reached, and may see the incident. */
  reachable: boolean
}

export interface Choice {
  /** The people who are asked now. */
  ask: string[]
  /**
   * People who are named but cannot be asked. They are reported with the step, each with a reason.
   */
  unreachable: string[]
  /** Whether more people are left to ask one by one. */
  more: boolean
}

/** FNV-1a hash of an id, 32 bits: equal for equal ids, spread over different ones. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}

/**
 * Chooses whom a step asks among the people named by its targets, in the order of the targets.
 * `asked`: people whom this step asked in earlier parts.
 */
export function choose(
  { strategy }: Pick<PolicyStep, 'strategy'>,
  candidates: readonly Candidate[],
  { incident_id, cycle, asked }: { incident_id: string; cycle: number; asked: ReadonlySet<string> }
): Choice {
  const reachable = candidates.filter((one) => one.reachable).map(({ user_id }) => user_id)
  const unreachable = candidates.filter((one) => !one.reachable).map(({ user_id }) => user_id)
  if (strategy === 'all') return { ask: reachable, unreachable, more: false }
  if (strategy === 'round_robin') {
    // Sorted by id, so that the order of the targets changes nobody's turn.
    const turns = [...reachable].sort()
    const chosen = turns[(hashOf(incident_id) + cycle) % Math.max(turns.length, 1)]
    return { ask: chosen === undefined ? [] : [chosen], unreachable, more: false }
  }
  const left = reachable.filter((user_id) => !asked.has(user_id))
  return { ask: left.slice(0, 1), unreachable: asked.size === 0 ? unreachable : [], more: left.length > 1 }
}
