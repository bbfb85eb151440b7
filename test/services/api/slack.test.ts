/**
 * Tests of the endpoint that Slack calls. Nothing happens before the signature is verified. Then an
 * action is done as the member who is linked to the sender, with the rights of that moment. A
 * stranger, a demoted member and an outsider of a private team learn nothing.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { slackSignature } from '../../../services/channels/slack-signature.ts'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { as, type Person, person } from './people.ts'
import { type Stand, type StandOptions, stand } from './stand.ts'

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
const COMMANDS = '/api/v1/chat/slack/commands'
const BUTTONS = '/api/v1/chat/slack/interactions'
const STRANGER = /^You are not linked to a member yet\. Open this link within 15 minutes, and keep it to yourself: \S+$/
const NOT_FOUND = 'The incident was not found.'
const NO_RIGHT = 'Your role in this workspace does not act on incidents.'

/** A later answer that Slack gets. */
interface Told {
  path: string
  body: { response_type: string; replace_original: boolean; text: string }
}

interface Door {
  s: Stand
  told: Told[]
  /** Statuses with which Slack answers the next later answers. */
  statuses: number[]
}

async function door(t: Teardown, options: StandOptions = {}): Promise<Door> {
  const told: Told[] = []
  const statuses: number[] = []
  const slack = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const status = statuses.shift() ?? 200
    if (status === 200) told.push({ path: request.url ?? '', body: JSON.parse(text) })
    response.writeHead(status).end('ok')
  })
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}`
  const s = await stand(t, {
    ...options,
    config: { slackSigningSecrets: [SECRET], outboundBaseUrls: JSON.stringify({ slack: url }), ...options.config }
  })
  t.teardown(() => {
    slack.closeAllConnections()
    slack.close()
  })
  return { s, told, statuses }
}

const seconds = (): string => String(Math.floor(Date.now() / 1000))

interface Signing {
  timestamp?: string
  signature?: string | null
  type?: string
}

function called({ s }: Door, url: string, body: string, { timestamp = seconds(), signature, type }: Signing = {}) {
  const signed = signature === undefined ? slackSignature(SECRET, timestamp, Buffer.from(body)) : signature
  return s.app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': type ?? 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      ...(signed !== null && { 'x-slack-signature': signed })
    },
    payload: body
  })
}

let nth = 0
const aTrigger = (): string => `${++nth}.1.a`

const commandBody = (user_id: string, text: string, over: Record<string, string> = {}): string =>
  new URLSearchParams({
    ...{ team_id: 'T1', user_id, user_name: user_id.toLowerCase(), command: '/watch', text, trigger_id: aTrigger() },
    ...{ response_url: 'https://hooks.slack.com/commands/T1/2/x', ...over }
  }).toString()

const buttonBody = (user_id: string, action_id: string, value: string, over: object = {}): string =>
  new URLSearchParams({
    payload: JSON.stringify({
      ...{ type: 'block_actions', team: { id: 'T1' }, user: { id: user_id, username: user_id.toLowerCase() }, trigger_id: aTrigger() },
      ...{ response_url: 'https://hooks.slack.com/actions/T1/2/x', actions: [{ action_id, value }], ...over }
    })
  }).toString()

/** Writes a command as this person. Returns the reply, or null if there is none. */
async function write(d: Door, user_id: string, text: string): Promise<string | null> {
  const answer = await called(d, COMMANDS, commandBody(user_id, text))
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  if (answer.body === '') return null
  const { response_type, text: words } = answer.json()
  if (response_type !== 'ephemeral') throw new Error('others would see it')
  return words
}

/** Presses a button as this person. Returns the text that comes later. */
async function press(d: Door, user_id: string, action_id: string, value: string): Promise<string> {
  const before = d.told.length
  const answer = await called(d, BUTTONS, buttonBody(user_id, action_id, value))
  t.same([answer.statusCode, answer.body], [200, ''])
  const { path, body } = await until('the words for a button', () => d.told[before] ?? null)
  t.match([path, body], ['/actions/T1/2/x', { response_type: 'ephemeral', replace_original: false }])
  return body.text
}

const tokenIn = (words: string | null): string => /\/links\/chat\/(\S+)$/.exec(words ?? '')?.[1] ?? ''

async function link(d: Door, who: Person, user_id: string): Promise<void> {
  const token = tokenIn(await write(d, user_id, 'status'))
  const answer = await as(d.s, who, 'POST', '/api/v1/chat/identities', { token })
  if (answer.statusCode !== 201) throw new Error(answer.body)
}

const incidentOf = async ({ s }: Door, id: string) => (await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json()

t.test('a linked member acts in Slack by commands and buttons', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  const { incident_id } = await s.incident(s.acme, { title: 'Disk <!channel> & full' })
  t.match(await write(d, 'U1', 'ack INC-1'), STRANGER)
  await link(d, jo, 'U1')
  t.equal(await write(d, 'U1', 'status'), '1 open:\nINC-1 critical: Disk &lt;!channel&gt; &amp; full')
  t.match(await write(d, 'U1', 'help'), /^\/watch status: what is open\n/)
  t.equal(await write(d, 'U1', 'oncall'), 'There is no on-call schedule.')
  t.equal(await write(d, 'U1', 'ack INC-1'), 'INC-1 is acknowledged.')
  t.match(await incidentOf(d, incident_id), { acknowledged_by: `user:${jo.user_id}` })
  t.equal(await press(d, 'U1', 'inc_ack', incident_id), 'INC-1 was acknowledged by you already.', 'pressed again')
  t.equal(await write(d, 'U1', 'silence INC-1 15'), 'INC-1 is silenced for 15 minutes.')
  t.equal(await press(d, 'U1', 'inc_resolve', incident_id), 'INC-1 is resolved.')
  t.match(await incidentOf(d, incident_id), { status: 'resolved' })
  t.equal(await write(d, 'U1', 'resolve INC-1'), 'INC-1 is resolved already.')
  t.equal(await write(d, 'U1', 'ack INC-99'), NOT_FOUND)
  const { rows } = await s.systemPool.query(
    "SELECT action, actor_id, via, diff -> 'sender' AS sender FROM audit WHERE object_id = $1 ORDER BY at, audit_id",
    [incident_id]
  )
  const each = { actor_id: jo.user_id, via: 'chat', sender: [null, 'slack:T1:U1'] }
  t.match(rows, [
    { action: 'incident.acknowledged', ...each },
    { action: 'incident.silenced', ...each },
    { action: 'incident.resolved', ...each }
  ])
})

t.test('a Slack call without a valid signature gets an empty 401 and does nothing', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  await link(d, jo, 'U1')
  const { incident_id } = await s.incident(s.acme)
  const body = commandBody('U1', 'ack INC-1')
  const old = String(Number(seconds()) - 301)
  const cases: [what: string, signing: Signing, body?: string][] = [
    ['none', { signature: null }],
    ['another', { signature: `v0=${'0'.repeat(64)}` }],
    ['of another body', { signature: slackSignature(SECRET, seconds(), Buffer.from('x')) }],
    ['of another secret', { signature: slackSignature('another-secret', seconds(), Buffer.from(body)) }],
    ['too old', { timestamp: old }],
    ['too far ahead', { timestamp: String(Number(seconds()) + 400) }],
    ['no time', { timestamp: 'x' }],
    ['no form', { signature: 'v0=x', type: 'application/json' }, '{"'],
    ['empty', { signature: 'v0=x' }, '']
  ]
  for (const url of [COMMANDS, BUTTONS])
    for (const [what, signing, other] of cases) {
      const answer = await called(d, url, other ?? body, signing)
      t.same([answer.statusCode, answer.body], [401, ''], `${url} ${what}`)
    }
  const large = await called(d, COMMANDS, `text=${'x'.repeat(131_072)}`)
  t.equal(large.statusCode, 413)
  t.match(await incidentOf(d, incident_id), { acknowledged_at: null })
  t.match((await called(d, COMMANDS, 'team_id=T1')).json(), { code: 'VALIDATION_FAILED', details: [{ path: 'user_id' }] })
  t.match((await called(d, BUTTONS, 'payload=%7B')).json(), { code: 'VALIDATION_FAILED', details: [{ path: 'payload' }] })
  const ssl = await called(d, COMMANDS, 'ssl_check=1&token=x')
  t.same([ssl.statusCode, ssl.body], [200, ''])
  t.notOk(s.logged().includes(SECRET))

  const closed = await door(t, { config: { slackSigningSecrets: [] } })
  t.equal((await called(closed, COMMANDS, body)).statusCode, 401, 'without a secret the door is shut')
})

t.test('senders of bad signatures and of too many commands must wait', async (t) => {
  const d = await door(t, { now: () => 0 })
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  await link(d, jo, 'U1')
  let answers: string[] = []
  for (let n = 0; n < 21; n++) answers = [...answers, (await write(d, 'U1', 'help')) ?? '']
  t.equal(answers.filter((words) => words.startsWith('Too many commands at once: try again in ')).length, 2, 'with the link, 20 at once')
  t.match(await write(d, 'U2', 'help'), STRANGER, 'others have their own')
  let last = 0
  for (let n = 0; n < 120 && last !== 429; n++) last = (await called(d, COMMANDS, 'x', { signature: 'v0=x' })).statusCode
  t.equal(last, 429)
  t.match(await write(d, 'U3', 'help'), STRANGER, 'what is signed is not held up by that')
})

t.test('a Slack call that arrives twice is processed once', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  const same = commandBody('U1', 'status')
  t.match((await called(d, COMMANDS, same)).json(), { text: STRANGER })
  t.equal((await called(d, COMMANDS, same)).body, '', 'a stranger gets no second link for it')
  await link(d, jo, 'U1')
  const { incident_id } = await s.incident(s.acme)
  const ack = commandBody('U1', 'ack INC-1')
  const both = await Promise.all([called(d, COMMANDS, ack), called(d, COMMANDS, ack)])
  t.same(
    both.map(({ statusCode }) => statusCode),
    [200, 200]
  )
  t.equal(both.filter(({ body }) => body.includes('INC-1 is acknowledged.')).length, 1, 'of two at a time one does it')
  t.equal(both.filter(({ body }) => body === '').length, 1)
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/unacknowledge`, {})
  t.equal((await called(d, COMMANDS, ack)).body, '', 'played again later it does nothing')
  t.match(await incidentOf(d, incident_id), { acknowledged_at: null })
  const read = commandBody('U1', 'status')
  t.not((await called(d, COMMANDS, read)).body, '')
  t.equal((await called(d, COMMANDS, read)).body, '')
})

