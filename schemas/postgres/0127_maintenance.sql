-- Maintenance and deployment windows: planned work of which nobody is paged.
-- The row says what is in force; every version of what people set stays in config_versions. `spans`
-- are its occurrences as instants, worked out by whoever changes the window and by its job, so that
-- nothing that judges by a window reads a recurrence. A row goes 90 days after its window has ended
-- (services/store/maintenance.ts), or with its workspace.
CREATE TABLE maintenance_windows (
  tenant_id uuid NOT NULL REFERENCES tenants,
  window_id uuid NOT NULL,
  -- Of what people set.
  version bigint NOT NULL DEFAULT 1,
  -- Of the row, and of its records on the log.
  ver bigint NOT NULL DEFAULT 1,
  origin text NOT NULL CHECK (origin IN ('planned', 'deployment')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  reason text CHECK (length(reason) <= 4000),
  scope jsonb NOT NULL CHECK (jsonb_typeof(scope) = 'object'),
  effect text NOT NULL CHECK (effect IN ('suppress_notifications', 'suppress_incidents', 'pause_checks')),
  schedule jsonb NOT NULL CHECK (jsonb_typeof(schedule) = 'object'),
  settle_seconds int NOT NULL CHECK (settle_seconds BETWEEN 0 AND 1800),
  count_in_uptime boolean NOT NULL,
  -- Parts of occurrences that somebody took out: [[from, until], …] in epoch ms.
  holes jsonb NOT NULL DEFAULT '[]',
  -- When it was, for 400 days, and is in the next 31: [[from, until], …] in epoch ms, in order.
  spans jsonb NOT NULL DEFAULT '[]',
  -- Begin of the span that runs or comes next, or ran last; null: there is none.
  holds_from timestamptz,
  -- End of the last span, with its settle time.
  holds_until timestamptz,
  -- Occurrences follow behind the last span.
  goes_on boolean NOT NULL,
  -- Up to which instant its job has done what its begins and ends set off.
  turned_at timestamptz NOT NULL DEFAULT now(),
  cancelled_at timestamptz,
  deleted_at timestamptz,
  -- Of a deployment: what was deployed, how it ended.
  deployment jsonb,
  end_token_sha256 bytea UNIQUE,
  end_used_at timestamptz,
  -- Teams of what it names. Whoever must not see one of them does not see the window.
  team_ids uuid[] NOT NULL DEFAULT '{}',
  created_by text NOT NULL, -- kind:id
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, window_id),
  CHECK ((origin = 'deployment') = (deployment IS NOT NULL))
);
-- Those that hold now are few; they are read with every incident that is shown.
CREATE INDEX maintenance_windows_holding ON maintenance_windows (tenant_id, holds_until) WHERE deleted_at IS NULL;
-- Read with every batch of the incident fold in which something fires.
CREATE INDEX maintenance_windows_deciding ON maintenance_windows (tenant_id, holds_until)
  WHERE deleted_at IS NULL AND effect = 'suppress_incidents';

ALTER TABLE maintenance_windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE maintenance_windows FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON maintenance_windows USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- As 0033_silences.sql.
CREATE POLICY sight ON maintenance_windows AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR team_ids = '{}'
  OR coalesce(NOT team_ids && (SELECT hidden_teams())::uuid[], false));

GRANT SELECT, INSERT, UPDATE ON maintenance_windows TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_windows TO service_system;

-- Whose window an end token ends, by its hash; used ones too, so that they can be told apart.
CREATE FUNCTION find_window_end(sha256 bytea) RETURNS TABLE (tenant_id uuid, window_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT w.tenant_id, w.window_id FROM maintenance_windows w WHERE w.end_token_sha256 = sha256 AND w.deleted_at IS NULL
$$;
DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION find_window_end(bytea) OWNER TO service_system;
  REVOKE ALL ON FUNCTION find_window_end(bytea) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION find_window_end(bytea) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;

-- A window pauses what it covers, too.
ALTER TABLE monitors DROP CONSTRAINT monitors_pause_reason_check;
ALTER TABLE monitors ADD CONSTRAINT monitors_pause_reason_check
  CHECK (pause_reason IN ('user', 'entitlement', 'deployment', 'import', 'maintenance'));
ALTER TABLE heartbeats DROP CONSTRAINT heartbeats_pause_reason_check;
ALTER TABLE heartbeats ADD CONSTRAINT heartbeats_pause_reason_check
  CHECK (pause_reason IN ('user', 'entitlement', 'deployment', 'import', 'maintenance'));
-- What a window paused, for the job that lets it go on.
CREATE INDEX monitors_paused_by_window ON monitors (tenant_id, paused_by) WHERE pause_reason = 'maintenance';
CREATE INDEX heartbeats_paused_by_window ON heartbeats (tenant_id, paused_by) WHERE pause_reason = 'maintenance';
