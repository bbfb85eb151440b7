-- Facts as the doors appended them: one row a record. _p and _o are partition and offset of the record; -1, '' and 0 stand for what was not there.
-- Parts are of one class of retention and one week of receipt, so whole parts go; a prober's wrong clock makes no partitions.
CREATE TABLE IF NOT EXISTS check_results (
  tenant_id UUID,
  monitor_id UUID,
  region LowCardinality(String),
  seq Int64 CODEC(Delta, ZSTD),
  checked_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  scheduled_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  finished_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  check_id UUID,
  kind LowCardinality(String),
  counted Bool,
  skewed Bool,
  attempts UInt16,
  outcome LowCardinality(String),
  ok Bool,
  reason LowCardinality(String),
  message String,
  status_code Int32,
  dns_ms Float32,
  connect_ms Float32,
  tls_ms Float32,
  request_ms Float32,
  first_byte_ms Float32,
  download_ms Float32,
  total_ms Float32,
  response_bytes Int64,
  assertions String,
  certificate_not_after Int64,
  certificate_issuer String,
  certificate_chain_ok Int8,
  domain_expires_at Int64,
  config_version UInt32,
  prober LowCardinality(String),
  prober_version LowCardinality(String),
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  retention_class UInt16,
  expires_at DateTime('UTC'),
  _p UInt16,
  _o UInt64 CODEC(Delta, ZSTD)
) ENGINE = MergeTree
PARTITION BY (retention_class, toMonday(received_at))
ORDER BY (tenant_id, monitor_id, checked_at)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS heartbeat_pings (
  tenant_id UUID,
  heartbeat_id UUID,
  received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  ping_id UUID,
  kind LowCardinality(String),
  exit_code Int16,
  run_id String,
  client_at Int64,
  method LowCardinality(String),
  source_class LowCardinality(String),
  user_agent LowCardinality(String),
  body_bytes UInt32,
  body_excerpt String,
  instance LowCardinality(String),
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  retention_class UInt16,
  expires_at DateTime('UTC'),
  _p UInt16,
  _o UInt64 CODEC(Delta, ZSTD)
) ENGINE = MergeTree
PARTITION BY (retention_class, toMonday(received_at))
ORDER BY (tenant_id, heartbeat_id, received_at)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS alert_ingest (
  tenant_id UUID,
  integration_id UUID,
  received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  occurred_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
  alert_id UUID,
  source LowCardinality(String),
  action LowCardinality(String),
  severity LowCardinality(String),
  dedup_key String,
  title String,
  team_id LowCardinality(String),
  visibility LowCardinality(String),
  retention_class UInt16,
  expires_at DateTime('UTC'),
  _p UInt16,
  _o UInt64 CODEC(Delta, ZSTD)
) ENGINE = MergeTree
PARTITION BY (retention_class, toMonday(received_at))
ORDER BY (tenant_id, integration_id, received_at)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

-- Payloads as they came: restricted, and gone after three days whatever the plan. `encoding` is utf8, or base64 where the bytes are no text.
CREATE TABLE IF NOT EXISTS alerts_raw (
  tenant_id UUID,
  integration_id UUID,
  received_at DateTime64(3, 'UTC'),
  raw_id UUID,
  source LowCardinality(String),
  outcome LowCardinality(String),
  reason String,
  alerts UInt32,
  bytes UInt32,
  content_type LowCardinality(String),
  payload_sha256 String,
  encoding LowCardinality(String),
  payload String CODEC(ZSTD(3)),
  _p UInt16,
  _o UInt64
) ENGINE = MergeTree
PARTITION BY toDate(received_at)
ORDER BY (tenant_id, integration_id, received_at)
TTL toDateTime(received_at) + INTERVAL 3 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

-- Counters are cumulative: the last of an instance, boot and window counts. Refused alerts exist nowhere else.
CREATE TABLE IF NOT EXISTS ingest_usage (
  tenant_id UUID,
  window_at DateTime64(3, 'UTC'),
  instance String,
  boot String,
  at DateTime64(3, 'UTC'),
  accepted UInt64,
  refused UInt64,
  admits UInt64,
  expires_at DateTime('UTC'),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree(at)
PARTITION BY toYYYYMM(window_at)
ORDER BY (tenant_id, window_at, instance, boot)
TTL expires_at
SETTINGS non_replicated_deduplication_window = 10000;

-- Records that nobody can read, or that are no row of their table. They belong to no workspace that is known.
CREATE TABLE IF NOT EXISTS rejected (
  tenant_id UUID,
  topic LowCardinality(String),
  recorded_at DateTime64(3, 'UTC'),
  reason LowCardinality(String),
  error String,
  bytes UInt32,
  _p UInt16,
  _o UInt64
) ENGINE = MergeTree
ORDER BY (tenant_id, topic, recorded_at)
TTL toDateTime(recorded_at) + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 10000;
