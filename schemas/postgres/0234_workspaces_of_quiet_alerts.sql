-- The sweep that ends quiet alerts asks which workspaces set a time for it. It must not read the
-- ongoing alerts of all the others (services/store/quiet-alerts.ts).
CREATE INDEX alerts_auto_resolve ON alerts (tenant_id)
  WHERE status = 'ongoing' AND source_kind = 'inbound' AND (routing ->> 'auto_resolve_minutes') IS NOT NULL;
CREATE INDEX incidents_auto_resolve ON incidents (tenant_id)
  WHERE status = 'ongoing' AND source_kind = 'inbound' AND (routing ->> 'auto_resolve_minutes') IS NOT NULL;
CREATE INDEX integrations_auto_resolve ON integrations (tenant_id) WHERE auto_resolve_minutes IS NOT NULL;
