-- Time in each phase of the checks that were ok, over all monitors named, from the single checks.
-- Parameters: monitor_ids, regions (empty: all), from, to (epoch ms). Row: LatencyPhaseRow of
-- schemas/analytics.ts; milliseconds.
SELECT
  phase,
  count() AS count,
  min(ms) AS min,
  avg(ms) AS avg,
  stddevPop(ms) AS stdev,
  quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99)(ms)[1] AS p50,
  quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99)(ms)[2] AS p75,
  quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99)(ms)[3] AS p90,
  quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99)(ms)[4] AS p95,
  quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99)(ms)[5] AS p99,
  max(ms) AS max
FROM check_results
ARRAY JOIN ['dns', 'connect', 'tls', 'request', 'first_byte', 'download'] AS phase, [dns_ms, connect_ms, tls_ms, request_ms, first_byte_ms, download_ms] AS ms
WHERE tenant_id = {tenant_id:UUID} AND monitor_id IN {monitor_ids:Array(UUID)}
  AND checked_at >= fromUnixTimestamp64Milli({from:Int64}) AND checked_at < fromUnixTimestamp64Milli({to:Int64})
  AND (empty({regions:Array(String)}) OR has({regions:Array(String)}, region))
  AND ok AND ms >= 0
GROUP BY phase
ORDER BY indexOf(['dns', 'connect', 'tls', 'request', 'first_byte', 'download'], phase)
