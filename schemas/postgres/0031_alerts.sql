-- Alerts, groups, and what the routing rules of a workspace make of them.
-- An incident that one alert opened is that alert, under the same id: it has no row in `alerts`.
-- Rows end with their workspace.

-- What rules made of an incident when it opened, beside its team, severity, priority, labels and
-- is_major: the record IncidentRouting of Incident.avsc. Null: no rule matched.
ALTER TABLE incidents ADD COLUMN routing jsonb;
ALTER TABLE incidents ADD COLUMN alert_count bigint NOT NULL DEFAULT 1;
-- Null: it is its own and only alert, or was declared.
ALTER TABLE incidents ADD COLUMN ongoing_alerts bigint;
UPDATE incidents SET alert_count = 0 WHERE source_kind = 'manual';

-- The alert that alone made the change; null where several did, and where the incident is its
-- alert.
ALTER TABLE incident_events ADD COLUMN alert_id uuid;

-- The newest alert of the key, where it has a row of its own; null: it is the incident.
-- The row of a key grp:<id> is the lock of a group; its incident_id is the group's newest incident.
-- A group that goes on with a new incident may have older ones ongoing: the key of each of them is
-- grp:<id>/<incident_id>.
ALTER TABLE signals ADD COLUMN alert_id uuid;

CREATE TABLE alerts (
  tenant_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  ver bigint NOT NULL,
  incident_id uuid,
  dedup_key text NOT NULL,
  status text NOT NULL CHECK (status IN ('ongoing', 'resolved')),
  severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
  title text NOT NULL,
  summary text,
  source_kind text NOT NULL,
  source_type text,
  integration_id uuid,
  monitor_id uuid,
  heartbeat_id uuid,
  region text,
  affected_regions text[] NOT NULL DEFAULT '{}',
  is_major boolean NOT NULL DEFAULT false,
  team_id uuid,
  visibility text NOT NULL CHECK (visibility IN ('org', 'private')),
  escalation_policy_id uuid,
  routing_version bigint NOT NULL,
  acknowledged_at timestamptz,
  acknowledged_by text,
  resolved_at timestamptz,
  resolved_by text,
  resolution_reason text,
  manually_closed_at timestamptz,
  manually_closed_by uuid,
  promoted_at timestamptz,
  priority text,
  labels jsonb NOT NULL DEFAULT '{}',
  links jsonb NOT NULL DEFAULT '[]',
  started_at timestamptz NOT NULL,
  detected_at timestamptz NOT NULL,
  opened_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  reopened_from uuid,
  routing jsonb,
  PRIMARY KEY (tenant_id, alert_id)
) WITH (fillfactor = 80);
-- Stands behind the rules: a key never has two ongoing alerts.
CREATE UNIQUE INDEX alerts_one_ongoing ON alerts (tenant_id, dedup_key) WHERE status = 'ongoing';
CREATE INDEX alerts_of_incident ON alerts (tenant_id, incident_id);
CREATE INDEX alerts_started ON alerts (tenant_id, started_at DESC, alert_id DESC);

-- One row per version: what is on alert.events.v1, and what a replay feeds to the rules.
CREATE TABLE alert_events (
  tenant_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  ver bigint NOT NULL,
  event_id uuid NOT NULL,
  change text NOT NULL,
  at timestamptz NOT NULL,
  cause jsonb NOT NULL,
  comment text,
  config_versions jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, alert_id, ver)
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['alerts', 'alert_events'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
  -- As incidents (0028_teams.sql).
  CREATE POLICY sight ON alerts AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR CASE visibility
    WHEN 'private' THEN coalesce(team_id = ANY ((SELECT own_teams())::uuid[]), false)
    ELSE team_id IS NULL OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false) END);
  CREATE POLICY sight ON alert_events AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
    SELECT FROM alerts a WHERE a.tenant_id = alert_events.tenant_id AND a.alert_id = alert_events.alert_id));
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON alerts, alert_events TO service_system;
GRANT SELECT, INSERT, UPDATE ON alerts TO service_tenant;
GRANT SELECT, INSERT ON alert_events TO service_tenant;
