-- What became of each entity before `until`: its state at `from` ('' where nothing is known that
-- early), what its first known change ended, and the changes after `from`, by version: that is the
-- order of the log, while `at` may go back with the broker's clock. What the relay sent twice is
-- there twice.
-- Parameters: kind (monitor, heartbeat), transitions and key (the table of that kind and its column
-- of ids), ids, from, until (epoch ms). Row: LifeRow of uptime.ts.
SELECT
  {kind:String} AS kind,
  {key:Identifier} AS id,
  argMaxIf(state, ver, at <= fromUnixTimestamp64Milli({from:Int64})) AS before,
  argMin(previous_state, ver) AS first_previous,
  maxIf(ver, at <= fromUnixTimestamp64Milli({from:Int64})) AS before_ver,
  arrayFilter(
    change -> change.2 > before_ver,
    arraySort(change -> change.2, groupArrayIf((toUnixTimestamp64Milli(at), ver, state), at > fromUnixTimestamp64Milli({from:Int64})))
  ) AS changes
FROM {transitions:Identifier}
WHERE tenant_id = {tenant_id:UUID} AND {key:Identifier} IN {ids:Array(UUID)} AND at < fromUnixTimestamp64Milli({until:Int64})
GROUP BY id
