/**
 * Invites: an admin creates one and passes its address on (the service does not send it by e-mail
 * yet). Anyone who has the address accepts it once, with a new account or with the password of an
 * existing one.
 * Source: docs/design/api/account.md#ac-9 to #ac-11.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { LoginAnswer, NewPassword } from '../../../schemas/http/auth.ts'
import { envelope, Id, iso, paging } from '../../../schemas/http/common.ts'
import {
  AcceptInviteBody,
  CreateInviteBody,
  type Invite,
  InviteList,
  InviteParams,
  InviteWithUrl,
  PublicInvite
} from '../../../schemas/http/members.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { mintInvite, sha256 } from '../../credentials/credentials.ts'
import { canonicalEmail, writtenEmail } from '../../credentials/email.ts'
import { createStrangers } from '../../http/strangers.ts'
import { insertAudit } from '../../store/audit.ts'
import {
  countSeats,
  createInvitedUser,
  deleteInvite,
  type Invite as InviteRow,
  insertInvite,
  listInvites,
  takeInvite
} from '../../store/invites.ts'
import { type InviteRow as FoundInvite, findInvite } from '../../store/lookups.ts'
import { countMembers, insertMember, isMemberAddress } from '../../store/members.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { joinTeams } from '../../store/teams.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { strangerOf } from '../plugins/admission.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { chosenTeam } from '../teams/rules.ts'
import { checkLimit } from '../workspace/limits.ts'
import type { Guesses } from './guesses.ts'
import { memberOf } from './member.ts'
import { refusedInvite } from './member-rules.ts'
import { checkLoginOrigin, hashChosen, MAX_LOGIN_BYTES, refusedLogin, startSession } from './session-start.ts'

const toDetail = ({ invite_id, tenant_id, email, role, team_ids, invited_by, expires_at, created_at }: InviteRow): Invite => ({
  id: invite_id,
  tenant_id,
  email,
  role,
  team_ids,
  invited_by,
  expires_at: iso(expires_at),
  created_at: iso(created_at)
})

const gone = (): ApiError => new ApiError('NOT_FOUND', 'This invite is unknown, used, withdrawn or expired')

const Params = Type.Object({ id: Id })

/** Returns each team once. Throws VALIDATION_FAILED for a team that does not exist. */
async function chosenTeams(tx: Tx, caller: Caller, named: readonly string[]): Promise<string[]> {
  const chosen = new Set<string>()
  for (const [at, id] of named.entries()) {
    const team_id = await chosenTeam(tx, caller, `team_ids[${at}]`, id)
    if (team_id !== null) chosen.add(team_id)
  }
  return [...chosen]
}

interface NewAccount {
  user_id: string
  name: string
  password_hash: string
}

/**
 * Checks what a new person must give. Throws VALIDATION_FAILED. `hash` refuses a password that is
 * easy to guess from the given words.
 */
async function newAccount(
  { name, password }: { name?: string; password: string },
  hash: (password: string, known: readonly string[]) => Promise<string>
): Promise<NewAccount> {
  if (name === undefined) throw invalid('name', 'required', 'is required of a new person')
  const { minLength: limit } = NewPassword
  const actual = [...password].length
  if (actual < limit) throw invalid('password', 'length', `must have at least ${limit} characters`, { limit, actual })
  return { user_id: uuidv7(), name, password_hash: await hash(password, [name]) }
}

