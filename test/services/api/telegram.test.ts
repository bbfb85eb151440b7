/**
 * Tests of the endpoint that Telegram calls. Nothing happens before the secret of the address is
 * verified. Then an action is done as the member who is linked to the sender, with the rights of
 * that moment. A stranger, a demoted member, an outsider of a private team and another member of
 * the group learn nothing.
 */
import t from 'tap'
import { buttonData } from '../../../services/channels/telegram-hook.ts'
import { until } from '../../harness/until.ts'
import { deployment, notifierOn } from '../notifier/channels.ts'
import { as, audited, person } from './people.ts'
import {
  bodiesOf,
  botChannel,
  button,
  CHANNELS,
  called,
  codeIn,
  GROUP,
  message,
  PUBLIC_URL,
  pairUp,
  saidBy,
  telegram,
  told
} from './telegramming.ts'

const BOT = 'acme_123456789_bot'
const LINKS = '/api/v1/notifications/pairing-links'
const IDENTITIES = '/api/v1/chat/identities'
const STRANGER = /^You are not linked to a member yet\. Open this link within 15 minutes, and keep it to yourself: \S+$/
const IN_GROUP = `Anyone who is linked to a member can do that. To link your account write to me in private: https://t.me/${BOT}?start=link`
const NOT_FOUND = 'The incident was not found.'
const NO_RIGHT = 'Your role in this workspace does not act on incidents.'

t.test('saving a channel sets the webhook of its bot, and deleting the last one removes it', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const first = await botChannel(d, s.acme)
  t.same(saidBy(d), ['who', 'where', 'hook', 'commands'])
  t.match(first.hook.path, /^\/api\/v1\/chat\/telegram\/[A-Za-z0-9_-]{32}$/)
  t.match(bodiesOf(d, 'setWebhook')[0], { allowed_updates: ['message', 'callback_query'], max_connections: 20 })
  const shown = (await s.call(s.acme, 'GET', `${CHANNELS}/${first.id}`)).json()
  t.match(shown.config, { bot_id: '123456789', bot_name: BOT })
  t.notOk(JSON.stringify(shown).includes(d.config.bot_token))
  const second = await botChannel(d, s.acme, { name: 'Second' })
  t.same(second.hook, first.hook, 'channels of one bot share its address')
  await s.call(s.acme, 'PATCH', `${CHANNELS}/${first.id}`, { name: 'Renamed' })
  t.equal(bodiesOf(d, 'setWebhook').length, 2, 'a change of something else asks nothing')
  t.match((await s.call(s.acme, 'GET', `${CHANNELS}/${first.id}`)).json().config, { bot_name: BOT })
  for (const field of ['bot_id', 'bot_name', 'bot_fault'])
    t.match((await s.call(s.acme, 'PATCH', `${CHANNELS}/${first.id}`, { config: { [field]: 'x' } })).json(), {
      details: [{ path: `config.${field}` }]
    })

  t.equal((await s.call(s.acme, 'DELETE', `${CHANNELS}/${first.id}`)).statusCode, 204)
  t.equal(bodiesOf(d, 'deleteWebhook').length, 0)
  t.equal((await called(d, first.hook, message(1, '/status'))).statusCode, 200)
  t.equal((await s.call(s.acme, 'DELETE', `${CHANNELS}/${second.id}`)).statusCode, 204)
  t.equal(bodiesOf(d, 'deleteWebhook').length, 1)
  const closed = await called(d, first.hook, message(1, '/status'))
  t.same([closed.statusCode, closed.body], [401, ''], 'and its address is none any more')
})

