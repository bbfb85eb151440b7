/**
 * Escalation policies. Whoever changes a policy, or refers to one, holds the workspace's lock
 * (tenants.ts). config_versions keeps every version of what decides, for runs that began with it.
 * The row of a deleted policy stays.
 *
 * Source: docs/design/api/on-call.md#s7-3.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Policy } from '../../schemas/http/escalation-words.ts'
import { insertConfigVersion } from './config-versions.ts'
import type { Tx } from './pool.ts'

/** What people set. */
export interface PolicySettings extends Policy {
  name: string
  description: string
  team_id: string | null
}

export interface StoredPolicy {
  tenant_id: string
  policy_id: string
  ver: number
  name: string
  description: string
  team_id: string | null
  body: Policy
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

const COLUMNS = 'p.tenant_id, p.policy_id, p.ver, p.name, p.description, p.team_id, p.body, p.created_at, p.updated_at'

/** Returns those of `ids` that the session sees. */
export async function seenPolicies(tx: Tx, tenant_id: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ policy_id: string }>({
    name: 'policies-seen',
    text: 'SELECT policy_id FROM escalation_policies WHERE tenant_id = $1 AND policy_id = ANY ($2::uuid[])',
    values: [tenant_id, ids]
  })
  return new Set(rows.map(({ policy_id }) => policy_id))
}

export const bodyOf = ({ repeat, ack_timeout_minutes, max_duration_minutes, steps }: Policy): Policy => ({
  repeat,
  ack_timeout_minutes,
  max_duration_minutes,
  steps
})

export interface PolicyFilter {
  q?: string | undefined
  team_id?: readonly string[] | undefined
}

