/** What people and tokens may be; also for the dashboard: without the list of routes. */

export const scopes = ['read', 'write', 'incidents:act', 'ingest', 'data:read', 'billing', 'admin'] as const
export type Scope = (typeof scopes)[number]

export const roles = ['owner', 'admin', 'responder', 'editor', 'viewer', 'billing'] as const
export type MemberRole = (typeof roles)[number]