t.test('a channel is saved even if Telegram refuses its bot, and shows the fault', async (t) => {
  const d = await telegram(t)
  const { s, server } = d
  const foreign = await s.call(s.acme, 'POST', CHANNELS, {
    name: 'x',
    kind: 'telegram',
    config: { ...d.config, bot_token: `987654321:${'x'.repeat(35)}` }
  })
  t.match([foreign.statusCode, foreign.json().config], [201, { bot_fault: 'Telegram refused getMe: Unauthorized' }])
  t.notOk('bot_name' in foreign.json().config)

  const other = 'https://elsewhere.example.com/hook'
  const taken = d.config.bot_token
  await fetch(`${server.url}/bot${taken}/setWebhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: other, secret_token: 'x' })
  })
  const busy = await s.call(s.acme, 'POST', CHANNELS, { name: 'busy', kind: 'telegram', config: d.config })
  t.match(busy.json().config, { bot_fault: 'Another program takes what is written to this bot. Give this service a bot of its own.' })
  await fetch(`${server.url}/bot${taken}/deleteWebhook`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  const test = await s.call(s.acme, 'POST', `${CHANNELS}/${busy.json().id}/test`, {})
  t.match(test.json(), { ok: true })
  const after = (await s.call(s.acme, 'GET', `${CHANNELS}/${busy.json().id}`)).json().config
  t.match(after, { bot_name: BOT }, 'a test that arrives tries again')
  t.notOk('bot_fault' in after)
  t.notOk(s.logged().includes(taken))

  const local = await telegram(t, {}, { publicUrl: 'http://127.0.0.1:8080' })
  const plain = await local.s.call(local.s.acme, 'POST', CHANNELS, { name: 'x', kind: 'telegram', config: local.config })
  t.same([plain.statusCode, saidBy(local)], [201, []], 'Telegram calls https alone: nobody is asked')
})

t.test('a call without the secret of the address gets 401 and changes nothing', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const { hook } = await botChannel(d, s.acme)
  const { incident_id } = await s.incident(s.acme)
  const jo = await person(s, s.acme, 'jo', 'responder')
  await pairUp(d, hook, jo, 77, BOT)
  const ack = message(77, '/ack INC-1')
  for (const [what, header] of [
    ['none', null],
    ['empty', ''],
    ['another', 'x'.repeat(43)],
    ['cut', hook.secret.slice(1)]
  ] as const) {
    for (const update of [ack, '{"', '', '[]'] as const) {
      const answer = await called(d, hook, update, header)
      t.same([answer.statusCode, answer.body], [401, ''], `${what}: ${JSON.stringify(update).slice(0, 20)}`)
    }
  }
  const elsewhere = { ...hook, path: `${hook.path}x` }
  t.equal((await called(d, elsewhere, ack)).statusCode, 401, 'another address has another secret')
  t.equal((await called(d, hook, `{"x":"${'x'.repeat(131_072)}"}`)).statusCode, 413)
  t.match((await called(d, hook, '{')).json(), { code: 'MALFORMED_JSON' })
  t.match((await called(d, hook, '[]')).json(), { code: 'VALIDATION_FAILED' })
  t.match((await called(d, hook, {})).json(), { code: 'VALIDATION_FAILED', details: [{ path: 'update_id' }] })
  t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { acknowledged_at: null })
  t.notOk(s.logged().includes(hook.secret))
})

t.test('a dashboard link ties a Telegram sender to the member, once and only in a private chat', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const { hook } = await botChannel(d, s.acme)
  const jo = await person(s, s.acme, 'jo', 'responder')
  t.same((await as(s, jo, 'GET', IDENTITIES)).json(), { items: [], bots: [{ vendor: 'telegram', name: BOT }] })
  const first = (await as(s, jo, 'POST', LINKS, { kind: 'telegram', bot: BOT })).json()
  const second = (await as(s, jo, 'POST', LINKS, { kind: 'telegram', bot: BOT })).json()
  t.match(second, { url: /^https:\/\/t\.me\/acme_123456789_bot\?start=[A-Za-z0-9_-]{43}$/, expires_at: String })
  const gone = /^This link can no longer be used/
  t.match(await told(d, hook, message(77, `/start ${codeIn(first.url)}`)), { text: gone }, 'a newer one takes its place')
  t.match(
    await told(d, hook, message(77, `/start ${codeIn(second.url)}`, { chat: GROUP })),
    { chat_id: String(GROUP.id), text: IN_GROUP },
    'in a group it is none'
  )
  t.match(await told(d, hook, message(77, `/start ${'k'.repeat(43)}`)), { text: gone })
  const start = message(77, `/start ${codeIn(second.url)}`)
  t.match(await told(d, hook, start), { method: 'sendMessage', chat_id: '77', text: /^You act as jo from now on\./ })
  t.same(await told(d, hook, start), {}, 'sent again it does nothing')
  t.match(await told(d, hook, message(78, `/start ${codeIn(second.url)}`)), { text: gone }, 'good once')
  const { items } = (await as(s, jo, 'GET', IDENTITIES)).json()
  t.match(items, [{ vendor: 'telegram', account: '123456789', sender: '77', name: 'jo77' }])
  t.same(await audited(s, s.acme.tenant_id, items[0].id), ['chat_identity.linked'])
  t.match(await pairUp(d, hook, jo, 77, BOT), { text: /^This account is linked to a member already\./ })
  t.notOk(s.logged().includes(codeIn(second.url)), 'no log has it')

  t.match((await as(s, jo, 'POST', LINKS, { kind: 'telegram', bot: 'other_bot' })).json(), {
    details: [{ path: 'bot', rule: 'unknown_bot' }]
  })
  t.equal((await s.call(s.acme, 'POST', LINKS, { kind: 'telegram', bot: BOT })).statusCode, 401, 'no token links')
  const old = (await as(s, jo, 'POST', LINKS, { kind: 'telegram', bot: BOT })).json()
  await s.systemPool.query("UPDATE chat_pairings SET expires_at = now() - interval '1 second'")
  t.match(await told(d, hook, message(79, `/start ${codeIn(old.url)}`)), { text: gone })
})

t.test('a bot links only members of its workspace, and a private team hides its bot from others', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Quiet', visibility: 'private' })).json()
  const { hook } = await botChannel(d, s.acme, { team_id: team.id })
  const out = await person(s, s.acme, 'out', 'responder')
  t.same((await as(s, out, 'GET', IDENTITIES)).json().bots, [])
  t.equal((await as(s, out, 'POST', LINKS, { kind: 'telegram', bot: BOT })).statusCode, 422)
  const stranger = await told(d, hook, message(5, '/status'))
  t.match(stranger, { text: STRANGER })
  const token = /\/links\/chat\/(\w+)$/.exec(stranger.text ?? '')?.[1]
  const theirs = await person(s, s.globex, 'theirs', 'owner')
  t.equal((await as(s, theirs, 'POST', IDENTITIES, { token })).statusCode, 404, 'of another workspace')
  t.equal((await as(s, out, 'POST', IDENTITIES, { token })).statusCode, 201, 'the link of the bot is still good')
  t.match(await told(d, hook, message(5, '/status')), { chat_id: '5', text: 'Nothing is open.' })
})

t.test('buttons and commands in Telegram act on an incident, each only once', async (t) => {
  const d = await telegram(t, { jobs: true })
  const { s, server } = d
  const { hook } = await botChannel(d, s.acme, { is_default: true })
  const jo = await person(s, s.acme, 'jo', 'responder')
  await pairUp(d, hook, jo, 77, BOT)
  const notifier = notifierOn(s.systemPool, { deployment: { ...deployment, base_urls: { telegram: server.url } }, publicUrl: PUBLIC_URL })
  t.teardown(() => notifier.close())
  const { incident_id } = await s.incident(s.acme, { title: 'Disk <b>full</b>' })
  const sent = await until('the message', () => bodiesOf(d, 'sendMessage')[0])
  const data = (body: Record<string, unknown> | undefined): string[] =>
    ((body?.reply_markup as { inline_keyboard: { callback_data: string }[][] } | undefined)?.inline_keyboard ?? [])
      .flat()
      .map(({ callback_data }) => callback_data)
  t.same(data(sent), [buttonData('a', incident_id), buttonData('r', incident_id), buttonData('s60', incident_id)])

  const press = button(77, data(sent)[0] ?? '')
  t.match(await told(d, hook, press), { method: 'answerCallbackQuery', text: 'INC-1 is acknowledged.', show_alert: true })
  t.same(await told(d, hook, press), {}, 'the same update again')
  t.match(await told(d, hook, button(77, data(sent)[0] ?? '')), { text: 'INC-1 was acknowledged by you already.' }, 'pressed again')
  const edited = await until('the edit', () => bodiesOf(d, 'editMessageText')[0])
  t.same(data(edited), [buttonData('r', incident_id), buttonData('s60', incident_id)])
  t.match(await told(d, hook, message(77, '/silence INC-1 15', { chat: GROUP })), {
    chat_id: '77',
    text: 'INC-1 is silenced for 15 minutes.'
  })
  const silenced = await until('the button to go', () => bodiesOf(d, 'editMessageText').find((body) => data(body).length === 1))
  t.same(data(silenced), [buttonData('r', incident_id)])
  t.match(await told(d, hook, message(77, '/status')), { chat_id: '77', text: '1 open:\nINC-1 critical, acknowledged: Disk <b>full</b>' })
  t.match(await told(d, hook, message(77, `/resolve@${BOT} INC-1`, { chat: GROUP })), { chat_id: '77', text: 'INC-1 is resolved.' })
  const ended = await until('the end', () => bodiesOf(d, 'editMessageText').find(({ text }) => String(text).startsWith('<b>[RESOLVED]')))
  t.same(data(ended), [])
  t.notOk(
    saidBy(d).some((said) => said.startsWith('refused')),
    'the vendor takes all of it'
  )
  const { rows } = await s.systemPool.query(
    "SELECT action, actor_id, via, diff -> 'sender' AS sender FROM audit WHERE object_id = $1 ORDER BY at, audit_id",
    [incident_id]
  )
  const each = { actor_id: jo.user_id, via: 'chat', sender: [null, 'telegram:123456789:77'] }
  t.match(rows, [
    { action: 'incident.acknowledged', ...each },
    { action: 'incident.silenced', ...each },
    { action: 'incident.resolved', ...each }
  ])
  const { items } = (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}/timeline`)).json()
  const by = `user:${jo.user_id}`
  t.match(items.slice(1), [
    { type: 'acknowledged', actor: by },
    { type: 'silenced', actor: by },
    { type: 'resolved', actor: by }
  ])
})

