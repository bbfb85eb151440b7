-- A contact method in a chat app ends with the link of the member's account there. Links that an
-- admin ended left their methods behind, so messages went on to that account. These end now.
ALTER TABLE contact_methods NO FORCE ROW LEVEL SECURITY;
ALTER TABLE chat_identities NO FORCE ROW LEVEL SECURITY;
DELETE FROM contact_methods m
 WHERE m.kind IN ('telegram', 'slack_dm') AND NOT EXISTS (
   SELECT FROM chat_identities c WHERE c.tenant_id = m.tenant_id AND c.user_id = m.user_id
      AND CASE m.kind WHEN 'telegram' THEN c.vendor = 'telegram' AND c.sender = m.address
                      ELSE c.vendor = 'slack' AND c.account || ':' || c.sender = m.address END);
ALTER TABLE contact_methods FORCE ROW LEVEL SECURITY;
ALTER TABLE chat_identities FORCE ROW LEVEL SECURITY;
