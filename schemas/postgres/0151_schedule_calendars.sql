-- Calendars from which overrides of a schedule are read. The address opens what it names, so it is
-- sealed. A row ends when the calendar is taken away, or with its schedule.
CREATE TABLE schedule_calendars (
  tenant_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  host text NOT NULL, -- what people are shown of the address
  url text NOT NULL, -- sealed
  next_at timestamptz NOT NULL DEFAULT now(), -- when it is read
  read_at timestamptz, -- the last time that it could be read
  error text, -- why it could not be, the last time; null: it could
  events integer NOT NULL DEFAULT 0, -- that name somebody
  unmatched text[] NOT NULL DEFAULT '{}', -- events that name nobody: the first titles
  PRIMARY KEY (tenant_id, schedule_id),
  FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules
);
CREATE INDEX schedule_calendars_next ON schedule_calendars (next_at);

ALTER TABLE schedule_calendars ENABLE ROW LEVEL SECURITY;
ALTER TABLE schedule_calendars FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON schedule_calendars USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY sight ON schedule_calendars AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR EXISTS (
  SELECT FROM schedules s WHERE s.tenant_id = schedule_calendars.tenant_id AND s.schedule_id = schedule_calendars.schedule_id));
GRANT SELECT, INSERT, UPDATE, DELETE ON schedule_calendars TO service_tenant, service_system;
