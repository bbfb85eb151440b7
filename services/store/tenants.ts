/**
 * Workspaces: making one, and reading and changing its settings.
 */

import type { PlanId } from '../../schemas/plans.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { type Actor, actorText, insertAudit } from './audit.ts'
import { insertConfigVersion } from './config-versions.ts'
import { insertPolicy } from './escalation-policies.ts'
import { type Pool, type Tx, transaction } from './pool.ts'

/** Whether monitors that go down together become one incident for people, and how many it takes. */
export interface MassOutageSettings {
  enabled: boolean
  min_monitors: number
}

export interface Workspace {
  tenant_id: string
  name: string
  slug: string
  plan: PlanId
  time_zone: string
  reopen_after_seconds: number
  /** When more incidents than this open in a minute, it is a storm. */
  storm_threshold: number
  mass_outage: MassOutageSettings
  default_escalation_policy_id: string | null
  ver: number
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

export interface NewWorkspace {
  workspace_name: string
  /** Lower-case letters, digits and hyphens; unique in the service. */
  slug: string
  plan: PlanId
  email: string
  user_name: string
  /** PHC string; see services/credentials/credentials.ts. */
  password_hash: string
  time_zone?: string
  /**
   * The workspace starts with an escalation policy that asks its owner by e-mail. Missing: it
   * starts with none.
   */
  reaches_owner?: true
  /** The owner's first API token. */
  token: { name: string; sha256: Buffer; prefix: string; scopes: readonly string[] }
}

export interface CreatedWorkspace {
  tenant_id: string
  user_id: string
  token_id: string
}

const COLUMNS = `tenant_id, name, slug, plan, time_zone, reopen_after_seconds, storm_threshold, default_escalation_policy_id, ver, created_at, updated_at,
  json_build_object('enabled', mass_outage_enabled, 'min_monitors', mass_outage_min_monitors) AS mass_outage`

/**
 * Creates a workspace with its owner, the membership and an API token, in one transaction. `pool`
 * must be the owner's or service_system's, because no workspace is set yet. Rejects with Postgres's
 * unique_violation (23505) when the slug or the e-mail address is taken.
 */
export function createWorkspace(pool: Pool, workspace: NewWorkspace): Promise<CreatedWorkspace> {
  const [tenant_id, user_id, token_id] = [uuidv7(), uuidv7(), uuidv7()]
  const actor: Actor = { kind: 'system', id: 'setup', via: 'system', request_id: null }
  const settings = { name: workspace.workspace_name, slug: workspace.slug, plan: workspace.plan, time_zone: workspace.time_zone ?? 'UTC' }
  return transaction(pool, async (tx) => {
    await tx.query('INSERT INTO tenants (tenant_id, name, slug, plan, time_zone) VALUES ($1, $2, $3, $4, $5)', [
      tenant_id,
      settings.name,
      settings.slug,
      settings.plan,
      settings.time_zone
    ])
    await tx.query('INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
      user_id,
      workspace.email,
      workspace.user_name,
      workspace.password_hash
    ])
    await tx.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'owner')", [tenant_id, user_id])
    await tx.query(
      'INSERT INTO api_tokens (tenant_id, token_id, user_id, name, prefix, token_sha256, scopes) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [tenant_id, token_id, user_id, workspace.token.name, workspace.token.prefix, workspace.token.sha256, workspace.token.scopes]
    )
    await insertConfigVersion(tx, tenant_id, { kind: 'workspace', id: tenant_id, version: 1, body: settings, actor: actorText(actor) })
    await insertAudit(tx, tenant_id, actor, { action: 'workspace.created', object_type: 'workspace', object_id: tenant_id })
    if (workspace.reaches_owner) await startPolicy(tx, { tenant_id, user_id }, actorText(actor))
    return { tenant_id, user_id, token_id }
  })
}

