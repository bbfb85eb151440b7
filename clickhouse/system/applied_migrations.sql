-- Names of the files that were applied.
SELECT name FROM migrations GROUP BY name
