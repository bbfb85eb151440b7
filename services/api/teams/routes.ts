/**
 * Teams: who belongs to them, and whether what they own is for everybody or only for their members.
 * Every change is made under the workspace's lock. People who lose sight of ongoing incidents get
 * `incident.removed` from the same transaction.
 * Source: docs/design/api/on-call.md#oc-25 to #oc-27.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import {
  CreateTeamBody,
  type TeamDetail as Detail,
  MAX_TEAM_MEMBERS,
  PutTeamMemberBody,
  TeamDetail,
  TeamList,
  TeamQuery,
  UpdateTeamBody
} from '../../../schemas/http/teams.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Audience } from '../../../streams/define.ts'
import { actorText, difference, insertAudit, isUnchanged } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { changeJobs } from '../../store/jobs.ts'
import { readListedMember } from '../../store/members.ts'
import { tellSightChanged } from '../../store/on-call-news.ts'
import { insertOutgoing } from '../../store/outbox.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import {
  countTeams,
  deleteTeam,
  deleteTeamMember,
  insertTeam,
  listTeamMembers,
  listTeams,
  ongoingOf,
  putTeamMember,
  readTeam,
  readTeamRole,
  type Team,
  type TeamSettings,
  type TeamUses,
  updateTeam,
  usesOfTeam
} from '../../store/teams.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { teamChatJob } from '../../store/war-rooms.ts'
import { chosenPolicy, givenPolicy } from '../escalation/rules.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { counted } from '../http/counted.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { taken } from '../http/taken.ts'
import { renewPrivateTeams } from '../routing/change.ts'
import type { Services } from '../services.ts'
import { checkLimit } from '../workspace/limits.ts'
import { MAX_REMOVED, removedFrames } from './frames.ts'
import { checkManages, seenTeam, teamSlugOf } from './rules.ts'

const toTeam = ({ team_id, tenant_id, name, slug, description, visibility, member_count, ver, created_at, updated_at, ...more }: Team) => ({
  id: team_id,
  tenant_id,
  name,
  slug,
  description,
  visibility,
  escalation_policy_id: more.escalation_policy_id,
  member_count,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
  version: ver
})

async function detailOf(tx: Tx, team: Team): Promise<Detail> {
  const members = await listTeamMembers(tx, team.tenant_id, team.team_id)
  return { ...toTeam(team), members: members.map((member) => ({ ...member, joined_at: iso(member.joined_at) })) }
}

const settingsOf = ({ name, slug, description, visibility, escalation_policy_id }: TeamSettings): TeamSettings => ({
  name,
  slug,
  description,
  visibility,
  escalation_policy_id
})

/** Writes the team after a change to the audit log and as a version. */
async function record(tx: Tx, { tenant_id, actor }: Caller, action: string, before: Team | null, after: Team): Promise<void> {
  const diff = before ? difference(settingsOf(before), settingsOf(after)) : {}
  await insertAudit(tx, tenant_id, actor, { action, object_type: 'team', object_id: after.team_id, diff })
  const body = settingsOf(after)
  await insertConfigVersion(tx, tenant_id, { kind: 'team', id: after.team_id, version: after.ver, body, actor: actorText(actor) })
}

const names: Readonly<Record<keyof TeamUses, string>> = {
  monitors: 'monitors',
  heartbeats: 'heartbeats',
  integrations: 'integrations',
  channels: 'notification channels',
  incidents: 'ongoing incidents',
  escalation_policies: 'escalation policies',
  routing_rules: 'routing rules',
  schedules: 'on-call schedules'
}

/**
 * Refuses to delete a team that still owns something. Otherwise it would belong to nobody, and
 * nobody would notice.
 */
function checkUnused(uses: TeamUses): void {
  const used = (Object.keys(names) as (keyof TeamUses)[]).filter((key) => uses[key] > 0)
  if (used.length === 0) return
  const list = used.map((key) => counted(uses[key], names[key])).join(', ')
  const details = used.map((key) => ({ path: key, rule: 'in_use', message: names[key], actual: uses[key] }))
  throw new ApiError('IN_USE', `The team still has ${list}. Move them to another team first`, { details })
}

const slugTaken = taken('teams_slug', 'SLUG_TAKEN', 'slug', 'team')

const Params = Type.Object({ id: Id })
const MemberParams = Type.Object({ id: Id, user_id: Id })

