-- When a mail with a link for a new password was last asked for, so that an account gets few of
-- them.
ALTER TABLE users ADD COLUMN reset_asked_at timestamptz;
