-- How people and channels are reached, and who was to be told what: the ground of on-call and
-- delivery.

-- Where a workspace sends messages. A row ends with its workspace; a deleted one stays 30 days, so
-- that its last deliveries can be read.
CREATE TABLE notification_channels (
  tenant_id uuid NOT NULL REFERENCES tenants,
  channel_id uuid NOT NULL,
  ver bigint NOT NULL DEFAULT 1,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  kind text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  team_id uuid,
  visibility text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
  -- Told of everything that no rule sends elsewhere.
  is_default boolean NOT NULL DEFAULT false,
  -- When its target was proven to be theirs: an e-mail address, a phone number.
  verified_at timestamptz,
  -- Fields of the kind. Secrets in it are sealed under the key of the workspace.
  config jsonb NOT NULL,
  events text[] NOT NULL,
  min_severity text NOT NULL DEFAULT 'info' CHECK (min_severity IN ('critical', 'warning', 'info')),
  template_overrides jsonb NOT NULL DEFAULT '{}',
  -- Private teams beside its own whose incidents it may be told of.
  allowed_team_ids uuid[] NOT NULL DEFAULT '{}',
  health_state text NOT NULL DEFAULT 'ok' CHECK (health_state IN ('ok', 'failing', 'disabled')),
  disabled_reason text,
  last_ok_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  consecutive_failures integer NOT NULL DEFAULT 0,
  quota_exhausted_until timestamptz,
  created_by text NOT NULL, -- kind:id
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  PRIMARY KEY (tenant_id, channel_id)
);
CREATE INDEX notification_channels_default ON notification_channels (tenant_id) WHERE is_default AND deleted_at IS NULL;

-- How one person is reached. Ends with the membership.
CREATE TABLE contact_methods (
  tenant_id uuid NOT NULL REFERENCES tenants,
  method_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users,
  kind text NOT NULL CHECK (kind IN ('email', 'sms', 'voice', 'push', 'telegram', 'slack_dm')),
  -- What people read: an address, a number, the name of a device. Never on the log.
  address text NOT NULL CHECK (length(address) BETWEEN 1 AND 320),
  verified_at timestamptz,
  position integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, method_id)
);
CREATE INDEX contact_methods_of_user ON contact_methods (tenant_id, user_id, position);
CREATE UNIQUE INDEX contact_methods_once ON contact_methods (tenant_id, user_id, kind, address);

-- What one person wants: rules, quiet hours, digest, categories of the feed, as the API document
-- has them (NotificationPreferences of schemas/http). Ends with the membership.
CREATE TABLE notification_preferences (
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  ver bigint NOT NULL DEFAULT 1,
  body jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id)
);

-- The decision to tell one address one thing, or why it is not told. A row never changes.
-- Rows of an incident stay 400 days (services/store/intents.ts), or end with the workspace.
CREATE TABLE intents (
  tenant_id uuid NOT NULL,
  -- UUIDv5 of incident, transition, step, cycle, target and method.
  intent_id uuid NOT NULL,
  incident_id uuid,
  incident_ver bigint,
  -- A word of a channel's events, or test.
  event text NOT NULL,
  -- Where a step of an escalation asked for it.
  run bigint,
  cycle integer,
  step integer,
  policy_id uuid,
  policy_version bigint,
  -- One of the two: a person by one of their methods, or a channel.
  user_id uuid,
  channel_id uuid,
  -- Null: the person has no method.
  method_id uuid,
  -- Kind of the method or channel; null without a method.
  method_kind text,
  urgency text NOT NULL DEFAULT 'default' CHECK (urgency IN ('default', 'high')),
  why jsonb NOT NULL,
  -- A symbol of SuppressionKind (Delivery.avsc); null: it is to be sent.
  suppressed_by text,
  suppressed_cause text,
  team_id uuid,
  visibility text NOT NULL CHECK (visibility IN ('org', 'private')),
  at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, intent_id),
  CHECK ((user_id IS NULL) <> (channel_id IS NULL))
);
CREATE INDEX intents_of_incident ON intents (tenant_id, incident_id, at);
CREATE INDEX intents_of_user ON intents (tenant_id, user_id, at);
CREATE INDEX intents_age ON intents (at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['notification_channels', 'contact_methods', 'notification_preferences', 'intents'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
  -- As 0028_teams.sql.
  FOREACH name IN ARRAY ARRAY['notification_channels', 'intents'] LOOP
    EXECUTE format(
      $policy$CREATE POLICY sight ON %I AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR CASE visibility
        WHEN 'private' THEN coalesce(team_id = ANY ((SELECT own_teams())::uuid[]), false)
        ELSE team_id IS NULL OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false) END)$policy$, name);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON notification_channels, contact_methods, notification_preferences TO service_tenant, service_system;
GRANT SELECT, INSERT ON intents TO service_tenant;
GRANT SELECT, INSERT, DELETE ON intents TO service_system;
