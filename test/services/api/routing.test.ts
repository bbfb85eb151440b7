/**
 * Tests of routing rules over the API: their fields, who sees and changes them, and what is
 * refused.
 */
import t from 'tap'
import { MAX_SET_STEPS } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { loadInForce } from '../../../services/store/routing.ts'
import { channel } from '../notifier/channels.ts'
import { as, audited, type Person, person } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const RULES = '/api/v1/routing-rules'
const TEST = `${RULES}/test`
const NOBODY = '01890000-0000-7000-8000-000000000000'

const ask = (s: Stand, who: Workspace | Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  'cookie' in who
    ? s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), {
        headers: { cookie: who.cookie, origin: 'http://127.0.0.1:8080', ...headers }
      })
    : s.call(who, method, path, body, { headers })

interface Rule {
  id: string
  name: string
  position: number
  version: number
}

async function rule(s: Stand, who: Workspace | Person, body: object): Promise<Rule> {
  const answer = await ask(s, who, 'POST', RULES, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

async function team(s: Stand, who: Workspace | Person, body: object): Promise<string> {
  const answer = await ask(s, who, 'POST', '/api/v1/teams', body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

const list = async (s: Stand, who: Workspace | Person): Promise<{ items: Rule[]; version: number; total: number }> =>
  (await ask(s, who, 'GET', RULES)).json()
const names = async (s: Stand, who: Workspace | Person): Promise<string[]> => (await list(s, who)).items.map(({ name }) => name)

const critical = { field: 'severity', op: 'eq', value: 'critical' }

t.test('routing rules', async (t) => {
  const s = await stand(t)

  await t.test('rules can be created, read, changed, replaced, moved and deleted', async (t) => {
    const home = await s.workspace('plain')
    const empty = await ask(s, home, 'GET', RULES)
    t.equal(empty.headers.etag, '"1"')
    t.match(empty.json(), { total: 1, version: 1, items: [{ name: 'Default', is_default: true, position: 0, enabled: true, actions: {} }] })
    const answer = await ask(s, home, 'POST', RULES, {
      name: 'Database',
      match: { all: [{ field: 'label.service', op: 'eq', value: 'db' }] },
      actions: { priority: 'P1', labels_add: { owner: 'dba' } }
    })
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    t.match(answer.json(), {
      tenant_id: home.tenant_id,
      name: 'Database',
      description: '',
      enabled: true,
      mode: 'live',
      position: 0,
      match: { all: [{ field: 'label.service', op: 'eq', value: 'db' }], any: [], none: [] },
      time_window: null,
      actions: { priority: 'P1', labels_add: { owner: 'dba' } },
      continue: false,
      expires_at: null,
      is_default: false,
      warnings: [],
      version: 1
    })
    const { id } = answer.json()
    const first = await rule(s, home, { name: 'First', position: 0 })
    const last = await rule(s, home, { name: 'Last', position: 99 })
    t.same(await names(s, home), ['First', 'Database', 'Last', 'Default'])
    t.equal((await list(s, home)).version, 4)

    const changed = await ask(s, home, 'PATCH', `${RULES}/${id}`, { enabled: false, actions: { severity: 'info' } })
    t.match(changed.json(), { enabled: false, name: 'Database', actions: { severity: 'info' }, version: 2 })
    t.equal(changed.json().actions.priority, undefined, 'actions as a whole')
    t.equal((await ask(s, home, 'PATCH', `${RULES}/${id}`, { enabled: false })).json().version, 2)
    t.equal((await list(s, home)).version, 5, 'what changes nothing is no version')
    t.match((await ask(s, home, 'PATCH', `${RULES}/${id}`, { position: 0 })).json(), { position: 0, version: 2 })
    t.same(await names(s, home), ['Database', 'First', 'Last', 'Default'])
    t.match((await ask(s, home, 'PATCH', `${RULES}/${id}`, { position: 2 })).json(), { position: 2 })
    const replaced = await ask(s, home, 'PUT', `${RULES}/${id}`, { name: 'Replaced', expires_at: '2030-01-01T00:00:00+01:00' })
    t.match(replaced.json(), { name: 'Replaced', enabled: true, actions: {}, version: 3, expires_at: '2029-12-31T23:00:00.000Z' })

    const order = (ids: string[], version: number) => ask(s, home, 'PUT', `${RULES}/order`, { ids }, { 'if-match': `"${version}"` })
    const { version, items } = await list(s, home)
    const fallback = items.at(-1)?.id ?? ''
    t.equal((await ask(s, home, 'PUT', `${RULES}/order`, { ids: [] })).json().code, 'PRECONDITION_REQUIRED')
    t.match((await order([id, first.id, last.id], version - 1)).json(), { code: 'VERSION_MISMATCH', version })
    for (const ids of [[id], [id, id, first.id], [id, first.id, NOBODY], [fallback, id, first.id, last.id], []])
      t.equal((await order(ids, version)).json().details?.[0].rule, 'not_a_permutation', String(ids))
    const sorted = await order([last.id, id, first.id, fallback], version)
    t.match(sorted.json(), { version: version + 1, items: [{ id: last.id }, { id }, { id: first.id }, { is_default: true }] })
    t.equal(sorted.headers.etag, `"${version + 1}"`)

    t.equal((await ask(s, home, 'DELETE', `${RULES}/${id}`, undefined, { 'if-match': '"1"' })).json().code, 'VERSION_MISMATCH')
    t.equal((await ask(s, home, 'PATCH', `${RULES}/${id}`, { name: 'x' }, { 'if-match': '"9"' })).statusCode, 412)
    t.equal((await ask(s, home, 'DELETE', `${RULES}/${id}`, undefined, { 'if-match': '"3"' })).statusCode, 204)
    t.equal((await ask(s, home, 'GET', `${RULES}/${id}`)).statusCode, 404)
    t.same(await audited(s, home.tenant_id, first.id), ['routing_rule.created'])
    t.same(
      (await audited(s, home.tenant_id, id)).filter((action) => !action.endsWith('updated')),
      ['routing_rule.created', 'routing_rule.deleted']
    )

    const versions = (await ask(s, home, 'GET', `${RULES}/versions?per_page=3`)).json()
    t.match(versions, {
      total: version + 1,
      items: [{ version: version + 2, engine_version: 1, note: 'rule deleted' }, { note: 'ordered' }, {}]
    })
    const restored = await ask(s, home, 'POST', `${RULES}/rollback`, { version: 3 })
    t.match(restored.json(), { version: version + 3, items: [{ name: 'First' }, { name: 'Database', actions: { priority: 'P1' } }, {}] })
    t.equal((await ask(s, home, 'POST', `${RULES}/rollback`, { version: 999 })).statusCode, 404)
    t.equal((await ask(s, home, 'POST', `${RULES}/rollback`, { version: 1 })).json().total, 1, 'to no rules at all')
    t.same(await audited(s, home.tenant_id, home.tenant_id), [
      'workspace.created',
      'routing_rules.ordered',
      'routing_rules.restored',
      'routing_rules.restored'
    ])
  })

  await t.test('the default rule cannot be changed, and saved rules are in force', async (t) => {
    const home = await s.workspace('fixed')
    await rule(s, home, { name: 'Major', match: { all: [critical] }, actions: { is_major: true } })
    const fallback = (await list(s, home)).items.at(-1)
    t.equal((await ask(s, home, 'GET', `${RULES}/${fallback?.id}`)).json().is_default, true)
    for (const [method, body] of [
      ['PATCH', { enabled: false }],
      ['PUT', { name: 'Mine' }],
      ['DELETE', undefined]
    ] as const)
      t.match((await ask(s, home, method, `${RULES}/${fallback?.id}`, body)).json(), { code: 'DEFAULT_RULE' }, method)
    const sets = await transaction(s.systemPool, async (tx) => (await loadInForce(tx, [home.tenant_id])).rules)
    t.match(sets.get(home.tenant_id), { version: 2, rules: [{ rule: { name: 'Major' } }] })
  })

  await t.test('an invalid routing rule is refused with its path and rule', async (t) => {
    const home = await s.workspace('refusals')
    const match = (condition: object) => ({ match: { all: [condition] } })
    const at = 'match.all[0]'
    const bad: [string, object, string][] = [
      ['an unknown field', { field: 'colour', op: 'eq', value: 'x' }, `${at}.field enum`],
      ['what no alert has yet', { field: 'tag', op: 'eq', value: 'x' }, `${at}.field enum`],
      ['no name of a label', { field: 'label.a b', op: 'exists' }, `${at}.field enum`],
      ['an operator that does not fit', { field: 'severity', op: 'contains', value: 'c' }, `${at}.op enum`],
      ['an unknown operator', { field: 'severity', op: 'like', value: 'c' }, `${at}.op enum`],
      ['no value', { field: 'title', op: 'eq' }, `${at}.value required`],
      ['a value too many', { field: 'title', op: 'exists', value: 'x' }, `${at}.value unknown_field`],
      ['a list for eq', { field: 'title', op: 'eq', value: ['x'] }, `${at}.value type`],
      ['a text for in', { field: 'title', op: 'in', value: 'x' }, `${at}.value type`],
      ['an empty list', { field: 'title', op: 'in', value: [] }, `${at}.value type`],
      ['a number in a list of texts', { field: 'title', op: 'in', value: ['x', 5] }, `${at}.value[1] type`],
      ['an unknown severity', { field: 'severity', op: 'gte', value: 'bad' }, `${at}.value enum`],
      ['an unknown kind', { field: 'source.kind', op: 'eq', value: 'rumour' }, `${at}.value enum`],
      ['no id', { field: 'monitor_id', op: 'eq', value: 'shop' }, `${at}.value pattern`],
      ['a team that is not there', { field: 'team_id', op: 'eq', value: NOBODY }, `${at}.value unknown_team`],
      ['an hour too late', { field: 'hour', op: 'eq', value: 24 }, `${at}.value max`],
      ['half a region', { field: 'affected_region_count', op: 'gt', value: 1.5 }, `${at}.value type`],
      ['nothing to look for', { field: 'title', op: 'contains', value: '' }, `${at}.value length`],
      ['look-around', { field: 'title', op: 'matches', value: '(?=a)a' }, `${at}.value unsafe_regex`],
      ['back-references', { field: 'title', op: 'matches', value: '(a)\\1' }, `${at}.value unsafe_regex`],
      ['an expression that grows', { field: 'title', op: 'matches', value: '((a{1,50}){1,50}){1,50}' }, `${at}.value unsafe_regex`],
      ['an expression that is too long', { field: 'title', op: 'matches', value: 'a'.repeat(513) }, `${at}.value length`],
      [
        'no such zone',
        { field: 'hour', op: 'in_window', value: { time_zone: 'Mars/Base', days: [], from: '09:00', to: '10:00' } },
        `${at}.value.time_zone unknown_zone`
      ]
    ]
    for (const [name, condition, fault] of bad) {
      const answer = await ask(s, home, 'POST', RULES, { name: 'x', ...match(condition) })
      const [detail] = answer.json().details ?? []
      t.equal(`${detail?.path} ${detail?.rule}`, fault, `${name}: ${answer.body}`)
    }
    const window = { time_zone: 'Europe/Berlin', days: ['mon'], from: '09:00', to: '17:00' }
    const others: [string, object, string][] = [
      ['no name', {}, 'name required'],
      ['an unknown field', { name: 'x', colour: 1 }, 'colour unknown_field'],
      ['an action that is not built', { name: 'x', actions: { delay_seconds: 5 } }, 'actions.delay_seconds unknown_field'],
      ['no channel', { name: 'x', actions: { channel_ids: [NOBODY] } }, 'actions.channel_ids[0] unknown_channel'],
      [
        'too many channels',
        { name: 'x', actions: { channel_ids: Array.from({ length: 21 }, () => uuidv4()) } },
        'actions.channel_ids length'
      ],
      ['a policy', { name: 'x', actions: { escalation_policy_id: NOBODY } }, 'actions.escalation_policy_id unknown_policy'],
      ['no team', { name: 'x', actions: { team_id: NOBODY } }, 'actions.team_id unknown_team'],
      ['no zone', { name: 'x', time_window: { ...window, time_zone: 'x' } }, 'time_window.time_zone unknown_zone'],
      ['no time', { name: 'x', time_window: { ...window, from: '9:00' } }, 'time_window.from pattern'],
      [
        'a group by what cannot be',
        { name: 'x', actions: { group: { by: ['hour'], window_seconds: 60, max_alerts: 5 } } },
        'actions.group.by[0] enum'
      ],
      ['too many conditions', { name: 'x', match: { all: Array(20).fill(critical), any: Array(11).fill(critical) } }, 'match max']
    ]
    for (const [name, body, fault] of others) {
      const answer = await ask(s, home, 'POST', RULES, body)
      const [detail] = answer.json().details ?? []
      t.equal(`${detail?.path} ${detail?.rule}`, fault, `${name}: ${answer.body}`)
    }
    t.match(await list(s, home), { total: 1, version: 1 }, 'nothing was half done')
    t.equal((await s.call(s.globex, 'GET', `${RULES}/${(await rule(s, home, { name: 'x' })).id}`)).statusCode, 404)
  })

  await t.test('the cost of a rule set and the number of rules in a plan are limited', async (t) => {
    const home = await s.workspace('budget')
    const search = { field: 'description', op: 'matches', value: '(abc|def|ghi){10}' }
    let refused = await ask(s, home, 'POST', RULES, { name: 'x', match: { all: [search] } })
    for (let made = 1; refused.statusCode === 201 && made < 100; made++)
      refused = await ask(s, home, 'POST', RULES, {
        name: 'x',
        match: { all: Array.from({ length: 10 }, (_, at) => ({ ...search, value: `${search.value}${made}.${at}` })) }
      })
    t.equal(refused.statusCode, 422, refused.body)
    t.match(refused.json().details, [{ rule: 'max', path: /^match\.all\[\d\]$/, limit: MAX_SET_STEPS }])
    const free = await s.workspace('budget-free', 'free')
    for (const name of ['1', '2', '3', '4', '5']) await rule(s, free, { name })
    t.match((await ask(s, free, 'POST', RULES, { name: '6' })).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'routing_rules', limit: 5, actual: 5, upgrade_to: 'pro' }]
    })
    t.match((await ask(s, free, 'PATCH', `${RULES}/${(await list(s, free)).items[0]?.id}`, { mode: 'shadow' })).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'shadow_rules', upgrade_to: 'business' }]
    })
    const usage = (await s.call(free, 'GET', '/api/v1/account')).json()
    t.equal(JSON.stringify(usage).includes('"routing_rules":5'), true)
  })

  await t.test('a test finds the last of a thousand rules, and a slow expression gets an answer', async (t) => {
    const home = await s.workspace('thousand')
    const rules = Array.from({ length: 1000 }, (_, at) => ({
      name: `rule ${at}`,
      match: { all: [{ field: 'label.service', op: 'eq', value: `service-${at}` }] },
      actions: { priority: 'P2' }
    }))
    const answer = await ask(s, home, 'POST', TEST, { alert: { title: 'x', labels: { service: 'service-999' } }, rules })
    t.equal(answer.statusCode, 200, answer.body.slice(0, 300))
    t.match(answer.json(), { matched: [/./], outcome: { priority: 'P2' } })
    t.equal(answer.json().trace.length, 1000)
    const over = { rules: [...rules, { match: { all: [{ field: 'title', op: 'matches', value: '(((((a*)*)*)*)*)*b' }] } }] }
    const slow = await ask(s, home, 'POST', TEST, { alert: { title: 'a'.repeat(300) }, ...over })
    t.equal(slow.statusCode, 200, slow.body.slice(0, 300))
    t.same(slow.json().matched, [])
  })

  await t.test('a doubtful routing rule gets warnings', async (t) => {
    const home = await s.workspace('odd')
    const monitor_id = (
      await s.call(home, 'POST', '/api/v1/monitors', { name: 'shop', type: 'http', target: 'https://example.com/' })
    ).json().id
    const warned = async (body: object): Promise<string[]> => {
      const answer = await ask(s, home, 'POST', RULES, { name: 'x', position: 0, ...body })
      const { warnings } = answer.json()
      return warnings?.map(({ code, path }: { code: string; path: string | null }) => `${code} ${path}`) ?? [answer.body]
    }
    const db = { field: 'label.service', op: 'eq', value: 'db' }
    t.same(await warned({ match: { all: [critical] } }), [])
    t.same(await warned({ match: { all: [db, { ...db, value: 'web' }] } }), ['never_matches match'])
    t.same(await warned({ match: { all: [db, { ...db, op: 'not_in', value: ['db'] }] } }), ['never_matches match'])
    t.same(await warned({ match: { all: [db], none: [db] } }), ['never_matches match'])
    t.same(await warned({ match: { all: [{ field: 'severity', op: 'gt', value: 'critical' }] } }), ['never_matches match'])
    t.same(await warned({ expires_at: '2020-01-01T00:00:00Z' }), ['expired expires_at'])
    t.same(await warned({}), ['shadows_all match'])
    t.same(await warned({ continue: true }), [])
    t.same(await warned({ position: 999 }), [], 'the last may match all')
    t.same(await warned({ match: { any: [{ field: 'integration_id', op: 'eq', value: NOBODY }] } }), [
      'unknown_reference match.any[0].value'
    ])
    t.same(await warned({ match: { all: [{ field: 'monitor_id', op: 'eq', value: monitor_id }] } }), [])
    t.equal((await s.call(home, 'DELETE', `/api/v1/monitors/${monitor_id}`)).statusCode < 300, true)
    const { items } = (await ask(s, home, 'GET', RULES)).json()
    t.match(items[0].warnings, [{ code: 'unknown_reference', message: `There is no monitor ${monitor_id}.` }], 'once it is gone')
  })

  await t.test('a test alert shows which rules match, and nothing is saved', async (t) => {
    const home = await s.workspace('tried')
    const own = await team(s, home, { name: 'Payments' })
    const first = await rule(s, home, {
      name: 'Night',
      match: { all: [critical] },
      time_window: { time_zone: 'europe/berlin', days: [], from: '22:00', to: '06:00' },
      continue: true,
      actions: { is_major: true, group: { by: ['label.service', 'label.none'], window_seconds: 300, max_alerts: 9 } }
    })
    const second = await rule(s, home, { name: 'Shadow', mode: 'shadow', actions: { suppress: true } })
    const third = await rule(s, home, { name: 'Payments', actions: { team_id: own, promote: 'never' } })
    const before = (await list(s, home)).version
    const alert = { title: 'Disk full', severity: 'critical', labels: { service: 'db' } }
    const night = (await ask(s, home, 'POST', TEST, { alert, at: '2026-01-05T23:00:00Z' })).json()
    t.match(night, {
      routing_version: before,
      engine_version: 1,
      matched: [first.id, third.id],
      outcome: { team_id: own, is_major: true, promote: false, suppressed_by: null, group: { rule_id: first.id, values: ['db', ''] } },
      would_notify: [],
      trace: [{ outcome: 'matched' }, { rule_id: second.id, mode: 'shadow', outcome: 'matched' }, { outcome: 'matched' }],
      shadow: { matched: [first.id, second.id], outcome: { suppressed_by: second.id, team_id: null } }
    })
    const day = (await ask(s, home, 'POST', TEST, { alert, at: '2026-01-05T12:00:00Z' })).json()
    t.match(day, { matched: [third.id], trace: [{ outcome: 'skipped', reason: 'outside_time_window' }, {}, {}] })
    const draft = [{ name: 'Draft', match: { all: [{ field: 'title', op: 'contains', value: 'memory' }] }, actions: { priority: 'P1' } }]
    const tried = (await ask(s, home, 'POST', TEST, { alert, rules: draft })).json()
    t.match(tried, {
      matched: [],
      trace: [{ name: 'Draft', outcome: 'not_matched', conditions: [{ group: 'all', index: 0, field: 'title', seen: 'Disk full' }] }]
    })
    const bad = [{ ...draft[0] }, { match: { any: [{ field: 'title', op: 'matches', value: '(' }] } }]
    t.match((await ask(s, home, 'POST', TEST, { alert, rules: bad })).json().details, [
      { path: 'rules[1].match.any[0].value', rule: 'unsafe_regex' }
    ])
    t.match((await ask(s, home, 'POST', TEST, { alert_id: NOBODY })).json().code, 'VALIDATION_FAILED')
    t.match((await ask(s, home, 'POST', TEST, { alert: { ...alert, team_id: NOBODY } })).json().details, [
      { path: 'alert.team_id', rule: 'unknown_team' }
    ])
    t.equal((await list(s, home)).version, before, 'nothing is kept')
    const viewer = await person(s, home, 'tried-viewer', 'viewer')
    t.equal((await as(s, viewer, 'POST', TEST, { alert })).statusCode, 200)
    t.equal((await as(s, viewer, 'POST', RULES, { name: 'x' })).statusCode, 403)
    t.same(
      (await as(s, viewer, 'GET', RULES)).json().items.map(({ name }: Rule) => name),
      ['Night', 'Shadow', 'Payments', 'Default']
    )
  })

  await t.test('a rule that names a private team is hidden from outsiders', async (t) => {
    const home = await s.workspace('private')
    const lead = await person(s, home, 'routing-lead', 'editor')
    const member = await person(s, home, 'routing-member', 'editor')
    const outsider = await person(s, home, 'routing-outsider', 'editor')
    const admin = await person(s, home, 'routing-admin', 'admin')
    const secret = await team(s, lead, { name: 'Security', visibility: 'private' })
    await as(s, lead, 'PUT', `/api/v1/teams/${secret}/members/${member.user_id}`, {})
    const toSecret = { match: { all: [{ field: 'label.leak', op: 'exists' }] }, actions: { team_id: secret } }
    const a = await rule(s, outsider, { name: 'a', match: { all: [critical] } })
    const hidden = await rule(s, lead, { name: 'hidden', ...toSecret })
    const byCondition = await rule(s, admin, { name: 'condition', match: { none: [{ field: 'team_id', op: 'in', value: [secret] }] } })
    const b = await rule(s, outsider, { name: 'b', match: { all: [critical] } })
    t.same(await names(s, outsider), ['a', 'b', 'Default'])
    t.same(await names(s, member), ['a', 'hidden', 'condition', 'b', 'Default'])
    t.match((await list(s, outsider)).items, [{ position: 0 }, { position: 1 }, { position: 2 }])

    for (const id of [hidden.id, byCondition.id]) {
      for (const method of ['GET', 'PATCH', 'DELETE'] as const)
        t.equal((await as(s, outsider, method, `${RULES}/${id}`, method === 'PATCH' ? { name: 'x' } : undefined)).statusCode, 404)
      t.equal((await as(s, member, 'GET', `${RULES}/${id}`)).statusCode, 200)
      t.equal((await as(s, member, 'PATCH', `${RULES}/${id}`, { name: 'x' })).json().code, 'FORBIDDEN')
      t.equal((await as(s, member, 'DELETE', `${RULES}/${id}`)).json().code, 'FORBIDDEN')
    }
    t.equal((await as(s, lead, 'PATCH', `${RULES}/${hidden.id}`, { description: 'by a lead' })).statusCode, 200)
    t.equal((await as(s, admin, 'PATCH', `${RULES}/${hidden.id}`, { description: 'by an admin' })).statusCode, 200)
    t.match((await as(s, outsider, 'POST', RULES, { name: 'x', ...toSecret })).json().details, [
      { path: 'actions.team_id', rule: 'unknown_team' }
    ])
    t.equal((await as(s, member, 'POST', RULES, { name: 'x', ...toSecret })).json().code, 'FORBIDDEN')

    const probe = { alert: { title: 'x', labels: { leak: '1' } } }
    t.match((await as(s, lead, 'POST', TEST, probe)).json(), { matched: [hidden.id], outcome: { team_id: secret } })
    const seen = await as(s, outsider, 'POST', TEST, probe)
    t.match(seen.json(), { matched: [], outcome: { team_id: null } })
    t.equal(seen.body.includes(secret) || seen.body.includes(hidden.id), false)
    for (const team_id of [secret, NOBODY])
      t.match((await as(s, outsider, 'POST', TEST, { ...probe, rules: [{ actions: { team_id } }] })).json().details, [
        { path: 'rules[0].actions.team_id', rule: 'unknown_team' }
      ])

    const { version } = await list(s, outsider)
    const order = { ids: [b.id, a.id] }
    t.equal((await ask(s, outsider, 'PUT', `${RULES}/order`, order, { 'if-match': `"${version}"` })).statusCode, 200)
    t.same(await names(s, admin), ['b', 'hidden', 'condition', 'a', 'Default'], 'what is hidden keeps its place')
    t.equal((await as(s, outsider, 'DELETE', `${RULES}/${a.id}`)).statusCode, 204)
    t.equal((await as(s, outsider, 'POST', `${RULES}/rollback`, { version: 2 })).statusCode, 200)
    t.same(await names(s, admin), ['a', 'hidden', 'condition', 'Default'], 'and nobody else takes it back')
    t.equal((await as(s, admin, 'POST', `${RULES}/rollback`, { version: 3 })).statusCode, 200)
    t.same(await names(s, admin), ['a', 'hidden', 'Default'])

    const { version: named } = await list(s, admin)
    t.equal((await as(s, lead, 'PATCH', `${RULES}/${hidden.id}`, { actions: { team_id: null } })).statusCode, 200)
    t.equal((await as(s, outsider, 'POST', `${RULES}/rollback`, { version: named })).statusCode, 200)
    t.same(await names(s, admin), ['a', 'hidden', 'Default'], 'a rule that named a hidden team then stays as it is now')
    t.match((await list(s, admin)).items[1], { name: 'hidden', actions: { team_id: null } })
    t.equal((await as(s, lead, 'PATCH', `${RULES}/${hidden.id}`, toSecret)).statusCode, 200)

    const inUse = await as(s, lead, 'DELETE', `/api/v1/teams/${secret}`)
    t.match(inUse.json(), { code: 'IN_USE', details: [{ path: 'routing_rules', actual: 1 }] })
  })

  await t.test('a rule keeps a policy and channels that the one who edits it does not see', async (t) => {
    const home = await s.workspace('kept-policy')
    const outsider = await person(s, home, 'kept-outsider', 'editor')
    const secret = await team(s, home, { name: 'Security', visibility: 'private' })
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await ask(s, home, 'POST', `/api/v1/${path}`, body)
      if (answer.statusCode !== 201) throw new Error(answer.body)
      return answer.json().id
    }
    const steps = [{ targets: [{ type: 'user', id: home.user_id }] }]
    const [policy, other] = [
      await make('on-call/escalation-policies', { name: 'Hidden', team_id: secret, steps }),
      await make('on-call/escalation-policies', { name: 'Other hidden', team_id: secret, steps })
    ]
    const hooked = async () => await channel(s, home, { kind: 'webhook', team_id: secret })
    const [hook, otherHook] = [await hooked(), await hooked()]
    const actions = { escalation_policy_id: policy, channel_ids: [hook] }
    const { id } = await rule(s, home, { name: 'Shared', match: { all: [critical] }, actions })
    const edit = (body: object) => as(s, outsider, 'PATCH', `${RULES}/${id}`, body)
    const now = async () => (await ask(s, home, 'GET', `${RULES}/${id}`)).json()

    const turned = await edit({ enabled: false })
    t.match([turned.statusCode, turned.json()], [200, { enabled: false, actions: { escalation_policy_id: null } }])
    t.match(await now(), { enabled: false, actions })
    const back = await edit({ actions: { ...turned.json().actions, priority: 'P2' } })
    t.equal(back.statusCode, 200, back.body)
    t.match(await now(), { actions: { ...actions, priority: 'P2' } }, 'what was read can be written back')
    const put = { name: 'Shared', match: { all: [critical] }, actions: { escalation_policy_id: null, channel_ids: [hook] } }
    t.equal((await as(s, outsider, 'PUT', `${RULES}/${id}`, put)).statusCode, 200)
    t.match(await now(), { actions })
    for (const [given, path] of [
      [{ escalation_policy_id: other }, 'actions.escalation_policy_id'],
      [{ channel_ids: [hook, otherHook] }, 'actions.channel_ids[1]']
    ] as const)
      t.match((await edit({ actions: given })).json().details, [{ path }])
    t.equal((await edit({ actions: {} })).statusCode, 200)
    t.same((await now()).actions, {}, 'actions are replaced as a whole')
  })

  await t.test('a rule cannot take alerts away from a private team', async (t) => {
    const home = await s.workspace('kept')
    const lead = await person(s, home, 'kept-lead', 'editor')
    const outsider = await person(s, home, 'kept-outsider', 'editor')
    const secret = await team(s, lead, { name: 'Security' })
    const open = await team(s, outsider, { name: 'Open' })
    await rule(s, outsider, { name: 'Mine', actions: { team_id: open } })
    const moved = async () => {
      const set = (await transaction(s.systemPool, async (tx) => (await loadInForce(tx, [home.tenant_id])).rules)).get(home.tenant_id)
      return set?.private_team_ids.has(secret)
    }
    t.equal(await moved(), false)
    const sample = { alert: { title: 'x', team_id: secret } }
    t.equal((await as(s, lead, 'POST', TEST, sample)).json().outcome.team_id, open, 'an open team shares')
    t.equal((await as(s, lead, 'PATCH', `/api/v1/teams/${secret}`, { visibility: 'private' })).statusCode, 200)
    t.equal(await moved(), true, 'at once, in a version of its own')
    t.match((await as(s, lead, 'POST', TEST, sample)).json(), { outcome: { team_id: secret }, trace: [{ team_kept: true }] })
    const second = await team(s, lead, { name: 'Second', visibility: 'private' })
    const set = await tenantTransaction(
      s.tenantPool,
      wholeWorkspace(home.tenant_id),
      async (tx) => (await loadInForce(tx, [home.tenant_id])).rules
    )
    t.equal(set.get(home.tenant_id)?.private_team_ids.has(second), true)
    t.equal((await list(s, outsider)).version, 4)
  })
})
