-- What is watched: regions and probers, monitors, heartbeats; and state of partitions that people read.

-- A place that checks run from; its code is stable while machines come and go. Public to every workspace.
CREATE TABLE regions (
  code text PRIMARY KEY CHECK (code ~ '^[a-z][a-z0-9-]{1,31}$'),
  label text NOT NULL CHECK (length(label) BETWEEN 1 AND 80),
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'), -- ISO 3166-1
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE prober_tokens (
  token_id uuid PRIMARY KEY,
  region text NOT NULL REFERENCES regions,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  token_sha256 bytea NOT NULL UNIQUE,
  token_prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);

-- Presence: one row per instance, renewed by its hello.
CREATE TABLE probers (
  region text NOT NULL REFERENCES regions,
  instance_id text NOT NULL CHECK (length(instance_id) BETWEEN 1 AND 100),
  version text NOT NULL,
  kinds text[] NOT NULL,
  public_key bytea NOT NULL, -- X25519: secrets of an assignment are sealed to it
  egress_ips text[] NOT NULL DEFAULT '{}',
  capacity jsonb NOT NULL DEFAULT '{}',
  leaving boolean NOT NULL DEFAULT false,
  first_hello_at timestamptz NOT NULL DEFAULT now(),
  last_hello_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (region, instance_id)
) WITH (fillfactor = 50);

CREATE SEQUENCE assignment_versions;

CREATE TABLE monitors (
  tenant_id uuid NOT NULL REFERENCES tenants,
  monitor_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description text NOT NULL DEFAULT '' CHECK (length(description) <= 4000),
  type text NOT NULL,
  target text NOT NULL CHECK (length(target) BETWEEN 1 AND 2048),
  config jsonb NOT NULL DEFAULT '{}', -- settings of the type; a secret in it is the text `sealed:` and base64 (services/credentials/sealing.ts)
  assertions jsonb NOT NULL DEFAULT '[]',
  interval_seconds integer NOT NULL CHECK (interval_seconds BETWEEN 10 AND 86400),
  timeout_seconds integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 60),
  degraded_after_ms integer CHECK (degraded_after_ms BETWEEN 1 AND 60000),
  regions text[] NOT NULL DEFAULT '{}', -- as configured; empty: the service picks
  assigned_regions text[] NOT NULL, -- that check it and vote
  confirmation jsonb NOT NULL,
  retry jsonb NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  labels jsonb NOT NULL DEFAULT '{}',
  severity_down text NOT NULL CHECK (severity_down IN ('critical', 'warning', 'info')),
  severity_degraded text NOT NULL CHECK (severity_degraded IN ('critical', 'warning', 'info')),
  escalation_policy_id uuid,
  channel_ids uuid[] NOT NULL DEFAULT '{}',
  team_id uuid,
  visibility text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
  tls_expiry_days integer[] NOT NULL,
  paused_at timestamptz,
  paused_by text, -- actor as kind:id
  pause_reason text CHECK (pause_reason IN ('user', 'entitlement', 'deployment', 'import')),
  pause_comment text CHECK (length(pause_comment) <= 500),
  resume_at timestamptz,
  deleted_at timestamptz,
  ver bigint NOT NULL DEFAULT 1, -- version of the configuration: the MonitorConfig of the log has the same
  assignment_version bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, monitor_id)
);
CREATE UNIQUE INDEX monitors_id ON monitors (monitor_id); -- doors know only the id
CREATE UNIQUE INDEX monitors_name ON monitors (tenant_id, lower(name)) WHERE deleted_at IS NULL;
CREATE INDEX monitors_assignment ON monitors (assignment_version);

-- Probers ask for what changed since a version. Numbers are handed out one transaction after the other, so none appears behind one that was read.
CREATE FUNCTION number_assignment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('assignment_versions'));
  NEW.assignment_version = nextval('assignment_versions');
  PERFORM pg_notify('assignment', NEW.assignment_version::text);
  RETURN NEW;
END $$;
CREATE TRIGGER monitors_assigned BEFORE INSERT OR UPDATE ON monitors FOR EACH ROW EXECUTE FUNCTION number_assignment();

-- On-demand checks (run now): probers take them with their assignment until they expire.
CREATE TABLE on_demand_checks (
  tenant_id uuid NOT NULL,
  check_id uuid PRIMARY KEY,
  monitor_id uuid NOT NULL,
  region text NOT NULL REFERENCES regions,
  scheduled_at timestamptz NOT NULL,
  count boolean NOT NULL,
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (tenant_id, monitor_id) REFERENCES monitors
);
CREATE INDEX on_demand_checks_region ON on_demand_checks (region, expires_at);
CREATE FUNCTION notify_on_demand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('assignment', 'once');
  RETURN NULL;
END $$;
CREATE TRIGGER on_demand_checks_inserted AFTER INSERT ON on_demand_checks FOR EACH STATEMENT EXECUTE FUNCTION notify_on_demand();

