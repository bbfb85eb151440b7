-- States that were pushed with a name of their own: the same one again changes nothing. A row ends
-- a day after it came, with the next push to its workspace.
CREATE TABLE pushed_results (
  tenant_id uuid NOT NULL,
  monitor_id uuid NOT NULL,
  dedup_id text NOT NULL CHECK (length(dedup_id) BETWEEN 1 AND 64),
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, monitor_id, dedup_id),
  FOREIGN KEY (tenant_id, monitor_id) REFERENCES monitors
);
CREATE INDEX pushed_results_at ON pushed_results (tenant_id, at);
ALTER TABLE pushed_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE pushed_results FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pushed_results USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- As 0032: what is of a monitor that one must not see.
CREATE POLICY sight ON pushed_results AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
  SELECT FROM monitors m WHERE m.tenant_id = pushed_results.tenant_id AND m.monitor_id = pushed_results.monitor_id));
GRANT SELECT, INSERT, DELETE ON pushed_results TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON pushed_results TO service_system;
