/**
 * Words of escalation policies that the api, the rules and the notifier share, and a policy as it
 * is stored.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { severities } from './common.ts'
import type { TimeWindow } from './routing-words.ts'

export const targetTypes = ['schedule', 'user', 'team', 'channel', 'webhook'] as const
export type TargetType = (typeof targetTypes)[number]

export const urgencies = ['default', 'high'] as const
export type Urgency = (typeof urgencies)[number]

/** all: everybody at once; round_robin: one, by the incident; one_by_one: one after another. */
export const strategies = ['all', 'round_robin', 'one_by_one'] as const
export type Strategy = (typeof strategies)[number]

/** What a step that reaches nobody leads to: the next one at once, or owners and admins. */
export const emptyWays = ['next', 'fallback'] as const
export type EmptyWay = (typeof emptyWays)[number]

/** What came of a step whose time came. */
export const stepOutcomes = ['fired', 'empty', 'skipped', 'exhausted'] as const
export type StepOutcome = (typeof stepOutcomes)[number]

/** State of an incident's escalation. */
export const escalationStates = ['none', 'running', 'paused', 'held', 'exhausted'] as const
export type EscalationState = (typeof escalationStates)[number]

export const MAX_STEPS = 20
export const MAX_TARGETS = 20
export const MAX_REPEAT = 9
export const MAX_DELAY_SECONDS = 86_400
/** Of a step after the first; and before a policy begins again, where its first step has none. */
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
  /** After the step before fired. */
  delay_seconds: number
  targets: readonly PolicyTarget[]
  strategy: Strategy
  only_if: StepCondition | null
  on_empty: EmptyWay
}

/** What decides; every version of it stays. */
export interface Policy {
  /** How often it begins again after its last step. */
  repeat: number
  ack_timeout_minutes: number | null
  max_duration_minutes: number
  steps: readonly PolicyStep[]
}
