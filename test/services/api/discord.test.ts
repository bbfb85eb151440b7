/**
 * Tests of the endpoint that Discord calls. The bad signatures that Discord tries must be refused.
 * After that it works as Slack's does: an action is done as the linked member, with the rights that
 * the member has at that moment.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { discordCallIn } from '../../../services/api/chat/discord-calls.ts'
import { discordKey, verifyDiscord } from '../../../services/channels/discord-signature.ts'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { as, type Person, person } from './people.ts'
import { type Stand, stand } from './stand.ts'

const URL_OF_DOOR = '/api/v1/chat/discord/interactions'
const STRANGER = /^You are not linked to a member yet\\?\. Open this link within 15 minutes, and keep it to yourself\\: <\S+>$/
const INCIDENT = '01890000-0000-7000-8000-00000000abcd'

interface Door {
  s: Stand
  key: KeyObject
  told: { method: string; path: string; content: string }[]
}

async function door(t: Teardown): Promise<Door> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const hex = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex')
  const told: Door['told'] = []
  const discord = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    told.push({ method: request.method ?? '', path: request.url ?? '', content: JSON.parse(text).content })
    response.writeHead(200).end('{}')
  })
  await new Promise<void>((resolve) => discord.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(discord.address() as AddressInfo).port}`
  const s = await stand(t, { config: { discordPublicKey: hex, outboundBaseUrls: JSON.stringify({ discord: url }) } })
  t.teardown(() => {
    discord.closeAllConnections()
    discord.close()
  })
  return { s, key: privateKey, told }
}

const seconds = (): string => String(Math.floor(Date.now() / 1000))

interface Signing {
  timestamp?: string
  signature?: string
}

function called({ s, key }: Door, body: string, { timestamp = seconds(), signature }: Signing = {}) {
  const signed = signature ?? sign(null, Buffer.from(timestamp + body), key).toString('hex')
  const headers = { 'content-type': 'application/json', 'x-signature-timestamp': timestamp, 'x-signature-ed25519': signed }
  return s.app.inject({ method: 'POST', url: URL_OF_DOOR, headers, payload: body })
}

let nth = 0
const interaction = (user_id: string, over: object): object => ({
  ...{ id: String(7000 + ++nth), application_id: '900', token: 'aW50ZXJhY3Rpb24', guild_id: '100' },
  ...{ member: { user: { id: user_id, username: `jo${user_id}` } }, ...over }
})
const command = (user_id: string, name: string, options: Record<string, unknown> = {}): object =>
  interaction(user_id, {
    type: 2,
    data: { name: 'watch', options: [{ type: 1, name, options: Object.entries(options).map(([name, value]) => ({ name, value })) }] }
  })
const button = (user_id: string, custom_id: string): object => interaction(user_id, { type: 3, data: { custom_id } })

/** Returns the text that only the sender sees. */
async function told(d: Door, call: object): Promise<string> {
  const answer = await called(d, JSON.stringify(call))
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  const { type, data } = answer.json()
  if (type !== 4 || data.flags !== 64 || data.allowed_mentions.parse.length !== 0) throw new Error(answer.body)
  return data.content
}

async function link(d: Door, who: Person, user_id: string): Promise<void> {
  const token = /\/links\/chat\/(\w+)>$/.exec(await told(d, command(user_id, 'status')))?.[1]
  const answer = await as(d.s, who, 'POST', '/api/v1/chat/identities', { token })
  if (answer.statusCode !== 201) throw new Error(answer.body)
}

t.test('a Discord signature is valid for five minutes only', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = discordKey(Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex'))
  const body = Buffer.from('{"type":1}')
  const good = sign(null, Buffer.concat([Buffer.from('1700000000'), body]), privateKey).toString('hex')
  const at = 1_700_000_000_000
  const cases: [what: string, timestamp: string, signature: string, body: Buffer, now: number, fits: boolean][] = [
    ['as it came', '1700000000', good, body, at, true],
    ['five minutes later', '1700000000', good, body, at + 300_000, true],
    ['later than that', '1700000000', good, body, at + 300_001, false],
    ['from ahead', '1700000000', good, body, at - 300_001, false],
    ['another time', '1700000001', good, body, at, false],
    ['another body', '1700000000', good, Buffer.from('{"type":2}'), at, false],
    ['cut', '1700000000', good.slice(2), body, at, false],
    ['no hex', '1700000000', 'z'.repeat(128), body, at, false],
    ['zeros', '1700000000', '0'.repeat(128), body, at, false],
    ['no time', '', good, body, at, false]
  ]
  for (const [what, timestamp, signature, bytes, now, fits] of cases)
    t.equal(verifyDiscord(key, timestamp, signature, bytes, now), fits, what)
})

