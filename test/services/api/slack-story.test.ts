/**
 * Tests of the Slack app from end to end against a fake Slack: it is added, linked to members,
 * notified, used by buttons and commands, opens rooms, and its messages are hidden again when an
 * incident becomes private.
 */
import t from 'tap'
import { until } from '../../harness/until.ts'
import type { SlackMessage } from '../channels/slack-web.ts'
import { asDefault, policy, step } from '../notifier/escalating.ts'
import { daily, nowItem, schedule } from './on-calling.ts'
import { as, audited, type Person, person } from './people.ts'
import { phone } from './phoning.ts'
import { installed, type Slacking, secretTeam, slackCalls, slacking } from './slacking.ts'
import { login } from './stand.ts'

const COMMANDS = '/api/v1/chat/slack/commands'
const BUTTONS = '/api/v1/chat/slack/interactions'
const STRANGER = /^You are not linked to a member yet\. Open this link within 15 minutes, and keep it to yourself: \S+$/
const NEUTRAL = 'This incident cannot be read here any more.'

let nth = 0

/** Writes a command as this person. Returns the text that only this person sees. */
async function write(one: Slacking, user_id: string, text: string): Promise<string> {
  const form = { team_id: 'T0001', user_id, user_name: user_id.toLowerCase(), command: '/watch', text, trigger_id: `${++nth}.1.a` }
  const answer = await slackCalls(
    one,
    COMMANDS,
    new URLSearchParams({ ...form, response_url: 'https://hooks.slack.com/commands/T0001/2/x' }).toString()
  )
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json().text
}

/** Presses a button of a message as this person. Returns the text that only this person sees. */
async function press(one: Slacking, user_id: string, message: SlackMessage, action_id: string): Promise<string> {
  const before = one.told.length
  const actions = message.blocks.flatMap(({ elements }) => (Array.isArray(elements) ? elements : []))
  const { value } = actions.find((action) => action.action_id === action_id) ?? {}
  if (value === undefined) throw new Error(`the message has no button ${action_id}`)
  const payload = {
    ...{ type: 'block_actions', team: { id: 'T0001' }, user: { id: user_id, username: user_id.toLowerCase() }, trigger_id: `${++nth}.1.a` },
    ...{ container: { message_ts: message.ts }, channel: { id: message.channel }, actions: [{ action_id, value }] },
    response_url: 'https://hooks.slack.com/actions/T0001/2/x'
  }
  const answer = await slackCalls(one, BUTTONS, new URLSearchParams({ payload: JSON.stringify(payload) }).toString())
  if (answer.statusCode !== 200 || answer.body !== '') throw new Error(`${answer.statusCode} ${answer.body}`)
  const told = await until('the words for a button', () => one.told[before] ?? null)
  if (told.body.response_type !== 'ephemeral') throw new Error('others would see it')
  return told.body.text
}

async function link(one: Slacking, who: Person, user_id: string): Promise<void> {
  const token = /\/links\/chat\/(\S+)$/.exec(await write(one, user_id, 'status'))?.[1] ?? ''
  const answer = await as(one.s, who, 'POST', '/api/v1/chat/identities', { token })
  if (answer.statusCode !== 201) throw new Error(answer.body)
}

const buttonsOf = ({ blocks }: SlackMessage): string[] =>
  blocks.flatMap(({ elements }) => (Array.isArray(elements) ? elements : [])).flatMap(({ action_id }) => (action_id ? [action_id] : []))

const inRoom = ({ slack }: Slacking, room: string): SlackMessage[] => slack.messages.filter(({ channel }) => channel === room)

/** Waits until no notification is on its way. */
const quiet = ({ s }: Slacking): Promise<unknown> =>
  until('the notifier to rest', async () => {
    const { rows } = await s.systemPool.query<{ busy: boolean }>(
      "SELECT EXISTS (SELECT FROM jobs WHERE kind IN ('incident_notify', 'incident_chat', 'chat_team', 'war_room_open')) OR EXISTS (SELECT FROM deliveries WHERE open) AS busy"
    )
    return rows[0]?.busy === false
  })

