/**
 * Tests of the Slack app against a fake Slack: messages with buttons, edited in place; rooms; and
 * the meaning of each refusal of Slack.
 */
import t from 'tap'
import { app } from '../../../services/channels/apps/slack.ts'
import type { Message, RemoteRef, SendOutcome, SendReply, SendRequest } from '../../../services/channels/channel.ts'
import { channel as slack } from '../../../services/channels/kinds/slack.ts'
import { channel as slackDm } from '../../../services/channels/kinds/slack_dm.ts'
import type { SlackInstall } from '../../../services/channels/slack-app.ts'
import { slackRoomName, slackRooms } from '../../../services/channels/slack-rooms.ts'
import {
  acknowledged,
  context,
  deployment,
  HOSTILE,
  hostile,
  httpOf,
  INCIDENT,
  incident,
  message,
  NOW,
  short,
  test,
  up
} from './messages.ts'
import { APP, type SlackMessage, type SlackWorkspace, slackWorkspace } from './slack-web.ts'

interface Stage {
  ws: SlackWorkspace
  config: SlackInstall & { installer_external_id: string }
  room: string
  /** The methods of Slack that were called. */
  asked: string[]
  said<R>(steps: Generator<SendRequest, R, SendReply>): R
  send(what: Message, ref?: RemoteRef | null): SendOutcome
}

function stage(): Stage {
  const ws = slackWorkspace()
  const room = ws.room('alerts').id
  const asked: string[] = []
  const config = {
    ...{ mode: 'oauth' as const, team_id: 'T0001', team_name: 'Acme Chat', channel_id: room, channel_name: '#alerts' },
    ...{ bot_token: ws.install(), installer_external_id: 'U0INSTALL' }
  }
  function said<R>(steps: Generator<SendRequest, R, SendReply>): R {
    let next = steps.next()
    while (!next.done) {
      const { method, url, headers, body } = httpOf(next.value)
      const { pathname } = new URL(url)
      asked.push(pathname.slice('/api/'.length))
      const answer = ws.vendor({ method, path: pathname, headers, body: body ?? '' })
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      next = steps.next({ status: answer.status, headers: answer.headers ?? {}, body: text })
    }
    return next.value
  }
  return { ws, config, room, asked, said, send: (what, ref = null) => said(slack.steps(what, config, ref, context())) }
}

const buttonsOf = ({ blocks }: SlackMessage): string[] =>
  blocks
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .flatMap(({ action_id }) => (action_id ? [action_id] : []))

const refOf = (outcome: SendOutcome): RemoteRef => (outcome.outcome === 'delivered' ? (outcome.remote_ref ?? {}) : {})

t.test('the Slack message of a failure is edited on acknowledgement and at the end', async (t) => {
  const { ws, room, send, asked } = stage()
  const down = send(message())
  const [first] = ws.messages
  t.match(first, { channel: room, text: '[CRITICAL] api.example.com is down' })
  t.same(first && buttonsOf(first), ['inc_ack', 'inc_resolve', 'inc_silence_60', 'inc_open'])
  t.match(JSON.stringify(first?.blocks), `"value":"${INCIDENT}"`)
  const ref = refOf(down)
  t.same(ref, { channel: room, ts: first?.ts })

  t.equal(short(send(acknowledged(), ref)), 'delivered')
  t.equal(ws.messages.length, 1, 'no second message')
  t.match(first, { text: '[ACK] api.example.com is down', edits: 1 })
  t.same(first && buttonsOf(first), ['inc_resolve', 'inc_silence_60', 'inc_open'], 'only what is still possible')

  const over = send(up(), ref)
  t.same(Object.values(refOf(over)), [ws.messages[1]?.ts])
  t.match(first, { text: '[RESOLVED] api.example.com is up again after 4m 10s', edits: 2 })
  t.same(first && buttonsOf(first), [])
  t.match(ws.messages[1], { thread_ts: first?.ts, broadcast: true, text: '[RESOLVED] api.example.com is up again after 4m 10s' })
  t.same(asked, ['chat.postMessage', 'chat.update', 'chat.update', 'chat.postMessage'])
})

