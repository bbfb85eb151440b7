/**
 * Decides who may change whose role, remove whom, and invite to which role. Pure. Roles are those
 * that the database holds under the workspace's lock, not those in a cached credential.
 * Source: docs/design/api.md#s1-4 and docs/design/api/account.md#ac-9, #ac-12.
 */
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { scopesOfRole } from '../../../schemas/http/rights.ts'

export interface Holder {
  user_id: string
  role: MemberRole
}

export interface MemberChange {
  /** The member who asks. */
  by: Holder
  member: Holder
  /** The future role; null: the membership ends. */
  role: MemberRole | null
  /** The number of owners other than the member. */
  otherOwners: number
}

export interface Refusal {
  code: 'FORBIDDEN' | 'LAST_OWNER'
  message: string
}

const manages = (role: MemberRole): boolean => scopesOfRole[role].includes('admin')

const notYours: Refusal = { code: 'FORBIDDEN', message: 'Your role may not do this' }
const ownersOnly: Refusal = { code: 'FORBIDDEN', message: 'Only an owner may make or unmake an owner' }

/** Returns why the change is refused; null: it is allowed. */
export function refusedChange({ by, member, role, otherOwners }: MemberChange): Refusal | null {
  if (!manages(by.role)) return notYours
  if (role === member.role) return null
  if ((member.role === 'owner' || role === 'owner') && by.role !== 'owner') return ownersOnly
  const raises = role !== null && scopesOfRole[role].some((scope) => !scopesOfRole[member.role].includes(scope))
  if (by.user_id === member.user_id && raises) return { code: 'FORBIDDEN', message: 'Nobody may raise their own role' }
  if (member.role === 'owner' && otherOwners === 0)
    return { code: 'LAST_OWNER', message: 'A workspace has at least one owner: make another one first' }
  return null
}

/** Returns why an invite to `role` is refused; null: it is allowed. */
export function refusedInvite(by: MemberRole, role: MemberRole): Refusal | null {
  if (!manages(by)) return notYours
  return role === 'owner' && by !== 'owner' ? ownersOnly : null
}
