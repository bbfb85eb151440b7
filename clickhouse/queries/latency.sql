-- Latency of checks that were ok, from the sketches of the rollup named by `cells`, by bucket and,
-- where asked for, monitor and region.
-- Parameters: monitor_ids, regions (empty: all), cells_from, to, edges, ends (epoch ms: begins and
-- ends of buckets), cells (checks_1m, checks_1h, checks_1d), by_region, by_monitor,
-- limit. A cell belongs to the bucket in which it begins. Row: LatencyRow of schemas/analytics.ts;
-- milliseconds.
SELECT
  if({by_monitor:Bool}, toString(checks.monitor_id), '') AS monitor_id,
  if({by_region:Bool}, checks.region, '') AS region,
  roundDown(greatest(toInt64(toUnixTimestamp(checks.bucket)) * 1000, {edges:Array(Int64)}[1]), {edges:Array(Int64)}) AS `from`,
  transform(`from`, {edges:Array(Int64)}, {ends:Array(Int64)}, `from`) AS `to`,
  sum(latency_n) AS count,
  minIf(latency_min, latency_n > 0) AS min,
  sum(latency_sum) / sum(latency_n) AS avg,
  sqrt(greatest(0, sum(latency_squares) / sum(latency_n) - avg * avg)) AS stdev,
  quantilesTDigestMerge(0.5, 0.75, 0.9, 0.95, 0.99)(latency)[1] AS p50,
  quantilesTDigestMerge(0.5, 0.75, 0.9, 0.95, 0.99)(latency)[2] AS p75,
  quantilesTDigestMerge(0.5, 0.75, 0.9, 0.95, 0.99)(latency)[3] AS p90,
  quantilesTDigestMerge(0.5, 0.75, 0.9, 0.95, 0.99)(latency)[4] AS p95,
  quantilesTDigestMerge(0.5, 0.75, 0.9, 0.95, 0.99)(latency)[5] AS p99,
  max(latency_max) AS max
FROM {cells:Identifier} AS checks
WHERE tenant_id = {tenant_id:UUID} AND checks.monitor_id IN {monitor_ids:Array(UUID)}
  AND checks.bucket >= fromUnixTimestamp64Milli({cells_from:Int64}) AND checks.bucket < fromUnixTimestamp64Milli({to:Int64})
  AND (empty({regions:Array(String)}) OR has({regions:Array(String)}, checks.region))
GROUP BY monitor_id, region, `from`
HAVING count > 0
ORDER BY monitor_id, region, `from`
LIMIT {limit:UInt32}
