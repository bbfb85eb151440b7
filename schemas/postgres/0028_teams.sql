-- Teams, their members, and who sees what teams own. The rule is schemas/http/visibility.ts; here
-- are its result in policies, and what every credential carries of it.
CREATE TABLE teams (
  tenant_id uuid NOT NULL REFERENCES tenants,
  team_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  slug text NOT NULL CHECK (length(slug) BETWEEN 1 AND 63),
  description text NOT NULL DEFAULT '',
  visibility text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
  -- A deleted team stays as a row: what it owned stays as private as it was.
  deleted_at timestamptz,
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, team_id)
);
CREATE UNIQUE INDEX teams_slug ON teams (tenant_id, slug) WHERE deleted_at IS NULL;

CREATE TABLE team_members (
  tenant_id uuid NOT NULL,
  team_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'lead')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, team_id, user_id),
  FOREIGN KEY (tenant_id, team_id) REFERENCES teams ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX team_members_user ON team_members (tenant_id, user_id);

-- What belongs to a team is found by it when the team is to be deleted, or turns private.
CREATE INDEX monitors_team ON monitors (tenant_id, team_id) WHERE team_id IS NOT NULL;
CREATE INDEX heartbeats_team ON heartbeats (tenant_id, team_id) WHERE team_id IS NOT NULL;
CREATE INDEX integrations_team ON integrations (tenant_id, team_id) WHERE team_id IS NOT NULL;
CREATE INDEX incidents_team_ongoing ON incidents (tenant_id, team_id) WHERE team_id IS NOT NULL AND status = 'ongoing';

-- What the current transaction sees (services/store/pool.ts): '*' for all teams, else two lists of
-- ids. Where nobody said anything, only what belongs to no team is seen. `service.seeing_all` is on
-- for single statements that see all whoever asks.
CREATE FUNCTION sees_all_teams() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT coalesce(current_setting('service.own_teams', true), '') = '*' OR coalesce(current_setting('service.seeing_all', true), '') = 'on' $$;
CREATE FUNCTION own_teams() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(nullif(current_setting('service.own_teams', true), ''), '*')::uuid[] $$;
CREATE FUNCTION hidden_teams() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('service.hidden_teams', true), '')::uuid[] $$;

-- Each function is called once a statement, not once a row: it stands in a sub-select.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['teams', 'team_members'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['incidents', 'monitors', 'heartbeats', 'integrations', 'feed', 'teams'] LOOP
    EXECUTE format(
      $policy$CREATE POLICY sight ON %I AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR CASE visibility
        WHEN 'private' THEN coalesce(team_id = ANY ((SELECT own_teams())::uuid[]), false)
        ELSE team_id IS NULL OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false) END)$policy$, name);
  END LOOP;
  -- Only what is read: an incident and its events are inserted by one statement.
  FOREACH name IN ARRAY ARRAY['incident_events', 'incident_comments'] LOOP
    EXECUTE format(
      $policy$CREATE POLICY sight ON %1$I AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
        SELECT FROM incidents i WHERE i.tenant_id = %1$I.tenant_id AND i.incident_id = %1$I.incident_id))$policy$, name);
  END LOOP;
  CREATE POLICY sight ON team_members AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR EXISTS (
    SELECT FROM teams t WHERE t.tenant_id = team_members.tenant_id AND t.team_id = team_members.team_id));
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON teams, team_members TO service_system;
GRANT SELECT, INSERT, UPDATE ON teams TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON team_members TO service_tenant;

-- The teams of a person, as their credentials carry them. `open_teams` is null where nothing is
-- hidden: then every team is open to them.
CREATE FUNCTION team_lists(workspace uuid, person uuid, OUT own_teams uuid[], OUT hidden_teams uuid[], OUT open_teams uuid[])
  LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(t.team_id) FILTER (WHERE m.user_id IS NOT NULL AND t.deleted_at IS NULL), '{}'),
         coalesce(array_agg(t.team_id) FILTER (WHERE m.user_id IS NULL AND t.visibility = 'private'), '{}'),
         CASE WHEN bool_or(m.user_id IS NULL AND t.visibility = 'private')
              THEN coalesce(array_agg(t.team_id) FILTER (WHERE t.visibility = 'org'), '{}') END
    FROM teams t
    LEFT JOIN team_members m ON m.tenant_id = t.tenant_id AND m.team_id = t.team_id AND m.user_id = person
   WHERE t.tenant_id = workspace
