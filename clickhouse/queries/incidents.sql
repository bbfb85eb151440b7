-- Incidents by bucket: opened and acknowledged ones by the bucket of their opening, resolved ones
-- by that of their resolution; merged ones are left out. The first acknowledgement counts, also if
-- it was taken back: the incident itself knows only the last.
-- Parameters: from, to, edges, ends (epoch ms), severities, team_ids, source_kinds, monitor_ids
-- (empty: all), group_by (none, severity, team, monitor), limit, all_teams, own_team_ids and
-- hidden_team_ids: who asks sees (schemas/http/visibility.ts); other incidents do not count.
-- Row: IncidentsRow of schemas/analytics.ts; seconds.
WITH acks AS (
  SELECT incident_id, toUnixTimestamp64Milli(min(at)) AS first_at
  FROM incident_events
  WHERE tenant_id = {tenant_id:UUID} AND change = 'acknowledged' AND at >= fromUnixTimestamp64Milli({from:Int64})
  GROUP BY incident_id
),
chosen AS (
  SELECT
    multiIf({group_by:String} = 'severity', toString(severity), {group_by:String} = 'team', toString(team_id), {group_by:String} = 'monitor', monitor_id, '') AS `group`,
    toUnixTimestamp64Milli(opened_at) AS opened, toUnixTimestamp64Milli(started_at) AS started, resolved_at, reopened_from,
    if(acks.first_at > 0, acks.first_at, i.acknowledged_at) AS acknowledged_at
  FROM incidents AS i FINAL LEFT JOIN acks ON acks.incident_id = i.incident_id
  WHERE tenant_id = {tenant_id:UUID} AND resolution_reason != 'merged'
    AND (empty({severities:Array(String)}) OR has({severities:Array(String)}, severity))
    AND (empty({team_ids:Array(String)}) OR has({team_ids:Array(String)}, team_id))
    AND (empty({source_kinds:Array(String)}) OR has({source_kinds:Array(String)}, source_kind))
    AND (empty({monitor_ids:Array(String)}) OR has({monitor_ids:Array(String)}, monitor_id))
    AND ({all_teams:Bool} OR if(visibility = 'private', has({own_team_ids:Array(String)}, team_id), NOT has({hidden_team_ids:Array(String)}, team_id)))
)
SELECT
  `group`,
  roundDown(at, {edges:Array(Int64)}) AS `from`,
  transform(`from`, {edges:Array(Int64)}, {ends:Array(Int64)}, `from`) AS `to`,
  countIf(what = 'opened') AS opened,
  countIf(what = 'resolved') AS resolved,
  countIf(what = 'opened' AND acknowledged_at > 0) AS acknowledged,
  if(acknowledged = 0, NULL, avgIf((acknowledged_at - chosen.opened) / 1000, what = 'opened' AND acknowledged_at > 0)) AS mtta_avg,
  if(acknowledged = 0, NULL, quantilesExactInclusiveIf(0.5, 0.9)((acknowledged_at - chosen.opened) / 1000, what = 'opened' AND acknowledged_at > 0)[1]) AS mtta_p50,
  if(acknowledged = 0, NULL, quantilesExactInclusiveIf(0.5, 0.9)((acknowledged_at - chosen.opened) / 1000, what = 'opened' AND acknowledged_at > 0)[2]) AS mtta_p90,
  if(resolved = 0, NULL, avgIf((resolved_at - started) / 1000, what = 'resolved')) AS mttr_avg,
  if(resolved = 0, NULL, quantilesExactInclusiveIf(0.5, 0.9)((resolved_at - started) / 1000, what = 'resolved')[1]) AS mttr_p50,
  if(resolved = 0, NULL, quantilesExactInclusiveIf(0.5, 0.9)((resolved_at - started) / 1000, what = 'resolved')[2]) AS mttr_p90,
  countIf(what = 'opened' AND reopened_from != '') AS reopened
FROM chosen
ARRAY JOIN ['opened', 'resolved'] AS what, [chosen.opened, resolved_at] AS at
WHERE at >= {from:Int64} AND at < {to:Int64}
GROUP BY `group`, `from`
ORDER BY `group`, `from`
LIMIT {limit:UInt32}
