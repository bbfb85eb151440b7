-- Workers take jobs of every workspace in turn, and give up on a job that never succeeds.

-- What is due, by workspace: asked where some workspaces hold as many places as they may.
CREATE INDEX jobs_of_tenant ON jobs (tenant_id, run_at);

-- Jobs that were tried as often as their kind allows (services/notifier/kinds.ts). An operator
-- reads them, and puts them back or leaves them. A row ends after 90 days.
CREATE TABLE dead_jobs (
  job_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  kind text NOT NULL,
  run_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  idem_key text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  died_at timestamptz NOT NULL DEFAULT now(),
  error text NOT NULL -- kind and code of the last failure, never its text
);
CREATE INDEX dead_jobs_age ON dead_jobs (died_at);

ALTER TABLE dead_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE dead_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON dead_jobs USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON dead_jobs TO service_system;
