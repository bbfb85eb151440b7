/**
 * Inbound integrations of a workspace. A token is stored as its SHA-256. Deleting or changing a row
 * notifies every cache of credentials at once.
 */

import type { SourceType } from '../../schemas/generated/source-types.ts'
import type { Page } from '../../schemas/http/common.ts'
import type { Tx } from './pool.ts'

type Severity = 'critical' | 'warning' | 'info'

/** What people set. */
export interface IntegrationSettings {
  name: string
  enabled: boolean
  default_severity: Severity | null
  severity_map: Record<string, Severity>
  labels_add: Record<string, string>
  capture: boolean
  /** By name, as the source declares them. */
  options: Record<string, unknown>
  /** By name; secrets sealed. */
  verify: Record<string, unknown>
  allowed_cidrs: readonly string[]
  dedup_template: string | null
  auto_resolve_minutes: number | null
  team_id: string | null
  escalation_policy_id: string | null
}

/** The defaults of settings that are not given. */
export const unset: Omit<IntegrationSettings, 'name'> = {
  enabled: true,
  default_severity: null,
  severity_map: {},
  labels_add: {},
  capture: false,
  options: {},
  verify: {},
  allowed_cidrs: [],
  dedup_template: null,
  auto_resolve_minutes: null,
  team_id: null,
  escalation_policy_id: null
}

