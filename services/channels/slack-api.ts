/**
 * Slack's Web API: how it is called with the credential of an app, and what its replies mean. Slack
 * reports errors with status 200 and `ok: false`.
 * Source: docs/design/outbound-channels.md#s3-1.
 */
import type { HttpRequest, SendContext, SendOutcome, SendReply } from './channel.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, objectIn, textIn } from './judging.ts'

export const slackBase = (context: SendContext): string => baseUrl('slack', 'https://slack.com', context)

/** Builds a call of one Web API method. */
export const slackCall = (method: string, token: string, body: Record<string, unknown>, context: SendContext): HttpRequest =>
  jsonRequest(`${slackBase(context)}/api/${method}`, body, context, { headers: { authorization: `Bearer ${token}` }, secrets: [token] })

export const slackOk = (reply: SendReply): boolean => reply.status === 200 && objectIn(reply)?.ok === true

/** Slack's error code. Null: the reply has none. */
export const slackError = (reply: SendReply): string | null => textIn(objectIn(reply), 'error')

/** Tried again later. */
const PASSING = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'internal_error',
  'fatal_error',
  'request_timeout',
  'service_unavailable'
])

const AGAIN = 'Add the app to Slack again.'

/** What is wrong with the credential, the app or the room, in words for people. */
const DEAD: Readonly<Record<string, string>> = {
  invalid_auth: `Slack does not take the credential of the app any more. ${AGAIN}`,
  not_authed: `Slack does not take the credential of the app any more. ${AGAIN}`,
  account_inactive: `The app is no longer in this Slack workspace. ${AGAIN}`,
  token_revoked: `Somebody took the app's credential back in Slack. ${AGAIN}`,
  token_expired: `The credential of the app has expired. ${AGAIN}`,
  team_added_to_org: `The Slack workspace belongs to an organisation now. ${AGAIN}`,
  missing_scope: `The app lacks a right in Slack. ${AGAIN}`,
  no_permission: `The app may not do this in Slack. ${AGAIN}`,
  channel_not_found:
    'Slack does not show this room to the app: it is gone, or it is private and the app was not invited. Invite the app there.',
  not_in_channel: 'The app is not in this room: invite it there.',
  is_archived: 'The room in Slack is archived.',
  is_inactive: 'The room in Slack is not in use any more.',
  restricted_action: 'A setting of the Slack workspace forbids this to apps: an admin there can allow it.',
  user_is_restricted: 'A setting of the Slack workspace forbids this to apps: an admin there can allow it.',
  ekm_access_denied: 'An admin of the Slack workspace has closed its messages to apps.',
  user_not_found: 'Slack knows no such person.',
  user_disabled: 'This person is not in the Slack workspace any more.',
  cannot_dm_bot: 'Slack takes no messages to this account.'
}

/**
 * Errors that a person may fix in Slack within minutes: only three in a row turn the channel off.
 */
const MENDABLE = new Set(['not_in_channel', 'missing_scope', 'restricted_action', 'no_permission'])

/** The error in words for people. Null: the code is unknown, or is nobody's fault. */
export const slackWords = (error: string): string | null => DEAD[error] ?? null

/** Judges a reply that is not a success. */
export function slackVerdict(reply: SendReply, context: SendContext): SendOutcome {
  const error = slackError(reply)
  if (reply.status === 429 || error === null) return judge(reply, context)
  if (PASSING.has(error)) return later(reply, context.now)
  const words = slackWords(error)
  if (words !== null) return deadChannel(reply, words, !MENDABLE.has(error))
  return reply.status === 200 ? lost(reply, `Slack refused this message: ${error}.`) : judge(reply, context)
}
