-- A contact method in a chat app ends with the link of the member's account there. Links that an
-- admin ended left their methods behind, so messages went on to that account. These end now.
DELETE FROM contact_methods m
 WHERE m.kind IN ('telegram', 'slack_dm') AND NOT EXISTS (
   SELECT FROM chat_identities c WHERE c.tenant_id = m.tenant_id AND c.user_id = m.user_id
      AND CASE m.kind WHEN 'telegram' THEN c.vendor = 'telegram' AND c.sender = m.address
                      ELSE c.vendor = 'slack' AND c.account || ':' || c.sender = m.address END);
