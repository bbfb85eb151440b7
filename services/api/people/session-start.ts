/**
 * Starts a session and sets its cookie, after a log-in and after an accepted invite. The session
 * that the request came with ends.
 * Source: docs/design/api/authentication.md#s2.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { LoginAnswer, User, WorkspaceSummary } from '../../../schemas/http/auth.ts'
import { iso } from '../../../schemas/http/common.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { hashPassword, mintSession, sha256 } from '../../credentials/credentials.ts'
import { weakness } from '../../credentials/passwords.ts'
import { senderOf } from '../../http/networks.ts'
import { insertAudit } from '../../store/audit.ts'
import { findWorkspaces, type WorkspaceRow } from '../../store/lookups.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { deleteSession, insertSession } from '../../store/sessions.ts'
import { teamsOf } from '../../store/teams.ts'
import { lockPasswordHash, type Member, readMember } from '../../store/users.ts'
import { ApiError, invalid } from '../http/errors.ts'
import { pageOf, SESSION_COOKIE, sessionCookie } from '../plugins/authentication.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'

/** `teams`: ids of teams in this workspace. */
export const toUser = (member: Member, teams: string[]): User => ({
  id: member.user_id,
  email: member.email,
  name: member.name,
  avatar_url: null,
  time_zone: member.time_zone,
  locale: member.locale,
  mfa_enabled: false,
  role: member.role,
  teams,
  created_at: iso(member.created_at),
  updated_at: iso(member.updated_at)
})

export const toWorkspaceSummary = ({ tenant_id, name, slug, plan }: WorkspaceRow): WorkspaceSummary => ({ id: tenant_id, name, slug, plan })

/**
 * The body of a log-in is read from unknown senders, so it may be only as large as its fields need.
 */
export const MAX_LOGIN_BYTES = 16 * 1024

/** The words are the same whatever was wrong. */
export const refusedLogin = (): ApiError => new ApiError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong')

/**
 * Returns the hash of a password that a person chooses. Throws VALIDATION_FAILED if it is too easy
 * to guess for somebody who knows `known`, and RATE_LIMITED for an address that tries too many such
 * passwords.
 */
export async function hashChosen(
  { buckets }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  password: string,
  known: readonly string[]
) {
  const key = `password ${senderOf(request.ip)}`
  admit(reply, buckets.take('refused', key, 'free'))
  const why = await weakness(password, known)
  if (why !== null) throw invalid('password', 'common_password', why)
  buckets.giveBack('refused', key)
  return hashPassword(password)
}

/** Another site must not log its visitors in to an account of its own. */
export function checkLoginOrigin(request: FastifyRequest, { origins }: Services): void {
  if (pageOf(request, origins) === 'another') {
    throw new ApiError('ORIGIN_REJECTED', 'A login must come from a page of this service')
  }
}

/** Without `until`, the browser forgets the cookie when it closes. */
export function setSessionCookie(reply: FastifyReply, { config }: Services, value: string, until: number | null): void {
  reply.setCookie(SESSION_COOKIE, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: config.publicUrl.startsWith('https:'),
    ...(until !== null && { expires: new Date(until) })
  })
}

/** Ends the session of the request's cookie, if it is still valid. */
async function endPresented({ credentials, pool }: Services, request: FastifyRequest): Promise<void> {
  const presented = sessionCookie(request)
  if (presented === null) return
  const old = await credentials.session(presented)
  if (old) await keyedTransaction(pool, wholeWorkspace(old.tenant_id), (tx) => deleteSession(tx, old.tenant_id, sha256(presented)))
}

export interface Beginner {
  tenant_id: string
  user_id: string
  /** The hash with which the person's password was compared. */
  password_hash: string
  /** Whether the session outlives the browser's window. */
  remembered: boolean
  /** When the session that this one replaces would have ended, in epoch ms. */
  until?: number
}

/**
 * Opens a session for a person who has proven who they are, in the same transaction. Throws
 * INVALID_CREDENTIALS if the person is no member of the workspace, or has another password by now:
 * changing the password ends all sessions, and this one must not be added afterwards.
 */
export async function openSession(
  tx: Tx,
  request: FastifyRequest,
  { tenant_id, user_id, password_hash, ...lasting }: Beginner
): Promise<{ value: string; expires_at: number; member: Member }> {
  if ((await lockPasswordHash(tx, tenant_id, user_id)) !== password_hash) throw refusedLogin()
  const member = await readMember(tx, tenant_id, user_id)
  if (!member) throw refusedLogin()
  const { value, sha256 } = mintSession()
  const { ip, headers } = request
  const expires_at = await insertSession(tx, tenant_id, { sha256, user_id, ip, user_agent: headers['user-agent'] ?? null, ...lasting })
  const actor = { kind: 'user', id: user_id, via: 'ui', request_id: request.id } as const
  await insertAudit(tx, tenant_id, actor, { action: 'session.started', object_type: 'user', object_id: user_id })
  return { value, expires_at, member }
}

/**
 * Opens a session and sets its cookie on the answer, as a log-in does. `before` runs first in the
 * same transaction. Throws like openSession.
 */
export async function startSession(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  who: Beginner,
  before?: (tx: Tx) => Promise<void>
): Promise<Static<typeof LoginAnswer>> {
  const { pool } = services
  const { tenant_id, user_id, remembered } = who
  const opened = await keyedTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    await before?.(tx)
    return { ...(await openSession(tx, request, who)), teams: await teamsOf(tx, tenant_id, who.user_id) }
  })
  await endPresented(services, request)
  const workspaces = await findWorkspaces(pool, user_id)
  const workspace = workspaces.find((one) => one.tenant_id === tenant_id)
  if (!workspace) throw refusedLogin()
  setSessionCookie(reply, services, opened.value, remembered ? opened.expires_at : null)
  return {
    user: toUser(opened.member, opened.teams),
    workspace: toWorkspaceSummary(workspace),
    workspaces: workspaces.map(toWorkspaceSummary),
    expires_at: iso(opened.expires_at)
  }
}
