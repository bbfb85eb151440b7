-- A phone that is pushed to is a method of its person, and ends with it; its token is one person's,
-- in all workspaces.

DELETE FROM push_devices d WHERE NOT EXISTS (
  SELECT FROM contact_methods m WHERE m.tenant_id = d.tenant_id AND m.method_id = d.device_id AND m.user_id = d.user_id);
ALTER TABLE push_devices ADD FOREIGN KEY (tenant_id, device_id) REFERENCES contact_methods (tenant_id, method_id) ON DELETE CASCADE;
CREATE INDEX push_devices_token ON push_devices (platform, token_sha256);
CREATE INDEX push_devices_invalid ON push_devices (invalid_at) WHERE invalid_at IS NOT NULL;

-- Whoever has the phone now is the only one who is told on it: it ends as a method of everybody
-- else, whatever the workspace. Returns how many those were.
CREATE FUNCTION take_push_token(wanted_platform text, wanted_sha256 bytea, wanted_user uuid) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone AS (
    DELETE FROM contact_methods m USING push_devices d
     WHERE d.platform = wanted_platform AND d.token_sha256 = wanted_sha256 AND d.user_id <> wanted_user
       AND m.tenant_id = d.tenant_id AND m.method_id = d.device_id
    RETURNING 1
  )
  SELECT count(*) FROM gone
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION take_push_token(text, bytea, uuid) OWNER TO service_system;
  REVOKE ALL ON FUNCTION take_push_token(text, bytea, uuid) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION take_push_token(text, bytea, uuid) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
