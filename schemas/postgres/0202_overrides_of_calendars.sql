-- An override by a person comes before one of the schedule's calendar, whichever was made first. So
-- an override says that it is the calendar's, also when a member who leaves hands it over: what was
-- handed over has the seq of its original.
-- Tables are locked in the order in which the service locks their rows.
ALTER TABLE schedules NO FORCE ROW LEVEL SECURITY;
ALTER TABLE on_call_overrides NO FORCE ROW LEVEL SECURITY;
ALTER TABLE on_call_overrides ADD from_calendar boolean NOT NULL DEFAULT false;
UPDATE on_call_overrides o SET from_calendar = true
 WHERE EXISTS (SELECT FROM on_call_overrides c
                WHERE c.tenant_id = o.tenant_id AND c.schedule_id = o.schedule_id AND c.seq = o.seq AND c.created_by = 'system:calendar');
-- Who is on call until the next change was decided by the former order: it is decided anew.
UPDATE schedules s SET next_change_at = now()
 WHERE s.deleted_at IS NULL AND s.next_change_at > now()
   AND EXISTS (SELECT FROM on_call_overrides o
                WHERE o.tenant_id = s.tenant_id AND o.schedule_id = s.schedule_id AND o.from_calendar AND o.ends_at > now());
ALTER TABLE schedules FORCE ROW LEVEL SECURITY;
ALTER TABLE on_call_overrides FORCE ROW LEVEL SECURITY;
