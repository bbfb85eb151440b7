/**
 * Keeps every version of every configuration forever. `explain` and replays read them. Append-only.
 */
import type { Tx } from './pool.ts'

export interface ConfigVersion {
  /** For example `integration`. */
  kind: string
  id: string
  version: number
  /** The object as the rules see it, without secrets and token hashes. */
  body: object
  /** Actor as kind:id. */
  actor: string
}

export async function insertConfigVersion(tx: Tx, tenant_id: string, entry: ConfigVersion): Promise<void> {
  await tx.query('INSERT INTO config_versions (tenant_id, kind, id, version, body, actor) VALUES ($1, $2, $3, $4, $5, $6)', [
    tenant_id,
    entry.kind,
    entry.id,
    entry.version,
    JSON.stringify(entry.body),
    entry.actor
  ])
}
