-- What an alert said beside its title: the page of an incident shows it. Links are a JSON array of {title, url}, '' for none.
ALTER TABLE alert_ingest ADD COLUMN IF NOT EXISTS labels Map(LowCardinality(String), String) AFTER title;
ALTER TABLE alert_ingest ADD COLUMN IF NOT EXISTS links String AFTER labels;
