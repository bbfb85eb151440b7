/**
 * Log-in, log-out, the current session, and switching its workspace. A log-in creates a new session
 * and ends the one that it came with. An unknown e-mail address is refused in the same words and
 * after the same work as a wrong password.
 * Source: docs/design/api/authentication.md#s2.
 */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { LoginAnswer, LoginBody, SessionAnswer, SwitchBody } from '../../../schemas/http/auth.ts'
import { iso } from '../../../schemas/http/common.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { canonicalEmail } from '../../credentials/email.ts'
import { mailFate } from '../../delivery/senders.ts'
import { insertAudit } from '../../store/audit.ts'
import { findLogin, findWorkspaces } from '../../store/lookups.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { beginningOf, deleteSession } from '../../store/sessions.ts'
import { teamsOf } from '../../store/teams.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { SESSION_COOKIE } from '../plugins/authentication.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import type { Guesses } from './guesses.ts'
import { memberOf } from './member.ts'
import {
  checkLoginOrigin,
  MAX_LOGIN_BYTES,
  openSession,
  refusedLogin,
  setSessionCookie,
  startSession,
  toUser,
  toWorkspaceSummary
} from './session-start.ts'

async function endSession(services: Services, request: FastifyRequest, caller: Caller | null): Promise<void> {
  if (caller?.kind !== 'session') return
  const { tenant_id, user_id, session_sha256 } = caller
  await keyedTransaction(services.pool, caller, async (tx) => {
    if (!(await deleteSession(tx, tenant_id, Buffer.from(session_sha256, 'hex')))) return
    await insertAudit(
      tx,
      tenant_id,
      { ...caller.actor, request_id: request.id },
      { action: 'session.ended', object_type: 'user', object_id: user_id }
    )
  })
}

/** Describes the caller as GET /auth/session answers it. */
async function sessionOf(services: Services, caller: Caller) {
  const joined = caller.kind === 'session' ? await findWorkspaces(services.pool, caller.user_id) : null
  return keyedTransaction(services.pool, caller, async (tx) => {
    const member = await memberOf(tx, caller)
    const workspace = await readWorkspace(tx, caller.tenant_id)
    if (!workspace) throw notFound()
    return {
      kind: caller.kind,
      user: caller.kind === 'session' ? toUser(member, await teamsOf(tx, caller.tenant_id, caller.user_id)) : null,
      token: caller.kind === 'token' ? { id: caller.token_id, name: caller.token_name, scopes: [...caller.token_scopes] } : null,
      workspace: toWorkspaceSummary(workspace),
      workspaces: (joined ?? [workspace]).map(toWorkspaceSummary),
      role: member.role,
      mail: mailFate(services.config),
      expires_at: iso(caller.expires_at)
    }
  })
}

export const authRoutes =
  (services: Services, guesses: Guesses): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool } = services

    app.route({
      ...on('login', { body: LoginBody, response: { 200: LoginAnswer } }),
      bodyLimit: MAX_LOGIN_BYTES,
      handler: async (request, reply) => {
        checkLoginOrigin(request, services)
        const { email, password, remember = false } = request.body
        const guess = guesses.begin(request.ip, email)
        admit(reply, guess.verdict)
        const found = await findLogin(pool, canonicalEmail(email))
        if (!(await guess.verify(found?.password_hash ?? null, password)) || !found) throw refusedLogin()
        if (found.disabled) throw new ApiError('ACCOUNT_DISABLED', 'The account is disabled')
        guess.right()
        return startSession(services, request, reply, { ...found, remembered: remember })
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
        if (caller.kind !== 'session') throw new Error('This route is for sessions: its row among the endpoints says otherwise')
        const workspaces = await findWorkspaces(pool, caller.user_id)
        const target = workspaces.find((one) => one.tenant_id === request.body.workspace_id.toLowerCase())
        if (!target) throw notFound()
        const { tenant_id } = target
        const begun = await keyedTransaction(pool, caller, (tx) =>
          beginningOf(tx, caller.tenant_id, Buffer.from(caller.session_sha256, 'hex'))
        )
        if (!begun) throw new ApiError('TOKEN_EXPIRED_OR_REVOKED', 'The session has ended. Log in again')
        const session = await keyedTransaction(pool, wholeWorkspace(tenant_id), (tx) =>
          openSession(tx, request, { tenant_id, user_id: caller.user_id, ...begun })
        )
        const entry = await services.credentials.session(session.value)
        if (!entry) throw new Error('The session that was just made is not found')
        const answer = await sessionOf(services, { ...caller, tenant_id, seen_by: caller.user_id, expires_at: entry.expires_at })
        // Last, because the end closes the sockets of other tabs, which read their session then.
        await endSession(services, request, caller)
        setSessionCookie(reply, services, session.value, begun.remembered ? session.expires_at : null)
        return answer
      }
    })
  }
