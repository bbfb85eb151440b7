-- Judged checks and those of them that were ok by monitor and bucket, in whole cells of the rollup
-- named by `cells`: a cell belongs to the bucket in which it begins.
-- Parameters: ids, begin (of the first bucket), edges (begins of buckets), cells (checks_1m,
-- checks_1h, checks_1d), from, until (of the cells), hole_from, hole_until (cells between them are
-- left to another statement); instants in epoch ms. Row: CountRow of uptime.ts.
SELECT monitor_id AS id, bucket_from AS bucket, sum(n_all) - sum(n_unjudged) AS checks, sum(n_ok) AS checks_ok
FROM (
  SELECT monitor_id, roundDown(greatest(toInt64(toUnixTimestamp(checks.bucket)) * 1000, {begin:Int64}), {edges:Array(Int64)}) AS bucket_from,
    uniqExactMerge(n) AS n_all, uniqExactMerge(ok) AS n_ok, uniqExactMerge(unjudged) AS n_unjudged
  FROM {cells:Identifier} AS checks
  WHERE tenant_id = {tenant_id:UUID} AND monitor_id IN {ids:Array(UUID)}
    AND checks.bucket >= fromUnixTimestamp64Milli({from:Int64}) AND checks.bucket < fromUnixTimestamp64Milli({until:Int64})
    AND (checks.bucket < fromUnixTimestamp64Milli({hole_from:Int64}) OR checks.bucket >= fromUnixTimestamp64Milli({hole_until:Int64}))
  GROUP BY monitor_id, region, bucket_from
)
GROUP BY id, bucket
