/**
 * What a policy may name, and who may change it.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { Policy, PolicyTarget } from '../../../schemas/http/escalation-words.ts'
import type { Owned } from '../../../schemas/http/visibility.ts'
import { existingTargets, readPolicy, type StoredPolicy } from '../../store/escalation-policies.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { readChannels, readPeople, waysTo } from '../../store/reach.ts'
import { readTeam } from '../../store/teams.ts'
import type { Caller } from '../http/caller.ts'
import { invalid, notFound } from '../http/errors.ts'
import { checkManages } from '../teams/rules.ts'

/** Reads the policy as the caller sees it. Throws NOT_FOUND. */
export async function seenPolicy(tx: Tx, { tenant_id }: Caller, policy_id: string): Promise<StoredPolicy> {
  const policy = await readPolicy(tx, tenant_id, policy_id.toLowerCase())
  if (!policy) throw notFound()
  return policy
}

/**
 * Returns the id of a policy that something is to use; null stays null. Throws VALIDATION_FAILED if
 * the caller sees no such policy.
 */
export async function chosenPolicy(
  tx: Tx,
  { tenant_id }: Caller,
  policy_id: string | null,
  path = 'escalation_policy_id'
): Promise<string | null> {
  if (policy_id === null) return null
  const policy = await readPolicy(tx, tenant_id, policy_id.toLowerCase())
  if (!policy) throw invalid(path, 'unknown_policy', 'is not an escalation policy of this workspace')
  return policy.policy_id
}

/**
 * Like chosenPolicy, for an object that already has a policy: a policy that is not sent, or is sent
 * unchanged, stays. So does one that the caller does not see where null is sent: that is what they
 * read in its place.
 */
export async function givenPolicy(
  tx: Tx,
  caller: Caller,
  before: string | null,
  given: string | null | undefined,
  path?: string
): Promise<string | null> {
  if (given === undefined || given?.toLowerCase() === before) return before
  if (given === null && before !== null && !(await readPolicy(tx, caller.tenant_id, before))) return before
  return chosenPolicy(tx, caller, given, path)
}

/** Throws FORBIDDEN if the policy belongs to a team that the caller may not manage. */
export async function checkMayChange(tx: Tx, caller: Caller, team_id: string | null): Promise<void> {
  const team = team_id === null ? null : await readTeam(tx, caller.tenant_id, team_id)
  if (team) await checkManages(tx, caller, team)
}

export interface Placed {
  path: string
  target: PolicyTarget
}

export const placesOf = ({ steps }: Pick<Policy, 'steps'>): Placed[] =>
  steps.flatMap(({ targets }, step) => targets.map((target, at): Placed => ({ path: `steps[${step}].targets[${at}].id`, target })))

export const nameOf = ({ type, id }: PolicyTarget): string => `${type}:${id}`
export const idsOf = (places: readonly Placed[], type: PolicyTarget['type']): string[] => [
  ...new Set(places.filter(({ target }) => target.type === type).map(({ target }) => target.id))
]

export const existing = (tx: Tx, tenant_id: string, places: readonly Placed[]): Promise<ReadonlySet<string>> =>
  existingTargets(tx, tenant_id, {
    user: idsOf(places, 'user'),
    schedule: idsOf(places, 'schedule'),
    team: idsOf(places, 'team'),
    channel: idsOf(places, 'channel'),
    webhook: idsOf(places, 'webhook')
  })

/**
 * Throws VALIDATION_FAILED for a target that does not exist for the caller. In a private team's
 * policy, it also throws for a target that may not see what the team owns. Targets that `before`
 * names already are accepted.
 */
export async function checkTargets(
  tx: Tx,
  { tenant_id }: Caller,
  policy: Pick<Policy, 'steps'> & { team_id: string | null },
  before: Pick<Policy, 'steps'> | null
): Promise<void> {
  const places = placesOf(policy)
  const there = await existing(tx, tenant_id, places)
  const known = new Set(before ? placesOf(before).map(({ target }) => nameOf(target)) : [])
  for (const { path, target } of places)
    if (!there.has(nameOf(target)) && !known.has(nameOf(target)))
      throw invalid(path, target.type === 'user' ? 'not_a_member' : 'unknown_target', `names no ${target.type} of this workspace`)
  const team = policy.team_id === null ? null : await readTeam(tx, tenant_id, policy.team_id)
  if (team?.visibility !== 'private') return
  const about: Owned = { team_id: team.team_id, visibility: 'org' }
  const refuse = (path: string): never => {
    throw invalid(path, 'not_visible', 'may not see what this private team owns')
  }
  const people = await seeingAll(tx, (tx) => readPeople(tx, tenant_id, idsOf(places, 'user')))
  const channels = [...idsOf(places, 'channel'), ...idsOf(places, 'webhook')]
  const hidden = new Set(
    (await readChannels(tx, tenant_id, channels, about)).flatMap((one) => (one.suppressed_by === 'not_visible' ? [one.channel_id] : []))
  )
  for (const { path, target } of places) {
    const isPerson = target.type === 'user' && people.has(target.id)
    if (isPerson && waysTo(people.get(target.id), target.urgency, about).some(({ suppressed_by }) => suppressed_by === 'not_visible'))
      refuse(path)
    if (hidden.has(target.id)) refuse(path)
  }
}
