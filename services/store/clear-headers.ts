/**
 * Finds headers that are credentials by their name and that versions before 0021_clear_headers.sql
 * stored unencrypted. Keeps the progress of sealing them, and masks the copies in the history. It
 * works across workspaces through SECURITY DEFINER functions, which write only the mask into the
 * history.
 */
import type { CheckConfig } from '../../schemas/http/check-config.ts'
import { HARMLESS_NAMES, SENSITIVE_NAME } from '../../schemas/http/secret-headers.ts'
import type { Tx } from './pool.ts'

export const sealingStages = ['monitors', 'config_versions', 'audit'] as const
export type SealingStage = (typeof sealingStages)[number]

export interface SealingProgress {
  /** The second pass covers what instances of an older version wrote during the first. */
  pass: 1 | 2
  stage: SealingStage | 'done'
  /** Key of the last row of the stage that was read; null before the first. */
  after: (string | number)[] | null
  /** Milliseconds until the work may continue; 0: now. */
  wait_ms: number
  /** Rows that were changed. */
  monitors: number
  config_versions: number
  audit: number
}

const COLUMNS = `pass, stage, after, greatest(0, extract(epoch FROM not_before - now()) * 1000)::float8 AS wait_ms, monitors, config_versions, audit`

/**
 * Locks the progress row until the transaction ends. Returns null while another instance holds it.
 */
export async function takeSealing(tx: Tx): Promise<SealingProgress | null> {
  const { rows } = await tx.query<SealingProgress>(`SELECT ${COLUMNS} FROM header_sealing FOR UPDATE SKIP LOCKED`)
  return rows[0] ?? null
}

/** Reads the current progress without a lock. */
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
  /**
   * True: the monitor has such a header. False: no monitor up to this one has one, among the rows
   * read.
   */
  clear: boolean
}

/**
 * Looks at the next `most` monitors after the key, including deleted ones. Returns null when there
 * are no more.
 */
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
 * Returns the settings of a monitor and locks it until the transaction ends. From then on the
 * transaction acts for the monitor's workspace. Returns null if the monitor is gone.
 */
export async function lockConfig(tx: Tx, tenant_id: string, monitor_id: string): Promise<CheckConfig | null> {
  await tx.query("SELECT set_config('service.tenant_id', $1, true)", [tenant_id])
  const { rows } = await tx.query<{ config: CheckConfig }>(
    'SELECT config FROM monitors WHERE tenant_id = $1 AND monitor_id = $2 FOR UPDATE',
    [tenant_id, monitor_id]
  )
  return rows[0]?.config ?? null
}

/**
 * Replaces the settings of a locked monitor. This makes no new version, because the meaning is the
 * same. Probers get the settings again.
 */
export async function replaceConfig(tx: Tx, tenant_id: string, monitor_id: string, config: CheckConfig): Promise<void> {
  await tx.query('UPDATE monitors SET config = $3 WHERE tenant_id = $1 AND monitor_id = $2', [
    tenant_id,
    monitor_id,
    JSON.stringify(config)
  ])
}

export interface Masked {
  /** Key of the last row that was read. */
  after: (string | number)[]
  changed: number
}

/**
 * Masks the headers in the next `most` versions of monitors. Returns null when there are no more.
 */
export async function maskVersions(tx: Tx, after: SealingProgress['after'], most: number): Promise<Masked | null> {
  const [tenant_id, id, version] = after ?? [NOBODY, NOBODY, 0]
  const { rows } = await tx.query<{ tenant_id: string; id: string; version: number; changed: number }>(
    'SELECT * FROM mask_config_versions($1, $2, $3, $4, $5, $6)',
    [tenant_id, id, version, most, SENSITIVE_NAME, HARMLESS_NAMES]
  )
  const [row] = rows
  return row ? { after: [row.tenant_id, row.id, row.version], changed: row.changed } : null
}

/** Masks the headers in the next `most` audit entries. Returns null when there are no more. */
export async function maskAudit(tx: Tx, after: SealingProgress['after'], most: number): Promise<Masked | null> {
  const [tenant_id, audit_id] = after ?? [NOBODY, NOBODY]
  const { rows } = await tx.query<{ tenant_id: string; audit_id: string; changed: number }>(
    'SELECT * FROM mask_audit($1, $2, $3, $4, $5)',
    [tenant_id, audit_id, most, SENSITIVE_NAME, HARMLESS_NAMES]
  )
  const [row] = rows
  return row ? { after: [row.tenant_id, row.audit_id], changed: row.changed } : null
}
