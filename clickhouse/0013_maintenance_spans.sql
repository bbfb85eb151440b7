-- The spans of maintenance windows, by version of the window. A version counts from `valid_from`
-- (epoch ms) to the next one, so what a later change says does not alter the past. The row without
-- a span (starts_at 0) says what the version covers. Older spans stay when a window forgets them.
CREATE TABLE IF NOT EXISTS maintenance_spans (
  tenant_id UUID,
  window_id UUID,
  valid_from Int64,
  starts_at Int64,
  ends_at Int64,
  ver UInt64,
  -- Whether the time is left out of uptime.
  excluded Bool,
  covers_all Bool,
  monitor_ids Array(String),
  heartbeat_ids Array(String),
  group_ids Array(String),
  tags Array(String),
  _p UInt16,
  _o UInt64
) ENGINE = ReplacingMergeTree(ver)
ORDER BY (tenant_id, window_id, valid_from, starts_at)
SETTINGS non_replicated_deduplication_window = 10000;
