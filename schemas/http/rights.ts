/**
 * The one rule of rights: what a credential may do by REST, hear on a socket and see in the feed.
 * The api, the gateway and the dashboard ask it; nobody decides for themselves. A token has the
 * scopes that it was given as far as the present role of its owner has them; a session has what the
 * role has. docs/rights.md shows the rule for every route and frame, and a test holds the running
 * service against it.
 * Source: docs/design/api.md#s1-4, docs/design/api/notifications.md#no-12 and
 * docs/design/api/realtime.md#rm-1.
 */
import { type Channel, channels } from './channels.ts'
import type { Endpoint } from './endpoints.ts'
import type { FeedCategory } from './feed.ts'
import { type MemberRole, roles, type Scope } from './roles.ts'

export const scopesOfRole: Readonly<Record<MemberRole, readonly Scope[]>> = {
  owner: ['read', 'write', 'incidents:act', 'ingest', 'data:read', 'billing', 'admin'],
  admin: ['read', 'write', 'incidents:act', 'ingest', 'data:read', 'admin'],
  responder: ['read', 'incidents:act'],
  editor: ['read', 'write', 'ingest'],
  viewer: ['read'],
  billing: ['billing']
}

/** What a credential may do now. */
export type Rights = ReadonlySet<Scope>

/** A role that this version does not know may do least. */
export const roleOf = (text: string): MemberRole => roles.find((known) => known === text) ?? 'viewer'

/**
 * What a role allows, narrowed to the scopes of a token (null: a session); `admin` among them
 * stands for all.
 */
export function rightsOf(role: MemberRole, tokenScopes: readonly string[] | null): Rights {
  const byRole = scopesOfRole[role]
  return new Set(tokenScopes === null || tokenScopes.includes('admin') ? byRole : byRole.filter((scope) => tokenScopes.includes(scope)))
}

/** Scopes any one of which opens a route; none: every credential of its kind does. */
export const scopesFor = ({ scope, or = [] }: Pick<Endpoint, 'scope' | 'or'>): readonly Scope[] => (scope === null ? [] : [scope, ...or])

/** Whether a credential that the route takes at all may call it. */
export function mayCall(
  endpoint: Pick<Endpoint, 'scope' | 'or' | 'own'>,
  { kind, rights }: { kind: 'session' | 'token'; rights: Rights }
): boolean {
  const needed = scopesFor(endpoint)
  return needed.length === 0 || (endpoint.own === true && kind === 'session') || needed.some((scope) => rights.has(scope))
}

/**
 * What of the feed is shown, and pushed: who looks after billing hears of billing and
 * administration, and of no incident.
 */
export function feedCategoriesOf(rights: Rights): readonly FeedCategory[] {
  if (rights.has('read')) return ['incident', 'admin', 'billing']
  return rights.has('billing') ? ['admin', 'billing'] : []
}

/**
 * Channels that a socket may hear; none: it may not be opened. Frames without a channel are for who
 * hears all.
 */
export function channelsOf(rights: Rights): readonly Channel[] {
  if (rights.has('read')) return channels
  return feedCategoriesOf(rights).length > 0 ? ['notifications.feed'] : []
}

/** Owners and admins see what private teams see. */
export const seesAllTeams = (role: MemberRole): boolean => role === 'owner' || role === 'admin'

const heights: Readonly<Record<MemberRole, number>> = { owner: 2, admin: 1, responder: 0, editor: 0, viewer: 0, billing: 0 }

/**
 * Whether `role` is at least as high as `other`: owners stand above admins, and both above
 * everybody else.
 */
export const isAtLeast = (role: MemberRole, other: MemberRole): boolean => heights[role] >= heights[other]
