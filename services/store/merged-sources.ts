/**
 * Finds the incidents that went on in another one: they were ongoing when they were merged into it,
 * or into one of those. People who were told of them hear of its end.
 * Source: docs/design/api/incidents.md#merging.
 */

/** More than a person merges. The limit keeps one incident from holding up the others. */
const MAX_SOURCES = 1000

/**
 * SQL: `gone`, the rows of the incidents that go on in the incident `incident` of the workspace
 * `tenant`. An incident that had ended before its merge is not among them, because its end was
 * told.
 */
export const goneSql = (tenant: string, incident: string): string => `
  WITH RECURSIVE chain AS (
    SELECT s.tenant_id, s.incident_id, s.ver, s.team_id, s.visibility, s.routing FROM incidents s
     WHERE s.tenant_id = ${tenant} AND s.merged_into = ${incident} AND s.resolution_reason = 'merged'
    UNION ALL
    SELECT s.tenant_id, s.incident_id, s.ver, s.team_id, s.visibility, s.routing FROM chain c
      JOIN incidents s ON s.tenant_id = c.tenant_id AND s.merged_into = c.incident_id AND s.resolution_reason = 'merged'
  ), gone AS (SELECT * FROM chain LIMIT ${MAX_SOURCES})`
