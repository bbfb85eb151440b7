-- Heartbeats: failures that are accepted, good pings that it takes, and what a door makes of pings:
-- by which methods, and what the words of a body mean.
ALTER TABLE heartbeats
  ADD COLUMN fail_tolerance integer NOT NULL DEFAULT 0 CHECK (fail_tolerance BETWEEN 0 AND 20),
  ADD COLUMN recovery_pings integer NOT NULL DEFAULT 1 CHECK (recovery_pings BETWEEN 1 AND 10),
  ADD COLUMN allowed_methods text[] NOT NULL DEFAULT '{GET,HEAD,POST}'
    CHECK (cardinality(allowed_methods) BETWEEN 1 AND 3 AND allowed_methods <@ ARRAY['GET', 'HEAD', 'POST']),
  ADD COLUMN body_rules jsonb NOT NULL DEFAULT '{}';

-- As find_ping_token, find_ping_slug and find_named_heartbeat, which stay for a door of the version
-- before.
CREATE FUNCTION find_pinged_token(token uuid)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text, allowed_methods text[], body_rules jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan, h.allowed_methods, h.body_rules
    FROM heartbeats h JOIN tenants w USING (tenant_id) WHERE h.ping_token = token AND h.deleted_at IS NULL
$$;

CREATE FUNCTION find_pinged_slug(workspace_key text, heartbeat_slug text)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text, allowed_methods text[], body_rules jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan, h.allowed_methods, h.body_rules
    FROM tenants w JOIN heartbeats h USING (tenant_id) WHERE w.ping_key = workspace_key AND h.slug = heartbeat_slug AND h.deleted_at IS NULL
$$;

CREATE FUNCTION find_pinged_name(workspace uuid, heartbeat_slug text)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text, allowed_methods text[], body_rules jsonb)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan, h.allowed_methods, h.body_rules
    FROM heartbeats h JOIN tenants w USING (tenant_id) WHERE h.tenant_id = workspace AND h.slug = heartbeat_slug AND h.deleted_at IS NULL
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['find_pinged_token(uuid)', 'find_pinged_slug(text, text)', 'find_pinged_name(uuid, text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
