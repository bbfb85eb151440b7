-- Transitions of a monitor or heartbeat, newest first; what the relay sent twice is one row.
-- Parameters: kind (monitor, heartbeat), id, from, to (epoch ms), before_at, before_ver, limit.
-- Row: StatusChangeRow of schemas/analytics.ts.
SELECT * FROM (
  SELECT transition_id, 'monitor' AS kind, monitor_id AS id, ver, toUnixTimestamp64Milli(t.at) AS at, previous_status, status, previous_phase, phase,
    nullIf(t.reason, '') AS reason, nullIf(t.message, '') AS message, nullIf(t.status_code, -1) AS status_code, severity, cause,
    CAST(t.votes, 'Map(String, String)') AS votes, CAST(NULL, 'Nullable(Int64)') AS expected_at, CAST(NULL, 'Nullable(Int64)') AS deadline_at, toUInt32(0) AS missed_count
  FROM monitor_transitions AS t
  WHERE tenant_id = {tenant_id:UUID} AND monitor_id = {id:UUID} AND {kind:String} = 'monitor'
    AND t.at >= fromUnixTimestamp64Milli({from:Int64}) AND t.at < fromUnixTimestamp64Milli({to:Int64})
  UNION ALL
  SELECT transition_id, 'heartbeat' AS kind, heartbeat_id AS id, ver, toUnixTimestamp64Milli(t.at) AS at, previous_status, status, previous_phase, phase,
    nullIf(t.reason, '') AS reason, CAST(NULL, 'Nullable(String)') AS message, CAST(NULL, 'Nullable(Int32)') AS status_code, severity, cause,
    CAST(map(), 'Map(String, String)') AS votes, nullIf(t.expected_at, 0) AS expected_at, nullIf(t.deadline_at, 0) AS deadline_at, missed_count
  FROM heartbeat_transitions AS t
  WHERE tenant_id = {tenant_id:UUID} AND heartbeat_id = {id:UUID} AND {kind:String} = 'heartbeat'
    AND t.at >= fromUnixTimestamp64Milli({from:Int64}) AND t.at < fromUnixTimestamp64Milli({to:Int64})
)
WHERE (at, ver) < ({before_at:Int64}, {before_ver:UInt64})
ORDER BY at DESC, ver DESC
LIMIT 1 BY ver
LIMIT {limit:UInt32}