t.test('a Slack message offers only actions that are possible', async (t) => {
  const { ws, send } = stage()
  const buttons = (over: Parameters<typeof incident>[0]): string[] => {
    send(message({ incident: incident(over) }))
    const last = ws.messages.at(-1)
    return last ? buttonsOf(last) : []
  }
  t.same(buttons({ silenced_until: NOW + 60_000 }), ['inc_ack', 'inc_resolve', 'inc_open'], 'silenced')
  t.same(buttons({ silenced_until: NOW - 1 }), ['inc_ack', 'inc_resolve', 'inc_silence_60', 'inc_open'], 'no more')
  t.same(buttons({ status: 'resolved', resolved_at: NOW }), [])
})

t.test('a worse failure is a reply in the thread, and a lost message is posted again', async (t) => {
  const { ws, room, send } = stage()
  const ref = refOf(send(message({ event: 'degraded' })))
  t.same(Object.values(refOf(send(message(), ref))), [ws.messages[1]?.ts])
  t.match(ws.messages[1], { thread_ts: ws.messages[0]?.ts, broadcast: true })
  const anew = send(acknowledged(), { channel: room, ts: '1.000' })
  t.same(refOf(anew), { channel: room, ts: ws.messages[2]?.ts })
  t.match(ws.messages[2], { thread_ts: null, text: '[ACK] api.example.com is down' })
  t.equal(short(send(up({ combined: true }))), 'delivered', 'what was never told is told once')
  t.match(ws.messages[3], { thread_ts: null })
})

t.test('where Slack refuses the blocks of an update, the end is still told', async (t) => {
  const { ws, send } = stage()
  ws.errors.set('chat.postMessage', ['invalid_blocks'])
  const ref = refOf(send(message()))
  ws.errors.set('chat.update', ['invalid_blocks'])
  t.equal(short(send(up(), ref)), 'delivered')
  t.match(ws.messages[0], { text: '[RESOLVED] api.example.com is up again after 4m 10s', blocks: [] })
  t.match(ws.messages[1], { thread_ts: ws.messages[0]?.ts })
})

t.test('an edit updates or blanks the Slack messages of an incident', async (t) => {
  const { ws, room, config, send, said } = stage()
  const edit = (what: Message | null, ref: RemoteRef) =>
    said(
      slack.edit?.(what, config, ref, context()) ??
        (() => {
          throw new Error('no edit')
        })()
    )
  const down = refOf(send(message()))
  const ref = { ...down, ...refOf(send(up(), down)) }
  t.equal(short(edit(message({ incident: incident({ title: 'Another title' }) }), ref)), 'delivered')
  t.match(ws.messages[0], { text: '[CRITICAL] Another title' })
  t.match(ws.messages[1], { edits: 0 }, 'what was said in the thread stays')
  edit(null, ref)
  for (const one of ws.messages) t.match(one, { text: 'This incident cannot be read here any more.' })
  t.notMatch(JSON.stringify(ws.messages), /api\.example|Another title|0198f0c4/)
  t.same(edit(message(), {}), { outcome: 'skipped', why: 'no_message' })
  t.equal(short(edit(message(), { channel: room, ts: '1.000' })), 'delivered', 'somebody deleted it')
})

t.test('all pages and reminders of an incident become neutral in Slack', async (t) => {
  const { ws, config, send, said } = stage()
  const reminder = message({ event: 'reminder', incident: null, title_override: 'Still so: api.example.com is down' })
  for (const events of [[message(), message(), message(), reminder, reminder], [reminder]]) {
    ws.messages.length = 0
    let ref: RemoteRef = {}
    for (const what of events) ref = { ...ref, ...refOf(send(what, ref)) }
    t.equal(ws.messages.length, events.length)
    const steps = slack.edit?.(null, config, ref, context())
    if (!steps) return t.fail('no edit')
    t.equal(short(said(steps)), 'delivered')
    t.notMatch(JSON.stringify(ws.messages), /api\.example/)
  }
})

