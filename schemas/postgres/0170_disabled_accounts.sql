-- API tokens of a disabled account are refused, as its sessions are. As 0028, with the account.
CREATE OR REPLACE FUNCTION find_api_token(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, token_id uuid, user_id uuid, role text, name text, scopes text[], allowed_cidrs text[], expires_at timestamptz, plan text,
                 own_teams uuid[], hidden_teams uuid[], open_teams uuid[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.tenant_id, t.token_id, t.user_id, m.role, t.name, t.scopes, t.allowed_cidrs, t.expires_at, w.plan, l.own_teams, l.hidden_teams, l.open_teams
    FROM api_tokens t JOIN tenants w USING (tenant_id) JOIN members m ON m.tenant_id = t.tenant_id AND m.user_id = t.user_id
    JOIN users u ON u.user_id = t.user_id
   CROSS JOIN LATERAL team_lists(t.tenant_id, t.user_id) l
   WHERE t.token_sha256 = sha256 AND t.revoked_at IS NULL AND u.disabled_at IS NULL
$$;

-- As 0006: a credential of a disabled account is dead, not unknown.
CREATE OR REPLACE FUNCTION is_dead_credential(sha256 bytea) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM api_tokens t JOIN users u USING (user_id)
                  WHERE t.token_sha256 = sha256 AND (t.revoked_at IS NOT NULL OR t.expires_at <= now() OR u.disabled_at IS NOT NULL))
      OR EXISTS (SELECT FROM sessions s JOIN users u USING (user_id)
                  WHERE s.session_sha256 = sha256
                    AND (least(s.expires_at, s.last_seen_at + make_interval(secs => s.idle_seconds)) <= now() OR u.disabled_at IS NOT NULL))
$$;

-- Caches drop the credentials of a person whose account is disabled, or enabled again.
CREATE FUNCTION notify_account() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('credential_changed', encode(sha256, 'hex'))
     FROM (SELECT t.token_sha256 AS sha256 FROM members m JOIN api_tokens t USING (tenant_id, user_id) WHERE m.user_id = NEW.user_id AND t.revoked_at IS NULL
           UNION ALL SELECT s.session_sha256 FROM members m JOIN sessions s USING (tenant_id, user_id) WHERE m.user_id = NEW.user_id) AS credentials;
  RETURN NULL;
END $$;
DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION notify_account() OWNER TO service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
CREATE TRIGGER users_disabled AFTER UPDATE OF disabled_at ON users FOR EACH ROW
  WHEN ((OLD.disabled_at IS NULL) <> (NEW.disabled_at IS NULL)) EXECUTE FUNCTION notify_account();
