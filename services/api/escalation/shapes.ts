/**
 * Converts escalation policies between the API and the store: checks settings, and shows policies.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { EscalationPolicy, GivenStep, ShownIntent, UpdatePolicyBody } from '../../../schemas/http/escalation.ts'
import { DEFAULT_DELAY_SECONDS, type PolicyStep } from '../../../schemas/http/escalation-words.ts'
import type { Intent } from '../../../streams/define.ts'
import { bodyOf, type PolicySettings, type StoredPolicy } from '../../store/escalation-policies.ts'
import { invalid } from '../http/errors.ts'
import { checkedWindow } from '../routing/conditions.ts'

export const unsetPolicy: PolicySettings = {
  name: '',
  description: '',
  team_id: null,
  repeat: 1,
  ack_timeout_minutes: null,
  max_duration_minutes: 1440,
  steps: []
}

export const settingsOf = ({ name, description, team_id, body }: StoredPolicy): PolicySettings => ({
  name,
  description,
  team_id,
  ...bodyOf(body)
})

function checkedStep(given: GivenStep, index: number): PolicyStep {
  const path = `steps[${index}]`
  const { delay_seconds = index === 0 ? 0 : DEFAULT_DELAY_SECONDS, strategy = 'all', on_empty = 'next', acks_required = 1, only_if } = given
  if (acks_required > 1)
    throw invalid(`${path}.acks_required`, 'max', 'the first acknowledgement pauses the escalation', { limit: 1, actual: acks_required })
  const targets = given.targets.map(({ type, id, urgency = 'default' }) => ({ type, id: id.toLowerCase(), urgency }))
  for (const [at, { type, id }] of targets.entries())
    if (targets.findIndex((one) => one.type === type && one.id === id) !== at)
      throw invalid(`${path}.targets[${at}]`, 'mutually_exclusive', 'is listed twice')
  const window = only_if?.time_window ? checkedWindow(only_if.time_window, `${path}.only_if.time_window`) : null
  const severity = [...new Set(only_if?.severity ?? [])]
  // A condition with no severity and no time window is no condition.
  const condition = severity.length === 0 && window === null ? null : { severity, time_window: window }
  return { delay_seconds, targets, strategy, only_if: condition, on_empty }
}

/**
 * Puts `given` over `before`, field by field. The team is checked elsewhere. Throws
 * VALIDATION_FAILED.
 */
export function changedSettings(before: PolicySettings, { team_id: _team, steps, ...given }: UpdatePolicyBody): PolicySettings {
  return { ...before, ...given, ...(steps && { steps: steps.map(checkedStep) }) }
}

export function toPolicy(policy: StoredPolicy, default_id: string | null): EscalationPolicy {
  const { tenant_id, policy_id, name, description, team_id, body, created_at, updated_at, ver } = policy
  return {
    id: policy_id,
    tenant_id,
    name,
    description,
    team_id,
    repeat: body.repeat,
    ack_timeout_minutes: body.ack_timeout_minutes,
    max_duration_minutes: body.max_duration_minutes,
    steps: body.steps.map(({ targets, only_if, ...step }) => ({
      ...step,
      acks_required: 1,
      targets: targets.map((target) => ({ ...target })),
      only_if: only_if && {
        severity: [...only_if.severity],
        time_window: only_if.time_window && { ...only_if.time_window, days: [...only_if.time_window.days] }
      }
    })),
    is_default: policy_id === default_id,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
    version: ver
  }
}

export const toIntent = ({ intent_id, target, method_kind, suppressed_by, due_at }: Intent): ShownIntent => ({
  id: intent_id,
  user_id: 'user_id' in target ? target.user_id : null,
  channel_id: 'channel_id' in target ? target.channel_id : null,
  method_kind,
  suppressed_by,
  due_at: iso(due_at)
})
