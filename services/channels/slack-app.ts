/**
 * Messages of the Slack app. They have buttons as long as something can be done, and are edited
 * when the incident changes. An edit notifies nobody, so when the incident fails again and when it
 * ends, that is also posted in the thread of the first message and shown in the room.
 * Source: docs/design/outbound-channels.md#s3-1.
 */
import { answerOf, answersIn } from './answers.ts'
import type { Message, MessageIncident, RemoteRef, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import { judge, objectIn, textIn } from './judging.ts'
import { slackCall, slackError, slackOk, slackVerdict } from './slack-api.ts'
import { escapedWithin, escapeThree } from './text.ts'
import { bodyOf, factsOf, linkOf, NEUTRAL, subjectLine, tellsFailure, titleOf } from './words.ts'

/** What is stored about an install. */
export type SlackInstall = {
  mode: 'oauth'
  team_id: string
  team_name: string
  channel_id: string
  channel_name: string
  /** Missing after the app was removed. */
  bot_token?: string
  bot_user_id?: string
  enterprise_id?: string
}

type Steps = Generator<SendRequest, SendOutcome, SendReply>

const MAX_HEADER = 150
const MAX_TITLE = 300
const MAX_BODY = 2500
const MAX_FACTS = 8
const MAX_FACT = 200
const MAX_LINK = 3000
const SILENCE_MINUTES = 60

/** Errors after which a message cannot be edited any more: a new message replaces it. */
const LOST = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'thread_not_found', 'cannot_reply_to_message'])
/** Errors that mean that Slack refuses the blocks: the message is sent once more as plain text. */
const BAD_BLOCKS = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'too_many_attachments'])

const quiet = { unfurl_links: false, unfurl_media: false } as const

const button = (action_id: string, text: string, more: Record<string, string>) => ({
  type: 'button',
  action_id,
  text: { type: 'plain_text', text },
  ...more
})

/** Only the buttons for what is still possible. None when the incident is resolved. */
function actions({ id, status, acknowledged_at, silenced_until }: MessageIncident, url: string | null, now: number) {
  if (status === 'resolved') return []
  const isSilent = silenced_until !== null && silenced_until > now
  return [
    ...(acknowledged_at === null ? [button('inc_ack', 'Acknowledge', { style: 'primary', value: id })] : []),
    button('inc_resolve', 'Resolve', { value: id }),
    ...(isSilent ? [] : [button(`inc_silence_${SILENCE_MINUTES}`, 'Silence 1 h', { value: id })]),
    ...(url === null ? [] : [button('inc_open', 'Open', { url })])
  ]
}

const markdown = (text: string) => ({ type: 'mrkdwn', text })

const textOf = (message: Message): string => escapedWithin(titleOf(message), MAX_TITLE, escapeThree, 'utf16')

/** Returns the text for notifications, and the blocks for the room. */
export function slackMessage(message: Message, now: number): { text: string; blocks: object[] } {
  const { incident } = message
  const link = linkOf(message)
  const url = link !== null && link.length <= MAX_LINK ? link : null
  const body = escapedWithin(bodyOf(message, now), MAX_BODY, escapeThree, 'utf16')
  const facts = factsOf(message)
    .slice(0, MAX_FACTS)
    .map(([name, value]) => markdown(`*${name}*\n${escapedWithin(value, MAX_FACT, escapeThree, 'utf16')}`))
  const elements = incident ? actions(incident, url, now) : []
  const header = { type: 'plain_text', text: escapedWithin(subjectLine(message), MAX_HEADER, escapeThree, 'utf16') }
  return {
    text: textOf(message),
    blocks: [
      { type: 'header', text: header },
      ...(facts.length > 0 ? [{ type: 'section', fields: facts }] : []),
      ...(body === '' ? [] : [{ type: 'section', text: markdown(body) }]),
      ...(elements.length > 0 ? [{ type: 'actions', block_id: 'inc', elements }] : []),
      ...(elements.length === 0 && url !== null ? [{ type: 'context', elements: [markdown(`<${url}|Open incident>`)] }] : [])
    ]
  }
}

interface Told {
  channel: string
  ts: string
}

const toldIn = (ref: RemoteRef | null): Told | null =>
  ref?.channel === undefined || ref.ts === undefined ? null : { channel: ref.channel, ts: ref.ts }

