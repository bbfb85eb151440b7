-- The audit log is read by object too: what happened to one thing. Rows end with the workspace.
CREATE INDEX audit_object ON audit (tenant_id, object_id, audit_id DESC);
