/** What people and tokens may be; also for the dashboard: without the list of routes. */

export const scopes = ['read', 'write', 'incidents:act', 'ingest', 'data:read', 'billing', 'admin'] as const
export type Scope = (typeof scopes)[number]
/** Of a token that asks for none. */
export const defaultScopes = ['read', 'write', 'incidents:act'] as const satisfies readonly Scope[]

export const roles = ['owner', 'admin', 'responder', 'editor', 'viewer', 'billing'] as const
export type MemberRole = (typeof roles)[number]
