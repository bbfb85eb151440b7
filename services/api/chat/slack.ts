/**
 * What Slack calls: a slash command with five words behind it, and buttons of messages. Nothing is
 * read before the signature over the bytes as they came; whoever has none is answered 401 without a
 * word, and counts by address.
 * Source: docs/design/api/notifications.md#ch-1 and #ch-2, docs/design/outbound-channels.md#s4-2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { verifySlack } from '../../channels/slack-signature.ts'
import { escapedWithin, escapeThree } from '../../channels/text.ts'
import { sendersOf } from '../../delivery/senders.ts'
import { on } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import { strangerOf } from '../plugins/admission.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { answerInChat } from './answer.ts'
import { FAILED, Later, TOO_BUSY } from './later.ts'
import { isFault, type SlackCall, type SlackFault, slackButtonIn, slackCommandIn } from './slack-calls.ts'

/** A pressed button comes with the message that it stands in. */
const MAX_BODY_BYTES = 131_072
const MAX_TEXT = 3500

const Answer = Type.Object({ response_type: Type.Literal('ephemeral'), text: Type.String() })
const answered = { content: { 'application/json': { schema: Answer } }, description: 'Words for the sender alone, or nothing.' } as const
const refused = Type.Null({ description: 'The signature does not fit.' })

const header = (request: FastifyRequest, name: string): string => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  if (!Buffer.isBuffer(body)) throw new Error('a call of Slack is read as bytes')
  return new URLSearchParams(body.toString('utf8'))
}

const written = (words: string): string => escapedWithin(words, MAX_TEXT, escapeThree)

export const slackRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { config, pool, buckets, log } = services
    const senders = sendersOf(config, pool)
    const later = new Later(senders.http, services)
    app.addHook('onClose', async () => {
      await later.close()
      senders.close()
    })
    // Bytes, whatever they say they are: the signature is over them.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.addHook('preValidation', async (request, reply) => {
      const { body } = request
      const timestamp = header(request, 'x-slack-request-timestamp')
      const signature = header(request, 'x-slack-signature')
      if (Buffer.isBuffer(body) && verifySlack(config.slackSigningSecrets, timestamp, signature, body, Date.now())) return
      admit(reply, buckets.take('public', strangerOf(request), 'free'))
      return reply.code(401).send()
    })

    const ephemeral = (words: string) => ({ response_type: 'ephemeral' as const, text: written(words) })

    /** The words for a call, once it was done; null: none. */
    async function answerTo(call: SlackCall, request: FastifyRequest): Promise<string | null> {
      const { who, command, name } = call
      const { admitted, reset_seconds } = buckets.take('chat', `${who.vendor} ${who.account} ${who.sender}`, 'free')
      if (!admitted) return `Too many commands at once: try again in ${reset_seconds} s.`
      if (later.isFull) return TOO_BUSY
      const receipt = `slack:${call.trigger_id ?? header(request, 'x-slack-signature')}`
      try {
        return await answerInChat(services, { who, command, name, receipt, request_id: request.id })
      } catch (error) {
        log.error({ err: error, request_id: request.id }, 'a call of Slack failed')
        return FAILED
      }
    }

    const send =
      ({ response_url }: SlackCall) =>
      async (words: string): Promise<void> => {
        if (response_url !== null) await later.post('slack', response_url, { ...ephemeral(words), replace_original: false })
      }

    const checked = (read: SlackCall | SlackFault | null): SlackCall | null => {
      if (read !== null && isFault(read)) throw invalid(read.path, 'format', `must be ${read.expected}`)
      return read
    }

    const silently = (reply: FastifyReply) => reply.code(200).send()

    app.route({
      ...on('slackCommand', { response: { 200: answered, 401: refused } }),
      bodyLimit: MAX_BODY_BYTES,
      handler: async (request, reply) => {
        const call = checked(slackCommandIn(formOf(request)))
        const words = call && (await later.soon(answerTo(call, request), send(call)))
        return words == null ? silently(reply) : reply.send(ephemeral(words))
      }
    })

    app.route({
      ...on('slackInteraction', {
        response: { 200: Type.Null({ description: 'Words come by the address that the call names.' }), 401: refused }
      }),
      bodyLimit: MAX_BODY_BYTES,
      handler: async (request, reply) => {
        const call = checked(slackButtonIn(formOf(request)))
        if (call) {
          const words = await later.soon(answerTo(call, request), send(call))
          // Slack shows nothing of what answers a button.
          if (words != null) later.keep(send(call)(words))
        }
        return silently(reply)
      }
    })
  }
