/**
 * Callbacks of the deployment's mail provider: mails that bounced, and readers that complained.
 * Nothing is read before the signature is verified. A call without a valid signature is answered
 * 403 and counts against the limit of its address.
 * Source: docs/design/api/notifications.md#ch-10.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { oneOf } from '../../../schemas/http/common.ts'
import { type MailEvent, type MailProvider, mailEventsOf, mailProviders } from '../../channels/mail-events.ts'
import { addressForms } from '../../delivery/method-config.ts'
import { redactor } from '../../delivery/redact.ts'
import type { Config } from '../../process/config.ts'
import { takeCallback } from '../../store/callbacks.ts'
import { lockMailed, saveMailEvent } from '../../store/mail-outcomes.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { strangerOf } from '../plugins/admission.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { notTaken } from './signed.ts'

const MAX_BODY_BYTES = 1_048_576
const Params = Type.Object({ provider: oneOf(mailProviders) })

/**
 * How long to wait for the outcome of a delivery to be written after the provider knows the mail.
 */
const LOOKS = 15
const BETWEEN_MS = 200

const keysOf = ({ mailgunSigningKeys, sendgridPublicKeys }: Config, provider: MailProvider): readonly string[] =>
  provider === 'mailgun' ? mailgunSigningKeys : sendgridPublicKeys

const callOf = ({ body, headers }: FastifyRequest) => ({
  header: (name: string): string => {
    const value = headers[name]
    return typeof value === 'string' ? value : ''
  },
  body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  now: Date.now()
})

/** Returns the event of a mail to a person. Its words go to the ledger, which everybody reads. */
const withoutAddress = (event: MailEvent): MailEvent => ({
  ...event,
  why: redactor(addressForms('email', event.recipient))(event.why)
})

/**
 * Records an event once, however often the provider reports it. An event about a mail that this
 * service did not send is ignored.
 */
async function take({ pool, codec }: Services, provider: MailProvider, event: MailEvent): Promise<void> {
  const { tenant_id } = event.mail
  for (let looks = 1; ; looks++) {
    const isOver = await keyedTransaction(pool, { tenant_id, seen_by: null }, async (tx) => {
      const row = await lockMailed(tx, event.mail)
      if (row?.state === 'sending' && looks < LOOKS) return false
      if (row && (await takeCallback(tx, `${provider}:${event.event_id}`.slice(0, 200))))
        await saveMailEvent(tx, codec, row, row.method_id === null ? event : withoutAddress(event))
      return true
    })
    if (isOver) return
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
}

export const mailCallbackRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { config, buckets } = services
    // Every content type is read as bytes, because the signature covers the bytes.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.route({
      ...on('mailEvents', { params: Params, response: { 204: Type.Null() } }),
      bodyLimit: MAX_BODY_BYTES,
      handler: async (request, reply) => {
        const { provider } = request.params
        const keys = keysOf(config, provider)
        const events = keys.length === 0 ? null : mailEventsOf(provider, keys, callOf(request))
        if (events === null) {
          admit(reply, buckets.take('public', strangerOf(request), 'free'))
          throw keys.length === 0 ? notFound() : notTaken()
        }
        for (const event of events) await take(services, provider, event)
        return reply.code(204).send(null)
      }
    })
  }
