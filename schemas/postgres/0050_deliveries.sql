-- The ledger: each intent has one delivery, with every attempt and one final state. A row that is
-- open is also the queue.

-- Rows stay 400 days, what was sent (facts, request) 30 days; then a daily chore of the clock takes
-- them (services/store/deliveries.ts).
CREATE TABLE deliveries (
  tenant_id uuid NOT NULL,
  -- UUIDv5 of the intent: the idempotency key at the provider, over all attempts.
  delivery_id uuid NOT NULL,
  intent_id uuid NOT NULL,
  incident_id uuid,
  incident_ver bigint,
  event text NOT NULL,
  -- 0: incidents; 1: feed and digests; 2: mail of status pages and exports.
  lane smallint NOT NULL,
  -- Of the channel or method; empty: the person has none.
  kind text NOT NULL,
  channel_id uuid,
  user_id uuid,
  method_id uuid,
  -- Channel, else method, else person: messages of one incident go to it in their order.
  target_id uuid NOT NULL,
  policy_id uuid,
  cycle integer,
  step integer,
  -- Order of what one target hears of one incident, behind incident_ver.
  seq bigint GENERATED ALWAYS AS IDENTITY,
  state text NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'delivered', 'failed', 'retrying', 'suppressed', 'expired', 'fallback_used')),
  open boolean NOT NULL GENERATED ALWAYS AS (state IN ('queued', 'sending', 'retrying')) STORED,
  suppressed_by text,
  suppressed_cause text,
  -- Of the record on the log: 1 is the intent.
  ver bigint NOT NULL DEFAULT 1,
  attempts integer NOT NULL DEFAULT 0,
  -- Attempts that may have arrived though nobody said so: time-outs, and those of a worker that
  -- died.
  ambiguous integer NOT NULL DEFAULT 0,
  -- The provider took it.
  accepted boolean NOT NULL DEFAULT false,
  -- The failure of what has ended was never told: this says both.
  combined boolean NOT NULL DEFAULT false,
  manual boolean NOT NULL DEFAULT false,
  -- Newest last, at most 50.
  attempt_log jsonb NOT NULL DEFAULT '[]',
  error_code text,
  -- When it may be claimed; of one that is held, when its lease ends.
  next_at timestamptz NOT NULL,
  queued_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  first_sent_at timestamptz,
  delivered_at timestamptz,
  finished_at timestamptz,
  -- What it says, as it stood when it was decided: every attempt says the same.
  facts jsonb,
  -- The last request, without secrets.
  request jsonb,
  team_id uuid,
  visibility text NOT NULL CHECK (visibility IN ('org', 'private')),
  PRIMARY KEY (tenant_id, delivery_id)
) WITH (fillfactor = 70);
-- The queue, walked target by target.
CREATE INDEX deliveries_due ON deliveries (lane, tenant_id, target_id, next_at) WHERE open;
CREATE INDEX deliveries_next ON deliveries (next_at) WHERE open;
CREATE INDEX deliveries_order ON deliveries (tenant_id, target_id, incident_id, incident_ver, seq) WHERE open;
CREATE INDEX deliveries_held ON deliveries (tenant_id, target_id) WHERE state = 'sending';
CREATE INDEX deliveries_of_incident ON deliveries (tenant_id, incident_id, seq);
CREATE INDEX deliveries_newest ON deliveries (tenant_id, queued_at, delivery_id);
CREATE INDEX deliveries_age ON deliveries (queued_at);

-- The message, ticket or alert at the vendor that an incident has on one target. Ends with the
-- deliveries of 400 days ago.
CREATE TABLE delivery_refs (
  tenant_id uuid NOT NULL,
  target_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  ref jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, target_id, incident_id)
);

-- Up to which version people were told of an incident, so that each change is told once and in
-- order, whichever job comes first. Ends 400 days after its last change.
CREATE TABLE incident_tellings (
  tenant_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  told_ver bigint NOT NULL DEFAULT 0,
  -- What of its failure was decided, down or degraded; and whether it waits for the end of a hold.
  failing_event text,
  held boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, incident_id)
);
CREATE INDEX incident_tellings_age ON incident_tellings (updated_at);
CREATE INDEX delivery_refs_age ON delivery_refs (updated_at);

-- Given up in a row, and since when: ten over a day turn a channel off.
ALTER TABLE notification_channels ADD dead_letters integer NOT NULL DEFAULT 0, ADD dead_since timestamptz;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deliveries', 'delivery_refs', 'incident_tellings'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
  END LOOP;
END $$;
-- As 0028_teams.sql.
CREATE POLICY sight ON deliveries AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR CASE visibility
  WHEN 'private' THEN coalesce(team_id = ANY ((SELECT own_teams())::uuid[]), false)
  ELSE team_id IS NULL OR coalesce(team_id <> ALL ((SELECT hidden_teams())::uuid[]), false) END);
GRANT SELECT, INSERT, UPDATE ON deliveries TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON deliveries, delivery_refs, incident_tellings TO service_system;
