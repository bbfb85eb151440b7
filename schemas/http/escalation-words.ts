/**
 * Words about escalation policies that the api, the rules and the notifier share, and the form in
 * which a policy is stored.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { severities } from './common.ts'
import type { TimeWindow } from './routing-words.ts'

export const targetTypes = ['schedule', 'user', 'team', 'channel', 'webhook'] as const
export type TargetType = (typeof targetTypes)[number]

export const urgencies = ['default', 'high'] as const
export type Urgency = (typeof urgencies)[number]

/**
 * Whom a step asks.
 * - all: everybody at once.
 * - round_robin: one person, chosen by the incident and the cycle.
 * - one_by_one: one person after another.
 */
export const strategies = ['all', 'round_robin', 'one_by_one'] as const
export type Strategy = (typeof strategies)[number]

/** What follows a step that reaches nobody: the next step at once, or owners and admins. */
export const emptyWays = ['next', 'fallback'] as const
export type EmptyWay = (typeof emptyWays)[number]

/** Outcome of a step that became due. */
export const stepOutcomes = ['fired', 'empty', 'skipped', 'exhausted'] as const
export type StepOutcome = (typeof stepOutcomes)[number]

/** State of an incident's escalation. */
export const escalationStates = ['none', 'running', 'paused', 'held', 'exhausted'] as const
export type EscalationState = (typeof escalationStates)[number]

export const MAX_STEPS = 20
export const MAX_TARGETS = 20
export const MAX_REPEAT = 9
export const MAX_DELAY_SECONDS = 86_400
/**
 * Default delay of every step after the first. It is also the delay before a policy repeats when
 * its first step has no delay.
 */
export const DEFAULT_DELAY_SECONDS = 300

export interface PolicyTarget {
  type: TargetType
  id: string
  urgency: Urgency
}

export interface StepCondition {
  /** Empty: any. */
  severity: readonly (typeof severities)[number][]
  time_window: TimeWindow | null
}

export interface PolicyStep {
  /** Delay after the previous step fired. */
  delay_seconds: number
  targets: readonly PolicyTarget[]
  strategy: Strategy
  only_if: StepCondition | null
  on_empty: EmptyWay
}

/** The part of a policy that decides how it escalates. All its versions are kept. */
export interface Policy {
  /** How many times the policy starts again after its last step. */
  repeat: number
  ack_timeout_minutes: number | null
  max_duration_minutes: number
  steps: readonly PolicyStep[]
}
