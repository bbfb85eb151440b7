-- Time-weighted uptime of many entities over the three ranges that end at `until`; the edges are 30 days, 7 days and 24 hours before it.
-- Parameters: those of the view timeline. Row: UptimeSummaryRow of schemas/analytics.ts.
WITH times AS (
  SELECT kind, id, bucket, sumIf(ms, state IN ('up', 'degraded')) AS good, sumIf(ms, state IN ('up', 'degraded', 'down')) AS judged
  FROM timeline(tenant_id = {tenant_id:UUID}, from = {from:Int64}, until = {until:Int64}, kinds = {kinds:Array(String)}, ids = {ids:Array(UUID)},
    created = {created:Array(Int64)}, tags = {tags:Array(Array(String))}, groups = {groups:Array(String)}, edges = {edges:Array(Int64)})
  GROUP BY kind, id, bucket
)
SELECT
  kind,
  id,
  if(sumIf(judged, bucket >= {edges:Array(Int64)}[3]) = 0, NULL, 100 * sumIf(good, bucket >= {edges:Array(Int64)}[3]) / sumIf(judged, bucket >= {edges:Array(Int64)}[3])) AS h24,
  if(sumIf(judged, bucket >= {edges:Array(Int64)}[2]) = 0, NULL, 100 * sumIf(good, bucket >= {edges:Array(Int64)}[2]) / sumIf(judged, bucket >= {edges:Array(Int64)}[2])) AS d7,
  if(sum(judged) = 0, NULL, 100 * sum(good) / sum(judged)) AS d30
FROM times
GROUP BY kind, id
ORDER BY kind, id