t.test('an incident in Slack is acknowledged by button, silenced by command and resolved', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack } = one
  const room = slack.room('alerts').id
  await installed(one, (await login(s, s.acme.email)).cookie, room)
  const jo = await person(s, s.acme, 'jo', 'responder')
  const { incident_id, key } = await s.incident(s.acme, { title: 'Disk full' })
  const first = await until('the message', () => inRoom(one, room)[0])
  t.match(first, { text: '[CRITICAL] Disk full' })
  t.same(buttonsOf(first), ['inc_ack', 'inc_resolve', 'inc_silence_60', 'inc_open'])
  await quiet(one)

  t.match(await press(one, 'U1', first, 'inc_ack'), STRANGER, 'a stranger hears nothing else')
  t.match(first, { edits: 0 })
  await link(one, jo, 'U1')
  t.equal(await press(one, 'U1', first, 'inc_ack'), `${key} is acknowledged.`)
  await until('the message to change', () => first.edits > 0)
  await quiet(one)
  t.match(first, { text: '[ACK] Disk full' })
  t.match(JSON.stringify(first.blocks), 'Acknowledged by jo.')
  t.same(buttonsOf(first), ['inc_resolve', 'inc_silence_60', 'inc_open'])

  t.equal(await write(one, 'U1', `silence ${key} 30`), `${key} is silenced for 30 minutes.`)
  await until('the button to go', () => !buttonsOf(first).includes('inc_silence_60'))
  await quiet(one)
  t.same(buttonsOf(first), ['inc_resolve', 'inc_open'])
  t.equal(inRoom(one, room).length, 1, 'and no second message')

  t.equal(await press(one, 'U1', first, 'inc_resolve'), `${key} is resolved.`)
  await until('the end in the thread', () => inRoom(one, room)[1])
  await quiet(one)
  t.match(first, { text: /^\[RESOLVED\] Disk full/ })
  t.same(buttonsOf(first), [])
  t.match(inRoom(one, room)[1], { thread_ts: first.ts, broadcast: true })
  t.equal(inRoom(one, room).length, 2)
  const trail = await audited(s, s.acme.tenant_id, incident_id)
  t.same(trail, ['incident.acknowledged', 'incident.silenced', 'incident.resolved'])
  const { items } = (await as(s, jo, 'GET', `/api/v1/incidents/${incident_id}/timeline`)).json()
  const byHand = items.filter((item: { actor: string }) => item.actor === `user:${jo.user_id}`)
  t.same(
    byHand.map(({ type, via, app }: Record<string, string>) => [type, via, app]),
    ['acknowledged', 'silenced', 'resolved'].map((type) => [type, 'chat', 'slack'])
  )
  const log = (await s.call(s.acme, 'GET', `/api/v1/workspace/audit-log?object_id=${incident_id}&via=chat`)).json()
  t.match(log.items[0], { action: 'incident.resolved', via: 'chat', app: 'slack', actor: { name: 'jo' } })
})

t.test('in Slack, outsiders of a private team learn nothing and demoted members cannot act', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack } = one
  const room = slack.room('secret').id
  const { team_id, lead, outsider } = await secretTeam(s, s.acme)
  const channel_id = await installed(one, lead.cookie, room)
  t.equal((await as(s, lead, 'PATCH', `/api/v1/notifications/channels/${channel_id}`, { team_id })).statusCode, 200)
  const { incident_id, key } = await s.incident(s.acme, { title: 'Zwiebelfisch', team_id })
  const first = await until('the message', () => inRoom(one, room)[0])
  await link(one, outsider, 'U2')
  const words = 'The incident was not found.'
  t.equal(await press(one, 'U2', first, 'inc_ack'), 'Your role in this workspace does not act on incidents.', 'an editor acts on none')
  t.equal((await s.call(s.acme, 'PATCH', `/api/v1/workspace/members/${outsider.user_id}`, { role: 'responder' })).statusCode, 200)
  t.equal(await press(one, 'U2', first, 'inc_ack'), words)
  t.equal(await write(one, 'U2', `ack ${key}`), words)
  t.equal(await write(one, 'U2', 'ack INC-999'), words, 'as what does not exist')
  t.equal(await write(one, 'U2', 'status'), 'Nothing is open.')
  t.equal((await as(s, outsider, 'POST', `/api/v1/incidents/${incident_id}/war-room`, { channel_id })).statusCode, 404)
  await quiet(one)
  t.match(first, { edits: 0 })

  const member = await person(s, s.acme, 'member', 'responder')
  t.equal((await as(s, lead, 'PUT', `/api/v1/teams/${team_id}/members/${member.user_id}`)).statusCode, 200)
  await link(one, member, 'U3')
  t.equal((await s.call(s.acme, 'PATCH', `/api/v1/workspace/members/${member.user_id}`, { role: 'viewer' })).statusCode, 200)
  t.equal(await press(one, 'U3', first, 'inc_ack'), 'Your role in this workspace does not act on incidents.')
  t.match((await as(s, lead, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { acknowledged_at: null })
})

