-- What came through integrations of late: alerts that were accepted, and deliveries that were kept.
-- Those that sent nothing are missing.
-- Parameters: integration_ids, since and day (epoch ms: 31 days and 24 hours ago). Row:
-- IntegrationActivityRow of schemas/analytics.ts.
SELECT
  integration_id,
  toUnixTimestamp64Milli(max(last)) AS last_event_at,
  sum(accepted) AS events,
  sum(refused) AS errors
FROM (
  SELECT integration_id, max(received_at) AS last, countIf(received_at >= fromUnixTimestamp64Milli({day:Int64}) AND NOT by_former_key) AS accepted, 0 AS refused
  FROM alert_ingest
  WHERE tenant_id = {tenant_id:UUID} AND has({integration_ids:Array(UUID)}, integration_id) AND received_at >= fromUnixTimestamp64Milli({since:Int64})
  GROUP BY integration_id
  UNION ALL
  SELECT integration_id, max(received_at) AS last, 0 AS accepted,
    countIf(outcome = 'rejected' AND received_at >= fromUnixTimestamp64Milli({day:Int64})) AS refused
  FROM alerts_raw
  WHERE tenant_id = {tenant_id:UUID} AND has({integration_ids:Array(UUID)}, integration_id) AND received_at >= fromUnixTimestamp64Milli({since:Int64})
  GROUP BY integration_id
)
GROUP BY integration_id
ORDER BY integration_id
