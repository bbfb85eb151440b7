/**
 * Tests of escalation policies over the API, of paging people by hand, and of which policy an
 * incident gets.
 */
import t from 'tap'
import type { PolicyDetail } from '../../../schemas/http/escalation.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { asDefault, method, stepped, steps, unreachable, worker } from '../notifier/escalating.ts'
import { as, person } from './people.ts'
import { type Stand, stand } from './stand.ts'

const POLICIES = '/api/v1/on-call/escalation-policies'
const target = (id: string) => ({ type: 'user', id })
const make = async (s: Stand, body: object) => {
  const answer = await s.call(s.acme, 'POST', POLICIES, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}
const policyOf = async (s: Stand, id: string): Promise<string | null> =>
  (await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json().escalation_policy_id

t.test('an escalation policy is created, changed, replaced and deleted', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  const made = await make(s, { name: 'Page', steps: [{ targets: [target(s.acme.user_id)] }, { targets: [target(s.acme.user_id)] }] })
  t.match(made, {
    version: 1,
    repeat: 1,
    max_duration_minutes: 1440,
    is_default: false,
    warnings: [],
    steps: [{ delay_seconds: 0, strategy: 'all', acks_required: 1, on_empty: 'next' }, { delay_seconds: 300 }],
    reaches_now: [{ users: [{ id: s.acme.user_id, name: String }], channels: [] }, { users: [{ id: s.acme.user_id }] }],
    used_by: []
  })
  const path = `${POLICIES}/${made.id}`
  const stale = await s.call(s.acme, 'PATCH', path, { repeat: 3 }, { headers: { 'if-match': '"7"' } })
  t.match([stale.statusCode, stale.json().code], [412, 'VERSION_MISMATCH'])
  t.match((await s.call(s.acme, 'PATCH', path, { repeat: 3 })).json(), { version: 2, repeat: 3, name: 'Page' })
  const put = { name: 'Wake', steps: [{ targets: [target(s.acme.user_id)] }] }
  t.match((await s.call(s.acme, 'PUT', path, put)).json(), { version: 3, repeat: 1, name: 'Wake', steps: [{ delay_seconds: 0 }] })
  t.match((await s.call(s.acme, 'GET', POLICIES)).json(), { total: 1, items: [{ id: made.id, name: 'Wake' }] })
  await s.call(s.acme, 'PATCH', '/api/v1/workspace', { default_escalation_policy_id: made.id })
  const used = await s.call(s.acme, 'DELETE', path)
  t.match([used.statusCode, used.json().code, used.json().details], [409, 'IN_USE', [{ path: 'workspace', actual: 1 }]])
  t.match((await s.call(s.acme, 'GET', path)).json(), { is_default: true, used_by: [{ kind: 'workspace', id: s.acme.tenant_id }] })
  await s.call(s.acme, 'PATCH', '/api/v1/workspace', { default_escalation_policy_id: null })
  t.equal((await s.call(s.acme, 'DELETE', path)).statusCode, 204)
  t.equal((await s.call(s.acme, 'GET', path)).statusCode, 404)
})

t.test('people, schedules and channels that a policy names cannot be deleted', async (t) => {
  const s = await stand(t)
  const [ann, ben] = [await person(s, s.acme, 'leaving-ann', 'responder'), await person(s, s.acme, 'leaving-ben', 'responder')]
  const schedule = await s.call(s.acme, 'POST', '/api/v1/on-call/schedules', {
    name: 'Primary',
    time_zone: 'UTC',
    layers: [{ name: 'Day', participants: [ben.user_id], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }]
  })
  t.equal(schedule.statusCode, 201, schedule.body)
  const channel = await s.call(s.acme, 'POST', '/api/v1/notifications/channels', {
    name: 'Hook',
    kind: 'webhook',
    config: { url: 'https://hooks.example.com/x' }
  })
  t.equal(channel.statusCode, 201, channel.body)
  const targets = [
    target(ann.user_id),
    target(ben.user_id),
    { type: 'schedule', id: schedule.json().id },
    { type: 'channel', id: channel.json().id }
  ]
  const { id } = await make(s, { name: 'Page', steps: [{ targets }] })
  const member = `/api/v1/workspace/members/${ann.user_id}`
  const refused = await s.call(s.acme, 'DELETE', member)
  t.match(
    [refused.statusCode, refused.json()],
    [409, { code: 'IN_USE', details: [{ path: 'escalation_policy', id, message: 'Page', rule: 'in_use' }] }]
  )
  const used = await s.call(s.acme, 'DELETE', `/api/v1/on-call/schedules/${schedule.json().id}`)
  t.match([used.statusCode, used.json()], [409, { code: 'IN_USE', details: [{ path: 'escalation_policies', id }] }])
  const hook = await s.call(s.acme, 'DELETE', `/api/v1/notifications/channels/${channel.json().id}`)
  t.match([hook.statusCode, hook.json()], [409, { code: 'IN_USE', details: [{ path: 'escalation_policies', actual: 1 }] }])
  t.equal((await s.call(s.acme, 'DELETE', `${member}?replace_with=${ben.user_id}`)).statusCode, 204)
  const now = (await s.call(s.acme, 'GET', `${POLICIES}/${id}`)).json()
  t.same(
    now.steps[0].targets.map((one: { type: string; id: string }) => one.id),
    [ben.user_id, schedule.json().id, channel.json().id],
    'once, in their place'
  )
  t.equal(now.version, 2)
  t.equal((await s.call(s.acme, 'DELETE', `${POLICIES}/${id}`)).statusCode, 204)
  t.equal((await s.call(s.acme, 'DELETE', `/api/v1/on-call/schedules/${schedule.json().id}`)).statusCode, 204)
})

t.test('nobody takes on-call places of a private team in name only', async (t) => {
  const s = await stand(t)
  const [ann, ben] = [await person(s, s.acme, 'places-ann', 'responder'), await person(s, s.acme, 'places-ben', 'responder')]
  const gone = await person(s, s.acme, 'places-gone', 'responder')
  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [gone.user_id])
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Payments', visibility: 'private' })).json()
  const memberOfTeam = (user_id: string) => s.call(s.acme, 'PUT', `/api/v1/teams/${team.id}/members/${user_id}`, {})
  await memberOfTeam(ann.user_id)
  const layer = { name: 'Day', participants: [ann.user_id], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
  const schedule = await s.call(s.acme, 'POST', '/api/v1/on-call/schedules', {
    ...{ name: 'Primary', time_zone: 'UTC', layers: [layer] },
    team_id: team.id
  })
  t.equal(schedule.statusCode, 201, schedule.body)
  const member = `/api/v1/workspace/members/${ann.user_id}`
  const refusal = async (by: string) => {
    const answer = await s.call(s.acme, 'DELETE', `${member}?replace_with=${by}`)
    return [answer.statusCode, answer.json().details?.[0].path, answer.json().details?.[0].rule]
  }
  t.same(await refusal(ben.user_id), [422, 'replace_with', 'not_visible'], 'a schedule of the team')
  const { id } = await make(s, { name: 'Page', team_id: team.id, steps: [{ targets: [target(ann.user_id)] }] })
  t.equal((await s.call(s.acme, 'DELETE', `/api/v1/on-call/schedules/${schedule.json().id}`)).statusCode, 204)
  t.same(await refusal(ben.user_id), [422, 'replace_with', 'not_visible'], 'a policy of the team')
  t.same(await refusal(gone.user_id), [422, 'replace_with', 'disabled'])
  const first = async () => (await s.call(s.acme, 'GET', `${POLICIES}/${id}`)).json().steps[0].targets[0].id
  t.equal(await first(), ann.user_id, 'nothing changed')
  await memberOfTeam(ben.user_id)
  t.equal((await s.call(s.acme, 'DELETE', `${member}?replace_with=${ben.user_id}`)).statusCode, 204)
  t.equal(await first(), ben.user_id)
  const owner = `/api/v1/workspace/members/${ben.user_id}?replace_with=${s.acme.user_id}`
  t.equal((await s.call(s.acme, 'DELETE', owner)).statusCode, 204, 'owners see every team')
})

t.test('null in place of a hidden policy changes nothing when it is sent back', async (t) => {
  const s = await stand(t)
  const editor = await person(s, s.acme, 'null-editor', 'editor')
  const { id: team_id } = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Payments', visibility: 'private' })).json()
  const steps = [{ targets: [target(s.acme.user_id)] }]
  const { id: escalation_policy_id } = await make(s, { name: 'Hidden', team_id, steps })
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await s.call(s.acme, 'POST', path, { ...body, escalation_policy_id })
    t.equal(answer.statusCode, 201, answer.body)
    return `${path}/${answer.json().id}`
  }
  const paths = [
    await made('/api/v1/monitors', { name: 'Shop', type: 'external' }),
    await made('/api/v1/heartbeats', { name: 'Backup', schedule: { kind: 'period', period_seconds: 60 } }),
    await made('/api/v1/integrations/inbound', { name: 'Door', source_type: 'generic' }),
    await made('/api/v1/teams', { name: 'Open' })
  ]
  for (const path of paths) {
    const read = (await as(s, editor, 'GET', path)).json()
    t.equal(read.escalation_policy_id, null, `${path} is hidden`)
    const sent = { name: `${read.name} 2`, escalation_policy_id: read.escalation_policy_id }
    const answer = await as(s, editor, 'PATCH', path, sent)
    t.match([answer.statusCode, answer.json()], [200, sent], path)
    t.match((await s.call(s.acme, 'GET', path)).json(), { ...sent, escalation_policy_id }, `${path} keeps it`)
    t.equal((await s.call(s.acme, 'PATCH', path, { escalation_policy_id: null })).statusCode, 200)
    t.equal((await s.call(s.acme, 'GET', path)).json().escalation_policy_id, null, 'who sees it takes it away')
  }
})

