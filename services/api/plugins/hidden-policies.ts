/**
 * Hides escalation policies of private teams in answers. An object that everybody sees may name
 * such a policy: an owner chose it, or the team turned private later. A caller who does not see the
 * policy gets null in its place, on every route.
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { FastifyInstance } from 'fastify'
import { seenPolicies } from '../../store/escalation-policies.ts'
import { keyedTransaction, type Pool } from '../../store/pool.ts'

/** Fields of answers that hold the id of a policy; each may be null. */
const naming = new Set(['escalation_policy_id', 'default_escalation_policy_id', 'policy_id'])

/** Fields that people and their tools fill: names in them are not ours. */
const ofPeople = new Set(['labels', 'labels_add', 'payload', 'config'])

/** Returns the ids of policies that `value` names anywhere. */
export function policiesNamed(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const one of value) policiesNamed(one, found)
  else if (typeof value === 'object' && value !== null && !(value instanceof Date) && !Buffer.isBuffer(value))
    for (const [name, one] of Object.entries(value))
      if (ofPeople.has(name)) continue
      else if (!naming.has(name)) policiesNamed(one, found)
      else if (typeof one === 'string') found.add(one)
  return found
}

/**
 * Returns `value` with null for every policy that is not among `seen`. Parts that name no policy
 * are not copied.
 */
export function withoutHidden(value: unknown, seen: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const shown = value.map((one) => withoutHidden(one, seen))
    return shown.some((one, at) => one !== value[at]) ? shown : value
  }
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value
  const shown = Object.entries(value).map(([name, one]): [string, unknown] => [
    name,
    ofPeople.has(name) ? one : naming.has(name) && typeof one === 'string' ? (seen.has(one) ? one : null) : withoutHidden(one, seen)
  ])
  const given: Record<string, unknown> = { ...value }
  return shown.some(([name, one]) => one !== given[name]) ? Object.fromEntries(shown) : value
}

export function hideHiddenPolicies(api: FastifyInstance, pool: Pool): void {
  api.addHook('preSerialization', async ({ caller }, _reply, payload) => {
    // A caller who sees every team sees every policy.
    if (!caller || caller.seen_by === null || typeof payload !== 'object' || payload === null) return payload
    const named = policiesNamed(payload)
    if (named.size === 0) return payload
    const seen = await keyedTransaction(pool, caller, (tx) => seenPolicies(tx, caller.tenant_id, [...named]))
    return seen.size === named.size ? payload : withoutHidden(payload, seen)
  })
}
