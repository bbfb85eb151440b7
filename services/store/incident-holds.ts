/**
 * Rows that hold the incident of one monitor because of others. The incident fold and commands
 * write them, and jobs delete them (dependents.ts, outages.ts).
 *
 * Source: docs/design/api/decision-rules.md#s23-6, #s23-7.
 */
import type { HeldIncident } from '../../streams/incident/fold.ts'
import type { HoldFacts, KeptFor } from '../../streams/incident/holds.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

const SAVE = `
  INSERT INTO incident_holds (tenant_id, incident_id, kind, cause_id, state, began_at, wait_seconds, bound_at)
  SELECT tenant_id, incident_id, kind, cause_id, state, began_at, wait_seconds, bound_at
    FROM json_populate_recordset(null::incident_holds, $1::json)
  ON CONFLICT DO NOTHING`

function rowOf(held: HeldIncident): Record<string, unknown> {
  const { tenant_id, incident_id } = held
  const own = { tenant_id, incident_id, began_at: new Date(held.began_at).toISOString() }
  if ('outage_id' in held) return { ...own, kind: 'mass_outage', cause_id: held.outage_id }
  const { monitor_id, state, wait_seconds, bound_at } = held.wait
  return { ...own, kind: 'dependency', cause_id: monitor_id, state, wait_seconds, bound_at: new Date(bound_at).toISOString() }
}

/** Saves the holds that begin. Sends no statement if there are none. */
export async function saveHolds(tx: Tx, holds: readonly HeldIncident[]): Promise<void> {
  if (holds.length === 0) return
  await tx.query({ name: 'incident-holds-save', text: SAVE, values: [JSON.stringify(holds.map(rowOf))] })
}

interface HoldRow {
  incident_id: string
  kind: KeptFor['kind']
  cause_id: string | null
  state: string | null
  began_at: number
  wait_seconds: number | null
  bound_at: number | null
}

// A cause that the reader does not see has no name. The order is that of decision rule 8.
const LOAD = `
  SELECT h.incident_id, h.kind, CASE h.kind
           WHEN 'dependency' THEN (SELECT m.monitor_id FROM monitors m WHERE m.tenant_id = h.tenant_id AND m.monitor_id = h.cause_id)
           ELSE (SELECT i.incident_id FROM incidents i WHERE i.tenant_id = h.tenant_id AND i.incident_id = h.cause_id)
         END AS cause_id, h.state, h.began_at, h.wait_seconds, h.bound_at
    FROM incident_holds h WHERE h.tenant_id = $1 AND h.incident_id = ANY ($2::uuid[]) ORDER BY h.incident_id, h.kind`

function keptForOf({ incident_id, kind, cause_id, state, began_at, wait_seconds, bound_at }: HoldRow): KeptFor {
  const until = state === 'validating' ? began_at + (wait_seconds ?? 0) * 1000 : null
  return { kind, id: cause_id ?? incident_id, until, bound_at }
}

/** Returns the holds of these incidents, as the transaction sees them. */
export async function loadKeptFor(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<HoldFacts['keptFor']> {
  const found = new Map<string, KeptFor[]>()
  if (incident_ids.length === 0) return found
  const { rows } = await tx.query<HoldRow>({ name: 'incident-holds', text: LOAD, values: [tenant_id, incident_ids] })
  for (const row of rows) found.set(row.incident_id, [...(found.get(row.incident_id) ?? []), keptForOf(row)])
  return found
}

const FORGET_AFTER_DAYS = 30

/** Deletes holds of incidents that ended long ago. Returns how many. For service_system. */
export const forgetHolds = (pool: Pool): Promise<number> =>
  forget(
    pool,
    'incident_holds',
    `EXISTS (SELECT FROM incidents i
              WHERE i.tenant_id = x.tenant_id AND i.incident_id = x.incident_id AND i.resolved_at < now() - make_interval(days => $1))`,
    [FORGET_AFTER_DAYS]
  )
