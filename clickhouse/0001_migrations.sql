-- Which files of this folder were applied. Every statement of every file can be run again without harm: a start that was cut short begins anew.
CREATE TABLE IF NOT EXISTS migrations (
  name String,
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
) ENGINE = ReplacingMergeTree ORDER BY name;
