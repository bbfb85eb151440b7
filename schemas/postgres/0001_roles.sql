-- Roles of the service: the owner migrates, service_tenant serves one workspace at a time under row-level security, service_system works across workspaces.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_tenant') THEN
    CREATE ROLE service_tenant LOGIN NOBYPASSRLS;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_system') THEN
    CREATE ROLE service_system LOGIN BYPASSRLS;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- Roles belong to the cluster: another database's migration was first.
END
$$;

-- A process that is frozen inside a transaction must not hold its locks for ever: the next owner of its partitions waits for them.
ALTER ROLE service_system SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE service_tenant SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE service_tenant SET statement_timeout = '15s';

-- The workspace that the current transaction acts for; no workspace set, no rows.
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('service.tenant_id', true), '')::uuid $$;
