/**
 * The application command that Discord offers to people: one command, with a subcommand for each of
 * the five words. Pure.
 * Source: docs/design/outbound-channels.md#s3-2, docs/design/api/notifications.md#s8-6.
 */
import { MAX_SILENCE_MINUTES } from '../../../schemas/limits.ts'
import type { HttpRequest } from '../../channels/channel.ts'
import type { Config } from '../../process/config.ts'

/** Discord's types of commands and options, and where a command is offered. */
const CHAT_INPUT = 1
const SUBCOMMAND = 1
const TEXT = 3
const INTEGER = 4
const IN_SERVERS = 0
const WITH_THE_BOT = 1
const BY_SERVERS = 0

const MAX_INCIDENT = 40
const MAX_SCHEDULE = 100

const incident = { type: TEXT, name: 'incident', description: 'Which one, such as INC-12', required: true, max_length: MAX_INCIDENT }
const minutes = {
  ...{ type: INTEGER, name: 'minutes', description: 'For how many minutes' },
  ...{ required: true, min_value: 1, max_value: MAX_SILENCE_MINUTES }
}
const schedule = { type: TEXT, name: 'schedule', description: 'Only schedules of this name', required: false, max_length: MAX_SCHEDULE }

const sub = (name: string, description: string, options: object[] = []) => ({ type: SUBCOMMAND, name, description, options })

export const discordCommands = (name: string) => [
  {
    ...{ type: CHAT_INPUT, name, description: 'Incidents and who is on call' },
    ...{ contexts: [IN_SERVERS, WITH_THE_BOT], integration_types: [BY_SERVERS] },
    options: [
      sub('status', 'What is open'),
      sub('oncall', 'Who is on call', [schedule]),
      sub('ack', 'Take an incident', [incident]),
      sub('silence', 'No messages of an incident for so many minutes', [incident, minutes]),
      sub('resolve', 'End an incident', [incident])
    ]
  }
]

type Needed = Pick<Config, 'discordApplicationId' | 'discordBotToken' | 'discordCommand'>

/**
 * The request that replaces all commands of the application. Null: the operator has configured no
 * application.
 */
export function discordRegistration(config: Needed, base: string | undefined, user_agent: string): HttpRequest | null {
  const { discordApplicationId, discordBotToken, discordCommand } = config
  if (discordApplicationId === '' || discordBotToken === '') return null
  return {
    via: 'http',
    method: 'PUT',
    url: `${base ?? 'https://discord.com'}/api/v10/applications/${discordApplicationId}/commands`,
    headers: { 'content-type': 'application/json', 'user-agent': user_agent, authorization: `Bot ${discordBotToken}` },
    body: JSON.stringify(discordCommands(discordCommand)),
    secrets: [discordBotToken],
    guarded: false
  }
}
