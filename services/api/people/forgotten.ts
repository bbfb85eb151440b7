/**
 * A forgotten password: a mail with a link, and the new password. The answer to the first does not
 * say whether there is such an account, by its words or by its time.
 * Source: docs/design/api/authentication.md#au-6 and #au-7.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ForgotPasswordBody, ResetPasswordBody } from '../../../schemas/http/auth.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { canonicalEmail } from '../../credentials/email.ts'
import { readReset, verifyReset } from '../../credentials/reset-links.ts'
import { mailFate } from '../../delivery/senders.ts'
import { senderOf } from '../../http/networks.ts'
import { insertAudit } from '../../store/audit.ts'
import { changeJobs } from '../../store/jobs.ts'
import { findLogin, type LoginRow } from '../../store/lookups.ts'
import { keyedTransaction, type Pool } from '../../store/pool.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { lockPasswordHash, noteReset, readMember, readRole, updatePassword } from '../../store/users.ts'
import { on } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { checkLoginOrigin, hashChosen, MAX_LOGIN_BYTES } from './session-start.ts'

/** An answer takes at least this long, so that its time does not show whether a mail is sent. */
const ANSWER_MS = 300
/** No session is kept. */
const NONE = Buffer.alloc(0)

const gone = (): ApiError => new ApiError('TOKEN_EXPIRED', 'This link is unknown, used or too old. Ask for another one')

/** Starts the job that sends the link, unless one was sent a moment ago. */
async function sendLink(pool: Pool, { tenant_id, user_id }: Pick<LoginRow, 'tenant_id' | 'user_id'>): Promise<void> {
  await keyedTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    if (!(await noteReset(tx, tenant_id, user_id))) return
    const idem_key = `password_reset:${user_id}`
    await changeJobs(tx, [{ start: 'password_reset', idem_key, tenant_id, run_at: Date.now(), payload: { user_id } }])
  })
}

export const forgottenRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, buckets, config } = services

    app.route({
      ...on('forgotPassword', { body: ForgotPasswordBody, response: { 202: Type.Null() } }),
      bodyLimit: MAX_LOGIN_BYTES,
      handler: async (request, reply) => {
        checkLoginOrigin(request, services)
        // The mailbox of a local run is read by other people, too.
        if (mailFate(config) !== 'sent' || config.secretsKey === '')
          throw new ApiError('NOT_IMPLEMENTED', 'This service sends no mail. Ask its operator for a link that sets a new password')
        const email = canonicalEmail(request.body.email)
        const sender = `forgotten ${senderOf(request.ip)}`
        admit(reply, buckets.take('auth', `${sender} ${email}`, 'free'))
        admit(reply, buckets.take('auth_address', sender, 'free'))
        const answerAt = sleep(ANSWER_MS)
        const found = await findLogin(pool, email)
        if (found && !found.disabled) await sendLink(pool, found)
        await answerAt
        return reply.code(202).send(null)
      }
    })

    app.route({
      ...on('resetPassword', { body: ResetPasswordBody, response: { 204: Type.Null() } }),
      bodyLimit: MAX_LOGIN_BYTES,
      handler: async (request, reply) => {
        checkLoginOrigin(request, services)
        admit(reply, buckets.take('auth_address', `reset ${senderOf(request.ip)}`, 'free'))
        const { token, password } = request.body
        const reset = readReset(token)
        if (!reset) throw gone()
        const { tenant_id, user_id } = reset
        const { from, known } = await keyedTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
          const from = await lockPasswordHash(tx, tenant_id, user_id)
          const member = await readMember(tx, tenant_id, user_id)
          // An account that is disabled stays so.
          const isOpen = (await readRole(tx, tenant_id, user_id)) !== null
          const workspace = await readWorkspace(tx, tenant_id)
          const known = [member?.email, member?.name, workspace?.name, workspace?.slug].filter((word) => word !== undefined)
          return { from: isOpen ? from : null, known }
        })
        if (from === null || !verifyReset(config.secretsKey, token, Date.now(), from)) throw gone()
        const to = await hashChosen(services, request, reply, password, known)
        await keyedTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
          if (!(await updatePassword(tx, tenant_id, user_id, { from, to, kept: NONE }))) throw gone()
          const actor = { kind: 'user', id: user_id, via: 'mail', request_id: request.id } as const
          await insertAudit(tx, tenant_id, actor, { action: 'account.password_reset', object_type: 'user', object_id: user_id })
        })
        return reply.code(204).send(null)
      }
    })
  }
