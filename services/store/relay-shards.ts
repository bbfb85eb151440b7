/**
 * Which relay sends which shard of the outbox: advisory locks of the relays' sessions, and a mark
 * that tells whether the last holder ended cleanly.
 *
 * Every live relay holds PRESENCE in shared mode, so that each can tell how many share the work.
 * The table relay_shards holds only the mark `clean`: false while a shard is held and after its
 * holder died; true after a holder has released it with nothing in flight.
 */
import type { Tx } from './pool.ts'

export const SHARDS = 8
/** First key of the relay's advisory locks; the second is the shard, or PRESENCE. */
const RELAY = 7301
const PRESENCE = 100

/** Counts this session among the relays until it ends. */
export async function announceRelay(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_lock_shared($1, $2)', [RELAY, PRESENCE])
}

/** Returns how many relays are alive, and which shards some relay holds. */
export async function surveyRelays(tx: Tx): Promise<{ relays: number; held: Set<number> }> {
  const { rows } = await tx.query<{ objid: number; holders: number }>({
    name: 'relay-survey',
    text: `SELECT objid::bigint AS objid, count(*) AS holders FROM pg_locks
            WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            GROUP BY objid`,
    values: [RELAY]
  })
  const relays = rows.find((row) => row.objid === PRESENCE)?.holders ?? 0
  return { relays, held: new Set(rows.map((row) => row.objid).filter((objid) => objid < SHARDS)) }
}

/**
 * Takes `shard`, or returns null when another session has it. `clean`: its last holder left nothing
 * in flight. From here on the shard counts as not clean.
 */
export async function takeShard(tx: Tx, shard: number, instance: string): Promise<{ clean: boolean } | null> {
  const { rows } = await tx.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', [RELAY, shard])
  if (!rows[0]?.taken) return null
  const before = await tx.query<{ clean: boolean }>('SELECT clean FROM relay_shards WHERE shard = $1', [shard])
  await tx.query('UPDATE relay_shards SET clean = false, holder = $2, changed_at = now() WHERE shard = $1', [shard, instance])
  return { clean: before.rows[0]?.clean ?? false }
}

/**
 * Releases `shards`. Pass `clean` only if nothing that was sent for them can still be on its way.
 */
export async function releaseShards(tx: Tx, shards: readonly number[], clean: boolean): Promise<void> {
  if (clean) await tx.query('UPDATE relay_shards SET clean = true, changed_at = now() WHERE shard = ANY ($1::smallint[])', [shards])
  await tx.query('SELECT pg_advisory_unlock($1, shard) FROM unnest($2::integer[]) AS shard', [RELAY, shards])
}