t.test('rights are checked at every Slack command, and a refusal reveals nothing', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  await link(d, jo, 'U1')
  const shown = await s.incident(s.acme)
  const hidden = await s.incident(s.acme, { title: 'zwiebelfisch' })
  const theirs = await s.incident(s.globex, { title: 'zwiebelfisch' })
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Quiet', visibility: 'private' })).json()
  await s.call(s.acme, 'PATCH', `/api/v1/incidents/${hidden.incident_id}`, { team_id: team.id })
  const set = (role: string) => s.systemPool.query('UPDATE members SET role = $2 WHERE user_id = $1', [jo.user_id, role])

  const status = await write(d, 'U1', 'status')
  t.match(status, /^1 open:\nINC-1 /, 'what is private is not even counted')
  t.notMatch(status, 'zwiebelfisch')
  for (const reference of [hidden.key, hidden.incident_id, theirs.incident_id, 'INC-77', '01890000-0000-7000-8000-000000000000'])
    for (const words of [`ack ${reference}`, `resolve ${reference}`, `silence ${reference} 5`])
      t.equal(await write(d, 'U1', words), NOT_FOUND, words)
  t.equal(await press(d, 'U1', 'inc_ack', hidden.incident_id), NOT_FOUND)

  await set('viewer')
  for (const reference of [shown.key, hidden.key, 'INC-77']) t.equal(await write(d, 'U1', `ack ${reference}`), NO_RIGHT, reference)
  t.equal(await press(d, 'U1', 'inc_resolve', shown.incident_id), NO_RIGHT)
  t.match(await write(d, 'U1', 'status'), /^1 open:/, 'a viewer reads')
  await set('billing')
  t.equal(await write(d, 'U1', 'status'), 'Your role in this workspace does not see incidents.')
  t.equal(await write(d, 'U1', 'oncall'), 'Your role in this workspace does not see incidents.')
  await set('responder')
  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [jo.user_id])
  t.match(await write(d, 'U1', 'status'), STRANGER, 'an account that is disabled is nobody')
  await s.systemPool.query('UPDATE users SET disabled_at = NULL WHERE user_id = $1', [jo.user_id])
  await s.call(s.acme, 'DELETE', `/api/v1/workspace/members/${jo.user_id}`)

  for (const words of ['status', 'oncall', 'help', 'ack INC-1', `resolve ${hidden.incident_id}`, 'silence INC-77 5', 'nonsense'])
    t.match(await write(d, 'U1', words), STRANGER, `who has left hears nothing of ${words}`)
  t.match(await press(d, 'U1', 'inc_ack', shown.incident_id), STRANGER)
  for (const { incident_id } of [shown, hidden]) t.match(await incidentOf(d, incident_id), { acknowledged_at: null, status: 'ongoing' })
})

