-- What became of each entity before `until`: what its first known change ended, and its changes by
-- time and version: all after `from`, and of those at or before it the last one and that of the
-- highest version. What the relay sent twice is there twice.
-- Parameters: kind (monitor, heartbeat), transitions and key (the table of that kind and its column
-- of ids), ids, from, until (epoch ms). Row: LifeRow of uptime.ts.
SELECT
  {kind:String} AS kind,
  {key:Identifier} AS id,
  argMin(previous_state, (at, ver)) AS first_previous,
  arraySort(
    arrayFilter(
      change -> change.3 != '',
      arrayConcat(
        [
          argMaxIf((toUnixTimestamp64Milli(at), ver, state), (at, ver), at <= fromUnixTimestamp64Milli({from:Int64})),
          argMaxIf((toUnixTimestamp64Milli(at), ver, state), ver, at <= fromUnixTimestamp64Milli({from:Int64}))
        ],
        groupArrayIf((toUnixTimestamp64Milli(at), ver, state), at > fromUnixTimestamp64Milli({from:Int64}))
      )
    )
  ) AS changes
FROM {transitions:Identifier}
WHERE tenant_id = {tenant_id:UUID} AND {key:Identifier} IN {ids:Array(UUID)} AND at < fromUnixTimestamp64Milli({until:Int64})
GROUP BY id
