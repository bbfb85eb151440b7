-- Invites to a workspace, and news to the caches of credentials when a member's role changes or ends.
-- A row is an open invite: it goes away when it is accepted or withdrawn, and the audit keeps the story.
CREATE TABLE invites (
  tenant_id uuid NOT NULL REFERENCES tenants,
  invite_id uuid NOT NULL,
  email text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'responder', 'editor', 'viewer', 'billing')),
  token_sha256 bytea NOT NULL UNIQUE,
  invited_by uuid NOT NULL REFERENCES users,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, invite_id)
);
CREATE UNIQUE INDEX invites_email ON invites (tenant_id, lower(email));
CREATE INDEX invites_expiry ON invites (expires_at);

ALTER TABLE invites ENABLE ROW LEVEL SECURITY;
ALTER TABLE invites FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invites USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON invites TO service_system;
GRANT SELECT, INSERT, DELETE ON invites TO service_tenant;

-- Before a workspace is known: the open invite of a token, and the account of its address where there is one. As 0006.
CREATE FUNCTION find_invite(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, invite_id uuid, email text, role text, expires_at timestamptz, workspace_name text,
                 user_id uuid, password_hash text, disabled boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.tenant_id, i.invite_id, i.email, i.role, i.expires_at, w.name, u.user_id, u.password_hash, u.disabled_at IS NOT NULL
    FROM invites i JOIN tenants w USING (tenant_id) LEFT JOIN users u ON lower(u.email) = lower(i.email)
   WHERE i.token_sha256 = sha256 AND i.expires_at > now()
$$;

-- The account of an invited person. service_tenant may make one for an open invite of the workspace that is set, and no other. False: the address has one.
CREATE FUNCTION create_invited_user(invite uuid, new_user uuid, new_name text, phc text) RETURNS boolean
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH made AS (
    INSERT INTO users (user_id, email, name, password_hash, time_zone)
    SELECT new_user, i.email, new_name, phc, w.time_zone FROM invites i JOIN tenants w USING (tenant_id)
     WHERE i.tenant_id = current_tenant() AND i.invite_id = invite AND i.expires_at > now()
    ON CONFLICT (lower(email)) DO NOTHING
    RETURNING 1
  ) SELECT EXISTS (SELECT FROM made)
$$;

-- A new password ends the person's sessions in every workspace, but for the one that is kept. Only a workspace that the person belongs to may ask.
CREATE FUNCTION end_other_sessions(person uuid, kept bytea) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH ended AS (
    DELETE FROM sessions s WHERE s.user_id = person AND s.session_sha256 <> kept
       AND EXISTS (SELECT FROM members m WHERE m.tenant_id = current_tenant() AND m.user_id = person)
    RETURNING 1
  ) SELECT count(*) FROM ended
$$;

-- Credentials carry the role of their person: every cache drops those of a member whose role changes.
CREATE FUNCTION notify_member() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('credential_changed', encode(sha256, 'hex'))
     FROM (SELECT token_sha256 AS sha256 FROM api_tokens WHERE tenant_id = OLD.tenant_id AND user_id = OLD.user_id AND revoked_at IS NULL
           UNION ALL SELECT session_sha256 FROM sessions WHERE tenant_id = OLD.tenant_id AND user_id = OLD.user_id) AS credentials;
  RETURN NULL;
END $$;
CREATE TRIGGER members_changed AFTER DELETE OR UPDATE OF role ON members FOR EACH ROW EXECUTE FUNCTION notify_member();

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['find_invite(bytea)', 'create_invited_user(uuid, uuid, text, text)', 'end_other_sessions(uuid, bytea)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  ALTER FUNCTION notify_member() OWNER TO service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
