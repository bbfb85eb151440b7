-- Who took open_on_degraded away while the monitor was degraded kept its incident for ever, and got
-- it anew after resolving it. Each such monitor gets a job that ends the incident (degraded_end).
-- It runs when the new version folds, and looks at the monitor once more.
-- The owner need not be a superuser: the policies are lifted for it while it looks at all
-- workspaces. Tables are locked in the order in which the api locks their rows.
ALTER TABLE monitors NO FORCE ROW LEVEL SECURITY;
ALTER TABLE signals NO FORCE ROW LEVEL SECURITY;
ALTER TABLE partition_state NO FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs NO FORCE ROW LEVEL SECURITY;

INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
SELECT gen_random_uuid(), m.tenant_id, 'degraded_end', now() + interval '10 minutes', 'degraded_end:' || m.monitor_id,
       jsonb_build_object('monitor_id', m.monitor_id)
  FROM monitors m
  JOIN partition_state p ON p.processor = 'status' AND p.key = m.monitor_id::text
  JOIN signals s ON s.tenant_id = m.tenant_id AND s.dedup_key = 'mon:' || m.monitor_id
 WHERE NOT m.open_on_degraded AND m.deleted_at IS NULL AND m.paused_at IS NULL
   AND p.state ->> 'status' = 'up' AND s.last_action = 'fire'
ON CONFLICT (idem_key) DO NOTHING;

ALTER TABLE signals FORCE ROW LEVEL SECURITY;
ALTER TABLE monitors FORCE ROW LEVEL SECURITY;
ALTER TABLE partition_state FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
