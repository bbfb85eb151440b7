-- Escalation: the policies of a workspace, how far the escalation of an incident is, and what each
-- of its steps came to.

-- A row is the policy as it is now. Every version of its body is in config_versions, under the kind
-- escalation_policy: a run keeps to the version that it began with. A deleted one stays as a row,
-- so that incidents of the past can name it; it ends with its workspace.
CREATE TABLE escalation_policies (
  tenant_id uuid NOT NULL REFERENCES tenants,
  policy_id uuid NOT NULL,
  ver bigint NOT NULL DEFAULT 1,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description text NOT NULL DEFAULT '',
  team_id uuid,
  body jsonb NOT NULL, -- Policy of schemas/http/escalation-words.ts
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  PRIMARY KEY (tenant_id, policy_id)
);

-- What decides where neither a rule nor the signal names a policy. Folds read them with the rules.
ALTER TABLE tenants ADD COLUMN default_escalation_policy_id uuid;
ALTER TABLE teams ADD COLUMN escalation_policy_id uuid;
ALTER TABLE integrations ADD COLUMN escalation_policy_id uuid;
CREATE INDEX teams_policy ON teams (tenant_id) WHERE escalation_policy_id IS NOT NULL;
CREATE INDEX integrations_policy ON integrations (tenant_id) WHERE escalation_policy_id IS NOT NULL;

-- One row a run. `run` is the version of the incident with which it began, so an acknowledgement
-- that is taken back begins another. What pauses or ends a run writes nothing here: it follows from
-- the incident. Rows end 400 days after the run began (services/store/escalation.ts).
CREATE TABLE escalation_runs (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  run bigint NOT NULL,
  policy_id uuid NOT NULL,
  policy_version bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'held', 'exhausted')),
  -- The step that is next.
  cycle integer NOT NULL,
  step integer NOT NULL,
  part integer NOT NULL,
  next_at timestamptz,
  -- What held the step that was due; a word of HoldKind.
  hold_reason text,
  started_at timestamptz NOT NULL,
  -- When a step last asked somebody.
  last_fired_at timestamptz,
  PRIMARY KEY (tenant_id, incident_id, run)
);
CREATE INDEX escalation_runs_held ON escalation_runs (tenant_id) WHERE state = 'held';
CREATE INDEX escalation_runs_age ON escalation_runs (started_at);

-- One row for every step whose time came: whom it asked and how it chose them, or why nobody. A row
-- never changes. It ends with its run.
CREATE TABLE escalation_steps (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  run bigint NOT NULL,
  cycle integer NOT NULL,
  step integer NOT NULL,
  part integer NOT NULL, -- of a step that asks one person after another
  outcome text NOT NULL CHECK (outcome IN ('fired', 'empty', 'skipped', 'exhausted')),
  -- When it was due, and when it was done.
  due_at timestamptz NOT NULL,
  at timestamptz NOT NULL,
  -- Version of the incident that tells of it; null: nobody is told of a step that is skipped.
  incident_ver bigint,
  -- Targets with who was on call by which version of a schedule and of the zone data, and whom that
  -- left out (StepFacts of services/store/escalation.ts).
  facts jsonb NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, run, cycle, step, part),
  FOREIGN KEY (tenant_id, incident_id, run) REFERENCES escalation_runs ON DELETE CASCADE
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['escalation_policies', 'escalation_runs', 'escalation_steps'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
  -- As 0028_teams.sql.
  CREATE POLICY sight ON escalation_policies AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR team_id IS NULL
    OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false));
  -- As the events of incidents.
  FOREACH name IN ARRAY ARRAY['escalation_runs', 'escalation_steps'] LOOP
    EXECUTE format(
      $policy$CREATE POLICY sight ON %1$I AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
        SELECT FROM incidents i WHERE i.tenant_id = %1$I.tenant_id AND i.incident_id = %1$I.incident_id))$policy$, name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE ON escalation_policies TO service_tenant, service_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON escalation_runs, escalation_steps TO service_system;
GRANT SELECT, INSERT, UPDATE ON escalation_runs TO service_tenant;
GRANT SELECT, INSERT ON escalation_steps TO service_tenant;
-- Where a hold ends early, its escalation goes on at once.
GRANT UPDATE (run_at) ON jobs TO service_tenant;