t.test('of two targets of a step that become one, the higher urgency stays', async (t) => {
  const s = await stand(t)
  const [ann, ben] = [await person(s, s.acme, 'urgent-ann', 'responder'), await person(s, s.acme, 'urgent-ben', 'responder')]
  const [mild, high] = [target(ben.user_id), { ...target(ann.user_id), urgency: 'high' }]
  const { id } = await make(s, { name: 'Page', steps: [{ targets: [mild, high] }, { targets: [high, mild] }] })
  t.equal((await s.call(s.acme, 'DELETE', `/api/v1/workspace/members/${ann.user_id}?replace_with=${ben.user_id}`)).statusCode, 204)
  const { steps } = (await s.call(s.acme, 'GET', `${POLICIES}/${id}`)).json()
  t.same(
    steps.map(({ targets }: { targets: object[] }) => targets),
    [[{ ...target(ben.user_id), urgency: 'high' }], [{ ...target(ben.user_id), urgency: 'high' }]]
  )
})

t.test('an invalid policy is refused, and one that reaches nobody gets a warning', async (t) => {
  const s = await stand(t)
  const me = target(s.acme.user_id)
  const refused = async (body: object, path: string, rule: string) => {
    const answer = await s.call(s.acme, 'POST', POLICIES, { name: 'x', ...body })
    t.match([answer.statusCode, answer.json().details?.[0]], [422, { path, rule }], path)
  }
  await refused({ steps: [{ targets: [target(uuidv4())] }] }, 'steps[0].targets[0].id', 'not_a_member')
  await refused({ steps: [{ targets: [target(s.globex.user_id)] }] }, 'steps[0].targets[0].id', 'not_a_member')
  await refused({ steps: [{ targets: [{ type: 'schedule', id: uuidv4() }] }] }, 'steps[0].targets[0].id', 'unknown_target')
  await refused({ steps: [{ targets: [me, me] }] }, 'steps[0].targets[1]', 'mutually_exclusive')
  await refused({ steps: [{ targets: [me], acks_required: 2 }] }, 'steps[0].acks_required', 'max')
  const window = { time_zone: 'Europe/Nowhere', days: [], from: '08:00', to: '18:00' }
  await refused({ steps: [{ targets: [me], only_if: { time_window: window } }] }, 'steps[0].only_if.time_window.time_zone', 'unknown_zone')
  await unreachable(s, s.acme, s.acme.user_id)
  const body = { name: 'Nobody', steps: [{ targets: [me] }] }
  t.match(await make(s, body), { warnings: [{ code: 'reaches_nobody' }] }, 'without a method nobody is reached')
  const ben = await person(s, s.acme, 'ben', 'responder')
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
  const hidden = await s.call(s.acme, 'POST', POLICIES, { name: 'x', team_id: team.id, steps: [{ targets: [target(ben.user_id)] }] })
  t.match([hidden.statusCode, hidden.json().details[0].rule], [422, 'not_visible'])
})

