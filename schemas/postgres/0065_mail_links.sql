-- A link of a mail is looked at before it acts: what an open confirmation would confirm, by the
-- hash of its token alone. It ends as before, 24 hours after it was made (0048).
CREATE FUNCTION find_confirmation(sha256 bytea) RETURNS TABLE (tenant_id uuid, channel_id uuid, recipient text, workspace text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.tenant_id, c.channel_id, c.recipient, t.name FROM channel_confirmations c
    JOIN notification_channels n ON n.tenant_id = c.tenant_id AND n.channel_id = c.channel_id AND n.deleted_at IS NULL
     AND n.config ->> 'recipient' = c.recipient
    JOIN tenants t ON t.tenant_id = c.tenant_id
   WHERE c.token_sha256 = sha256 AND c.expires_at > now()
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION find_confirmation(bytea) OWNER TO service_system;
  REVOKE ALL ON FUNCTION find_confirmation(bytea) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION find_confirmation(bytea) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
