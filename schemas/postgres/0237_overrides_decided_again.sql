-- 0202 marked schedules to be decided anew, but the clock of the version before, which works until
-- it is replaced, takes the mark and decides by the former order. So each schedule that has an
-- override by a person gets a job of a kind that only the new version knows. Which of them the
-- calendar overrides is not asked here: the version before may read the calendar after this.
-- The owner need not be a superuser: the policies are lifted for it while it looks at all
-- workspaces. Tables are locked in the order in which the service locks their rows.
ALTER TABLE schedules NO FORCE ROW LEVEL SECURITY;
ALTER TABLE on_call_overrides NO FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs NO FORCE ROW LEVEL SECURITY;

INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
SELECT gen_random_uuid(), s.tenant_id, 'schedule_anew', now(), 'schedule_anew:' || s.schedule_id,
       jsonb_build_object('schedule_id', s.schedule_id)
  FROM schedules s
 WHERE s.deleted_at IS NULL
   AND EXISTS (SELECT FROM on_call_overrides o
                WHERE o.tenant_id = s.tenant_id AND o.schedule_id = s.schedule_id AND o.ends_at > now()
                  AND NOT o.from_calendar AND o.created_by <> 'system:calendar')
ON CONFLICT (idem_key) DO NOTHING;

ALTER TABLE schedules FORCE ROW LEVEL SECURITY;
ALTER TABLE on_call_overrides FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