export interface Integration extends IntegrationSettings {
  integration_id: string
  tenant_id: string
  source_type: SourceType
  visibility: 'org' | 'private'
  token_prefix: string
  /** When the sender said that it delivers here no more, epoch ms. */
  disconnected_at: number | null
  ver: number
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

const COLUMNS = `integration_id, tenant_id, name, source_type, enabled, team_id, escalation_policy_id, visibility, default_severity, severity_map, labels_add, capture,
  options, verify, allowed_cidrs, dedup_template, auto_resolve_minutes, token_prefix, disconnected_at, ver, created_at, updated_at`

const one = ({ rows }: { rows: Integration[] }): Integration | null => rows[0] ?? null

export async function countIntegrations(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM integrations WHERE tenant_id = $1', [tenant_id])
  return rows[0]?.count ?? 0
}

/** Newest first. */
export async function listIntegrations(
  tx: Tx,
  tenant_id: string,
  { page, per_page }: Page
): Promise<{ items: Integration[]; total: number }> {
  const { rows } = await tx.query<Integration>(
    `SELECT ${COLUMNS} FROM integrations WHERE tenant_id = $1 ORDER BY created_at DESC, integration_id DESC LIMIT $2 OFFSET $3`,
    [tenant_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: await countIntegrations(tx, tenant_id) }
}

/** Reads an integration, or null. */
export async function readIntegration(tx: Tx, tenant_id: string, integration_id: string): Promise<Integration | null> {
  return one(
    await tx.query<Integration>(`SELECT ${COLUMNS} FROM integrations WHERE tenant_id = $1 AND integration_id = $2`, [
      tenant_id,
      integration_id
    ])
  )
}

/** Reads an integration as readIntegration does, and locks the row. */
export async function lockIntegration(tx: Tx, tenant_id: string, integration_id: string): Promise<Integration | null> {
  return one(
    await tx.query<Integration>(`SELECT ${COLUMNS} FROM integrations WHERE tenant_id = $1 AND integration_id = $2 FOR UPDATE`, [
      tenant_id,
      integration_id
    ])
  )
}

export async function insertIntegration(
  tx: Tx,
  tenant_id: string,
  integration: IntegrationSettings & { integration_id: string; source_type: SourceType; sha256: Buffer; prefix: string }
): Promise<Integration> {
  const row = one(
    await tx.query<Integration>(
      `INSERT INTO integrations (tenant_id, integration_id, name, source_type, enabled, default_severity, severity_map, labels_add, capture, token_sha256, token_prefix,
                                 options, verify, allowed_cidrs, dedup_template, auto_resolve_minutes, team_id, escalation_policy_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING ${COLUMNS}`,
      [
        tenant_id,
        integration.integration_id,
        integration.name,
        integration.source_type,
        integration.enabled,
        integration.default_severity,
        JSON.stringify(integration.severity_map),
        JSON.stringify(integration.labels_add),
        integration.capture,
        integration.sha256,
        integration.prefix,
        JSON.stringify(integration.options),
        JSON.stringify(integration.verify),
        integration.allowed_cidrs,
        integration.dedup_template,
        integration.auto_resolve_minutes,
        integration.team_id,
        integration.escalation_policy_id
      ]
    )
  )
  if (!row) throw new Error('INSERT INTO integrations returned no row')
  return row
}

/** Writes the settings of a locked integration. Returns null when it is gone. */
export async function updateIntegration(
  tx: Tx,
  tenant_id: string,
  integration_id: string,
  settings: IntegrationSettings
): Promise<Integration | null> {
  return one(
    await tx.query<Integration>(
      `UPDATE integrations SET name = $3, enabled = $4, default_severity = $5, severity_map = $6, labels_add = $7, capture = $8,
              options = $9, verify = $10, allowed_cidrs = $11, dedup_template = $12, auto_resolve_minutes = $13, team_id = $14, escalation_policy_id = $15, ver = ver + 1, updated_at = now()
        WHERE tenant_id = $1 AND integration_id = $2 RETURNING ${COLUMNS}`,
      [
        tenant_id,
        integration_id,
        settings.name,
        settings.enabled,
        settings.default_severity,
        JSON.stringify(settings.severity_map),
        JSON.stringify(settings.labels_add),
        settings.capture,
        JSON.stringify(settings.options),
        JSON.stringify(settings.verify),
        settings.allowed_cidrs,
        settings.dedup_template,
        settings.auto_resolve_minutes,
        settings.team_id,
        settings.escalation_policy_id
      ]
    )
  )
}

/**
 * Replaces the token. The previous token works for `grace_minutes`; the one before that stops
 * working.
 */
export async function replaceIntegrationToken(
  tx: Tx,
  tenant_id: string,
  integration_id: string,
  token: { sha256: Buffer; prefix: string; grace_minutes: number }
): Promise<Integration | null> {
  return one(
    await tx.query<Integration>(
      `UPDATE integrations SET previous_token_sha256 = CASE WHEN $5 > 0 THEN token_sha256 END,
              previous_token_expires_at = CASE WHEN $5 > 0 THEN now() + make_interval(mins => $5) END,
              token_sha256 = $3, token_prefix = $4, ver = ver + 1, updated_at = now()
        WHERE tenant_id = $1 AND integration_id = $2 RETURNING ${COLUMNS}`,
      [tenant_id, integration_id, token.sha256, token.prefix, token.grace_minutes]
    )
  )
}

/** Deletes an integration. Returns the deleted row, or null when there was none. */
export async function deleteIntegration(tx: Tx, tenant_id: string, integration_id: string): Promise<Integration | null> {
  return one(
    await tx.query<Integration>(`DELETE FROM integrations WHERE tenant_id = $1 AND integration_id = $2 RETURNING ${COLUMNS}`, [
      tenant_id,
      integration_id
    ])
  )
}

/**
 * Pins the topic that may deliver to an integration, if none or the same one is pinned. Returns
 * false if another is pinned. A topic that had disconnected is connected again.
 */
export async function pinTopic(tx: Tx, tenant_id: string, integration_id: string, topic_arn: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE integrations SET verify = verify || jsonb_build_object('topic_arn', $3::text), disconnected_at = NULL, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND integration_id = $2 AND coalesce(verify ->> 'topic_arn', $3) = $3`,
    [tenant_id, integration_id, topic_arn]
  )
  return rowCount === 1
}

/** Records that the pinned topic delivers no more. Returns false if it is not the pinned one. */
export async function disconnectTopic(tx: Tx, tenant_id: string, integration_id: string, topic_arn: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE integrations SET disconnected_at = now(), ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND integration_id = $2 AND verify ->> 'topic_arn' = $3`,
    [tenant_id, integration_id, topic_arn]
  )
  return rowCount === 1
}
