/** Tables of chat commands: what people write in a chat app, and how the service replies. */
import t from 'tap'
import { isFault } from '../../../services/api/chat/calls.ts'
import { type ChatCommand, chatCommandIn, helpText, onCallText, statusText } from '../../../services/api/chat/commands.ts'
import { responseUrlOf, slackButtonIn, slackCommandIn } from '../../../services/api/chat/slack-calls.ts'
import { slackSignature, verifySlack } from '../../../services/channels/slack-signature.ts'

const ID = '01890000-0000-7000-8000-00000000ABCD'
const unclear = (say: RegExp) => ({ word: 'unclear', say }) as const

const commands: [text: string, expected: ChatCommand | { word: 'unclear'; say: RegExp }][] = [
  ['', { word: 'help' }],
  ['  HELP  ', { word: 'help' }],
  ['status', { word: 'status' }],
  ['Status now', { word: 'status' }],
  ['oncall', { word: 'oncall', schedule: null }],
  ['on-call  Night   shift', { word: 'oncall', schedule: 'Night shift' }],
  ['ack INC-12', { word: 'ack', incident: 'INC-12' }],
  ['acknowledge inc12', { word: 'ack', incident: 'INC-12' }],
  ['ACK 012', { word: 'ack', incident: 'INC-12' }],
  [`resolve ${ID}`, { word: 'resolve', incident: ID.toLowerCase() }],
  ['silence INC-1 60', { word: 'silence', incident: 'INC-1', minutes: 60 }],
  ['silence 1 90m', { word: 'silence', incident: 'INC-1', minutes: 90 }],
  ['silence 1 2h', { word: 'silence', incident: 'INC-1', minutes: 120 }],
  ['silence 1 10080', { word: 'silence', incident: 'INC-1', minutes: 10_080 }],
  ['silence 1', unclear(/how many minutes, from 1 to 10080.*silence INC-12 60/)],
  ['silence 1 0', unclear(/how many minutes/)],
  ['silence 1 10081', unclear(/how many minutes/)],
  ['silence 1 200h', unclear(/how many minutes/)],
  ['silence 1 -5', unclear(/how many minutes/)],
  ['silence 1 5 for maintenance', unclear(/how many minutes/)],
  ['silence', unclear(/Which incident/)],
  ['ack', unclear(/Which incident.*ack INC-12/)],
  ['ack INC-0', unclear(/Which incident/)],
  ["ack '; DROP TABLE incidents", unclear(/Which incident/)],
  ['ack 1 2', unclear(/One incident at a time/)],
  ['resolve \u0000', unclear(/Which incident/)],
  ['constructor 1', unclear(/no such command/)],
  ['delete INC-1', unclear(/no such command/)],
  ['x'.repeat(100_000), unclear(/no such command/)]
]

t.test('chat commands and their arguments', async (t) => {
  for (const [text, expected] of commands) t.match(chatCommandIn(text), expected, text.slice(0, 40))
})

t.test('texts of replies to chat commands', async (t) => {
  t.equal(helpText('/watch').split('\n')[2], '/watch ack INC-12: take an incident')
  t.equal(helpText('').split('\n')[0], '/status: what is open')
  t.equal(statusText([], 0), 'Nothing is open.')
  const one = { number: 7, title: 'Disk\nfull', severity: 'critical', acknowledged_at: null }
  t.equal(
    statusText([one, { ...one, number: 3, title: 'x'.repeat(500), acknowledged_at: 1 }], 12),
    `12 open:\nINC-7 critical: Disk full\nINC-3 critical, acknowledged: ${'x'.repeat(119)}…\nand 10 more`
  )
  t.equal(onCallText([], null, 0), 'There is no on-call schedule.')
  t.equal(onCallText([], 'night', 0), 'There is no on-call schedule of this name.')
  const duties = [
    { schedule: 'Night', people: ['Jo', 'Bo'] },
    { schedule: 'Day', people: [] }
  ]
  t.equal(onCallText(duties, null, 3), 'Night: Jo, Bo\nDay: nobody\nand 3 more schedules')
})

/** The example in Slack's documentation on verifying requests. */
const vector = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  timestamp: '1531420618',
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
  ),
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'
}

