-- An override by a person comes before one of the schedule's calendar, whichever was made first. So
-- an override says that it is the calendar's, also when a member who leaves hands it over.
ALTER TABLE on_call_overrides ADD from_calendar boolean NOT NULL DEFAULT false;
ALTER TABLE on_call_overrides NO FORCE ROW LEVEL SECURITY;
UPDATE on_call_overrides SET from_calendar = true WHERE created_by = 'system:calendar';
ALTER TABLE on_call_overrides FORCE ROW LEVEL SECURITY;
