/**
 * The rows of signal keys, locked and loaded with their newest incidents. A group's key is one of
 * them. Who takes which first: incidents.ts.
 * Source: docs/design/architecture.md#s6, docs/design/streaming.md#s2-2.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import type { SignalKey, SignalRow } from '../../streams/incident/signals.ts'
import { columnsOf, SIGNAL_COLUMNS, toIncident } from './incident-rows.ts'
import type { Tx } from './pool.ts'

// DO UPDATE … WHERE false locks the rows that are there and writes nothing; those that are not
// there come to be, and are locked by that.
const LOCK = `
  INSERT INTO signals (tenant_id, dedup_key)
  SELECT * FROM unnest($1::uuid[], $2::text[]) ORDER BY 1, 2
  ON CONFLICT (tenant_id, dedup_key) DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE false`

// As LOCK; those of $3 that are not there do not come to be.
const LOCK_FORMER = `
  INSERT INTO signals (tenant_id, dedup_key)
  SELECT k.tenant_id, k.dedup_key FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS k (tenant_id, dedup_key, former)
   WHERE NOT k.former OR EXISTS (SELECT FROM signals s WHERE s.tenant_id = k.tenant_id AND s.dedup_key = k.dedup_key)
   ORDER BY 1, 2
  ON CONFLICT (tenant_id, dedup_key) DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE false`

/** Columns that `incidents` has, too, under names of their own. */
const renamed: Partial<Record<keyof SignalRow, string>> = {
  tenant_id: 'key_tenant_id',
  dedup_key: 'key_dedup_key',
  incident_id: 'newest_id'
}
const KEY_COLUMNS = SIGNAL_COLUMNS.map((column) => `s.${column} AS ${renamed[column] ?? column}`).join(', ')

// A statement after LOCK, so that it sees what the holders before us committed. The newest incident
// is the only one that can be ongoing.
const LOAD = `
  SELECT ${KEY_COLUMNS}, ${columnsOf('i')}
    FROM unnest($1::uuid[], $2::text[]) AS k (tenant_id, dedup_key)
    JOIN signals s ON s.tenant_id = k.tenant_id AND s.dedup_key = k.dedup_key
    LEFT JOIN incidents i ON i.tenant_id = s.tenant_id AND i.incident_id = s.incident_id`

type KeyColumns = Omit<SignalRow, 'tenant_id' | 'dedup_key' | 'incident_id'> & {
  key_tenant_id: string
  key_dedup_key: string
  newest_id: string | null
}

/** Without an incident, the incident's columns are all null. */
type LoadedRow = KeyColumns & (Incident | { incident_id: null })

function split(row: LoadedRow): { signal: SignalRow; incident: Incident | null } {
  const {
    key_tenant_id,
    key_dedup_key,
    newest_id,
    last_action,
    last_at,
    last_time_source,
    last_sender_at,
    last_sequence,
    last_delivery_id,
    last_offset,
    suppressed_until,
    occurrences,
    last_seen_at,
    unapplied,
    alert_id,
    ...rest
  } = row
  const signal: SignalRow = {
    tenant_id: key_tenant_id,
    dedup_key: key_dedup_key,
    incident_id: newest_id,
    alert_id,
    last_action,
    last_at,
    last_time_source,
    last_sender_at,
    last_sequence,
    last_delivery_id,
    last_offset,
    suppressed_until,
    occurrences,
    last_seen_at,
    unapplied
  }
  return { signal, incident: rest.incident_id === null ? null : toIncident(rest) }
}

const none: ReadonlySet<string> = new Set()

export interface LoadedKeys {
  signals: Map<string, SignalRow>
  /** The newest incidents, by key. */
  incidents: Map<string, Incident>
}

/**
 * Locks and loads distinct keys. Two statements in one round trip. Keys named in `former` are
 * loaded only where they are there already.
 */
export async function loadKeys(tx: Tx, keys: readonly SignalKey[], former: ReadonlySet<string> = none): Promise<LoadedKeys> {
  const signals = new Map<string, SignalRow>()
  const incidents = new Map<string, Incident>()
  if (keys.length === 0) return { signals, incidents }
  const values = [keys.map((key) => key.tenant_id), keys.map((key) => key.dedup_key)]
  const [, loaded] = await Promise.all([
    former.size === 0
      ? tx.query({ name: 'signals-lock', text: LOCK, values })
      : tx.query({ name: 'signals-lock-former', text: LOCK_FORMER, values: [...values, keys.map((key) => former.has(nameOf(key)))] }),
    tx.query<LoadedRow>({ name: 'signals-load', text: LOAD, values })
  ])
  for (const row of loaded.rows) {
    const { signal, incident } = split(row)
    const name = nameOf(signal)
    signals.set(name, signal)
    if (incident) incidents.set(name, incident)
  }
  return { signals, incidents }
}