export const inviteRoutes =
  (services: Services, guesses: Guesses): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, buckets, config } = services
    const strangers = createStrangers()
    const acceptUrl = (token: string): string => new URL(`/invites/${token}`, config.publicUrl).href

    app.route({
      ...on('listInvites', { querystring: Type.Object(paging), response: { 200: InviteList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, callerOf(request), (tx) => listInvites(tx, tenant_id, page))
        return envelope(items.map(toDetail), total, page)
      }
    })

    app.route({
      ...on('createInvite', { body: CreateInviteBody, response: { 201: InviteWithUrl } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const { role, team_ids: named = [] } = request.body
        const email = writtenEmail(request.body.email)
        const minted = mintInvite()
        const invite = await keyedTransaction(pool, callerOf(request), async (tx) => {
          await checkLimit(tx, tenant_id, 'members', countSeats)
          const refusal = refusedInvite((await memberOf(tx, caller)).role, role)
          if (refusal) throw new ApiError(refusal.code, refusal.message)
          if (await isMemberAddress(tx, tenant_id, canonicalEmail(email)))
            throw new ApiError('EMAIL_TAKEN', 'A member has this e-mail address')
          const team_ids = await chosenTeams(tx, caller, named)
          const made = await insertInvite(tx, tenant_id, { email, role, team_ids, invited_by: user_id, sha256: minted.sha256 })
          if (!made) throw new ApiError('EMAIL_TAKEN', 'An open invite for this e-mail address exists. Withdraw it to create a new one')
          await insertAudit(tx, tenant_id, actor, {
            action: 'invite.created',
            object_type: 'invite',
            object_id: made.invite_id,
            diff: { email: [null, email], role: [null, role], ...(team_ids.length > 0 && { team_ids: [null, team_ids] }) }
          })
          return made
        })
        return reply.code(201).send({ ...toDetail(invite), accept_url: acceptUrl(minted.value) })
      }
    })

    app.route({
      ...on('deleteInvite', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        await keyedTransaction(pool, callerOf(request), async (tx) => {
          const withdrawn = await deleteInvite(tx, tenant_id, request.params.id)
          if (!withdrawn) throw notFound()
          await insertAudit(tx, tenant_id, actor, { action: 'invite.withdrawn', object_type: 'invite', object_id: withdrawn.invite_id })
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('readInvite', { params: InviteParams, response: { 200: PublicInvite } }),
      handler: async (request) => {
        const found = await findInvite(pool, sha256(request.params.token))
        if (!found) throw gone()
        const { workspace_name: name, email, role, expires_at, account } = found
        return { workspace: { name }, email, role, expires_at: iso(expires_at), account_exists: account !== null }
      }
    })

    /** Turns the invite into a membership, in the same transaction as the session that follows. */
    async function join(tx: Tx, { tenant_id, invite_id }: FoundInvite, who: NewAccount | { user_id: string }, request_id: string) {
      const { user_id } = who
      await lockWorkspace(tx, tenant_id)
      const made = !('name' in who) || (await createInvitedUser(tx, invite_id, who))
      const invite = await takeInvite(tx, tenant_id, invite_id)
      if (!invite) throw gone()
      if (!made) throw new ApiError('EMAIL_TAKEN', 'An account with this e-mail address exists. Accept with its password')
      // An invite has reserved its seat, unless the plan has been reduced since.
      await checkLimit(tx, tenant_id, 'members', countMembers)
      if (!(await insertMember(tx, tenant_id, user_id, invite.role)))
        throw new ApiError('CONFLICT', 'You are already a member of this workspace')
      // The person who accepts does not see a private team before they belong to it.
      const joined = await seeingAll(tx, (tx) => joinTeams(tx, tenant_id, user_id, invite.team_ids))
      const diff: Record<string, [unknown, unknown]> = { role: [null, invite.role], ...(joined.length > 0 && { team_ids: [null, joined] }) }
      const actor = { kind: 'user', id: user_id, via: 'ui', request_id } as const
      await insertAudit(tx, tenant_id, actor, { action: 'invite.accepted', object_type: 'invite', object_id: invite_id, diff })
    }

    /**
     * Finds the invite of the request. An unknown one counts against the address, as unknown
     * credentials do.
     */
    async function findPresented(request: FastifyRequest<{ Params: Static<typeof InviteParams> }>, reply: FastifyReply) {
      const stranger = strangerOf(request)
      const isSlowed = !buckets.take('public', stranger, 'free', 0).admitted
      const lookUp = () => findInvite(pool, sha256(request.params.token))
      const found = await strangers.ask(isSlowed, lookUp)
      if (found) return found
      admit(reply, buckets.take('public', stranger, 'free'))
      throw gone()
    }

    app.route({
      ...on('acceptInvite', { params: InviteParams, body: AcceptInviteBody, response: { 200: LoginAnswer } }),
      bodyLimit: MAX_LOGIN_BYTES,
      handler: async (request, reply) => {
        checkLoginOrigin(request, services)
        const { password, remember = false } = request.body
        const found = await findPresented(request, reply)
        const { tenant_id, email, account } = found
        if (account) {
          const guess = guesses.begin(request.ip, email)
          admit(reply, guess.verdict)
          if (!(await guess.verify(account.password_hash, password))) throw refusedLogin()
          if (account.disabled) throw new ApiError('ACCOUNT_DISABLED', 'The account is disabled')
          guess.right()
        }
        const hash = (chosen: string, known: readonly string[]) =>
          hashChosen(services, request, reply, chosen, [...known, email, found.workspace_name])
        const who = account ?? (await newAccount(request.body, hash))
        const { user_id, password_hash } = who
        return startSession(services, request, reply, { tenant_id, user_id, password_hash, remembered: remember }, (tx) =>
          join(tx, found, who, request.id)
        )
      }
    })
  }
