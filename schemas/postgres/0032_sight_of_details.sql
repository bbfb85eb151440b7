-- What says something about the things of teams is seen by whoever sees these (0028_teams.sql):
-- their state, their checks on demand, what their deliveries came to. Versions and the audit trail
-- are read by no role but those who see all; a reader to come starts from nothing.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['config_versions', 'audit'] LOOP
    EXECUTE format('CREATE POLICY sight ON %I AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()))', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['integration_ignored', 'integration_stretches'] LOOP
    EXECUTE format(
      $policy$CREATE POLICY sight ON %1$I AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
        SELECT FROM integrations i WHERE i.tenant_id = %1$I.tenant_id AND i.integration_id = %1$I.integration_id))$policy$, name);
  END LOOP;
  CREATE POLICY sight ON on_demand_checks AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
    SELECT FROM monitors m WHERE m.tenant_id = on_demand_checks.tenant_id AND m.monitor_id = on_demand_checks.monitor_id));
  -- Keys of these two processors end with the id. It is compared as an id, which has an index.
  CREATE POLICY sight ON partition_state AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams())
    OR processor NOT IN ('status', 'heartbeat')
    OR CASE WHEN key ~ '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN CASE processor
      WHEN 'status' THEN EXISTS (SELECT FROM monitors m WHERE m.tenant_id = partition_state.tenant_id AND m.monitor_id = right(partition_state.key, 36)::uuid)
      ELSE EXISTS (SELECT FROM heartbeats h WHERE h.tenant_id = partition_state.tenant_id AND h.heartbeat_id = right(partition_state.key, 36)::uuid)
      END ELSE false END);
END $$;
