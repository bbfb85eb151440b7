/** Tables of the updates that Telegram sends, and of what the service reads in them. */
import t from 'tap'
import { telegramCallIn } from '../../../services/api/chat/telegram-calls.ts'
import {
  botIdOf,
  buttonData,
  commandsBody,
  hookBody,
  hookSecret,
  isCallable,
  operatorHook,
  pressedIn,
  verifyTelegram
} from '../../../services/channels/telegram-hook.ts'

const ID = '01890000-0000-7000-8000-00000000abcd'
const KEY = '0123456789abcdef'.repeat(4)
const BOT = { bot_id: '123456789', username: 'Acme_Alert_bot' }
const CODE = 'k'.repeat(43)
const FROM = { id: 77, is_bot: false, first_name: 'Jo', last_name: 'Doe', username: 'jo' }
const PRIVATE = { id: 77, type: 'private' }
const GROUP = { id: -1001234567890, type: 'supergroup' }

const message = (text: unknown, over: object = {}): object => ({
  update_id: 5,
  message: { message_id: 1, date: 1, from: FROM, chat: PRIVATE, text, ...over }
})
const pressed = (data: unknown, over: object = {}): object => ({
  update_id: 6,
  callback_query: {
    id: '4382bfdwdsb323b2d9',
    from: FROM,
    message: { message_id: 1, date: 1, chat: GROUP },
    chat_instance: '1',
    data,
    ...over
  }
})

t.test('commands in messages to the bot', async (t) => {
  const cases: [text: string, command: object | null, inGroup?: object | null][] = [
    ['/status', { word: 'status' }, { word: 'status' }],
    ['/status@acme_alert_BOT', { word: 'status' }, { word: 'status' }],
    ['/status@other_bot', null, null],
    ['/ack INC-12', { word: 'ack', incident: 'INC-12' }, { word: 'ack', incident: 'INC-12' }],
    ['/ACK@Acme_Alert_bot\n12', { word: 'ack', incident: 'INC-12' }, { word: 'ack', incident: 'INC-12' }],
    ['/silence INC-12 2h', { word: 'silence', incident: 'INC-12', minutes: 120 }, { word: 'silence' }],
    ['/oncall Night shift', { word: 'oncall', schedule: 'Night shift' }, { word: 'oncall' }],
    ['/ack', { word: 'unclear' }, { word: 'unclear' }],
    ['/help', { word: 'help' }, { word: 'help' }],
    ['/start', { word: 'help' }, { word: 'help' }],
    ['/start link', { word: 'help' }, { word: 'help' }],
    [`/start ${CODE}`, { word: 'pair', code: CODE }, { word: 'settle', code: CODE, chat_id: String(GROUP.id) }],
    [`/start ${CODE}x`, { word: 'help' }, { word: 'help' }],
    ['/weather', { word: 'unclear' }, null],
    ['/weather@Acme_Alert_bot', { word: 'unclear' }, { word: 'unclear' }],
    ['ack INC-12', { word: 'ack', incident: 'INC-12' }, null],
    ['what is up?', { word: 'unclear' }, null],
    ['/', { word: 'unclear' }, null]
  ]
  for (const [text, command, inGroup] of cases) {
    t.match({ read: telegramCallIn(message(text), BOT) }, { read: command && { command, is_private: true, chat_id: '77' } }, text)
    t.match(
      { read: telegramCallIn(message(text, { chat: GROUP }), BOT) },
      { read: inGroup ? { command: inGroup, is_private: false, chat_id: '-1001234567890' } : null },
      `${text} in a group`
    )
  }
  t.match(telegramCallIn(message('/status'), BOT), {
    who: { vendor: 'telegram', account: '123456789', sender: '77', name: 'jo' },
    call_id: '123456789:5',
    button_id: null
  })
  t.match(telegramCallIn(message('/status', { from: { ...FROM, username: undefined } }), BOT), { who: { name: 'Jo Doe' } })
})

