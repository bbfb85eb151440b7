/**
 * Roles of people and scopes of tokens. The dashboard loads them too, so this file has no list of
 * routes.
 */

export const scopes = ['read', 'write', 'incidents:act', 'ingest', 'data:read', 'billing', 'admin'] as const
export type Scope = (typeof scopes)[number]
/** Scopes of a token that asks for none. */
export const defaultScopes = ['read', 'write', 'incidents:act'] as const satisfies readonly Scope[]

export const roles = ['owner', 'admin', 'responder', 'editor', 'viewer', 'billing'] as const
export type MemberRole = (typeof roles)[number]