t.test('the policy comes from the rule, else the integration, the team or the workspace', async (t) => {
  const s = await stand(t)
  const one = async (name: string): Promise<string> => (await make(s, { name, steps: [{ targets: [target(s.acme.user_id)] }] })).id
  const [workspace, ofTeam, integration, rule] = [await one('w'), await one('t'), await one('i'), await one('r')]
  const opened = async (over: object = {}) => policyOf(s, (await s.incident(s.acme, over)).incident_id)
  t.equal(await opened(), null)
  await s.call(s.acme, 'PATCH', '/api/v1/workspace', { default_escalation_policy_id: workspace })
  t.equal(await opened(), workspace)
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Payments', escalation_policy_id: ofTeam })).json()
  t.equal(await opened({ team_id: team.id }), ofTeam)
  const door = await s.call(s.acme, 'PATCH', `/api/v1/integrations/inbound/${s.acme.integration_id}`, { escalation_policy_id: integration })
  t.match([door.statusCode, door.json()], [200, { escalation_policy_id: integration }])
  t.equal(await opened({ team_id: team.id }), integration)
  const made = await s.call(s.acme, 'POST', '/api/v1/routing-rules', { name: 'r', actions: { escalation_policy_id: rule } })
  t.match([made.statusCode, made.json().actions], [201, { escalation_policy_id: rule }])
  t.equal(await opened({ team_id: team.id }), rule)
  await s.rules(s.acme, [ruleOf(uuidv4(), { actions: { escalation_policy_id: null } })])
  t.equal(await opened({ team_id: team.id }), null, 'a rule may say that nobody is asked')
  const declared = { title: 'Slow', severity: 'warning' }
  const declare = async (body: object) => (await s.call(s.acme, 'POST', '/api/v1/incidents', { ...declared, ...body })).json()
  t.match(await declare({}), { escalation_policy_id: workspace, escalation: { state: 'running', step: 0 } })
  t.match(await declare({ team_id: team.id }), { escalation_policy_id: ofTeam })
  t.match(await declare({ escalation_policy_id: null }), { escalation_policy_id: null, escalation: { state: 'none' } })
  const unknown = await s.call(s.acme, 'POST', '/api/v1/incidents', { ...declared, escalation_policy_id: uuidv4() })
  t.match(unknown.json().details, [{ path: 'escalation_policy_id', rule: 'unknown_policy' }])
})

