-- Private locations: regions of one workspace, whose probers it runs in its own network.
-- A location is a row of regions, by which it is assigned and votes as every region does, and a row
-- here, which says whose it is. Both go when the workspace deletes it, and its token, the presence
-- of its probers and checks that were asked for with them; results keep its code until they expire.
ALTER TABLE regions ALTER COLUMN country DROP NOT NULL; -- a network of a workspace is in no country
ALTER TABLE regions ADD COLUMN private boolean NOT NULL DEFAULT false;
ALTER TABLE regions ADD CONSTRAINT regions_private_code CHECK (NOT private OR code ~ '^loc-[a-z0-9]{12}$');
ALTER TABLE regions ADD CONSTRAINT regions_country_known CHECK (private OR country IS NOT NULL);

CREATE TABLE private_locations (
  tenant_id uuid NOT NULL REFERENCES tenants,
  location_id uuid NOT NULL,
  code text NOT NULL UNIQUE REFERENCES regions ON DELETE CASCADE,
  draining boolean NOT NULL DEFAULT false, -- its probers begin no check
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, location_id)
);
ALTER TABLE private_locations ENABLE ROW LEVEL SECURITY;
ALTER TABLE private_locations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON private_locations USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON private_locations TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON private_locations TO service_system;

-- What ends with a region.
ALTER TABLE prober_tokens DROP CONSTRAINT prober_tokens_region_fkey;
ALTER TABLE prober_tokens ADD CONSTRAINT prober_tokens_region_fkey FOREIGN KEY (region) REFERENCES regions ON DELETE CASCADE;
ALTER TABLE probers DROP CONSTRAINT probers_region_fkey;
ALTER TABLE probers ADD CONSTRAINT probers_region_fkey FOREIGN KEY (region) REFERENCES regions ON DELETE CASCADE;
ALTER TABLE on_demand_checks DROP CONSTRAINT on_demand_checks_region_fkey;
ALTER TABLE on_demand_checks ADD CONSTRAINT on_demand_checks_region_fkey FOREIGN KEY (region) REFERENCES regions ON DELETE CASCADE;

-- A workspace sees the regions of everybody and its own locations, and changes its own alone.
ALTER TABLE regions ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON regions FOR SELECT USING (NOT private OR code IN (SELECT l.code FROM private_locations l));
CREATE POLICY made ON regions FOR INSERT WITH CHECK (private);
CREATE POLICY changed ON regions FOR UPDATE USING (private AND code IN (SELECT l.code FROM private_locations l))
  WITH CHECK (private AND code IN (SELECT l.code FROM private_locations l));
CREATE POLICY ended ON regions FOR DELETE USING (private AND code IN (SELECT l.code FROM private_locations l));
GRANT INSERT, UPDATE (label), DELETE ON regions TO service_tenant;

ALTER TABLE probers ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON probers FOR SELECT USING (region IN (SELECT r.code FROM regions r));
GRANT SELECT (capacity) ON probers TO service_tenant;

ALTER TABLE prober_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON prober_tokens USING (region IN (SELECT l.code FROM private_locations l)) WITH CHECK (region IN (SELECT l.code FROM private_locations l));
GRANT SELECT (token_id, region, token_prefix, created_at, revoked_at), INSERT, DELETE ON prober_tokens TO service_tenant;

-- Whose token it is, and the workspace that it binds; null for a region of everybody.
CREATE FUNCTION find_prober_token(sha256 bytea)
  RETURNS TABLE (token_id uuid, region text, label text, country text, tenant_id uuid, draining boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.token_id, p.region, r.label, r.country, l.tenant_id, coalesce(l.draining, false)
    FROM prober_tokens p JOIN regions r ON r.code = p.region LEFT JOIN private_locations l ON l.code = p.region
   WHERE p.token_sha256 = sha256 AND p.revoked_at IS NULL AND r.private = (l.tenant_id IS NOT NULL)
$$;

-- A door of the version before takes a result by its body's workspace: to it the token of a
-- location is none.
CREATE OR REPLACE FUNCTION find_prober(sha256 bytea)
  RETURNS TABLE (token_id uuid, region text, label text, country text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.token_id, p.region, r.label, r.country FROM prober_tokens p JOIN regions r ON r.code = p.region
   WHERE p.token_sha256 = sha256 AND p.revoked_at IS NULL AND NOT r.private
$$;

-- As find_assigned, of one workspace: its location hears of no monitor of another, not even by id.
CREATE FUNCTION find_location_assigned(region_code text, since bigint, tenant uuid)
  RETURNS TABLE (assignment_version bigint, active boolean, tenant_id uuid, monitor_id uuid, ver bigint, type text, target text, config jsonb, assertions jsonb,
                 retry jsonb, interval_seconds integer, timeout_seconds integer, degraded_after_ms integer, tls_expiry_days integer[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.assignment_version, m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions), m.tenant_id, m.monitor_id, m.ver,
         m.type, m.target, m.config, m.assertions, m.retry, m.interval_seconds, m.timeout_seconds, m.degraded_after_ms, m.tls_expiry_days
    FROM monitors m
   WHERE m.tenant_id = tenant AND m.assignment_version > since
     AND (since > 0 OR (m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions)))
   ORDER BY m.assignment_version
$$;

-- Who of a region is live; the prober routes of the api act for no workspace.
CREATE FUNCTION find_live_probers(region_code text, live_ms integer, most_behind_ms integer)
  RETURNS TABLE (instance_id text, kinds text[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.instance_id, p.kinds FROM probers p
   WHERE p.region = region_code AND NOT p.leaving AND p.behind_ms <= most_behind_ms AND p.last_hello_at > now() - live_ms * interval '1 ms'
   ORDER BY p.instance_id LIMIT 1000
$$;

-- A location has so many probers at most; one that was not seen for a while makes room. False: all
-- of them are online.
CREATE FUNCTION make_room_for_prober(region_code text, instance text, most integer, live_ms integer) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM probers p WHERE p.region = region_code AND p.instance_id = instance)
     OR (SELECT count(*) FROM probers p WHERE p.region = region_code) < most THEN
    RETURN true;
  END IF;
  DELETE FROM probers d WHERE (d.region, d.instance_id) IN (
    SELECT p.region, p.instance_id FROM probers p WHERE p.region = region_code AND p.last_hello_at < now() - live_ms * interval '1 ms'
     ORDER BY p.last_hello_at LIMIT 1);
  RETURN FOUND;
END $$;

-- Whoever keeps a token's region and label reads them again.
CREATE FUNCTION notify_location() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('credential_changed', encode(p.token_sha256, 'hex')) FROM prober_tokens p WHERE p.region = NEW.code;
  RETURN NULL;
END $$;
CREATE TRIGGER private_locations_changed AFTER UPDATE ON private_locations FOR EACH ROW EXECUTE FUNCTION notify_location();

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['find_prober_token(bytea)', 'find_location_assigned(text, bigint, uuid)', 'find_live_probers(text, integer, integer)',
                                   'make_room_for_prober(text, text, integer, integer)',
                                   'notify_location()'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
