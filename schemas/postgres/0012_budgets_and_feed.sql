-- Ceilings of the inbound budget that an operator raised; null: set back to what the plan says. The BudgetConfig of the log has the same version.
CREATE TABLE budgets (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  ceiling integer CHECK (ceiling BETWEEN 1000 AND 10000000), -- alerts a minute at each door instance
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- What one person is told in the app. The id follows from the notice and the person, so that telling it again makes no second item.
CREATE TABLE feed (
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  item_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('down', 'up', 'mass_outage', 'ssl_expiry', 'incident', 'recovered', 'admin', 'broadcast', 'announcement',
                                     'billing', 'limit', 'usage', 'plan')),
  category text NOT NULL CHECK (category IN ('incident', 'admin', 'billing')),
  severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 300),
  body text NOT NULL CHECK (length(body) <= 4000),
  incident_id uuid,
  monitor_id uuid,
  heartbeat_id uuid,
  event_id uuid, -- of the cause on the log, where there is one
  team_id uuid,
  visibility text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
  read_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id, item_id)
);
CREATE INDEX feed_newest ON feed (tenant_id, user_id, created_at DESC, item_id DESC);
CREATE INDEX feed_unread ON feed (tenant_id, user_id, category) WHERE read_at IS NULL;
CREATE INDEX feed_age ON feed (created_at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['budgets', 'feed'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON budgets, feed TO service_system;
GRANT SELECT ON budgets TO service_tenant;
GRANT SELECT, UPDATE ON feed TO service_tenant;

-- Credentials carry the plan: when it changes, every cache drops those of the workspace, so that the doors admit by the new one at once.
CREATE FUNCTION notify_plan() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('credential_changed', encode(sha256, 'hex'))
     FROM (SELECT token_sha256 AS sha256 FROM integrations WHERE tenant_id = NEW.tenant_id
           UNION ALL SELECT previous_token_sha256 FROM integrations WHERE tenant_id = NEW.tenant_id AND previous_token_expires_at > now()
           UNION ALL SELECT token_sha256 FROM api_tokens WHERE tenant_id = NEW.tenant_id AND revoked_at IS NULL
           UNION ALL SELECT session_sha256 FROM sessions WHERE tenant_id = NEW.tenant_id) AS credentials;
  RETURN NULL;
END $$;
DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION notify_plan() OWNER TO service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
CREATE TRIGGER tenants_plan_changed AFTER UPDATE OF plan ON tenants FOR EACH ROW WHEN (OLD.plan <> NEW.plan) EXECUTE FUNCTION notify_plan();
