-- Dependencies: a monitor names others without which it cannot work. While one of them fails nobody
-- is told of it.
ALTER TABLE monitors ADD COLUMN depends_on uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(depends_on) <= 10);
-- How long the verdict of one that is being judged is waited for; null: as long as that takes.
ALTER TABLE monitors ADD COLUMN dependency_hold_seconds int CHECK (dependency_hold_seconds BETWEEN 0 AND 300);
-- Who depends on a monitor: asked with every batch of the incident fold in which monitors change.
CREATE INDEX monitors_depending ON monitors USING gin (depends_on) WHERE depends_on <> '{}';

-- What the key remembers beside its signals (streams/incident/signals.ts): of a monitor that others
-- depend on, its phase. It ends with the row.
ALTER TABLE signals ADD COLUMN facts jsonb;

-- What holds the incident of one monitor for the sake of others. A row goes when the hold ends, or
-- 30 days after the incident.
CREATE TABLE incident_holds (
  tenant_id uuid NOT NULL REFERENCES tenants,
  incident_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('dependency', 'mass_outage')),
  -- The monitor that it depends on, or the incident of the mass outage.
  cause_id uuid NOT NULL,
  -- Of that monitor when it was looked at last: down, validating or maintenance.
  state text,
  began_at timestamptz NOT NULL,
  wait_seconds int,
  -- It holds no longer, whatever comes.
  bound_at timestamptz,
  PRIMARY KEY (tenant_id, incident_id, kind),
  CHECK ((kind = 'dependency') = (state IS NOT NULL AND wait_seconds IS NOT NULL AND bound_at IS NOT NULL))
);
CREATE INDEX incident_holds_cause ON incident_holds (tenant_id, cause_id, incident_id);

ALTER TABLE incident_holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_holds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON incident_holds USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- Seen by whoever sees the incident.
CREATE POLICY sight ON incident_holds AS RESTRICTIVE FOR SELECT USING ((SELECT sees_all_teams()) OR EXISTS (
  SELECT FROM incidents i WHERE i.tenant_id = incident_holds.tenant_id AND i.incident_id = incident_holds.incident_id));
GRANT SELECT ON incident_holds TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON incident_holds TO service_system;
