/**
 * Tests of the Discord app against a fake Discord: messages with buttons, edited in place, and the
 * meaning of each refusal of Discord.
 */
import t from 'tap'
import { app } from '../../../services/channels/apps/discord.ts'
import type { Message, RemoteRef, SendOutcome, SendReply, SendRequest } from '../../../services/channels/channel.ts'
import type { DiscordInstall } from '../../../services/channels/discord-room.ts'
import { channel as discord } from '../../../services/channels/kinds/discord.ts'
import { APP, type DiscordChannel, type DiscordMessage, type DiscordWorld, discordFault, discordWorld } from './discord-web.ts'
import {
  acknowledged,
  context,
  DELIVERY,
  deployment,
  drive,
  hostile,
  httpOf,
  INCIDENT,
  incident,
  json,
  message,
  NOW,
  reply,
  short,
  test,
  up
} from './messages.ts'
import { verdicts } from './verdicts.ts'

const at = context({ deployment: { ...deployment, discord: { ...APP } } })
const BACK = 'https://app.example.com/back'

interface Stage {
  world: DiscordWorld
  room: DiscordChannel
  config: DiscordInstall
  /** The requests that Discord got. */
  asked: string[]
  said<R>(steps: Generator<SendRequest, R, SendReply>): R
  send(what: Message, ref?: RemoteRef | null): SendOutcome
}

function stage(): Stage {
  const world = discordWorld()
  const guild_id = world.guild('Acme')
  const room = world.channel(guild_id, 'alerts')
  for (const guild of world.guilds) guild.joined = true
  const asked: string[] = []
  const config: DiscordInstall = { mode: 'oauth', guild_id, guild_name: 'Acme', channel_id: room.id, channel_name: '#alerts' }
  function said<R>(steps: Generator<SendRequest, R, SendReply>): R {
    let next = steps.next()
    while (!next.done) {
      const { method, url, headers, body } = httpOf(next.value)
      const { pathname } = new URL(url)
      const answer = world.vendor({ method, path: pathname, headers, body: body ?? '' })
      asked.push(answer.did)
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      next = steps.next({ status: answer.status, headers: answer.headers ?? {}, body: text })
    }
    return next.value
  }
  return { world, room, config, asked, said, send: (what, ref = null) => said(discord.steps(what, config, ref, at)) }
}

const labelsOf = ({ components }: DiscordMessage): unknown[] => components.flatMap((row) => row.components ?? []).map(({ label }) => label)

const refOf = (outcome: SendOutcome): RemoteRef => (outcome.outcome === 'delivered' ? (outcome.remote_ref ?? {}) : {})

t.test('the Discord message of a failure is edited on acknowledgement and at the end', async (t) => {
  const { world, room, send, asked } = stage()
  const down = send(message())
  const [first] = world.messages
  if (!first) return t.fail('nothing was written')
  t.match(first, { channel: room.id, content: '', nonce: DELIVERY.replaceAll('-', '').slice(0, 25) })
  t.match(first.embeds, [{ title: 'api.example.com is down', color: 15_158_332, url: 'https://app.example.com/incidents/42' }])
  t.same(labelsOf(first), ['Acknowledge', 'Resolve', 'Silence 1 h', 'Open'])
  t.match(JSON.stringify(first.components), `"custom_id":"inc:silence:60:${INCIDENT}"`)
  const ref = refOf(down)
  t.same(ref, { message_id: first.id })

  t.equal(short(send(acknowledged(), ref)), 'delivered')
  t.equal(world.messages.length, 1, 'no second message')
  t.match(first, { edits: 1, embeds: [{ color: 15_844_367, description: 'Acknowledged by Jo Doe.' }] })
  t.same(labelsOf(first), ['Resolve', 'Silence 1 h', 'Open'], 'only what is still possible')

  t.same(Object.values(refOf(send({ ...up(), delivery_id: INCIDENT }, ref))), [world.messages[1]?.id])
  t.match(first, { edits: 2, embeds: [{ title: 'api.example.com is up again after 4m 10s', color: 3_066_993 }] })
  t.same(labelsOf(first), [])
  t.match(world.messages[1], { answers: first.id, content: /^\\\[RESOLVED\\\] api\.example\.com is up again after 4m 10s$/ })
  t.same(asked, ['message', 'edit', 'edit', 'answer'])
})