t.test('a simulation shows who is paged when', async (t) => {
  const s = await stand(t)
  await method(s, s.acme, s.acme.user_id)
  const body = {
    name: 'x',
    repeat: 0,
    steps: [{ targets: [target(s.acme.user_id)] }, { targets: [target(s.acme.user_id)], delay_seconds: 600 }]
  }
  const { id } = await make(s, body)
  const answer = (await s.call(s.acme, 'POST', `${POLICIES}/${id}/simulate`, { at: '2026-03-01T03:00:00Z' })).json()
  t.match(answer, {
    truncated: false,
    items: [
      { offset_seconds: 0, step: 0, outcome: 'fired', users: [{ id: s.acme.user_id, methods: ['email'] }], reachable: true },
      { offset_seconds: 600, step: 1, outcome: 'fired', at: '2026-03-01T03:10:00.000Z' },
      { offset_seconds: 900, outcome: 'exhausted' }
    ]
  })
  const early = (await s.call(s.acme, 'POST', `${POLICIES}/${id}/simulate`, { ack_after_seconds: 60 })).json()
  t.equal(early.items.length, 1)
})

t.test('a policy shows only those uses and people that the caller may see', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'seeing-ben', 'editor')
  await method(s, s.acme, ben.user_id)
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
  await method(s, s.acme, s.acme.user_id)
  const targets = [target(ben.user_id), { type: 'team', id: team.id }]
  const { id } = await make(s, { name: 'Page', steps: [{ targets }] })
  const rule = (name: string, over: object = {}) =>
    s.call(s.acme, 'POST', '/api/v1/routing-rules', { name, actions: { escalation_policy_id: id, ...over } })
  await rule('Open rule')
  await rule('Secret rule', { team_id: team.id })
  await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Payments', escalation_policy_id: id })
  await s.call(s.acme, 'PATCH', `/api/v1/teams/${team.id}`, { escalation_policy_id: id })
  const incident = (await s.call(s.acme, 'POST', '/api/v1/incidents', { title: 'x', severity: 'info', escalation_policy_id: id })).json()
  const shown = (answer: { json(): PolicyDetail }) => {
    const { used_by, reaches_now } = answer.json()
    return [used_by.map(({ kind, name }) => `${kind} ${name}`), reaches_now.map(({ users }) => users.map((one) => one.id))]
  }
  t.same(shown(await s.call(s.acme, 'GET', `${POLICIES}/${id}`)), [
    ['team Payments', 'team Secret', `incident ${incident.key}`, 'routing_rule Open rule', 'routing_rule Secret rule'],
    [[ben.user_id, s.acme.user_id]]
  ])
  t.same(shown(await as(s, ben, 'GET', `${POLICIES}/${id}`)), [
    ['team Payments', `incident ${incident.key}`, 'routing_rule Open rule'],
    [[ben.user_id]]
  ])
})

