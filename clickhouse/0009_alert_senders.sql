-- The sender's own key and severity word, which the page of an incident shows ('' where there is
-- none), and whether the row is a recovery under a former key, which counts as no alert.
ALTER TABLE alert_ingest ADD COLUMN IF NOT EXISTS source_dedup_key String AFTER dedup_key;
ALTER TABLE alert_ingest ADD COLUMN IF NOT EXISTS source_severity LowCardinality(String) AFTER severity;
ALTER TABLE alert_ingest ADD COLUMN IF NOT EXISTS by_former_key Bool AFTER source_dedup_key;
