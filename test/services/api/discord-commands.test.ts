/**
 * Tests of the command that the service registers at Discord. It is checked by Discord's rules, and
 * registered again when Discord is busy.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { discordCallIn } from '../../../services/api/chat/discord-calls.ts'
import { discordCommands } from '../../../services/api/chat/discord-commands.ts'
import { startRegistering } from '../../../services/api/chat/registering.ts'
import type { Config } from '../../../services/process/config.ts'
import { createLog } from '../../../services/process/log.ts'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { stand } from './stand.ts'

interface Option {
  type: number
  name: string
  description: string
  required?: boolean
  options?: Option[]
}

/** Returns what Discord would refuse in a command, by its documentation; null if nothing. */
function faultOf({ type, name, description, options = [], required }: Option, depth = 0): string | null {
  if (!/^[-_\p{L}\p{N}]{1,32}$/u.test(name) || name !== name.toLowerCase()) return `${name}: bad name`
  if (description.length < 1 || description.length > 100) return `${name}: a description of ${description.length}`
  if (options.length > 25) return `${name}: too many options`
  if (new Set(options.map((one) => one.name)).size < options.length) return `${name}: two options of one name`
  const isLeaf = depth > 0 && type !== 1 && type !== 2
  if (isLeaf && (options.length > 0 || ![3, 4, 5, 6, 7, 8, 9, 10, 11].includes(type))) return `${name}: bad type`
  if (!isLeaf && required !== undefined) return `${name}: only values are required`
  const firstFree = options.findIndex((one) => !one.required)
  if (firstFree !== -1 && options.slice(firstFree).some((one) => one.required)) return `${name}: required after optional`
  return options.map((one) => faultOf(one, depth + 1)).find((one) => one !== null) ?? null
}

t.test('the command fits the rules of Discord, and its calls are understood', async (t) => {
  const [command, ...others] = discordCommands('watch') as Option[]
  if (!command) throw new Error('no command')
  t.same(others, [])
  t.equal(faultOf(command), null)
  t.match(faultOf({ ...command, name: 'Watch' }), /bad name/, 'a control')
  t.match(faultOf({ ...command, description: '' }), /description/, 'a control')
  const given: Record<string, unknown> = { incident: 'INC-7', minutes: 30, schedule: 'Night' }
  const read = (command.options ?? []).map(({ name, options = [] }) => {
    const filled = options.map((one) => ({ name: one.name, value: given[one.name] }))
    const data = { name: command.name, options: [{ type: 1, name, options: filled }] }
    const call = { type: 2, id: '1', application_id: '9', guild_id: '1', member: { user: { id: '1' } }, token: 'x', data }
    return (discordCallIn(call) as { command: object }).command
  })
  t.same(read, [
    { word: 'status' },
    { word: 'oncall', schedule: 'Night' },
    { word: 'ack', incident: 'INC-7' },
    { word: 'silence', incident: 'INC-7', minutes: 30 },
    { word: 'resolve', incident: 'INC-7' }
  ])
})

interface Asked {
  method: string
  path: string
  authorization: string
  body: unknown
}

const TOKEN = `${'a'.repeat(26)}.abcdef.${'b'.repeat(38)}`

/** Starts a Discord that answers with these statuses in turn, and then with 200. */
async function registering(t: Teardown, statuses: number[], over: Partial<Config> = {}) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { authorization = '' } = request.headers
    asked.push({ method: request.method ?? '', path: request.url ?? '', authorization, body: JSON.parse(text) })
    response.writeHead(statuses.shift() ?? 200).end('[]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const s = await stand(t)
  const lines: string[] = []
  const log = createLog('api', 'debug', { write: (line: string) => void lines.push(line) })
  const config: Config = {
    ...s.services.config,
    discordApplicationId: '900000000000000001',
    discordBotToken: TOKEN,
    outboundBaseUrls: JSON.stringify({ discord: url }),
    ...over
  }
  const stop = startRegistering({ config, log, pool: s.tenantPool }, [0, 0, 0])
  t.teardown(async () => {
    await stop()
    server.closeAllConnections()
    server.close()
  })
  return { asked, stop, logged: () => lines.join('') }
}

t.test('the command is registered at start and again after errors of Discord', async (t) => {
  const { asked, logged } = await registering(t, [500, 429])
  await until('it is registered', () => (logged().includes('knows what it may call') ? true : null))
  t.equal(asked.length, 3)
  t.same(asked[2], {
    method: 'PUT',
    path: '/api/v10/applications/900000000000000001/commands',
    authorization: `Bot ${TOKEN}`,
    body: discordCommands('watch')
  })
})

t.test('a command that Discord refuses is not sent again, and is logged once, without the token', async (t) => {
  // Discord would take a second try, so a second try would end with another line.
  const { asked, stop, logged } = await registering(t, [401], { discordCommand: 'on-duty' })
  await until('it is said', () => (logged().includes('a chat app') ? true : null))
  await stop()
  t.equal(asked.length, 1)
  t.equal(logged().split('did not take what it may call').length - 1, 1)
  t.notMatch(logged(), /knows what it may call/)
  t.match(asked[0]?.body, [{ name: 'on-duty' }])
  t.notOk(logged().includes(TOKEN))
})

t.test('without a Discord application, no command is registered', async (t) => {
  const { asked } = await registering(t, [], { discordBotToken: '' })
  t.same(asked, [])
})
