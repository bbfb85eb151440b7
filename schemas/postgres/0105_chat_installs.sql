-- Apps of chat services that people add to their workspace there: where an install stands, and
-- which channels one of them has made.

-- An install that somebody has begun: bound to their session, good for ten minutes and once. It
-- ends when it is used, with the next one that the workspace begins after it has expired, or with
-- the membership.
CREATE TABLE chat_install_states (
  tenant_id uuid NOT NULL,
  state_sha256 bytea NOT NULL,
  user_id uuid NOT NULL,
  session_sha256 text NOT NULL,
  kind text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, state_sha256),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX chat_install_states_user ON chat_install_states (tenant_id, user_id, created_at);
ALTER TABLE chat_install_states ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_install_states FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON chat_install_states USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON chat_install_states TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON chat_install_states TO service_system;

-- Channels that an install made, by the vendor's own workspace.
CREATE INDEX notification_channels_account ON notification_channels (kind, (coalesce(config ->> 'team_id', config ->> 'guild_id')))
  WHERE config ->> 'mode' = 'oauth' AND deleted_at IS NULL;

-- Which workspaces have channels by an install in a workspace of the vendor: one of theirs may be
-- that of several of ours, and the vendor speaks of theirs.
CREATE FUNCTION chat_install_owners(wanted_kind text, wanted_account text) RETURNS TABLE (tenant_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT c.tenant_id FROM notification_channels c
   WHERE c.kind = wanted_kind AND coalesce(c.config ->> 'team_id', c.config ->> 'guild_id') = wanted_account
     AND c.config ->> 'mode' = 'oauth' AND c.deleted_at IS NULL
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION chat_install_owners(text, text) OWNER TO service_system;
  REVOKE ALL ON FUNCTION chat_install_owners(text, text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION chat_install_owners(text, text) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