t.test('a simulation shows targets, methods, and who is not paged and why', async (t) => {
  const s = await stand(t)
  const [ann, ben] = [await person(s, s.acme, 'shown-ann', 'responder'), await person(s, s.acme, 'shown-ben', 'responder')]
  await method(s, s.acme, ann.user_id)
  await unreachable(s, s.acme, ben.user_id)
  await method(s, s.acme, s.acme.user_id)
  const empty = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Empty' })).json()
  await s.call(s.acme, 'DELETE', `/api/v1/teams/${empty.id}/members/me`)
  const steps = [
    { targets: [target(ann.user_id), target(ben.user_id), { type: 'team', id: empty.id }] },
    { targets: [{ type: 'team', id: empty.id }], on_empty: 'fallback' },
    { targets: [target(ann.user_id)], only_if: { severity: ['info'] } }
  ]
  const { id } = await make(s, { name: 'x', repeat: 0, steps })
  const { items } = (await s.call(s.acme, 'POST', `${POLICIES}/${id}/simulate`, { at: '2026-03-01T03:00:00Z' })).json()
  const noOne = { type: 'team', id: empty.id }
  t.match(items, [
    {
      outcome: 'fired',
      users: [{ id: ann.user_id, ways: [{ kind: 'email', at: '2026-03-01T03:00:00.000Z', suppressed_by: null }], by: target(ann.user_id) }],
      not_asked: [{ id: ben.user_id, why: 'no_method' }],
      nobody: [noOne],
      fallback: false
    },
    { outcome: 'fired', users: [{ id: s.acme.user_id, by: null }], nobody: [noOne], fallback: true },
    { outcome: 'skipped', users: [] },
    { outcome: 'exhausted' }
  ])
})

