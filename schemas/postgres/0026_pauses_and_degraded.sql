-- A pause says whether it ends the ongoing incident: the folds must know it, for an incident may
-- open by what was decided before the pause. And a degraded monitor may open one.
ALTER TABLE monitors ADD COLUMN resolve_open boolean NOT NULL DEFAULT false;
ALTER TABLE monitors ADD COLUMN open_on_degraded boolean NOT NULL DEFAULT false;
ALTER TABLE heartbeats ADD COLUMN resolve_open boolean NOT NULL DEFAULT false;
