-- Answers of failed checks, of monitors that keep them: restricted, and gone after three days
-- whatever the plan. `headers` is a JSON array of {name, value}.
CREATE TABLE IF NOT EXISTS check_captures (
  tenant_id UUID,
  monitor_id UUID,
  received_at DateTime64(3, 'UTC'),
  captured_at DateTime64(3, 'UTC'),
  check_id UUID,
  region LowCardinality(String),
  prober LowCardinality(String),
  config_version UInt32,
  reason LowCardinality(String),
  http_version LowCardinality(String),
  status_code Int32,
  status_text String,
  headers String CODEC(ZSTD(3)),
  headers_left_out UInt32,
  body_kind LowCardinality(String),
  body_bytes UInt64,
  body_cut Bool,
  body String CODEC(ZSTD(3)),
  _p UInt16,
  _o UInt64
) ENGINE = MergeTree
PARTITION BY toDate(received_at)
ORDER BY (tenant_id, monitor_id, received_at)
TTL toDateTime(received_at) + INTERVAL 3 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;