t.test('each Telegram action checks the current rights, and a refusal reveals nothing', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const { hook } = await botChannel(d, s.acme)
  const jo = await person(s, s.acme, 'jo', 'responder')
  await pairUp(d, hook, jo, 77, BOT)
  const shown = await s.incident(s.acme)
  const hidden = await s.incident(s.acme, { title: 'zwiebelfisch' })
  const theirs = await s.incident(s.globex, { title: 'zwiebelfisch' })
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Quiet', visibility: 'private' })).json()
  await s.call(s.acme, 'PATCH', `/api/v1/incidents/${hidden.incident_id}`, { team_id: team.id })
  const set = (role: string) => s.systemPool.query('UPDATE members SET role = $2 WHERE user_id = $1', [jo.user_id, role])
  const write = async (text: string) => (await told(d, hook, message(77, text))).text ?? ''
  const press = async (id: string, act = 'a') => (await told(d, hook, button(77, buttonData(act, id)))).text ?? ''

  const status = await write('/status')
  t.match(status, /^1 open:\nINC-1 /, 'what is private is not even counted')
  for (const reference of [hidden.key, hidden.incident_id, theirs.incident_id, 'INC-77'])
    for (const words of [`/ack ${reference}`, `/resolve ${reference}`, `/silence ${reference} 5`])
      t.equal(await write(words), NOT_FOUND, words)
  for (const { incident_id } of [hidden, theirs]) t.equal(await press(incident_id), NOT_FOUND)
  t.equal(await press('01890000-0000-7000-8000-000000000000'), NOT_FOUND, 'as what is not there at all')

  await set('viewer')
  for (const reference of [shown.key, hidden.key, 'INC-77']) t.equal(await write(`/ack ${reference}`), NO_RIGHT, reference)
  t.equal(await press(shown.incident_id, 'r'), NO_RIGHT)
  await set('responder')

  for (const id of [78, 1087968824]) {
    const group = { chat: GROUP }
    t.match(await told(d, hook, message(id, '/ack INC-1', group)), { chat_id: String(GROUP.id), text: IN_GROUP }, 'another of the group')
    const refused = await told(d, hook, button(id, buttonData('a', shown.incident_id)))
    t.same(
      { ...refused, callback_query_id: 'x' },
      { method: 'answerCallbackQuery', callback_query_id: 'x', url: `https://t.me/${BOT}?start=link` }
    )
  }
  t.match(await write('/status'), /^1 open:/)
  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [jo.user_id])
  t.match(await write('/status'), STRANGER, 'an account that is disabled is nobody')
  await s.systemPool.query('UPDATE users SET disabled_at = NULL WHERE user_id = $1', [jo.user_id])
  await s.call(s.acme, 'DELETE', `/api/v1/workspace/members/${jo.user_id}`)
  for (const words of ['/status', '/oncall', '/help', '/ack INC-1', '/silence INC-77 5', 'nonsense'])
    t.match(await write(words), STRANGER, `who has left hears nothing of ${words}`)
  for (const { incident_id } of [shown, hidden])
    t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), { acknowledged_at: null, status: 'ongoing' })
})