/** Lists the policies, sorted by name. */
export async function listPolicies(
  tx: Tx,
  tenant_id: string,
  { q, team_id }: PolicyFilter,
  { page, per_page }: Page
): Promise<{ items: StoredPolicy[]; total: number }> {
  const part = q === undefined ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const where = `p.tenant_id = $1 AND p.deleted_at IS NULL AND ($2::text IS NULL OR p.name ILIKE $2) AND ($3::uuid[] IS NULL OR p.team_id = ANY ($3))`
  const values = [tenant_id, part, team_id ?? null]
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM escalation_policies p WHERE ${where}`, values)
  const { rows } = await tx.query<StoredPolicy>(
    `SELECT ${COLUMNS} FROM escalation_policies p WHERE ${where} ORDER BY lower(p.name), p.policy_id LIMIT $4 OFFSET $5`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

export async function countPolicies(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*) FROM escalation_policies WHERE tenant_id = $1 AND deleted_at IS NULL',
    [tenant_id]
  )
  return rows[0]?.count ?? 0
}

/** The policy, or null. */
export async function readPolicy(tx: Tx, tenant_id: string, policy_id: string): Promise<StoredPolicy | null> {
  const { rows } = await tx.query<StoredPolicy>(
    `SELECT ${COLUMNS} FROM escalation_policies p WHERE p.tenant_id = $1 AND p.policy_id = $2 AND p.deleted_at IS NULL`,
    [tenant_id, policy_id]
  )
  return rows[0] ?? null
}

const versionOf = (tx: Tx, tenant_id: string, id: string, version: number, body: object, actor: string): Promise<void> =>
  insertConfigVersion(tx, tenant_id, { kind: 'escalation_policy', id, version, body, actor })

/** `actor` as kind:id. */
export async function insertPolicy(tx: Tx, tenant_id: string, policy_id: string, settings: PolicySettings, actor: string): Promise<void> {
  const { name, description, team_id } = settings
  await tx.query(
    'INSERT INTO escalation_policies (tenant_id, policy_id, name, description, team_id, body) VALUES ($1, $2, $3, $4, $5, $6)',
    [tenant_id, policy_id, name, description, team_id, JSON.stringify(bodyOf(settings))]
  )
  await versionOf(tx, tenant_id, policy_id, 1, bodyOf(settings), actor)
}

/** Updates a policy. The workspace must be locked. */
export async function updatePolicy(tx: Tx, before: StoredPolicy, settings: PolicySettings, actor: string): Promise<void> {
  const { tenant_id, policy_id, ver } = before
  const { name, description, team_id } = settings
  await tx.query(
    `UPDATE escalation_policies SET name = $3, description = $4, team_id = $5, body = $6, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND policy_id = $2`,
    [tenant_id, policy_id, name, description, team_id, JSON.stringify(bodyOf(settings))]
  )
  await versionOf(tx, tenant_id, policy_id, ver + 1, bodyOf(settings), actor)
}

/** Marks a policy as deleted. The row and its versions stay, because a run may still use them. */
export async function deletePolicy(tx: Tx, tenant_id: string, policy_id: string): Promise<void> {
  await tx.query('UPDATE escalation_policies SET deleted_at = now(), updated_at = now() WHERE tenant_id = $1 AND policy_id = $2', [
    tenant_id,
    policy_id
  ])
}

/** What refers to a policy and still exists: counts by kind. */
export interface PolicyUses {
  workspace: number
  teams: number
  integrations: number
  monitors: number
  heartbeats: number
  routing_rules: number
  /** Ongoing ones. */
  incidents: number
}

export async function usesOfPolicy(tx: Tx, tenant_id: string, policy_id: string): Promise<PolicyUses> {
  const { rows } = await tx.query<PolicyUses>(
    `SELECT (SELECT count(*) FROM tenants WHERE tenant_id = $1 AND default_escalation_policy_id = $2) AS workspace,
            (SELECT count(*) FROM teams WHERE tenant_id = $1 AND escalation_policy_id = $2 AND deleted_at IS NULL) AS teams,
            (SELECT count(*) FROM integrations WHERE tenant_id = $1 AND escalation_policy_id = $2) AS integrations,
            (SELECT count(*) FROM monitors WHERE tenant_id = $1 AND escalation_policy_id = $2 AND deleted_at IS NULL) AS monitors,
            (SELECT count(*) FROM heartbeats WHERE tenant_id = $1 AND escalation_policy_id = $2 AND deleted_at IS NULL) AS heartbeats,
            (SELECT count(*) FROM routing_heads h JOIN routing_rule_sets s USING (tenant_id, version)
              CROSS JOIN jsonb_array_elements(s.rules) AS r (rule)
              WHERE h.tenant_id = $1 AND rule #>> '{actions,escalation_policy_id}' = $2::text) AS routing_rules,
            (SELECT count(*) FROM incidents WHERE tenant_id = $1 AND escalation_policy_id = $2 AND status = 'ongoing') AS incidents`,
    [tenant_id, policy_id]
  )
  const [uses] = rows
  if (!uses) throw new Error('usesOfPolicy: no row')
  return uses
}

export interface UsingPlace {
  kind: 'workspace' | 'team' | 'integration' | 'monitor' | 'heartbeat' | 'incident'
  id: string
  name: string
}

/**
 * Returns the places that use a policy and that the caller sees, by kind and name. Rules are read
 * elsewhere. An ongoing incident is named by its key.
 */
export async function placesUsing(tx: Tx, tenant_id: string, policy_id: string, most: number): Promise<UsingPlace[]> {
  const { rows } = await tx.query<UsingPlace>(
    `SELECT kind, id, name FROM (
       SELECT 1 AS nth, 'workspace' AS kind, tenant_id AS id, name FROM tenants WHERE tenant_id = $1 AND default_escalation_policy_id = $2
       UNION ALL SELECT 2, 'team', team_id, name FROM teams WHERE tenant_id = $1 AND escalation_policy_id = $2 AND deleted_at IS NULL
       UNION ALL SELECT 3, 'integration', integration_id, name FROM integrations WHERE tenant_id = $1 AND escalation_policy_id = $2
       UNION ALL SELECT 4, 'monitor', monitor_id, name FROM monitors WHERE tenant_id = $1 AND escalation_policy_id = $2 AND deleted_at IS NULL
       UNION ALL SELECT 5, 'heartbeat', heartbeat_id, name FROM heartbeats WHERE tenant_id = $1 AND escalation_policy_id = $2 AND deleted_at IS NULL
       UNION ALL SELECT 6, 'incident', incident_id, 'INC-' || number FROM incidents
                  WHERE tenant_id = $1 AND escalation_policy_id = $2 AND status = 'ongoing') AS places
      ORDER BY nth, lower(name), id LIMIT $3`,
    [tenant_id, policy_id, most]
  )
  return rows
}

/** Returns the policies that have a target of this kind and id, by name. */
export async function policiesNaming(
  tx: Tx,
  tenant_id: string,
  type: 'user' | 'schedule' | 'team' | 'channel',
  id: string
): Promise<{ policy_id: string; name: string; team_id: string | null }[]> {
  const types = type === 'channel' ? ['channel', 'webhook'] : [type]
  const { rows } = await tx.query<{ policy_id: string; name: string; team_id: string | null }>(
    `SELECT p.policy_id, p.name, p.team_id FROM escalation_policies p
      WHERE p.tenant_id = $1 AND p.deleted_at IS NULL
        AND jsonb_path_exists(p.body, '$.steps[*].targets[*] ? (@.id == $id && @.type == $types[*])', jsonb_build_object('id', $2::text, 'types', $3::jsonb))
      ORDER BY lower(p.name), p.policy_id`,
    [tenant_id, id, JSON.stringify(types)]
  )
  return rows
}

export interface AskingPolicy {
  schedule_id: string
  policy_id: string
  name: string
  /** Number of the first step that asks the schedule, from 1. */
  level: number
}

/**
 * Returns the policies that ask one of the schedules, with the first step that does. Ordered by
 * that step, then by name.
 */
export async function policiesAsking(tx: Tx, tenant_id: string, schedule_ids: readonly string[]): Promise<AskingPolicy[]> {
  if (schedule_ids.length === 0) return []
  const { rows } = await tx.query<AskingPolicy>(
    `SELECT t.target ->> 'id' AS schedule_id, p.policy_id, p.name, min(s.number)::integer AS level
       FROM escalation_policies p, jsonb_array_elements(p.body -> 'steps') WITH ORDINALITY s(step, number),
            jsonb_array_elements(s.step -> 'targets') t(target)
      WHERE p.tenant_id = $1 AND p.deleted_at IS NULL AND t.target ->> 'type' = 'schedule' AND t.target ->> 'id' = ANY ($2::text[])
      GROUP BY 1, 2, 3 ORDER BY level, lower(p.name), p.policy_id`,
    [tenant_id, schedule_ids]
  )
  return rows
}

/** Ids that the targets of a policy name. */
export interface TargetIds {
  user: readonly string[]
  schedule: readonly string[]
  team: readonly string[]
  channel: readonly string[]
  webhook: readonly string[]
}

/** Returns the targets that exist for the caller, as `type:id`. */
export async function existingTargets(tx: Tx, tenant_id: string, ids: TargetIds): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ target: string }>(
    `SELECT 'user:' || user_id AS target FROM members WHERE tenant_id = $1 AND user_id = ANY ($2::uuid[])
     UNION ALL SELECT 'team:' || team_id FROM teams WHERE tenant_id = $1 AND team_id = ANY ($3::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT 'schedule:' || schedule_id FROM schedules WHERE tenant_id = $1 AND schedule_id = ANY ($6::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT 'channel:' || channel_id FROM notification_channels WHERE tenant_id = $1 AND channel_id = ANY ($4::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT 'webhook:' || channel_id FROM notification_channels
                WHERE tenant_id = $1 AND channel_id = ANY ($5::uuid[]) AND deleted_at IS NULL AND kind = 'webhook'`,
    [tenant_id, ids.user, ids.team, ids.channel, ids.webhook, ids.schedule]
  )
  return new Set(rows.map(({ target }) => target))
}
