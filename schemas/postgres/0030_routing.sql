-- The routing rules of a workspace: every version of the whole set, and which one is in force.
-- A version never changes. Version 1 is the built-in set and has no row. The newest 1,000 versions
-- stay as long as the workspace, older ones while an incident names them.
CREATE TABLE routing_rule_sets (
  tenant_id uuid NOT NULL REFERENCES tenants,
  version bigint NOT NULL CHECK (version > 1),
  rules jsonb NOT NULL CHECK (jsonb_typeof(rules) = 'array'), -- in their order
  -- Teams that were private when the version was made, deleted ones too.
  private_team_ids uuid[] NOT NULL DEFAULT '{}',
  engine_version integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text NOT NULL, -- kind:id
  note text NOT NULL DEFAULT '' CHECK (length(note) <= 200),
  PRIMARY KEY (tenant_id, version)
);

-- Writers lock the row; folds read it without a lock.
CREATE TABLE routing_heads (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  version bigint NOT NULL DEFAULT 1 CHECK (version >= 1)
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['routing_rule_sets', 'routing_heads'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON routing_rule_sets TO service_tenant;
GRANT SELECT, INSERT, DELETE ON routing_rule_sets TO service_system;
GRANT SELECT, INSERT, UPDATE ON routing_heads TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON routing_heads TO service_system;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'A version of routing rules never changes';
END $$;
CREATE TRIGGER routing_rule_sets_fixed BEFORE UPDATE ON routing_rule_sets FOR EACH ROW EXECUTE FUNCTION refuse_change();
