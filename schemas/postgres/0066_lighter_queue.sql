-- A claim walks the queue target by target. The index by time alone led the planner to read all
-- that is due for each target; without it, and with one for ages that costs next to nothing, a
-- delivery also writes less.
DROP INDEX deliveries_next;
DROP INDEX deliveries_age;
CREATE INDEX deliveries_age ON deliveries USING brin (queued_at);

-- The queue turns over quickly: what ended must leave its indexes, and counts must be fresh.
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
