-- Mails of a local run that has no mail server, for the owner of the workspace to read: never sent,
-- at most 200 a workspace, the oldest go first (services/store/mailbox.ts). Empty in production.
CREATE TABLE mailbox (
  tenant_id uuid NOT NULL REFERENCES tenants,
  mail_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  recipient text NOT NULL,
  subject text NOT NULL,
  -- The whole mail as a server would get it (MIME).
  mime text NOT NULL CHECK (length(mime) <= 1000000),
  PRIMARY KEY (tenant_id, mail_id)
);
CREATE INDEX mailbox_newest ON mailbox (tenant_id, at DESC, mail_id DESC);
ALTER TABLE mailbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE mailbox FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON mailbox USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON mailbox TO service_tenant, service_system;
