/**
 * Records who did what: one row for every write, in the transaction of the write. Rows never
 * change; service_tenant may only add and read them. They end by the plan
 * (docs/design/api/account.md#ac-15).
 */
import { isDeepStrictEqual } from 'node:util'
import { planIds, plans } from '../../schemas/plans.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

/** Who acts. `via` is api, ui, cli, mcp, chat, mail, sms, voice or system. */
export interface Actor {
  kind: 'user' | 'token' | 'integration' | 'system'
  id: string
  via: string
  request_id: string | null
}

/** Text form of an actor in records and columns. */
export const actorText = (actor: Actor): string => `${actor.kind}:${actor.id}`

export interface Act {
  /** For example `integration.created`. */
  action: string
  object_type: string
  object_id: string
  /** Field → [before, after]. Secrets are left out. */
  diff?: Record<string, [unknown, unknown]>
}

export async function insertAudit(tx: Tx, tenant_id: string, actor: Actor, act: Act): Promise<void> {
  await tx.query(
    `INSERT INTO audit (tenant_id, audit_id, actor_kind, actor_id, action, object_type, object_id, via, request_id, diff)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      tenant_id,
      uuidv7(),
      actor.kind,
      actor.id,
      act.action,
      act.object_type,
      act.object_id,
      actor.via,
      actor.request_id,
      JSON.stringify(act.diff ?? {})
    ]
  )
}

/**
 * Entries leave the log at the age that the plan says, and are deleted this many days later. A plan
 * that is changed back in time brings them back.
 */
const GRACE_DAYS = 30

/**
 * Deletes entries that left the log `GRACE_DAYS` ago. Those of incidents and alerts stay: a
 * timeline says how people acted. An alert that was sent by the api is no act of people: programs
 * send many, and no timeline reads these entries. Returns how many. For service_system.
 */
export async function forgetAudit(pool: Pool): Promise<number> {
  let forgotten = 0
  for (const plan of planIds) {
    const kept = plans[plan].limits.audit_retention_days
    if (kept === null) continue
    forgotten += await forget(
      pool,
      'audit',
      `x.tenant_id IN (SELECT t.tenant_id FROM tenants t WHERE t.plan = $1) AND x.at < now() - make_interval(days => $2)
         AND (x.object_type NOT IN ('incident', 'alert') OR x.action = 'alert.sent')`,
      [plan, kept + GRACE_DAYS]
    )
  }
  return forgotten
}

/** Whether two values are the same JSON. Postgres does not keep the order of fields. */
function isSameJson(left: unknown, right: unknown): boolean {
  const [one, other] = [JSON.stringify(left), JSON.stringify(right)]
  return one === other || (one !== undefined && other !== undefined && isDeepStrictEqual(JSON.parse(one), JSON.parse(other)))
}

/** Returns the fields that differ, as a diff. Both sides must have the same fields. */
export function difference<T extends object>(before: T, after: T): Record<string, [unknown, unknown]> {
  const diff: Record<string, [unknown, unknown]> = {}
  for (const key of Object.keys(after)) {
    const [left, right] = [Reflect.get(before, key), Reflect.get(after, key)]
    if (!isSameJson(left, right)) diff[key] = [left, right]
  }
  return diff
}

/** Whether a change leaves everything as it is. Both sides must have the same fields. */
export const isUnchanged = <T extends object>(before: T, after: T): boolean => Object.keys(difference(before, after)).length === 0
