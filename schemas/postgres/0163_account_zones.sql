-- A person's time zone may be none: pages then have that of the browser, mails that of the
-- workspace. UTC was the default, which had no effect on pages, and becomes none.
ALTER TABLE users ALTER COLUMN time_zone DROP NOT NULL, ALTER COLUMN time_zone DROP DEFAULT;
ALTER TABLE users NO FORCE ROW LEVEL SECURITY;
UPDATE users SET time_zone = NULL WHERE time_zone = 'UTC';
ALTER TABLE users FORCE ROW LEVEL SECURITY;

-- As 0015, without a guess at the zone of who is invited.
CREATE OR REPLACE FUNCTION create_invited_user(invite uuid, new_user uuid, new_name text, phc text) RETURNS boolean
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH made AS (
    INSERT INTO users (user_id, email, name, password_hash)
    SELECT new_user, i.email, new_name, phc FROM invites i
     WHERE i.tenant_id = current_tenant() AND i.invite_id = invite AND i.expires_at > now()
    ON CONFLICT (lower(email)) DO NOTHING
    RETURNING 1
  ) SELECT EXISTS (SELECT FROM made)
$$;