t.test('a Discord message offers only actions that are possible', async (t) => {
  const { world, send } = stage()
  let nth = 0
  const labels = (over: Parameters<typeof incident>[0]): unknown[] => {
    send(message({ delivery_id: `${DELIVERY.slice(0, 9)}${++nth}${DELIVERY.slice(10)}`, incident: incident(over) }))
    const last = world.messages.at(-1)
    return last ? labelsOf(last) : []
  }
  t.same(labels({ silenced_until: NOW + 60_000 }), ['Acknowledge', 'Resolve', 'Open'], 'silenced')
  t.same(labels({ silenced_until: NOW - 1 }), ['Acknowledge', 'Resolve', 'Silence 1 h', 'Open'], 'no more')
  t.same(labels({ status: 'resolved', resolved_at: NOW }), [])
  t.same(labels({ url: 'http://monitor:8080/incidents/42' }), ['Acknowledge', 'Resolve', 'Silence 1 h'], 'Discord takes no such link')
  t.match(world.messages.at(-1)?.embeds, [{ url: undefined, description: /\nhttp:\/\/monitor:8080\/incidents\/42$/ }], 'it is text')
})

t.test('a Discord message sent again within minutes appears only once', async (t) => {
  const { world, send, asked } = stage()
  t.same(refOf(send(message())), refOf(send(message())))
  t.equal(world.messages.length, 1)
  t.same(asked, ['message', 'the same message'])
})

t.test('a worse failure is a reply to the first message, and a lost message is posted again', async (t) => {
  const { world, send } = stage()
  const other = (what: Message, id: string): Message => ({ ...what, delivery_id: id })
  const ref = refOf(send(message({ event: 'degraded' })))
  t.same(Object.values(refOf(send(other(message(), INCIDENT), ref))), [world.messages[1]?.id])
  t.match(world.messages[1], { answers: world.messages[0]?.id })
  const anew = send(other(acknowledged(), 'a'.repeat(36)), { message_id: '1' })
  t.same(refOf(anew), { message_id: world.messages[2]?.id })
  t.match(world.messages[2], { answers: null, embeds: [{ title: 'api.example.com is down' }] })
  t.equal(short(send(other(up({ combined: true }), 'b'.repeat(36)))), 'delivered', 'what was never told is told once')
  t.match(world.messages[3], { answers: null })
})

t.test('an edit updates or blanks the Discord messages of an incident, by app and by webhook', async (t) => {
  const { world, config, send, said } = stage()
  const edit = (what: Message | null, ref: RemoteRef) => {
    if (!discord.edit) throw new Error('no edit')
    return said(discord.edit(what, config, ref, at))
  }
  const down = refOf(send(message()))
  const ref = { ...down, ...refOf(send({ ...up(), delivery_id: INCIDENT }, down)) }
  t.equal(short(edit(message({ incident: incident({ title: 'Another title' }) }), ref)), 'delivered')
  t.match(world.messages[0], { embeds: [{ title: 'Another title' }], content: '' })
  t.match(world.messages[1], { edits: 0 }, 'what was answered stays')
  edit(null, ref)
  for (const one of world.messages) t.match(one, { content: 'This incident cannot be read here any more.', embeds: [], components: [] })
  t.notMatch(JSON.stringify(world.messages), /api\.example|Another title|inc:/)
  edit(message(), ref)
  t.match(world.messages[0], { content: '', embeds: [{ title: 'api.example.com is down' }] })
  t.same(edit(message(), {}), { outcome: 'skipped', why: 'no_message' })
  t.equal(short(edit(message(), { message_id: '1' })), 'delivered', 'somebody deleted it')

  const hook = { webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}` }
  const steps = discord.edit?.(null, hook, { message_id: '7', reply_up: '8' }, at)
  const first = steps?.next()
  if (!first || first.done) return t.fail('a webhook changes nothing')
  t.match(httpOf(first.value), { method: 'PATCH', url: `${hook.webhook_url}/messages/7` })
  t.same(json(first.value), { allowed_mentions: { parse: [] }, content: 'This incident cannot be read here any more.', embeds: [] })
})

t.test('all pages and reminders of an incident become neutral in Discord', async (t) => {
  const { world, config, send, said } = stage()
  const reminder = message({ event: 'reminder', incident: null, title_override: 'Still so: api.example.com is down' })
  let nth = 0
  for (const events of [[message(), message(), message(), reminder, reminder], [reminder]]) {
    world.messages.length = 0
    let ref: RemoteRef = {}
    for (const what of events) {
      const delivery_id = `${DELIVERY.slice(0, 9)}${++nth}${DELIVERY.slice(10)}`
      ref = { ...ref, ...refOf(send({ ...what, delivery_id }, ref)) }
    }
    t.equal(world.messages.length, events.length)
    const steps = discord.edit?.(null, config, ref, at)
    if (!steps) return t.fail('no edit')
    t.equal(short(said(steps)), 'delivered')
    t.notMatch(JSON.stringify(world.messages), /api\\*\.example/)
  }
})

t.test('hostile text stays text in Discord, and a test has neither embeds nor buttons', async (t) => {
  const { world, send } = stage()
  t.equal(short(send(hostile())), 'delivered')
  t.notMatch(JSON.stringify(world.messages[0]), /\[a\]\(b\)/)
  t.equal(short(send({ ...test(), delivery_id: INCIDENT })), 'delivered')
  t.match(world.messages[1], { embeds: [], components: [], content: /^\\\[TEST\\\] Notifications from Acme work\.$/ })
})

t.test('refusals of Discord and their outcomes', async (t) => {
  const { config } = stage()
  const credential = drive(discord, message(), config, [reply(401, { code: 0 })], { at }).outcome
  t.match(credential, { outcome: 'retry', operator: true, after_ms: 300_000 }, 'the token is the operator’s')
  t.match(drive(discord, message(), config, []).outcome, { outcome: 'permanent', scope: 'delivery', operator: true }, 'no app any more')
  const judged = (code: number, status: number): string =>
    short(drive(discord, message(), config, [reply(status, discordFault(code, 'x'))], { at }).outcome)
  t.equal(judged(10_003, 404), 'permanent channel at once')
  t.equal(judged(10_004, 404), 'permanent channel at once')
  t.equal(judged(50_001, 403), 'permanent channel')
  t.equal(judged(50_013, 403), 'permanent channel')
  t.equal(judged(50_035, 400), 'permanent delivery')
  t.equal(judged(130_000, 503), 'retry')
  t.match(drive(discord, message(), config, [reply(429, { retry_after: 0.25 })], { at }).outcome, { outcome: 'retry', after_ms: 250 })
  const edited = drive(discord, up(), config, [reply(403, discordFault(50_001, 'x'))], { at, ref: { message_id: '1' } })
  t.equal(short(edited.outcome), 'permanent channel', 'of an edit, too')
  verdicts(t, discord, { webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}` }, [
    [reply(404, { code: 10015 }), 'permanent channel at once']
  ])
})

