-- A region's assignment says at how many days left a certificate fails its check.
-- find_assignment stays for an api of the version before.
CREATE FUNCTION find_assigned(region_code text, since bigint)
  RETURNS TABLE (assignment_version bigint, active boolean, tenant_id uuid, monitor_id uuid, ver bigint, type text, target text, config jsonb, assertions jsonb,
                 retry jsonb, interval_seconds integer, timeout_seconds integer, degraded_after_ms integer, tls_expiry_days integer[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.assignment_version, m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions), m.tenant_id, m.monitor_id, m.ver,
         m.type, m.target, m.config, m.assertions, m.retry, m.interval_seconds, m.timeout_seconds, m.degraded_after_ms, m.tls_expiry_days
    FROM monitors m
   WHERE m.assignment_version > since
     AND (since > 0 OR (m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions)))
   ORDER BY m.assignment_version
$$;

DO $$
DECLARE signature text := 'find_assigned(text, bigint)';
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
  EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
