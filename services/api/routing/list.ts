/** Lists rules as a caller sees them: hidden rules are left out and leave no gap. */
import type { RuleDetail, RuleList } from '../../../schemas/http/routing.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import type { Tx } from '../../store/pool.ts'
import { readRuleSet } from '../../store/routing.ts'
import { readWorkspace } from '../../store/tenants.ts'
import type { Caller } from '../http/caller.ts'
import { notFound } from '../http/errors.ts'
import { defaultRule, toDetail } from './shapes.ts'
import { ruleSightOf } from './sight.ts'
import { warningsOf } from './warnings.ts'

interface Seen {
  version: number
  rules: readonly StoredRule[]
  fallback: RuleDetail
}

async function seenBy(tx: Tx, caller: Caller): Promise<Seen> {
  const { tenant_id } = caller
  const workspace = await readWorkspace(tx, tenant_id)
  if (!workspace) throw notFound()
  const { version, rules } = await readRuleSet(tx, tenant_id)
  const seen = rules.filter((await ruleSightOf(tx, caller)).sees)
  return { version, rules: seen, fallback: defaultRule(tenant_id, seen.length, workspace.created_at) }
}

/** Returns every rule that the caller sees, the default rule last. */
export async function listOf(tx: Tx, caller: Caller): Promise<RuleList> {
  const { version, rules, fallback } = await seenBy(tx, caller)
  const warnings = await warningsOf(tx, caller.tenant_id, rules, rules.length, Date.now())
  const items = rules.map((rule, position) => toDetail(caller.tenant_id, rule, position, warnings[position] ?? []))
  return { items: [...items, fallback], total: items.length + 1, version }
}

/** Returns one of them. Throws NOT_FOUND. */
export async function detailOf(tx: Tx, caller: Caller, id: string): Promise<RuleDetail> {
  const { rules, fallback } = await seenBy(tx, caller)
  if (fallback.id === id) return fallback
  const position = rules.findIndex((rule) => rule.id === id)
  const rule = rules[position]
  if (!rule) throw notFound()
  const [warnings = []] = await warningsOf(tx, caller.tenant_id, [rule], position === rules.length - 1 ? 1 : 2, Date.now())
  return toDetail(caller.tenant_id, rule, position, warnings)
}

/** Returns the stored rule, if the caller sees it. Throws NOT_FOUND. */
export function seenRule(rules: readonly StoredRule[], sees: (rule: StoredRule) => boolean, id: string): StoredRule {
  const found = rules.find((rule) => rule.id === id)
  if (!found || !sees(found)) throw notFound()
  return found
}
