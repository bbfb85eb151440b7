/**
 * Reads what Slack sends for a slash command and for a pressed button, as far as this service uses
 * it. Pure.
 * Source: docs/design/outbound-channels.md#s4-2.
 */
import { MAX_SILENCE_MINUTES } from '../../../schemas/limits.ts'
import { objectIn, recordIn, textIn } from '../../channels/judging.ts'
import { oneLine, truncate } from '../../channels/text.ts'
import type { NamedSender } from '../../store/chat.ts'
import { type CallFault, type ChatCall, isFault } from './calls.ts'
import { type ChatCommand, chatCommandIn } from './commands.ts'

const ID = /^[A-Z0-9]{1,40}$/
const TRIGGER = /^[A-Za-z0-9._-]{1,120}$/
const MAX_NAME = 80

/** Accepts only addresses of Slack: answers must go nowhere else, whatever a call says. */
export function responseUrlOf(text: string | null): string | null {
  if (text === null || text.length > 500 || !URL.canParse(text)) return null
  const { protocol, host, username, password, href } = new URL(text)
  return protocol === 'https:' && host === 'hooks.slack.com' && username === '' && password === '' ? href : null
}

function senderOf(account: string | null, sender: string | null, name: string | null, paths: [string, string]): NamedSender | CallFault {
  if (account === null || !ID.test(account)) return { path: paths[0], expected: 'the id of a workspace' }
  if (sender === null || !ID.test(sender)) return { path: paths[1], expected: 'the id of a person' }
  return { vendor: 'slack', account, sender, name: truncate(oneLine(name ?? ''), MAX_NAME) }
}

const triggerOf = (text: string | null): string | null => (text !== null && TRIGGER.test(text) ? text : null)

/** Reads a slash command. Null: Slack only checks that the endpoint is there. */
export function slackCommandIn(form: URLSearchParams): ChatCall | CallFault | null {
  if (form.get('ssl_check') === '1') return null
  const who = senderOf(form.get('team_id') || form.get('enterprise_id'), form.get('user_id'), form.get('user_name'), ['team_id', 'user_id'])
  if (isFault(who)) return who
  const name = form.get('command') ?? ''
  return {
    who,
    call_id: triggerOf(form.get('trigger_id')),
    reply_url: responseUrlOf(form.get('response_url')),
    command: chatCommandIn(form.get('text') ?? ''),
    name: /^\/[\w-]{1,32}$/.test(name) ? name : '/…'
  }
}

/**
 * The command of one of this service's buttons; null: none, such as for a button that opens a page.
 */
function pressed(action: Record<string, unknown> | null): ChatCommand | null {
  const [, act, minutes] = /^inc_(ack|resolve|silence_(\d{1,5}))$/.exec(textIn(action, 'action_id') ?? '') ?? []
  if (act === undefined) return null
  const value = textIn(action, 'value') ?? ''
  if (minutes === undefined) return chatCommandIn(`${act} ${value}`)
  return Number(minutes) <= MAX_SILENCE_MINUTES ? chatCommandIn(`silence ${value} ${minutes}`) : null
}

/** Reads a pressed button. Null: nothing is to be done. */
export function slackButtonIn(form: URLSearchParams): ChatCall | CallFault | null {
  const payload = objectIn({ status: 200, headers: {}, body: form.get('payload') ?? '' })
  if (!payload) return { path: 'payload', expected: 'a JSON object' }
  if (payload.type !== 'block_actions') return null
  const user = recordIn(payload.user)
  const team = textIn(recordIn(payload.team), 'id') ?? textIn(recordIn(payload.enterprise), 'id')
  const who = senderOf(team, textIn(user, 'id'), textIn(user, 'username') ?? textIn(user, 'name'), ['payload.team.id', 'payload.user.id'])
  if (isFault(who)) return who
  const command = pressed(Array.isArray(payload.actions) ? recordIn(payload.actions[0]) : null)
  if (command === null) return null
  return {
    who,
    call_id: triggerOf(textIn(payload, 'trigger_id')),
    reply_url: responseUrlOf(textIn(payload, 'response_url')),
    command,
    name: ''
  }
}
