/**
 * Gotify: an application on a server of the workspace's own.
 * Source: docs/design/outbound-channels.md#s3-11.
 */
import { Type } from 'typebox'
import type { Channel, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { addressFault, base, closed, field, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, lost, objectIn, succeeded, textIn } from '../judging.ts'
import { type Loudness, linkTitle, loudnessOf, noteOf } from '../push.ts'
import { escapedWithin, escapeMarkdown, truncate } from '../text.ts'
import { linkOf, titleOf } from '../words.ts'

type Config = { server_url: string; application_token: string }

const MAX_TITLE = 250
const MAX_MESSAGE = 4000
const MAX_LINK = 600
const PRIORITIES: Readonly<Record<Loudness, number>> = { critical: 8, warning: 5, info: 2, resolved: 4, note: 2 }

/** In this Markdown only an empty line ends a line. */
const markdown = (text: string): string => escapeMarkdown(text).replace(/\n+/g, '\n\n')

function note(message: Message, now: number) {
  const url = linkOf(message)
  const text = escapedWithin(noteOf(message, now), MAX_MESSAGE - MAX_LINK, markdown)
  return {
    title: truncate(titleOf(message), MAX_TITLE),
    message: url === null ? text : `${text}\n\n[${linkTitle(message)}](${url})`,
    priority: PRIORITIES[loudnessOf(message)],
    extras: {
      'client::display': { contentType: 'text/markdown' },
      ...(url !== null && { 'client::notification': { click: { url } } })
    }
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const object = objectIn(reply)
  if (succeeded(reply)) {
    const id = textIn(object, 'id')
    return id === null ? judge(reply, context) : { outcome: 'delivered', provider_message_id: id }
  }
  if (reply.status === 401 || reply.status === 403) return deadChannel(reply, 'Gotify refuses the token. Enter that of an application.')
  if (reply.status === 400)
    // The error for the token of a client, which can read messages and send none.
    return /app_?id/i.test(textIn(object, 'errorDescription') ?? '')
      ? deadChannel(reply, 'This is the token of a client. Enter that of an application.')
      : lost(reply, 'Gotify refused this message.')
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'gotify',
  name: 'Gotify',
  hint: 'The address of your server, and the token of an application.',
  family: 'push',
  config: Type.Object(
    {
      server_url: field({ title: 'Server', description: 'As https://gotify.example.com. A path before /message is fine.' }),
      application_token: secretField({
        title: 'Application token',
        description: 'Of an application, not of a client.',
        pattern: '^[A-Za-z0-9._-]{10,120}$',
        maxLength: 120
      })
    },
    closed
  ),
  fields: [
    { name: 'server_url', origin: true },
    { name: 'application_token', secret: true }
  ],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check: ({ server_url }) =>
    server_url?.includes('?')
      ? { path: 'server_url', rule: 'format', message: 'may not hold a ?query' }
      : addressFault('server_url', server_url),
  normalise: (config) => ({ ...config, server_url: base(config.server_url).replace(/\/message$/, '') }),
  target: ({ server_url }) => (URL.canParse(server_url) ? new URL(server_url).host : ''),
  *steps(message, { server_url, application_token }, _ref, context) {
    const reply = yield jsonRequest(`${base(server_url)}/message`, note(message, context.now), context, {
      headers: { 'x-gotify-key': application_token },
      secrets: [application_token],
      guarded: true
    })
    return judged(reply, context)
  }
}
