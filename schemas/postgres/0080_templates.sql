-- What a workspace says in place of the service's own words: at most one text for each kind of
-- channel and event, and one for every kind. A row ends when somebody deletes it, or with the
-- workspace.
CREATE TABLE notification_templates (
  tenant_id uuid NOT NULL REFERENCES tenants,
  template_id uuid NOT NULL,
  ver bigint NOT NULL DEFAULT 1,
  -- Null: every kind that has none of its own.
  kind text,
  event text NOT NULL,
  -- Null: the service's own words.
  title text,
  body text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, template_id),
  UNIQUE NULLS NOT DISTINCT (tenant_id, event, kind),
  CHECK (title IS NOT NULL OR body IS NOT NULL)
);
ALTER TABLE notification_templates ENABLE ROW LEVEL SECURITY;
ALTER TABLE notification_templates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notification_templates USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON notification_templates TO service_tenant, service_system;

-- The template as it stood when the delivery was decided: every attempt says the same. Kept 30
-- days, as facts.
ALTER TABLE deliveries ADD template jsonb;
