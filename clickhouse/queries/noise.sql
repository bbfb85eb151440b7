-- What each source reported and what became of it: alerts that doors accepted, and incidents that
-- opened. Those that ended within 5 minutes by themselves, before anybody acknowledged, are noise.
-- An acknowledgement that was taken back counts too: the incident itself knows only the last.
-- Alerts of each hour are the single ones, or the counts of whole hours (alerts_1h) where those are
-- more: single alerts are gone earlier, and the counts began with a later version.
-- Parameters: from, to (epoch ms), limit, all_teams, own_team_ids and hidden_team_ids: who asks
-- sees (schemas/http/visibility.ts); what others own does not count. Row: NoiseRow of
-- schemas/analytics.ts.
WITH acks AS (
  SELECT incident_id, toUnixTimestamp64Milli(min(at)) AS first_at
  FROM incident_events
  WHERE tenant_id = {tenant_id:UUID} AND change = 'acknowledged' AND at >= fromUnixTimestamp64Milli({from:Int64})
  GROUP BY incident_id
)
SELECT kind, id, max(type) AS type, sum(fires) AS alerts, sum(ends) AS recoveries, sum(opened) AS incidents, sum(acked) AS acknowledged, sum(brief) AS noise
FROM (
  SELECT
    source_kind AS kind,
    multiIf(integration_id != '', integration_id, monitor_id != '', monitor_id, heartbeat_id) AS id,
    max(source_type) AS type, 0 AS fires, 0 AS ends, count() AS opened,
    countIf(acks.first_at > 0 OR acknowledged_at > 0) AS acked,
    countIf(acks.first_at = 0 AND acknowledged_at = 0 AND resolution_reason = 'recovered' AND resolved_at > 0 AND resolved_at - toUnixTimestamp64Milli(opened_at) <= 300000) AS brief
  FROM incidents AS i FINAL LEFT JOIN acks ON acks.incident_id = i.incident_id
  WHERE tenant_id = {tenant_id:UUID} AND resolution_reason != 'merged'
    AND opened_at >= fromUnixTimestamp64Milli({from:Int64}) AND opened_at < fromUnixTimestamp64Milli({to:Int64})
    AND ({all_teams:Bool} OR if(visibility = 'private', has({own_team_ids:Array(String)}, team_id), NOT has({hidden_team_ids:Array(String)}, team_id)))
  GROUP BY kind, id
  UNION ALL
  SELECT
    'inbound' AS kind, id, max(type) AS type,
    sum(most_fires) AS fires, sum(most_ends) AS ends, 0 AS opened, 0 AS acked, 0 AS brief
  FROM (
    SELECT id, hour, max(type) AS type, max(f) AS most_fires, max(e) AS most_ends
    FROM (
      SELECT
        toString(integration_id) AS id, toStartOfHour(received_at) AS hour, max(source) AS type,
        countIf(action = 'fire') AS f, countIf(action = 'resolve') AS e
      FROM alert_ingest
      WHERE tenant_id = {tenant_id:UUID} AND NOT by_former_key
        AND received_at >= fromUnixTimestamp64Milli({from:Int64}) AND received_at < fromUnixTimestamp64Milli({to:Int64})
        AND ({all_teams:Bool} OR if(visibility = 'private', has({own_team_ids:Array(String)}, team_id), NOT has({hidden_team_ids:Array(String)}, team_id)))
      GROUP BY id, hour
      UNION ALL
      SELECT toString(integration_id) AS id, alerts_1h.hour AS hour, max(source) AS type, sum(fires) AS f, sum(ends) AS e
      FROM alerts_1h
      WHERE tenant_id = {tenant_id:UUID}
        AND alerts_1h.hour >= fromUnixTimestamp64Milli({from:Int64}) AND alerts_1h.hour + INTERVAL 1 HOUR <= fromUnixTimestamp64Milli({to:Int64})
        AND ({all_teams:Bool} OR if(visibility = 'private', has({own_team_ids:Array(String)}, team_id), NOT has({hidden_team_ids:Array(String)}, team_id)))
      GROUP BY id, hour
    )
    GROUP BY id, hour
  )
  GROUP BY id
)
GROUP BY kind, id
ORDER BY incidents DESC, alerts DESC, kind, id
LIMIT {limit:UInt32}
