-- A notice to a person that is about no incident (a digest, a reminder of a shift, a hand-off, a
-- test of a contact method) says what that person may see: titles of the incidents of their private
-- teams, and names of schedules. So its intent and its delivery are seen by that person, and by
-- owners and admins, who see everything. The team of such a row does not count.
CREATE FUNCTION seen_by() RETURNS uuid LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1
  AS $$ BEGIN RETURN nullif(current_setting('service.seen_by', true), '')::uuid; END $$;

CREATE OR REPLACE FUNCTION set_sight(person uuid) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE lists record;
BEGIN
  SELECT l.own_teams, l.hidden_teams INTO lists FROM team_lists(current_tenant(), person) l;
  PERFORM set_config('service.own_teams', lists.own_teams::text, true), set_config('service.hidden_teams', lists.hidden_teams::text, true),
          set_config('service.seen_by', person::text, true);
END $$;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deliveries', 'intents'] LOOP
    EXECUTE format(
      $policy$ALTER POLICY sight ON %1$I USING ((SELECT sees_all_teams()) OR CASE WHEN incident_id IS NOT NULL
        THEN coalesce((SELECT true FROM incidents i WHERE i.tenant_id = %1$I.tenant_id AND i.incident_id = %1$I.incident_id), false)
        WHEN user_id IS NOT NULL THEN coalesce(user_id = (SELECT seen_by()), false)
        ELSE CASE visibility
          WHEN 'private' THEN coalesce(team_id = ANY ((SELECT own_teams())::uuid[]), false)
          ELSE team_id IS NULL OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false) END END)$policy$, name);
  END LOOP;
END $$;
