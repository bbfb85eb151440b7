-- Who somebody is in a chat app: the member whose rights count when they send a command or press a
-- button there.

-- One member for each sender, in one workspace. `account` is the vendor's own workspace or bot, and
-- `sender` the id that the vendor never gives to somebody else. A row ends with the membership, or
-- when the member unlinks it.
CREATE TABLE chat_identities (
  tenant_id uuid NOT NULL,
  identity_id uuid NOT NULL,
  user_id uuid NOT NULL,
  vendor text NOT NULL CHECK (vendor IN ('slack', 'discord', 'telegram')),
  account text NOT NULL CHECK (length(account) BETWEEN 1 AND 100),
  sender text NOT NULL CHECK (length(sender) BETWEEN 1 AND 100),
  -- As the vendor called them when they were linked; for people to recognise it by.
  name text NOT NULL CHECK (length(name) <= 200),
  linked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, identity_id),
  UNIQUE (vendor, account, sender),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX chat_identities_user ON chat_identities (tenant_id, user_id);
ALTER TABLE chat_identities ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_identities FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON chat_identities USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON chat_identities TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON chat_identities TO service_system;

-- The open link of a sender whom nobody knows yet, and of no workspace until somebody uses it. A
-- newer one takes its place. A row ends when it is used, or with the next link that is made after
-- it has expired.
CREATE TABLE chat_links (
  vendor text NOT NULL,
  account text NOT NULL CHECK (length(account) BETWEEN 1 AND 100),
  sender text NOT NULL CHECK (length(sender) BETWEEN 1 AND 100),
  name text NOT NULL CHECK (length(name) <= 200),
  token_sha256 bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (vendor, account, sender)
);
CREATE INDEX chat_links_expiry ON chat_links (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON chat_links TO service_system;

CREATE FUNCTION offer_chat_link(vendor text, account text, sender text, name text, sha256 bytea, seconds integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM chat_links WHERE token_sha256 IN (
    SELECT l.token_sha256 FROM chat_links l WHERE l.expires_at < now() ORDER BY l.expires_at LIMIT 100 FOR UPDATE SKIP LOCKED);
  INSERT INTO chat_links AS l (vendor, account, sender, name, token_sha256, expires_at)
  VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')
  ON CONFLICT ON CONSTRAINT chat_links_pkey DO UPDATE SET name = excluded.name, token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at
$$;

-- Whom an open link would make a member's, by the hash of its token.
CREATE FUNCTION find_chat_link(sha256 bytea) RETURNS TABLE (vendor text, account text, sender text, name text, expires_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT l.vendor, l.account, l.sender, l.name, l.expires_at FROM chat_links l WHERE l.token_sha256 = sha256 AND l.expires_at > now()
$$;

-- As find_chat_link, and ends it: of two at a time one finds it gone.
CREATE FUNCTION take_chat_link(sha256 bytea) RETURNS TABLE (vendor text, account text, sender text, name text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM chat_links l WHERE l.token_sha256 = sha256 AND l.expires_at > now() RETURNING l.vendor, l.account, l.sender, l.name
$$;

-- Who a sender is, in any workspace. An account that is disabled is nobody.
CREATE FUNCTION chat_identity_of(vendor text, account text, sender text) RETURNS TABLE (tenant_id uuid, user_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.tenant_id, c.user_id FROM chat_identities c JOIN users u USING (user_id)
   WHERE c.vendor = $1 AND c.account = $2 AND c.sender = $3 AND u.disabled_at IS NULL
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY[
    'offer_chat_link(text, text, text, text, bytea, integer)', 'find_chat_link(bytea)', 'take_chat_link(bytea)', 'chat_identity_of(text, text, text)'
  ] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