t.test('hostile text stays text in Slack, within its limits', async (t) => {
  const { ws, send } = stage()
  t.equal(short(send(hostile())), 'delivered')
  const written = JSON.stringify(ws.messages[0])
  t.notMatch(written, /<!channel>|<\/b>/)
  t.match(written, '&lt;!channel&gt;')
  t.ok(HOSTILE.length > 10_000)
})

t.test('a Slack test is plain text, and a contact method writes to the person', async (t) => {
  const { ws, room, config, send, said } = stage()
  t.equal(short(send(test())), 'delivered')
  t.match(ws.messages[0], { channel: room, blocks: [], text: /^\[TEST\] Notifications from Acme work\.\nThis is a test/ })
  ws.people.add('U7')
  const dm = said(slackDm.steps(message(), { address: 'T0001:U7', bot_token: config.bot_token ?? '' }, null, context()))
  t.match(refOf(dm), { channel: 'D7' })
})

t.test('refusals of Slack and their outcomes', async (t) => {
  const table: readonly [error: string, expected: string][] = [
    ['ratelimited', 'retry'],
    ['internal_error', 'retry'],
    ['service_unavailable', 'retry'],
    ['invalid_auth', 'permanent channel at once'],
    ['token_revoked', 'permanent channel at once'],
    ['account_inactive', 'permanent channel at once'],
    ['channel_not_found', 'permanent channel at once'],
    ['is_archived', 'permanent channel at once'],
    ['not_in_channel', 'permanent channel'],
    ['missing_scope', 'permanent channel'],
    ['restricted_action', 'permanent channel'],
    ['msg_too_long', 'permanent delivery'],
    ['no_text', 'permanent delivery'],
    ['something_new', 'permanent delivery']
  ]
  for (const [error, expected] of table) {
    const { ws, send } = stage()
    ws.errors.set('chat.postMessage', [error])
    t.equal(short(send(message())), expected, error)
  }
  const { ws, send } = stage()
  ws.errors.set('chat.postMessage', ['ratelimited'])
  t.match(send(message()), { outcome: 'retry', after_ms: 30_000 })
  ws.errors.set('chat.postMessage', ['invalid_blocks'])
  t.equal(short(send(message())), 'delivered', 'once more as text alone')
  t.same(ws.messages.at(-1)?.blocks, [])
  const ref = refOf(send(message()))
  ws.errors.set('chat.update', ['invalid_auth'])
  t.equal(short(send(acknowledged(), ref)), 'permanent channel at once')
})

t.test('a Slack channel without a credential fails without a request', async (t) => {
  const { config, said, asked } = stage()
  const { bot_token: _gone, ...without } = config
  t.match(said(slack.steps(message(), without, null, context())), {
    outcome: 'permanent',
    scope: 'channel',
    user_text: /Add the app to Slack again/
  })
  t.same(asked, [])
})

