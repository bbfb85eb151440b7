/**
 * Tests of Telegram: requests in the form that the Bot API accepts, and the meaning of its answers.
 */
import t from 'tap'
import type { Message, RemoteRef, SendReply } from '../../../services/channels/channel.ts'
import { channel as telegram } from '../../../services/channels/kinds/telegram.ts'
import { buttonData } from '../../../services/channels/telegram-hook.ts'
import {
  acknowledged,
  context,
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
import { faults, verdicts } from './verdicts.ts'

const TOKEN = '123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr'
const CONFIG = { bot_token: TOKEN, chat_id: '-1001234567890' }
const REF = { message_id: '77', chat_id: '-1001234567890', wanted: '-1001234567890' }
const made = (message_id: number, id = -1001234567890) => reply(200, { ok: true, result: { message_id, chat: { id } } })
const refused = (error_code: number, description: string, parameters?: object) =>
  reply(error_code, { ok: false, error_code, description, parameters })

t.test('a Telegram message is posted, edited, and followed by a reply at the end', async (t) => {
  const { requests, outcome } = drive(telegram, message(), CONFIG, [made(77)])
  const request = httpOf(requests[0])
  t.equal(request.url, `https://api.telegram.org/bot${TOKEN}/sendMessage`)
  t.same(request.secrets, [TOKEN])
  t.match(json(requests[0]), { chat_id: CONFIG.chat_id, parse_mode: 'HTML', link_preview_options: { is_disabled: true } })
  t.match(json(requests[0]).text, /^<b>\[CRITICAL\] api\.example\.com is down<\/b>\nHTTP 503\n/)
  t.match(json(requests[0]).text, /<a href="https:\/\/app\.example\.com\/incidents\/42">Open incident<\/a>$/)
  t.same(outcome, { outcome: 'delivered', provider_message_id: '77', remote_ref: REF })

  const edited = drive(telegram, acknowledged(), CONFIG, [made(77)], { ref: REF })
  t.match(httpOf(edited.requests[0]).url, /editMessageText$/)
  t.match(json(edited.requests[0]), { chat_id: REF.chat_id, message_id: 77, text: /Acknowledged by Jo Doe\./ })
  t.same(edited.outcome, { outcome: 'delivered' })

  const same = refused(400, 'Bad Request: message is not modified: specified new message content…')
  const ended = drive(telegram, up(), CONFIG, [same, made(78)], { ref: REF })
  t.match(json(ended.requests[1]), { text: /up again/, reply_parameters: { message_id: 77, allow_sending_without_reply: true } })
  t.same(ended.outcome, { outcome: 'delivered', provider_message_id: '78', remote_ref: { reply_78: '-1001234567890 78' } })
  const tested = json(drive(telegram, test(), CONFIG, [made(1)]).requests[0])
  t.same(Object.keys(tested), ['chat_id', 'text'])
  t.match(json(drive(telegram, message(), { ...CONFIG, message_thread_id: 5 }, [made(1)]).requests[0]), { message_thread_id: 5 })
  const set = { ...deployment, base_urls: { telegram: 'http://127.0.0.1:9' } }
  const local = drive(telegram, test(), CONFIG, [made(1)], { at: context({ deployment: set }) })
  t.equal(httpOf(local.requests[0]).url, `http://127.0.0.1:9/bot${TOKEN}/sendMessage`)
})

t.test('a degraded monitor has one Telegram message, which changes when it gets worse', async (t) => {
  const named = { ...CONFIG, bot_name: 'acme_bot' }
  const first = drive(telegram, message({ event: 'degraded' }), named, [made(77)])
  t.match(first.outcome, { outcome: 'delivered', remote_ref: REF })
  const worse = drive(telegram, message(), named, [made(77), made(78)], { ref: REF })
  t.match(json(worse.requests[0]), { message_id: 77, text: /\[CRITICAL\]/, reply_markup: {} })
  t.match(json(worse.requests[1]), { text: /\[CRITICAL\]/, reply_parameters: { message_id: 77 } })
  t.notOk('reply_markup' in json(worse.requests[1]), 'an answer has no buttons')
  t.match(worse.outcome, { remote_ref: { reply_78: '-1001234567890 78' } })
  const reminder = message({ event: 'reminder', incident: null, title_override: 'Still so' })
  t.match(drive(telegram, reminder, named, [made(79)], { ref: REF }).outcome, { remote_ref: { reply_79: '-1001234567890 79' } })
  t.match(drive(telegram, reminder, named, [made(79)]).outcome, { remote_ref: { chat_id: REF.chat_id, reply_79: '-1001234567890 79' } })
})

t.test('a Telegram message has buttons only if its bot calls the service', async (t) => {
  const named = { ...CONFIG, bot_name: 'acme_bot' }
  const rows = (request: Parameters<typeof json>[0]): { text: string; callback_data: string }[][] | undefined =>
    json(request).reply_markup?.inline_keyboard
  t.equal(rows(drive(telegram, message(), CONFIG, [made(1)]).requests[0]), undefined, 'nowhere else')
  t.same(rows(drive(telegram, message(), named, [made(1)]).requests[0]), [
    [
      { text: 'Acknowledge', callback_data: buttonData('a', INCIDENT) },
      { text: 'Resolve', callback_data: buttonData('r', INCIDENT) },
      { text: 'Silence 1 h', callback_data: buttonData('s60', INCIDENT) }
    ]
  ])
  const edited = rows(drive(telegram, acknowledged(), named, [made(77)], { ref: REF }).requests[0])
  t.same(
    edited?.flat().map(({ text }) => text),
    ['Resolve', 'Silence 1 h'],
    'what is taken is not taken again'
  )
  for (const { requests } of [drive(telegram, up(), named, [made(77), made(78)], { ref: REF }), drive(telegram, test(), named, [made(1)])])
    for (const request of requests) t.equal(rows(request), undefined, 'nothing is to be done any more')
})

t.test('an edit updates or blanks the Telegram messages of an incident', async (t) => {
  const named = { ...CONFIG, bot_name: 'acme_bot' }
  const edit = (what: Message | null, ref: RemoteRef, replies: readonly SendReply[]) => {
    const steps = telegram.edit?.(what, named, ref, context())
    const asked: unknown[] = []
    let next = steps?.next()
    for (const one of replies) {
      if (!next || next.done) throw new Error('asks for less')
      t.match(httpOf(next.value).url, /editMessageText$/)
      asked.push(json(next.value))
      next = steps?.next(one)
    }
    return { asked, outcome: next?.done ? next.value : null }
  }
  const silenced = message({ incident: incident({ silenced_until: NOW + 60_000 }) })
  const shown = edit(silenced, REF, [made(77)])
  t.match(shown, { outcome: { outcome: 'delivered' }, asked: [{ message_id: 77, chat_id: REF.chat_id, parse_mode: 'HTML' }] })
  t.notMatch(JSON.stringify(shown.asked), 'Silence 1 h', 'what is silent is not silenced again')
  const hidden = edit(null, { ...REF, reply_up: '78' }, [made(77), made(78)])
  t.same(
    hidden.asked,
    [77, 78].map((message_id) => ({ chat_id: REF.chat_id, message_id, text: 'This incident cannot be read here any more.' })),
    'no button, no link'
  )
  t.match(
    edit(null, { chat_id: REF.chat_id, reply_79: '79' }, [made(79)]).asked,
    [{ message_id: 79 }],
    'a reminder without a first message'
  )
  t.match(edit(null, REF, [refused(400, 'Bad Request: message to edit not found')]).outcome, { outcome: 'delivered' }, 'it is gone')
  t.match(edit(null, REF, [refused(429, 'Too Many Requests', { retry_after: 3 })]).outcome, { outcome: 'retry' })
  t.match(edit(message(), {}, []).outcome, { outcome: 'skipped' })
  const moved = edit(null, { ...REF, reply_80: '-100222 80' }, [made(77), made(80, -100222)])
  t.match(
    moved.asked,
    [
      { chat_id: REF.chat_id, message_id: 77 },
      { chat_id: '-100222', message_id: 80 }
    ],
    'each in its chat'
  )
})

t.test('what follows about an incident goes to the Telegram chat that is set since', async (t) => {
  const elsewhere = { ...CONFIG, bot_name: 'acme_bot', chat_id: '-100222', message_thread_id: 7 }
  const { wanted: _wanted, ...before } = REF
  for (const what of [up(), acknowledged(), message()])
    for (const ref of [REF, before]) {
      const { requests, outcome } = drive(telegram, what, elsewhere, [made(77), made(80, -100222)], { ref })
      t.match(json(requests[0]), { chat_id: REF.chat_id, message_id: 77 }, 'the first message changes')
      t.match(json(requests[1]), { chat_id: '-100222', message_thread_id: 7 })
      for (const field of ['reply_parameters', 'reply_markup']) t.notOk(field in json(requests[1]), field)
      t.same(outcome, { outcome: 'delivered', provider_message_id: '80', remote_ref: { reply_80: '-100222 80' } })
    }
  const names: [chat_id: string, ref: RemoteRef][] = [
    ['@acme', { ...REF, wanted: '@acme' }],
    ['@acme', before],
    ['-5', { ...REF, wanted: '-5' }]
  ]
  for (const [chat_id, ref] of names) {
    const { requests } = drive(telegram, up(), { ...CONFIG, chat_id }, [made(77), made(80)], { ref })
    t.match(json(requests[1]), { chat_id: REF.chat_id, reply_parameters: { message_id: 77 } }, `${chat_id} is the same chat`)
  }
  const renamed = drive(telegram, up(), { ...CONFIG, chat_id: '@other' }, [made(77), made(80)], { ref: { ...REF, wanted: '@acme' } })
  t.match(json(renamed.requests[1]), { chat_id: '@other' })
})

t.test('a person is notified by the Telegram bot of the service', async (t) => {
  const set = { ...deployment, telegram: { bot_token: TOKEN, username: 'acme_bot' } }
  const { requests, outcome } = drive(telegram, message(), { chat_id: '77' }, [made(1, 77)], { at: context({ deployment: set }) })
  t.equal(httpOf(requests[0]).url, `https://api.telegram.org/bot${TOKEN}/sendMessage`)
  t.match(json(requests[0]), { chat_id: '77', reply_markup: { inline_keyboard: [[{ text: 'Acknowledge' }, {}, {}]] } })
  t.match(outcome, { outcome: 'delivered' })
  t.match(drive(telegram, message(), { chat_id: '77' }, []).outcome, { outcome: 'permanent', scope: 'delivery', operator: true })
})

t.test('a Telegram message that cannot be edited is posted again', async (t) => {
  for (const answer of [
    refused(400, 'Bad Request: message to edit not found'),
    refused(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100999 }),
    refused(403, 'Forbidden: bot was kicked from the supergroup chat')
  ]) {
    const { requests, outcome } = drive(telegram, acknowledged(), { ...CONFIG, chat_id: '-5' }, [answer, made(79)], { ref: REF })
    t.match(json(requests[1]), { chat_id: '-5' }, 'in the chat that is set now')
    t.notOk('reply_parameters' in json(requests[1]))
    t.match(outcome, { outcome: 'delivered', provider_message_id: '79' })
  }
  const busy = drive(telegram, acknowledged(), CONFIG, [refused(429, 'Too Many Requests', { retry_after: 3 })], { ref: REF })
  t.match(busy.outcome, { outcome: 'retry', after_ms: 3000 })
})

