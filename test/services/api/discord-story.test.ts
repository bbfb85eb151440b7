/**
 * Tests of the Discord app from end to end against a fake Discord: it is added, linked to members,
 * notified, used by buttons and commands, hidden again when an incident becomes private, and
 * removed.
 */
import t from 'tap'
import { until } from '../../harness/until.ts'
import type { DiscordMessage } from '../channels/discord-web.ts'
import { allowed, CALLBACK, type Discording, discordCalls, discording, installed, open, START } from './discording.ts'
import { as, audited, type Person, person } from './people.ts'
import { secretTeam } from './slacking.ts'
import { login, ORIGIN } from './stand.ts'

const CHANNELS = '/api/v1/notifications/channels'
const STRANGER = /^You are not linked to a member yet\\?\. Open this link within 15 minutes, and keep it to yourself\\: <\S+>$/
const NEUTRAL = 'This incident cannot be read here any more.'
const problem = (word: string): string => `/settings/channels/new?kind=discord&problem=${word}`

let nth = 0

/**
 * Sends the interaction that Discord sends when a person does something. Returns the text that only
 * this person sees.
 */
async function called(one: Discording, guild_id: string, user_id: string, over: object): Promise<string> {
  const call = {
    ...{ id: String(7000 + ++nth), application_id: '900000000000000001', token: 'aW50ZXJhY3Rpb24', guild_id },
    ...{ member: { user: { id: user_id, username: `user${user_id}` } }, ...over }
  }
  const before = one.told.length
  const answer = await discordCalls(one, JSON.stringify(call))
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  const { type, data } = answer.json()
  if (data.flags !== 64) throw new Error('others would see it')
  return type === 5 ? until('the words that come later', () => one.told[before] ?? null) : data.content
}

const write = (one: Discording, guild_id: string, user_id: string, name: string, options: Record<string, unknown> = {}): Promise<string> =>
  called(one, guild_id, user_id, {
    type: 2,
    data: { name: 'watch', options: [{ type: 1, name, options: Object.entries(options).map(([name, value]) => ({ name, value })) }] }
  })

const buttonsOf = ({ components }: DiscordMessage): string[] =>
  components.flatMap((row) => row.components ?? []).flatMap(({ custom_id }) => (typeof custom_id === 'string' ? [custom_id] : []))

/** Presses a button of a message as this person. */
async function press(one: Discording, guild_id: string, user_id: string, message: DiscordMessage, act: string): Promise<string> {
  const custom_id = buttonsOf(message).find((id) => id.startsWith(`inc:${act}:`))
  if (custom_id === undefined) throw new Error(`the message has no button ${act}`)
  return called(one, guild_id, user_id, { type: 3, data: { custom_id, component_type: 2 }, message: { id: message.id } })
}

async function link(one: Discording, guild_id: string, who: Person, user_id: string): Promise<void> {
  const token = /\/links\/chat\/(\w+)>$/.exec(await write(one, guild_id, user_id, 'status'))?.[1] ?? ''
  const answer = await as(one.s, who, 'POST', '/api/v1/chat/identities', { token })
  if (answer.statusCode !== 201) throw new Error(answer.body)
}

const inRoom = ({ discord }: Discording, channel: string): DiscordMessage[] => discord.messages.filter((one) => one.channel === channel)

/** Waits until no notification is on its way. */
const quiet = ({ s }: Discording): Promise<unknown> =>
  until('the notifier to rest', async () => {
    const { rows } = await s.systemPool.query<{ busy: boolean }>(
      "SELECT EXISTS (SELECT FROM jobs WHERE kind IN ('incident_notify', 'incident_chat', 'chat_team', 'chat_uninstall')) OR EXISTS (SELECT FROM deliveries WHERE open) AS busy"
    )
    return rows[0]?.busy === false
  })

