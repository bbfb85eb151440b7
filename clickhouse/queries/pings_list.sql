-- Pings of a heartbeat, newest first; `n` is the offset on its partition of the log. The duration
-- is that of the run whose start the ping names; of pings without a run, that of the start right
-- before it: notes and pings of named runs do not come between them.
-- Parameters: heartbeat_id, from, to (epoch ms), kinds (empty: all), before_at, before_n, limit.
-- Row: PingRow of schemas/analytics.ts.
WITH
  page AS (
    SELECT * FROM heartbeat_pings
    WHERE tenant_id = {tenant_id:UUID} AND heartbeat_id = {heartbeat_id:UUID}
      AND received_at >= fromUnixTimestamp64Milli({from:Int64}) AND received_at < fromUnixTimestamp64Milli({to:Int64})
      AND (received_at, _o) < (fromUnixTimestamp64Milli({before_at:Int64}), {before_n:UInt64})
      AND (empty({kinds:Array(String)}) OR has({kinds:Array(String)}, kind))
    ORDER BY received_at DESC, _o DESC
    LIMIT {limit:UInt32}
  ),
  starts AS (
    SELECT run_id, max(received_at) AS started_at FROM heartbeat_pings
    WHERE tenant_id = {tenant_id:UUID} AND heartbeat_id = {heartbeat_id:UUID} AND kind = 'start' AND run_id != ''
      AND received_at >= fromUnixTimestamp64Milli({from:Int64}) AND received_at < fromUnixTimestamp64Milli({to:Int64})
    GROUP BY run_id
  ),
  unnamed AS (
    SELECT _o, lagInFrame(kind) OVER earlier = 'start' AS follows, lagInFrame(received_at) OVER earlier AS started_at
    FROM heartbeat_pings
    WHERE tenant_id = {tenant_id:UUID} AND heartbeat_id = {heartbeat_id:UUID} AND kind != 'log' AND run_id = ''
      AND received_at >= fromUnixTimestamp64Milli({from:Int64}) AND received_at < fromUnixTimestamp64Milli({to:Int64})
    WINDOW earlier AS (ORDER BY received_at, _o ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
  )
SELECT
  p.ping_id AS ping_id,
  p.heartbeat_id AS heartbeat_id,
  p._o AS n,
  p.kind AS kind,
  nullIf(p.exit_code, -1) AS exit_code,
  nullIf(p.run_id, '') AS run_id,
  toUnixTimestamp64Milli(p.received_at) AS received_at,
  nullIf(p.client_at, 0) AS client_at,
  multiIf(
    p.kind = 'start', NULL,
    s.run_id != '' AND s.started_at <= p.received_at, toUnixTimestamp64Milli(p.received_at) - toUnixTimestamp64Milli(s.started_at),
    u.follows = 1, toUnixTimestamp64Milli(p.received_at) - toUnixTimestamp64Milli(u.started_at),
    NULL
  ) AS duration_ms,
  p.method AS method,
  p.source_class AS source_class,
  nullIf(p.user_agent, '') AS user_agent,
  p.body_bytes AS body_bytes,
  nullIf(p.body_excerpt, '') AS body_excerpt
FROM page AS p
LEFT JOIN starts AS s ON s.run_id = p.run_id
LEFT JOIN unnamed AS u ON u._o = p._o
ORDER BY p.received_at DESC, p._o DESC
