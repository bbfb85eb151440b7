-- The kept answer of one check; what a prober sent twice is one row, and what is older than three
-- days is gone, though its part may still lie there.
-- Parameters: monitor_id, check_id. Row: CheckCaptureRow of schemas/analytics.ts.
SELECT
  check_id,
  monitor_id,
  region,
  prober,
  config_version,
  toUnixTimestamp64Milli(r.captured_at) AS captured_at,
  toUnixTimestamp64Milli(r.received_at) AS received_at,
  nullIf(r.reason, '') AS reason,
  nullIf(r.http_version, '') AS http_version,
  status_code,
  nullIf(r.status_text, '') AS status_text,
  JSONExtract(r.headers, 'Array(Tuple(name String, value String))') AS headers,
  headers_left_out,
  body_kind,
  body_bytes,
  body_cut,
  if(r.body_kind = 'text', r.body, NULL) AS body
FROM check_captures AS r
WHERE tenant_id = {tenant_id:UUID} AND monitor_id = {monitor_id:UUID} AND check_id = {check_id:UUID}
  AND r.received_at > now64(3) - INTERVAL 3 DAY
ORDER BY r.received_at
LIMIT 1
