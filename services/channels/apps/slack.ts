/**
 * The Slack app: people add it to a Slack workspace and choose the channel there, on Slack's own
 * page.
 * Source: docs/design/outbound-channels.md#s3-1 and #s4-6.
 */
import type { SendReply } from '../channel.ts'
import type { ChatApp, InstallOutcome } from '../install.ts'
import { formRequest, objectIn, recordIn, textIn } from '../judging.ts'
import { slackBase, slackError, slackOk, slackVerdict } from '../slack-api.ts'
import { slackRooms } from '../slack-rooms.ts'
import { oneLine, truncate } from '../text.ts'

/**
 * Only the scopes that are used: messages, also into public channels that the app has not joined;
 * the command; public and private channels that the app creates itself; and the choice of a channel
 * during the install.
 */
export const SLACK_SCOPES = ['chat:write', 'chat:write.public', 'commands', 'channels:manage', 'groups:write', 'incoming-webhook'] as const

/** The scopes without which the app cannot do its work. */
const NEEDED: readonly string[] = ['chat:write', 'incoming-webhook']
const MAX_NAME = 80

/** Slack no longer accepts this credential: the app has been removed. */
const GONE = new Set(['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'])

const ID = /^[A-Z0-9]{1,40}$/

function installed(reply: SendReply): InstallOutcome {
  const said = objectIn(reply)
  const refused = (problem: 'refused' | 'incomplete' | 'organisation', why: string): InstallOutcome => ({
    outcome: 'refused',
    problem,
    why
  })
  if (said?.is_enterprise_install === true) return refused('organisation', 'it was added to a whole organisation')
  const team = recordIn(said?.team)
  const room = recordIn(said?.incoming_webhook)
  const found = {
    team_id: textIn(team, 'id') ?? '',
    channel_id: textIn(room, 'channel_id') ?? '',
    bot_token: textIn(said, 'access_token') ?? '',
    bot_user_id: textIn(said, 'bot_user_id') ?? ''
  }
  const installer = textIn(recordIn(said?.authed_user), 'id') ?? ''
  const granted = (textIn(said, 'scope') ?? '').split(',')
  if (NEEDED.some((scope) => !granted.includes(scope))) return refused('incomplete', `it was given the rights ${granted.join(',')}`)
  if (![found.team_id, found.channel_id, installer].every((id) => ID.test(id)) || !/^xoxb-[\x21-\x7e]{1,500}$/.test(found.bot_token))
    return refused('incomplete', 'the answer lacks the workspace, the room, the installer or the credential')
  const name = (text: string | null): string => truncate(oneLine(text ?? ''), MAX_NAME)
  const team_name = name(textIn(team, 'name'))
  const channel_name = name(textIn(room, 'channel'))
  const enterprise_id = textIn(recordIn(said?.enterprise), 'id')
  return {
    outcome: 'installed',
    name: [channel_name || found.channel_id, team_name].filter((part) => part !== '').join(' in '),
    config: { ...found, team_name, channel_name, ...(enterprise_id !== null && { enterprise_id }) },
    installer
  }
}

export const app: ChatApp = {
  kind: 'slack',
  account: ({ slack }) => slack,
  authorizeUrl({ client_id }, { state, redirect_uri }, context) {
    const asked = new URLSearchParams({ client_id, scope: SLACK_SCOPES.join(','), redirect_uri, state })
    return `${slackBase(context)}/oauth/v2/authorize?${asked}`
  },
  *install({ client_id, client_secret }, { code, redirect_uri }, context) {
    const form: [string, string][] = [
      ['client_id', client_id],
      ['client_secret', client_secret],
      ['code', code],
      ['redirect_uri', redirect_uri]
    ]
    const reply = yield formRequest(`${slackBase(context)}/api/oauth.v2.access`, form, context, { secrets: [client_secret, code] })
    if (slackOk(reply)) return installed(reply)
    return { outcome: 'refused', problem: 'refused', why: `Slack answered ${reply.status} ${slackError(reply) ?? ''}`.trim() }
  },
  *uninstall({ client_id, client_secret }, { bot_token }, context) {
    const token = String(bot_token)
    const form: [string, string][] = [
      ['token', token],
      ['client_id', client_id],
      ['client_secret', client_secret]
    ]
    const reply = yield formRequest(`${slackBase(context)}/api/apps.uninstall`, form, context, { secrets: [token, client_secret] })
    return slackOk(reply) || GONE.has(slackError(reply) ?? '') ? { outcome: 'delivered' } : slackVerdict(reply, context)
  },
  place: { account: 'team_id', room: 'channel_id' },
  rooms: slackRooms,
  shared: ['bot_token', 'bot_user_id', 'team_name', 'enterprise_id'],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged']
}
