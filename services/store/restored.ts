/**
 * After a restore of Postgres beside a kept log, the log holds settings of versions that Postgres
 * does not know. A fold drops versions that are not above what it has, so the next changes that
 * people make would do nothing. One step lifts all versions past what the log can hold; then the
 * settings of Postgres are sent, and every fold takes them. Probers that worked meanwhile hold
 * assignments under numbers that are lost; they get their whole assignment. Readers of the log keep
 * the highest version of a maintenance window, so windows are lifted and sent, too.
 * Source: docs/operations.md#backup-and-restore. Needs service_system.
 */
import type { Codec } from '../../schemas/codec.ts'
import { type Pool, type Tx, transaction } from './pool.ts'
import { reemitConfigs } from './reemit-configs.ts'
import { markWindows } from './state-marks.ts'

/** More changes of one object than anybody makes between a backup and its restore. */
const LIFT = 1_000_000
const SRC = 'system:restored'

// The present settings are also those of the lifted version. Slots of heartbeats are judged from
// `updated_at` on, so what the service missed meanwhile is not judged by them.
const lift = (table: 'monitors' | 'heartbeats', kind: 'monitor' | 'heartbeat'): string => `
  WITH lifted AS (
    UPDATE ${table} SET ver = ver + ${LIFT}, updated_at = now() WHERE deleted_at IS NULL RETURNING tenant_id, ${kind}_id AS id, ver
  )
  INSERT INTO config_versions (tenant_id, kind, id, version, body, actor)
  SELECT l.tenant_id, c.kind, l.id, l.ver, c.body, '${SRC}'
    FROM lifted l JOIN config_versions c ON c.tenant_id = l.tenant_id AND c.kind = '${kind}' AND c.id = l.id AND c.version = l.ver - ${LIFT}`

async function liftVersions(tx: Tx): Promise<void> {
  // First: each monitor that is lifted takes a number of the new ones.
  await tx.query('SELECT begin_assignments_anew()')
  await tx.query(lift('monitors', 'monitor'))
  await tx.query(lift('heartbeats', 'heartbeat'))
  await tx.query(`UPDATE budgets SET ver = ver + ${LIFT}, updated_at = now()`)
  await tx.query(`UPDATE maintenance_windows SET ver = ver + ${LIFT}`)
  await markWindows(tx, SRC)
}

/** Makes the settings in Postgres those of all folds. Returns how many of each were sent. */
export async function settingsRestored(pool: Pool, codec: Codec): Promise<{ monitors: number; heartbeats: number; budgets: number }> {
  await transaction(pool, liftVersions)
  return reemitConfigs(pool, codec)
}