t.test('an unlinked sender and one of another Slack workspace are strangers', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  await link(d, jo, 'U1')
  const { incident_id } = await s.incident(s.acme)
  t.match(await press(d, 'U2', 'inc_ack', incident_id), STRANGER)
  const other = await called(d, COMMANDS, commandBody('U1', 'ack INC-1', { team_id: 'T2' }))
  t.match(other.json(), { text: STRANGER })
  t.match(await incidentOf(d, incident_id), { acknowledged_at: null })
})

t.test('a slow Slack command is answered later, and an error is reported', async (t) => {
  const d = await door(t)
  const { s } = d
  const jo = await person(s, s.acme, 'jo', 'responder')
  await link(d, jo, 'U1')
  const { incident_id } = await s.incident(s.acme)
  const holder = await s.systemPool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT FROM signals WHERE tenant_id = $1 FOR UPDATE', [s.acme.tenant_id])
    const slow = await called(d, COMMANDS, commandBody('U1', 'ack INC-1'))
    t.same([slow.statusCode, slow.body, d.told.length], [200, '', 0], 'Slack has its answer, and nothing is done yet')
    d.statuses.push(503)
    await holder.query('COMMIT')
  } finally {
    holder.release()
  }
  const { path, body } = await until('the later answer', () => d.told[0] ?? null)
  t.same(
    [path, body.text, body.response_type],
    ['/commands/T1/2/x', 'INC-1 is acknowledged.', 'ephemeral'],
    'tried again where Slack could not take it'
  )
  t.match(await incidentOf(d, incident_id), { acknowledged_by: `user:${jo.user_id}` })

  const elsewhere = commandBody('U1', 'resolve INC-1', { response_url: 'https://evil.test/x' })
  t.match((await called(d, COMMANDS, elsewhere)).json(), { text: 'INC-1 is resolved.' })
  const silent = await called(d, BUTTONS, buttonBody('U1', 'inc_ack', incident_id, { response_url: 'https://evil.test/x' }))
  t.same([silent.statusCode, d.told.length], [200, 1], 'words go to Slack, or nowhere')

  await s.ownerPool.query('ALTER FUNCTION chat_identity_of(text, text, text) RENAME TO gone')
  t.match(await write(d, 'U1', 'status'), /^It was not done: something went wrong on our side/)
})
