/**
 * Counts the ongoing incidents, and those that need someone: nobody has acknowledged them, and no
 * silence holds them, neither their own nor one by a pattern. Patterns are rules, not SQL, so they
 * are evaluated here, for a bounded number of incidents.
 *
 * Source: docs/design/api/incidents.md#in-1.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { IncidentCounts } from '../../schemas/http/incidents.ts'
import { holdsOf, isMutedGroup, noFacts } from '../../streams/incident/holds.ts'
import { loadHoldFacts } from './hold-facts.ts'
import { columnsOf } from './incident-rows.ts'
import type { Tx } from './pool.ts'
import { loadSilences } from './silences.ts'

/** If more incidents are ongoing, the oldest count as not silenced by a pattern. */
const MAX_LOOKED_AT = 5_000

const NOT_BY_ITSELF = '(i.silenced_until IS NULL OR i.silenced_until <= $2)'

/**
 * Returns the ids of ongoing incidents that a silence by a pattern holds at `at` (epoch ms), among
 * the silences that the caller sees. Incidents with a silence of their own are left out.
 */
export async function silencedByPattern(tx: Tx, tenant_id: string, at: number): Promise<string[]> {
  const silences = await loadSilences(tx, tenant_id, at)
  if (silences.silences.length === 0) return []
  const { rows } = await tx.query<Incident>(
    `SELECT ${columnsOf('i')} FROM incidents i WHERE i.tenant_id = $1 AND i.status = 'ongoing' AND ${NOT_BY_ITSELF}
      ORDER BY i.started_at DESC LIMIT $3`,
    [tenant_id, new Date(at), MAX_LOOKED_AT]
  )
  const facts = { ...noFacts, silences }
  const held = rows.filter((row) => holdsOf(row, facts, at).some(({ kind }) => kind === 'matcher_silence'))
  const groups = held.filter((row) => isMutedGroup(row, facts, at))
  // An alert that joined and that nothing holds frees the incident of its group.
  const unmuted = groups.length === 0 ? noFacts.unmuted : (await loadHoldFacts(tx, tenant_id, groups, at)).unmuted
  return held.map((row) => row.incident_id).filter((id) => !unmuted.has(id))
}

/** Counts for the whole workspace, as far as the transaction sees it. */
export async function countIncidents(tx: Tx, tenant_id: string, at: number): Promise<IncidentCounts> {
  const held = await silencedByPattern(tx, tenant_id, at)
  const { rows } = await tx.query<IncidentCounts>(
    `SELECT count(*) AS ongoing,
            count(*) FILTER (WHERE i.acknowledged_at IS NULL AND s.is_not) AS needs_someone,
            count(*) FILTER (WHERE i.acknowledged_at IS NULL AND NOT s.is_not) AS silenced,
            count(*) FILTER (WHERE i.acknowledged_at IS NOT NULL) AS acknowledged
       FROM incidents i CROSS JOIN LATERAL (SELECT ${NOT_BY_ITSELF} AND i.incident_id <> ALL ($3::uuid[]) AS is_not) s
      WHERE i.tenant_id = $1 AND i.status = 'ongoing'`,
    [tenant_id, new Date(at), held]
  )
  return rows[0] ?? { ongoing: 0, needs_someone: 0, silenced: 0, acknowledged: 0 }
}
