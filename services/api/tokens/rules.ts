/**
 * Decides who may make, change, rotate and revoke which API token. Pure. Roles and settings are
 * those that the database holds under the workspace's lock, not those in a cached credential.
 *
 * - Only its owner gets a token's value: people make tokens for themselves, and only the owner
 *   rotates a token.
 * - Others may narrow or revoke it, if their role is at least as high as its owner's present role.
 * - No token gets a scope that its owner's present role does not have.
 * - A caller who uses a token gives away nothing that this token does not have: no scope, no longer
 *   life, no wider networks.
 * Source: docs/design/api.md#s1-4 and docs/design/api/account.md#ac-5 to #ac-7.
 */
import type { MemberRole, Scope } from '../../../schemas/http/endpoints.ts'
import { isAtLeast, rightsOf, scopesOfRole } from '../../../schemas/http/rights.ts'
import { areWithin } from '../../http/networks.ts'
import type { TokenSettings } from '../../store/api-tokens.ts'

/** The limits of a token. */
export type Bounds = Pick<TokenSettings, 'scopes' | 'expires_at' | 'allowed_cidrs'>

export interface Asker {
  user_id: string
  role: MemberRole
  /** The limits of the token that asks; null: a session asks. */
  bounds: Bounds | null
}

export interface OwnedToken {
  owner: { user_id: string; role: MemberRole }
  settings: TokenSettings
}

/** Answered as 403 FORBIDDEN. */
export interface TokenRefusal {
  /** Path in the body; undefined: the refusal is about the token as a whole. */
  path?: string
  message: string
  needed?: { scope: string; role: string }
}

const narrowOnly = "Another person's token may be narrowed or revoked, and nothing else"

/** Returns the lowest role that has a scope, for messages to people. */
const leastRole = (scope: Scope): MemberRole =>
  (['viewer', 'editor', 'responder', 'billing', 'admin', 'owner'] as const).find((role) => scopesOfRole[role].includes(scope)) ?? 'owner'

const isLater = (one: number | null, other: number | null): boolean => other !== null && (one === null || one > other)

/** Returns the scopes of `after` that `before` does not have. */
const added = (after: readonly string[], before: readonly string[]): string[] => after.filter((scope) => !before.includes(scope))

/** Returns why `gained`, scopes of the list `all`, exceed the owner's role or the asking token. */
function scopeRefusal(by: Asker, owner: MemberRole, gained: readonly string[], all: readonly string[]): TokenRefusal | null {
  const ofOwner = rightsOf(owner, null)
  const ofAsker = by.bounds && rightsOf(by.role, by.bounds.scopes)
  for (const scope of gained as Scope[]) {
    const path = `scopes[${all.indexOf(scope)}]`
    const needed = { scope, role: leastRole(scope) }
    if (!ofOwner.has(scope)) return { path, message: `The role of the token's owner, ${owner}, does not have the scope ${scope}`, needed }
    if (ofAsker && !ofAsker.has(scope)) return { path, message: `The token that asks does not have the scope ${scope}`, needed }
  }
  return null
}

/**
 * Returns why `after` exceeds the limits of the asking token. What `before` already has is not
 * refused.
 */
function boundsRefusal(bounds: Bounds, after: Bounds, before: Bounds | null): TokenRefusal | null {
  if (isLater(after.expires_at, bounds.expires_at) && (before === null || isLater(after.expires_at, before.expires_at)))
    return { path: 'expires_at', message: 'A token may not outlive the token that asks for it' }
  if (!areWithin(after.allowed_cidrs, bounds.allowed_cidrs) && (before === null || !areWithin(after.allowed_cidrs, before.allowed_cidrs)))
    return { path: 'allowed_cidrs', message: 'The networks must lie within those of the token that asks' }
  return null
}

/** Refuses a caller who lost the right to manage tokens after the request was admitted. */
const refusedAsker = (by: Asker): TokenRefusal | null =>
  rightsOf(by.role, by.bounds?.scopes ?? null).has('admin') ? null : { message: 'Your role may not do this' }

/** Returns why making a token for oneself is refused; null: it is allowed. */
export function refusedToken(by: Asker, wanted: Bounds): TokenRefusal | null {
  return (
    refusedAsker(by) ?? scopeRefusal(by, by.role, wanted.scopes, wanted.scopes) ?? (by.bounds && boundsRefusal(by.bounds, wanted, null))
  )
}

/** Returns why changing a token's settings to `after` is refused; null: it is allowed. */
export function refusedTokenChange(by: Asker, { owner, settings: before }: OwnedToken, after: TokenSettings): TokenRefusal | null {
  const tooLow = refusedRevocation(by, owner)
  if (tooLow) return tooLow
  const gained = scopeRefusal(by, owner.role, added(after.scopes, before.scopes), after.scopes)
  if (owner.user_id === by.user_id) return gained ?? (by.bounds && boundsRefusal(by.bounds, after, before))
  if (after.name !== before.name) return { path: 'name', message: narrowOnly }
  const wider = before.scopes.includes('admin') ? [] : added(after.scopes, before.scopes)
  if (wider.length > 0) return { path: 'scopes', message: narrowOnly }
  if (isLater(after.expires_at, before.expires_at)) return { path: 'expires_at', message: narrowOnly }
  if (!areWithin(after.allowed_cidrs, before.allowed_cidrs)) return { path: 'allowed_cidrs', message: narrowOnly }
  // Every scope is narrower than a token that may do all its owner may; but no scope may exceed the
  // owner's role.
  return gained
}

/** Returns why revoking a token of `owner` is refused; null: it is allowed. */
export function refusedRevocation(by: Asker, owner: OwnedToken['owner']): TokenRefusal | null {
  if (owner.user_id === by.user_id || isAtLeast(by.role, owner.role)) return refusedAsker(by)
  return { message: `This is a token of an ${owner.role}: only an ${owner.role} may change or revoke it` }
}

/** Returns why giving a token a new value is refused; null: it is allowed. */
export function refusedRotation(by: Asker, { owner, settings }: OwnedToken): TokenRefusal | null {
  if (owner.user_id !== by.user_id)
    return { message: 'Only the owner of a token is given its value. Revoke it, and let its owner make another' }
  const tooLow = refusedAsker(by)
  if (tooLow) return tooLow
  const beyond = by.bounds && boundsRefusal(by.bounds, settings, null)
  return beyond && { message: 'The token that asks is bound more narrowly than this one: log in, or ask by another token' }
}
