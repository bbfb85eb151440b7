-- Rooms at a chat service that people open for an incident, and what is to be shown anew there when
-- the incident changes.

-- At most one for an incident; another takes the place of one that came to nothing. Rows end with
-- their workspace, as incidents do.
CREATE TABLE war_rooms (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  -- The notification channel whose app makes it.
  channel_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('opening', 'open', 'failed')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- Of the incident of a private team: nobody finds it who was not invited.
  private boolean NOT NULL,
  -- That team, as it was when the room was opened.
  team_id uuid,
  -- The vendor's id.
  room text,
  url text,
  -- What went wrong, in words for people.
  error text,
  -- Up to which version of the incident is told there.
  told_ver bigint NOT NULL DEFAULT 0,
  -- Ids of what was written there, the oldest first.
  posts text[] NOT NULL DEFAULT '{}',
  -- It may not be read there any more, and nothing there says a word of it.
  neutral boolean NOT NULL DEFAULT false,
  -- Somebody tells what is new there until then: one at a time, so that nothing is told twice.
  busy_until timestamptz NOT NULL DEFAULT '-infinity',
  created_by text NOT NULL, -- kind:id
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, incident_id)
);
ALTER TABLE war_rooms ENABLE ROW LEVEL SECURITY;
ALTER TABLE war_rooms FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON war_rooms USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- Seen by whoever sees its incident (0028_teams.sql).
CREATE POLICY sight ON war_rooms AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR EXISTS (
  SELECT FROM incidents i WHERE i.tenant_id = war_rooms.tenant_id AND i.incident_id = war_rooms.incident_id));
GRANT SELECT, INSERT, UPDATE ON war_rooms TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON war_rooms TO service_system;

-- One job for each cause, as the version of an incident, of which something stands in a chat; none
-- for others. Of the workspace of the transaction alone.
CREATE FUNCTION start_incident_chat(wanted uuid, cause text, job_id uuid) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
  SELECT $3, current_tenant(), 'incident_chat', now(), format('incident_chat:%s:%s', $1, $2), jsonb_build_object('incident_id', $1)
   WHERE EXISTS (SELECT FROM delivery_refs r WHERE r.tenant_id = current_tenant() AND r.incident_id = $1)
      OR EXISTS (SELECT FROM war_rooms w WHERE w.tenant_id = current_tenant() AND w.incident_id = $1)
  ON CONFLICT (idem_key) DO NOTHING
$$;
CREATE INDEX delivery_refs_incident ON delivery_refs (tenant_id, incident_id);

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION start_incident_chat(uuid, text, uuid) OWNER TO service_system;
  REVOKE ALL ON FUNCTION start_incident_chat(uuid, text, uuid) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION start_incident_chat(uuid, text, uuid) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