t.test('a message follows a moved Telegram group, and is sent as plain text if its markup fails', async (t) => {
  const moved = drive(telegram, message(), CONFIG, [
    refused(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1009 }),
    made(80, -1009)
  ])
  t.equal(json(moved.requests[1]).chat_id, '-1009')
  t.match(moved.outcome, { remote_ref: { message_id: '80', chat_id: '-1009' } })
  const plain = drive(telegram, message(), CONFIG, [refused(400, "Bad Request: can't parse entities: Unsupported start tag"), made(81)])
  t.notOk('parse_mode' in json(plain.requests[1]))
  t.match(json(plain.requests[1]).text, /^\[CRITICAL\] api\.example\.com is down\nHTTP 503/)
  const twice = drive(telegram, message(), CONFIG, [
    refused(400, "Bad Request: can't parse entities"),
    refused(400, "Bad Request: can't parse entities")
  ])
  t.equal(short(twice.outcome), 'permanent delivery')
})

t.test('hostile text stays text in Telegram, within its limits', async (t) => {
  const { text } = json(drive(telegram, hostile(), CONFIG, [made(1)]).requests[0])
  t.notMatch(text, /<!channel>|@everyone|<\/b> &(?!amp)/)
  t.same(text.match(/<\/?[a-z]+/g), ['<b', '</b', '<a', '</a'])
  const shown = text.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot);/g, '.')
  t.ok(shown.length <= 4096, `${shown.length} units`)
})

