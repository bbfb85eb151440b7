/**
 * Reads the ongoing incidents of which nobody was told, or not how much worse they are, because
 * something held them, in all workspaces. As service_system.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import type { Tx } from './pool.ts'

export interface HeldPage {
  incidents: Incident[]
  /** Postgres's time, epoch ms. */
  now: number
}

/** Where a page begins: after this key. */
export type HeldPlace = Pick<Incident, 'tenant_id' | 'dedup_key'>

export const firstHeld: HeldPlace = { tenant_id: '00000000-0000-0000-0000-000000000000', dedup_key: '' }

/** SQL: the rank of a severity, as who-hears.ts has it: an unknown one counts as critical. */
const rankSql = (severity: string): string => `coalesce(array_position(ARRAY['info', 'warning'], ${severity}), 3)`

/** SQL: whether the incident is worse than people were told, and nobody has acknowledged it. */
const IS_WORSE = `t.severity IS NOT NULL AND i.acknowledged_at IS NULL AND ${rankSql('i.severity')} > ${rankSql('t.severity')}`

// A rule holds for as long as the incident exists. A silence of the incident and a storm have
// timers. So these are left out.
const HELD = `
  SELECT ${columnsOf('i')}, clock_timestamp() AS now
    FROM incidents i JOIN incident_tellings t ON t.tenant_id = i.tenant_id AND t.incident_id = i.incident_id
   WHERE i.status = 'ongoing' AND (i.tenant_id, i.dedup_key) > ($1::uuid, $2::text) AND (t.held OR ${IS_WORSE})
     AND coalesce(i.silenced_until <= now(), true) AND coalesce(i.storm_until <= now(), true)
     AND i.routing ->> 'suppressed_by_rule_id' IS NULL
   ORDER BY i.tenant_id, i.dedup_key LIMIT $3`

/** Returns at most `most` of them, by workspace and key. */
export async function heldIncidents(tx: Tx, { tenant_id, dedup_key }: HeldPlace, most: number): Promise<HeldPage> {
  const { rows } = await tx.query<Incident & { now: number }>({
    name: 'tellings-held',
    text: HELD,
    values: [tenant_id, dedup_key, most]
  })
  return { incidents: rows.map(({ now: _now, ...incident }) => toIncident(incident)), now: rows.at(-1)?.now ?? 0 }
}