CREATE TABLE heartbeats (
  tenant_id uuid NOT NULL REFERENCES tenants,
  heartbeat_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  slug text CHECK (slug ~ '^[a-z0-9_-]{1,100}$'),
  description text NOT NULL DEFAULT '' CHECK (length(description) <= 4000),
  schedule_kind text NOT NULL CHECK (schedule_kind IN ('period', 'cron')),
  period_seconds integer CHECK (period_seconds BETWEEN 30 AND 31536000),
  cron text CHECK (length(cron) <= 200),
  time_zone text CHECK (length(time_zone) <= 64),
  grace_seconds integer NOT NULL CHECK (grace_seconds BETWEEN 0 AND 2592000),
  max_run_seconds integer CHECK (max_run_seconds BETWEEN 1 AND 604800),
  tags text[] NOT NULL DEFAULT '{}',
  labels jsonb NOT NULL DEFAULT '{}',
  severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
  escalation_policy_id uuid,
  channel_ids uuid[] NOT NULL DEFAULT '{}',
  team_id uuid,
  visibility text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
  keep_phase boolean NOT NULL DEFAULT false, -- of the newest version: its change of schedule keeps the phase
  ping_token uuid NOT NULL UNIQUE, -- shown to its owners at any time, so not hashed; it can do nothing but ping
  paused_at timestamptz,
  paused_by text,
  pause_reason text CHECK (pause_reason IN ('user', 'entitlement', 'deployment', 'import')),
  pause_comment text CHECK (length(pause_comment) <= 500),
  resume_at timestamptz,
  deleted_at timestamptz,
  ver bigint NOT NULL DEFAULT 1, -- version of the configuration: the HeartbeatConfig of the log has the same
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, heartbeat_id),
  CHECK ((schedule_kind = 'period') = (period_seconds IS NOT NULL)),
  CHECK ((schedule_kind = 'cron') = (cron IS NOT NULL AND time_zone IS NOT NULL))
);
CREATE UNIQUE INDEX heartbeats_slug ON heartbeats (tenant_id, slug) WHERE deleted_at IS NULL;

-- Heartbeats are pinged by slug with a key of the workspace.
ALTER TABLE tenants ADD COLUMN ping_key text NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', '');

-- Doors that cache by ping token, slug or monitor drop an entry at once when its row changes.
CREATE FUNCTION notify_watched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'monitors' THEN
    PERFORM pg_notify('watched_changed', 'monitor:' || NEW.monitor_id);
  ELSE
    PERFORM pg_notify('watched_changed', 'heartbeat:' || NEW.ping_token);
    IF TG_OP = 'UPDATE' AND OLD.ping_token <> NEW.ping_token THEN
      PERFORM pg_notify('watched_changed', 'heartbeat:' || OLD.ping_token);
    END IF;
    PERFORM pg_notify('watched_changed', 'slugs:' || NEW.tenant_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER monitors_changed AFTER INSERT OR UPDATE ON monitors FOR EACH ROW EXECUTE FUNCTION notify_watched();
CREATE TRIGGER heartbeats_changed AFTER INSERT OR UPDATE ON heartbeats FOR EACH ROW EXECUTE FUNCTION notify_watched();

CREATE FUNCTION notify_prober_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credential_changed', encode(OLD.token_sha256, 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER prober_tokens_changed AFTER DELETE OR UPDATE ON prober_tokens FOR EACH ROW EXECUTE FUNCTION notify_prober_token();

-- People read the state of what their workspace owns, by its id. Keys that belong to no workspace (`partition:<n>`) have none.
ALTER TABLE partition_state ADD COLUMN tenant_id uuid GENERATED ALWAYS AS ((state ->> 'tenant_id')::uuid) STORED;
CREATE INDEX partition_state_key ON partition_state (processor, key);

-- What the service says about itself: outages of ours that moved deadlines. One row per outage, whatever the number of partitions and doors that saw it.
CREATE TABLE platform_notices (
  notice_id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('ingest_gap')),
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  causes text[] NOT NULL DEFAULT '{}', -- tick_gap, door_refused, door_unconfirmed
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX platform_notices_span ON platform_notices (started_at, ended_at);

-- What is done once a day by whoever is the clock, and when it was done last.
CREATE TABLE chores (
  name text PRIMARY KEY,
  done_at timestamptz NOT NULL DEFAULT now()
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['monitors', 'heartbeats', 'on_demand_checks', 'partition_state'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON regions, prober_tokens, probers, monitors, heartbeats, on_demand_checks, platform_notices, chores TO service_system;
GRANT USAGE ON SEQUENCE assignment_versions TO service_system, service_tenant;
GRANT SELECT ON regions, platform_notices TO service_tenant;
GRANT SELECT (region, instance_id, version, kinds, egress_ips, leaving, last_hello_at) ON probers TO service_tenant;
GRANT SELECT, INSERT, UPDATE ON monitors, heartbeats TO service_tenant;
GRANT SELECT, INSERT, DELETE ON on_demand_checks TO service_tenant;
GRANT SELECT ON partition_state TO service_tenant;
