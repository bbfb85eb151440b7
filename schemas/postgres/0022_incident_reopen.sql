-- What a person had resolved while it still failed stayed silent for ever. Timers open it again
-- (streams/incident/reopening.ts); what was resolved before them gets one here, unless its target
-- is paused or deleted.
-- The owner need not be a superuser: the policies are lifted for it while it looks at all
-- workspaces.
ALTER TABLE signals NO FORCE ROW LEVEL SECURITY;
ALTER TABLE monitors NO FORCE ROW LEVEL SECURITY;
ALTER TABLE heartbeats NO FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs NO FORCE ROW LEVEL SECURITY;

INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
SELECT gen_random_uuid(), s.tenant_id, 'incident_reopen', s.suppressed_until, 'incident_reopen:' || s.incident_id,
       jsonb_build_object('dedup_key', s.dedup_key, 'until', floor(extract(epoch FROM s.suppressed_until) * 1000)::bigint)
  FROM signals s
 WHERE s.suppressed_until IS NOT NULL AND s.last_action = 'fire' AND s.incident_id IS NOT NULL
   AND (EXISTS (SELECT 1 FROM monitors m WHERE m.tenant_id = s.tenant_id AND s.dedup_key = 'mon:' || m.monitor_id
                   AND m.deleted_at IS NULL AND m.paused_at IS NULL)
     OR EXISTS (SELECT 1 FROM heartbeats h WHERE h.tenant_id = s.tenant_id AND s.dedup_key = 'hb:' || h.heartbeat_id
                   AND h.deleted_at IS NULL AND h.paused_at IS NULL))
ON CONFLICT (idem_key) DO NOTHING;

ALTER TABLE signals FORCE ROW LEVEL SECURITY;
ALTER TABLE monitors FORCE ROW LEVEL SECURITY;
ALTER TABLE heartbeats FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
