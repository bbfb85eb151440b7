-- Alerts that have a life of their own: one of several of an incident, or one without an incident.
-- The alert that alone made an incident changes with it, in incident_events.
CREATE TABLE IF NOT EXISTS alert_events (
  tenant_id UUID,
  alert_id UUID,
  ver UInt64,
  event_id UUID,
  change LowCardinality(String),
  at DateTime64(3, 'UTC'),
  cause String,
  comment String,
  -- '' while it is not promoted.
  incident_id String,
  dedup_key String,
  status LowCardinality(String),
  severity LowCardinality(String),
  title String,
  source_kind LowCardinality(String),
  source_type LowCardinality(String),
  integration_id String,
  monitor_id String,
  heartbeat_id String,
  routing_version UInt64,
  suppressed_by_rule_id String,
  opened_at DateTime64(3, 'UTC'),
  acknowledged_at Int64,
  resolved_at Int64,
  resolution_reason LowCardinality(String),
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, alert_id, ver)
TTL toDateTime(at) + INTERVAL 2555 DAY
SETTINGS non_replicated_deduplication_window = 10000;
