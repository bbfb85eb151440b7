-- Whether a session is to outlive the browser's window: a switch to another workspace makes a new session, which goes on as the old one was begun.
ALTER TABLE sessions ADD COLUMN remembered boolean NOT NULL DEFAULT false;
