/**
 * The single definition of rights: what a credential may do by REST, hear on a socket and see in
 * the feed. The api, the gateway and the dashboard all use it and decide nothing themselves. A
 * session has the scopes of its role. A token has those of its own scopes that the present role of
 * its owner also has. docs/rights.md shows the rights for every route and frame, and a test
 * compares the running service with it.
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

/** The scopes that a credential has now. */
export type Rights = ReadonlySet<Scope>

/**
 * Returns the role. A role that this version does not know counts as the one with the least rights.
 */
export const roleOf = (text: string): MemberRole => roles.find((known) => known === text) ?? 'viewer'

/**
 * Returns the scopes of a role, limited to the scopes of a token (null: a session). The token scope
 * `admin` stands for all scopes of the role.
 */
export function rightsOf(role: MemberRole, tokenScopes: readonly string[] | null): Rights {
  const byRole = scopesOfRole[role]
  return new Set(tokenScopes === null || tokenScopes.includes('admin') ? byRole : byRole.filter((scope) => tokenScopes.includes(scope)))
}

/**
 * Returns the scopes of a route; any one of them is enough. Empty: every credential of the right
 * kind may call it.
 */
export const scopesFor = ({ scope, or = [] }: Pick<Endpoint, 'scope' | 'or'>): readonly Scope[] => (scope === null ? [] : [scope, ...or])

/**
 * Returns whether a credential may call the route. The kind of credential must already be one that
 * the route accepts.
 */
export function mayCall(
  endpoint: Pick<Endpoint, 'scope' | 'or' | 'own'>,
  { kind, rights }: { kind: 'session' | 'token'; rights: Rights }
): boolean {
  const needed = scopesFor(endpoint)
  const isOwn = endpoint.own === true || (endpoint.own === 'readers' && rights.has('read'))
  return needed.length === 0 || (isOwn && kind === 'session') || needed.some((scope) => rights.has(scope))
}

/**
 * Returns the categories of the feed that are shown and pushed. A person who only manages billing
 * sees billing and administration, and no incidents.
 */
export function feedCategoriesOf(rights: Rights): readonly FeedCategory[] {
  if (rights.has('read')) return ['incident', 'admin', 'billing']
  return rights.has('billing') ? ['admin', 'billing'] : []
}

/**
 * Returns the channels that a socket may hear. Empty: the socket may not be opened. Frames without
 * a channel go to the sockets that may hear all channels.
 */
export function channelsOf(rights: Rights): readonly Channel[] {
  if (rights.has('read')) return channels
  return feedCategoriesOf(rights).length > 0 ? ['notifications.feed'] : []
}

/** Owners and admins see the objects of private teams. */
export const seesAllTeams = (role: MemberRole): boolean => role === 'owner' || role === 'admin'

const heights: Readonly<Record<MemberRole, number>> = { owner: 2, admin: 1, responder: 0, editor: 0, viewer: 0, billing: 0 }

/**
 * Returns whether `role` is at least as high as `other`. Owners are above admins, and admins are
 * above all other roles.
 */
export const isAtLeast = (role: MemberRole, other: MemberRole): boolean => heights[role] >= heights[other]
