-- What an integration sets beyond its parser: how a delivery proves its sender, where it may come from, and how its alerts are keyed.
ALTER TABLE integrations
  ADD COLUMN verify jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(verify) = 'object'), -- by name; secrets sealed for their place
  ADD COLUMN allowed_cidrs text[] NOT NULL DEFAULT '{}',
  ADD COLUMN dedup_template text CHECK (length(dedup_template) BETWEEN 1 AND 512),
  ADD COLUMN disconnected_at timestamptz, -- the sender said that it delivers here no more
  ADD CONSTRAINT auto_resolve_minutes_range CHECK (auto_resolve_minutes BETWEEN 1 AND 43200);

-- Its result has more columns: the function is made anew.
DROP FUNCTION find_integration(bytea);
CREATE FUNCTION find_integration(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, integration_id uuid, source_type text, enabled boolean, team_id uuid, visibility text, default_severity text,
                 severity_map jsonb, labels_add jsonb, dedup_template text, capture boolean, options jsonb, verify jsonb, allowed_cidrs text[],
                 expires_at timestamptz, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.tenant_id, i.integration_id, i.source_type, i.enabled, i.team_id, i.visibility, i.default_severity,
         i.severity_map, i.labels_add, i.dedup_template, i.capture, i.options, i.verify, i.allowed_cidrs,
         CASE WHEN i.token_sha256 = sha256 THEN NULL ELSE i.previous_token_expires_at END, w.plan
    FROM integrations i JOIN tenants w USING (tenant_id)
   WHERE i.token_sha256 = sha256 OR (i.previous_token_sha256 = sha256 AND i.previous_token_expires_at > now())
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION find_integration(bytea) OWNER TO service_system;
  REVOKE ALL ON FUNCTION find_integration(bytea) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION find_integration(bytea) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
