-- Headers that are credentials by their name (schemas/http/secret-headers.ts) stood in the clear where nobody had marked them. `api`, which has the key, seals those of
-- monitors; copies in the history become the mask. These functions are what it needs for that: none lets it write anything but the mask into the history.

-- How far the work is, in batches by key. A pass goes over monitors, versions and audit entries; the second one is for what older instances wrote meanwhile.
CREATE TABLE header_sealing (
  the_only boolean PRIMARY KEY DEFAULT true CHECK (the_only),
  pass integer NOT NULL DEFAULT 1 CHECK (pass IN (1, 2)),
  stage text NOT NULL DEFAULT 'monitors' CHECK (stage IN ('monitors', 'config_versions', 'audit', 'done')),
  after jsonb, -- key of the last row that was looked at in this stage; null: none yet
  not_before timestamptz NOT NULL DEFAULT now(),
  monitors bigint NOT NULL DEFAULT 0, -- rows that were changed
  config_versions bigint NOT NULL DEFAULT 0,
  audit bigint NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO header_sealing DEFAULT VALUES;
GRANT SELECT, UPDATE ON header_sealing TO service_tenant, service_system;

CREATE FUNCTION is_sensitive_header(name text, sensitive text, harmless text[]) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS $$ SELECT lower(name) ~ sensitive AND lower(name) <> ALL (harmless) $$;

-- A header with a value that an older version kept as it was typed: it sealed or masked only what was marked.
CREATE FUNCTION is_clear_header(header jsonb, sensitive text, harmless text[]) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS $$
  SELECT header ->> 'value' IS NOT NULL AND header -> 'secret' IS DISTINCT FROM 'true' AND is_sensitive_header(header ->> 'name', sensitive, harmless)
$$;

CREATE FUNCTION has_clear_header(config jsonb, sensitive text, harmless text[]) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_typeof(config -> 'headers') = 'array'
     AND EXISTS (SELECT FROM jsonb_array_elements(config -> 'headers') AS header WHERE is_clear_header(header, sensitive, harmless))
$$;

CREATE FUNCTION mask_clear_headers(config jsonb, sensitive text, harmless text[]) RETURNS jsonb
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN has_clear_header(config, sensitive, harmless) THEN jsonb_set(config, '{headers}', (
    SELECT jsonb_agg(CASE WHEN is_clear_header(header, sensitive, harmless) THEN header || '{"value": "********", "secret": true}' ELSE header END ORDER BY at)
      FROM jsonb_array_elements(config -> 'headers') WITH ORDINALITY AS headers (header, at)
  )) ELSE config END
$$;

-- Each looks at the next `most` rows by key, and answers with the key of the last one (null: there are no more) and how many were, or are to be, changed.

-- The first monitor behind the key that has one, deleted or not; else where the look ended.
CREATE FUNCTION next_clear_monitor(after_tenant uuid, after_id uuid, most integer, sensitive text, harmless text[])
  RETURNS TABLE (tenant_id uuid, monitor_id uuid, clear boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH page AS (SELECT m.tenant_id, m.monitor_id, has_clear_header(m.config, sensitive, harmless) AS clear FROM monitors m
                 WHERE (m.tenant_id, m.monitor_id) > (after_tenant, after_id) ORDER BY m.tenant_id, m.monitor_id LIMIT most)
  (SELECT * FROM page WHERE page.clear ORDER BY page.tenant_id, page.monitor_id LIMIT 1)
  UNION ALL
  (SELECT * FROM page WHERE NOT EXISTS (SELECT FROM page WHERE page.clear) ORDER BY page.tenant_id DESC, page.monitor_id DESC LIMIT 1)
$$;

CREATE FUNCTION mask_config_versions(after_tenant uuid, after_id uuid, after_version bigint, most integer, sensitive text, harmless text[])
  RETURNS TABLE (tenant_id uuid, id uuid, version bigint, changed bigint)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH page AS (SELECT v.tenant_id, v.id, v.version FROM config_versions v
                 WHERE v.kind = 'monitor' AND (v.tenant_id, v.id, v.version) > (after_tenant, after_id, after_version)
                 ORDER BY v.tenant_id, v.id, v.version LIMIT most),
  changed AS (UPDATE config_versions v SET body = jsonb_set(v.body, '{settings,config}', mask_clear_headers(v.body #> '{settings,config}', sensitive, harmless))
                FROM page WHERE v.kind = 'monitor' AND (v.tenant_id, v.id, v.version) = (page.tenant_id, page.id, page.version)
                 AND has_clear_header(v.body #> '{settings,config}', sensitive, harmless) RETURNING 1)
  SELECT page.*, (SELECT count(*) FROM changed) FROM page ORDER BY page.tenant_id DESC, page.id DESC, page.version DESC LIMIT 1
$$;

CREATE FUNCTION mask_audit(after_tenant uuid, after_id uuid, most integer, sensitive text, harmless text[])
  RETURNS TABLE (tenant_id uuid, audit_id uuid, changed bigint)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH page AS (SELECT a.tenant_id, a.audit_id FROM audit a
                 WHERE (a.tenant_id, a.audit_id) > (after_tenant, after_id) ORDER BY a.tenant_id, a.audit_id LIMIT most),
  changed AS (UPDATE audit a SET diff = jsonb_set(a.diff, '{config}', (
                  SELECT jsonb_agg(mask_clear_headers(side, sensitive, harmless) ORDER BY at) FROM jsonb_array_elements(a.diff -> 'config') WITH ORDINALITY AS sides (side, at)))
                FROM page WHERE (a.tenant_id, a.audit_id) = (page.tenant_id, page.audit_id) AND a.object_type = 'monitor' AND jsonb_typeof(a.diff -> 'config') = 'array'
                 AND (has_clear_header(a.diff #> '{config,0}', sensitive, harmless) OR has_clear_header(a.diff #> '{config,1}', sensitive, harmless)) RETURNING 1)
  SELECT page.*, (SELECT count(*) FROM changed) FROM page ORDER BY page.tenant_id DESC, page.audit_id DESC LIMIT 1
$$;

DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['next_clear_monitor(uuid, uuid, integer, text, text[])', 'mask_audit(uuid, uuid, integer, text, text[])',
                                   'mask_config_versions(uuid, uuid, bigint, integer, text, text[])'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
