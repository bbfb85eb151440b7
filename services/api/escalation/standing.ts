/**
 * The state of a policy at this instant: whom its steps reach, what is odd about it, and what uses
 * it.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { PolicyDetail, PolicyUse, PolicyWarning } from '../../../schemas/http/escalation.ts'
import type { PolicyTarget } from '../../../schemas/http/escalation-words.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import type { Owned } from '../../../schemas/http/visibility.ts'
import { placesUsing, type StoredPolicy, type UsingPlace } from '../../store/escalation-policies.ts'
import { resolveTargets } from '../../store/escalation-targets.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { canBeUsed, type Person, readChannels, readPeople, waysTo } from '../../store/reach.ts'
import { readRuleSet } from '../../store/routing.ts'
import { readNames } from '../../store/users.ts'
import type { Caller } from '../http/caller.ts'
import { ruleSightOf } from '../routing/sight.ts'
import { existing, idsOf, nameOf, placesOf } from './rules.ts'

const MAX_USES = 100

interface Reached {
  user_ids: string[]
  channel_ids: string[]
}

const reachedPeople = (people: ReadonlyMap<string, Person>, about: Owned, { urgency }: PolicyTarget, user_ids: readonly string[]) =>
  user_ids.filter((user_id) => waysTo(people.get(user_id), urgency, about).some(canBeUsed))

const isEmpty = ({ user_ids, channel_ids }: Reached): boolean => user_ids.length + channel_ids.length === 0

/** Returns for each target whom it reaches at `at` (epoch ms). */
async function reachOf(tx: Tx, { tenant_id, body, team_id }: StoredPolicy, at: number): Promise<Reached[]> {
  const places = placesOf(body)
  const about: Owned = { team_id, visibility: 'org' }
  const targets = places.map(({ target }) => target)
  const [facts, channels] = await Promise.all([
    resolveTargets(tx, tenant_id, targets, at),
    readChannels(tx, tenant_id, [...idsOf(places, 'channel'), ...idsOf(places, 'webhook')], about)
  ])
  const people = await readPeople(tx, tenant_id, [...new Set(facts.flatMap(({ user_ids }) => user_ids))])
  const told = new Set(channels.flatMap((one) => (one.suppressed_by === null ? [one.channel_id] : [])))
  return targets.map((target, index) => ({
    user_ids: reachedPeople(people, about, target, facts[index]?.user_ids ?? []),
    channel_ids: told.has(target.id) ? [target.id] : []
  }))
}

/** `reaches` has one entry for each step. */
function oddities(missing: readonly PolicyWarning[], reaches: readonly boolean[]): PolicyWarning[] {
  if (!reaches.some(Boolean))
    return [...missing, { code: 'reaches_nobody', path: 'steps', message: 'As things are now, it reaches nobody at all.' }]
  return [
    ...missing,
    ...reaches.flatMap((some, step): PolicyWarning[] =>
      some ? [] : [{ code: 'unreachable_step', path: `steps[${step}]`, message: 'As things are now, this step reaches nobody.' }]
    )
  ]
}

/**
 * Returns whom each step reaches at `at` (epoch ms), and what is odd about that. People who are
 * reached through a target that the caller does not see are not named.
 */
export async function standingOf(tx: Tx, policy: StoredPolicy, at: number): Promise<Pick<PolicyDetail, 'warnings' | 'reaches_now'>> {
  const { tenant_id, body } = policy
  const places = placesOf(body)
  const reached = await seeingAll(tx, (tx) => reachOf(tx, policy, at))
  const [there, names] = await Promise.all([
    existing(tx, tenant_id, places),
    readNames(tx, tenant_id, [...new Set(reached.flatMap(({ user_ids }) => user_ids))])
  ])
  const missing = places.flatMap(({ path, target }): PolicyWarning[] =>
    there.has(nameOf(target)) ? [] : [{ code: 'unknown_target', path, message: `There is no ${target.type} ${target.id}.` }]
  )
  let first = 0
  const steps = body.steps.map(({ targets }) => {
    const own = targets.map((target, index) => ({ target, reach: reached[first + index] ?? { user_ids: [], channel_ids: [] } }))
    first += targets.length
    const seen = own.filter(({ target }) => there.has(nameOf(target)))
    return {
      some: own.some(({ reach }) => !isEmpty(reach)),
      users: [...new Set(seen.flatMap(({ reach }) => reach.user_ids))].map((id) => ({ id, name: names.get(id) ?? '' })),
      channels: [...new Set(seen.flatMap(({ reach }) => reach.channel_ids))]
    }
  })
  return {
    warnings: oddities(
      missing,
      steps.map(({ some }) => some)
    ),
    reaches_now: steps.map(({ users, channels }) => ({ users, channels }))
  }
}

/** What uses a policy, before it is known which of its rules the caller sees. */
export interface Uses {
  places: readonly UsingPlace[]
  rules: readonly StoredRule[]
}

export async function readUses(tx: Tx, { tenant_id }: Caller, policy_id: string): Promise<Uses> {
  const [{ rules }, places] = await Promise.all([readRuleSet(tx, tenant_id), placesUsing(tx, tenant_id, policy_id, MAX_USES)])
  return { places, rules: rules.filter(({ actions }) => actions.escalation_policy_id === policy_id) }
}

/** Lists those uses of a policy that the caller sees, by kind and name. */
export async function usesSeen(tx: Tx, caller: Caller, { places, rules }: Uses): Promise<PolicyUse[]> {
  if (rules.length === 0) return [...places]
  const sight = await ruleSightOf(tx, caller)
  const naming = rules.filter((rule) => sight.sees(rule))
  return [...places, ...naming.map(({ id, name }): PolicyUse => ({ kind: 'routing_rule', id, name }))].slice(0, MAX_USES)
}
