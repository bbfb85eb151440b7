-- Signals, the incidents they open, and what happened to each.
-- The signal's row is what the incident fold and the api both lock; it is there before the first incident of its key and outlives the last.
CREATE TABLE signals (
  tenant_id uuid NOT NULL,
  dedup_key text NOT NULL,
  incident_id uuid, -- the newest incident of the key
  last_action text CHECK (last_action IN ('fire', 'resolve')), -- of the last applied signal; null before the first
  last_at timestamptz,
  last_sequence bigint,
  last_delivery_id text,
  suppressed_until timestamptz, -- a person resolved it while it still failed: repeats open nothing before this
  occurrences bigint NOT NULL DEFAULT 0, -- every signal of the key, applied or not
  last_seen_at timestamptz,
  PRIMARY KEY (tenant_id, dedup_key)
) WITH (fillfactor = 70);

CREATE TABLE incident_numbers (
  tenant_id uuid PRIMARY KEY,
  last_number bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE incidents (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  ver bigint NOT NULL,
  number bigint NOT NULL,
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
  assignee_id uuid,
  acknowledged_at timestamptz,
  acknowledged_by text,
  resolved_at timestamptz,
  resolved_by text,
  resolution_reason text,
  manually_closed_at timestamptz,
  manually_closed_by uuid,
  promoted_at timestamptz,
  silenced_until timestamptz,
  silenced_by text,
  priority text,
  labels jsonb NOT NULL DEFAULT '{}',
  links jsonb NOT NULL DEFAULT '[]',
  started_at timestamptz NOT NULL,
  detected_at timestamptz NOT NULL,
  opened_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  reopened_from uuid,
  PRIMARY KEY (tenant_id, incident_id)
) WITH (fillfactor = 80);
-- Stands behind the rules: whatever goes wrong above, a key never has two ongoing incidents.
CREATE UNIQUE INDEX incidents_one_ongoing ON incidents (tenant_id, dedup_key) WHERE status = 'ongoing';
CREATE UNIQUE INDEX incidents_number ON incidents (tenant_id, number);
CREATE UNIQUE INDEX incidents_id ON incidents (incident_id); -- the relay knows only the id
CREATE INDEX incidents_started ON incidents (tenant_id, started_at DESC, incident_id DESC);

-- One row per version: what is on incident.events.v1, and the timeline that people read.
CREATE TABLE incident_events (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  ver bigint NOT NULL,
  event_id uuid NOT NULL,
  change text NOT NULL,
  at timestamptz NOT NULL,
  cause jsonb NOT NULL,
  comment text,
  config_versions jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, incident_id, ver)
);
