-- On-call schedules: their definitions by version, overrides, swaps, what was in fact, and links to
-- calendars. Rows of a schedule end with its workspace: a deleted one stays, so that the past can
-- be read; links end when they are revoked, or with the member.
CREATE TABLE schedules (
  tenant_id uuid NOT NULL REFERENCES tenants,
  schedule_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description text NOT NULL DEFAULT '',
  team_id uuid,
  labels jsonb NOT NULL DEFAULT '{}',
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  -- What is in schedule_history holds until then; 'infinity': for as long as nobody changes it.
  next_change_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Version of the zone data by which next_change_at was found.
  tzdb text NOT NULL DEFAULT '',
  PRIMARY KEY (tenant_id, schedule_id)
);
CREATE INDEX schedules_team ON schedules (tenant_id, team_id) WHERE team_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX schedules_due ON schedules (next_change_at) WHERE deleted_at IS NULL;

-- Of those that count at an instant, the last version does. Nothing is changed once it is saved.
CREATE TABLE schedule_versions (
  tenant_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  version bigint NOT NULL,
  -- '-infinity' for the first.
  effective_at timestamptz NOT NULL,
  definition jsonb NOT NULL,
  -- Everybody whom the definition names.
  user_ids uuid[] NOT NULL,
  created_by text NOT NULL, -- kind:id
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, schedule_id, version),
  FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules
);

CREATE TABLE on_call_swaps (
  tenant_id uuid NOT NULL,
  swap_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  user_id uuid NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
  note text NOT NULL DEFAULT '' CHECK (length(note) <= 500),
  taken_by uuid,
  taken_at timestamptz,
  withdrawn_at timestamptz,
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, swap_id),
  FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules
);
CREATE INDEX on_call_swaps_schedule ON on_call_swaps (tenant_id, schedule_id, starts_at);

CREATE TABLE on_call_overrides (
  tenant_id uuid NOT NULL,
  override_id uuid NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  schedule_id uuid NOT NULL,
  user_id uuid, -- null: nobody, on purpose
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
  replaces_user_id uuid,
  layer text,
  reason text NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
  swap_id uuid,
  created_by text NOT NULL, -- kind:id
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, override_id),
  FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules
);
CREATE INDEX on_call_overrides_schedule ON on_call_overrides (tenant_id, schedule_id, ends_at);

-- What was in fact: who was on call from when on, until the next row. Written when it begins, with
-- the zone data of then; never changed.
CREATE TABLE schedule_history (
  tenant_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  starts_at timestamptz NOT NULL,
  user_ids uuid[] NOT NULL,
  origin text NOT NULL CHECK (origin IN ('layer', 'override', 'swap', 'fallback', 'gap')),
  layer text,
  turn bigint,
  override_id uuid,
  fallback jsonb,
  schedule_version bigint NOT NULL,
  tzdb text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, schedule_id, starts_at),
  FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules
);

CREATE TABLE calendar_links (
  tenant_id uuid NOT NULL REFERENCES tenants,
  link_id uuid NOT NULL,
  user_id uuid NOT NULL,
  schedule_id uuid, -- null: all shifts of the person
  secret_sha256 bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, link_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['schedules', 'schedule_versions', 'on_call_swaps', 'on_call_overrides', 'schedule_history', 'calendar_links'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
  -- As 0028_teams.sql, of what has no visibility of its own.
  CREATE POLICY sight ON schedules AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR team_id IS NULL
    OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false));
  FOREACH name IN ARRAY ARRAY['schedule_versions', 'on_call_swaps', 'on_call_overrides', 'schedule_history'] LOOP
    EXECUTE format(
      $policy$CREATE POLICY sight ON %1$I AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR EXISTS (
        SELECT FROM schedules s WHERE s.tenant_id = %1$I.tenant_id AND s.schedule_id = %1$I.schedule_id))$policy$, name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON schedules, on_call_swaps TO service_tenant;
GRANT SELECT, INSERT ON schedule_versions, schedule_history TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON on_call_overrides TO service_tenant;
GRANT SELECT, INSERT, DELETE ON calendar_links TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON schedules, schedule_versions, on_call_swaps, on_call_overrides, schedule_history, calendar_links TO service_system;

-- Before a workspace is known: the link of a secret, and the role of its person. As 0006.
CREATE FUNCTION find_calendar_link(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, link_id uuid, user_id uuid, role text, schedule_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT l.tenant_id, l.link_id, l.user_id, m.role, l.schedule_id
    FROM calendar_links l JOIN members m ON m.tenant_id = l.tenant_id AND m.user_id = l.user_id
    JOIN users u ON u.user_id = l.user_id
   WHERE l.secret_sha256 = sha256 AND u.disabled_at IS NULL
$$;
DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION find_calendar_link(bytea) OWNER TO service_system;
  REVOKE ALL ON FUNCTION find_calendar_link(bytea) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION find_calendar_link(bytea) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