/** The owner is reached by the address of the account (0048_reaching_people.sql). */
async function startPolicy(tx: Tx, { tenant_id, user_id }: { tenant_id: string; user_id: string }, actor: string): Promise<void> {
  const policy_id = uuidv7()
  const ask = {
    targets: [{ type: 'user', id: user_id, urgency: 'default' }],
    strategy: 'all',
    only_if: null,
    on_empty: 'fallback'
  } as const
  const settings = { name: 'Default', description: '', team_id: null, repeat: 1, ack_timeout_minutes: null, max_duration_minutes: 1440 }
  await insertPolicy(tx, tenant_id, policy_id, { ...settings, steps: [{ delay_seconds: 0, ...ask }] }, actor)
  await tx.query('UPDATE tenants SET default_escalation_policy_id = $2 WHERE tenant_id = $1', [tenant_id, policy_id])
}

/** Whether any workspace exists: the first start makes one. Needs the owner or service_system. */
export async function anyWorkspace(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>('SELECT EXISTS (SELECT FROM tenants) AS found')
  return rows[0]?.found ?? false
}

/** The workspace, or null. */
export async function readWorkspace(tx: Tx, tenant_id: string): Promise<Workspace | null> {
  const { rows } = await tx.query<Workspace>(`SELECT ${COLUMNS} FROM tenants WHERE tenant_id = $1`, [tenant_id])
  return rows[0] ?? null
}

/** Returns ids of workspaces in order, after `tenant_id`; at most `most`. Needs service_system. */
export async function workspacesAfter(pool: Pool, tenant_id: string, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ tenant_id: string }>(
    'SELECT tenant_id FROM tenants WHERE tenant_id > $1 ORDER BY tenant_id LIMIT $2',
    [tenant_id, most]
  )
  return rows.map((row) => row.tenant_id)
}

/**
 * Returns the workspace with this slug or id, or null. The id comes first: an admin can choose the
 * id of another workspace as the slug. Needs service_system.
 */
export async function findWorkspace(tx: Tx, slug_or_id: string): Promise<Workspace | null> {
  const { rows } = await tx.query<Workspace>(
    `SELECT ${COLUMNS} FROM tenants WHERE slug = $1 OR tenant_id::text = lower($1) ORDER BY tenant_id::text = lower($1) DESC LIMIT 1`,
    [slug_or_id]
  )
  return rows[0] ?? null
}

export interface WorkspaceSettings {
  name: string
  slug: string
  time_zone: string
  reopen_after_seconds: number
  storm_threshold: number
  mass_outage: MassOutageSettings
  default_escalation_policy_id: string | null
}

/**
 * Writes the settings of a workspace that is locked. Rejects with Postgres's unique_violation
 * (23505) when the slug is taken.
 */
export async function updateWorkspace(tx: Tx, tenant_id: string, settings: WorkspaceSettings): Promise<Workspace> {
  const { rows } = await tx.query<Workspace>(
    `UPDATE tenants SET name = $2, slug = $3, time_zone = $4, reopen_after_seconds = $5, storm_threshold = $6, default_escalation_policy_id = $7,
            mass_outage_enabled = $8, mass_outage_min_monitors = $9, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 RETURNING ${COLUMNS}`,
    [
      tenant_id,
      settings.name,
      settings.slug,
      settings.time_zone,
      settings.reopen_after_seconds,
      settings.storm_threshold,
      settings.default_escalation_policy_id,
      settings.mass_outage.enabled,
      settings.mass_outage.min_monitors
    ]
  )
  if (!rows[0]) throw new Error('UPDATE tenants returned no row')
  return rows[0]
}

/**
 * Locks the workspace, so that writers that count against a plan's limit take turns. The lock does
 * not wait for rows that refer to the workspace.
 */
export async function lockWorkspace(tx: Tx, tenant_id: string): Promise<Workspace | null> {
  const { rows } = await tx.query<Workspace>(`SELECT ${COLUMNS} FROM tenants WHERE tenant_id = $1 FOR NO KEY UPDATE`, [tenant_id])
  return rows[0] ?? null
}
