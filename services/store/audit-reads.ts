/**
 * The audit log as admins read it, newest first. Row-level security hides it from everybody else.
 * Every query takes the workspace first; times are epoch ms.
 *
 * Source: docs/design/api/account.md#ac-15.
 */
import { seeingAll, type Tx } from './pool.ts'

export interface AuditRow {
  audit_id: string
  at: number
  actor_kind: 'user' | 'token' | 'integration' | 'system'
  actor_id: string
  action: string
  object_type: string
  object_id: string
  via: string
  request_id: string | null
  diff: Record<string, [unknown, unknown]>
}

export interface AuditFilter {
  actor_id?: string | undefined
  /** An action that ends with a dot is a prefix of actions. */
  action?: string | undefined
  object_type?: string | undefined
  object_id?: string | undefined
  via?: readonly string[] | undefined
  from?: number | undefined
  to?: number | undefined
}

/**
 * Returns the newest entries that match, older than `before` (an id; null: from the newest on).
 * `kept_days`: how far back the log reaches; null: without end.
 */
export async function listAudit(
  tx: Tx,
  tenant_id: string,
  filter: AuditFilter,
  { before, limit, kept_days }: { before: string | null; limit: number; kept_days: number | null }
): Promise<AuditRow[]> {
  const values: unknown[] = [tenant_id]
  const conditions = ['tenant_id = $1']
  const bind = (value: unknown): string => `$${values.push(value)}`
  if (filter.actor_id !== undefined) conditions.push(`actor_id = ${bind(filter.actor_id)}`)
  if (filter.action?.endsWith('.')) conditions.push(`starts_with(action, ${bind(filter.action)})`)
  else if (filter.action !== undefined) conditions.push(`action = ${bind(filter.action)}`)
  if (filter.object_type !== undefined) conditions.push(`object_type = ${bind(filter.object_type)}`)
  if (filter.object_id !== undefined) conditions.push(`object_id = ${bind(filter.object_id)}`)
  if (filter.via) conditions.push(`via = ANY (${bind(filter.via)}::text[])`)
  if (filter.from !== undefined) conditions.push(`at >= ${bind(new Date(filter.from))}`)
  if (filter.to !== undefined) conditions.push(`at < ${bind(new Date(filter.to))}`)
  if (kept_days !== null) conditions.push(`at >= now() - make_interval(days => ${bind(kept_days)})`)
  // Ids increase with time.
  if (before !== null) conditions.push(`audit_id < ${bind(before)}::uuid`)
  const { rows } = await tx.query<AuditRow>(
    `SELECT audit_id, at, actor_kind, actor_id, action, object_type, object_id, via, request_id, diff
       FROM audit WHERE ${conditions.join(' AND ')} ORDER BY audit_id DESC LIMIT ${bind(limit)}`,
    values
  )
  return rows
}

/** Where the names of objects are stored, by object type. Other types have no name to look up. */
const NAMED: Readonly<Record<string, string>> = {
  monitor: 'SELECT monitor_id, name FROM monitors',
  monitor_group: 'SELECT group_id, name FROM monitor_groups',
  heartbeat: 'SELECT heartbeat_id, name FROM heartbeats',
  integration: 'SELECT integration_id, name FROM integrations',
  incident: "SELECT incident_id, 'INC-' || number FROM incidents",
  team: 'SELECT team_id, name FROM teams',
  private_location: 'SELECT location_id, label FROM private_locations JOIN regions USING (code)',
  api_token: 'SELECT token_id, name FROM api_tokens',
  channel: 'SELECT channel_id, name FROM notification_channels',
  schedule: 'SELECT schedule_id, name FROM schedules',
  escalation_policy: 'SELECT policy_id, name FROM escalation_policies'
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the current names of objects by `type id`. Objects without a name are missing. */
export async function objectNames(
  tx: Tx,
  tenant_id: string,
  objects: readonly { type: string; id: string }[]
): Promise<ReadonlyMap<string, string>> {
  const types = Object.keys(NAMED).filter((type) => objects.some((one) => one.type === type && UUID.test(one.id)))
  if (types.length === 0) return new Map()
  const idsOf = (type: string): string[] => [
    ...new Set(objects.filter((one) => one.type === type && UUID.test(one.id)).map(({ id }) => id))
  ]
  const parts = types.map((type, at) => {
    const select = NAMED[type] ?? ''
    const id = /SELECT (\w+),/.exec(select)?.[1] ?? ''
    return `SELECT '${type} ' || n.id AS object, n.name FROM (${select} WHERE tenant_id = $1 AND ${id} = ANY ($${at + 2}::uuid[])) AS n (id, name)`
  })
  const { rows } = await tx.query<{ object: string; name: string }>(parts.join(' UNION ALL '), [tenant_id, ...types.map(idsOf)])
  return new Map(rows.map(({ object, name }) => [object, name]))
}

/** How somebody acted. */
export interface Way {
  via: string
  /** The vendor of a chat. */
  app: string | null
}

/**
 * Returns the vendor in the name of a sender (`slack:T0001:U0001`), or null if it names no sender.
 */
export const appOf = ({ sender }: AuditRow['diff']): string | null => {
  const after = sender?.[1]
  return typeof after === 'string' && after.includes(':') ? after.slice(0, after.indexOf(':')) : null
}

/**
 * Returns how people and tools made versions of an incident. Other versions have no entry. The
 * caller must see the incident; nothing else of the audit log is revealed. Entries about the
 * incident's postmortem have the postmortem's version.
 */
export async function waysOf(
  tx: Tx,
  tenant_id: string,
  incident_id: string,
  versions: readonly number[]
): Promise<ReadonlyMap<number, Way>> {
  if (versions.length === 0) return new Map()
  const { rows } = await seeingAll(tx, (tx) =>
    tx.query<Pick<AuditRow, 'via' | 'diff'> & { ver: string }>(
      `SELECT diff -> 'ver' ->> 1 AS ver, via, diff FROM audit
        WHERE tenant_id = $1 AND object_id = $2 AND object_type = 'incident' AND action NOT LIKE 'postmortem.%'
          AND diff -> 'ver' ->> 1 = ANY ($3::text[])`,
      [tenant_id, incident_id, versions.map(String)]
    )
  )
  return new Map(rows.map(({ ver, via, diff }) => [Number(ver), { via, app: appOf(diff) }]))
}