t.test('each Telegram sender has a rate limit, and wrong secrets are limited by address', async (t) => {
  const d = await telegram(t, { now: () => 0 })
  const { s } = d
  const { hook } = await botChannel(d, s.acme)
  let answers: string[] = []
  for (let n = 0; n < 21; n++) answers = [...answers, (await told(d, hook, message(5, '/status'))).text ?? '']
  t.equal(answers.filter((words) => words.startsWith('Too many commands at once')).length, 1)
  t.match(await told(d, hook, message(6, '/status')), { text: STRANGER }, 'others have their own')
  let last = 0
  for (let n = 0; n < 120 && last !== 429; n++) last = (await called(d, hook, '{}', 'x')).statusCode
  t.equal(last, 429)
  t.match(await told(d, hook, message(7, '/status')), { text: STRANGER }, 'what has the secret is not held up by that')
})

t.test('a reply to a message of the bot acts on its incident, a reply to another message does not', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const { hook } = await botChannel(d, s.acme)
  const jo = await person(s, s.acme, 'jo', 'responder')
  await pairUp(d, hook, jo, 77, BOT)
  const first = await s.incident(s.acme)
  await s.incident(s.acme)
  const keyboard = { inline_keyboard: [[{ text: 'Acknowledge', callback_data: buttonData('a', first.incident_id) }]] }
  const ours = { message_id: 9, from: { id: 123456789, is_bot: true, username: BOT }, chat: GROUP, reply_markup: keyboard }
  const answering = (text: string, to: object = ours): Promise<{ text?: string }> => {
    const sent = message(77, text, { chat: GROUP }) as { message: object }
    return told(d, hook, { ...sent, message: { ...sent.message, reply_to_message: to } })
  }
  t.match(await answering('/ack'), { text: 'INC-1 is acknowledged.' })
  t.match(await answering(`/silence@${BOT} 15`), { text: 'INC-1 is silenced for 15 minutes.' })
  t.match(await answering('/ack INC-2'), { text: 'INC-2 is acknowledged.' }, 'what is named counts')
  t.match(await answering('/silence'), { text: /^For how many minutes/ })
  t.match(await answering('/resolve', { ...ours, from: { id: 5, is_bot: true } }), { text: /^Which incident\?/ }, 'of another bot')
  t.match(await answering('/resolve', { ...ours, reply_markup: undefined }), { text: /^Which incident\?/ }, 'of something else')
  t.match(await answering('/resolve'), { text: 'INC-1 is resolved.' })
})

