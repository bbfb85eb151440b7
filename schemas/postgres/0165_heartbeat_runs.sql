-- Heartbeats: a run that ends too soon, and a pause that the next ping ends.
ALTER TABLE heartbeats
  ADD COLUMN min_run_seconds integer CHECK (min_run_seconds BETWEEN 1 AND 604800),
  ADD COLUMN unpause_on_ping boolean NOT NULL DEFAULT false;
