/**
 * Callbacks of Discord: one application command with five subcommands, and the buttons of messages.
 * Nothing is read before the signature over the raw bytes is verified. A call without a valid
 * signature is answered 401 without a body and counts against the limit of its address; Discord
 * itself tests this.
 * Source: docs/design/api/notifications.md#ch-4, docs/design/outbound-channels.md#s4-5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { discordKey, verifyDiscord } from '../../channels/discord-signature.ts'
import { escapeDiscord, escapedWithin } from '../../channels/text.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'
import { checked } from './calls.ts'
import { ANSWERS, discordCallIn, EPHEMERAL } from './discord-calls.ts'
import { createDoor, headerOf, installSigned, jsonOf, MAX_CALL_BYTES, refused } from './door.ts'

const MAX_TEXT = 1900

const Content = Type.Object({ content: Type.String(), allowed_mentions: Type.Object({ parse: Type.Array(Type.String()) }) })
const Answer = Type.Object({
  type: Type.Integer({ description: '1: pong, 4: an answer for the sender alone, 5: the answer comes later.' }),
  data: Type.Optional(Type.Object({ ...Type.Partial(Content).properties, flags: Type.Integer() }))
})

/** Escapes everything except the private link at the end, which must stay as it is. */
function written(words: string, publicUrl: string): string {
  const at = words.lastIndexOf(`${publicUrl}/links/chat/`)
  if (at === -1 || !/^cht_[0-9a-f]{64}$/.test(words.slice(at + `${publicUrl}/links/chat/`.length)))
    return escapedWithin(words, MAX_TEXT, escapeDiscord)
  return `${escapeDiscord(words.slice(0, at))}<${words.slice(at)}>`
}

export const discordRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { discordPublicKey, publicUrl } = services.config
    const key = discordPublicKey === '' ? null : discordKey(discordPublicKey)
    const { later, answerTo } = createDoor(app, services)
    installSigned(app, services, (body, request) => {
      const [timestamp, signature] = [headerOf(request, 'x-signature-timestamp'), headerOf(request, 'x-signature-ed25519')]
      return key !== null && verifyDiscord(key, timestamp, signature, body, Date.now())
    })

    const content = (words: string) => ({ content: written(words, publicUrl), allowed_mentions: { parse: [] } })
    const answer = (words: string) => ({ type: ANSWERS.message, data: { ...content(words), flags: EPHEMERAL } })

    app.route({
      ...on('discordInteraction', { response: { 200: Answer, 401: refused } }),
      bodyLimit: MAX_CALL_BYTES,
      handler: async (request) => {
        const read = discordCallIn(jsonOf(request))
        if (read === 'ping') return { type: ANSWERS.pong }
        const call = checked(read)
        if (!call) return answer('There is nothing to do.')
        const unique = headerOf(request, 'x-signature-ed25519')
        const asked = answerTo(call, request, unique).then((words) => words ?? 'This was answered before.')
        const words = await later.soon(asked, async (words) => {
          if (call.reply_url !== null) await later.send('discord', 'PATCH', call.reply_url, content(words))
        })
        return words == null ? { type: ANSWERS.later, data: { flags: EPHEMERAL } } : answer(words)
      }
    })
  }
