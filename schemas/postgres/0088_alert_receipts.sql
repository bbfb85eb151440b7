-- Alerts that came by the api: the last number that was given to one. The number grows in the
-- order in which they commit, so that a copy which the relay sends later is known as one. A row
-- ends with its workspace.
CREATE TABLE alert_receipts (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  last_receipt bigint NOT NULL DEFAULT 1
);
ALTER TABLE alert_receipts ENABLE ROW LEVEL SECURITY;
ALTER TABLE alert_receipts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON alert_receipts USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON alert_receipts TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_receipts TO service_system;
