-- Workspaces, their people and the credentials that act for them.
CREATE TABLE tenants (
  tenant_id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  slug text NOT NULL UNIQUE,
  plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  time_zone text NOT NULL DEFAULT 'UTC',
  reopen_after_seconds integer NOT NULL DEFAULT 1800,
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
  user_id uuid PRIMARY KEY,
  email text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  name text NOT NULL,
  password_hash text NOT NULL, -- argon2id, PHC string
  time_zone text NOT NULL DEFAULT 'UTC',
  locale text NOT NULL DEFAULT 'en',
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE members (
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'responder', 'editor', 'viewer', 'billing')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE sessions (
  session_sha256 bytea PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  user_id uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  idle_seconds integer NOT NULL, -- ends this long after last_seen_at
  expires_at timestamptz NOT NULL, -- ends then at the latest
  ip text,
  user_agent text
);
CREATE INDEX sessions_user ON sessions (tenant_id, user_id);

CREATE TABLE api_tokens (
  tenant_id uuid NOT NULL REFERENCES tenants,
  token_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users, -- the owner: the token sees what this person may see
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  prefix text NOT NULL, -- first characters, to recognise it by
  token_sha256 bytea NOT NULL UNIQUE,
  scopes text[] NOT NULL,
  expires_at timestamptz,
  allowed_cidrs text[] NOT NULL DEFAULT '{}',
  last_used_at timestamptz,
  last_used_ip text,
  revoked_at timestamptz,
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, token_id)
);

CREATE TABLE integrations (
  tenant_id uuid NOT NULL REFERENCES tenants,
  integration_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  source_type text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  team_id uuid,
  visibility text NOT NULL DEFAULT 'org' CHECK (visibility IN ('org', 'private')),
  default_severity text CHECK (default_severity IN ('critical', 'warning', 'info')),
  severity_map jsonb NOT NULL DEFAULT '{}',
  labels_add jsonb NOT NULL DEFAULT '{}',
  auto_resolve_minutes integer,
  capture boolean NOT NULL DEFAULT false,
  options jsonb NOT NULL DEFAULT '{}',
  token_sha256 bytea NOT NULL UNIQUE,
  token_prefix text NOT NULL,
  previous_token_sha256 bytea UNIQUE, -- still good until previous_token_expires_at
  previous_token_expires_at timestamptz,
  ver bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, integration_id)
);

-- Every version of every configuration, for ever: explain and replay read it.
CREATE TABLE config_versions (
  tenant_id uuid NOT NULL REFERENCES tenants,
  kind text NOT NULL,
  id uuid NOT NULL,
  version bigint NOT NULL,
  body jsonb NOT NULL,
  actor text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, kind, id, version)
);

CREATE TABLE audit (
  tenant_id uuid NOT NULL REFERENCES tenants,
  audit_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'token', 'integration', 'system')),
  actor_id text NOT NULL,
  action text NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  via text NOT NULL,
  request_id text,
  diff jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, audit_id)
);
CREATE INDEX audit_at ON audit (tenant_id, at DESC);

-- Caches of credentials drop an entry at once when its row changes: the payload is the SHA-256, hex.
CREATE FUNCTION notify_credential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'sessions' THEN
    PERFORM pg_notify('credential_changed', encode(OLD.session_sha256, 'hex'));
  ELSIF TG_TABLE_NAME = 'api_tokens' THEN
    PERFORM pg_notify('credential_changed', encode(OLD.token_sha256, 'hex'));
  ELSE
    PERFORM pg_notify('credential_changed', encode(OLD.token_sha256, 'hex'));
    IF OLD.previous_token_sha256 IS NOT NULL THEN
      PERFORM pg_notify('credential_changed', encode(OLD.previous_token_sha256, 'hex'));
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_changed AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_credential();
CREATE TRIGGER api_tokens_changed AFTER DELETE OR UPDATE OF token_sha256, scopes, expires_at, revoked_at, allowed_cidrs ON api_tokens
  FOR EACH ROW EXECUTE FUNCTION notify_credential();
CREATE TRIGGER integrations_changed AFTER DELETE OR UPDATE ON integrations FOR EACH ROW EXECUTE FUNCTION notify_credential();
