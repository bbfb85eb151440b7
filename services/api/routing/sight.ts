/**
 * Who may see and change a routing rule. A rule that names a private team, as the target of alerts
 * or in a condition, is seen by people who see the team, and changed by its leads, owners and
 * admins.
 * Source: docs/design/api/alerts-and-routing.md#s6-3-private, schemas/http/visibility.ts.
 */
import { type Condition, conditionGroups, type StoredRule } from '../../../schemas/http/routing-words.ts'
import { isVisible, managesTeam } from '../../../schemas/http/visibility.ts'
import { readPolicy } from '../../store/escalation-policies.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { existingOf } from '../../store/routing.ts'
import { readSight, readTeam, standingsOf } from '../../store/teams.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, invalid } from '../http/errors.ts'

type Naming = Pick<StoredRule, 'match' | 'actions'>

/** Returns the teams that a condition names. */
export const teamsIn = ({ field, value }: Condition): string[] =>
  field === 'team_id' ? [value].flat().filter((id): id is string => typeof id === 'string') : []

/** Path → team, for every team that a rule names. */
export function teamsNamed({ match, actions }: Naming): [path: string, team_id: string][] {
  const named = conditionGroups.flatMap((group) =>
    match[group].flatMap((condition, at) => teamsIn(condition).map((id): [string, string] => [`match.${group}[${at}].value`, id]))
  )
  return actions.team_id === undefined ? named : [['actions.team_id', actions.team_id], ...named]
}

export interface RuleSight {
  sees(rule: Naming): boolean
  manages(rule: Naming): boolean
  /** Deleted ones too. */
  private_team_ids: string[]
}

export async function ruleSightOf(tx: Tx, { tenant_id, user_id, role }: Caller): Promise<RuleSight> {
  const sight = await readSight(tx)
  const standings = await seeingAll(tx, (tx) => standingsOf(tx, tenant_id, user_id))
  const manages = (team_id: string): boolean => {
    const standing = standings.get(team_id)
    return !standing || managesTeam(role, standing.visibility, standing.role)
  }
  return {
    sees: (rule) => teamsNamed(rule).every(([, team_id]) => isVisible(sight, { team_id, visibility: 'org' })),
    manages: (rule) => teamsNamed(rule).every(([, team_id]) => manages(team_id)),
    private_team_ids: [...standings].flatMap(([team_id, { visibility }]) => (visibility === 'private' ? [team_id] : []))
  }
}

/** Throws FORBIDDEN. */
export function checkManagesRule(sight: RuleSight, rule: Naming): void {
  if (sight.manages(rule)) return
  throw new ApiError('FORBIDDEN', 'Only leads, owners and admins may change a rule that names a private team')
}

/**
 * Throws VALIDATION_FAILED if a rule names a team that the caller does not see: hidden teams are
 * treated as unknown. The same holds for its escalation policy and its channels, except those that
 * the rule named `before`.
 */
export async function checkTeams(tx: Tx, { tenant_id }: Caller, rule: Naming, before: Naming | null): Promise<void> {
  const known = new Set<string>()
  for (const [path, team_id] of teamsNamed(rule)) {
    if (known.has(team_id)) continue
    if (!(await readTeam(tx, tenant_id, team_id))) throw invalid(path, 'unknown_team', 'is not a team of this workspace')
    known.add(team_id)
  }
  const policy_id = rule.actions.escalation_policy_id
  const isKept = policy_id === before?.actions.escalation_policy_id
  if (policy_id && !isKept && !(await readPolicy(tx, tenant_id, policy_id)))
    throw invalid('actions.escalation_policy_id', 'unknown_policy', 'is not an escalation policy of this workspace')
  const { channel_ids = [] } = rule.actions
  const fresh = channel_ids.filter((id) => !before?.actions.channel_ids?.includes(id))
  if (fresh.length === 0) return
  const there = await existingOf(tx, tenant_id, { channel_id: fresh })
  const unknown = channel_ids.findIndex((id) => fresh.includes(id) && !there.has(id))
  if (unknown >= 0) throw invalid(`actions.channel_ids[${unknown}]`, 'unknown_channel', 'is not a channel of this workspace')
}

/**
 * Returns the actions that a caller writes over those of a rule. Where the rule names a policy that
 * the caller does not see, they read null. Sent back, it changes nothing.
 */
export async function actionsOver(
  tx: Tx,
  { tenant_id }: Caller,
  before: StoredRule['actions'],
  after: StoredRule['actions']
): Promise<StoredRule['actions']> {
  const { escalation_policy_id: policy_id } = before
  if (!policy_id || after.escalation_policy_id !== null || (await readPolicy(tx, tenant_id, policy_id))) return after
  return { ...after, escalation_policy_id: policy_id }
}
