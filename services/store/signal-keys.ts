/**
 * Locks the rows of signal keys, and loads them with their newest incidents. The key of a group is
 * one of them. For the order of locks, see incidents.ts.
 * Source: docs/design/architecture.md#s6, docs/design/streaming.md#s2-2.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import type { SignalKey, SignalRow } from '../../streams/incident/signals.ts'
import { columnsOf, SIGNAL_COLUMNS, toIncident } from './incident-rows.ts'
import type { Tx } from './pool.ts'

// DO UPDATE … WHERE false locks the rows that exist and writes nothing. Missing rows are inserted,
// which locks them too.
const LOCK = `
  INSERT INTO signals (tenant_id, dedup_key)
  SELECT * FROM unnest($1::uuid[], $2::text[]) ORDER BY 1, 2
  ON CONFLICT (tenant_id, dedup_key) DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE false`

// Like LOCK, but keys that $3 marks as former are not inserted when they are missing.
const LOCK_FORMER = `
  INSERT INTO signals (tenant_id, dedup_key)
  SELECT k.tenant_id, k.dedup_key FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS k (tenant_id, dedup_key, former)
   WHERE NOT k.former OR EXISTS (SELECT FROM signals s WHERE s.tenant_id = k.tenant_id AND s.dedup_key = k.dedup_key)
   ORDER BY 1, 2
  ON CONFLICT (tenant_id, dedup_key) DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE false`

// Like LOCK_FORMER, with the keys of what the monitors $4, $5 depend on, all in the same order.
const WITH_PARENTS = `
  SELECT k.tenant_id, k.dedup_key FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS k (tenant_id, dedup_key, former)
   WHERE NOT k.former OR EXISTS (SELECT FROM signals s WHERE s.tenant_id = k.tenant_id AND s.dedup_key = k.dedup_key)
  UNION
  SELECT m.tenant_id, 'mon:' || p.id FROM unnest($4::uuid[], $5::uuid[]) AS f (tenant_id, monitor_id)
    JOIN monitors m ON m.tenant_id = f.tenant_id AND m.monitor_id = f.monitor_id CROSS JOIN unnest(m.depends_on) AS p (id)`
const LOCK_WITH_PARENTS = `
  INSERT INTO signals (tenant_id, dedup_key) SELECT * FROM (${WITH_PARENTS}) k ORDER BY 1, 2
  ON CONFLICT (tenant_id, dedup_key) DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE false`

/** New names for columns that `incidents` also has. */
const renamed: Partial<Record<keyof SignalRow, string>> = {
  tenant_id: 'key_tenant_id',
  dedup_key: 'key_dedup_key',
  incident_id: 'newest_id'
}
const KEY_COLUMNS = SIGNAL_COLUMNS.map((column) => `s.${column} AS ${renamed[column] ?? column}`).join(', ')

// A statement after LOCK, so that it sees what earlier holders of the locks committed. Only the
// newest incident can be ongoing.
const LOAD = `
  SELECT ${KEY_COLUMNS}, ${columnsOf('i')}
    FROM unnest($1::uuid[], $2::text[]) AS k (tenant_id, dedup_key)
    JOIN signals s ON s.tenant_id = k.tenant_id AND s.dedup_key = k.dedup_key
    LEFT JOIN incidents i ON i.tenant_id = s.tenant_id AND i.incident_id = s.incident_id`

// Like LOAD, and whether other monitors depend on the monitor of a key.
const LOAD_WITH_PARENTS = `
  SELECT ${KEY_COLUMNS}, ${columnsOf('i')},
         CASE WHEN s.dedup_key ~ '^mon:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN EXISTS (
           SELECT FROM monitors c WHERE c.tenant_id = s.tenant_id AND c.depends_on @> ARRAY[substr(s.dedup_key, 5)::uuid] AND c.depends_on <> '{}'
         ) ELSE false END AS is_parent, clock_timestamp() AS now
    FROM (${WITH_PARENTS}) AS k
    JOIN signals s ON s.tenant_id = k.tenant_id AND s.dedup_key = k.dedup_key
    LEFT JOIN incidents i ON i.tenant_id = s.tenant_id AND i.incident_id = s.incident_id`

type KeyColumns = Omit<SignalRow, 'tenant_id' | 'dedup_key' | 'incident_id'> & {
  key_tenant_id: string
  key_dedup_key: string
  newest_id: string | null
  is_parent?: boolean
  now?: number
}

/** When there is no incident, the incident's columns are all null. */
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
    facts,
    alert_id,
    is_parent: _is_parent,
    now: _now,
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
    unapplied,
    facts
  }
  return { signal, incident: rest.incident_id === null ? null : toIncident(rest) }
}

const none: ReadonlySet<string> = new Set()

export interface LoadedKeys {
  signals: Map<string, SignalRow>
  /** The newest incidents, by key. */
  incidents: Map<string, Incident>
  /** Keys of monitors that others depend on; known only when `monitors` is given. */
  parents: Set<string>
  /** Postgres's time, epoch ms; known only when `monitors` is given. */
  now?: number | undefined
}

/** What loadKeys does beside locking the given keys. */
export interface Beside {
  /** Those of the given keys that are loaded only when they exist already. */
  former?: ReadonlySet<string>
  /** Monitors whose parents are locked and loaded, too. */
  monitors?: readonly { tenant_id: string; monitor_id: string }[]
}

const withParents = (values: unknown[]) => ({
  lock: { name: 'signals-lock-parents', text: LOCK_WITH_PARENTS, values },
  load: { name: 'signals-load-parents', text: LOAD_WITH_PARENTS, values }
})

/**
 * Locks and loads distinct keys, and what `Beside` asks for. It sends two statements in one round
 * trip: the first takes all locks, in one order.
 */
export async function loadKeys(tx: Tx, keys: readonly SignalKey[], { former = none, monitors }: Beside = {}): Promise<LoadedKeys> {
  const signals = new Map<string, SignalRow>()
  const incidents = new Map<string, Incident>()
  const parents = new Set<string>()
  let now: number | undefined
  if (keys.length === 0) return { signals, incidents, parents }
  const values: unknown[] = [keys.map((key) => key.tenant_id), keys.map((key) => key.dedup_key)]
  const marked = [...values, keys.map((key) => former.has(nameOf(key)))]
  const statements = monitors
    ? withParents([...marked, monitors.map(({ tenant_id }) => tenant_id), monitors.map(({ monitor_id }) => monitor_id)])
    : {
        lock:
          former.size === 0
            ? { name: 'signals-lock', text: LOCK, values }
            : { name: 'signals-lock-former', text: LOCK_FORMER, values: marked },
        load: { name: 'signals-load', text: LOAD, values }
      }
  const [, loaded] = await Promise.all([tx.query(statements.lock), tx.query<LoadedRow>(statements.load)])
  for (const row of loaded.rows) {
    const { signal, incident } = split(row)
    const name = nameOf(signal)
    signals.set(name, signal)
    if (incident) incidents.set(name, incident)
    if (row.is_parent) parents.add(name)
    now = row.now
  }
  return { signals, incidents, parents, now }
}

/** Whether alerts of a key are kept back, because a person resolved one that did not recover. */
export async function isKeptBack(tx: Tx, tenant_id: string, dedup_key: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM signals WHERE tenant_id = $1 AND dedup_key = $2 AND suppressed_until > now()', [
    tenant_id,
    dedup_key
  ])
  return rowCount === 1
}
