-- Teams that an invited person joins on accepting. They end with the invite.
ALTER TABLE invites ADD COLUMN team_ids uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(team_ids) <= 20);

-- Back-tests of routing rules: what rules would have made of alerts that were decided before. The
-- api runs one by itself; `alive_until` says when one whose process is gone counts as failed.
-- A row goes 7 days after it was made (services/store/backtests.ts), or with its workspace.
CREATE TABLE routing_backtests (
  tenant_id uuid NOT NULL REFERENCES tenants,
  backtest_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
  -- Why it failed, for people.
  failure text CHECK (length(failure) <= 200),
  mode text NOT NULL CHECK (mode IN ('live', 'shadow')),
  from_at timestamptz NOT NULL,
  to_at timestamptz NOT NULL CHECK (to_at > from_at AND to_at <= from_at + interval '744 hours'),
  looked_at bigint NOT NULL DEFAULT 0,
  result jsonb,
  -- What the person saw when it began: see the policy.
  saw_all boolean NOT NULL,
  own_team_ids uuid[] NOT NULL,
  hidden_team_ids uuid[] NOT NULL,
  alive_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  PRIMARY KEY (tenant_id, backtest_id),
  CHECK ((state = 'running') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX routing_backtests_running ON routing_backtests (tenant_id) WHERE state = 'running';
CREATE INDEX routing_backtests_made ON routing_backtests (tenant_id, created_at);

ALTER TABLE routing_backtests ENABLE ROW LEVEL SECURITY;
ALTER TABLE routing_backtests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON routing_backtests USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
-- A result tells of what somebody saw: it is seen by whoever sees as much, now.
CREATE POLICY sight ON routing_backtests AS RESTRICTIVE USING ((SELECT sees_all_teams()) OR (NOT saw_all
  AND coalesce((SELECT hidden_teams())::uuid[], '{}') <@ hidden_team_ids
  AND own_team_ids <@ coalesce((SELECT own_teams())::uuid[], '{}')));

GRANT SELECT, INSERT, UPDATE, DELETE ON routing_backtests TO service_tenant;
GRANT SELECT, INSERT, UPDATE, DELETE ON routing_backtests TO service_system;
