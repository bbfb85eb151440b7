-- Storms: when so many incidents open in a workspace that a message for each would help nobody.
-- The count stands in the row that every opening locks and writes already, and ends with its
-- workspace.
ALTER TABLE incident_numbers ADD COLUMN opened_step bigint NOT NULL DEFAULT 0;
-- Openings by step of five seconds, the newest first, of the last minute.
ALTER TABLE incident_numbers ADD COLUMN opened_counts int[] NOT NULL DEFAULT '{}';
-- End of the newest storm; it stays when the storm is over.
ALTER TABLE incident_numbers ADD COLUMN storm_until timestamptz;
-- More openings than this in a minute are a storm.
ALTER TABLE tenants ADD COLUMN storm_threshold int NOT NULL DEFAULT 30 CHECK (storm_threshold BETWEEN 1 AND 10000);
-- What a storm holds, for the job that releases it.
CREATE INDEX incidents_in_storm ON incidents (tenant_id, storm_until, incident_id) WHERE storm_until IS NOT NULL AND status = 'ongoing';
