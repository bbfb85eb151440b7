-- Teams that an invited person joins on accepting. They end with the invite.
ALTER TABLE invites ADD COLUMN team_ids uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(team_ids) <= 20);
