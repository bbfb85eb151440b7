/**
 * Reads the person behind a caller as the workspace has them now, where the role in a cached
 * credential is not good enough.
 */
import type { Tx } from '../../store/pool.ts'
import { type Member, readMember } from '../../store/users.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'

/** Throws TOKEN_EXPIRED_OR_REVOKED if the person has left meanwhile. */
export async function memberOf(tx: Tx, { tenant_id, user_id }: Caller): Promise<Member> {
  const member = await readMember(tx, tenant_id, user_id)
  if (!member) throw new ApiError('TOKEN_EXPIRED_OR_REVOKED', 'You are no longer a member of this workspace')
  return member
}