t.test('an incident is notified, acknowledged, silenced and resolved in Discord', async (t) => {
  const one = await discording(t, { notifies: true })
  const { s, discord } = one
  const guild = discord.guild('Acme Games')
  const room = discord.channel(guild, 'alerts').id
  const id = await installed(one, (await login(s, s.acme.email)).cookie, room)
  t.match((await s.call(s.acme, 'GET', `${CHANNELS}/${id}`)).json(), {
    ...{ kind: 'discord', name: '#alerts in Acme Games', target: '#alerts in Acme Games', is_default: true },
    config: {
      ...{ mode: 'oauth', guild_id: guild, guild_name: 'Acme Games', channel_id: room, channel_name: '#alerts' },
      ...{ installer_external_id: '4242', installer_user_id: s.acme.user_id }
    }
  })
  const jo = await person(s, s.acme, 'jo', 'responder')
  const { incident_id, key } = await s.incident(s.acme, { title: 'Disk full' })
  const escaped = key.replace('-', '\\-')
  const first = await until('the message', () => inRoom(one, room)[0])
  t.match(first.embeds, [{ title: 'Disk full' }])
  const buttons = (...acts: string[]): string[] => acts.map((act) => `inc:${act}:${incident_id}`)
  t.same(buttonsOf(first), buttons('ack', 'resolve', 'silence:60'))
  await quiet(one)

  t.match(await press(one, guild, '1', first, 'ack'), STRANGER, 'a stranger hears nothing else')
  t.match(first, { edits: 0 })
  await link(one, guild, jo, '1')
  t.equal(await press(one, guild, '1', first, 'ack'), `${escaped} is acknowledged.`)
  await until('the message to change', () => first.edits > 0)
  await quiet(one)
  t.match(first.embeds, [{ description: 'Acknowledged by jo.' }])
  t.same(buttonsOf(first), buttons('resolve', 'silence:60'))

  t.equal(await write(one, guild, '1', 'silence', { incident: key, minutes: 30 }), `${escaped} is silenced for 30 minutes.`)
  await until('the button to go', () => buttonsOf(first).length === 1)
  await quiet(one)
  t.equal(inRoom(one, room).length, 1, 'and no second message')

  t.equal(await press(one, guild, '1', first, 'resolve'), `${escaped} is resolved.`)
  await until('the end, as an answer', () => inRoom(one, room)[1])
  await quiet(one)
  t.same(buttonsOf(first), [])
  t.match(inRoom(one, room)[1], { answers: first.id, content: /RESOLVED\\\] Disk full/ })
  t.equal(inRoom(one, room).length, 2)
  t.same(await audited(s, s.acme.tenant_id, incident_id), ['incident.acknowledged', 'incident.silenced', 'incident.resolved'])
  const { items } = (await as(s, jo, 'GET', `/api/v1/incidents/${incident_id}/timeline`)).json()
  const byHand = items.filter((item: { actor: string }) => item.actor === `user:${jo.user_id}`)
  t.same(
    byHand.map(({ type, via, app }: Record<string, string>) => [type, via, app]),
    ['acknowledged', 'silenced', 'resolved'].map((type) => [type, 'chat', 'discord'])
  )
  const log = (await s.call(s.acme, 'GET', `/api/v1/workspace/audit-log?object_id=${incident_id}&via=chat`)).json()
  t.match(log.items[0], { action: 'incident.resolved', via: 'chat', app: 'discord', actor: { name: 'jo' } })
  t.notMatch(s.logged(), /client-secret-of-discord|code-\d|person-\d|hook-secret|zzzz/, 'no log has a secret')
})