t.test('an @ calls nobody in Telegram, whatever is before it, and addresses stay', async (t) => {
  for (const called of ['full.@channel', '_@all', 'x-@here', ':@all', '(@jo', '@jo']) {
    const said = message({ subject: null, incident: incident({ title: `disk ${called}` }) })
    t.match(json(drive(telegram, said, CONFIG, [made(1)]).requests[0]).text, `@\u200b`, called)
  }
  const said = message({ subject: null, incident: incident({ title: 'mail to a.b@example.com' }) })
  t.match(json(drive(telegram, said, CONFIG, [made(1)]).requests[0]).text, 'a.b@example.com')
})

t.test('answers of Telegram and their outcomes', async (t) => {
  verdicts(t, telegram, CONFIG, [
    [made(1), 'delivered'],
    [reply(200, { ok: false }), 'retry', { ambiguous: true }],
    [reply(200, { ok: true }), 'retry', { ambiguous: true }],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [refused(400, 'Bad Request: message is too long'), 'permanent delivery'],
    [refused(400, 'Bad Request: chat not found'), 'permanent channel'],
    [refused(400, 'Bad Request: not enough rights to send text messages to the chat'), 'permanent channel'],
    [refused(400, 'Bad Request: message thread not found'), 'permanent channel'],
    [refused(401, 'Unauthorized'), 'permanent channel'],
    [refused(404, 'Not Found'), 'permanent channel'],
    [refused(403, 'Forbidden: bot was blocked by the user'), 'permanent channel'],
    [reply(410), 'permanent channel at once'],
    [refused(413, 'Request Entity Too Large'), 'permanent delivery'],
    [refused(429, 'Too Many Requests: retry after 35', { retry_after: 35 }), 'retry', { after_ms: 35_000 }],
    [refused(500, 'Internal Server Error'), 'retry'],
    [reply(502, '<html>'), 'retry']
  ])
})

t.test('accepted and refused settings of Telegram', async (t) => {
  faults(t, telegram, [
    [CONFIG, null],
    [{ ...CONFIG, chat_id: '77' }, null],
    [{ ...CONFIG, chat_id: '@acme_alerts' }, null],
    [{ ...CONFIG, chat_id: 'ops' }, 'format'],
    [{ ...CONFIG, bot_token: 'sealed' }, 'format'],
    [{ ...CONFIG, bot_token: '1:short' }, 'format']
  ])
  t.equal(telegram.target(CONFIG), 'chat …7890')
  t.equal(telegram.target({ ...CONFIG, chat_id: '@acme_alerts' }), '@acme_alerts')
})
