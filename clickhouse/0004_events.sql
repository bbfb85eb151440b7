-- What the relay sends: it may send a record twice at two offsets, so rows are replaced by (tenant, aggregate, ver).
CREATE TABLE IF NOT EXISTS monitor_transitions (
  tenant_id UUID,
  monitor_id UUID,
  ver UInt64,
  transition_id UUID,
  at DateTime64(3, 'UTC'),
  previous_at Int64,
  previous_status LowCardinality(String),
  status LowCardinality(String),
  previous_phase LowCardinality(String),
  phase LowCardinality(String),
  reason LowCardinality(String),
  message String,
  status_code Int32,
  severity LowCardinality(String),
  cause String,
  votes Map(LowCardinality(String), LowCardinality(String)),
  flapping Bool,
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  _p UInt16,
  _o UInt64,
  -- What a second counts as: paused, maintenance, unknown, down, degraded or up.
  state LowCardinality(String) ALIAS multiIf(status = 'paused' OR phase = 'paused', 'paused', phase = 'maintenance', 'maintenance', status = 'unknown' OR phase IN ('unknown', 'no_data'), 'unknown', status = 'down', 'down', phase = 'degraded', 'degraded', 'up'),
  previous_state LowCardinality(String) ALIAS multiIf(previous_status = 'paused' OR previous_phase = 'paused', 'paused', previous_phase = 'maintenance', 'maintenance', previous_status = 'unknown' OR previous_phase IN ('unknown', 'no_data'), 'unknown', previous_status = 'down', 'down', previous_phase = 'degraded', 'degraded', 'up')
) ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, monitor_id, ver)
TTL toDateTime(at) + INTERVAL 1825 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS heartbeat_transitions (
  tenant_id UUID,
  heartbeat_id UUID,
  ver UInt64,
  transition_id UUID,
  at DateTime64(3, 'UTC'),
  previous_at Int64,
  previous_status LowCardinality(String),
  status LowCardinality(String),
  previous_phase LowCardinality(String),
  phase LowCardinality(String),
  reason LowCardinality(String),
  severity LowCardinality(String),
  cause String,
  expected_at Int64,
  deadline_at Int64,
  missed_count UInt32,
  late Bool,
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  _p UInt16,
  _o UInt64,
  state LowCardinality(String) ALIAS multiIf(phase = 'paused', 'paused', status = 'unknown' OR phase = 'unknown', 'unknown', status = 'missed', 'down', 'up'),
  previous_state LowCardinality(String) ALIAS multiIf(previous_phase = 'paused', 'paused', previous_status = 'unknown' OR previous_phase = 'unknown', 'unknown', previous_status = 'missed', 'down', 'up')
) ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, heartbeat_id, ver)
TTL toDateTime(at) + INTERVAL 1825 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS incident_events (
  tenant_id UUID,
  incident_id UUID,
  ver UInt64,
  event_id UUID,
  change LowCardinality(String),
  at DateTime64(3, 'UTC'),
  cause String,
  comment String,
  status LowCardinality(String),
  severity LowCardinality(String),
  source_kind LowCardinality(String),
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, incident_id, ver)
TTL toDateTime(at) + INTERVAL 2555 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- Each incident as its last event left it: every event carries the incident after it, so no second topic is needed.
CREATE TABLE IF NOT EXISTS incidents (
  tenant_id UUID,
  incident_id UUID,
  ver UInt64,
  number UInt64,
  dedup_key String,
  status LowCardinality(String),
  severity LowCardinality(String),
  title String,
  source_kind LowCardinality(String),
  source_type LowCardinality(String),
  integration_id String,
  monitor_id String,
  heartbeat_id String,
  region LowCardinality(String),
  is_major Bool,
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  assignee_id String,
  started_at DateTime64(3, 'UTC'),
  opened_at DateTime64(3, 'UTC'),
  acknowledged_at Int64,
  resolved_at Int64,
  resolution_reason LowCardinality(String),
  reopened_from String,
  updated_at DateTime64(3, 'UTC'),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (tenant_id, incident_id)
TTL toDateTime(updated_at) + INTERVAL 2555 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS notification_deliveries (
  tenant_id UUID,
  delivery_id UUID,
  ver UInt64,
  at DateTime64(3, 'UTC'),
  queued_at DateTime64(3, 'UTC'),
  intent_id UUID,
  incident_id String,
  incident_ver UInt64,
  event LowCardinality(String),
  channel_kind LowCardinality(String),
  channel_id String,
  user_id String,
  state LowCardinality(String),
  suppressed_by LowCardinality(String),
  attempt UInt16,
  manual Bool,
  outcome LowCardinality(String),
  http_status Int32,
  error_code LowCardinality(String),
  latency_ms Int64,
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree
ORDER BY (tenant_id, delivery_id, ver)
TTL toDateTime(at) + INTERVAL 2555 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- Windows as they stand, their occurrences worked out; a deleted one stays as a row that says so.
CREATE TABLE IF NOT EXISTS maintenance_windows (
  tenant_id UUID,
  window_id UUID,
  ver UInt64,
  deleted Bool,
  state LowCardinality(String),
  effect LowCardinality(String),
  count_in_uptime Bool,
  covers_all Bool,
  monitor_ids Array(String),
  heartbeat_ids Array(String),
  group_ids Array(String),
  tags Array(String),
  starts Array(Int64),
  ends Array(Int64),
  updated_at DateTime64(3, 'UTC'),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (tenant_id, window_id)
SETTINGS non_replicated_deduplication_window = 10000;
