/**
 * Finds how an incident relates to others: merges, reopenings, holds by a monitor that it depends
 * on or by a mass outage, and earlier and later incidents of the same signals. Instants are epoch
 * ms. An incident that the reader does not see is left out.
 * Source: docs/design/api/incidents.md#in-2.
 */
import type { Incident, Severity } from '../../schemas/generated/events.ts'
import type { relations } from '../../schemas/http/incident-page.ts'
import { lockKeySql } from './alerts.ts'
import type { Tx } from './pool.ts'

export interface RelatedIncident {
  incident_id: string
  number: number
  title: string
  status: 'ongoing' | 'resolved'
  severity: Severity
  started_at: number
  resolved_at: number | null
  relation: (typeof relations)[number]
}

export const MAX_RELATED = 20
/** Most rows that are looked at on either side of it in time. */
const NEAR = 1000
const MAX_KEYS = 50

const near = (order: 'DESC' | 'ASC', side: '<=' | '>'): string =>
  `(SELECT r.incident_id, r.dedup_key, r.reopened_from FROM incidents r
     WHERE r.tenant_id = $1 AND r.started_at ${side} (SELECT started_at FROM this) ORDER BY r.started_at ${order}, r.incident_id ${order} LIMIT ${NEAR})`

// The keys of an incident: its own or that of its group, and those of its alerts.
const RELATED = `
  WITH this AS (
    SELECT * FROM incidents WHERE tenant_id = $1 AND incident_id = $2
  ), keys AS (
    SELECT ${lockKeySql('this')} AS key FROM this
    UNION (SELECT a.dedup_key FROM alerts a WHERE a.tenant_id = $1 AND a.incident_id = $2 ORDER BY a.started_at DESC LIMIT ${MAX_KEYS})
  ), near AS MATERIALIZED (
    ${near('DESC', '<=')} UNION ALL ${near('ASC', '>')}
  ), found AS (
    SELECT merged_into AS incident_id, 'merged_into' AS relation, 1 AS rank FROM this
    UNION ALL (SELECT m.incident_id, 'merged', 2 FROM incidents m WHERE m.tenant_id = $1 AND m.merged_into = $2 LIMIT $3)
    UNION ALL SELECT p.incident_id, 'parent', 3 FROM incident_holds h
      JOIN incidents p ON p.tenant_id = h.tenant_id AND p.monitor_id = h.cause_id AND p.status = 'ongoing'
     WHERE h.tenant_id = $1 AND h.incident_id = $2 AND h.kind = 'dependency'
    UNION ALL (SELECT h.incident_id, 'child', 4 FROM this JOIN incident_holds h ON h.tenant_id = $1 AND h.cause_id = this.monitor_id
     WHERE this.status = 'ongoing' AND h.kind = 'dependency' LIMIT $3)
    UNION ALL SELECT h.cause_id, 'outage', 5 FROM incident_holds h
     WHERE h.tenant_id = $1 AND h.incident_id = $2 AND h.kind = 'mass_outage'
    UNION ALL (SELECT h.incident_id, 'bundled', 6 FROM incident_holds h
     WHERE h.tenant_id = $1 AND h.cause_id = $2 AND h.kind = 'mass_outage' LIMIT $3)
    UNION ALL SELECT reopened_from, 'reopened_from', 7 FROM this
    UNION ALL SELECT incident_id, 'reopened_as', 8 FROM near WHERE reopened_from = $2
    UNION ALL SELECT n.incident_id, 'same_signal', 9 FROM near n JOIN keys k ON k.key = ${lockKeySql('n')}
  ), closest AS (
    SELECT DISTINCT ON (incident_id) incident_id, relation, rank FROM found WHERE incident_id <> $2 ORDER BY incident_id, rank
  )
  SELECT i.incident_id, i.number, i.title, i.status, i.severity, i.started_at, i.resolved_at, c.relation
    FROM closest c JOIN incidents i ON i.tenant_id = $1 AND i.incident_id = c.incident_id
   ORDER BY c.rank, i.started_at DESC, i.incident_id LIMIT $3`

/** Returns at most MAX_RELATED incidents, the closest first. */
export async function relatedIncidents(
  tx: Tx,
  { tenant_id, incident_id }: Pick<Incident, 'tenant_id' | 'incident_id'>
): Promise<RelatedIncident[]> {
  const { rows } = await tx.query<RelatedIncident>(RELATED, [tenant_id, incident_id, MAX_RELATED])
  return rows
}
