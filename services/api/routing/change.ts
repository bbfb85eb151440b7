/**
 * Makes one change of a workspace's rules as a new version: under the locks of the workspace and of
 * its rule set, and within the limits of a set.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import {
  conditionGroups,
  MAX_SET_BYTES_A_DAY,
  MAX_SET_CHARACTERS,
  MAX_SET_CONDITIONS,
  MAX_SET_EXPRESSIONS,
  MAX_SET_NODES,
  MAX_SET_STEPS,
  type StoredRule
} from '../../../schemas/http/routing-words.ts'
import { type Capability, type Plan, planIds, planOf, plans } from '../../../schemas/plans.ts'
import { type Cost, CostMeter } from '../../../streams/routing/budget.ts'
import { actorText } from '../../store/audit.ts'
import type { Tx } from '../../store/pool.ts'
import { insertRuleSet, lockRuleSet, readRuleSet, ruleBytesSince, type StoredRuleSet } from '../../store/routing.ts'
import { lockWorkspace, type Workspace } from '../../store/tenants.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, invalid, notFound, rateLimited } from '../http/errors.ts'
import { limitExceeded } from '../workspace/limits.ts'
import { type RuleSight, ruleSightOf } from './sight.ts'

export type CostLimits = Readonly<Record<keyof Cost, readonly [limit: number, what: string]>>

/** Limits of all routing rules together. */
export const setLimits: CostLimits = {
  conditions: [MAX_SET_CONDITIONS, 'conditions'],
  expressions: [MAX_SET_EXPRESSIONS, 'different expressions'],
  nodes: [MAX_SET_NODES, 'parts of expressions'],
  steps: [MAX_SET_STEPS, 'steps of searching texts for one alert']
}

/**
 * Throws VALIDATION_FAILED at `path` if what was added makes all of `whose` together cost more than
 * they may.
 */
export function checkCost({ cost }: CostMeter, limits: CostLimits, path: string, whose: string): void {
  for (const key of Object.keys(limits) as (keyof Cost)[]) {
    const [limit, what] = limits[key]
    const actual = cost[key]
    if (actual > limit) throw invalid(path, 'max', `all ${whose} together have at most ${limit} ${what}`, { limit, actual })
  }
}

/**
 * Throws VALIDATION_FAILED at the condition with which the whole set costs more than it may. The
 * rules of `named`, by their index and path, come from the request and are counted last.
 */
export function checkCosts(rules: readonly Pick<StoredRule, 'match'>[], named: ReadonlyMap<number, string>): void {
  const meter = new CostMeter()
  const add = ({ match }: Pick<StoredRule, 'match'>, path: string): void => {
    for (const group of conditionGroups)
      for (const [at, condition] of match[group].entries()) {
        meter.add(condition)
        checkCost(meter, setLimits, `${path}match.${group}[${at}]`, 'rules')
      }
  }
  for (const [index, rule] of rules.entries()) if (!named.has(index)) add(rule, '')
  for (const [index, path] of named) {
    const rule = rules[index]
    if (rule) add(rule, path)
  }
  const actual = JSON.stringify(rules).length
  if (actual > MAX_SET_CHARACTERS) {
    const path = [...named.values()].at(-1) ?? ''
    const message = `all rules together have at most ${MAX_SET_CHARACTERS} characters`
    throw invalid(path === '' ? 'match' : path.slice(0, -1), 'max', message, { limit: MAX_SET_CHARACTERS, actual })
  }
}

/**
 * Throws TIER_LIMIT_EXCEEDED if the plan lacks the capability. `path`: the field that asks for it.
 */
export function checkCapability(plan: Plan, capability: Capability, path: string, message: string): void {
  if (plan.capabilities.includes(capability)) return
  const upgrade_to = planIds.find((id) => plans[id].capabilities.includes(capability)) ?? null
  throw new ApiError('TIER_LIMIT_EXCEEDED', message, {
    details: [{ path, rule: 'limit', limit_key: capability, limit: 0, actual: 1, plan: plan.id, upgrade_to }]
  })
}

/** Throws TIER_LIMIT_EXCEEDED if the plan has no rules that only report. */
export function checkShadow(plan: Plan, rules: readonly Pick<StoredRule, 'mode'>[]): void {
  if (rules.some(({ mode }) => mode !== 'live')) checkCapability(plan, 'shadow_rules', 'mode', 'This plan has no rules in shadow mode.')
}

/** Throws TIER_LIMIT_EXCEEDED if there are more rules than the plan allows. */
export function checkCount(plan: Plan, count: number): void {
  const limit = plan.limits.routing_rules
  if (limit === null || count <= limit) return
  throw limitExceeded(plan, 'routing_rules', count - 1, `This plan allows ${limit} routing rules.`)
}

/** A rule set that is locked until the transaction ends. */
export interface Held {
  set: StoredRuleSet
  workspace: Workspace
  plan: Plan
  sight: RuleSight
}

export async function hold(tx: Tx, caller: Caller): Promise<Held> {
  const workspace = await lockWorkspace(tx, caller.tenant_id)
  if (!workspace) throw notFound()
  const set = await lockRuleSet(tx, caller.tenant_id)
  return { set, workspace, plan: planOf(workspace.plan), sight: await ruleSightOf(tx, caller) }
}

const DAY_MS = 86_400_000
const RETRY_SECONDS = 3600

const insert = (tx: Tx, { tenant_id, actor }: Caller, { sight }: Held, rules: readonly StoredRule[], note: string): Promise<number> =>
  insertRuleSet(tx, tenant_id, { rules, private_team_ids: sight.private_team_ids, created_by: actorText(actor), note })

/**
 * Writes a new version of the locked set, and returns its number. Throws RATE_LIMITED if the
 * versions of the last 24 hours are as large as they may be.
 */
export async function put(tx: Tx, caller: Caller, held: Held, rules: readonly StoredRule[], note: string): Promise<number> {
  const { tenant_id } = caller
  if ((await ruleBytesSince(tx, tenant_id, Date.now() - DAY_MS)) >= MAX_SET_BYTES_A_DAY)
    throw rateLimited('The routing rules were changed too often for their size. Make fewer changes of all rules a day', RETRY_SECONDS)
  return insert(tx, caller, held, rules, note)
}

/**
 * Writes a new version with the teams that are private now, if the rules in force do not have the
 * same ones. From the moment that a team turns private, no rule of other people may take alerts
 * away from it. The limit of a day does not count here: a team must not stay open for it.
 */
export async function renewPrivateTeams(tx: Tx, caller: Caller): Promise<void> {
  const { version, private_team_ids } = await readRuleSet(tx, caller.tenant_id)
  if (version === 1) return
  const { private_team_ids: now } = await ruleSightOf(tx, caller)
  if (JSON.stringify([...now].sort()) === JSON.stringify([...private_team_ids].sort())) return
  const held = await hold(tx, caller)
  await insert(tx, caller, held, held.set.rules, 'private teams')
}
