-- Incidents by the entity they are about and the bucket of their opening.
-- Parameters: ids, from, until, edges (epoch ms: begins of buckets). Row: OpeningRow of uptime.ts.
SELECT
  if(monitor_id != '', 'monitor', 'heartbeat') AS kind,
  toUUIDOrZero(if(monitor_id != '', monitor_id, heartbeat_id)) AS id,
  roundDown(toUnixTimestamp64Milli(opened_at), {edges:Array(Int64)}) AS bucket,
  count() AS n
FROM incidents FINAL
WHERE tenant_id = {tenant_id:UUID} AND id IN {ids:Array(UUID)}
  AND opened_at >= fromUnixTimestamp64Milli({from:Int64}) AND opened_at < fromUnixTimestamp64Milli({until:Int64})
GROUP BY kind, id, bucket
