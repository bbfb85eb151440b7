-- The rules of a person that name a contact method by its id in upper case did nothing: the person
-- was reached by their first method. Ids are stored in lower case from now on; these become so.
ALTER TABLE notification_preferences NO FORCE ROW LEVEL SECURITY;
UPDATE notification_preferences p SET body = jsonb_set(p.body, '{rules}', (
  SELECT jsonb_object_agg(urgency.key, (
    SELECT coalesce(jsonb_agg(rule.value || jsonb_build_object('method_id', lower(rule.value ->> 'method_id')) ORDER BY rule.ordinality), '[]')
      FROM jsonb_array_elements(urgency.value) WITH ORDINALITY rule))
    FROM jsonb_each(p.body -> 'rules') urgency))
 WHERE (p.body -> 'rules')::text ~ '"method_id": "[^"]*[A-F]';
ALTER TABLE notification_preferences FORCE ROW LEVEL SECURITY;
