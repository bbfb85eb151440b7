/**
 * Marks for everything that a compacted topic shows: every raised ceiling, monitor, incident and
 * maintenance window. The relay then sends each current row. A new log needs them, because folds
 * make a mark only when something changes.
 * Source: docs/design/streaming.md#s2-3.
 */
import type { StoredWindow } from './maintenance.ts'
import { windowMark } from './maintenance-turns.ts'
import { insertMarks } from './outbox.ts'
import type { Tx } from './pool.ts'

/**
 * The cause that the marks of windows name for a new log. The others name the cause of what they
 * show.
 */
const SRC = 'system:new-log'

const INSERT = 'INSERT INTO outbox (tenant_id, aggregate, ver, topic, key, headers)'

/** SQL for the headers of a mark. What the row does not know is left out. */
const headers = (event_id: string, event_type: string, src: string): string =>
  `jsonb_strip_nulls(jsonb_build_object('event_id', ${event_id}, 'event_type', ${event_type}, 'src', ${src}))`

const BUDGETS = `${INSERT}
  SELECT tenant_id, 'budget:' || key, (state #>> '{raised,version}')::bigint, 'tenant.budgets.v1', convert_to(key, 'UTF8'),
         ${headers("state #>> '{raised,event_id}'", "'budget'", "state #>> '{raised,cause}'")}
    FROM partition_state WHERE processor = 'budget' AND jsonb_typeof(state -> 'raised') = 'object'`

const MONITORS = `${INSERT}
  SELECT tenant_id, 'monitor:' || key, (state ->> 'ver')::bigint, 'monitor.state.v1', convert_to(key, 'UTF8'),
         ${headers("state ->> 'event_id'", "'monitor.configured'", "state #>> '{cause,src}'")}
    FROM partition_state WHERE processor = 'status' AND state ? 'monitor_id'`

const INCIDENTS = `${INSERT}
  SELECT i.tenant_id, 'incident:' || i.incident_id, i.ver, 'incident.state.v1', convert_to(i.incident_id::text, 'UTF8'),
         ${headers('e.event_id', "'incident.' || e.change", "e.cause ->> 'src'")}
    FROM incidents i LEFT JOIN incident_events e ON e.tenant_id = i.tenant_id AND e.incident_id = i.incident_id AND e.ver = i.ver`

/** Windows whose marks are written by one statement. */
const PAGE = 1000

/** Adds the marks of all windows that readers of the topic may know, and returns how many. */
export async function markWindows(tx: Tx, src: string): Promise<number> {
  let count = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    // As currentWindows reads them.
    const { rows } = await tx.query<Pick<StoredWindow, 'tenant_id' | 'window_id' | 'ver'>>(
      `SELECT tenant_id, window_id, ver FROM maintenance_windows
        WHERE window_id > $1 AND (deleted_at IS NULL OR spans <> '[]') ORDER BY window_id LIMIT ${PAGE}`,
      [after]
    )
    const last = rows.at(-1)
    if (!last) return count
    await insertMarks(
      tx,
      rows.map((row) => windowMark(row, src))
    )
    count += rows.length
    after = last.window_id
  }
}

const TABLES = ['partition_state', 'incidents', 'incident_events', 'maintenance_windows', 'outbox']

/**
 * Adds the marks of all workspaces and returns how many. Runs as the table owner; row-level
 * security is lifted meanwhile.
 */
export async function markStates(tx: Tx): Promise<number> {
  for (const table of TABLES) await tx.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`)
  let count = await markWindows(tx, SRC)
  for (const statement of [BUDGETS, MONITORS, INCIDENTS]) count += (await tx.query(statement)).rowCount ?? 0
  for (const table of TABLES) await tx.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`)
  return count
}
