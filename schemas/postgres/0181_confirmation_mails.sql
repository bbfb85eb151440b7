-- Mails that ask an address to confirm an e-mail channel. Whoever asks, an address gets a few an
-- hour, so that nobody fills the mailbox of a stranger. A row ends a day after its mail.
CREATE TABLE confirmation_mails (
  tenant_id uuid NOT NULL REFERENCES tenants,
  mail_id uuid NOT NULL,
  address text NOT NULL CHECK (length(address) BETWEEN 1 AND 320), -- in lower case
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, mail_id)
);
CREATE INDEX confirmation_mails_address ON confirmation_mails (address, asked_at);
CREATE INDEX confirmation_mails_workspace ON confirmation_mails (tenant_id, asked_at);
ALTER TABLE confirmation_mails ENABLE ROW LEVEL SECURITY;
ALTER TABLE confirmation_mails FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON confirmation_mails USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT ON confirmation_mails TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON confirmation_mails TO service_system;

-- How often any workspace has asked an address within the hour.
CREATE FUNCTION confirmation_mails_to(wanted text) RETURNS integer
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*)::integer FROM confirmation_mails WHERE address = wanted AND asked_at > now() - interval '1 hour'
$$;
DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION confirmation_mails_to(text) OWNER TO service_system;
  REVOKE ALL ON FUNCTION confirmation_mails_to(text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION confirmation_mails_to(text) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
