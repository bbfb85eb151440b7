/** Tests of Linear: issues by GraphQL, and the meaning of its answers. */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/linear.ts'
import { acknowledged, context, drive, hostile, httpOf, incident, json, message, NOW, reply, short, test, up } from './messages.ts'
import { oneTicket } from './tickets.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { api_key: 'lin_api_0123456789abcdef0123456789abcdef', team_uuid: '0f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b' }
const ID = 'issue-of-ours'
const ref = { issue_id: ID, identifier: 'OPS-7' }
const states = [
  { id: 's3', type: 'completed', position: 9 },
  { id: 's2', type: 'completed', position: 5 },
  { id: 's1', type: 'started', position: 1 }
]
const issue = (type: string, nodes: object[] = states) =>
  reply(200, { data: { issue: { id: ID, identifier: 'OPS-7', state: { type }, team: { states: { nodes } } } } })
const one = reply(200, { data: { issueCreate: { success: true, issue: { id: ID, identifier: 'OPS-7' } } } })
const noted = reply(200, { data: { commentCreate: { success: true } } })
const changed = reply(200, { data: { issueUpdate: { success: true } } })
const fault = (type: string, text = 'x', status = 200, headers = {}) =>
  reply(status, { errors: [{ message: text, extensions: { type, userPresentableMessage: text } }] }, headers)
const gone = fault('invalid input', 'Entity not found: Issue')

t.test('each incident gets one issue in Linear', async (t) => {
  oneTicket(t, channel, CONFIG, {
    ref,
    opened: one,
    found: issue('unstarted'),
    none: gone,
    noted,
    gone,
    ended: [issue('unstarted'), changed, noted],
    opens_from: 0
  })
  const there = drive(channel, message(), CONFIG, [fault('invalid input', 'id is taken'), issue('unstarted')])
  t.match(there.outcome, { outcome: 'delivered', remote_ref: ref }, 'an id that is taken is ours')
})

t.test('requests to Linear for a failure, an acknowledgement and an end', async (t) => {
  const { requests } = drive(channel, message(), CONFIG, [one])
  t.match(httpOf(requests[0]), {
    method: 'POST',
    url: 'https://api.linear.app/graphql',
    headers: { authorization: CONFIG.api_key },
    guarded: false
  })
  const { input } = json(requests[0]).variables
  t.match(input, {
    id: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    teamId: CONFIG.team_uuid,
    title: '[CRITICAL] api.example.com is down',
    description: /HTTP 503.*<https:\/\/app\.example\.com\/incidents\/42>$/s,
    priority: 1
  })
  const idOf = (what: ReturnType<typeof message>) => json(drive(channel, what, CONFIG, [one]).requests[0]).variables.input.id
  t.equal(idOf(message({ delivery_id: 'another' })), input.id, 'the same over all attempts')
  t.not(idOf(message({ target_id: 'another channel' })), input.id)
  t.not(idOf(message({ key: 'another incident' })), input.id)
  const looked = drive(channel, message(), CONFIG, [issue('unstarted')], { at: context({ doubtful: true, attempt: 2 }) })
  t.equal(json(looked.requests[0]).variables.id, input.id)
  const ack = drive(channel, acknowledged(), CONFIG, [noted], { ref })
  t.same(json(ack.requests[0]).variables, { input: { issueId: ID, body: 'Acknowledged by Jo Doe.' } })
  const end = drive(channel, up(), CONFIG, [issue('started'), changed, noted], { ref })
  t.same(json(end.requests[1]).variables, { id: ID, input: { stateId: 's2' } }, 'the first state that means completed')
  for (const [severity, priority] of [
    ['warning', 3],
    ['info', 4]
  ] as const)
    t.equal(
      json(drive(channel, message({ incident: incident({ severity }) }), CONFIG, [one]).requests[0]).variables.input.priority,
      priority
    )
  const long = json(drive(channel, hostile(), CONFIG, [one]).requests[0]).variables.input
  t.ok([...long.title].length <= 250 && long.description.length < 9000)
  t.match(long.description, '\\[a\\]\\(b\\)', 'Markdown of others is text')
})

t.test('an end leaves a note on a Linear issue that is done or cannot be closed', async (t) => {
  for (const type of ['completed', 'canceled', 'duplicate'])
    t.same(drive(channel, up(), CONFIG, [issue(type), noted], { ref }).outcome, { outcome: 'delivered' })
  const end = drive(channel, up(), CONFIG, [issue('started', []), noted], { ref })
  t.match(json(end.requests[1]).variables.input.body, /could not be ended from here: its team has no state/)
  t.match(drive(channel, test(), CONFIG, [one, issue('started', [])]).outcome, { outcome: 'permanent', scope: 'delivery' })
  t.same(drive(channel, test(), CONFIG, [one, issue('triage'), changed]).outcome, { outcome: 'delivered' })
  t.match(drive(channel, up(), CONFIG, [issue('started'), fault('internal error')], { ref }).outcome, { outcome: 'retry' })
})

t.test('answers of Linear and their outcomes', async (t) => {
  const reset = { 'x-ratelimit-requests-reset': String(NOW + 90_000) }
  verdicts(t, channel, CONFIG, [
    [fault('authentication error', 'x', 400), 'permanent channel'],
    [fault('authentication error', 'x', 401), 'permanent channel'],
    [fault('forbidden'), 'permanent channel'],
    [fault('invalid input', 'Entity not found: Team'), 'permanent channel'],
    [fault('ratelimited', 'x', 400, reset), 'retry', { after_ms: 90_000 }],
    [fault('ratelimited', 'x', 429, { 'retry-after': '5' }), 'retry', { after_ms: 5000 }],
    [fault('internal error'), 'retry', { ambiguous: true }],
    [fault('lock timeout', 'x', 500), 'retry', { ambiguous: true }],
    [reply(200, { data: { issueCreate: { success: false } } }), 'retry', { ambiguous: true }],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(401), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(429), 'retry'],
    [reply(500), 'retry', { ambiguous: true }]
  ])
  // An answer that may mean that the id is already taken leads to a look-up.
  for (const answer of [fault('invalid input', 'title is too long'), reply(413), fault('usage limit exceeded')])
    t.equal(short(drive(channel, message(), CONFIG, [answer, gone]).outcome), 'permanent delivery')
})

t.test('the team id of Linear is normalised, and shown in short form', async (t) => {
  t.equal(channel.normalise?.({ ...CONFIG, team_uuid: CONFIG.team_uuid.toUpperCase() }).team_uuid, CONFIG.team_uuid)
  t.equal(channel.target(CONFIG), 'team 0f0c4a11')
})