t.test('Slack signatures match the documentation and are valid for five minutes', async (t) => {
  const { secret, timestamp, body, signature } = vector
  const at = Number(timestamp) * 1000
  t.equal(slackSignature(secret, timestamp, body), signature)
  const cases: [what: string, secrets: string[], timestamp: string, signature: string, body: Buffer, now: number, fits: boolean][] = [
    ['as it came', [secret], timestamp, signature, body, at, true],
    ['while a secret is changed', ['another-secret', secret], timestamp, signature, body, at, true],
    ['five minutes later', [secret], timestamp, signature, body, at + 300_000, true],
    ['five minutes ahead', [secret], timestamp, signature, body, at - 300_000, true],
    ['later than that', [secret], timestamp, signature, body, at + 300_001, false],
    ['further ahead', [secret], timestamp, signature, body, at - 300_001, false],
    ['no secret is set', [], timestamp, signature, body, at, false],
    ['another secret', ['another-secret'], timestamp, signature, body, at, false],
    ['another time', [secret], String(Number(timestamp) + 1), signature, body, at, false],
    ['one byte more', [secret], timestamp, signature, Buffer.concat([body, Buffer.from('x')]), at, false],
    ['another version', [secret], timestamp, signature.replace('v0', 'v1'), body, at, false],
    ['cut', [secret], timestamp, signature.slice(0, -1), body, at, false],
    ['none', [secret], timestamp, '', body, at, false],
    ['a time that is none', [secret], 'NaN', slackSignature(secret, 'NaN', body), body, at, false],
    ['no time', [secret], '', slackSignature(secret, '', body), body, at, false]
  ]
  for (const [what, secrets, given, signed, bytes, now, fits] of cases) t.equal(verifySlack(secrets, given, signed, bytes, now), fits, what)
})

t.test('a slash command is parsed, and a missing field is named', async (t) => {
  t.match(slackCommandIn(new URLSearchParams(vector.body.toString())), {
    who: { vendor: 'slack', account: 'T1DC2JH3J', sender: 'U2CERLKJA', name: 'roadrunner' },
    call_id: '398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    reply_url: 'https://hooks.slack.com/commands/T1DC2JH3J/397700885554/96rGlfmibIGlgcZRskXaIFfN',
    command: { word: 'help' },
    name: '/webhook-collect'
  })
  const form = (over: Record<string, string>) => new URLSearchParams({ team_id: 'T1', user_id: 'U1', command: '/watch', ...over })
  t.equal(slackCommandIn(form({ ssl_check: '1' })), null, 'Slack looks whether it is there')
  t.match(slackCommandIn(form({ team_id: '', enterprise_id: 'E1' })), { who: { account: 'E1' } }, 'of a whole organisation')
  t.match(slackCommandIn(form({ user_name: `a\u0000\n${'b'.repeat(200)}` })), { who: { name: /^a b{77}…$/ } })
  t.match(slackCommandIn(form({ command: '<script>' })), { name: '/…' })
  t.match(slackCommandIn(form({ trigger_id: "'" })), { call_id: null })
  t.match(slackCommandIn(form({ team_id: '' })), { path: 'team_id' })
  t.match(slackCommandIn(form({ user_id: 'u 1' })), { path: 'user_id' })
})

t.test('later replies go only to addresses of Slack', async (t) => {
  const good = 'https://hooks.slack.com/actions/T1/2/x'
  t.equal(responseUrlOf(good), good)
  for (const bad of [
    null,
    '',
    'hooks.slack.com',
    'http://hooks.slack.com/x',
    'https://hooks.slack.com.evil.test/x',
    'https://evil.test/hooks.slack.com',
    'https://hooks.slack.com@evil.test/x',
    'https://user:pw@hooks.slack.com/x',
    'https://hooks.slack.com:8443/x',
    'https://slack.com/x',
    `https://hooks.slack.com/${'x'.repeat(500)}`
  ])
    t.equal(responseUrlOf(bad), null, String(bad).slice(0, 60))
})

t.test('a Slack button is parsed, and an unknown one does nothing', async (t) => {
  const payload = (over: object) =>
    new URLSearchParams({
      payload: JSON.stringify({
        type: 'block_actions',
        team: { id: 'T1' },
        user: { id: 'U1', username: 'jo' },
        trigger_id: '1.2.a',
        response_url: 'https://hooks.slack.com/actions/T1/2/x',
        actions: [{ action_id: 'inc_ack', value: ID }],
        ...over
      })
    })
  t.match(slackButtonIn(payload({})), {
    who: { vendor: 'slack', account: 'T1', sender: 'U1', name: 'jo' },
    call_id: '1.2.a',
    command: { word: 'ack', incident: ID.toLowerCase() },
    name: ''
  })
  const press = (action_id: string, value: string = ID) => slackButtonIn(payload({ actions: [{ action_id, value }] }))
  t.match(press('inc_resolve'), { command: { word: 'resolve' } })
  t.match(press('inc_silence_60'), { command: { word: 'silence', minutes: 60 } })
  t.match(press('inc_ack', 'x'), { command: { word: 'unclear' } })
  for (const id of ['inc_open', 'inc_silence_', 'inc_silence_99999', 'inc_delete', '']) t.equal(press(id), null, id)
  for (const over of [{ type: 'view_submission' }, { actions: [] }, { actions: 'x' }, { actions: [null] }])
    t.equal(slackButtonIn(payload(over)), null, JSON.stringify(over))
  t.match(slackButtonIn(payload({ team: null })), { path: 'payload.team.id' })
  t.match(slackButtonIn(payload({ user: 'U1' })), { path: 'payload.user.id' })
  for (const text of ['', '{', '[]', 'null', '7']) {
    const read = slackButtonIn(new URLSearchParams({ payload: text }))
    t.ok(read !== null && isFault(read) && read.path === 'payload', text)
  }
})
