-- What processors, relay and workers keep: positions, partition state, outgoing records, dead letters, jobs.
CREATE TABLE stream_offsets (
  processor text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  cluster_id text NOT NULL, -- of the Kafka cluster whose log this position is in
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (processor, topic, partition)
) WITH (fillfactor = 50);

-- State that a partition owns: one row per key of a processor, loaded with the partition.
CREATE TABLE partition_state (
  processor text NOT NULL,
  partition integer NOT NULL,
  key text NOT NULL,
  state jsonb NOT NULL,
  PRIMARY KEY (processor, partition, key)
) WITH (fillfactor = 70);

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL,
  aggregate text NOT NULL, -- for example incident:<id>
  shard smallint NOT NULL GENERATED ALWAYS AS ((('x' || substr(md5(aggregate), 1, 8))::bit(32)::integer) & 7) STORED,
  ver bigint NOT NULL,
  topic text NOT NULL,
  key bytea NOT NULL,
  headers jsonb NOT NULL,
  payload bytea, -- null on compacted state topics: the relay sends the current row
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (length(payload) <= 900000)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX outbox_shard ON outbox (shard, id);

CREATE TABLE outbox_refused (
  id bigint PRIMARY KEY,
  tenant_id uuid NOT NULL,
  aggregate text NOT NULL,
  ver bigint NOT NULL,
  topic text NOT NULL,
  key bytea NOT NULL,
  headers jsonb NOT NULL,
  payload bytea,
  created_at timestamptz NOT NULL,
  reason text NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION notify_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('outbox', shards.shard::text) FROM (SELECT DISTINCT shard FROM inserted) AS shards;
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_inserted AFTER INSERT ON outbox REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION notify_outbox();

-- Index of dlq.v1: one row per dead letter, committed with the offset that passed it.
CREATE TABLE dead_letters (
  id uuid PRIMARY KEY,
  processor text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  "offset" bigint NOT NULL,
  reason text NOT NULL,
  error text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE jobs (
  job_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  kind text NOT NULL,
  run_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  idem_key text NOT NULL UNIQUE,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX jobs_due ON jobs (run_at);
