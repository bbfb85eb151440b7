-- A digest counts the incidents that opened, and lists those that ended, since the last one. It
-- read every incident that the workspace ever had, twice for each person.
CREATE INDEX incidents_opened ON incidents (tenant_id, opened_at);
CREATE INDEX incidents_resolved ON incidents (tenant_id, resolved_at) WHERE status = 'resolved';
