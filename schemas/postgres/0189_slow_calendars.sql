-- A calendar that took too long to read, several times in a row, is read less often, so that slow
-- ones take little from the others.
ALTER TABLE schedule_calendars ADD slow_reads integer NOT NULL DEFAULT 0;