t.test('people are paged by hand, by step or with a new incident', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'ben', 'responder')
  await method(s, s.acme, ben.user_id)
  await method(s, s.acme, s.acme.user_id)
  const { id } = await make(s, { name: 'x', steps: [{ targets: [target(s.acme.user_id)] }, { targets: [target(ben.user_id)] }] })
  await asDefault(s, s.acme, id)
  const { incident_id } = await s.incident(s.acme)
  worker(t, s)
  await stepped(s, incident_id, 1)
  const urgencies = async () =>
    (await s.systemPool.query('SELECT urgency FROM intents WHERE incident_id = $1 ORDER BY at', [incident_id])).rows.map(
      ({ urgency }) => urgency
    )
  const path = `/api/v1/incidents/${incident_id}/escalate`
  const byHand = await s.call(s.acme, 'POST', path, { user_ids: [ben.user_id], message: 'Please.' })
  t.match([byHand.statusCode, byHand.json()], [202, { intents: [{ user_id: ben.user_id, method_kind: 'email', suppressed_by: null }] }])
  const step = await s.call(s.acme, 'POST', path, { step: 1 })
  t.match(step.json(), { intents: [{ user_id: ben.user_id }] })
  t.match((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json(), {
    escalation: { state: 'running', step: 0, cycle: 1, next_at: String }
  })
  t.same(await urgencies(), ['default', 'high', 'high'], 'by hand they are asked urgently')
  t.equal((await steps(s, incident_id)).length, 1)
  const why = (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}/explain`)).json()
  t.match(
    why.steps.filter(({ rule }: { rule: string }) => ['policy', 'escalation_run', 'escalation_step'].includes(rule)),
    [
      { rule: 'policy', values: { escalation_policy_id: id, policy_by: 'workspace' } },
      { rule: 'escalation_run', values: { run: 1, state: 'running' }, config_refs: [{ id, version: 1 }] },
      { rule: 'escalation_step', values: { step: 0, outcome: 'fired', asked: [s.acme.user_id] } }
    ]
  )
  for (const [body, rule] of [
    [{}, 'required'],
    [{ step: 1, user_ids: [ben.user_id] }, 'mutually_exclusive'],
    [{ step: 9 }, 'unknown_step'],
    [{ user_ids: [s.globex.user_id] }, 'not_a_member']
  ] as const)
    t.match((await s.call(s.acme, 'POST', path, body)).json().details, [{ rule }])
  const paged = await s.call(s.acme, 'POST', '/api/v1/on-call/page', { target: target(ben.user_id), message: 'Look at the tills' })
  t.match(
    [paged.statusCode, paged.json()],
    [201, { incident: { title: 'Look at the tills', escalation: { state: 'none' } }, intents: [{ user_id: ben.user_id }] }]
  )
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`)
  t.equal((await s.call(s.acme, 'POST', path, { user_ids: [ben.user_id] })).json().code, 'INCIDENT_RESOLVED')
})

t.test('a responder escalates to a step of the policy by hand', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'hand-ben', 'responder')
  for (const id of [ben.user_id, s.acme.user_id]) await method(s, s.acme, id)
  const steps_ = [{ targets: [target(s.acme.user_id)] }, { targets: [target(ben.user_id)] }]
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
  const open = await make(s, { name: 'Open', steps: steps_ })
  const hidden = await make(s, { name: 'Hidden', team_id: team.id, steps: [{ targets: [target(s.acme.user_id)] }] })
  const declared = async (escalation_policy_id: string): Promise<string> =>
    (await s.call(s.acme, 'POST', '/api/v1/incidents', { title: 'Slow', severity: 'critical', escalation_policy_id })).json().id
  const escalated = async (id: string, step: number) => as(s, ben, 'POST', `/api/v1/incidents/${id}/escalate`, { step })
  const incident = await declared(open.id)
  const asked = await escalated(incident, 1)
  t.match([asked.statusCode, asked.json()], [202, { intents: [{ user_id: ben.user_id }] }])
  worker(t, s)
  await stepped(s, incident, 1)
  t.match((await escalated(incident, 1)).json(), { intents: [{ user_id: ben.user_id }] }, 'as the run has it')
  t.match((await escalated(incident, 2)).json().details, [{ path: 'step', rule: 'unknown_step' }])
  const other = await escalated(await declared(hidden.id), 0)
  t.match(other.json().details, [{ path: 'step', rule: 'unknown_step' }], 'a policy that they do not see')
})

