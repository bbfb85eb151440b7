/**
 * Which escalation policy an incident gets where no rule names one: that of what watches it or of
 * its integration, else that of its team, else that of the workspace.
 * Source: docs/design/api/on-call.md#policy.
 */
import type { Routable } from './conditions.ts'
import type { Decision } from './outcome.ts'

/** What names a policy; null: nothing does, or a rule says that there is none. */
export type PolicySource = 'rule' | 'signal' | 'team' | 'workspace' | null

/** What a workspace has set, by ids. */
export interface PolicyDefaults {
  workspace: string | null
  teams: ReadonlyMap<string, string>
  integrations: ReadonlyMap<string, string>
}

type Chosen = Pick<Decision, 'escalation_policy_id' | 'policy_by'>

/** The policy of what belongs to `team_id`, where nothing nearer names one. */
export function policyOfTeam({ workspace, teams }: PolicyDefaults, team_id: string | null): Chosen {
  const ofTeam = team_id === null ? undefined : teams.get(team_id)
  if (ofTeam !== undefined) return { escalation_policy_id: ofTeam, policy_by: 'team' }
  return { escalation_policy_id: workspace, policy_by: workspace === null ? null : 'workspace' }
}

/** The decision with a policy, if there is one; equal arguments give equal decisions. */
export function withPolicy(decision: Decision, { integration_id }: Pick<Routable, 'integration_id'>, defaults: PolicyDefaults): Decision {
  if (decision.policy_by !== null) return decision
  const ofSource = integration_id === null ? undefined : defaults.integrations.get(integration_id)
  if (ofSource !== undefined) return { ...decision, escalation_policy_id: ofSource, policy_by: 'signal' }
  return { ...decision, ...policyOfTeam(defaults, decision.team_id) }
}
