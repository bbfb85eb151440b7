-- Silences by a pattern: of which alerts nobody is told, from when until when.
-- A row goes 90 days after its silence has ended (services/store/silences.ts), or with its
-- workspace.
CREATE TABLE silences (
  tenant_id uuid NOT NULL REFERENCES tenants,
  silence_id uuid NOT NULL,
  ver bigint NOT NULL DEFAULT 1,
  matchers jsonb NOT NULL CHECK (jsonb_typeof(matchers) = 'array' AND jsonb_array_length(matchers) BETWEEN 1 AND 30),
  comment text NOT NULL CHECK (length(comment) BETWEEN 1 AND 500),
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at AND ends_at <= starts_at + interval '2160 hours'),
  -- When somebody ended it early.
  expired_at timestamptz,
  -- Teams that the matchers name. Whoever must not see one of them does not see the silence.
  team_ids uuid[] NOT NULL DEFAULT '{}',
  created_by text NOT NULL, -- kind:id
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, silence_id)
);
-- Those that hold, or will, are few; they are read with every incident that is shown.
CREATE INDEX silences_not_ended ON silences (tenant_id, ends_at) WHERE expired_at IS NULL;

ALTER TABLE silences ENABLE ROW LEVEL SECURITY;
ALTER TABLE silences FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON silences USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- As 0028_teams.sql, of several teams: where nobody said who asks, only what names no team is seen.
CREATE POLICY sight ON silences AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR team_ids = '{}'
  OR coalesce(NOT team_ids && (SELECT hidden_teams())::uuid[], false));

GRANT SELECT, INSERT, UPDATE ON silences TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON silences TO service_system;
