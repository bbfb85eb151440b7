-- The functions of row-level security, in a language that Postgres does not put into the statement.
-- It parsed and simplified their SQL again each time it planned a statement, for each table that
-- the statement or one of its policies reads: half of the planning of an incident's row. Their
-- values, rights and callers stay. COST is that of a built-in function, so plans stay the same.
CREATE OR REPLACE FUNCTION current_tenant() RETURNS uuid LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1
  AS $$ BEGIN RETURN nullif(current_setting('service.tenant_id', true), '')::uuid; END $$;
CREATE OR REPLACE FUNCTION sees_all_teams() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$ BEGIN
  RETURN coalesce(current_setting('service.own_teams', true), '') = '*' OR coalesce(current_setting('service.seeing_all', true), '') = 'on';
END $$;
CREATE OR REPLACE FUNCTION own_teams() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1
  AS $$ BEGIN RETURN nullif(nullif(current_setting('service.own_teams', true), ''), '*')::uuid[]; END $$;
CREATE OR REPLACE FUNCTION hidden_teams() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1
  AS $$ BEGIN RETURN nullif(current_setting('service.hidden_teams', true), '')::uuid[]; END $$;
