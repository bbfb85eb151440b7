-- Deliveries of an integration that were kept, newest first, without their payloads; `n` is the
-- offset on its partition of the log.
-- Parameters: integration_id, from, to (epoch ms), outcomes (empty: all), before_at, before_n,
-- limit. Row: DeliveryRow of schemas/analytics.ts.
SELECT
  raw_id,
  _o AS n,
  toUnixTimestamp64Milli(received_at) AS received_at,
  source,
  outcome,
  nullIf(reason, '') AS reason,
  alerts,
  bytes,
  nullIf(content_type, '') AS content_type,
  payload_sha256
FROM alerts_raw AS r
WHERE tenant_id = {tenant_id:UUID} AND integration_id = {integration_id:UUID}
  AND r.received_at >= fromUnixTimestamp64Milli({from:Int64}) AND r.received_at < fromUnixTimestamp64Milli({to:Int64})
  AND (r.received_at, _o) < (fromUnixTimestamp64Milli({before_at:Int64}), {before_n:UInt64})
  AND (empty({outcomes:Array(String)}) OR has({outcomes:Array(String)}, outcome))
ORDER BY r.received_at DESC, _o DESC
LIMIT {limit:UInt32}
