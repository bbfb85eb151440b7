-- Look-ups that come before a workspace is known: the only way past row-level security for service_tenant, and all in this file.
CREATE FUNCTION find_api_token(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, token_id uuid, user_id uuid, role text, name text, scopes text[], allowed_cidrs text[], expires_at timestamptz, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.tenant_id, t.token_id, t.user_id, m.role, t.name, t.scopes, t.allowed_cidrs, t.expires_at, w.plan
    FROM api_tokens t JOIN tenants w USING (tenant_id) JOIN members m ON m.tenant_id = t.tenant_id AND m.user_id = t.user_id
   WHERE t.token_sha256 = sha256 AND t.revoked_at IS NULL
$$;

CREATE FUNCTION find_session(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, user_id uuid, role text, expires_at timestamptz, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.tenant_id, s.user_id, m.role, least(s.expires_at, s.last_seen_at + make_interval(secs => s.idle_seconds)), w.plan
    FROM sessions s JOIN tenants w USING (tenant_id) JOIN members m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
    JOIN users u ON u.user_id = s.user_id
   WHERE s.session_sha256 = sha256 AND u.disabled_at IS NULL
$$;

CREATE FUNCTION find_integration(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, integration_id uuid, source_type text, enabled boolean, team_id uuid, visibility text, default_severity text,
                 severity_map jsonb, labels_add jsonb, capture boolean, options jsonb, expires_at timestamptz, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.tenant_id, i.integration_id, i.source_type, i.enabled, i.team_id, i.visibility, i.default_severity,
         i.severity_map, i.labels_add, i.capture, i.options,
         CASE WHEN i.token_sha256 = sha256 THEN NULL ELSE i.previous_token_expires_at END, w.plan
    FROM integrations i JOIN tenants w USING (tenant_id)
   WHERE i.token_sha256 = sha256 OR (i.previous_token_sha256 = sha256 AND i.previous_token_expires_at > now())
$$;

CREATE FUNCTION find_login(login_email text)
  RETURNS TABLE (user_id uuid, password_hash text, disabled boolean, tenant_id uuid, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT u.user_id, u.password_hash, u.disabled_at IS NOT NULL, m.tenant_id, m.role
    FROM users u JOIN members m USING (user_id) WHERE lower(u.email) = lower(login_email) ORDER BY m.created_at, m.tenant_id
$$;

CREATE FUNCTION find_workspaces(member uuid)
  RETURNS TABLE (tenant_id uuid, name text, slug text, plan text, role text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT w.tenant_id, w.name, w.slug, w.plan, m.role FROM members m JOIN tenants w USING (tenant_id) WHERE m.user_id = member ORDER BY m.created_at, w.tenant_id
$$;

-- A credential that is refused is either unknown or dead, and its holder may know which.
CREATE FUNCTION is_dead_credential(sha256 bytea) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM api_tokens t WHERE t.token_sha256 = sha256 AND (t.revoked_at IS NOT NULL OR t.expires_at <= now()))
      OR EXISTS (SELECT FROM sessions s WHERE s.session_sha256 = sha256 AND least(s.expires_at, s.last_seen_at + make_interval(secs => s.idle_seconds)) <= now())
$$;

DO $$
DECLARE signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['find_api_token(bytea)', 'find_session(bytea)', 'find_integration(bytea)', 'find_login(text)', 'find_workspaces(uuid)', 'is_dead_credential(bytea)'] LOOP
    EXECUTE format('GRANT CREATE ON SCHEMA public TO service_system');
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
    EXECUTE format('REVOKE CREATE ON SCHEMA public FROM service_system');
  END LOOP;
END $$;