t.test('when an incident becomes private, its message in a public Slack room becomes neutral', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack } = one
  const room = slack.room('alerts').id
  await installed(one, (await login(s, s.acme.email)).cookie, room)
  const { team_id } = await secretTeam(s, s.acme)
  const { incident_id } = await s.incident(s.acme, { title: 'Zwiebelfisch' })
  const first = await until('the message', () => inRoom(one, room)[0])
  await quiet(one)
  const path = `/api/v1/incidents/${incident_id}`
  t.equal((await s.call(s.acme, 'PATCH', path, { team_id })).statusCode, 200)
  await until('the message to be neutral', () => first.text === NEUTRAL)
  await quiet(one)
  t.notMatch(JSON.stringify(inRoom(one, room)), /Zwiebelfisch/i)
  t.same(buttonsOf(first), [])
  t.equal((await s.call(s.acme, 'POST', `${path}/acknowledge`)).statusCode, 200)
  t.equal((await s.call(s.acme, 'POST', `${path}/resolve`)).statusCode, 200)
  await quiet(one)
  t.notMatch(JSON.stringify(inRoom(one, room)), /Zwiebelfisch/i, 'and nothing more is told there')
  t.equal(inRoom(one, room).length, 1)
})

t.test('repeated pages and reminders in a public Slack room become neutral', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack } = one
  const room = slack.room('alerts').id
  const channel_id = await installed(one, (await login(s, s.acme.email)).cookie, room)
  const { team_id } = await secretTeam(s, s.acme)
  const policy_id = await policy(s, s.acme, { steps: [step([{ type: 'channel', id: channel_id, urgency: 'default' }])] })
  await asDefault(s, s.acme, policy_id)
  const { incident_id } = await s.incident(s.acme, { title: 'Zwiebelfisch' })
  await until('the message', () => inRoom(one, room)[0])
  await quiet(one)
  const before = inRoom(one, room).length
  for (let nth = 1; nth <= 7; nth++) {
    const answer = await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/escalate`, { step: 0 })
    t.equal(answer.statusCode, 202, answer.body)
    await until(`page ${nth}`, () => inRoom(one, room).length === before + nth)
    await quiet(one)
  }
  t.equal((await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { team_id })).statusCode, 200)
  await until('all to be neutral', () => inRoom(one, room).every(({ text }) => text === NEUTRAL))
  await quiet(one)
  t.notMatch(JSON.stringify(inRoom(one, room)), /Zwiebelfisch/)
  const { rows } = await s.systemPool.query('SELECT ref FROM delivery_refs')
  t.match(rows, [{ ref: { neutral: 'yes' } }])
  t.notMatch(JSON.stringify(rows), /reply_/, 'nothing is left to do')
})

t.test('a message becomes neutral when its team turns private, and returns when it opens again', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack } = one
  const room = slack.room('alerts').id
  await installed(one, (await login(s, s.acme.email)).cookie, room)
  const { team_id, lead } = await secretTeam(s, s.acme)
  t.equal((await as(s, lead, 'PATCH', `/api/v1/teams/${team_id}`, { visibility: 'org' })).statusCode, 200)
  await s.incident(s.acme, { title: 'Zwiebelfisch', team_id })
  const first = await until('the message', () => inRoom(one, room)[0])
  await quiet(one)
  t.equal((await as(s, lead, 'PATCH', `/api/v1/teams/${team_id}`, { visibility: 'private' })).statusCode, 200)
  await until('the message to be neutral', () => first.text === NEUTRAL)
  await quiet(one)
  t.equal((await as(s, lead, 'PATCH', `/api/v1/teams/${team_id}`, { visibility: 'org' })).statusCode, 200)
  await until('the message to be back', () => first.text === '[CRITICAL] Zwiebelfisch')
  await quiet(one)
  t.ok(buttonsOf(first).includes('inc_ack'))
})

t.test('war rooms', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack, server } = one
  const room = slack.room('alerts').id
  const channel_id = await installed(one, (await login(s, s.acme.email)).cookie, room)
  const jo = await person(s, s.acme, 'jo', 'responder')
  const open = (id: string, body: object, who: Person = jo) => as(s, who, 'POST', `/api/v1/incidents/${id}/war-room`, body)
  const roomOf = async (id: string) => (await as(s, jo, 'GET', `/api/v1/incidents/${id}`)).json().war_room

  await t.test('a war room of a public incident gets a topic, a first message and updates', async (t) => {
    const { incident_id, key } = await s.incident(s.acme, { title: 'API down: über' })
    const answer = await open(incident_id, { channel_id })
    t.match([answer.statusCode, answer.json()], [201, { state: 'opening', private: false, url: null }])
    await until('the room', async () => (await roomOf(incident_id)).state === 'open')
    const made = slack.rooms.at(-1)
    t.match(made, { name: `${key.toLowerCase()}-api-down-uber`, private: false, topic: new RegExp(`^${key} http`) })
    t.match(await roomOf(incident_id), {
      name: made?.name,
      url: `https://slack.com/app_redirect?team=T0001&channel=${made?.id}`,
      error: null
    })
    const [first] = await until('the first message', () => (inRoom(one, made?.id ?? '').length > 0 ? inRoom(one, made?.id ?? '') : null))
    t.match(first, { text: '[CRITICAL] API down: über' })
    t.ok(first && buttonsOf(first).includes('inc_ack'))
    const again = await open(incident_id, { channel_id, name: 'another' })
    t.match([again.statusCode, again.json()], [200, { state: 'open', name: made?.name }], 'the second call gives the first room')

    await quiet(one)
    t.equal((await as(s, jo, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, { comment: 'I look' })).statusCode, 200)
    t.equal((await as(s, jo, 'POST', `/api/v1/incidents/${incident_id}/comments`, { body: 'Disk <full> & hot' })).statusCode, 201)
    t.equal((await as(s, jo, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done' })).statusCode, 200)
    await until('what happened', () => inRoom(one, made?.id ?? '').length === 4)
    await quiet(one)
    t.same(
      inRoom(one, made?.id ?? '')
        .slice(1)
        .map(({ text }) => text),
      ['jo acknowledged it.\nI look', 'jo wrote:\nDisk &lt;full&gt; &amp; hot', 'jo resolved it.\nDone']
    )
    t.match(first, { text: /^\[RESOLVED\]/ })
    t.same(first && buttonsOf(first), [])
    t.same((await audited(s, s.acme.tenant_id, incident_id)).filter((action) => action === 'incident.war_room_opened').length, 1)
  })

  await t.test('a war room of a private team is private and needs an allowed channel', async (t) => {
    const { team_id, lead } = await secretTeam(s, s.acme)
    t.equal((await as(s, lead, 'PUT', `/api/v1/teams/${team_id}/members/${jo.user_id}`)).statusCode, 200)
    const { incident_id } = await s.incident(s.acme, { title: 'Zwiebelfisch', team_id })
    const refused = await open(incident_id, { channel_id })
    t.match([refused.statusCode, refused.json()], [422, { details: [{ path: 'channel_id', rule: 'not_visible' }] }])
    t.equal((await as(s, lead, 'PATCH', `/api/v1/notifications/channels/${channel_id}`, { allowed_team_ids: [team_id] })).statusCode, 200)
    t.match((await open(incident_id, { channel_id })).json(), { state: 'opening', private: true })
    await until('the room', async () => (await roomOf(incident_id)).state === 'open')
    const made = slack.rooms.at(-1)
    t.match(made, { private: true, members: ['UBOT', 'U0INSTALL'], name: /-zwiebelfisch$/, topic: /: Zwiebelfisch http/ })
    await until('the first message', () => inRoom(one, made?.id ?? '').length === 1)
    await quiet(one)
    t.equal((await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { title: 'Zwiebelfisch again' })).statusCode, 200)
    await until('the change', () => inRoom(one, made?.id ?? '').length === 2)
    await quiet(one)
  })

  await t.test('a public war room becomes neutral when its incident becomes private', async (t) => {
    const { incident_id, key } = await s.incident(s.acme, { title: 'Zwiebelfisch' })
    await open(incident_id, { channel_id })
    await until('the room', async () => (await roomOf(incident_id)).state === 'open')
    const at = slack.rooms.at(-1)
    const made = at?.id ?? ''
    t.match(at, { name: `${key.toLowerCase()}-zwiebelfisch` })
    await until('the first message', () => inRoom(one, made).length === 1)
    await quiet(one)
    for (let n = 0; n < 12; n++) await as(s, jo, 'POST', `/api/v1/incidents/${incident_id}/comments`, { body: `Zwiebelfisch ${n}` })
    await until('the comments', () => inRoom(one, made).length === 13)
    await quiet(one)
    const team = (await s.call(s.acme, 'GET', '/api/v1/teams')).json().items[0].id
    t.equal((await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { team_id: team })).statusCode, 200)
    await until('all to be neutral', () => inRoom(one, made).every(({ text }) => text === NEUTRAL))
    await quiet(one)
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/comments`, { body: 'Zwiebelfisch' })).statusCode, 201)
    await quiet(one)
    t.notMatch(JSON.stringify(inRoom(one, made)), /Zwiebelfisch/)
    t.match(at, { name: key.toLowerCase(), topic: new RegExp(`^${key} http`) })
    const { rows } = await s.systemPool.query('SELECT name, neutral FROM war_rooms WHERE incident_id = $1', [incident_id])
    t.same(rows, [{ name: key.toLowerCase(), neutral: true }])
  })

  await t.test('a refusal by Slack is explained, and the room can be requested again', async (t) => {
    const { incident_id } = await s.incident(s.acme, { title: 'Refused' })
    slack.errors.set('conversations.create', ['restricted_action'])
    await open(incident_id, { channel_id })
    await until('the refusal', async () => (await roomOf(incident_id)).state === 'failed')
    t.match(await roomOf(incident_id), { url: null, error: /does not let apps make rooms: an admin there can allow it/ })
    t.match([(await open(incident_id, { channel_id, name: 'Second try' })).statusCode], [201])
    await until('the room', async () => (await roomOf(incident_id)).state === 'open')
    t.match(await roomOf(incident_id), { name: 'second-try', error: null })
    const heard = server.heard.length
    t.equal((await open(incident_id, { channel_id })).statusCode, 200)
    await quiet(one)
    t.notOk(
      server.heard.slice(heard).some(({ said }) => said === 'room'),
      'Slack is not asked again'
    )
  })

  await t.test('no war room is opened for a resolved incident or by an unsuitable channel', async (t) => {
    const { incident_id } = await s.incident(s.acme, { title: 'Over' })
    const webhook = { name: 'w', kind: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T1/B1/abc' } }
    const { id } = (await s.call(s.acme, 'POST', '/api/v1/notifications/channels', webhook)).json()
    t.match((await open(incident_id, { channel_id: id })).json(), { details: [{ rule: 'no_app' }] })
    t.match((await open(incident_id, { channel_id: incident_id })).json(), { details: [{ rule: 'unknown_channel' }] })
    const viewer = await person(s, s.acme, 'viewer', 'viewer')
    t.equal((await open(incident_id, { channel_id }, viewer)).statusCode, 403)
    t.equal((await as(s, jo, 'POST', `/api/v1/incidents/${incident_id}/resolve`)).statusCode, 200)
    t.match((await open(incident_id, { channel_id })).json(), { code: 'INCIDENT_RESOLVED' })
  })
})

t.test('a linked person gets pages as direct messages in Slack and acts there', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack } = one
  const channel_id = await installed(one, (await login(s, s.acme.email)).cookie, slack.room('alerts').id)
  slack.people.add('U1')
  const jo = await person(s, s.acme, 'jo', 'responder')
  const PREFERENCES = '/api/v1/notifications/preferences'
  const method = { kind: 'slack_dm', address: 'T0001:U1' }
  t.match(
    (await as(s, jo, 'PUT', PREFERENCES, { contact_methods: [method] })).json(),
    { details: [{ rule: 'not_linked' }] },
    'not of a stranger'
  )
  await link(one, jo, 'U1')
  const set = (await as(s, jo, 'PUT', PREFERENCES, { contact_methods: [method] })).json()
  t.match(set.contact_methods, [{ ...method, verified_at: /./ }])
  const tested = await as(s, jo, 'POST', `/api/v1/notifications/methods/${set.contact_methods[0].id}/test`)
  t.match(tested.json(), { ok: true })
  t.match(inRoom(one, 'D1')[0], { text: /^\[TEST\]/ })

  const { incident_id, key } = await s.incident(s.acme, { title: 'Paged' })
  const asked = await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/escalate`, { user_ids: [jo.user_id] })
  t.equal(asked.statusCode, 202, asked.body)
  const page = await until('the page', () => inRoom(one, 'D1')[1])
  t.match(page, { text: '[CRITICAL] Paged' })
  t.equal(await press(one, 'U1', page, 'inc_resolve'), `${key} is resolved.`)
  await until('the end', () => inRoom(one, 'D1').length === 3)
  await quiet(one)
  t.match(page, { text: /^\[RESOLVED\] Paged/ })

  await s.systemPool.query("UPDATE notification_channels SET health_state = 'disabled', enabled = false WHERE channel_id = $1", [
    channel_id
  ])
  const archived = await s.incident(s.acme, { title: 'After the room' })
  await s.call(s.acme, 'POST', `/api/v1/incidents/${archived.incident_id}/escalate`, { user_ids: [jo.user_id] })
  await until('the page while the channel is off', () => inRoom(one, 'D1').some(({ text }) => text === '[CRITICAL] After the room'))
  await quiet(one)

  const { id: schedule_id } = await schedule(s, s.acme, [daily([jo.user_id])])
  const secret = await secretTeam(s, s.acme)
  await s.systemPool.query('UPDATE notification_channels SET team_id = $2 WHERE channel_id = $1', [channel_id, secret.team_id])
  const methodsOf = async () => (await nowItem(s, secret.outsider, schedule_id)).users.map(({ methods }) => methods)
  t.same(await methodsOf(), [['slack_dm']], 'also for somebody who does not see the channel of the app')
  await s.systemPool.query("UPDATE notification_channels SET config = config - 'bot_token' WHERE channel_id = $1", [channel_id])
  t.same(await methodsOf(), [[]], 'nobody reaches Jo without the app')
  await phone(s, s.acme, jo.user_id, 'email', 'jo@next.example.test', true)
  const without = await s.incident(s.acme, { title: 'Without the app' })
  await s.call(s.acme, 'POST', `/api/v1/incidents/${without.incident_id}/escalate`, { user_ids: [jo.user_id] })
  const ways = await s.systemPool.query(
    'SELECT method_kind, suppressed_by FROM intents WHERE incident_id = $1 AND user_id = $2 ORDER BY method_kind',
    [without.incident_id, jo.user_id]
  )
  t.match(
    ways.rows,
    [
      { method_kind: 'email', suppressed_by: null },
      { method_kind: 'slack_dm', suppressed_by: 'no_method' }
    ],
    'the next method is asked'
  )

  const [{ id }] = (await as(s, jo, 'GET', '/api/v1/chat/identities')).json().items
  t.equal((await as(s, jo, 'DELETE', `/api/v1/chat/identities/${id}`)).statusCode, 204)
  const { contact_methods: left } = (await as(s, jo, 'GET', PREFERENCES)).json()
  t.same(
    left.map(({ kind }: { kind: string }) => kind),
    ['email'],
    'it ends with the link'
  )
  t.ok(channel_id)
})
