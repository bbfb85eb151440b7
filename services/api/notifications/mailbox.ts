/**
 * Shows owners and admins the mails that a run without a mail server keeps instead of sending. If
 * there is a mail server, or the operator keeps no mails, there is no mailbox.
 * Source: docs/design/api/notifications.md#no-27.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { KeptMailDetail, type KeptMailItem, KeptMailList, MailboxQuery } from '../../../schemas/http/mailbox.ts'
import { readMime } from '../../delivery/mime.ts'
import { mailFate } from '../../delivery/senders.ts'
import { insertAudit } from '../../store/audit.ts'
import { emptyMailbox, type KeptMail, listMails, readMail } from '../../store/mailbox.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'

const Params = Type.Object({ id: Id })

/**
 * Shows a mail's text but runs nothing of it: no script, no form, nothing loaded. Its links open in
 * a separate page. Only the dashboard may frame it.
 */
const FRAME_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox'
].join(';')

/** Links in the frame open outside it. */
const OUTWARDS = '<!doctype html><base target="_blank">'

const toItem = (tenant_id: string, { mail_id, at, recipient, subject }: KeptMail): KeptMailItem => ({
  id: mail_id,
  tenant_id,
  at: iso(at),
  recipient,
  subject,
  sent: false
})

export const mailboxRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const checkKept = (): void => {
      if (mailFate(config) !== 'kept') throw notFound()
    }

    async function kept(caller: Caller, id: string) {
      checkKept()
      const mail = await tenantTransaction(pool, caller, (tx) => readMail(tx, caller.tenant_id, id))
      if (!mail) throw notFound()
      return mail
    }

    app.route({
      ...on('listMails', { querystring: MailboxQuery, response: { 200: KeptMailList } }),
      handler: async (request) => {
        checkKept()
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listMails(tx, caller.tenant_id, page))
        return envelope(
          items.map((mail) => toItem(caller.tenant_id, mail)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('readMail', { params: Params, response: { 200: KeptMailDetail } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const mail = await kept(caller, request.params.id)
        const { headers, text, html } = readMime(mail.mime)
        return {
          ...toItem(caller.tenant_id, mail),
          headers: headers.map(([name, value]) => ({ name, value })),
          text,
          has_html: html !== null,
          mime: mail.mime
        }
      }
    })

    app.route({
      ...on('readMailHtml', { params: Params, response: { 200: { content: { 'text/html': { schema: Type.String() } } } } }),
      handler: async (request, reply) => {
        const mail = await kept(callerOf(request), request.params.id)
        const { html } = readMime(mail.mime)
        if (html === null) throw notFound()
        reply.headers({ 'content-security-policy': FRAME_POLICY, 'referrer-policy': 'no-referrer' })
        return reply.type('text/html; charset=utf-8').send(OUTWARDS + html)
      }
    })

    app.route({
      ...on('emptyMailbox', { response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        checkKept()
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        await tenantTransaction(pool, caller, async (tx) => {
          await emptyMailbox(tx, tenant_id)
          await insertAudit(tx, tenant_id, actor, { action: 'mailbox.emptied', object_type: 'mailbox', object_id: tenant_id })
        })
        return reply.code(204).send(null)
      }
    })
  }
