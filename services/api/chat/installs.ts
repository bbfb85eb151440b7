/**
 * Installs apps of chat services. A person is sent to the vendor's page, adds the app to their
 * workspace there, and comes back. The way back is bound to their session, lasts ten minutes and
 * works once. Whatever the result, the person ends on a page of the dashboard that states it. The
 * vendor is asked outside of any transaction.
 * Source: docs/design/api/notifications.md#no-9 and #no-10, docs/design/outbound-channels.md#s4-6.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { InstallParams, InstallReturn } from '../../../schemas/http/chat.ts'
import type { InstallProblem } from '../../../schemas/http/chat-words.ts'
import { planOf } from '../../../schemas/plans.ts'
import { apps } from '../../channels/apps/index.ts'
import type { SendContext } from '../../channels/channel.ts'
import type { ChatApp, InstallOutcome } from '../../channels/install.ts'
import { mintInstallState, sha256 } from '../../credentials/credentials.ts'
import { SendFailure } from '../../delivery/failure.ts'
import { deploymentOf, sendersOf } from '../../delivery/senders.ts'
import { performSteps } from '../../delivery/steps.ts'
import { insertInstallState, takeInstallState } from '../../store/chat-installs.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { planHasApp, saveInstall } from '../notifications/channel-install.ts'
import type { Services } from '../services.ts'

const LIMITS = { connectMs: 5000, totalMs: 10_000 }

/** The endpoint table admits only sessions here. */
const sessionOf = (caller: Caller): string => (caller.kind === 'session' ? caller.session_sha256 : '')

export const installRoutes =
  ({ pool, config, log }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { publicUrl, secretsKey } = config
    const deployment = deploymentOf(config)
    const senders = sendersOf(config, pool)
    app.addHook('onClose', async () => senders.close())
    const contextOf = (): SendContext => ({ now: Date.now(), attempt: 1, doubtful: false, deployment })
    const wayBack = (kind: string): string => `${publicUrl}/api/v1/notifications/oauth/${kind}/callback`

    function known(kind: keyof typeof apps): ChatApp {
      const found = apps[kind]
      if (!found) throw notFound()
      return found
    }

    /**
     * The operator's account for the app; null: there is none, or no key to seal credentials with.
     */
    const accountOf = (chatApp: ChatApp) => (secretsKey === '' ? null : chatApp.account(deployment))

    const back = (reply: FastifyReply, { kind }: ChatApp, problem: InstallProblem) =>
      reply.redirect(`${publicUrl}/settings/channels/new?kind=${kind}&problem=${problem}`, 302)

    app.route({
      ...on('startInstall', { params: InstallParams, response: { 302: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const chatApp = known(request.params.kind)
        const { kind } = chatApp
        const account = accountOf(chatApp)
        if (!account) return back(reply, chatApp, 'not_set_up')
        if (!planHasApp(planOf(caller.plan), kind)) return back(reply, chatApp, 'plan')
        const { value, sha256: hash } = mintInstallState()
        const begun = { sha256: hash, user_id, session_sha256: sessionOf(caller), kind }
        await tenantTransaction(pool, caller, (tx) => insertInstallState(tx, tenant_id, begun))
        return reply.redirect(chatApp.authorizeUrl(account, { state: value, redirect_uri: wayBack(kind) }, contextOf()), 302)
      }
    })

    async function ask(chatApp: ChatApp, code: string): Promise<InstallOutcome> {
      const account = accountOf(chatApp)
      if (!account) return { outcome: 'refused', problem: 'not_set_up', why: 'the operator has set no such app' }
      const redirect_uri = wayBack(chatApp.kind)
      try {
        return await performSteps(senders.http, chatApp.install(account, { code, redirect_uri }, contextOf()), LIMITS)
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error
        return { outcome: 'refused', problem: 'unreachable', why: error.message }
      }
    }

    app.route({
      ...on('finishInstall', { params: InstallParams, querystring: InstallReturn, response: { 302: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const chatApp = known(request.params.kind)
        const { kind } = chatApp
        const { state, code, error } = request.query
        const begun = { sha256: sha256(state ?? ''), user_id, session_sha256: sessionOf(caller), kind }
        const isOurs = state !== undefined && (await tenantTransaction(pool, caller, (tx) => takeInstallState(tx, tenant_id, begun)))
        if (!isOurs) return back(reply, chatApp, 'state')
        if (code === undefined) return back(reply, chatApp, error === 'access_denied' ? 'denied' : 'refused')
        if (!planHasApp(planOf(caller.plan), kind)) return back(reply, chatApp, 'plan')
        const installed = await ask(chatApp, code)
        if (installed.outcome === 'refused') {
          log.warn({ kind, problem: installed.problem, why: installed.why, request_id: request.id }, 'an install came to nothing')
          return back(reply, chatApp, installed.problem)
        }
        try {
          const made = { app: chatApp, installed, secretsKey, now: Date.now() }
          const channel_id = await tenantTransaction(pool, caller, (tx) => saveInstall(tx, caller, made))
          return reply.redirect(`${publicUrl}/settings/channels/${channel_id}`, 302)
        } catch (failure) {
          if (!(failure instanceof ApiError) || failure.code !== 'TIER_LIMIT_EXCEEDED') throw failure
          return back(reply, chatApp, 'limit')
        }
      }
    })
  }