$$;

-- For the rest of the transaction, which acts for one workspace already: it sees what the person
-- may.
CREATE FUNCTION set_sight(person uuid) RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE lists record;
BEGIN
  SELECT l.own_teams, l.hidden_teams INTO lists FROM team_lists(current_tenant(), person) l;
  PERFORM set_config('service.own_teams', lists.own_teams::text, true), set_config('service.hidden_teams', lists.hidden_teams::text, true);
END $$;

DROP FUNCTION find_api_token(bytea);
CREATE FUNCTION find_api_token(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, token_id uuid, user_id uuid, role text, name text, scopes text[], allowed_cidrs text[], expires_at timestamptz, plan text,
                 own_teams uuid[], hidden_teams uuid[], open_teams uuid[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.tenant_id, t.token_id, t.user_id, m.role, t.name, t.scopes, t.allowed_cidrs, t.expires_at, w.plan, l.own_teams, l.hidden_teams, l.open_teams
    FROM api_tokens t JOIN tenants w USING (tenant_id) JOIN members m ON m.tenant_id = t.tenant_id AND m.user_id = t.user_id
   CROSS JOIN LATERAL team_lists(t.tenant_id, t.user_id) l
   WHERE t.token_sha256 = sha256 AND t.revoked_at IS NULL
$$;

DROP FUNCTION find_session(bytea);
CREATE FUNCTION find_session(sha256 bytea)
  RETURNS TABLE (tenant_id uuid, user_id uuid, role text, expires_at timestamptz, plan text, own_teams uuid[], hidden_teams uuid[], open_teams uuid[])
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.tenant_id, s.user_id, m.role, least(s.expires_at, s.last_seen_at + make_interval(secs => s.idle_seconds)), w.plan,
         l.own_teams, l.hidden_teams, l.open_teams
    FROM sessions s JOIN tenants w USING (tenant_id) JOIN members m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
    JOIN users u ON u.user_id = s.user_id
   CROSS JOIN LATERAL team_lists(s.tenant_id, s.user_id) l
   WHERE s.session_sha256 = sha256 AND u.disabled_at IS NULL
$$;

-- Caches drop the credentials of a person whose teams change, and those of a whole workspace when
-- a team begins, ends, or becomes open or private.
CREATE FUNCTION notify_team_member() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE changed team_members := coalesce(NEW, OLD);
BEGIN
  PERFORM pg_notify('credential_changed', encode(sha256, 'hex'))
     FROM (SELECT token_sha256 AS sha256 FROM api_tokens WHERE tenant_id = changed.tenant_id AND user_id = changed.user_id AND revoked_at IS NULL
           UNION ALL SELECT session_sha256 FROM sessions WHERE tenant_id = changed.tenant_id AND user_id = changed.user_id) AS credentials;
  RETURN NULL;
END $$;
CREATE FUNCTION notify_team() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('credential_changed', encode(sha256, 'hex'))
     FROM (SELECT token_sha256 AS sha256 FROM api_tokens WHERE tenant_id = NEW.tenant_id AND revoked_at IS NULL
           UNION ALL SELECT session_sha256 FROM sessions WHERE tenant_id = NEW.tenant_id) AS credentials;
  RETURN NULL;
END $$;
DO $$
DECLARE signature text;
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  FOREACH signature IN ARRAY ARRAY['set_sight(uuid)', 'find_api_token(bytea)', 'find_session(bytea)'] LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO service_system', signature);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO service_tenant, service_system', signature);
  END LOOP;
  ALTER FUNCTION notify_team_member() OWNER TO service_system;
  ALTER FUNCTION notify_team() OWNER TO service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
CREATE TRIGGER team_members_changed AFTER INSERT OR UPDATE OR DELETE ON team_members FOR EACH ROW EXECUTE FUNCTION notify_team_member();
CREATE TRIGGER teams_began AFTER INSERT ON teams FOR EACH ROW EXECUTE FUNCTION notify_team();
CREATE TRIGGER teams_changed AFTER UPDATE OF visibility, deleted_at ON teams FOR EACH ROW EXECUTE FUNCTION notify_team();
