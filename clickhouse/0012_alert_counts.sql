-- Alerts by hour of receipt and integration, kept as long as incidents. Figures compare the two,
-- and single alerts go much earlier.
CREATE TABLE IF NOT EXISTS alerts_1h (
  tenant_id UUID,
  integration_id UUID,
  hour DateTime('UTC') CODEC(Delta, ZSTD),
  source LowCardinality(String),
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  fires UInt64,
  ends UInt64
) ENGINE = SummingMergeTree
PARTITION BY toYear(hour)
ORDER BY (tenant_id, integration_id, hour, source, team_id, visibility)
TTL hour + INTERVAL 2555 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS alerts_1h_view TO alerts_1h AS
SELECT
  tenant_id,
  integration_id,
  toStartOfHour(received_at) AS hour,
  source,
  team_id,
  visibility,
  countIf(action = 'fire') AS fires,
  countIf(action = 'resolve') AS ends
FROM alert_ingest
WHERE NOT by_former_key AND action IN ('fire', 'resolve')
GROUP BY tenant_id, integration_id, hour, source, team_id, visibility;
