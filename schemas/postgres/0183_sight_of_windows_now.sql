-- A caller sees a maintenance window if they may see everything that it names. What counts is
-- the team that each of these belongs to now: a monitor, heartbeat or integration can move to
-- another team, which does not rewrite its windows. The function returns teams that the caller
-- may not see, so it reads past row-level security, in the workspace of the transaction alone.
CREATE FUNCTION teams_named_by(scope jsonb) RETURNS uuid[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(array_agg(n.team_id), '{}') FROM (
    SELECT m.team_id FROM monitors m
     WHERE m.tenant_id = current_tenant() AND m.monitor_id = ANY (ARRAY(SELECT jsonb_array_elements_text(scope -> 'monitor_ids'))::uuid[])
    UNION SELECT h.team_id FROM heartbeats h
     WHERE h.tenant_id = current_tenant() AND h.heartbeat_id = ANY (ARRAY(SELECT jsonb_array_elements_text(scope -> 'heartbeat_ids'))::uuid[])
    UNION SELECT i.team_id FROM integrations i
     WHERE i.tenant_id = current_tenant() AND i.integration_id = ANY (ARRAY(SELECT jsonb_array_elements_text(scope -> 'integration_ids'))::uuid[])
  ) n WHERE n.team_id IS NOT NULL
$$;
DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION teams_named_by(jsonb) OWNER TO service_system;
  REVOKE ALL ON FUNCTION teams_named_by(jsonb) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION teams_named_by(jsonb) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;

-- From now on `team_ids` has only the teams that the matchers name.
UPDATE maintenance_windows SET team_ids = ARRAY(
  SELECT DISTINCT (team #>> '{}')::uuid FROM jsonb_path_query(scope, '$.matchers[*] ? (@.field == "team_id").value[*] ? (@.type() == "string")') team)
 WHERE team_ids <> '{}';
ALTER POLICY sight ON maintenance_windows USING ((SELECT sees_all_teams()) OR CASE
  WHEN (SELECT hidden_teams()) = '{}' THEN true
  WHEN (SELECT hidden_teams()) IS NULL THEN team_ids = '{}' AND teams_named_by(scope) = '{}'
  ELSE NOT (team_ids || teams_named_by(scope)) && (SELECT hidden_teams())::uuid[] END);
