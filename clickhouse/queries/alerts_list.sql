-- Alerts of a signal key in a span, newest first, as long as the plan of their receipt keeps them;
-- `n` is the offset on the key's partition of the log.
-- Parameters: integration_id, dedup_key, from, to, at (epoch ms; at: now), before_at, before_n,
-- limit. Row: AlertRow of schemas/analytics.ts.
SELECT
  alert_id,
  _o AS n,
  toUnixTimestamp64Milli(received_at) AS received_at,
  toUnixTimestamp64Milli(occurred_at) AS occurred_at,
  integration_id,
  source,
  action,
  severity,
  nullIf(source_severity, '') AS source_severity,
  nullIf(source_dedup_key, '') AS source_dedup_key,
  title,
  labels,
  JSONExtract(r.links, 'Array(Tuple(title String, url String))') AS links
FROM alert_ingest AS r
WHERE tenant_id = {tenant_id:UUID} AND integration_id = {integration_id:UUID} AND dedup_key = {dedup_key:String}
  AND r.received_at >= fromUnixTimestamp64Milli({from:Int64}) AND r.received_at < fromUnixTimestamp64Milli({to:Int64})
  AND (r.received_at, _o) < (fromUnixTimestamp64Milli({before_at:Int64}), {before_n:UInt64})
  AND expires_at > fromUnixTimestamp64Milli({at:Int64})
ORDER BY r.received_at DESC, _o DESC
LIMIT {limit:UInt32}
