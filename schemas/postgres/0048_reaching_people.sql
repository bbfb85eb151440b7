-- Proof that an address or number is theirs, devices that are pushed to, and a first method for
-- every member: the e-mail of their account.

-- Links by which an e-mail channel is confirmed. A row ends when it is used, and a day after it
-- expired.
CREATE TABLE channel_confirmations (
  tenant_id uuid NOT NULL,
  token_sha256 bytea NOT NULL UNIQUE,
  channel_id uuid NOT NULL,
  recipient text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, channel_id),
  FOREIGN KEY (tenant_id, channel_id) REFERENCES notification_channels ON DELETE CASCADE
);
CREATE INDEX channel_confirmations_expiry ON channel_confirmations (expires_at);

-- Codes that were sent to a number or address. The code is never here: a keyed hash of it is.
-- A row ends a day after it expired; until then it counts against the limits.
CREATE TABLE verification_codes (
  tenant_id uuid NOT NULL REFERENCES tenants,
  verification_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users,
  method_kind text NOT NULL CHECK (method_kind IN ('email', 'sms', 'voice')),
  address text NOT NULL CHECK (length(address) BETWEEN 1 AND 320),
  code_hmac bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (tenant_id, verification_id)
);
CREATE INDEX verification_codes_recent ON verification_codes (tenant_id, created_at);
CREATE INDEX verification_codes_expiry ON verification_codes (expires_at);

-- Numbers and addresses that somebody of the workspace has proven: channels may use them. A row
-- ends with the workspace.
CREATE TABLE verified_addresses (
  tenant_id uuid NOT NULL REFERENCES tenants,
  address text NOT NULL CHECK (length(address) BETWEEN 1 AND 320),
  verified_at timestamptz NOT NULL DEFAULT now(),
  verified_by uuid NOT NULL REFERENCES users,
  PRIMARY KEY (tenant_id, address)
);

-- A phone that is pushed to. Its contact method has the same id. Ends with the membership.
CREATE TABLE push_devices (
  tenant_id uuid NOT NULL,
  device_id uuid NOT NULL,
  user_id uuid NOT NULL,
  platform text NOT NULL CHECK (platform IN ('ios', 'android')),
  token_sha256 bytea NOT NULL,
  -- Sealed under the key of the workspace.
  push_token text NOT NULL,
  app_version text NOT NULL DEFAULT '',
  -- When the vendor said that the token is of no use any more.
  invalid_at timestamptz,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, device_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE,
  UNIQUE (tenant_id, platform, token_sha256)
);
CREATE INDEX push_devices_of_user ON push_devices (tenant_id, user_id);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['channel_confirmations', 'verification_codes', 'verified_addresses', 'push_devices'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON channel_confirmations, verification_codes, verified_addresses, push_devices TO service_tenant, service_system;

-- What a person set ends with the membership.
ALTER TABLE contact_methods ADD FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE;
ALTER TABLE notification_preferences ADD FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE;

-- The e-mail of an account is verified: whoever has the account could take part under it alone.
CREATE FUNCTION first_method() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at)
  SELECT NEW.tenant_id, gen_random_uuid(), u.user_id, 'email', u.email, now() FROM users u WHERE u.user_id = NEW.user_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER members_first_method AFTER INSERT ON members FOR EACH ROW EXECUTE FUNCTION first_method();

-- Before a workspace is known: takes the link of an e-mail channel, and says which channel it
-- confirmed.
CREATE FUNCTION confirm_channel(sha256 bytea) RETURNS TABLE (tenant_id uuid, channel_id uuid)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH taken AS (
    DELETE FROM channel_confirmations c WHERE c.token_sha256 = sha256 AND c.expires_at > now() RETURNING c.tenant_id, c.channel_id, c.recipient
  )
  UPDATE notification_channels n SET verified_at = coalesce(n.verified_at, now()), ver = n.ver + 1, updated_at = now() FROM taken t
   WHERE n.tenant_id = t.tenant_id AND n.channel_id = t.channel_id AND n.deleted_at IS NULL AND n.config ->> 'recipient' = t.recipient
  RETURNING n.tenant_id, n.channel_id
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION first_method() OWNER TO service_system;
  ALTER FUNCTION confirm_channel(bytea) OWNER TO service_system;
  REVOKE ALL ON FUNCTION confirm_channel(bytea) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION confirm_channel(bytea) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;

INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at)
SELECT m.tenant_id, gen_random_uuid(), u.user_id, 'email', u.email, now() FROM members m JOIN users u USING (user_id)
ON CONFLICT DO NOTHING;