t.test('outsiders of a private team and demoted members cannot act in Discord', async (t) => {
  const one = await discording(t, { notifies: true })
  const { s, discord } = one
  const guild = discord.guild('Acme Games')
  const room = discord.channel(guild, 'secret').id
  const { team_id, lead, outsider } = await secretTeam(s, s.acme)
  const channel_id = await installed(one, lead.cookie, room)
  t.equal((await as(s, lead, 'PATCH', `${CHANNELS}/${channel_id}`, { team_id })).statusCode, 200)
  const { incident_id, key } = await s.incident(s.acme, { title: 'Zwiebelfisch', team_id })
  const first = await until('the message', () => inRoom(one, room)[0])
  await quiet(one)
  await link(one, guild, outsider, '2')
  t.equal((await s.call(s.acme, 'PATCH', `/api/v1/workspace/members/${outsider.user_id}`, { role: 'responder' })).statusCode, 200)
  const words = 'The incident was not found.'
  t.equal(await press(one, guild, '2', first, 'ack'), words)
  t.equal(await write(one, guild, '2', 'ack', { incident: key }), words)
  t.equal(await write(one, guild, '2', 'ack', { incident: 'INC-999' }), words, 'as what does not exist')
  t.equal(await write(one, guild, '2', 'status'), 'Nothing is open.')
  t.match(first, { edits: 0 })

  const member = await person(s, s.acme, 'member', 'responder')
  t.equal((await as(s, lead, 'PUT', `/api/v1/teams/${team_id}/members/${member.user_id}`)).statusCode, 200)
  await link(one, guild, member, '3')
  t.equal((await s.call(s.acme, 'PATCH', `/api/v1/workspace/members/${member.user_id}`, { role: 'viewer' })).statusCode, 200)
  t.equal(await press(one, guild, '3', first, 'ack'), 'Your role in this workspace does not act on incidents.')
  t.match((await as(s, lead, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { acknowledged_at: null })

  const globex = await person(s, s.globex, 'elsewhere', 'owner')
  await link(one, guild, globex, '4')
  t.equal(await press(one, guild, '4', first, 'ack'), words, 'of another workspace that has the app in the same server')
})

t.test('the message about an incident that becomes private is made neutral', async (t) => {
  const one = await discording(t, { notifies: true })
  const { s, discord } = one
  const room = discord.channel(discord.guild('Acme Games'), 'alerts').id
  await installed(one, (await login(s, s.acme.email)).cookie, room)
  const { team_id } = await secretTeam(s, s.acme)
  const { incident_id } = await s.incident(s.acme, { title: 'Zwiebelfisch' })
  const first = await until('the message', () => inRoom(one, room)[0])
  await quiet(one)
  t.equal((await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { team_id })).statusCode, 200)
  await until('the message to be neutral', () => first.content === NEUTRAL)
  await quiet(one)
  t.same(buttonsOf(first), [])
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`)).statusCode, 200)
  await quiet(one)
  t.notMatch(JSON.stringify(inRoom(one, room)), /Zwiebelfisch/i)
  t.equal(inRoom(one, room).length, 1)
})

t.test('the Discord app is installed, installed again and refused', async (t) => {
  const one = await discording(t)
  const { s, discord, server } = one
  const guild = discord.guild('Acme Games')
  const room = discord.channel(guild, 'alerts')
  const { cookie } = await login(s, s.acme.email)
  const id = await installed(one, cookie, room.id)
  t.equal(room.webhooks.size, 0, 'the webhook of the page is taken away')
  t.same(await audited(s, s.acme.tenant_id, id), ['channel.installed'])
  const stored = (await s.systemPool.query('SELECT config FROM notification_channels WHERE channel_id = $1', [id])).rows[0]?.config
  t.notMatch(JSON.stringify(stored), /person-|hook-secret|zzzz/, 'no credential is kept')

  await s.systemPool.query("UPDATE notification_channels SET health_state = 'disabled' WHERE channel_id = $1", [id])
  t.equal(await installed(one, cookie, room.id), id, 'again: the same channel')
  t.match((await s.call(s.acme, 'GET', `${CHANNELS}/${id}`)).json(), { health: { state: 'ok' } })
  t.equal((await s.call(s.acme, 'POST', `${CHANNELS}/${id}/test`)).json().ok, true)
  t.match(discord.messages.at(-1), { channel: room.id, content: /TEST/ })
  t.match((await s.call(s.acme, 'PATCH', `${CHANNELS}/${id}`, { config: { channel_id: '5' } })).json(), {
    details: [{ path: 'config.channel_id', rule: 'immutable' }]
  })
  const forged = { name: 'x', kind: 'discord', config: { mode: 'oauth', guild_id: guild, channel_id: room.id } }
  t.equal((await s.call(s.acme, 'POST', CHANNELS, forged)).statusCode, 422, 'nobody writes an install by hand')
  const kinds = (await s.call(s.acme, 'GET', '/api/v1/notifications/channel-kinds')).json().items
  t.same(kinds.find((item: { kind: string }) => item.kind === 'discord').app, { set_up: true, available: true, upgrade_to: null })

  const { total } = (await s.call(s.acme, 'GET', CHANNELS)).json()
  const { cookie: stranger } = await login(s, s.globex.email)
  const begun = new URL(String((await open(one, cookie, START)).headers.location)).searchParams.get('state') ?? ''
  const asked = server.heard.length
  t.equal(await allowed(one, stranger, room.id, { state: begun }), problem('state'), 'the way back of somebody else')
  t.equal(server.heard.length, asked, 'and Discord is not asked')
  t.equal(await allowed(one, cookie, room.id, { scope: 'bot' }), problem('incomplete'))
  t.equal(await allowed(one, cookie, room.id, { elsewhere: true }), problem('incomplete'))
  room.seen = false
  t.equal(await allowed(one, cookie, room.id), problem('no_access'))
  const denied = new URL(String((await open(one, cookie, START)).headers.location)).searchParams.get('state') ?? ''
  const no = await open(one, cookie, `${CALLBACK}?${new URLSearchParams({ error: 'access_denied', state: denied })}`)
  t.equal(no.headers.location, `${ORIGIN}${problem('denied')}`)
  t.equal((await s.call(s.acme, 'GET', CHANNELS)).json().total, total, 'nothing is kept of these')
  const without = await discording(t, { config: { discordClientSecret: '' } })
  t.equal(
    (await open(without, (await login(without.s, without.s.acme.email)).cookie, START)).headers.location,
    `${ORIGIN}${problem('not_set_up')}`
  )
})

t.test('the Discord app is removed', async (t) => {
  const one = await discording(t, { notifies: true })
  const { s, discord } = one
  const guild = discord.guild('Acme Games')
  const room = discord.channel(guild, 'alerts')
  const isThere = (): boolean => discord.guilds.some(({ joined }) => joined)

  await t.test('removed in Discord, the app reports the cause and can be added again', async (t) => {
    const { cookie } = await login(s, s.acme.email)
    const muted = await installed(one, cookie, discord.channel(guild, 'muted', { written: false }).id)
    const id = await installed(one, cookie, room.id)
    t.match((await s.call(s.acme, 'POST', `${CHANNELS}/${muted}/test`)).json(), { ok: false, error: /send messages/ })
    t.equal((await s.call(s.acme, 'DELETE', `${CHANNELS}/${muted}`)).statusCode, 204)
    await quiet(one)
    t.ok(isThere(), 'it has another channel')
    for (const one of discord.guilds) one.joined = false
    t.match((await s.call(s.acme, 'POST', `${CHANNELS}/${id}/test`)).json(), { ok: false, error: /is no longer in the server/ })
    t.equal(await installed(one, cookie, room.id), id, 'added again it goes on')
    t.ok(isThere())
  })

  await t.test('the app leaves the server with the last channel of all workspaces', async (t) => {
    const [mine] = (await s.call(s.acme, 'GET', `${CHANNELS}?kind=discord`)).json().items
    const theirs = await installed(one, (await login(s, s.globex.email)).cookie, room.id)
    t.equal((await s.call(s.acme, 'DELETE', `${CHANNELS}/${mine.id}`)).statusCode, 204)
    await quiet(one)
    t.ok(isThere(), 'another workspace has it there')
    t.equal((await s.call(s.globex, 'DELETE', `${CHANNELS}/${theirs}`)).statusCode, 204)
    await until('the bot to leave', () => !isThere())
    await quiet(one)
  })
})
