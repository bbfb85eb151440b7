-- Wrong clocks are told of like outages of ours. Doors tell of them too, as service_tenant: so the
-- rule that joins notices moves into a function of the database.
ALTER TABLE platform_notices DROP CONSTRAINT platform_notices_kind_check;
ALTER TABLE platform_notices ADD CONSTRAINT platform_notices_kind_check CHECK (kind IN ('ingest_gap', 'clock'));
COMMENT ON COLUMN platform_notices.causes IS
  'ingest_gap: tick_gap, door_refused, door_unconfirmed; clock: ticks_ignored, results_skewed, clock:door:<instance>, clock:postgres, clock:broker, clock:unknown:<instance>';

-- Saves a notice, or makes those of its kind that overlap it, or lie closer to it than 30 s, one
-- with it: doors and partitions come back one after the other. Writers take turns: two that see no
-- row yet must not both make one.
CREATE FUNCTION save_platform_notice(p_id uuid, p_kind text, p_cause text, p_from timestamptz, p_to timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE found uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('platform_notices'));
  SELECT array_agg(notice_id ORDER BY started_at) INTO found FROM platform_notices
   WHERE kind = p_kind AND started_at <= p_to + interval '30 seconds' AND ended_at >= p_from - interval '30 seconds';
  IF found IS NULL THEN
    INSERT INTO platform_notices (notice_id, kind, started_at, ended_at, causes) VALUES (p_id, p_kind, p_from, p_to, ARRAY[p_cause]);
    RETURN;
  END IF;
  UPDATE platform_notices n
     SET started_at = least(m.started_at, p_from), ended_at = greatest(m.ended_at, p_to), updated_at = now(),
         -- At most 50 are named: a notice is read by people.
         causes = (SELECT array_agg(c ORDER BY c) FROM (SELECT DISTINCT c FROM unnest(m.causes || p_cause) AS c ORDER BY c LIMIT 50) AS few)
    FROM (SELECT min(p.started_at) AS started_at, max(p.ended_at) AS ended_at, array_agg(DISTINCT c) AS causes
            FROM platform_notices p, unnest(p.causes) AS c WHERE p.notice_id = ANY (found)) AS m
   WHERE n.notice_id = found[1];
  DELETE FROM platform_notices WHERE notice_id = ANY (found[2:]);
END $$;

-- What a door may tell: which clock is odd, now.
CREATE FUNCTION save_clock_notice(p_id uuid, p_cause text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF p_cause !~ '^clock:(postgres|broker|(door|unknown):[A-Za-z0-9._:-]{1,100})$' THEN
    RAISE EXCEPTION 'a door tells of clock:postgres, clock:broker, clock:door:<instance> or clock:unknown:<instance>, not of %', left(p_cause, 100);
  END IF;
  PERFORM save_platform_notice(p_id, 'clock', p_cause, clock_timestamp(), clock_timestamp());
END $$;

REVOKE ALL ON FUNCTION save_platform_notice(uuid, text, text, timestamptz, timestamptz), save_clock_notice(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION save_platform_notice(uuid, text, text, timestamptz, timestamptz) TO service_system;
GRANT EXECUTE ON FUNCTION save_clock_notice(uuid, text) TO service_tenant, service_system;
