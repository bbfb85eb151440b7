-- What a door knows and nobody was shown: deliveries that were understood and opened or changed
-- nothing, by their reason; since when an integration ignores everything; and since when keys of
-- alerts are made in another way.

-- A change of the keys that parsers give: for seven days recoveries also try the key that their
-- alert had before (services/intake/former-keys.ts).
CREATE TABLE key_changes (
  name text PRIMARY KEY,
  since timestamptz NOT NULL DEFAULT now()
);
INSERT INTO key_changes (name) VALUES ('statuscake'), ('datadog'), ('label_names');
GRANT SELECT ON key_changes TO service_tenant, service_system;

-- How the signals of an inbound key were accepted since the first that was not applied, in runs
-- (streams/incident/unapplied.ts): why an alert changed nothing.
ALTER TABLE signals ADD COLUMN unapplied jsonb;

-- Ignored deliveries by day (UTC) and reason. From 20 reasons of a day on, a new one counts as
-- 'other'. Kept 31 days.
CREATE TABLE integration_ignored (
  tenant_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  day date NOT NULL,
  reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 120),
  deliveries bigint NOT NULL CHECK (deliveries > 0),
  last_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, integration_id, day, reason),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations ON DELETE CASCADE
);
CREATE INDEX integration_ignored_day ON integration_ignored (day);

-- The present stretch of an integration in which every delivery was ignored. A row comes with its
-- first ignored delivery.
CREATE TABLE integration_stretches (
  tenant_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  ignoring_since timestamptz, -- receipt of its first delivery; null: the last one was processed
  last_ignored_at timestamptz NOT NULL,
  processed_at timestamptz, -- the last delivery that was processed, as far as a stretch needs it
  told_at timestamptz, -- last_ignored_at of the stretch that people were told of
  PRIMARY KEY (tenant_id, integration_id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations ON DELETE CASCADE
);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['integration_ignored', 'integration_stretches'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())', name);
    EXECUTE format('GRANT SELECT ON %I TO service_tenant', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO service_system', name);
  END LOOP;
END $$;

-- What a door counted since it last told, of many workspaces in one statement; it writes these two
-- tables and nothing else. `told` is an array of {tenant_id, integration_id, processed_at,
-- ignoring_since, last_ignored_at, reasons: [{day, reason, deliveries, last_at}]}; times are ISO,
-- null where there was none. What an integration that is gone sent is left out. Doors tell in any
-- order: a stretch never begins before a delivery that one of them processed.
CREATE FUNCTION note_intake(told jsonb) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('note_intake')); -- Doors take turns.

  -- What was only processed ends a stretch, and makes no row.
  UPDATE integration_stretches s
     SET processed_at = t.processed_at,
         ignoring_since = CASE WHEN t.processed_at < s.last_ignored_at THEN greatest(s.ignoring_since, t.processed_at) END
    FROM jsonb_to_recordset(told) AS t (tenant_id uuid, integration_id uuid, processed_at timestamptz, last_ignored_at timestamptz)
   WHERE s.tenant_id = t.tenant_id AND s.integration_id = t.integration_id AND t.last_ignored_at IS NULL
     AND s.ignoring_since IS NOT NULL AND t.processed_at > coalesce(s.processed_at, '-infinity');

  INSERT INTO integration_stretches AS s (tenant_id, integration_id, ignoring_since, last_ignored_at, processed_at)
  SELECT t.tenant_id, t.integration_id, t.ignoring_since, t.last_ignored_at, t.processed_at
    FROM jsonb_to_recordset(told) AS t (tenant_id uuid, integration_id uuid, ignoring_since timestamptz, last_ignored_at timestamptz, processed_at timestamptz)
    JOIN integrations i ON i.tenant_id = t.tenant_id AND i.integration_id = t.integration_id
   WHERE t.last_ignored_at IS NOT NULL
  ON CONFLICT (tenant_id, integration_id) DO UPDATE SET
    processed_at = greatest(s.processed_at, excluded.processed_at),
    last_ignored_at = greatest(s.last_ignored_at, excluded.last_ignored_at),
    ignoring_since = CASE
      WHEN greatest(s.processed_at, excluded.processed_at) >= greatest(s.last_ignored_at, excluded.last_ignored_at) THEN NULL
      ELSE least(CASE WHEN s.ignoring_since IS NOT NULL THEN greatest(s.ignoring_since, s.processed_at, excluded.processed_at) END,
                 CASE WHEN excluded.ignoring_since IS NOT NULL THEN greatest(excluded.ignoring_since, s.processed_at, excluded.processed_at) END) END;

  INSERT INTO integration_ignored AS g (tenant_id, integration_id, day, reason, deliveries, last_at)
  SELECT t.tenant_id, t.integration_id, r.day,
         CASE WHEN EXISTS (SELECT FROM integration_ignored k
                            WHERE k.tenant_id = t.tenant_id AND k.integration_id = t.integration_id AND k.day = r.day AND k.reason = r.reason)
                OR (SELECT count(*) FROM integration_ignored k
                     WHERE k.tenant_id = t.tenant_id AND k.integration_id = t.integration_id AND k.day = r.day) < 20
              THEN r.reason ELSE 'other' END AS kept,
         sum(r.deliveries), max(r.last_at)
    FROM jsonb_to_recordset(told) AS t (tenant_id uuid, integration_id uuid, reasons jsonb)
    JOIN integrations i ON i.tenant_id = t.tenant_id AND i.integration_id = t.integration_id
   CROSS JOIN LATERAL jsonb_to_recordset(t.reasons) AS r (day date, reason text, deliveries bigint, last_at timestamptz)
   GROUP BY 1, 2, 3, kept
  ON CONFLICT (tenant_id, integration_id, day, reason)
  DO UPDATE SET deliveries = g.deliveries + excluded.deliveries, last_at = greatest(g.last_at, excluded.last_at);
END $$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION note_intake(jsonb) OWNER TO service_system;
  REVOKE ALL ON FUNCTION note_intake(jsonb) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION note_intake(jsonb) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
