-- Spans of status: each transition begins one, and the first known one is preceded by the span it ended. For people and data teams; `to_at` is null while it lasts.
CREATE OR REPLACE VIEW status_spans AS
SELECT
  tenant_id,
  kind,
  id,
  ver,
  state,
  at AS from_at,
  nullIf(leadInFrame(at, 1, toDateTime64(0, 3, 'UTC')) OVER (PARTITION BY tenant_id, kind, id ORDER BY ver ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), toDateTime64(0, 3, 'UTC')) AS to_at
FROM (
  SELECT tenant_id, 'monitor' AS kind, monitor_id AS id, ver, state, at FROM monitor_transitions LIMIT 1 BY tenant_id, monitor_id, ver
  UNION ALL
  SELECT tenant_id, 'heartbeat' AS kind, heartbeat_id AS id, ver, state, at FROM heartbeat_transitions LIMIT 1 BY tenant_id, heartbeat_id, ver
);

-- The lives of monitors and heartbeats of one workspace, cut at every change of state, begin or end of maintenance and begin of a bucket: one row a segment.
-- Parameters: tenant_id; from, until (epoch ms); kinds, ids, created, tags, groups (one entry an entity); edges (epoch ms: begins of buckets, the first is `from`).
-- Row: kind, id, bucket (its begin), state (paused, maintenance, unknown, down, degraded, up; '' before the entity's creation), run (grows with every change of
-- state of an entity), ms.
CREATE OR REPLACE VIEW timeline AS
WITH
  entities AS (
    SELECT e.1 AS kind, e.2 AS id, greatest(e.3, {from:Int64}) AS born, e.4 AS tags, e.5 AS group_id
    FROM (SELECT arrayJoin(arrayZip({kinds:Array(String)}, {ids:Array(UUID)}, {created:Array(Int64)}, {tags:Array(Array(String))}, {groups:Array(String)})) AS e)
  ),
  changes AS (
    SELECT kind, id, arraySort(groupArray((at, ver, state, previous_state))) AS list
    FROM (
      SELECT 'monitor' AS kind, t.monitor_id AS id, t.ver AS ver, toUnixTimestamp64Milli(t.at) AS at, toString(t.state) AS state, toString(t.previous_state) AS previous_state
      FROM monitor_transitions AS t
      WHERE t.tenant_id = {tenant_id:UUID} AND t.monitor_id IN {ids:Array(UUID)} AND t.at < fromUnixTimestamp64Milli({until:Int64})
      UNION ALL
      SELECT 'heartbeat' AS kind, t.heartbeat_id AS id, t.ver AS ver, toUnixTimestamp64Milli(t.at) AS at, toString(t.state) AS state, toString(t.previous_state) AS previous_state
      FROM heartbeat_transitions AS t
      WHERE t.tenant_id = {tenant_id:UUID} AND t.heartbeat_id IN {ids:Array(UUID)} AND t.at < fromUnixTimestamp64Milli({until:Int64})
    )
    GROUP BY kind, id
  ),
  windows AS (
    SELECT monitor_ids, heartbeat_ids, group_ids, tags, covers_all, starts_at, ends_at
    FROM maintenance_windows FINAL
    ARRAY JOIN starts AS starts_at, ends AS ends_at
    WHERE tenant_id = {tenant_id:UUID} AND NOT deleted AND NOT count_in_uptime AND state != 'cancelled'
      AND ends_at > {from:Int64} AND starts_at < {until:Int64} AND ends_at > starts_at
  ),
  covered AS (
    SELECT e.kind AS kind, e.id AS id, groupArray((greatest(w.starts_at, e.born), w.ends_at)) AS list
    FROM entities AS e CROSS JOIN windows AS w
    WHERE w.ends_at > e.born
      AND (w.covers_all OR has(if(e.kind = 'monitor', w.monitor_ids, w.heartbeat_ids), toString(e.id)) OR hasAny(w.tags, e.tags)
        OR (e.group_id != '' AND has(w.group_ids, e.group_id)))
    GROUP BY kind, id
  ),
  -- Marks of an entity: (at, ver, state from here on or '', windows that begin less windows that end, begin of a bucket or 0).
  marks AS (
    SELECT e.kind AS kind, e.id AS id,
      arrayLast(x -> x.1 <= e.born, c.list) AS last_before,
      arrayJoin(arrayConcat(
        [(e.born, toUInt64(0), multiIf(last_before.2 > 0, last_before.3, notEmpty(c.list), c.list[1].4, 'up'), 0::Int16, 0::Int64)],
        arrayMap(x -> (x.1, x.2, x.3, 0::Int16, 0::Int64), arrayFilter(x -> x.1 > e.born, c.list)),
        arrayMap(x -> (x.1, toUInt64(0), '', 1::Int16, 0::Int64), w.list),
        arrayMap(x -> (x.2, toUInt64(0), '', -1::Int16, 0::Int64), w.list),
        arrayMap(x -> (x, toUInt64(0), '', 0::Int16, x), {edges:Array(Int64)})
      )) AS mark
    FROM entities AS e
    LEFT JOIN changes AS c ON c.kind = e.kind AND c.id = e.id
    LEFT JOIN covered AS w ON w.kind = e.kind AND w.id = e.id
  ),
  walked AS (
    SELECT
      kind, id, mark.1 AS at,
      max(mark.5) OVER earlier AS bucket,
      sum(mark.4) OVER earlier AS depth,
      anyLastIf(mark.3, mark.3 != '') OVER earlier AS kept,
      leadInFrame(mark.1, 1, {until:Int64}) OVER later - mark.1 AS ms
    FROM marks
    WHERE mark.1 < {until:Int64}
    WINDOW
      earlier AS (PARTITION BY kind, id ORDER BY mark.1, mark.2 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
      later AS (PARTITION BY kind, id ORDER BY mark.1, mark.2 ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
  ),
  segments AS (
    SELECT kind, id, at, bucket, multiIf(kept IN ('', 'paused'), kept, depth > 0, 'maintenance', kept) AS state, ms
    FROM walked WHERE ms > 0
  ),
  lasting AS (
    SELECT kind, id, bucket, state, ms, at,
      lagInFrame(state, 1, '') OVER (PARTITION BY kind, id ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS before
    FROM segments
  )
SELECT kind, id, bucket, state, ms,
  sum(state != before) OVER (PARTITION BY kind, id ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run
FROM lasting;
