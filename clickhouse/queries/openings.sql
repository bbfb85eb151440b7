-- Incidents by the entity they are about and the bucket of their opening; merged ones are left out.
-- Parameters: ids, from, until, edges (epoch ms: begins of buckets), all_teams, own_team_ids and
-- hidden_team_ids: who asks sees (schemas/http/visibility.ts); other incidents do not count.
-- Row: OpeningRow of uptime.ts.
SELECT
  if(monitor_id != '', 'monitor', 'heartbeat') AS kind,
  toUUIDOrZero(if(monitor_id != '', monitor_id, heartbeat_id)) AS id,
  roundDown(toUnixTimestamp64Milli(opened_at), {edges:Array(Int64)}) AS bucket,
  count() AS n
FROM incidents FINAL
WHERE tenant_id = {tenant_id:UUID} AND id IN {ids:Array(UUID)} AND resolution_reason != 'merged'
  AND opened_at >= fromUnixTimestamp64Milli({from:Int64}) AND opened_at < fromUnixTimestamp64Milli({until:Int64})
  AND ({all_teams:Bool} OR if(visibility = 'private', has({own_team_ids:Array(String)}, team_id), NOT has({hidden_team_ids:Array(String)}, team_id)))
GROUP BY kind, id, bucket
