-- What people were told of a certificate that ends: the smallest threshold of each monitor, so that
-- every threshold is told once and a renewal closes what was told. A row goes with the renewal, or
-- when the monitor or its thresholds are gone.
CREATE TABLE certificate_tellings (
  tenant_id uuid NOT NULL REFERENCES tenants,
  monitor_id uuid NOT NULL,
  -- Of which certificate: when it ends.
  not_after timestamptz NOT NULL,
  -- 0: that it has ended.
  threshold_days int NOT NULL CHECK (threshold_days BETWEEN 0 AND 90),
  -- Told of it, and to be told when that is over.
  channel_ids uuid[] NOT NULL DEFAULT '{}',
  told_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, monitor_id)
);

ALTER TABLE certificate_tellings ENABLE ROW LEVEL SECURITY;
ALTER TABLE certificate_tellings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON certificate_tellings USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- Seen by whoever sees the monitor.
CREATE POLICY sight ON certificate_tellings AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
  SELECT FROM monitors m WHERE m.tenant_id = certificate_tellings.tenant_id AND m.monitor_id = certificate_tellings.monitor_id));
GRANT SELECT ON certificate_tellings TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON certificate_tellings TO service_system;