/** The owner is on call in a schedule of a private team. */
async function hiddenSchedule(s: Stand): Promise<{ id: string; team_id: string }> {
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Payments', visibility: 'private' })).json()
  const layer = { name: 'Day', participants: [s.acme.user_id], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
  const body = { name: 'Hidden', time_zone: 'UTC', team_id: team.id, layers: [layer] }
  const made = await s.call(s.acme, 'POST', '/api/v1/on-call/schedules', body)
  if (made.statusCode !== 201) throw new Error(made.body)
  return { id: made.json().id, team_id: team.id }
}

t.test('escalating by hand asks whom the targets lead to, also through a hidden schedule', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'through-ben', 'responder')
  await method(s, s.acme, s.acme.user_id)
  const hidden = await hiddenSchedule(s)
  const layer = { name: 'Nobody', participants: [null], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
  const body = { name: 'Open', time_zone: 'UTC', layers: [layer], fallback: { kind: 'schedule', id: hidden.id } }
  const open = (await s.call(s.acme, 'POST', '/api/v1/on-call/schedules', body)).json()
  const { id } = await make(s, { name: 'x', steps: [{ targets: [{ type: 'schedule', id: hidden.id }] }] })
  await asDefault(s, s.acme, id)
  const { incident_id } = await s.incident(s.acme)
  const path = `/api/v1/incidents/${incident_id}/escalate`
  const owner = { intents: [{ user_id: s.acme.user_id, suppressed_by: null }] }
  t.match((await as(s, ben, 'POST', path, { step: 0 })).json(), owner)
  const named = await as(s, ben, 'POST', path, { schedule_ids: [hidden.id] })
  t.match(named.json().details, [{ rule: 'unknown_target' }], 'they cannot name it themselves')
  const page = await as(s, ben, 'POST', '/api/v1/on-call/page', { target: { type: 'schedule', id: open.id }, message: 'Please.' })
  t.match([page.statusCode, page.json()], [201, owner])
})

t.test('a simulation names nobody whom only a hidden target names', async (t) => {
  const s = await stand(t)
  const ben = await person(s, s.acme, 'seeing-ben', 'viewer')
  const chi = await person(s, s.acme, 'hidden-chi', 'responder')
  for (const id of [chi.user_id, s.acme.user_id]) await method(s, s.acme, id)
  const { id: schedule, team_id } = await hiddenSchedule(s)
  await s.call(s.acme, 'PUT', `/api/v1/teams/${team_id}/members/${chi.user_id}`, {})
  const gap = { name: 'Gap', participants: [null], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
  const empty = await s.call(s.acme, 'POST', '/api/v1/on-call/schedules', { name: 'Gap', time_zone: 'UTC', team_id, layers: [gap] })
  const hook = await s.call(s.acme, 'POST', '/api/v1/notifications/channels', {
    ...{ name: 'Hook', kind: 'webhook', config: { url: 'https://hooks.example.com/x' }, team_id }
  })
  t.equal(hook.statusCode, 201, hook.body)
  const steps_ = [
    { targets: [target(s.acme.user_id), { type: 'team', id: team_id }, { type: 'schedule', id: empty.json().id }] },
    {
      targets: [
        { type: 'schedule', id: schedule },
        { type: 'channel', id: hook.json().id }
      ]
    }
  ]
  const { id } = await make(s, { name: 'x', repeat: 0, steps: steps_ })
  const path = `${POLICIES}/${id}/simulate`
  const shown = (answer: Awaited<ReturnType<typeof s.call>>) =>
    answer
      .json()
      .items.map((item: Record<string, { id: string }[]>) => [
        item.outcome,
        ...['users', 'nobody'].map((key) => (item[key] ?? []).map((one) => one.id).sort()),
        item.channels
      ])
  const everybody = [chi.user_id, s.acme.user_id].sort()
  t.same(shown(await s.call(s.acme, 'POST', path, {})), [
    ['fired', everybody, [empty.json().id], []],
    ['fired', [s.acme.user_id], [], [hook.json().id]],
    ['exhausted', [], [], []]
  ])
  const seen = await as(s, ben, 'POST', path, {})
  t.same(shown(seen), [
    ['fired', [s.acme.user_id], [], []],
    ['fired', [], [], []],
    ['exhausted', [], [], []]
  ])
  t.notMatch(seen.body, chi.user_id)
  const far = await as(s, ben, 'POST', path, { at: '9000-01-01T00:00:00Z' })
  t.match([far.statusCode, far.json().details], [422, [{ path: 'at', rule: 'max' }]])
})
