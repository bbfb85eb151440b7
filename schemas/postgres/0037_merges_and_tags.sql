-- Merged incidents are found from the one that took them over, tagged ones by their tags; few have
-- either.
CREATE INDEX incidents_merged ON incidents (tenant_id, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX incidents_tags ON incidents USING gin (tags) WHERE tags <> '{}';
