-- The keys by which the fold's state and the open incident of a monitor or heartbeat are found. As columns, since the cast of an id to text is not leakproof:
-- under row-level security a join by the cast cannot use an index, and each row then read the state of every workspace.
ALTER TABLE monitors
  ADD COLUMN state_key text GENERATED ALWAYS AS (monitor_id::text) STORED,
  ADD COLUMN incident_key text GENERATED ALWAYS AS ('mon:' || monitor_id::text) STORED;
ALTER TABLE heartbeats
  ADD COLUMN state_key text GENERATED ALWAYS AS (heartbeat_id::text) STORED,
  ADD COLUMN incident_key text GENERATED ALWAYS AS ('hb:' || heartbeat_id::text) STORED;
