-- Chats of incidents of several workspaces are looked at again from one transaction, which has no
-- workspace of its own: for service_system alone.
CREATE FUNCTION start_incident_chat_of(tenant uuid, wanted uuid, cause text, job_id uuid) RETURNS void
  LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS $$
  INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
  SELECT $4, $1, 'incident_chat', now(), format('incident_chat:%s:%s', $2, $3), jsonb_build_object('incident_id', $2)
   WHERE EXISTS (SELECT FROM delivery_refs r WHERE r.tenant_id = $1 AND r.incident_id = $2)
      OR EXISTS (SELECT FROM war_rooms w WHERE w.tenant_id = $1 AND w.incident_id = $2)
  ON CONFLICT (idem_key) DO NOTHING
$$;
REVOKE ALL ON FUNCTION start_incident_chat_of(uuid, uuid, text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION start_incident_chat_of(uuid, uuid, text, uuid) TO service_system;

-- As before, of the workspace of the transaction. Its owner and its rights stay.
CREATE OR REPLACE FUNCTION start_incident_chat(wanted uuid, cause text, job_id uuid) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT start_incident_chat_of(current_tenant(), $1, $2, $3)
$$;
