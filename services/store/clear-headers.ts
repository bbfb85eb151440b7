/**
 * Headers that are credentials by their name, and that versions before 0021_clear_headers.sql left
 * in the clear: where they stand, how far the work on them is, and the masking of the copies in the
 * history. Across workspaces, by SECURITY DEFINER functions; what they write into the history is
 * the mask and nothing else.
 */
import type { CheckConfig } from '../../schemas/http/check-config.ts'
import { HARMLESS_NAMES, SENSITIVE_NAME } from '../../schemas/http/secret-headers.ts'
import type { Tx } from './pool.ts'

export const sealingStages = ['monitors', 'config_versions', 'audit'] as const
export type SealingStage = (typeof sealingStages)[number]

export interface SealingProgress {
  /** The second pass is for what instances of an older version wrote during the first. */
  pass: 1 | 2
  stage: SealingStage | 'done'
  /** Key of the last row of the stage that was looked at; null before the first. */
  after: (string | number)[] | null
  /** Milliseconds until the work may go on; 0: now. */
  wait_ms: number
  /** Rows that were changed. */
  monitors: number
  config_versions: number
  audit: number
}

const COLUMNS = `pass, stage, after, greatest(0, extract(epoch FROM not_before - now()) * 1000)::float8 AS wait_ms, monitors, config_versions, audit`

/** Locked until the transaction ends; null while another instance has it. */
export async function takeSealing(tx: Tx): Promise<SealingProgress | null> {
  const { rows } = await tx.query<SealingProgress>(`SELECT ${COLUMNS} FROM header_sealing FOR UPDATE SKIP LOCKED`)
  return rows[0] ?? null
}

/** As it stands, whoever works on it. */
export async function readSealing(tx: Tx): Promise<SealingProgress> {
  const { rows } = await tx.query<SealingProgress>(`SELECT ${COLUMNS} FROM header_sealing`)
  if (!rows[0]) throw new Error('header_sealing has no row')
  return rows[0]
}

export async function noteSealing(
  tx: Tx,
  { pass, stage, after, wait_ms, monitors, config_versions, audit }: SealingProgress
): Promise<void> {
  await tx.query(
    `UPDATE header_sealing SET pass = $1, stage = $2, after = $3, not_before = now() + $4 * interval '1 millisecond', monitors = $5, config_versions = $6, audit = $7,
            updated_at = now()`,
    [pass, stage, after && JSON.stringify(after), wait_ms, monitors, config_versions, audit]
  )
}

const NOBODY = '00000000-0000-0000-0000-000000000000'

export interface ClearMonitor {
  tenant_id: string
  monitor_id: string
  /** It has such a header; false: none had one up to it, within the rows that were looked at. */
  clear: boolean
}

/** Among the next `most` monitors behind the key, deleted ones too; null: there are no more. */
export async function nextClearMonitor(tx: Tx, after: SealingProgress['after'], most: number): Promise<ClearMonitor | null> {
  const [tenant_id, monitor_id] = after ?? [NOBODY, NOBODY]
  const { rows } = await tx.query<ClearMonitor>('SELECT * FROM next_clear_monitor($1, $2, $3, $4, $5)', [
    tenant_id,
    monitor_id,
    most,
    SENSITIVE_NAME,
    HARMLESS_NAMES
  ])
  return rows[0] ?? null
}

/**
 * Settings of the monitor, locked until the transaction ends, which acts for its workspace from now
 * on. Null: it is not there any more.
 */
export async function lockConfig(tx: Tx, tenant_id: string, monitor_id: string): Promise<CheckConfig | null> {
  await tx.query("SELECT set_config('service.tenant_id', $1, true)", [tenant_id])
  const { rows } = await tx.query<{ config: CheckConfig }>(
    'SELECT config FROM monitors WHERE tenant_id = $1 AND monitor_id = $2 FOR UPDATE',
    [tenant_id, monitor_id]
  )
  return rows[0]?.config ?? null
}

/** Of a monitor that is locked. No new version: it means the same. Probers are handed it anew. */
export async function replaceConfig(tx: Tx, tenant_id: string, monitor_id: string, config: CheckConfig): Promise<void> {
  await tx.query('UPDATE monitors SET config = $3 WHERE tenant_id = $1 AND monitor_id = $2', [
    tenant_id,
    monitor_id,
    JSON.stringify(config)
  ])
}

export interface Masked {
  /** Key of the last row that was looked at. */
  after: (string | number)[]
  changed: number
}

/** Masks them in the next `most` versions of monitors; null: there are no more. */
export async function maskVersions(tx: Tx, after: SealingProgress['after'], most: number): Promise<Masked | null> {
  const [tenant_id, id, version] = after ?? [NOBODY, NOBODY, 0]
  const { rows } = await tx.query<{ tenant_id: string; id: string; version: number; changed: number }>(
    'SELECT * FROM mask_config_versions($1, $2, $3, $4, $5, $6)',
    [tenant_id, id, version, most, SENSITIVE_NAME, HARMLESS_NAMES]
  )
  const [row] = rows
  return row ? { after: [row.tenant_id, row.id, row.version], changed: row.changed } : null
}

/** Masks them in the next `most` audit entries; null: there are no more. */
export async function maskAudit(tx: Tx, after: SealingProgress['after'], most: number): Promise<Masked | null> {
  const [tenant_id, audit_id] = after ?? [NOBODY, NOBODY]
  const { rows } = await tx.query<{ tenant_id: string; audit_id: string; changed: number }>(
    'SELECT * FROM mask_audit($1, $2, $3, $4, $5)',
    [tenant_id, audit_id, most, SENSITIVE_NAME, HARMLESS_NAMES]
  )
  const [row] = rows
  return row ? { after: [row.tenant_id, row.audit_id], changed: row.changed } : null
}
