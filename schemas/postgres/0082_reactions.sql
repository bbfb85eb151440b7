-- Reactions to items of the feed. Items of one notice are told to many people: whoever was told of
-- it sees the reactions of the others.
-- A processor of the version before names no notice: then the item stands alone.
ALTER TABLE feed ADD notice_id uuid NOT NULL DEFAULT gen_random_uuid();
CREATE INDEX feed_notice ON feed (tenant_id, notice_id);

-- A row ends with the last item of its notice, with the membership, or with the workspace.
CREATE TABLE feed_reactions (
  tenant_id uuid NOT NULL,
  notice_id uuid NOT NULL,
  emoji text NOT NULL CHECK (length(emoji) BETWEEN 1 AND 32),
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, notice_id, emoji, user_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES members ON DELETE CASCADE
);
ALTER TABLE feed_reactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE feed_reactions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON feed_reactions USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, DELETE ON feed_reactions TO service_tenant, service_system;
