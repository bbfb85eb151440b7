-- Views of lists that a person keeps under a name: what the list is narrowed to. Seen by nobody
-- else. A row ends when its person deletes it, or with the member.
CREATE TABLE saved_views (
  tenant_id uuid NOT NULL REFERENCES tenants,
  view_id uuid NOT NULL,
  user_id uuid NOT NULL,
  page text NOT NULL CHECK (page IN ('incidents')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  search jsonb NOT NULL, -- parameters of the page's address, by name
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, view_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_views_name ON saved_views (tenant_id, user_id, page, lower(name));

ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saved_views USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views TO service_tenant, service_system;
