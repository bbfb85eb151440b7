/**
 * War rooms in Slack: a public one is open to everybody, a private one invites the installer.
 * Source: docs/design/outbound-channels.md#s3-1 (war room).
 */
import { answerOf } from './answers.ts'
import type { Message, SendContext, SendReply, SendRequest } from './channel.ts'
import { objectIn, recordIn, textIn } from './judging.ts'
import type { PostOutcome, Rooms } from './rooms.ts'
import { slackCall, slackError, slackOk, slackVerdict, slackWords } from './slack-api.ts'
import { slackMessage } from './slack-app.ts'
import { escapedWithin, escapeThree, oneLine, truncate } from './text.ts'

const MAX_NAME = 80
const MAX_TOPIC = 250
const MAX_LINE = 3000
/** How many names are tried: `api-down`, `api-down-2`, … */
const NAMES = 5

/** Returns lower-case letters, digits and hyphens, at most 80. `nth` starts at 1. */
export function slackRoomName(wanted: string, nth = 1): string {
  const suffix = nth === 1 ? '' : `-${nth}`
  const plain = wanted
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${(plain || 'incident').slice(0, MAX_NAME - suffix.length).replace(/-+$/, '')}${suffix}`
}

const refusals: Readonly<Record<string, string>> = {
  name_taken: 'Slack has rooms of this name already: choose another name.',
  restricted_action: 'A setting of the Slack workspace does not let apps make rooms: an admin there can allow it.',
  missing_scope: 'The app may not make rooms in Slack. Add the app to Slack again.'
}

/** Returns the answer in words for people. */
function wordsOf(reply: SendReply): string {
  const error = slackError(reply) ?? `status ${reply.status}`
  return refusals[error] ?? slackWords(error) ?? `Slack refused: ${error}.`
}

const isLater = (reply: SendReply, context: SendContext): boolean => slackVerdict(reply, context).outcome === 'retry'

const textOf = (config: Record<string, unknown>, name: string): string => (typeof config[name] === 'string' ? config[name] : '')

const topicOf = (room: string, topic: string) => ({ channel: room, topic: truncate(oneLine(topic), MAX_TOPIC, 'utf16') })

const retryOf = (reply: SendReply) => ({ outcome: 'retry' as const, why: slackError(reply) ?? `status ${reply.status}` })

/** Asks with one name after the other until one is not taken. Returns the last answer and name. */
function* withFreeName(
  wanted: string,
  ask: (name: string) => SendRequest
): Generator<SendRequest, { reply: SendReply; name: string }, SendReply> {
  for (let nth = 1; ; nth++) {
    const name = slackRoomName(wanted, nth)
    const reply = yield ask(name)
    if (slackError(reply) !== 'name_taken' || nth === NAMES) return { reply, name }
  }
}

export const slackRooms: Rooms = {
  *open({ name, topic, private: is_private }, config, context) {
    const token = textOf(config, 'bot_token')
    const ask = (method: string, body: Record<string, unknown>) => slackCall(method, token, body, context)
    const { reply: made } = yield* withFreeName(name, (free) => ask('conversations.create', { name: free, is_private }))
    if (!slackOk(made)) return isLater(made, context) ? retryOf(made) : { outcome: 'refused', user_text: wordsOf(made) }
    const channel = recordIn(objectIn(made)?.channel)
    const room = textIn(channel, 'id')
    if (room === null) return { outcome: 'refused', user_text: 'Slack does not say which room it made.' }
    const problems: string[] = []
    if (is_private) {
      const invited = yield ask('conversations.invite', { channel: room, users: textOf(config, 'installer_external_id') })
      const isIn = slackOk(invited) || ['already_in_channel', 'cant_invite_self'].includes(slackError(invited) ?? '')
      if (!isIn) problems.push(`Who added the app could not be invited. ${wordsOf(invited)}`)
    }
    const told = yield ask('conversations.setTopic', topicOf(room, topic))
    if (!slackOk(told)) problems.push(`The topic could not be set. ${wordsOf(told)}`)
    const url = `https://slack.com/app_redirect?${new URLSearchParams({ team: textOf(config, 'team_id'), channel: room })}`
    return { outcome: 'made', room, name: textIn(channel, 'name') ?? name, url, problem: problems.length === 0 ? null : problems.join(' ') }
  },
  *rename({ name, topic }, room, config, context) {
    const ask = (method: string, body: Record<string, unknown>) => slackCall(method, textOf(config, 'bot_token'), body, context)
    const told = yield ask('conversations.setTopic', topicOf(room, topic))
    if (!slackOk(told) && isLater(told, context)) return retryOf(told)
    if (name === null) return { outcome: 'renamed', name: null }
    const { reply, name: given } = yield* withFreeName(name, (free) => ask('conversations.rename', { channel: room, name: free }))
    if (slackOk(reply)) return { outcome: 'renamed', name: given }
    return isLater(reply, context) ? retryOf(reply) : { outcome: 'renamed', name: null }
  },
  *post(said: Message | string, room, config, context) {
    const shown = typeof said === 'string' ? { text: escapedWithin(said, MAX_LINE, escapeThree, 'utf16') } : slackMessage(said, context.now)
    const body = { channel: room, ...shown, unfurl_links: false, unfurl_media: false }
    const reply = yield slackCall('chat.postMessage', textOf(config, 'bot_token'), body, context)
    const id = textIn(objectIn(reply), 'ts')
    if (slackOk(reply) && id !== null) return { outcome: 'posted', id }
    return isLater(reply, context) ? retryOf(reply) : ({ outcome: 'refused', user_text: wordsOf(reply) } satisfies PostOutcome)
  },
  refOf(room, [first = '', ...others]) {
    return Object.assign({ channel: room, ts: first }, ...others.map((ts) => answerOf(ts)))
  }
}
