-- How long the runs of a heartbeat took that started and ended in a span, and how many of them the
-- job reported as failed. The start of a run is found as in pings_list. Durations are of runs that
-- succeeded.
-- Parameters: heartbeat_id, from, to (epoch ms). One row: RunsRow of schemas/analytics.ts.
WITH
  ends AS (
    SELECT _o, received_at, run_id, kind = 'success' OR (kind = 'exit' AND exit_code = 0) AS good FROM heartbeat_pings
    WHERE tenant_id = {tenant_id:UUID} AND heartbeat_id = {heartbeat_id:UUID} AND kind IN ('success', 'fail', 'exit')
      AND received_at >= fromUnixTimestamp64Milli({from:Int64}) AND received_at < fromUnixTimestamp64Milli({to:Int64})
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
  ),
  runs AS (
    SELECT
      e.good AS good,
      multiIf(
        s.run_id != '' AND s.started_at <= e.received_at, toUnixTimestamp64Milli(e.received_at) - toUnixTimestamp64Milli(s.started_at),
        u.follows = 1, toUnixTimestamp64Milli(e.received_at) - toUnixTimestamp64Milli(u.started_at),
        -1
      ) AS ms
    FROM ends AS e
    LEFT JOIN starts AS s ON s.run_id = e.run_id
    LEFT JOIN unnamed AS u ON u._o = e._o
  )
SELECT
  countIf(good) AS succeeded,
  countIf(NOT good) AS failed,
  minIf(ms, good) AS min,
  round(avgIf(ms, good), 1) AS avg,
  round(quantileExactInclusiveIf(0.5)(ms, good), 1) AS p50,
  round(quantileExactInclusiveIf(0.95)(ms, good), 1) AS p95,
  maxIf(ms, good) AS max
FROM runs
WHERE ms >= 0
