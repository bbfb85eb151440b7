-- One delivery with its payload. Parameters: integration_id, raw_id. Row: DeliveryPayloadRow of
-- schemas/analytics.ts.
SELECT
  raw_id,
  _o AS n,
  toUnixTimestamp64Milli(r.received_at) AS received_at,
  source,
  outcome,
  nullIf(reason, '') AS reason,
  alerts,
  bytes,
  nullIf(content_type, '') AS content_type,
  payload_sha256,
  encoding,
  payload
FROM alerts_raw AS r
WHERE tenant_id = {tenant_id:UUID} AND integration_id = {integration_id:UUID} AND raw_id = {raw_id:UUID}
LIMIT 1
