-- Maintenance windows by version, each with its occurrences within the range as (begin, end), and
-- as they stand (`ver` 0), for windows of which no version is known. Versions without an occurrence
-- are there, too: they end the one before. exclusions.ts works out what is no part of uptime.
-- Parameters: from, until (epoch ms). Row: VersionRow of exclusions.ts.
SELECT
  window_id, valid_from, maxIf(ver, starts_at = 0) AS ver, anyIf(excluded, starts_at = 0) AS excluded,
  anyIf(covers_all, starts_at = 0) AS covers_all, anyIf(monitor_ids, starts_at = 0) AS monitor_ids,
  anyIf(heartbeat_ids, starts_at = 0) AS heartbeat_ids, anyIf(group_ids, starts_at = 0) AS group_ids, anyIf(tags, starts_at = 0) AS tags,
  groupArrayIf((starts_at, ends_at), starts_at > 0) AS spans
FROM maintenance_spans AS s FINAL
WHERE tenant_id = {tenant_id:UUID} AND (s.starts_at = 0 OR (s.ends_at > {from:Int64} AND s.starts_at < {until:Int64}))
GROUP BY window_id, valid_from
UNION ALL
SELECT
  window_id, 0 AS valid_from, 0 AS ver, true AS excluded, covers_all, monitor_ids, heartbeat_ids, group_ids, tags,
  arrayFilter(span -> span.2 > {from:Int64} AND span.1 < {until:Int64} AND span.2 > span.1, arrayZip(starts, ends)) AS spans
FROM maintenance_windows FINAL
WHERE tenant_id = {tenant_id:UUID} AND NOT deleted AND NOT count_in_uptime AND state != 'cancelled' AND notEmpty(spans)
