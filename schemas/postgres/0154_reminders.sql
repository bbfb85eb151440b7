-- Reminders of a monitor that is down and that nobody has acknowledged; null: none.
ALTER TABLE monitors ADD COLUMN repeat_interval_seconds int CHECK (repeat_interval_seconds BETWEEN 300 AND 86400);
