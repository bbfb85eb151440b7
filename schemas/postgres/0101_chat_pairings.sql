-- The link that a member opens in Telegram to become a sender there: the other way round than
-- chat_links, which begin with the sender.

-- One for each member and bot: a newer one takes its place. Only its hash is kept. A row ends when
-- it is used, with the membership, or with the next one that is made after it has expired.
CREATE TABLE chat_pairings (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  vendor text NOT NULL CHECK (vendor = 'telegram'),
  account text NOT NULL CHECK (length(account) BETWEEN 1 AND 100),
  code_sha256 bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, vendor, account),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX chat_pairings_expiry ON chat_pairings (tenant_id, expires_at);
ALTER TABLE chat_pairings ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_pairings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON chat_pairings USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON chat_pairings TO service_tenant, service_system;

-- In which workspace a link of a bot was made, by the hash of its code.
CREATE FUNCTION chat_pairing_of(account text, sha256 bytea) RETURNS uuid
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.tenant_id FROM chat_pairings p WHERE p.code_sha256 = $2 AND p.account = $1 AND p.expires_at > now()
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION chat_pairing_of(text, bytea) OWNER TO service_system;
  REVOKE ALL ON FUNCTION chat_pairing_of(text, bytea) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION chat_pairing_of(text, bytea) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
