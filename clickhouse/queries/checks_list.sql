-- Checks of a monitor, newest first; what a prober sent twice is one row. Float32 -1 and texts ''
-- stand for what was not there.
-- Parameters: monitor_id, from, to (epoch ms), regions, outcomes, reasons (empty: all), before_at,
-- before_seq, before_region (keys of the last row before), limit.
-- Row: CheckRow of schemas/analytics.ts.
SELECT
  check_id,
  monitor_id,
  region,
  seq,
  kind,
  counted AS count,
  toUnixTimestamp64Milli(c.scheduled_at) AS scheduled_at,
  toUnixTimestamp64Milli(c.checked_at) AS checked_at,
  toUnixTimestamp64Milli(c.finished_at) AS finished_at,
  toUnixTimestamp64Milli(c.received_at) AS received_at,
  skewed,
  prober,
  nullIf(c.prober_version, '') AS prober_version,
  config_version,
  attempts,
  outcome,
  ok,
  nullIf(c.reason, '') AS reason,
  nullIf(c.message, '') AS message,
  nullIf(c.status_code, -1) AS status_code,
  CAST((nullIf(dns_ms, -1), nullIf(connect_ms, -1), nullIf(tls_ms, -1), nullIf(request_ms, -1), nullIf(first_byte_ms, -1), nullIf(download_ms, -1), nullIf(total_ms, -1)),
    'Tuple(dns Nullable(Float32), connect Nullable(Float32), tls Nullable(Float32), request Nullable(Float32), first_byte Nullable(Float32), download Nullable(Float32), total Nullable(Float32))') AS timings_ms,
  nullIf(c.response_bytes, -1) AS response_bytes,
  JSONExtract(c.assertions, 'Array(Tuple(index UInt32, ok Bool, actual Nullable(String), message Nullable(String)))') AS assertions,
  nullIf(c.certificate_not_after, 0) AS certificate_not_after,
  nullIf(c.certificate_issuer, '') AS certificate_issuer,
  CAST(if(c.certificate_chain_ok = -1, NULL, c.certificate_chain_ok), 'Nullable(Bool)') AS certificate_chain_ok,
  nullIf(c.domain_expires_at, 0) AS domain_expires_at,
  toBool(c.check_id IN (
    SELECT r.check_id FROM check_captures AS r
    WHERE r.tenant_id = {tenant_id:UUID} AND r.monitor_id = {monitor_id:UUID} AND r.received_at > now64(3) - INTERVAL 3 DAY
  )) AS captured
FROM check_results AS c
WHERE tenant_id = {tenant_id:UUID} AND c.monitor_id = {monitor_id:UUID}
  AND c.checked_at >= fromUnixTimestamp64Milli({from:Int64}) AND c.checked_at < fromUnixTimestamp64Milli({to:Int64})
  AND c.checked_at <= fromUnixTimestamp64Milli({before_at:Int64})
  AND (c.checked_at, c.seq, c.region) < (fromUnixTimestamp64Milli({before_at:Int64}), {before_seq:Int64}, {before_region:String})
  AND (empty({regions:Array(String)}) OR has({regions:Array(String)}, c.region))
  AND (empty({outcomes:Array(String)}) OR has({outcomes:Array(String)}, c.outcome))
  AND (empty({reasons:Array(String)}) OR has({reasons:Array(String)}, c.reason))
ORDER BY c.checked_at DESC, c.seq DESC, c.region DESC
LIMIT 1 BY c.checked_at, c.seq, c.region
LIMIT {limit:UInt32}