export const teamRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    /**
     * Tells people who no longer see the team's ongoing incidents. In an open team everybody sees
     * incidents for the whole workspace, and only members see incidents that are private
     * themselves. The caller need not see these incidents.
     */
    async function tellRemoved(tx: Tx, { tenant_id, actor }: Caller, { team_id, visibility }: Team, cause: string, audience: Audience) {
      const at = Date.now()
      const lost = visibility === 'private' ? null : audience === 'tenant' ? 'org' : 'private'
      const leaving = await seeingAll(tx, (tx) => ongoingOf(tx, tenant_id, team_id, MAX_REMOVED, lost))
      await insertOutgoing(tx, removedFrames(tenant_id, leaving, { audience, cause, at, src: actorText(actor) }), codec)
    }

    app.route({
      ...on('listTeams', { querystring: TeamQuery, response: { 200: TeamList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listTeams(tx, caller.tenant_id, filter, page))
        return envelope(items.map(toTeam), total, page)
      }
    })

    app.route({
      ...on('createTeam', { body: CreateTeamBody, response: { 201: TeamDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const { name, slug = teamSlugOf(name), description = '', visibility = 'org' } = request.body
        const team_id = uuidv7()
        const policy_id = request.body.escalation_policy_id ?? null
        // A policy that they do not see is treated as unknown.
        if (policy_id !== null) await keyedTransaction(pool, caller, (tx) => chosenPolicy(tx, caller, policy_id))
        // The creator of a private team does not see it before they belong to it.
        const team = await keyedTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
          await checkLimit(tx, tenant_id, 'teams', countTeams)
          const escalation_policy_id = await chosenPolicy(tx, caller, policy_id)
          await insertTeam(tx, tenant_id, team_id, { name, slug, description, visibility, escalation_policy_id })
          await putTeamMember(tx, tenant_id, team_id, user_id, 'lead')
          const created = await readTeam(tx, tenant_id, team_id)
          if (!created) throw notFound()
          await record(tx, caller, 'team.created', null, created)
          await renewPrivateTeams(tx, caller)
          return detailOf(tx, created)
        }).catch(slugTaken)
        return reply.code(201).header('etag', `"${team.version}"`).send(team)
      }
    })

    app.route({
      ...on('readTeam', { params: Params, response: { 200: TeamDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const team = await keyedTransaction(pool, caller, async (tx) => detailOf(tx, await seenTeam(tx, caller, request.params.id)))
        return reply.header('etag', `"${team.version}"`).send(team)
      }
    })

    app.route({
      ...on('updateTeam', { params: Params, body: UpdateTeamBody, response: { 200: TeamDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const team = await tenantTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          const before = await seenTeam(tx, caller, request.params.id)
          await checkManages(tx, caller, before)
          const escalation_policy_id = await givenPolicy(tx, caller, before.escalation_policy_id, request.body.escalation_policy_id)
          const settings = { ...settingsOf(before), ...request.body, escalation_policy_id }
          if (isUnchanged(settingsOf(before), settings)) return detailOf(tx, before)
          const narrows = before.visibility === 'org' && settings.visibility === 'private'
          // Afterwards only its members manage the team: a caller who is no member would lock
          // themselves out.
          if (narrows) await checkManages(tx, caller, { ...before, visibility: 'private' })
          await updateTeam(tx, tenant_id, before.team_id, settings)
          const after = await seenTeam(tx, caller, before.team_id)
          await record(tx, caller, 'team.updated', before, after)
          if (settings.visibility !== before.visibility) {
            await renewPrivateTeams(tx, caller)
            await changeJobs(tx, [teamChatJob(after)])
          }
          if (narrows) await tellRemoved(tx, caller, before, `private ${after.ver}`, 'tenant')
          if (settings.visibility !== before.visibility) await tellSightChanged(tx, tenant_id, 'tenant')
          return detailOf(tx, after)
        }).catch(slugTaken)
        return reply.header('etag', `"${team.version}"`).send(team)
      }
    })

    app.route({
      ...on('deleteTeam', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        await tenantTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          const { team_id: id, ...team } = await seenTeam(tx, caller, request.params.id)
          await checkManages(tx, caller, { ...team, team_id: id })
          // Uses that the caller cannot see are counted, too.
          checkUnused(await seeingAll(tx, (tx) => usesOfTeam(tx, tenant_id, id)))
          await deleteTeam(tx, tenant_id, id)
          await insertAudit(tx, tenant_id, actor, { action: 'team.deleted', object_type: 'team', object_id: id })
          const body = { deleted: true }
          await insertConfigVersion(tx, tenant_id, { kind: 'team', id, version: team.ver + 1, body, actor: actorText(actor) })
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('putTeamMember', { params: MemberParams, body: PutTeamMemberBody, response: { 200: TeamDetail } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const { role = 'member' } = request.body
        return keyedTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          const team = await seenTeam(tx, caller, request.params.id)
          await checkManages(tx, caller, team)
          const member = await readListedMember(tx, tenant_id, request.params.user_id.toLowerCase())
          if (!member) throw notFound()
          const isNew = (await readTeamRole(tx, tenant_id, team.team_id, member.user_id)) === null
          if (isNew && team.member_count >= MAX_TEAM_MEMBERS)
            throw invalid('user_id', 'limit', `a team has at most ${MAX_TEAM_MEMBERS} members`)
          if (await putTeamMember(tx, tenant_id, team.team_id, member.user_id, role)) {
            await insertAudit(tx, tenant_id, actor, {
              action: 'team.member_set',
              object_type: 'team',
              object_id: team.team_id,
              diff: { user_id: [null, member.user_id], role: [null, role] }
            })
            if (isNew && team.visibility === 'private') await tellSightChanged(tx, tenant_id, `user:${member.user_id}`)
          }
          return detailOf(tx, await seenTeam(tx, caller, team.team_id))
        })
      }
    })

    /** Everybody may leave; to remove another person, the caller must manage the team. */
    const removeMember = (caller: Caller, id: string, user_id: string): Promise<void> =>
      tenantTransaction(pool, caller, async (tx) => {
        const { tenant_id, actor } = caller
        await lockWorkspace(tx, tenant_id)
        const team = await seenTeam(tx, caller, id)
        if (user_id !== caller.user_id) await checkManages(tx, caller, team)
        if (!(await deleteTeamMember(tx, tenant_id, team.team_id, user_id))) throw notFound()
        await insertAudit(tx, tenant_id, actor, {
          action: 'team.member_removed',
          object_type: 'team',
          object_id: team.team_id,
          diff: { user_id: [user_id, null] }
        })
        await tellRemoved(tx, caller, team, `left ${Date.now()} ${user_id}`, `user:${user_id}`)
        if (team.visibility === 'private') await tellSightChanged(tx, tenant_id, `user:${user_id}`)
      })

    app.route({
      ...on('deleteTeamMember', { params: MemberParams, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await removeMember(callerOf(request), request.params.id, request.params.user_id.toLowerCase())
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('leaveTeam', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await removeMember(caller, request.params.id, caller.user_id)
        return reply.code(204).send(null)
      }
    })
  }
