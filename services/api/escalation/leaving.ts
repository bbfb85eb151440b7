/**
 * Finds the escalation policies that name a person who leaves, or a schedule that is deleted.
 * services/api/on-call uses them as one kind of place.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { PolicyTarget } from '../../../schemas/http/escalation-words.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import {
  bodyOf,
  type PolicySettings,
  policiesNaming,
  readPolicy,
  type StoredPolicy,
  updatePolicy
} from '../../store/escalation-policies.ts'
import { tellPolicy } from '../../store/on-call-news.ts'
import type { Tx } from '../../store/pool.ts'
import type { Caller } from '../http/caller.ts'

interface Place {
  kind: string
  id: string
  name: string
}

/**
 * Returns the policy with `other` in place of `user_id`, at most once in each step, and then with
 * the higher of both urgencies.
 */
function replaced({ name, description, team_id, body }: StoredPolicy, user_id: string, other: string): PolicySettings {
  const steps = body.steps.map((step) => {
    const targets: PolicyTarget[] = []
    for (const target of step.targets) {
      const put = target.type === 'user' && target.id === user_id ? { ...target, id: other } : target
      const at = targets.findIndex(({ type, id }) => type === put.type && id === put.id)
      if (at < 0) targets.push(put)
      else if (put.urgency === 'high') targets[at] = put
    }
    return { ...step, targets }
  })
  return { ...bodyOf(body), name, description, team_id, steps }
}

/** Policies that have the schedule as a target. */
export const policiesOfSchedule = async (tx: Tx, tenant_id: string, schedule_id: string): Promise<Place[]> =>
  (await policiesNaming(tx, tenant_id, 'schedule', schedule_id)).map(({ policy_id, name }) => ({
    kind: 'escalation_policy',
    id: policy_id,
    name
  }))

/** Policies that have the person as a target, and how another person takes their place. */
export const policiesOfPerson = {
  places: async (tx: Tx, tenant_id: string, user_id: string): Promise<(Place & { team_id: string | null })[]> =>
    (await policiesNaming(tx, tenant_id, 'user', user_id)).map(({ policy_id, name, team_id }) => ({
      kind: 'escalation_policy',
      id: policy_id,
      name,
      team_id
    })),

  async replace(tx: Tx, { tenant_id, actor }: Caller, user_id: string, by: string): Promise<void> {
    for (const { policy_id } of await policiesNaming(tx, tenant_id, 'user', user_id)) {
      const policy = await readPolicy(tx, tenant_id, policy_id)
      if (!policy) continue
      await updatePolicy(tx, policy, replaced(policy, user_id, by), actorText(actor))
      await tellPolicy(tx, tenant_id, policy_id, 'updated', policy)
      const act = { action: 'escalation_policy.updated', object_type: 'escalation_policy', object_id: policy_id }
      await insertAudit(tx, tenant_id, actor, { ...act, diff: { user_id: [user_id, by] } })
    }
  }
}
