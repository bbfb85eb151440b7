-- Maintenance that is no part of uptime: the windows with an occurrence within the range, and those
-- occurrences as (begin, end).
-- Parameters: from, until (epoch ms). Row: ExclusionRow of uptime.ts.
SELECT
  covers_all, monitor_ids, heartbeat_ids, group_ids, tags,
  arrayFilter(span -> span.2 > {from:Int64} AND span.1 < {until:Int64} AND span.2 > span.1, arrayZip(starts, ends)) AS spans
FROM maintenance_windows FINAL
WHERE tenant_id = {tenant_id:UUID} AND NOT deleted AND NOT count_in_uptime AND state != 'cancelled' AND notEmpty(spans)
