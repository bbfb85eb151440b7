/**
 * Log-in, log-out, the current session, switching its workspace. A log-in makes a new session and ends the one it came with; an unknown e-mail address
 * is refused in the same words and after the same work as a wrong password. Source: api-design.md section 2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { LoginAnswer, LoginBody, SessionAnswer, SwitchBody, type User, type WorkspaceSummary } from '../../../schemas/http/auth.ts'
import { iso } from '../../../schemas/http/common.ts'
import { mintSession, sha256, verifyPassword } from '../../credentials.ts'
import { insertAudit } from '../../store/audit.ts'
import { findLogin, findWorkspaces, type WorkspaceRow } from '../../store/lookups.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { deleteSession, insertSession } from '../../store/sessions.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { type Member, readMember } from '../../store/users.ts'
import { type Caller, callerOf } from '../caller.ts'
import { on } from '../endpoint.ts'
import { ApiError, notFound } from '../errors.ts'
import { isSameOrigin, SESSION_COOKIE, sessionCookie } from '../plugins/authentication.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'

export const toUser = (member: Member): User => ({
  id: member.user_id,
  email: member.email,
  name: member.name,
  avatar_url: null,
  time_zone: member.time_zone,
  locale: member.locale,
  mfa_enabled: false,
  role: member.role,
  teams: [],
  created_at: iso(member.created_at),
  updated_at: iso(member.updated_at)
})

export const toWorkspaceSummary = ({ tenant_id, name, slug, plan }: WorkspaceRow): WorkspaceSummary => ({ id: tenant_id, name, slug, plan })

const refused = (): ApiError => new ApiError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong')

/** Forgotten when the browser closes, unless it is to be remembered. */
function setCookie(reply: FastifyReply, services: Services, value: string, until: number | null): void {
  reply.setCookie(SESSION_COOKIE, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: services.publicOrigin.startsWith('https:'),
    ...(until !== null && { expires: new Date(until) })
  })
}

async function endSession(services: Services, request: FastifyRequest, caller: Caller | null): Promise<void> {
  if (caller?.kind !== 'session') return
  const { tenant_id, user_id, session_sha256 } = caller
  await tenantTransaction(services.pool, tenant_id, async (tx) => {
    if (!(await deleteSession(tx, tenant_id, Buffer.from(session_sha256, 'hex')))) return
    await insertAudit(
      tx,
      tenant_id,
      { ...caller.actor, request_id: request.id },
      { action: 'session.ended', object_type: 'user', object_id: user_id }
    )
  })
}

/** Who the caller is, as GET /auth/session answers it. */
async function sessionOf(services: Services, caller: Caller) {
  return tenantTransaction(services.pool, caller.tenant_id, async (tx) => {
    const [member, workspace] = [await readMember(tx, caller.tenant_id, caller.user_id), await readWorkspace(tx, caller.tenant_id)]
    if (!member || !workspace) throw new ApiError('TOKEN_EXPIRED_OR_REVOKED', 'You are no longer a member of this workspace')
    return {
      kind: caller.kind,
      user: caller.kind === 'session' ? toUser(member) : null,
      token: caller.kind === 'token' ? { id: caller.token_id, name: caller.token_name, scopes: [...caller.token_scopes] } : null,
      workspace: toWorkspaceSummary(workspace),
      role: member.role,
      expires_at: iso(caller.expires_at)
    }
  })
}

export const authRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, buckets } = services

    app.route({
      ...on('login', { body: LoginBody, response: { 200: LoginAnswer } }),
      handler: async (request, reply) => {
        // Nobody may log a visitor of his page in under an account of his own.
        if (request.headers.origin !== undefined && !isSameOrigin(request, services.publicOrigin)) {
          throw new ApiError('ORIGIN_REJECTED', 'A log-in has to come from a page of this service')
        }
        const { email, password, remember = false } = request.body
        const account = `account ${email.toLowerCase()}`
        admit(reply, buckets.take('auth', account, 'free'))
        const found = await findLogin(pool, email)
        if (!(await verifyPassword(found?.password_hash ?? null, password)) || !found) throw refused()
        if (found.disabled) throw new ApiError('ACCOUNT_DISABLED', 'The account is disabled')
        // The limit is on guessing: who knew the password gets his tries back.
        buckets.giveBack('auth', account)
        buckets.giveBack('auth', `address ${request.ip}`)
        const presented = sessionCookie(request)
        if (presented !== null) {
          const old = await services.credentials.session(presented)
          if (old) await tenantTransaction(pool, old.tenant_id, (tx) => deleteSession(tx, old.tenant_id, sha256(presented)))
        }
        const { tenant_id, user_id } = found
        const workspaces = await findWorkspaces(pool, user_id)
        const session = mintSession()
        const opened = await tenantTransaction(pool, tenant_id, async (tx) => {
          const expires_at = await insertSession(tx, tenant_id, {
            sha256: session.sha256,
            user_id,
            ip: request.ip,
            user_agent: request.headers['user-agent'] ?? null
          })
          await insertAudit(
            tx,
            tenant_id,
            { kind: 'user', id: user_id, via: 'ui', request_id: request.id },
            { action: 'session.started', object_type: 'user', object_id: user_id }
          )
          return { expires_at, member: await readMember(tx, tenant_id, user_id) }
        })
        const workspace = workspaces.find((one) => one.tenant_id === tenant_id)
        if (!opened.member || !workspace) throw refused()
        setCookie(reply, services, session.value, remember ? opened.expires_at : null)
        return {
          user: toUser(opened.member),
          workspace: toWorkspaceSummary(workspace),
          workspaces: workspaces.map(toWorkspaceSummary),
          expires_at: iso(opened.expires_at)
        }
      }
    })

    app.route({
      ...on('logout', { response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await endSession(services, request, request.caller)
        reply.clearCookie(SESSION_COOKIE, { path: '/' })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('session', { response: { 200: SessionAnswer } }),
      handler: (request) => sessionOf(services, callerOf(request))
    })

    app.route({
      ...on('switchWorkspace', { body: SwitchBody, response: { 200: SessionAnswer } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const workspaces = await findWorkspaces(pool, caller.user_id)
        const target = workspaces.find((one) => one.tenant_id === request.body.workspace_id.toLowerCase())
        if (!target) throw notFound()
        const { tenant_id } = target
        const session = mintSession()
        await tenantTransaction(pool, tenant_id, async (tx) => {
          await insertSession(tx, tenant_id, {
            sha256: session.sha256,
            user_id: caller.user_id,
            ip: request.ip,
            user_agent: request.headers['user-agent'] ?? null
          })
          await insertAudit(tx, tenant_id, caller.actor, { action: 'session.started', object_type: 'user', object_id: caller.user_id })
        })
        await endSession(services, request, caller)
        const entry = await services.credentials.session(session.value)
        if (!entry) throw new Error('The session that was just made is not found')
        setCookie(reply, services, session.value, null)
        return sessionOf(services, { ...caller, tenant_id, expires_at: entry.expires_at })
      }
    })
  }
