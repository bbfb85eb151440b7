-- Bots at Telegram that call the service: where each is called, and who it is.

-- Of a workspace; its channels share it. `hook_id` is the end of the address that Telegram calls,
-- and cannot be guessed. A row ends when no channel of the workspace writes by the bot any more.
CREATE TABLE telegram_bots (
  tenant_id uuid NOT NULL REFERENCES tenants,
  bot_id text NOT NULL CHECK (bot_id ~ '^[0-9]{1,20}$'),
  hook_id text NOT NULL UNIQUE CHECK (hook_id ~ '^[A-Za-z0-9_-]{32,64}$'),
  -- Its name at Telegram, without @.
  username text NOT NULL CHECK (username ~ '^[A-Za-z0-9_]{1,32}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, bot_id)
);
ALTER TABLE telegram_bots ENABLE ROW LEVEL SECURITY;
ALTER TABLE telegram_bots FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON telegram_bots USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON telegram_bots TO service_tenant, service_system;

-- Whose bot is called at an address, in any workspace.
CREATE FUNCTION telegram_bot_of(hook text) RETURNS TABLE (tenant_id uuid, bot_id text, username text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT b.tenant_id, b.bot_id, b.username FROM telegram_bots b WHERE b.hook_id = hook
$$;

DO $$
BEGIN
  GRANT CREATE ON SCHEMA public TO service_system;
  ALTER FUNCTION telegram_bot_of(text) OWNER TO service_system;
  REVOKE ALL ON FUNCTION telegram_bot_of(text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION telegram_bot_of(text) TO service_tenant, service_system;
  REVOKE CREATE ON SCHEMA public FROM service_system;
END $$;
