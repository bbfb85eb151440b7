-- Rules of watching: a quicker rhythm from a failed check until the monitor has recovered.
-- A failure rate and the time until an advisory stand in `confirmation`.
ALTER TABLE monitors ADD COLUMN down_interval_seconds int CHECK (down_interval_seconds BETWEEN 10 AND 86400);

-- Of a region's assignment (find_assigned), the monitors that have a quicker rhythm.
-- Both are read in one statement.
CREATE FUNCTION find_rhythms(region_code text, since bigint)
  RETURNS TABLE (monitor_id uuid, down_interval_seconds integer, recovery_rounds integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.monitor_id, m.down_interval_seconds, (m.confirmation ->> 'recovery_rounds')::integer
    FROM monitors m
   WHERE m.assignment_version > since AND m.down_interval_seconds IS NOT NULL
     AND m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions)
$$;

DO $$
DECLARE signature text := 'find_rhythms(text, bigint)';
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
  EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
