-- Digests and reminders: what a delivery says that is about no incident, as it was written when it
-- was decided. Kept 30 days, as facts.
ALTER TABLE deliveries ADD said jsonb;

-- When reminders of shifts are looked for again; every change of a schedule or of a person's wishes
-- sets it back.
ALTER TABLE schedules ADD reminders_at timestamptz NOT NULL DEFAULT '-infinity';
CREATE INDEX schedules_reminders ON schedules (reminders_at) WHERE deleted_at IS NULL;
