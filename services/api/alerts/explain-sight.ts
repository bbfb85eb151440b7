/**
 * Hides what a caller does not see in the steps of an explanation: policies, incidents, alerts and
 * maintenance windows become null, and people and channels that are asked only through hidden
 * targets are left out.
 * Source: docs/design/api/data.md#s17-2, docs/design/api/on-call.md#teams.
 */
import type { ExplainStep } from '../../../schemas/http/explain.ts'
import type { Sight } from '../../../schemas/http/visibility.ts'
import { seenAmong } from '../../store/alert-reads.ts'
import type { StepFacts } from '../../store/escalation.ts'
import { seenPolicies } from '../../store/escalation-policies.ts'
import { seenWindows } from '../../store/maintenance.ts'
import type { Tx } from '../../store/pool.ts'
import { factsAsSeen, hiddenTargets } from '../escalation/hidden.ts'

export type Step = Omit<ExplainStep, 'n'>

type Kind = 'policy' | 'incident' | 'window'

/** Which kind of object a field of `values` names. */
const valueKinds: Readonly<Record<string, Kind>> = {
  escalation_policy_id: 'policy',
  reopened_from: 'incident',
  incident_id: 'incident',
  window_id: 'window'
}

/** Which kind of object a `type` of `config_refs` names. */
const refKinds: Readonly<Record<string, Kind>> = { escalation_policy: 'policy', maintenance_window: 'window' }

const isFacts = (step: Step): boolean => step.rule === 'escalation_step'
const factsOf = ({ values }: Step): StepFacts => values as unknown as StepFacts

/** Returns the ids of a kind that the steps name. */
function named(steps: readonly Step[], kind: Kind): string[] {
  const ids = steps.flatMap(({ values, config_refs }) => [
    ...Object.entries(values).flatMap(([name, id]) => (valueKinds[name] === kind && typeof id === 'string' ? [id] : [])),
    ...config_refs.flatMap(({ type, id }) => (refKinds[type] === kind && id !== null ? [id] : []))
  ])
  return [...new Set(ids)]
}

/** `sight`: the teams that the caller sees. */
export async function stepsAsSeen(tx: Tx, tenant_id: string, steps: readonly Step[], sight: Sight): Promise<Step[]> {
  if (sight === 'all') return [...steps]
  const seen = {
    policy: await seenPolicies(tx, tenant_id, named(steps, 'policy')),
    incident: await seenAmong(tx, tenant_id, named(steps, 'incident')),
    window: await seenWindows(tx, tenant_id, named(steps, 'window'))
  }
  const hidden = await hiddenTargets(tx, tenant_id, steps.filter(isFacts).map(factsOf))
  const asSeen = (name: string, value: unknown): unknown => {
    const kind = valueKinds[name]
    return kind && typeof value === 'string' && !seen[kind].has(value) ? null : value
  }
  return steps.map((step) => {
    const shown = Object.fromEntries(Object.entries(step.values).map(([name, value]) => [name, asSeen(name, value)]))
    return {
      ...step,
      config_refs: step.config_refs.map((ref) => {
        const kind = refKinds[ref.type]
        return kind && ref.id !== null && !seen[kind].has(ref.id) ? { ...ref, id: null } : ref
      }),
      values: isFacts(step) ? { ...shown, ...factsAsSeen(factsOf(step), hidden) } : shown
    }
  })
}
