/**
 * War rooms in Slack: a public one is open to everybody, a private one invites the installer.
 * Source: docs/design/outbound-channels.md#s3-1 (war room).
 */
import type { Message, SendContext, SendReply } from './channel.ts'
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

/** In words for people. */
function wordsOf(reply: SendReply): string {
  const error = slackError(reply) ?? `status ${reply.status}`
  return refusals[error] ?? slackWords(error) ?? `Slack refused: ${error}.`
}

const isLater = (reply: SendReply, context: SendContext): boolean => slackVerdict(reply, context).outcome === 'retry'

const textOf = (config: Record<string, unknown>, name: string): string => (typeof config[name] === 'string' ? config[name] : '')

const topicOf = (room: string, topic: string) => ({ channel: room, topic: truncate(oneLine(topic), MAX_TOPIC, 'utf16') })

export const slackRooms: Rooms = {
  *open({ name, topic, private: is_private }, config, context) {
    const token = textOf(config, 'bot_token')
    const ask = (method: string, body: Record<string, unknown>) => slackCall(method, token, body, context)
    let made: SendReply | null = null
    for (let nth = 1; nth <= NAMES; nth++) {
      made = yield ask('conversations.create', { name: slackRoomName(name, nth), is_private })
      if (slackError(made) !== 'name_taken') break
    }
    if (!made || !slackOk(made)) {
      if (made && isLater(made, context)) return { outcome: 'retry', why: slackError(made) ?? `status ${made.status}` }
      return { outcome: 'refused', user_text: made ? wordsOf(made) : '' }
    }
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
    const later = (reply: SendReply) => ({ outcome: 'retry' as const, why: slackError(reply) ?? `status ${reply.status}` })
    const told = yield ask('conversations.setTopic', topicOf(room, topic))
    if (!slackOk(told) && isLater(told, context)) return later(told)
    for (let nth = 1; name !== null && nth <= NAMES; nth++) {
      const renamed = yield ask('conversations.rename', { channel: room, name: slackRoomName(name, nth) })
      if (slackOk(renamed)) return { outcome: 'renamed', name: slackRoomName(name, nth) }
      if (slackError(renamed) === 'name_taken') continue
      if (isLater(renamed, context)) return later(renamed)
      break
    }
    return { outcome: 'renamed', name: null }
  },
  *post(said: Message | string, room, config, context) {
    const shown = typeof said === 'string' ? { text: escapedWithin(said, MAX_LINE, escapeThree, 'utf16') } : slackMessage(said, context.now)
    const body = { channel: room, ...shown, unfurl_links: false, unfurl_media: false }
    const reply = yield slackCall('chat.postMessage', textOf(config, 'bot_token'), body, context)
    const id = textIn(objectIn(reply), 'ts')
    if (slackOk(reply) && id !== null) return { outcome: 'posted', id }
    const why = slackError(reply) ?? `status ${reply.status}`
    return isLater(reply, context) ? { outcome: 'retry', why } : ({ outcome: 'refused', user_text: wordsOf(reply) } satisfies PostOutcome)
  },
  refOf(room, [first = '', ...others]) {
    return { channel: room, ts: first, ...Object.fromEntries(others.map((ts, nth) => [`reply_${nth}`, ts])) }
  }
}
