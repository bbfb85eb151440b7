/**
 * Values of the policy form, and the body that it sends. Pure. A policy that nobody changes is sent
 * as it was read.
 */
import {
  DEFAULT_DELAY_SECONDS,
  type EmptyWay,
  type Strategy,
  type TargetType,
  type Urgency
} from '../../../../schemas/http/escalation-words.ts'
import type { NewPolicy, PolicyDetail, Severity } from '../../api/shapes.ts'
import { emptyWindow } from '../routing/rule-values.ts'
import type { RuleWindow } from '../routing/rule-words.ts'

export interface TargetRow {
  type: TargetType
  id: string
  urgency: Urgency
}

export interface StepRow {
  key: number
  /** NaN while nothing is typed. */
  delay_seconds: number
  targets: readonly TargetRow[]
  strategy: Strategy
  severity: readonly Severity[]
  hasWindow: boolean
  window: RuleWindow
  on_empty: EmptyWay
}

export interface PolicyValues {
  name: string
  description: string
  team_id: string
  repeat: number
  hasAckTimeout: boolean
  ack_timeout_minutes: number
  max_duration_minutes: number
  steps: readonly StepRow[]
}

type GivenStep = PolicyDetail['steps'][number]

const DEFAULT_ACK_TIMEOUT_MINUTES = 60

let keys = 0
const nextKey = (): number => ++keys

export const newStep = (isFirst: boolean, zone: string): StepRow => ({
  key: nextKey(),
  delay_seconds: isFirst ? 0 : DEFAULT_DELAY_SECONDS,
  targets: [],
  strategy: 'all',
  severity: [],
  hasWindow: false,
  window: emptyWindow(zone),
  on_empty: 'next'
})

const rowOf = ({ delay_seconds, targets, strategy, only_if, on_empty }: GivenStep, zone: string): StepRow => ({
  key: nextKey(),
  delay_seconds,
  targets: targets.map(({ type, id, urgency }) => ({ type, id, urgency })),
  strategy,
  severity: only_if?.severity ?? [],
  hasWindow: only_if !== null && only_if.time_window !== null,
  window: only_if?.time_window ?? emptyWindow(zone),
  on_empty
})

/** `policy` is null for a new one. */
export const valuesOf = (policy: PolicyDetail | null, zone: string): PolicyValues => ({
  name: policy?.name ?? '',
  description: policy?.description ?? '',
  team_id: policy?.team_id ?? '',
  repeat: policy?.repeat ?? 1,
  hasAckTimeout: policy !== null && policy.ack_timeout_minutes !== null,
  ack_timeout_minutes: policy?.ack_timeout_minutes ?? DEFAULT_ACK_TIMEOUT_MINUTES,
  max_duration_minutes: policy?.max_duration_minutes ?? 1440,
  steps: policy ? policy.steps.map((step) => rowOf(step, zone)) : [newStep(true, zone)]
})

const onlyIf = ({ severity, hasWindow, window }: StepRow) =>
  severity.length === 0 && !hasWindow ? null : { severity: [...severity], time_window: hasWindow ? window : null }

export const bodyOf = (values: PolicyValues): NewPolicy => ({
  name: values.name.trim(),
  description: values.description.trim(),
  team_id: values.team_id === '' ? null : values.team_id,
  repeat: values.repeat,
  ack_timeout_minutes: values.hasAckTimeout ? values.ack_timeout_minutes : null,
  max_duration_minutes: values.max_duration_minutes,
  steps: values.steps.map((step) => ({
    delay_seconds: step.delay_seconds,
    targets: step.targets.map((target) => ({ ...target })),
    strategy: step.strategy,
    only_if: onlyIf(step),
    on_empty: step.on_empty
  }))
})

/**
 * Returns the list with the item at `from` moved to `to`; the same list if there is no such place.
 */
export function placed<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const one = list[from]
  if (one === undefined || to < 0 || to >= list.length || from === to) return list
  const others = list.filter((_, at) => at !== from)
  return [...others.slice(0, to), one, ...others.slice(to)]
}

/**
 * Returns the seconds from the opening to each step, if every earlier step reaches somebody. It is
 * NaN after a wait that is not typed yet.
 */
export function offsetsOf(steps: readonly Pick<StepRow, 'delay_seconds'>[]): number[] {
  let passed = 0
  return steps.map(({ delay_seconds }) => {
    passed += delay_seconds
    return passed
  })
}
