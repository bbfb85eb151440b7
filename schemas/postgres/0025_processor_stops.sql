-- Partitions that a processor has stopped, until an operator ends the stop; offsets that it passes
-- over by an operator's word; and dead letters that were put back onto their topic, each of which
-- is folded once.
CREATE TABLE processor_stops (
  stop_id uuid PRIMARY KEY,
  processor text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL, -- the stored position, which does not move while the stop holds
  reason text NOT NULL CHECK (reason IN ('poison', 'unknown_schema')),
  detail text NOT NULL,
  offsets bigint[] NOT NULL, -- of the records it is about
  stopped_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  ended_by text,
  ended_how text CHECK (ended_how IN ('resume', 'skip', 'new_log')),
  ended_why text,
  CHECK ((ended_at IS NULL) = (ended_by IS NULL) AND (ended_at IS NULL) = (ended_how IS NULL) AND (ended_at IS NULL) = (ended_why IS NULL))
);
CREATE UNIQUE INDEX processor_stops_open ON processor_stops (processor, topic, partition) WHERE ended_at IS NULL;

CREATE TABLE processor_skips (
  processor text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  first_offset bigint NOT NULL,
  last_offset bigint NOT NULL CHECK (last_offset >= first_offset), -- included
  stop_id uuid NOT NULL REFERENCES processor_stops (stop_id),
  PRIMARY KEY (processor, topic, partition, first_offset, last_offset)
);

CREATE TABLE redriven_letters (
  letter_id uuid PRIMARY KEY, -- of the dead letter
  processor text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  "offset" bigint NOT NULL, -- at which the record first stood
  sent_at timestamptz,
  sent_by text,
  sent_why text,
  folded_at timestamptz,
  folded_offset bigint
);
CREATE INDEX redriven_letters_processor ON redriven_letters (processor);

GRANT SELECT, INSERT, UPDATE, DELETE ON processor_stops, processor_skips, redriven_letters TO service_system;
