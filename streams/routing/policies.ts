/**
 * Chooses the escalation policy of an incident when no rule names one: the policy of its monitor,
 * heartbeat or integration, else that of its team, else that of the workspace.
 * Source: docs/design/api/on-call.md#policy.
 */
import type { Routable } from './conditions.ts'
import type { Decision } from './outcome.ts'

/** Where the policy comes from; null when nothing names one. A rule may also name none. */
export type PolicySource = 'rule' | 'signal' | 'team' | 'workspace' | null

/** Default policies of a workspace, by id. */
export interface PolicyDefaults {
  workspace: string | null
  teams: ReadonlyMap<string, string>
  integrations: ReadonlyMap<string, string>
}

type Chosen = Pick<Decision, 'escalation_policy_id' | 'policy_by'>

/** The policy for objects of `team_id` when nothing more specific names one. */
export function policyOfTeam({ workspace, teams }: PolicyDefaults, team_id: string | null): Chosen {
  const ofTeam = team_id === null ? undefined : teams.get(team_id)
  if (ofTeam !== undefined) return { escalation_policy_id: ofTeam, policy_by: 'team' }
  return { escalation_policy_id: workspace, policy_by: workspace === null ? null : 'workspace' }
}

/**
 * Returns the decision with a default policy, if there is one. Equal arguments give equal
 * decisions.
 */
export function withPolicy(decision: Decision, { integration_id }: Pick<Routable, 'integration_id'>, defaults: PolicyDefaults): Decision {
  if (decision.policy_by !== null) return decision
  const ofSource = integration_id === null ? undefined : defaults.integrations.get(integration_id)
  if (ofSource !== undefined) return { ...decision, escalation_policy_id: ofSource, policy_by: 'signal' }
  return { ...decision, ...policyOfTeam(defaults, decision.team_id) }
}
