/** A draft of a whole rule set, which is tried and not saved. */
import type { TestRulesBody } from '../../../schemas/http/routing.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Tx } from '../../store/pool.ts'
import { existingOf } from '../../store/routing.ts'
import type { Caller } from '../http/caller.ts'
import { invalid } from '../http/errors.ts'
import { checkCosts, checkCount } from './change.ts'
import { changedSettings, unsetRule } from './shapes.ts'
import { teamsNamed } from './sight.ts'

/** Returns the draft as if it were saved. A rule without an id gets one made from its place. */
export function draftOf(caller: Caller, given: NonNullable<TestRulesBody['rules']>): StoredRule[] {
  checkCount(planOf(caller.plan), given.length)
  const rules: StoredRule[] = []
  const ids = new Set<string>()
  for (const [at, one] of given.entries()) {
    const settings = changedSettings(unsetRule, one, `rules[${at}].`)
    const id = one.id?.toLowerCase() ?? uuidv5(caller.tenant_id, `draft of a routing rule ${at}`)
    if (ids.has(id)) throw invalid(`rules[${at}].id`, 'mutually_exclusive', 'is listed twice')
    ids.add(id)
    rules.push({ ...settings, id, ver: 0, created_at: 0, updated_at: 0 })
  }
  checkCosts(rules, new Map(rules.map((_, at) => [at, `rules[${at}].`])))
  return rules
}

/** Throws VALIDATION_FAILED for a team that the caller does not see, whether it exists or not. */
export async function checkDraft(tx: Tx, { tenant_id }: Caller, rules: readonly StoredRule[]): Promise<void> {
  const named = rules.flatMap((rule, at) => teamsNamed(rule).map(([path, team_id]) => ({ path: `rules[${at}].${path}`, team_id })))
  if (named.length === 0) return
  const team_ids = [...new Set(named.map(({ team_id }) => team_id))]
  const there = await existingOf(tx, tenant_id, { monitor_id: [], heartbeat_id: [], integration_id: [], team_id: team_ids })
  const strange = named.find(({ team_id }) => !there.has(team_id))
  if (strange) throw invalid(strange.path, 'unknown_team', 'is not a team of this workspace')
}
