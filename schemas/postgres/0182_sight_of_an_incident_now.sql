-- What tells of an incident is seen by people who see the incident now, as its events and rooms
-- are. The team that a row was written with counts only where the row names no incident: an
-- incident moves to other teams, and its deliveries and items of the feed stay as they were.
-- The incident is found by its key for each row. It is asked for as a value: for EXISTS, Postgres
-- may read every incident of the workspace first.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deliveries', 'feed', 'intents'] LOOP
    EXECUTE format(
      $policy$ALTER POLICY sight ON %1$I USING ((SELECT sees_all_teams()) OR CASE WHEN incident_id IS NOT NULL
        THEN coalesce((SELECT true FROM incidents i WHERE i.tenant_id = %1$I.tenant_id AND i.incident_id = %1$I.incident_id), false)
        ELSE CASE visibility
          WHEN 'private' THEN coalesce(team_id = ANY ((SELECT own_teams())::uuid[]), false)
          ELSE team_id IS NULL OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false) END END)$policy$, name);
  END LOOP;
END $$;
