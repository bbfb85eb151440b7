-- Mass outages: monitors of several regions that go down together page once.
-- Who is down stands in the row of the key out:mass of a workspace (signals.facts), which the
-- incident fold locks with the others of its batch; it ends with the workspace.
ALTER TABLE tenants ADD COLUMN mass_outage_enabled boolean NOT NULL DEFAULT true;
-- So many within five minutes are one; half of all that have two regions are, too.
ALTER TABLE tenants ADD COLUMN mass_outage_min_monitors int NOT NULL DEFAULT 3
  CHECK (mass_outage_min_monitors BETWEEN 2 AND 1000);