/** Posts or updates a message, and once more as plain text when Slack refuses the blocks. */
function* write(
  method: 'chat.postMessage' | 'chat.update',
  token: string,
  body: Record<string, unknown>,
  context: SendContext
): Generator<SendRequest, SendReply, SendReply> {
  const reply = yield slackCall(method, token, body, context)
  if (!('blocks' in body) || !BAD_BLOCKS.has(slackError(reply) ?? '')) return reply
  const { blocks: _blocks, ...rest } = body
  // An update without blocks would leave those that the message has.
  return yield slackCall(method, token, method === 'chat.update' ? { ...rest, blocks: [] } : rest, context)
}

/** The room and the message that Slack names. Null: it names none. */
function madeIn(reply: SendReply): Told | null {
  const said = objectIn(reply)
  const [channel, ts] = [textIn(said, 'channel'), textIn(said, 'ts')]
  return channel === null || ts === null ? null : { channel, ts }
}

const gone: SendOutcome = {
  outcome: 'permanent',
  why: 'the app was taken away',
  scope: 'channel',
  at_once: true,
  user_text: 'The app is no longer in this Slack workspace. Add the app to Slack again.'
}

/** Sends a message with the app's credential. */
export function* bySlackApp(message: Message, { bot_token, channel_id }: SlackInstall, ref: RemoteRef | null, context: SendContext): Steps {
  const { event } = message
  if (bot_token === undefined) return gone
  if (event === 'test') {
    const text = [textOf(message), escapedWithin(bodyOf(message, context.now), MAX_BODY, escapeThree)].join('\n')
    const reply = yield slackCall('chat.postMessage', bot_token, { channel: channel_id, text }, context)
    return slackOk(reply) ? { outcome: 'delivered' } : slackVerdict(reply, context)
  }
  const shown = slackMessage(message, context.now)
  let told = toldIn(ref)
  if (told && message.incident) {
    const updated = yield* write('chat.update', bot_token, { ...told, ...shown }, context)
    if (slackOk(updated)) {
      if (event === 'acknowledged' || event === 'assigned') return { outcome: 'delivered' }
    } else if (!LOST.has(slackError(updated) ?? '')) return slackVerdict(updated, context)
    else told = null
  }
  const isReply = told !== null
  const where = told
    ? { channel: told.channel, thread_ts: told.ts, reply_broadcast: true, text: shown.text }
    : { channel: channel_id, ...shown }
  const reply = yield* write('chat.postMessage', bot_token, { ...where, ...quiet }, context)
  if (!slackOk(reply)) return slackVerdict(reply, context)
  const made = madeIn(reply)
  if (made === null) return judge(reply, context)
  const isReminder = event === 'reminder'
  const kept = isReply
    ? answerOf(made.ts)
    : isReminder
      ? { channel: made.channel, ...answerOf(made.ts) }
      : tellsFailure(event) || event === 'acknowledged' || event === 'assigned'
        ? made
        : null
  const isOfIncident = message.incident !== null || isReminder
  return { outcome: 'delivered', provider_message_id: made.ts, ...(kept && isOfIncident && { remote_ref: { ...kept } }) }
}

/**
 * Shows the incident's current state in the messages, or replaces their content by a neutral text.
 */
export function* editBySlackApp(message: Message | null, { bot_token }: SlackInstall, ref: RemoteRef, context: SendContext): Steps {
  const told = toldIn(ref)
  if (bot_token === undefined) return gone
  const { channel } = ref
  const answers = message || channel === undefined ? [] : answersIn(ref).map((ts) => ({ channel, ts }))
  if (!told && answers.length === 0) return { outcome: 'skipped', why: 'no_message' }
  const neutral = { text: NEUTRAL, blocks: [{ type: 'section', text: markdown(NEUTRAL) }] }
  const shown = message ? slackMessage(message, context.now) : neutral
  const changes = [...(told ? [{ ...told, ...shown }] : []), ...answers.map((answer) => ({ ...answer, ...neutral }))]
  for (const change of changes) {
    const reply = yield* write('chat.update', bot_token, change, context)
    if (!slackOk(reply) && !LOST.has(slackError(reply) ?? '')) return slackVerdict(reply, context)
  }
  return { outcome: 'delivered' }
}
