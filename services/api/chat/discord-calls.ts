/**
 * Reads what Discord sends for an application command and for a pressed button, as far as this
 * service uses it. Pure.
 * Source: docs/design/outbound-channels.md#s4-5.
 */
import { recordIn, textIn } from '../../channels/judging.ts'
import { oneLine, truncate } from '../../channels/text.ts'
import type { CallFault, ChatCall } from './calls.ts'
import { isFault } from './calls.ts'
import { type ChatCommand, chatCommandIn } from './commands.ts'

const ID = /^\d{1,20}$/
const TOKEN = /^[\w.=-]{1,400}$/
const MAX_NAME = 80
const PING = 1
const COMMAND = 2
const BUTTON = 3

/** Discord's types of answers, and the flag that shows an answer to the sender alone. */
export const ANSWERS = { pong: 1, message: 4, later: 5 } as const
export const EPHEMERAL = 64

type Fields = Record<string, unknown> | null

/**
 * Options are read by name, because Discord gives them in the order in which they were filled in.
 */
function wordsOf(subcommand: Fields): string {
  const options = Array.isArray(subcommand?.options) ? subcommand.options.map(recordIn) : []
  const optionOf = (name: string): string => textIn(options.find((one) => textIn(one, 'name') === name) ?? null, 'value') ?? ''
  return [textIn(subcommand, 'name') ?? '', optionOf('incident'), optionOf('minutes'), optionOf('schedule')].join(' ')
}

/** The command of one of this service's buttons; null: the button has none. */
function pressed(custom_id: string): ChatCommand | null {
  const [, act, minutes = '', id = ''] = /^inc:(ack|resolve|silence)(?::(\d{1,5}))?:([\w-]{1,40})$/.exec(custom_id) ?? []
  return act === undefined || (act === 'silence') !== (minutes !== '') ? null : chatCommandIn(`${act} ${id} ${minutes}`)
}

function commandOf(type: unknown, data: Fields): { command: ChatCommand; name: string } | null {
  if (type === BUTTON) {
    const command = pressed(textIn(data, 'custom_id') ?? '')
    return command && { command, name: '' }
  }
  if (type !== COMMAND) return null
  const name = textIn(data, 'name') ?? ''
  const [subcommand] = Array.isArray(data?.options) ? data.options : []
  return { command: chatCommandIn(wordsOf(recordIn(subcommand))), name: /^[\w-]{1,32}$/.test(name) ? `/${name}` : '/…' }
}

/** Reads a call. `ping`: Discord checks that the endpoint is there. Null: nothing is to be done. */
export function discordCallIn(body: unknown): ChatCall | CallFault | 'ping' | null {
  const call = recordIn(body)
  if (!call) return { path: '', expected: 'a JSON object' }
  if (call.type === PING) return 'ping'
  const asked = commandOf(call.type, recordIn(call.data))
  if (asked === null) return null
  const who = senderIn(call)
  if (isFault(who)) return who
  const id = textIn(call, 'id')
  if (id === null || !ID.test(id)) return { path: 'id', expected: 'the id of the interaction' }
  return { ...asked, who, call_id: id, reply_url: replyUrlOf(call) }
}

function senderIn(call: Record<string, unknown>): ChatCall['who'] | CallFault {
  const user = recordIn(recordIn(call.member)?.user) ?? recordIn(call.user)
  // A message sent directly to the application belongs to no server.
  const account = textIn(call, 'guild_id') ?? textIn(call, 'application_id')
  const sender = textIn(user, 'id')
  if (account === null || !ID.test(account)) return { path: 'guild_id', expected: 'the id of a server' }
  if (sender === null || !ID.test(sender)) return { path: 'member.user.id', expected: 'the id of a person' }
  return { vendor: 'discord', account, sender, name: truncate(oneLine(textIn(user, 'username') ?? ''), MAX_NAME) }
}

function replyUrlOf(call: Record<string, unknown>): string | null {
  const [application, token] = [textIn(call, 'application_id') ?? '', textIn(call, 'token') ?? '']
  return ID.test(application) && TOKEN.test(token)
    ? `https://discord.com/api/v10/webhooks/${application}/${token}/messages/@original`
    : null
}