t.test('calls of Discord are parsed, and a missing field is named', async (t) => {
  t.equal(discordCallIn({ type: 1 }), 'ping')
  t.match(discordCallIn(command('1', 'silence', { minutes: 60, incident: 'INC-2' })), {
    who: { vendor: 'discord', account: '100', sender: '1', name: 'jo1' },
    command: { word: 'silence', incident: 'INC-2', minutes: 60 },
    name: '/watch',
    reply_url: 'https://discord.com/api/v10/webhooks/900/aW50ZXJhY3Rpb24/messages/@original'
  })
  t.match(discordCallIn(command('1', 'oncall', { schedule: 'Night' })), { command: { word: 'oncall', schedule: 'Night' } })
  t.match(discordCallIn({ ...command('1', 'status'), guild_id: undefined, member: undefined, user: { id: '1' } }), {
    who: { account: '900', sender: '1' }
  })
  t.match(discordCallIn(button('1', `inc:ack:${INCIDENT}`)), { command: { word: 'ack', incident: INCIDENT } })
  t.match(discordCallIn(button('1', `inc:silence:60:${INCIDENT}`)), { command: { word: 'silence', minutes: 60 } })
  for (const id of ['inc:open', `inc:silence:${INCIDENT}`, `inc:ack:60:${INCIDENT}`, `inc:delete:${INCIDENT}`, ''])
    t.equal(discordCallIn(button('1', id)), null, id)
  t.equal(discordCallIn(interaction('1', { type: 4 })), null)
  t.match(discordCallIn({ ...command('1', 'status'), token: '../../x' }), { reply_url: null })
  t.match(discordCallIn({ ...command('1', 'status'), id: 'x' }), { path: 'id' })
  t.match(discordCallIn({ ...command('1', 'status'), guild_id: 'x' }), { path: 'guild_id' })
  t.match(discordCallIn({ ...command('1', 'status'), member: null }), { path: 'member.user.id' })
  for (const bad of [null, [], 'x', 7]) t.match(discordCallIn(bad), { expected: 'a JSON object' })
})

t.test('a bad signature gets 401 without a body, and a ping gets a pong', async (t) => {
  const d = await door(t)
  const ping = '{"type":1}'
  t.same((await called(d, ping)).json(), { type: 1 })
  for (const signing of [{ signature: '0'.repeat(128) }, { signature: '' }, { timestamp: String(Number(seconds()) - 400) }]) {
    const answer = await called(d, ping, signing)
    t.same([answer.statusCode, answer.body], [401, ''])
  }
  t.equal((await called(d, '{')).statusCode, 400)
  t.equal((await called(d, `{"x":"${'x'.repeat(131_072)}"}`)).statusCode, 413)
  t.match((await called(d, '[]')).json(), { code: 'VALIDATION_FAILED' })
})

t.test('a linked member acts by commands and buttons, and others cannot', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  const { incident_id } = await s.incident(s.acme, { title: 'Disk *full* @everyone' })
  const theirs = await s.incident(s.globex)
  t.match(await told(d, command('1', 'ack', { incident: 'INC-1' })), STRANGER)
  await link(d, jo, '1')
  t.match(await told(d, command('1', 'status')), /Disk \\\*full\\\* @everyone/)
  const once = command('1', 'ack', { incident: 'INC-1' })
  t.equal(await told(d, once), 'INC\\-1 is acknowledged.')
  t.equal(await told(d, once), 'This was answered before.')
  t.equal(await told(d, button('1', `inc:ack:${incident_id}`)), 'INC\\-1 was acknowledged by you already.')
  t.equal(await told(d, button('1', `inc:ack:${theirs.incident_id}`)), 'The incident was not found.')
  t.match(await told(d, button('2', `inc:resolve:${incident_id}`)), STRANGER, 'another of the same server')
  t.equal(await told(d, button('1', 'inc:open')), 'There is nothing to do.')
  await s.systemPool.query("UPDATE members SET role = 'viewer' WHERE user_id = $1", [jo.user_id])
  t.equal(await told(d, button('1', `inc:resolve:${incident_id}`)), 'Your role in this workspace does not act on incidents.')
  const incident = (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json()
  t.match(incident, { status: 'ongoing', acknowledged_by: `user:${jo.user_id}` })
})

t.test('a slow command is answered later', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  await link(d, jo, '1')
  await s.incident(s.acme)
  const holder = await s.systemPool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT FROM signals WHERE tenant_id = $1 FOR UPDATE', [s.acme.tenant_id])
    t.same((await called(d, JSON.stringify(command('1', 'ack', { incident: 'INC-1' })))).json(), { type: 5, data: { flags: 64 } })
    await holder.query('COMMIT')
  } finally {
    holder.release()
  }
  const later = await until('the later answer', () => d.told[0] ?? null)
  t.same(later, { method: 'PATCH', path: '/api/v10/webhooks/900/aW50ZXJhY3Rpb24/messages/@original', content: 'INC\\-1 is acknowledged.' })
})