t.test('an update that no person sent to the bot is ignored', async (t) => {
  const cases: [what: string, update: object][] = [
    ['a bot', message('/ack INC-1', { from: { ...FROM, is_bot: true } })],
    ['who does not say that they are none', message('/ack INC-1', { from: { id: 77 } })],
    ['somebody in the name of a group', message('/ack INC-1', { sender_chat: { id: -5, type: 'supergroup' } })],
    ['handed on', message('/ack INC-1', { forward_origin: { type: 'user' } })],
    ['by another bot', message('/ack INC-1', { via_bot: { id: 9 } })],
    ['nobody', message('/ack INC-1', { from: undefined })],
    ['no chat', message('/ack INC-1', { chat: undefined })],
    ['no text', message(undefined)],
    ['a strange id', message('/ack INC-1', { from: { ...FROM, id: '7 7' } })],
    ['another kind of update', { update_id: 5, channel_post: { text: '/ack INC-1' } }],
    ['a button of nobody', pressed(buttonData('a', ID), { from: undefined })],
    ['a button of a bot', pressed(buttonData('a', ID), { from: { ...FROM, is_bot: true } })],
    ['a button without an id', pressed(buttonData('a', ID), { id: undefined })]
  ]
  for (const [what, update] of cases) t.equal(telegramCallIn(update, BOT), null, what)
  for (const bad of [null, [], 'x', 7]) t.match(telegramCallIn(bad, BOT), { expected: 'a JSON object' })
  for (const update_id of [undefined, 'x', -1, 1.5, {}])
    t.match(telegramCallIn({ ...message('/ack'), update_id }, BOT), { path: 'update_id' })
})

t.test('commands of Telegram buttons', async (t) => {
  t.ok(Buffer.byteLength(buttonData('s10080', ID)) <= 64)
  t.same(pressedIn(buttonData('a', ID)), { act: 'ack', incident_id: ID, minutes: null })
  t.match(telegramCallIn(pressed(buttonData('a', ID)), BOT), {
    who: { sender: '77' },
    command: { word: 'ack', incident: ID },
    button_id: '4382bfdwdsb323b2d9',
    call_id: '123456789:6',
    is_private: false
  })
  t.match(telegramCallIn(pressed(buttonData('r', ID)), BOT), { command: { word: 'resolve', incident: ID } })
  t.match(telegramCallIn(pressed(buttonData('s60', ID)), BOT), { command: { word: 'silence', incident: ID, minutes: 60 } })
  for (const data of [
    '',
    'a:',
    'x:AAAAAAAAAAAAAAAAAAAAAA',
    buttonData('s0', ID),
    buttonData('s99999', ID),
    `${buttonData('a', ID)}A`,
    undefined
  ])
    t.match(telegramCallIn(pressed(data), BOT), { command: { word: 'unclear', say: 'This button does nothing any more.' } }, String(data))
  t.match(
    telegramCallIn(pressed(buttonData('a', ID), { message: undefined }), BOT),
    { chat_id: '77', is_private: false },
    'of an old message'
  )
})

t.test('the secret of a webhook address fits only that address and this service', async (t) => {
  const hook = 'h'.repeat(32)
  const secret = hookSecret(KEY, hook)
  t.match(secret, /^[A-Za-z0-9_-]{43}$/)
  const cases: [what: string, key: string, hook: string, given: string, fits: boolean][] = [
    ['as it was set', KEY, hook, secret, true],
    ['none', KEY, hook, '', false],
    ['cut', KEY, hook, secret.slice(1), false],
    ['of another address', KEY, `${hook}x`, secret, false],
    ['of another service', 'f'.repeat(64), hook, secret, false],
    ['the address', KEY, hook, hook, false],
    ['a service without a key', '', hook, hookSecret('', hook), false]
  ]
  for (const [what, key, at, given, fits] of cases) t.equal(verifyTelegram(key, at, given), fits, what)
  t.match(operatorHook(KEY, '123456789'), /^[A-Za-z0-9_-]{43}$/)
  t.not(operatorHook(KEY, '123456789'), operatorHook(KEY, '123456780'))
  t.equal(botIdOf('123456789:AAbb'), '123456789')
  t.equal(botIdOf(''), '')
  t.same(hookBody('https://app.example.com', KEY, hook), {
    url: `https://app.example.com/api/v1/chat/telegram/${hook}`,
    secret_token: secret,
    allowed_updates: ['message', 'callback_query'],
    max_connections: 20
  })
  t.same(
    commandsBody().commands.map(({ command }) => command),
    ['status', 'oncall', 'ack', 'silence', 'resolve']
  )
  for (const [url, is] of [
    ['https://app.example.com', true],
    ['https://app.example.com:8443', true],
    ['https://app.example.com:9443', false],
    ['http://app.example.com', false]
  ] as const)
    t.equal(isCallable(url), is, url)
})
