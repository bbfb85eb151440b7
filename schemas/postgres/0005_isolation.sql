-- Row-level security on every table that has a workspace, and what each role may touch.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['tenants', 'members', 'sessions', 'api_tokens', 'integrations', 'config_versions', 'audit',
                              'signals', 'incident_numbers', 'incidents', 'incident_events', 'outbox', 'outbox_refused', 'jobs'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;

-- A person belongs to workspaces through members; a workspace sees its members only.
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY member ON users USING (user_id IN (SELECT m.user_id FROM members m WHERE m.tenant_id = current_tenant()));

GRANT USAGE ON SCHEMA public TO service_tenant, service_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO service_system;
GRANT SELECT, UPDATE ON tenants, users TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON members, sessions, api_tokens, integrations TO service_tenant;
GRANT SELECT, INSERT ON config_versions, audit TO service_tenant;
GRANT SELECT, INSERT, UPDATE ON signals, incident_numbers, incidents TO service_tenant;
GRANT SELECT, INSERT ON incident_events TO service_tenant;
GRANT INSERT ON outbox TO service_tenant;
GRANT SELECT, INSERT, DELETE ON jobs TO service_tenant;
