-- How far a prober is behind what it has to do, by its last hello: one that says hello and checks nothing is not live.
ALTER TABLE probers ADD COLUMN behind_ms integer NOT NULL DEFAULT 0 CHECK (behind_ms >= 0);
GRANT SELECT (behind_ms) ON probers TO service_tenant;

CREATE FUNCTION note_hello(region_code text, instance text, prober_version text, prober_kinds text[], prober_key bytea, ips text[], prober_capacity jsonb,
                           is_leaving boolean, behind integer)
  RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO probers (region, instance_id, version, kinds, public_key, egress_ips, capacity, leaving, behind_ms)
  VALUES (region_code, instance, prober_version, prober_kinds, prober_key, ips, prober_capacity, is_leaving, behind)
  ON CONFLICT (region, instance_id) DO UPDATE SET version = excluded.version, kinds = excluded.kinds, public_key = excluded.public_key,
    egress_ips = excluded.egress_ips, capacity = excluded.capacity, leaving = excluded.leaving, behind_ms = excluded.behind_ms, last_hello_at = now()
$$;

-- As an api of the version before calls it.
CREATE OR REPLACE FUNCTION note_hello(region_code text, instance text, prober_version text, prober_kinds text[], prober_key bytea, ips text[],
                                      prober_capacity jsonb, is_leaving boolean)
  RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT note_hello(region_code, instance, prober_version, prober_kinds, prober_key, ips, prober_capacity, is_leaving, 0)
$$;

DO $$
DECLARE signature text := 'note_hello(text, text, text, text[], bytea, text[], jsonb, boolean, integer)';
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
  EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
