/**
 * The course of an escalation: which step is due, what follows it, and whom a step chooses.
 *
 * In       a version of the policy, where the run stands, the incident, a time in epoch ms; whom
 *          the step's targets came to at that time
 * Out      what to do now, and when to look again
 * Source   docs/design/api/on-call.md#s7-3
 *
 *   what is so                        now        next
 *   its longest time has passed       exhausted  nothing
 *   the time has not come             wait       the same step, then
 *   its condition does not hold       skipped    the step after, by the last that fired
 *   it has somebody to ask            fired      the step after, its delay from now
 *   one_by_one, and more are left     fired      the same step, its delay from now
 *   nobody is there to ask            empty      the step after, at once
 *   behind the last, it repeats                  step 0 of the next cycle
 *   behind the last, it does not      exhausted  nothing
 * A cycle after the first, and the end, wait for the delay of step 0, and for DEFAULT_DELAY_SECONDS
 * where that has none: whoever was asked last has time to answer, and a policy of nobody is not run
 * through in one moment.
 *
 * Pure: no clock, no counter. Round robin goes by the incident and the cycle.
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

/** `part`: of a step that asks one after another, how many it has asked. */
export interface Position {
  cycle: number
  step: number
  part: number
}

/** Where a run stands. Times are epoch ms. */
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

/** Between the last step of a cycle and the next cycle, or the end. */
const pauseOf = (policy: Policy): number => delayOf(policy, 0) || DEFAULT_DELAY_SECONDS * SECOND_MS

/** Between two people of a step that asks one after another. */
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

/** When a run that began then is exhausted at the latest. */
export const endOf = ({ max_duration_minutes }: Policy, started_at: number): number => started_at + max_duration_minutes * MINUTE_MS

/**
 * Whether a step is for an incident at an instant. A window that cannot be read holds nobody back.
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

/** The place behind a step, at the time that `when` makes of its delay; not after the run's end. */
function follows(policy: Policy, { cycle, step, started_at }: Standing, when: (delay: number) => number, at: number): Next {
  const isLast = step + 1 >= policy.steps.length
  const next_at = isLast ? at + pauseOf(policy) : when(delayOf(policy, step + 1))
  const place = isLast ? { cycle: cycle + 1, step: 0 } : { cycle, step: step + 1 }
  return { ...place, part: 0, next_at: Math.min(next_at, endOf(policy, started_at)) }
}

/** What follows a step that asked somebody; `more`: it has further people to ask one by one. */
export function afterFired(policy: Policy, standing: Standing, more: boolean, at: number): Next {
  if (!more) return follows(policy, standing, (delay) => at + delay, at)
  const { cycle, step, part, started_at } = standing
  return { cycle, step, part: part + 1, next_at: Math.min(at + turnOf(policy, step), endOf(policy, started_at)) }
}

/** What follows a step that had nobody to ask: the next one does not wait for it. */
export const afterEmpty = (policy: Policy, standing: Standing, at: number): Next => follows(policy, standing, () => at, at)

/** A person whom the targets of a step name. */
export interface Candidate {
  user_id: string
  urgency: Urgency
  /** Has a way to be reached, and may see the incident. */
  reachable: boolean
}

export interface Choice {
  /** To be asked now. */
  ask: string[]
  /** Named, and cannot be asked: told with the step, and with the reason of each. */
  unreachable: string[]
  /** Further people, to be asked one by one. */
  more: boolean
}

/** 32 bits of an id: equal for equal ids, spread over different ones. FNV-1a. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}

/**
 * Whom a step asks of those whom its targets came to, in the order of the targets. `asked`: whom
 * this step has asked before, in earlier parts.
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
    // By id, so that the order of the targets, and who is not reachable, move nobody's turn.
    const turns = [...reachable].sort()
    const chosen = turns[(hashOf(incident_id) + cycle) % Math.max(turns.length, 1)]
    return { ask: chosen === undefined ? [] : [chosen], unreachable, more: false }
  }
  const left = reachable.filter((user_id) => !asked.has(user_id))
  return { ask: left.slice(0, 1), unreachable: asked.size === 0 ? unreachable : [], more: left.length > 1 }
}
