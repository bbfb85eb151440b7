-- Pings at the native receiver: by the workspace, which the integration's token has told, and the slug; as find_ping_slug otherwise.
CREATE FUNCTION find_named_heartbeat(workspace uuid, heartbeat_slug text)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan
    FROM heartbeats h JOIN tenants w USING (tenant_id) WHERE h.tenant_id = workspace AND h.slug = heartbeat_slug AND h.deleted_at IS NULL
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION find_named_heartbeat(uuid, text) OWNER TO service_system;
  REVOKE ALL ON FUNCTION find_named_heartbeat(uuid, text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION find_named_heartbeat(uuid, text) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
