/**
 * Links in mails. Opening one changes nothing, because mail servers and browsers open addresses by
 * themselves. A POST performs the action, and whether it is allowed is decided at that moment: the
 * person must still be a member, have the right, and see the incident.
 * Source: docs/design/api/notifications.md#no-28, RFC 8058.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { MailLinkAnswer, MailLinkParams } from '../../../schemas/http/mail-links.ts'
import { rightsOf, roleOf } from '../../../schemas/http/rights.ts'
import { seenBy, wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { planOf } from '../../../schemas/plans.ts'
import { sha256 } from '../../credentials/credentials.ts'
import { type Link, readLink, verifyLink } from '../../credentials/links.ts'
import { insertAudit } from '../../store/audit.ts'
import { confirmChannel } from '../../store/channels.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { findConfirmation, readActor, readMailChannel, stopMails } from '../../store/mail-links.ts'
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import type { Caller } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import { actions, locksOf } from '../incidents/actions.ts'
import { command } from '../incidents/commands.ts'
import type { Services } from '../services.ts'

const gone = (): ApiError => new ApiError('NOT_FOUND', 'This link is unknown, used or too old')

/**
 * The MAC is verified after the data that it is bound to was read; nothing else of a link is
 * trusted before.
 */
function checkLink(secretsKey: string, token: string, bound = ''): void {
  if (!verifyLink(secretsKey, token, Date.now(), bound)) throw gone()
}

/** The one-click bodies of mail programs (RFC 8058, 3.2) carry no further information. */
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
const MAX_FORM_BYTES = 4096

export const mailLinkRoutes =
  ({ pool, codec, config: { secretsKey, publicUrl } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.addContentTypeParser(FORMS, { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES }, (_request, _body, done) => done(null, {}))

    /**
     * Returns the member whose link it is, with their present rights. Throws NOT_FOUND and
     * FORBIDDEN.
     */
    async function memberOf(request: FastifyRequest, token: string, { tenant_id, user_id }: Link) {
      checkLink(secretsKey, token)
      const actor =
        user_id === null ? null : await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => readActor(tx, tenant_id, user_id))
      if (!actor) throw gone()
      const role = roleOf(actor.role)
      const rights = rightsOf(role, null)
      if (!rights.has('incidents:act')) throw new ApiError('FORBIDDEN', 'Your role may not do this')
      const caller: Caller = {
        kind: 'session',
        tenant_id,
        user_id: actor.user_id,
        seen_by: seenBy(role, actor.user_id),
        role,
        plan: planOf(actor.plan).id,
        rights,
        expires_at: null,
        actor: { kind: 'user', id: actor.user_id, via: 'mail', request_id: request.id },
        session_sha256: ''
      }
      return { caller, actor }
    }

    async function lookAtIncident(request: FastifyRequest, token: string, link: Link): Promise<MailLinkAnswer> {
      const { caller, actor } = await memberOf(request, token, link)
      const incident = await keyedTransaction(pool, caller, (tx) => readIncident(tx, link.tenant_id, link.object_id))
      if (!incident) throw gone()
      const over = incident.status === 'resolved'
      return {
        act: link.act,
        workspace: actor.workspace,
        subject: `INC-${incident.number}: ${incident.title}`,
        person: actor.name,
        done: over || (link.act === 'acknowledge' && incident.acknowledged_at !== null)
      }
    }

    async function actOnIncident(request: FastifyRequest, token: string, link: Link): Promise<MailLinkAnswer> {
      const { caller } = await memberOf(request, token, link)
      request.caller = caller
      const make = link.act === 'acknowledge' ? actions.acknowledge(caller, {}) : actions.resolve(caller, {})
      await retrying(() =>
        keyedTransaction(pool, caller, (tx) =>
          command(
            tx,
            codec,
            request,
            link.object_id,
            (inside, locked) => make(inside, locked),
            locksOf(link.act === 'acknowledge' ? 'acknowledge' : 'resolve')
          )
        )
      )
      return lookAtIncident(request, token, link)
    }

    /** The link is bound to the address: it has no effect if the mails now go to somebody else. */
    async function mailChannelOf(token: string, { tenant_id, object_id }: Link) {
      const found = await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => readMailChannel(tx, tenant_id, object_id))
      if (!found) throw gone()
      checkLink(secretsKey, token, found.recipient)
      return found
    }

    async function lookAtChannel(token: string, link: Link): Promise<MailLinkAnswer> {
      const { workspace, recipient, stopped } = await mailChannelOf(token, link)
      return { act: 'stop', workspace, subject: recipient, person: null, done: stopped }
    }

    async function stop(request: FastifyRequest, token: string, link: Link): Promise<MailLinkAnswer> {
      const { tenant_id, object_id } = link
      await mailChannelOf(token, link)
      await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
        if (!(await stopMails(tx, tenant_id, object_id))) return
        const actor = { kind: 'system', id: 'mail-link', via: 'mail', request_id: request.id } as const
        await insertAudit(tx, tenant_id, actor, { action: 'channel.stopped', object_type: 'channel', object_id })
      })
      return lookAtChannel(token, link)
    }

    app.route({
      ...on('lookAtMailLink', { params: MailLinkParams, response: { 200: MailLinkAnswer, 302: Type.Null() } }),
      handler: async (request, reply) => {
        const { token } = request.params
        // A browser is shown what the link would do.
        if (/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect(`${publicUrl}/links/${token}`, 302)
        const link = readLink(token)
        if (link) return link.act === 'stop' ? lookAtChannel(token, link) : lookAtIncident(request, token, link)
        const confirmation = await findConfirmation(pool, sha256(token))
        if (!confirmation) throw gone()
        const { workspace, recipient } = confirmation
        return { act: 'confirm' as const, workspace, subject: recipient, person: null, done: false }
      }
    })

    app.route({
      ...on('useMailLink', { params: MailLinkParams, response: { 200: MailLinkAnswer } }),
      bodyLimit: MAX_FORM_BYTES,
      handler: async (request) => {
        const { token } = request.params
        const link = readLink(token)
        if (link) return link.act === 'stop' ? stop(request, token, link) : actOnIncident(request, token, link)
        const confirmation = await findConfirmation(pool, sha256(token))
        // A confirmation is used once: if two requests come at the same time, one finds it gone.
        if (!confirmation || !(await confirmChannel(pool, sha256(token)))) throw gone()
        const { workspace, recipient } = confirmation
        return { act: 'confirm' as const, workspace, subject: recipient, person: null, done: true }
      }
    })
  }
