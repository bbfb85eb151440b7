-- Heartbeats: how much of the body of a ping leaves the door.
ALTER TABLE heartbeats
  ADD COLUMN body_excerpt_chars integer NOT NULL DEFAULT 512 CHECK (body_excerpt_chars BETWEEN 0 AND 512);

-- As find_pinged_token, find_pinged_slug and find_pinged_name, which stay for a door of the version
-- before.
CREATE FUNCTION find_pinged_by_token(token uuid)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text, allowed_methods text[], body_rules jsonb,
    body_excerpt_chars integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan, h.allowed_methods, h.body_rules, h.body_excerpt_chars
    FROM heartbeats h JOIN tenants w USING (tenant_id) WHERE h.ping_token = token AND h.deleted_at IS NULL
$$;

CREATE FUNCTION find_pinged_by_slug(workspace_key text, heartbeat_slug text)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text, allowed_methods text[], body_rules jsonb,
    body_excerpt_chars integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan, h.allowed_methods, h.body_rules, h.body_excerpt_chars
    FROM tenants w JOIN heartbeats h USING (tenant_id) WHERE w.ping_key = workspace_key AND h.slug = heartbeat_slug AND h.deleted_at IS NULL
$$;

CREATE FUNCTION find_pinged_by_name(workspace uuid, heartbeat_slug text)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text, allowed_methods text[], body_rules jsonb,
    body_excerpt_chars integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan, h.allowed_methods, h.body_rules, h.body_excerpt_chars
    FROM tenants w JOIN heartbeats h USING (tenant_id) WHERE h.tenant_id = workspace AND h.slug = heartbeat_slug AND h.deleted_at IS NULL
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['find_pinged_by_token(uuid)', 'find_pinged_by_slug(text, text)', 'find_pinged_by_name(uuid, text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