t.test('the Discord app is installed and uninstalled, and a faulty install is refused', async (t) => {
  const { world, room, said, asked } = stage()
  const install = () => said(app.install({ ...APP }, { code: 'c', redirect_uri: BACK }, at))
  const code = { channel: room.id, installer: '42', redirect_uri: BACK }
  const given = (over: Partial<typeof code> & { scope?: string; elsewhere?: true } = {}) => world.codes.set('c', { ...code, ...over })
  given()
  t.same(install(), {
    outcome: 'installed',
    name: '#alerts in Acme',
    config: { guild_id: room.guild, guild_name: 'Acme', channel_id: room.id, channel_name: '#alerts' },
    installer: '42'
  })
  t.same(asked, ['install', 'no webhook', 'who', 'look'])
  t.equal(room.webhooks.size, 0, 'nobody can write by the webhook of the page')
  t.match(install(), { outcome: 'refused', problem: 'refused' }, 'a code is good once')
  given({ scope: 'applications.commands bot' })
  t.match(install(), { outcome: 'refused', problem: 'incomplete' })
  given({ elsewhere: true })
  t.match(install(), { outcome: 'refused', problem: 'incomplete', why: /another server/ })
  given({ channel: '5' })
  t.match(install(), { outcome: 'refused', problem: 'incomplete' })
  room.seen = false
  given()
  t.match(install(), { outcome: 'refused', problem: 'no_access' })
  t.equal(room.webhooks.size, 0)
  t.match(said(app.install({ ...APP, client_secret: 'x' }, { code: 'c', redirect_uri: BACK }, at)), { why: /401 invalid_client/ })
  const uninstall = () => said(app.uninstall({ ...APP }, { guild_id: room.guild }, at))
  t.same([uninstall(), world.guilds[0]?.joined], [{ outcome: 'delivered' }, false])
  t.same(uninstall(), { outcome: 'delivered' }, 'it has left already')
})

t.test('the address of the Discord install page names our scopes and permissions', async (t) => {
  const url = new URL(app.authorizeUrl({ ...APP }, { state: 's', redirect_uri: BACK }, at))
  t.equal(`${url.origin}${url.pathname}`, 'https://discord.com/oauth2/authorize')
  t.same(Object.fromEntries(url.searchParams), {
    ...{ response_type: 'code', client_id: APP.client_id, scope: 'bot applications.commands identify webhook.incoming' },
    ...{ permissions: '84992', integration_type: '0', redirect_uri: BACK, state: 's' }
  })
  t.notMatch(url.search, '+')
  t.equal(app.account(deployment), null)
})
