-- A restore takes the numbers of assignments back, while probers keep what they got under numbers
-- that are lost. The sequence then begins anew, far above them. Its start says which numbers are
-- known: a prober that holds an earlier one gets its whole assignment. The start is the time, in
-- tenths of a millisecond: a second restore of the same backup begins above the first one, and the
-- number stays within the 15 digits that the api takes.
CREATE FUNCTION begin_assignments_anew() RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  first bigint;
BEGIN
  SELECT greatest(last_value + 1000000, floor(extract(epoch FROM clock_timestamp()) * 10000)::bigint) INTO first FROM assignment_versions;
  EXECUTE format('ALTER SEQUENCE assignment_versions START WITH %s RESTART WITH %s', first, first);
END $$;
REVOKE ALL ON FUNCTION begin_assignments_anew() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_assignments_anew() TO service_system;
