-- Seconds in each state by entity and bucket, time-weighted; paused, maintenance and unknown time is in neither side of the percentage.
-- Counts of checks come from the rollup named by `cells`, in whole cells of it: a cell belongs to the bucket in which it begins.
-- Parameters: those of the view timeline, ends (epoch ms: ends of buckets), cells_from (epoch ms), cells (checks_1m, checks_1h, checks_1d). Row: UptimeRow of schemas/analytics.ts.
WITH
  spans AS (
    SELECT kind, id, bucket, state, run, sum(ms) AS ms
    FROM timeline(tenant_id = {tenant_id:UUID}, from = {from:Int64}, until = {until:Int64}, kinds = {kinds:Array(String)}, ids = {ids:Array(UUID)},
      created = {created:Array(Int64)}, tags = {tags:Array(Array(String))}, groups = {groups:Array(String)}, edges = {edges:Array(Int64)})
    GROUP BY kind, id, bucket, state, run
  ),
  times AS (
    SELECT kind, id, bucket,
      sumIf(ms, state = 'up') AS up, sumIf(ms, state = 'degraded') AS degraded, sumIf(ms, state = 'down') AS down,
      sumIf(ms, state = 'maintenance') AS maintenance, sumIf(ms, state = 'unknown') AS unknown, sumIf(ms, state = 'paused') AS paused,
      maxIf(ms, state = 'down') AS longest
    FROM spans GROUP BY kind, id, bucket
  ),
  opened AS (
    SELECT if(monitor_id != '', 'monitor', 'heartbeat') AS kind, toUUIDOrZero(if(monitor_id != '', monitor_id, heartbeat_id)) AS id,
      roundDown(toUnixTimestamp64Milli(opened_at), {edges:Array(Int64)}) AS bucket, count() AS n
    FROM incidents FINAL
    WHERE tenant_id = {tenant_id:UUID} AND opened_at >= fromUnixTimestamp64Milli({from:Int64}) AND opened_at < fromUnixTimestamp64Milli({until:Int64})
    GROUP BY kind, id, bucket
  ),
  cells AS (
    SELECT monitor_id, region, checks.bucket AS cell, uniqExactMerge(n) AS n_cell, uniqExactMerge(ok) AS ok_cell, uniqExactMerge(unjudged) AS unjudged_cell
    FROM {cells:Identifier} AS checks
    WHERE tenant_id = {tenant_id:UUID} AND monitor_id IN {ids:Array(UUID)}
      AND checks.bucket >= fromUnixTimestamp64Milli({cells_from:Int64}) AND checks.bucket < fromUnixTimestamp64Milli({until:Int64})
    GROUP BY monitor_id, region, cell
  ),
  counts AS (
    SELECT 'monitor' AS kind, monitor_id AS id, roundDown(greatest(toInt64(toUnixTimestamp(cell)) * 1000, {from:Int64}), {edges:Array(Int64)}) AS bucket,
      sum(n_cell) - sum(unjudged_cell) AS checks, sum(ok_cell) AS checks_ok
    FROM cells GROUP BY id, bucket
  )
SELECT
  t.kind AS kind,
  t.id AS id,
  t.bucket AS `from`,
  transform(t.bucket, {edges:Array(Int64)}, {ends:Array(Int64)}, t.bucket) AS `to`,
  t.up / 1000 AS up_seconds,
  t.degraded / 1000 AS degraded_seconds,
  t.down / 1000 AS down_seconds,
  t.maintenance / 1000 AS maintenance_seconds,
  t.unknown / 1000 AS unknown_seconds,
  t.paused / 1000 AS paused_seconds,
  if(t.up + t.degraded + t.down = 0, NULL, 100 * (t.up + t.degraded) / (t.up + t.degraded + t.down)) AS uptime_percent,
  t.longest / 1000 AS longest_outage_seconds,
  o.n AS incidents,
  c.checks AS checks,
  c.checks_ok AS checks_ok,
  if(c.checks = 0, NULL, 100 * c.checks_ok / c.checks) AS checks_percent
FROM times AS t
LEFT JOIN opened AS o ON o.kind = t.kind AND o.id = t.id AND o.bucket = t.bucket
LEFT JOIN counts AS c ON c.kind = t.kind AND c.id = t.id AND c.bucket = t.bucket
ORDER BY kind, id, `from`
