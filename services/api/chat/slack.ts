/**
 * Callbacks of Slack: a slash command followed by one of five words, the buttons of messages, and
 * events of a Slack workspace. Nothing is read before the signature over the raw bytes is verified.
 * A call without a valid signature is answered 401 without a body and counts against the limit of
 * its address.
 * Source: docs/design/api/notifications.md#ch-1 to #ch-3, docs/design/outbound-channels.md#s4-2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { verifySlack } from '../../channels/slack-signature.ts'
import { escapedWithin, escapeThree } from '../../channels/text.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'
import { type ChatCall, checked } from './calls.ts'
import { bytesOf, createDoor, headerOf, installSigned, MAX_CALL_BYTES, refused } from './door.ts'
import { stopInstalls } from './install-stops.ts'
import { slackButtonIn, slackCommandIn } from './slack-calls.ts'
import { slackEventIn } from './slack-events.ts'

const MAX_TEXT = 3500

const Answer = Type.Object({ response_type: Type.Literal('ephemeral'), text: Type.String() })
const answered = {
  content: { 'application/json': { schema: Answer } },
  description: 'An answer for the sender alone, or an empty body.'
} as const
const EventAnswer = Type.Object({
  challenge: Type.Optional(Type.String({ description: 'Challenge of the call by which Slack verifies this address, sent back.' }))
})

const textOf = (request: FastifyRequest): string => bytesOf(request).toString('utf8')

const formOf = (request: FastifyRequest): URLSearchParams => new URLSearchParams(textOf(request))

const written = (words: string): string => escapedWithin(words, MAX_TEXT, escapeThree)

export const slackRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, log } = services
    const { slackSigningSecrets } = services.config
    const { later, answerTo } = createDoor(app, services)
    const signatureOf = (request: FastifyRequest): string => headerOf(request, 'x-slack-signature')
    installSigned(app, services, (body, request) =>
      verifySlack(slackSigningSecrets, headerOf(request, 'x-slack-request-timestamp'), signatureOf(request), body, Date.now())
    )

    const ephemeral = (words: string) => ({ response_type: 'ephemeral' as const, text: written(words) })

    const send =
      ({ reply_url }: ChatCall) =>
      async (words: string): Promise<void> => {
        if (reply_url !== null) await later.send('slack', 'POST', reply_url, { ...ephemeral(words), replace_original: false })
      }

    app.route({
      ...on('slackEvent', { response: { 200: EventAnswer, 401: refused } }),
      bodyLimit: MAX_CALL_BYTES,
      handler: async (request) => {
        const event = checked(slackEventIn(textOf(request)))
        if (event?.event === 'challenge') return { challenge: event.challenge }
        if (event?.event === 'removed') {
          const { account, at } = event
          const stopped = await stopInstalls(pool, { kind: 'slack', account, at })
          log.info({ channels: stopped, request_id: request.id }, 'the app was taken away in Slack')
        }
        return {}
      }
    })

    const silently = (reply: FastifyReply) => reply.code(200).send()

    app.route({
      ...on('slackCommand', { response: { 200: answered, 401: refused } }),
      bodyLimit: MAX_CALL_BYTES,
      handler: async (request, reply) => {
        const call = checked(slackCommandIn(formOf(request)))
        const words = call && (await later.soon(answerTo(call, request, signatureOf(request)), send(call)))
        return words == null ? silently(reply) : reply.send(ephemeral(words))
      }
    })

    app.route({
      ...on('slackInteraction', {
        response: { 200: Type.Null({ description: 'Empty body. The answer is sent to the address that the call names.' }), 401: refused }
      }),
      bodyLimit: MAX_CALL_BYTES,
      handler: async (request, reply) => {
        const call = checked(slackButtonIn(formOf(request)))
        if (call) {
          const words = await later.soon(answerTo(call, request, signatureOf(request)), send(call))
          // Slack does not show the answer to a button's call, so the words are sent separately.
          if (words != null) later.keep(send(call)(words))
        }
        return silently(reply)
      }
    })
  }
