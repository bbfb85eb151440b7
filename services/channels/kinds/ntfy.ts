/**
 * ntfy: a topic on ntfy.sh or on a server of the workspace's own.
 * Source: docs/design/outbound-channels.md#s3-10.
 */
import { Type } from 'typebox'
import type { Channel, ConfigFault, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { addressFault, base, closed, field, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, objectIn, quotaUntil, textIn } from '../judging.ts'
import { type Loudness, linkTitle, loudnessOf, nextDay, noteOf } from '../push.ts'
import { truncate } from '../text.ts'
import { linkOf, titleOf } from '../words.ts'

type Config = { topic: string; server_url?: string; access_token?: string }

const PUBLIC_SERVER = 'https://ntfy.sh'
const MAX_TITLE = 250
/** ntfy turns a longer message into a file. */
const MAX_MESSAGE_BYTES = 4096
/** Paths that the server uses for its own pages, so they cannot be topics. */
const TAKEN = new Set(['docs', 'static', 'file', 'app', 'metrics', 'account', 'settings', 'signup', 'login', 'v1'])
const PRIORITIES: Readonly<Record<Loudness, number>> = { critical: 5, warning: 4, info: 2, resolved: 3, note: 2 }
const BAD_LOGINS_MS = 300_000

const tagOf = ({ event, incident }: Message): string => {
  if (event === 'test') return 'test_tube'
  if (event === 'up') return 'green_circle'
  if (event === 'acknowledged' || event === 'assigned') return 'eyes'
  return event === 'ssl_expiry' || incident?.severity === 'warning' ? 'orange_circle' : 'red_circle'
}

function note(message: Message, topic: string, now: number) {
  const url = linkOf(message)
  return {
    topic,
    title: truncate(titleOf(message), MAX_TITLE),
    message: truncate(noteOf(message, now), MAX_MESSAGE_BYTES, 'bytes'),
    priority: PRIORITIES[loudnessOf(message)],
    tags: [tagOf(message)],
    ...(url !== null && { click: url, actions: [{ action: 'view', label: linkTitle(message), url }] }),
    // A later message replaces the earlier one, on servers that support it.
    ...(message.event !== 'test' && { sequence_id: message.key })
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const code = textIn(objectIn(reply), 'code') ?? ''
  if (reply.status === 200) {
    const id = textIn(objectIn(reply), 'id')
    return id === null ? judge(reply, context) : { outcome: 'delivered', provider_message_id: id }
  }
  if (reply.status === 401) return deadChannel(reply, 'ntfy refuses the access token. Enter another one.')
  if (reply.status === 403) return deadChannel(reply, 'ntfy does not let this access token publish to the topic.')
  if (code === '40009' || code === '40010') return deadChannel(reply, 'ntfy takes no such topic. Choose another name.')
  if (code === '42908') return quotaUntil(reply, nextDay(context.now), context.now)
  if (code === '42909') return later(reply, context.now, BAD_LOGINS_MS)
  if (reply.status === 400) return lost(reply, 'ntfy refused this message.')
  return judge(reply, context)
}

function check({ topic, server_url }: Config): ConfigFault | null {
  if (topic !== undefined && TAKEN.has(topic)) return { path: 'topic', rule: 'format', message: 'is a page of the server, and no topic' }
  if (server_url === undefined) return null
  if (server_url.includes('?')) return { path: 'server_url', rule: 'format', message: 'may not hold a ?query' }
  return addressFault('server_url', server_url)
}

const hostOf = ({ server_url = PUBLIC_SERVER }: Config): string => (URL.canParse(server_url) ? new URL(server_url).host : '')

export const channel: Channel<Config> = {
  kind: 'ntfy',
  name: 'ntfy',
  hint: 'A topic of ntfy.sh, or of a server of yours.',
  family: 'push',
  config: Type.Object(
    {
      topic: field({
        title: 'Topic',
        description: 'On a public server anyone who knows its name can read it: choose one that nobody guesses.',
        pattern: '^[-_A-Za-z0-9]{1,64}$',
        maxLength: 64
      }),
      server_url: Type.Optional(
        field({
          title: 'Server',
          description: `Of your own; without one ${PUBLIC_SERVER}, where all who send from here share 250 messages a day without a token.`
        })
      ),
      access_token: Type.Optional(
        secretField({
          title: 'Access token',
          description: 'Begins with tk_. For a topic that is protected.',
          pattern: '^[!-~]+$',
          maxLength: 256
        })
      )
    },
    closed
  ),
  fields: [{ name: 'topic' }, { name: 'server_url', origin: true }, { name: 'access_token', secret: true }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check,
  normalise: (config) => (config.server_url === undefined ? config : { ...config, server_url: base(config.server_url) }),
  // The topic's name may be its only protection.
  target: (config) => `${hostOf(config)}/${config.topic.slice(0, 3)}…`,
  *steps(message, { topic, server_url, access_token }, _ref, context) {
    const root = server_url === undefined ? baseUrl('ntfy', PUBLIC_SERVER, context) : base(server_url)
    // Posted to the root path: JSON that is posted to a topic is shown as text.
    const reply = yield jsonRequest(`${root}/`, note(message, topic, context.now), context, {
      headers: access_token === undefined ? {} : { authorization: `Bearer ${access_token}` },
      secrets: access_token === undefined ? [] : [access_token],
      guarded: server_url !== undefined
    })
    return judged(reply, context)
  }
}
