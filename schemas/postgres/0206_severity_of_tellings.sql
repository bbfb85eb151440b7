-- An incident that gets worse is told to the channels whose min_severity it did not reach before.
-- What was told by an older version has no severity here, and stays told as it was.
ALTER TABLE incident_tellings ADD COLUMN severity text;
