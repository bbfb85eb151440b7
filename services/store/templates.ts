/**
 * Message templates of a workspace: at most one text for each kind and event.
 * Source: docs/design/api/notifications.md#templates.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { ChannelEvent, ChannelKind } from '../../schemas/http/notification-words.ts'
import type { Tx } from './pool.ts'

export interface StoredTemplate {
  tenant_id: string
  template_id: string
  ver: number
  /** Null: for every kind that has none of its own. */
  kind: ChannelKind | null
  event: ChannelEvent
  title: string | null
  body: string | null
  /** kind:id. */
  created_by: string
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

const COLUMNS = 'tenant_id, template_id, ver, kind, event, title, body, created_by, created_at, updated_at'

/** Ordered by event; within one event, the template for every kind comes first, then by kind. */
export async function listTemplates(
  tx: Tx,
  tenant_id: string,
  { kind = null, event = null }: { kind?: string | null; event?: string | null },
  { page, per_page }: Page
): Promise<{ items: StoredTemplate[]; total: number }> {
  const where = 'tenant_id = $1 AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR event = $3)'
  const values = [tenant_id, kind, event]
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM notification_templates WHERE ${where}`, values)
  const { rows } = await tx.query<StoredTemplate>(
    `SELECT ${COLUMNS} FROM notification_templates WHERE ${where} ORDER BY event, kind NULLS FIRST, template_id LIMIT $4 OFFSET $5`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** The template, or null. `lock`: nobody else changes it until the transaction ends. */
export async function readTemplate(tx: Tx, tenant_id: string, template_id: string, lock = false): Promise<StoredTemplate | null> {
  const { rows } = await tx.query<StoredTemplate>(
    `SELECT ${COLUMNS} FROM notification_templates WHERE tenant_id = $1 AND template_id = $2 ${lock ? 'FOR UPDATE' : ''}`,
    [tenant_id, template_id]
  )
  return rows[0] ?? null
}

/** Returns null when there is one for this kind and event already. */
export async function insertTemplate(
  tx: Tx,
  { tenant_id, template_id, kind, event, title, body, created_by }: Omit<StoredTemplate, 'ver' | 'created_at' | 'updated_at'>
): Promise<StoredTemplate | null> {
  const { rows } = await tx.query<StoredTemplate>(
    `INSERT INTO notification_templates (tenant_id, template_id, kind, event, title, body, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (tenant_id, event, kind) DO NOTHING RETURNING ${COLUMNS}`,
    [tenant_id, template_id, kind, event, title, body, created_by]
  )
  return rows[0] ?? null
}

export async function updateTemplate(
  tx: Tx,
  tenant_id: string,
  template_id: string,
  { title, body }: Pick<StoredTemplate, 'title' | 'body'>
): Promise<void> {
  await tx.query(
    `UPDATE notification_templates SET title = $3, body = $4, ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND template_id = $2`,
    [tenant_id, template_id, title, body]
  )
}

export async function deleteTemplate(tx: Tx, tenant_id: string, template_id: string): Promise<void> {
  await tx.query('DELETE FROM notification_templates WHERE tenant_id = $1 AND template_id = $2', [tenant_id, template_id])
}
