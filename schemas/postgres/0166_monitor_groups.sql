-- Monitors stand together in a list under a name. Groups are the workspace's, and of no team: who
-- sees a group sees of its monitors those that they see anyway. A row ends when it is deleted; its
-- monitors then stand in none.
CREATE TABLE monitor_groups (
  tenant_id uuid NOT NULL REFERENCES tenants,
  group_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description text NOT NULL DEFAULT '' CHECK (length(description) <= 4000),
  -- In the list; of equal ones by name.
  place integer NOT NULL DEFAULT 0 CHECK (place BETWEEN 0 AND 10000),
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, group_id)
);
CREATE UNIQUE INDEX monitor_groups_name ON monitor_groups (tenant_id, lower(name));
ALTER TABLE monitors ADD COLUMN group_id uuid;
ALTER TABLE monitors ADD CONSTRAINT monitors_group FOREIGN KEY (tenant_id, group_id) REFERENCES monitor_groups ON DELETE SET NULL (group_id);
CREATE INDEX monitors_group_id ON monitors (tenant_id, group_id) WHERE group_id IS NOT NULL;

ALTER TABLE monitor_groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE monitor_groups FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON monitor_groups USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON monitor_groups TO service_tenant, service_system;
