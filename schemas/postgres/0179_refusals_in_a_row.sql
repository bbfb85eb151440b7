-- Three refusals in a row of the credential or the target turn a channel off. Failures that pass do
-- not count with them, so refusals are counted alone.
ALTER TABLE notification_channels ADD consecutive_refusals integer NOT NULL DEFAULT 0;
