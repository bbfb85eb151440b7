-- A trial ends with the region that it asks, as the other rows of a location do (0158).
ALTER TABLE check_trials DROP CONSTRAINT check_trials_region_fkey;
ALTER TABLE check_trials ADD CONSTRAINT check_trials_region_fkey FOREIGN KEY (region) REFERENCES regions ON DELETE CASCADE;
