-- Telephones: how much a workspace has sent by phone, what was called back already, and what must
-- be asked before a workspace is known.

-- Text messages and calls of a month, counted against the plan. A row goes after 13 months
-- (services/store/phones.ts), or with the workspace.
CREATE TABLE phone_usage (
  tenant_id uuid NOT NULL REFERENCES tenants,
  -- Its first day, in UTC.
  month date NOT NULL,
  messages integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, month)
);
ALTER TABLE phone_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE phone_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON phone_usage USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON phone_usage TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON phone_usage TO service_system;

-- Callbacks that were taken, of any workspace: none is taken twice. A row goes after two days.
CREATE TABLE callback_receipts (
  receipt text PRIMARY KEY CHECK (length(receipt) BETWEEN 1 AND 200),
  taken_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX callback_receipts_age ON callback_receipts (taken_at);
GRANT SELECT, INSERT, DELETE ON callback_receipts TO service_system;

-- False: it was taken before. It counts with the transaction.
CREATE FUNCTION take_callback(wanted text) RETURNS boolean LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH taken AS (INSERT INTO callback_receipts (receipt) VALUES (wanted) ON CONFLICT DO NOTHING RETURNING 1)
  SELECT EXISTS (SELECT FROM taken)
$$;

-- Codes that any workspace has sent to a number or address within the hour, and when the last one.
CREATE INDEX verification_codes_address ON verification_codes (address, created_at);
CREATE FUNCTION codes_sent_to(wanted text) RETURNS TABLE (sent integer, last_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*)::integer, max(created_at) FROM verification_codes WHERE address = wanted AND created_at > now() - interval '1 hour'
$$;

-- Whose verified number it is, in any workspace.
CREATE INDEX contact_methods_number ON contact_methods (address) WHERE kind IN ('sms', 'voice');
CREATE FUNCTION phone_owners(number text) RETURNS TABLE (tenant_id uuid, user_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT c.tenant_id, c.user_id FROM contact_methods c JOIN users u USING (user_id)
   WHERE c.address = number AND c.kind IN ('sms', 'voice') AND c.verified_at IS NOT NULL AND u.disabled_at IS NULL
   ORDER BY 1, 2 LIMIT 50
$$;

-- Incidents of which a verified number was told by phone in the last days, the newest first.
CREATE INDEX deliveries_by_phone ON deliveries (tenant_id, method_id, queued_at) WHERE kind IN ('sms', 'voice') AND method_id IS NOT NULL;
CREATE FUNCTION phone_pages(number text) RETURNS TABLE (tenant_id uuid, user_id uuid, incident_id uuid, told_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.tenant_id, c.user_id, d.incident_id, max(d.queued_at) AS told_at
    FROM contact_methods c JOIN users u USING (user_id)
    JOIN deliveries d ON d.tenant_id = c.tenant_id AND d.method_id = c.method_id AND d.user_id = c.user_id
   WHERE c.address = number AND c.kind IN ('sms', 'voice') AND c.verified_at IS NOT NULL AND u.disabled_at IS NULL
     AND d.kind IN ('sms', 'voice') AND d.incident_id IS NOT NULL AND d.first_sent_at IS NOT NULL AND d.queued_at > now() - interval '7 days'
   GROUP BY c.tenant_id, c.user_id, d.incident_id
   ORDER BY told_at DESC LIMIT 200
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['take_callback(text)', 'codes_sent_to(text)', 'phone_owners(text)', 'phone_pages(text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
