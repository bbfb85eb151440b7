-- What people and rules say of an incident beside its course; fields of the record Incident.
ALTER TABLE incidents ADD COLUMN flapping boolean NOT NULL DEFAULT false;
-- It opened in a storm of its workspace: nobody is told of it alone before this instant.
ALTER TABLE incidents ADD COLUMN storm_until timestamptz;
-- The incident that took its alerts over.
ALTER TABLE incidents ADD COLUMN merged_into uuid;
-- Sorted, without repeats.
ALTER TABLE incidents ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
