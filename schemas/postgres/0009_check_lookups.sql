-- Look-ups of doors and probers that come before a workspace is known; as 0006, the only way past row-level security for service_tenant.
CREATE FUNCTION find_ping_token(token uuid)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan
    FROM heartbeats h JOIN tenants w USING (tenant_id) WHERE h.ping_token = token AND h.deleted_at IS NULL
$$;

CREATE FUNCTION find_ping_slug(workspace_key text, heartbeat_slug text)
  RETURNS TABLE (tenant_id uuid, heartbeat_id uuid, paused boolean, team_id uuid, visibility text, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT h.tenant_id, h.heartbeat_id, h.paused_at IS NOT NULL, h.team_id, h.visibility, w.plan
    FROM tenants w JOIN heartbeats h USING (tenant_id) WHERE w.ping_key = workspace_key AND h.slug = heartbeat_slug AND h.deleted_at IS NULL
$$;

CREATE FUNCTION find_prober(sha256 bytea)
  RETURNS TABLE (token_id uuid, region text, label text, country text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.token_id, p.region, r.label, r.country FROM prober_tokens p JOIN regions r ON r.code = p.region
   WHERE p.token_sha256 = sha256 AND p.revoked_at IS NULL
$$;

-- For results of probers: whose monitor it is. Deleted ones too, so that a late result finds its workspace.
CREATE FUNCTION find_monitors(ids uuid[])
  RETURNS TABLE (tenant_id uuid, monitor_id uuid, team_id uuid, visibility text, plan text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.tenant_id, m.monitor_id, m.team_id, m.visibility, w.plan FROM monitors m JOIN tenants w USING (tenant_id) WHERE m.monitor_id = ANY (ids)
$$;

-- A region's assignment across workspaces, and a prober's presence: the prober routes of the api act for no workspace.
CREATE FUNCTION find_assignment(region_code text, since bigint)
  RETURNS TABLE (assignment_version bigint, active boolean, tenant_id uuid, monitor_id uuid, ver bigint, type text, target text, config jsonb, assertions jsonb,
                 retry jsonb, interval_seconds integer, timeout_seconds integer, degraded_after_ms integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.assignment_version, m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions), m.tenant_id, m.monitor_id, m.ver,
         m.type, m.target, m.config, m.assertions, m.retry, m.interval_seconds, m.timeout_seconds, m.degraded_after_ms
    FROM monitors m
   WHERE m.assignment_version > since
     AND (since > 0 OR (m.deleted_at IS NULL AND m.paused_at IS NULL AND region_code = ANY (m.assigned_regions)))
   ORDER BY m.assignment_version
$$;

CREATE FUNCTION find_on_demand(region_code text)
  RETURNS TABLE (check_id uuid, monitor_id uuid, scheduled_at timestamptz, count boolean, expires_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.check_id, o.monitor_id, o.scheduled_at, o.count, o.expires_at FROM on_demand_checks o WHERE o.region = region_code AND o.expires_at > now()
$$;

CREATE FUNCTION current_assignment_version() RETURNS bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(max(assignment_version), 0) FROM monitors
$$;

CREATE FUNCTION note_hello(region_code text, instance text, prober_version text, prober_kinds text[], prober_key bytea, ips text[], prober_capacity jsonb, is_leaving boolean)
  RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO probers (region, instance_id, version, kinds, public_key, egress_ips, capacity, leaving)
  VALUES (region_code, instance, prober_version, prober_kinds, prober_key, ips, prober_capacity, is_leaving)
  ON CONFLICT (region, instance_id) DO UPDATE SET version = excluded.version, kinds = excluded.kinds, public_key = excluded.public_key,
    egress_ips = excluded.egress_ips, capacity = excluded.capacity, leaving = excluded.leaving, last_hello_at = now()
$$;

CREATE FUNCTION find_prober_key(region_code text, instance text) RETURNS bytea
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT public_key FROM probers WHERE region = region_code AND instance_id = instance
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['find_ping_token(uuid)', 'find_ping_slug(text, text)', 'find_prober(bytea)', 'find_monitors(uuid[])',
                                   'find_assignment(text, bigint)', 'find_on_demand(text)', 'current_assignment_version()',
                                   'note_hello(text, text, text, text[], bytea, text[], jsonb, boolean)', 'find_prober_key(text, text)', 'number_assignment()'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
