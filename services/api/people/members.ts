/**
 * Members of a workspace: their roles and their removal. member-rules.ts decides every change under
 * the workspace's lock. So if two changes together would leave no owner, one of them is refused.
 * Source: docs/design/api/account.md#ac-8, #ac-12.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso, paging } from '../../../schemas/http/common.ts'
import { type MemberRole, roles } from '../../../schemas/http/endpoints.ts'
import { DeleteMemberQuery, Member as Detail, type Member, MemberList, UpdateMemberBody } from '../../../schemas/http/members.ts'
import { scopesOfRole } from '../../../schemas/http/rights.ts'
import { type Act, actorText, insertAudit } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { withdrawInvitesOf } from '../../store/invites.ts'
import { countOtherOwners, deleteMember, type ListedMember, listMembers, readListedMember, updateRole } from '../../store/members.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { checkLeaving } from '../on-call/leaving.ts'
import type { Services } from '../services.ts'
import { memberOf } from './member.ts'
import { refusedChange } from './member-rules.ts'

const toDetail = (tenant_id: string, { user_id, name, email, role, joined_at, last_seen_at }: ListedMember): Member => ({
  user_id,
  tenant_id,
  name,
  email,
  role,
  joined_at: iso(joined_at),
  last_seen_at: iso(last_seen_at)
})

/** Returns the roles to which a person with `role` may not invite. */
function beyond(role: MemberRole | null): readonly MemberRole[] {
  if (role === null || !scopesOfRole[role].includes('admin')) return roles
  return role === 'owner' ? [] : ['owner']
}

/**
 * Checks that the change to `role` (null: removal) is allowed, and returns the member. Throws
 * NOT_FOUND, FORBIDDEN, LAST_OWNER.
 */
async function checkedMember(tx: Tx, caller: Caller, user_id: string, role: MemberRole | null): Promise<ListedMember> {
  const { tenant_id } = caller
  await lockWorkspace(tx, tenant_id)
  const by = await memberOf(tx, caller)
  const member = await readListedMember(tx, tenant_id, user_id)
  if (!member) throw notFound()
  const refusal = refusedChange({ by, member, role, otherOwners: await countOtherOwners(tx, tenant_id, user_id) })
  if (refusal) throw new ApiError(refusal.code, refusal.message)
  return member
}

/**
 * Writes the audit entry, and withdraws the person's invites to roles that they may no longer give.
 */
async function record(tx: Tx, { tenant_id, actor }: Caller, user_id: string, role: MemberRole | null, act: Pick<Act, 'action' | 'diff'>) {
  await insertAudit(tx, tenant_id, actor, { ...act, object_type: 'user', object_id: user_id })
  for (const { invite_id } of await withdrawInvitesOf(tx, tenant_id, user_id, beyond(role))) {
    await insertAudit(tx, tenant_id, actor, { action: 'invite.withdrawn', object_type: 'invite', object_id: invite_id })
  }
}

const Params = Type.Object({ user_id: Id })

export const memberRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listMembers', { querystring: Type.Object(paging), response: { 200: MemberList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, callerOf(request), (tx) => listMembers(tx, tenant_id, page))
        return envelope(
          items.map((member) => toDetail(tenant_id, member)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('updateMember', { params: Params, body: UpdateMemberBody, response: { 200: Detail } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { role, replace_with } = request.body
        return tenantTransaction(pool, callerOf(request), async (tx) => {
          const member = await checkedMember(tx, caller, request.params.user_id, role)
          if (role === member.role) return toDetail(tenant_id, member)
          await checkLeaving(tx, caller, member, role, replace_with?.toLowerCase() ?? null)
          await updateRole(tx, tenant_id, member.user_id, role)
          await record(tx, caller, member.user_id, role, { action: 'member.updated', diff: { role: [member.role, role] } })
          return toDetail(tenant_id, { ...member, role })
        })
      }
    })

    app.route({
      ...on('deleteMember', { params: Params, querystring: DeleteMemberQuery, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        await tenantTransaction(pool, callerOf(request), async (tx) => {
          const { user_id, role } = await checkedMember(tx, caller, request.params.user_id, null)
          await checkLeaving(tx, caller, { user_id, role }, null, request.query.replace_with?.toLowerCase() ?? null)
          for (const { token_id: id, ver: version } of await deleteMember(tx, tenant_id, user_id)) {
            await insertAudit(tx, tenant_id, actor, { action: 'api_token.deleted', object_type: 'api_token', object_id: id })
            await insertConfigVersion(tx, tenant_id, { kind: 'api_token', id, version, body: { deleted: true }, actor: actorText(actor) })
          }
          await record(tx, caller, user_id, null, { action: 'member.removed', diff: { role: [role, null] } })
        })
        return reply.code(204).send(null)
      }
    })
  }