t.test('a channel follows a Telegram group that becomes a supergroup', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const { id, hook } = await botChannel(d, s.acme)
  const other = await botChannel(d, s.acme, { name: 'Elsewhere', config: { ...d.config, chat_id: '-55' } })
  const chatOf = async (channel_id: string): Promise<string> =>
    (await s.systemPool.query("SELECT config ->> 'chat_id' AS chat_id FROM notification_channels WHERE channel_id = $1", [channel_id]))
      .rows[0]?.chat_id
  const moved = {
    update_id: 1,
    message: { message_id: 1, date: 1, chat: { id: -1001234567890, type: 'group' }, migrate_to_chat_id: -100999 }
  }
  t.equal((await called(d, hook, moved, 'x'.repeat(43))).statusCode, 401)
  t.equal(await chatOf(id), '-1001234567890', 'only Telegram says so')
  t.same(await told(d, hook, moved), {})
  t.same([await chatOf(id), await chatOf(other.id)], ['-100999', '-55'])
  t.same(await told(d, hook, moved), {}, 'told again nothing changes')
  t.same(
    (await audited(s, s.acme.tenant_id, id)).filter((action) => action === 'channel.updated'),
    ['channel.updated']
  )
})

t.test('a link sets the group of a channel, once, and only for members who may change the channel', async (t) => {
  const d = await telegram(t)
  const { s } = d
  const { bot_token } = d.config
  const { id, hook } = await botChannel(d, s.acme, { config: { bot_token } })
  const channel = async () => (await s.call(s.acme, 'GET', `${CHANNELS}/${id}`)).json()
  t.match(await channel(), { target: 'no chat yet', config: { bot_name: BOT } })
  t.match((await s.call(s.acme, 'POST', `${CHANNELS}/${id}/test`)).json(), { ok: false, error: /No chat is chosen yet/ })
  const ed = await person(s, s.acme, 'ed', 'editor')
  const link = async (who = ed, over: object = {}) => as(s, who, 'POST', LINKS, { kind: 'telegram', bot: BOT, channel_id: id, ...over })
  const made = (await link()).json()
  t.match(made, { url: /^https:\/\/t\.me\/acme_123456789_bot\?startgroup=[A-Za-z0-9_-]{43}$/ })
  const codeOf = (url: string): string => new URL(url).searchParams.get('startgroup') ?? ''
  const start = (code: string, chat: object = GROUP) => told(d, hook, message(5, `/start@${BOT} ${code}`, { chat }))
  t.match(await start(codeOf(made.url), { id: 5, type: 'private' }), { text: /^This link can no longer be used/ }, 'in private it is none')
  t.match(await start(codeOf(made.url)), { chat_id: String(GROUP.id), text: 'Ops writes to this group from now on.' })
  t.match((await channel()).config, { chat_id: String(GROUP.id) })
  t.match(await start(codeOf(made.url), { id: -7, type: 'group' }), { text: IN_GROUP }, 'good once')
  t.match((await channel()).config, { chat_id: String(GROUP.id) })
  t.same((await as(s, ed, 'GET', IDENTITIES)).json().items, [], 'and it makes nobody a member')

  const late = (await link()).json()
  await s.systemPool.query("UPDATE members SET role = 'viewer' WHERE user_id = $1", [ed.user_id])
  t.match(await start(codeOf(late.url), { id: -7, type: 'group' }), { text: /may not change the channel/ })
  t.match((await channel()).config, { chat_id: String(GROUP.id) })
  const viewer = await person(s, s.acme, 'viewer', 'viewer')
  t.equal((await link(viewer)).statusCode, 403)
  const out = await person(s, s.acme, 'out', 'editor')
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Quiet', visibility: 'private' })).json()
  t.equal((await s.call(s.acme, 'PATCH', `${CHANNELS}/${id}`, { team_id: team.id })).statusCode, 200)
  t.equal((await link(out)).statusCode, 422, 'of a private team one does not see')
  const theirs = await person(s, s.globex, 'theirs', 'owner')
  t.equal((await link(theirs)).statusCode, 422, 'of another workspace')
})
