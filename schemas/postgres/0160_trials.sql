-- What people try before they save it: a definition that one region's probers are asked to check,
-- and what they answer. Nothing of it is a result. A row ends with the answer that it waits for;
-- what nobody waited for to the end goes with the next trial of its workspace, or within a day by a
-- chore. Secrets in a definition are sealed as those of a monitor are.
CREATE TABLE check_trials (
  tenant_id uuid NOT NULL REFERENCES tenants,
  check_id uuid PRIMARY KEY,
  region text NOT NULL REFERENCES regions,
  -- As a row of find_assigned; its secrets are sealed for its monitor_id.
  definition jsonb NOT NULL,
  answer jsonb, -- the prober's instance and its result
  asked_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX check_trials_region ON check_trials (region, expires_at);
CREATE INDEX check_trials_tenant ON check_trials (tenant_id);
ALTER TABLE check_trials ENABLE ROW LEVEL SECURITY;
ALTER TABLE check_trials FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON check_trials USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- As versions (0032): a definition may be of a team that one must not see, so no list shows it.
CREATE POLICY sight ON check_trials AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()));
CREATE TRIGGER check_trials_inserted AFTER INSERT ON check_trials FOR EACH STATEMENT EXECUTE FUNCTION notify_on_demand();
GRANT SELECT, INSERT, DELETE ON check_trials TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON check_trials TO service_system;

-- What a region is to do now: checks of monitors, and trials. find_on_demand stays for an api of
-- the version before.
CREATE FUNCTION find_once(region_code text)
  RETURNS TABLE (tenant_id uuid, check_id uuid, monitor_id uuid, scheduled_at timestamptz, count boolean, expires_at timestamptz, definition jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.tenant_id, o.check_id, o.monitor_id, o.scheduled_at, o.count, o.expires_at, NULL::jsonb
    FROM on_demand_checks o WHERE o.region = region_code AND o.expires_at > now()
  UNION ALL
  SELECT d.tenant_id, d.check_id, (d.definition ->> 'monitor_id')::uuid, d.asked_at, false, d.expires_at, d.definition
    FROM check_trials d WHERE d.region = region_code AND d.expires_at > now() AND d.answer IS NULL
$$;

-- The first answer counts. False: nobody waits for one from this region.
CREATE FUNCTION answer_trial(region_code text, trial uuid, said jsonb) RETURNS boolean
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH answered AS (
    UPDATE check_trials SET answer = said WHERE check_id = trial AND region = region_code AND answer IS NULL AND expires_at > now() RETURNING 1)
  SELECT EXISTS (SELECT FROM answered)
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['find_once(text)', 'answer_trial(text, uuid, jsonb)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
