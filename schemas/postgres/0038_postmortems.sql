-- What people write about an incident when it is over. Rows end with their workspace, as incidents
-- do.
CREATE TABLE postmortems (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  ver bigint NOT NULL DEFAULT 1,
  status text NOT NULL CHECK (status IN ('draft', 'published')),
  -- Markdown.
  impact text NOT NULL DEFAULT '' CHECK (length(impact) <= 50000),
  root_cause text NOT NULL DEFAULT '' CHECK (length(root_cause) <= 50000),
  detection text NOT NULL DEFAULT '' CHECK (length(detection) <= 50000),
  resolution text NOT NULL DEFAULT '' CHECK (length(resolution) <= 50000),
  lessons text NOT NULL DEFAULT '' CHECK (length(lessons) <= 50000),
  action_items jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(action_items) = 'array' AND jsonb_array_length(action_items) <= 50),
  -- Versions of the incident that its timeline shows.
  timeline_refs uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(timeline_refs) <= 100),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text NOT NULL, -- kind:id
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by text NOT NULL,
  published_at timestamptz,
  PRIMARY KEY (tenant_id, incident_id)
);

ALTER TABLE postmortems ENABLE ROW LEVEL SECURITY;
ALTER TABLE postmortems FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON postmortems USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- It is seen by whoever sees its incident (0028_teams.sql).
CREATE POLICY sight ON postmortems AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR EXISTS (
  SELECT FROM incidents i WHERE i.tenant_id = postmortems.tenant_id AND i.incident_id = postmortems.incident_id));
GRANT SELECT, INSERT, UPDATE ON postmortems TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON postmortems TO service_system;
