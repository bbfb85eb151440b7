-- Check results by minute, hour and day (UTC) and region, each from the raw rows. A prober may repeat a result at a new offset, so counts are of distinct seq:
-- n all results, ok those that were ok, unjudged those that say nothing of the target; all of them within one monitor, region and bucket.
-- Latency is of results that were ok. Hours and days outlive the raw rows by the plan's second figure (rollup_retention_days), minutes do not.
CREATE TABLE IF NOT EXISTS checks_1m (
  tenant_id UUID,
  monitor_id UUID,
  bucket DateTime('UTC') CODEC(Delta, ZSTD),
  region LowCardinality(String),
  n AggregateFunction(uniqExact, Int64),
  ok AggregateFunction(uniqExact, Int64),
  unjudged AggregateFunction(uniqExact, Int64),
  latency AggregateFunction(quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99), Float32),
  latency_n SimpleAggregateFunction(sum, UInt64),
  latency_sum SimpleAggregateFunction(sum, Float64),
  latency_squares SimpleAggregateFunction(sum, Float64),
  latency_min SimpleAggregateFunction(min, Float32),
  latency_max SimpleAggregateFunction(max, Float32),
  expires_at SimpleAggregateFunction(max, DateTime('UTC'))
) ENGINE = AggregatingMergeTree
PARTITION BY toMonday(bucket)
ORDER BY (tenant_id, monitor_id, bucket, region)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS checks_1m_view TO checks_1m AS
WITH results.ok AND total_ms >= 0 AS timed
SELECT
  tenant_id,
  monitor_id,
  toStartOfMinute(checked_at) AS bucket,
  region,
  uniqExactState(seq) AS n,
  uniqExactStateIf(seq, results.ok) AS ok,
  uniqExactStateIf(seq, outcome NOT IN ('success', 'degraded', 'failure')) AS unjudged,
  quantilesTDigestStateIf(0.5, 0.75, 0.9, 0.95, 0.99)(total_ms, timed) AS latency,
  countIf(timed) AS latency_n,
  sumIf(toFloat64(total_ms), timed) AS latency_sum,
  sumIf(toFloat64(total_ms) * total_ms, timed) AS latency_squares,
  minIf(total_ms, timed) AS latency_min,
  maxIf(total_ms, timed) AS latency_max,
  max(expires_at) AS expires_at
FROM check_results AS results
GROUP BY tenant_id, monitor_id, bucket, region;

CREATE TABLE IF NOT EXISTS checks_1h (
  tenant_id UUID,
  monitor_id UUID,
  bucket DateTime('UTC') CODEC(Delta, ZSTD),
  region LowCardinality(String),
  n AggregateFunction(uniqExact, Int64),
  ok AggregateFunction(uniqExact, Int64),
  unjudged AggregateFunction(uniqExact, Int64),
  latency AggregateFunction(quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99), Float32),
  latency_n SimpleAggregateFunction(sum, UInt64),
  latency_sum SimpleAggregateFunction(sum, Float64),
  latency_squares SimpleAggregateFunction(sum, Float64),
  latency_min SimpleAggregateFunction(min, Float32),
  latency_max SimpleAggregateFunction(max, Float32),
  expires_at SimpleAggregateFunction(max, DateTime('UTC'))
) ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(bucket)
ORDER BY (tenant_id, monitor_id, bucket, region)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS checks_1h_view TO checks_1h AS
WITH results.ok AND total_ms >= 0 AS timed
SELECT
  tenant_id,
  monitor_id,
  toStartOfHour(checked_at) AS bucket,
  region,
  uniqExactState(seq) AS n,
  uniqExactStateIf(seq, results.ok) AS ok,
  uniqExactStateIf(seq, outcome NOT IN ('success', 'degraded', 'failure')) AS unjudged,
  quantilesTDigestStateIf(0.5, 0.75, 0.9, 0.95, 0.99)(total_ms, timed) AS latency,
  countIf(timed) AS latency_n,
  sumIf(toFloat64(total_ms), timed) AS latency_sum,
  sumIf(toFloat64(total_ms) * total_ms, timed) AS latency_squares,
  minIf(total_ms, timed) AS latency_min,
  maxIf(total_ms, timed) AS latency_max,
  max(toDateTime(received_at, 'UTC') + toIntervalDay(multiIf(retention_class <= 7, 90, retention_class <= 30, 395, retention_class <= 90, 760, 1825))) AS expires_at
FROM check_results AS results
GROUP BY tenant_id, monitor_id, bucket, region;

CREATE TABLE IF NOT EXISTS checks_1d (
  tenant_id UUID,
  monitor_id UUID,
  bucket DateTime('UTC') CODEC(Delta, ZSTD),
  region LowCardinality(String),
  n AggregateFunction(uniqExact, Int64),
  ok AggregateFunction(uniqExact, Int64),
  unjudged AggregateFunction(uniqExact, Int64),
  latency AggregateFunction(quantilesTDigest(0.5, 0.75, 0.9, 0.95, 0.99), Float32),
  latency_n SimpleAggregateFunction(sum, UInt64),
  latency_sum SimpleAggregateFunction(sum, Float64),
  latency_squares SimpleAggregateFunction(sum, Float64),
  latency_min SimpleAggregateFunction(min, Float32),
  latency_max SimpleAggregateFunction(max, Float32),
  expires_at SimpleAggregateFunction(max, DateTime('UTC'))
) ENGINE = AggregatingMergeTree
PARTITION BY toYear(bucket)
ORDER BY (tenant_id, monitor_id, bucket, region)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS checks_1d_view TO checks_1d AS
WITH results.ok AND total_ms >= 0 AS timed
SELECT
  tenant_id,
  monitor_id,
  toStartOfDay(checked_at) AS bucket,
  region,
  uniqExactState(seq) AS n,
  uniqExactStateIf(seq, results.ok) AS ok,
  uniqExactStateIf(seq, outcome NOT IN ('success', 'degraded', 'failure')) AS unjudged,
  quantilesTDigestStateIf(0.5, 0.75, 0.9, 0.95, 0.99)(total_ms, timed) AS latency,
  countIf(timed) AS latency_n,
  sumIf(toFloat64(total_ms), timed) AS latency_sum,
  sumIf(toFloat64(total_ms) * total_ms, timed) AS latency_squares,
  minIf(total_ms, timed) AS latency_min,
  maxIf(total_ms, timed) AS latency_max,
  max(toDateTime(received_at, 'UTC') + toIntervalDay(multiIf(retention_class <= 7, 90, retention_class <= 30, 395, retention_class <= 90, 760, 1825))) AS expires_at
FROM check_results AS results
GROUP BY tenant_id, monitor_id, bucket, region;