t.test('a Slack room is made with its topic, and a refusal is explained in plain words', async (t) => {
  const { ws, config, said } = stage()
  const open = (over: object = {}) =>
    said(slackRooms.open({ name: 'inc-1-API down: är & <b>', topic: 'INC-1', private: false, ...over }, { ...config }, context()))
  const made = open()
  t.match(made, { outcome: 'made', name: 'inc-1-api-down-ar-b', problem: null })
  t.match(ws.rooms.at(-1), { private: false, topic: 'INC-1', members: ['UBOT'] })
  t.match(open(), { name: 'inc-1-api-down-ar-b-2' }, 'the name is taken')
  t.match(open({ private: true, topic: 'x'.repeat(300) }), { outcome: 'made', name: 'inc-1-api-down-ar-b-3', problem: null })
  t.match(ws.rooms.at(-1), { private: true, members: ['UBOT', 'U0INSTALL'] })
  t.equal(ws.rooms.at(-1)?.topic.length, 250)
  ws.people.clear()
  t.match(open({ private: true }), { outcome: 'made', problem: /^Who added the app could not be invited\. Slack knows no such person\.$/ })
  for (const [error, expected] of [
    ['restricted_action', { outcome: 'refused', user_text: /does not let apps make rooms/ }],
    ['missing_scope', { outcome: 'refused', user_text: /Add the app to Slack again/ }],
    ['invalid_auth', { outcome: 'refused', user_text: /does not take the credential/ }],
    ['too_many_channels', { outcome: 'refused', user_text: 'Slack refused: too_many_channels.' }],
    ['ratelimited', { outcome: 'retry' }]
  ] as const) {
    ws.errors.set('conversations.create', [error])
    t.match(open(), expected, error)
  }
  const room = made.outcome === 'made' ? made.room : ''
  t.match(said(slackRooms.post('Jo <b> wrote', room, { ...config }, context())), { outcome: 'posted' })
  t.equal(ws.messages.at(-1)?.text, 'Jo &lt;b&gt; wrote')
  t.match(said(slackRooms.post(message(), room, { ...config }, context())), { outcome: 'posted' })
  t.match(ws.messages.at(-1)?.blocks[0], { type: 'header' })
  ws.errors.set('chat.postMessage', ['is_archived'])
  t.match(said(slackRooms.post('x', room, { ...config }, context())), { outcome: 'refused', user_text: 'The room in Slack is archived.' })
})

t.test('a Slack room gets a name and a topic that say nothing', async (t) => {
  const { ws, config, said } = stage()
  const open = (name: string) => said(slackRooms.open({ name, topic: 'INC-1: Zwiebelfisch', private: false }, { ...config }, context()))
  const made = open('inc-1-zwiebelfisch')
  const id = made.outcome === 'made' ? made.room : ''
  const rename = (name: string | null) => said(slackRooms.rename({ name, topic: 'INC-1' }, id, { ...config }, context()))
  t.same(rename('inc-1'), { outcome: 'renamed', name: 'inc-1' })
  t.match(ws.rooms.at(-1), { name: 'inc-1', topic: 'INC-1' })
  t.same(rename(null), { outcome: 'renamed', name: null }, 'it keeps its name')
  open('inc-2')
  t.same(rename('inc-2'), { outcome: 'renamed', name: 'inc-2-2' }, 'the name is taken')
  ws.errors.set('conversations.rename', ['not_authorized'])
  t.same(rename('inc-3'), { outcome: 'renamed', name: null }, 'Slack refuses')
  for (const method of ['conversations.setTopic', 'conversations.rename']) {
    ws.errors.set(method, ['ratelimited'])
    t.match(rename('inc-3'), { outcome: 'retry' }, method)
  }
})

t.test('names of Slack rooms', async (t) => {
  t.equal(slackRoomName('INC-12 Ünïcode / Über 100 %'), 'inc-12-unicode-uber-100')
  t.equal(slackRoomName('火事'), 'incident')
  t.equal(slackRoomName('x'.repeat(200)).length, 80)
  t.equal(slackRoomName('x'.repeat(200), 3), `${'x'.repeat(78)}-3`)
  t.match(slackRoomName(HOSTILE), /^[a-z0-9_-]{1,80}$/)
})

t.test('the Slack app is uninstalled, even if it is gone already', async (t) => {
  const { ws, config, said } = stage()
  const uninstall = () => said(app.uninstall({ ...APP }, { ...config }, context({ deployment: { ...deployment, slack: { ...APP } } })))
  t.equal(short(uninstall()), 'delivered')
  t.equal(ws.tokens.size, 0)
  t.equal(short(uninstall()), 'delivered', 'it is gone already')
  ws.errors.set('apps.uninstall', ['internal_error'])
  t.equal(short(uninstall()), 'retry')
})
