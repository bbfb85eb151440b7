-- What people wrote about an incident. The text is here alone: its event on the log says only that there is a comment, so that deleting one deletes it.
CREATE TABLE incident_comments (
  tenant_id uuid NOT NULL REFERENCES tenants,
  incident_id uuid NOT NULL,
  comment_id uuid NOT NULL,
  ver bigint NOT NULL, -- of the incident, after it was commented on
  body text NOT NULL CHECK (length(body) BETWEEN 1 AND 10000), -- Markdown
  author text NOT NULL, -- kind:id
  author_id uuid NOT NULL REFERENCES users, -- the person, or the owner of the token
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, comment_id),
  UNIQUE (tenant_id, incident_id, ver)
);
ALTER TABLE incident_comments ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_comments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON incident_comments USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON incident_comments TO service_system;
GRANT SELECT, INSERT, DELETE ON incident_comments TO service_tenant;
