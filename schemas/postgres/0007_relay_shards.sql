-- Whether the last relay that held a shard let go of it with nothing in flight; if not, the next one waits until nothing of the old one can be.
CREATE TABLE relay_shards (
  shard smallint PRIMARY KEY CHECK (shard BETWEEN 0 AND 7),
  clean boolean NOT NULL DEFAULT true,
  holder text, -- instance that took it last
  changed_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
INSERT INTO relay_shards (shard) SELECT generate_series(0, 7);
GRANT SELECT, UPDATE ON relay_shards TO service_system;
