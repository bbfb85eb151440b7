/**
 * Tests of pattern silences over the API: their fields, who sees and changes them, and what they
 * hold.
 */
import t from 'tap'
import type { AlertDetail } from '../../../schemas/http/alerts.ts'
import { MAX_SILENCES, type SilenceDetail } from '../../../schemas/http/silences.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { forgetSilences, loadSilences } from '../../../services/store/silences.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { audited, type Person, person } from './people.ts'
import { ORIGIN, type Stand, stand, type Workspace } from './stand.ts'

const SILENCES = '/api/v1/silences'
const NOBODY = '01890000-0000-7000-8000-000000000000'
const HOUR = 3_600_000
const DAY = 24 * HOUR

const ask = (s: Stand, who: Workspace | Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  'cookie' in who
    ? s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), {
        headers: { cookie: who.cookie, origin: ORIGIN, ...headers }
      })
    : s.call(who, method, path, body, { headers })

const later = (ms: number): string => new Date(Date.now() + ms).toISOString()
const disk = { field: 'title', op: 'contains', value: 'Disk' }
const plain = () => ({ matchers: [disk], comment: 'Disks are replaced', ends_at: later(HOUR) })

async function silence(s: Stand, who: Workspace | Person, body: object = {}): Promise<SilenceDetail> {
  const answer = await ask(s, who, 'POST', SILENCES, { ...plain(), ...body })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

async function team(s: Stand, who: Workspace | Person, body: object): Promise<string> {
  const answer = await ask(s, who, 'POST', '/api/v1/teams', body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Makes a silence look as if it was created so long ago. */
const age = (s: Stand, id: string, ms: number) =>
  s.systemPool.query(
    `UPDATE silences SET starts_at = starts_at - make_interval(secs => $2), ends_at = ends_at - make_interval(secs => $2),
            expired_at = expired_at - make_interval(secs => $2) WHERE silence_id = $1`,
    [id, ms / 1000]
  )

const heldBy = async (s: Stand, who: Workspace | Person, incident_id: string) =>
  (await ask(s, who, 'GET', `/api/v1/incidents/${incident_id}`)).json().held_by

t.test('silences', async (t) => {
  const s = await stand(t)

  await t.test('a silence can be created, read, changed and ended', async (t) => {
    const home = await s.workspace('plain')
    const { ends_at } = plain()
    const answer = await ask(s, home, 'POST', SILENCES, { ...plain(), ends_at })
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    const made: SilenceDetail = answer.json()
    t.match(made, {
      tenant_id: home.tenant_id,
      matchers: [disk],
      comment: 'Disks are replaced',
      ends_at,
      expired_at: null,
      state: 'active',
      scope: 'notifications',
      created_by: `token:${home.token_id}`,
      warnings: [],
      version: 1
    })
    const path = `${SILENCES}/${made.id}`
    t.same((await ask(s, home, 'GET', path)).json(), made)
    t.same((await ask(s, home, 'GET', `${SILENCES}/${made.id.toUpperCase()}`)).json(), made)

    const changed = await ask(s, home, 'PATCH', path, { comment: 'Still', ends_at: later(2 * HOUR) }, { 'if-match': '"1"' })
    t.match(changed.json(), { comment: 'Still', matchers: [disk], starts_at: made.starts_at, version: 2 })
    t.equal((await ask(s, home, 'PATCH', path, { comment: 'Still' })).json().version, 2, 'what changes nothing is no version')
    t.match((await ask(s, home, 'PATCH', path, { comment: 'x' }, { 'if-match': '"1"' })).json(), { code: 'VERSION_MISMATCH', version: 2 })
    t.equal((await ask(s, home, 'DELETE', path, undefined, { 'if-match': '"1"' })).statusCode, 412)
    t.match((await ask(s, home, 'PATCH', path, { starts_at: later(HOUR / 2) })).json(), { state: 'pending', version: 3 })
    t.match((await ask(s, home, 'PATCH', path, { starts_at: later(-HOUR) })).json(), { state: 'active', version: 4 })

    t.equal((await ask(s, home, 'DELETE', path)).statusCode, 204)
    t.match((await ask(s, home, 'GET', path)).json(), { state: 'expired', expired_at: /Z$/, version: 5 })
    t.match((await ask(s, home, 'PATCH', path, { comment: 'x' })).json(), { code: 'CONFLICT' })
    t.equal((await ask(s, home, 'DELETE', path)).statusCode, 204, 'again')
    t.match((await ask(s, home, 'GET', path)).json(), { version: 5 })
    t.same(await audited(s, home.tenant_id, made.id), [
      'silence.created',
      'silence.updated',
      'silence.updated',
      'silence.updated',
      'silence.expired'
    ])
    t.equal((await ask(s, home, 'GET', `${SILENCES}/${NOBODY}`)).statusCode, 404)
    t.equal((await ask(s, s.globex, 'GET', path)).statusCode, 404)
  })

  await t.test('silences are listed by state and removed 90 days after their end', async (t) => {
    const home = await s.workspace('states')
    const pending = await silence(s, home, { starts_at: later(HOUR), ends_at: later(3 * HOUR), comment: 'pending' })
    await silence(s, home, { comment: 'active' })
    const ended = await silence(s, home, { comment: 'ended' })
    const passed = await silence(s, home, { comment: 'passed' })
    await age(s, passed.id, 2 * HOUR)
    await ask(s, home, 'DELETE', `${SILENCES}/${ended.id}`)
    const listed = async (query = ''): Promise<string[]> =>
      (await ask(s, home, 'GET', `${SILENCES}${query}`)).json().items.map((one: SilenceDetail) => `${one.comment} ${one.state}`)
    t.same(await listed(), ['pending pending', 'ended expired', 'active active', 'passed expired'])
    t.same(await listed('?state=active'), ['active active'])
    t.same(await listed('?state=pending&state=active'), ['pending pending', 'active active'])
    t.same(await listed('?state=expired'), ['ended expired', 'passed expired'])
    t.match((await ask(s, home, 'GET', `${SILENCES}?per_page=1&page=2`)).json(), { total: 4, total_pages: 4, items: [{ id: ended.id }] })
    t.equal((await ask(s, home, 'GET', `${SILENCES}?state=asleep`)).statusCode, 422)
    t.match((await ask(s, home, 'PATCH', `${SILENCES}/${passed.id}`, { ends_at: later(HOUR) })).json(), { code: 'CONFLICT' })
    await age(s, pending.id, 2 * HOUR)
    t.same(await listed('?state=pending&state=active'), ['active active', 'pending active'], 'it has begun')

    for (const { id } of [passed, ended]) await age(s, id, 89 * DAY)
    t.equal(await forgetSilences(s.systemPool), 0)
    for (const { id } of [passed, ended]) await age(s, id, DAY)
    t.equal(await forgetSilences(s.systemPool), 2)
    t.same(await listed(), ['active active', 'pending active'])
  })

  await t.test('an invalid silence is refused with its path and rule', async (t) => {
    const home = await s.workspace('refusals')
    const team_id = await team(s, home, { name: 'Gone' })
    await ask(s, home, 'DELETE', `/api/v1/teams/${team_id}`)
    const matchers = (...some: object[]) => ({ matchers: some })
    const bad: [string, object, string][] = [
      ['no matchers', { matchers: undefined }, 'matchers required'],
      ['empty matchers', { matchers: [] }, 'matchers length'],
      ['too many', { matchers: Array(31).fill(disk) }, 'matchers length'],
      ['an unknown field', matchers(disk, { field: 'colour', op: 'eq', value: 'x' }), 'matchers[1].field enum'],
      ['an operator that does not fit', matchers({ field: 'severity', op: 'contains', value: 'c' }), 'matchers[0].op enum'],
      ['no value', matchers({ field: 'title', op: 'eq' }), 'matchers[0].value required'],
      ['nothing to look for', matchers({ field: 'title', op: 'contains', value: '' }), 'matchers[0].value length'],
      ['look-around', matchers({ field: 'title', op: 'matches', value: '(?=a)a' }), 'matchers[0].value unsafe_regex'],
      ['a team that is not there', matchers({ field: 'team_id', op: 'eq', value: NOBODY }), 'matchers[0].value unknown_team'],
      ['a team that is deleted', matchers(disk, { field: 'team_id', op: 'ne', value: team_id }), 'matchers[1].value unknown_team'],
      ['no comment', { comment: undefined }, 'comment required'],
      ['a blank comment', { comment: ' ' }, 'comment pattern'],
      ['no end', { ends_at: undefined }, 'ends_at required'],
      ['an end that is no time', { ends_at: 'tomorrow' }, 'ends_at pattern'],
      ['an end that has passed', { ends_at: later(-1000) }, 'ends_at empty_interval'],
      ['an end before the beginning', { starts_at: later(2 * HOUR) }, 'ends_at empty_interval'],
      ['too long', { ends_at: later(90 * DAY + HOUR) }, 'ends_at max'],
      ['too far ahead', { starts_at: later(400 * DAY), ends_at: later(401 * DAY) }, 'starts_at max'],
      ['another field', { scope: 'notifications' }, 'scope unknown_field']
    ]
    for (const [name, body, fault] of bad)
      for (const query of ['', '?preview=true']) {
        const answer = await ask(s, home, 'POST', `${SILENCES}${query}`, { ...plain(), ...body })
        const [detail] = answer.json().details ?? []
        t.equal(`${answer.statusCode} ${detail?.path} ${detail?.rule}`, `422 ${fault}`, `${name}${query}: ${answer.body}`)
      }
    t.match((await ask(s, home, 'GET', SILENCES)).json(), { total: 0 })
    const { id } = await silence(s, home)
    for (const [name, body, fault] of bad.filter(([, given]) => !Object.values(given).includes(undefined))) {
      const [detail] = (await ask(s, home, 'PATCH', `${SILENCES}/${id}`, body)).json().details ?? []
      t.equal(`${detail?.path} ${detail?.rule}`, fault, `changed to ${name}`)
    }
    t.match((await ask(s, home, 'GET', `${SILENCES}/${id}`)).json(), { version: 1 })
    t.equal((await silence(s, home, { ends_at: later(90 * DAY - 1000) })).state, 'active', 'as long as it may be')
  })

  await t.test('a doubtful silence gets warnings', async (t) => {
    const home = await s.workspace('odd')
    const critical = { field: 'severity', op: 'eq', value: 'critical' }
    const never = [critical, { ...critical, value: 'info' }]
    const gone = { field: 'monitor_id', op: 'eq', value: NOBODY }
    t.match(await silence(s, home, { matchers: never }), { warnings: [{ code: 'never_matches', path: 'matchers' }] })
    const { id, warnings } = await silence(s, home, { matchers: [critical, gone] })
    t.match(warnings, [{ code: 'unknown_reference', path: 'matchers[1].value' }])
    t.same((await ask(s, home, 'GET', `${SILENCES}/${id}`)).json().warnings, warnings)
    t.match((await ask(s, home, 'GET', SILENCES)).json().items, [{ warnings }, { warnings: [{ code: 'never_matches' }] }])
    const preview = await ask(s, home, 'POST', `${SILENCES}?preview=true`, { ...plain(), matchers: never })
    t.match(preview.json(), { total: 0, warnings: [{ code: 'never_matches' }] })
  })

  await t.test('the number of silences and the cost of their matchers are limited', async (t) => {
    const home = await s.workspace('limits')
    const search = (from: number) =>
      Array.from({ length: 30 }, (_, at) => ({ field: 'description', op: 'contains', value: `${from} ${at}` }))
    let refused = await ask(s, home, 'POST', SILENCES, { ...plain(), matchers: search(0) })
    for (let made = 1; refused.statusCode === 201 && made < 20; made++)
      refused = await ask(s, home, 'POST', SILENCES, { ...plain(), matchers: search(made) })
    t.match(refused.json(), { code: 'VALIDATION_FAILED', details: [{ rule: 'max', path: /^matchers\[\d+\]$/ }] })
    await s.systemPool.query('UPDATE silences SET expired_at = now() WHERE tenant_id = $1', [home.tenant_id])
    await s.systemPool.query(
      `INSERT INTO silences (tenant_id, silence_id, matchers, comment, starts_at, ends_at, created_by)
       SELECT $1, gen_random_uuid(), $2, 'many', now(), now() + interval '1 hour', 'user:x' FROM generate_series(1, $3)`,
      [home.tenant_id, JSON.stringify([disk]), MAX_SILENCES]
    )
    t.match((await ask(s, home, 'POST', SILENCES, plain())).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ rule: 'limit', limit_key: 'silences', limit: MAX_SILENCES, actual: MAX_SILENCES }]
    })
    const { items } = (await ask(s, home, 'GET', `${SILENCES}?state=active&per_page=1`)).json()
    t.equal((await ask(s, home, 'PATCH', `${SILENCES}/${items[0].id}`, { matchers: [disk, disk] })).statusCode, 200, 'one is changed')
    t.equal((await ask(s, home, 'DELETE', `${SILENCES}/${items[0].id}`)).statusCode, 204)
    t.equal((await ask(s, home, 'POST', SILENCES, plain())).statusCode, 201, 'there is room again')

    const small = await s.workspace('small', 'free')
    for (let made = 0; made < 10; made++) await silence(s, small)
    t.match((await ask(s, small, 'POST', SILENCES, plain())).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'silences', limit: 10, actual: 10, upgrade_to: 'pro' }]
    })
    const usage = (await ask(s, small, 'GET', '/api/v1/workspace/usage')).json()
    t.match(
      usage.limits.find(({ key }: { key: string }) => key === 'silences'),
      { used: 10, limit: 10 }
    )
  })

  await t.test('viewers and editors read silences, responders also write them, and billing does neither', async (t) => {
    const home = await s.workspace('rights')
    const { id } = await silence(s, home)
    for (const [role, reads, writes] of [
      ['viewer', 200, 403],
      ['editor', 200, 403],
      ['responder', 200, 201],
      ['billing', 403, 403]
    ] as const) {
      const who = await person(s, home, `rights-${role}`, role)
      for (const path of [SILENCES, `${SILENCES}/${id}`]) t.equal((await ask(s, who, 'GET', path)).statusCode, reads, `${role} reads`)
      const made = await ask(s, who, 'POST', SILENCES, plain())
      t.equal(made.statusCode, writes, `${role} makes: ${made.body}`)
      t.equal((await ask(s, who, 'POST', `${SILENCES}?preview=true`, plain())).statusCode, writes === 201 ? 200 : 403, `${role} tries`)
      t.equal(
        (await ask(s, who, 'PATCH', `${SILENCES}/${id}`, { comment: role })).statusCode,
        writes === 201 ? 200 : 403,
        `${role} changes`
      )
      if (writes === 201) t.equal(made.json().created_by, `user:${who.user_id}`)
      else t.equal((await ask(s, who, 'DELETE', `${SILENCES}/${id}`)).statusCode, 403, `${role} ends`)
    }
  })

  await t.test('a preview lists the alerts that match now, and nothing is saved', async (t) => {
    const home = await s.workspace('preview')
    for (let at = 0; at < 52; at++) await s.signal(home, { title: `Disk ${at}` })
    const kept = await s.keptAlert(home, { title: 'Disk kept' })
    await s.signal(home, { title: 'Memory' })
    const { incident_id } = await s.incident(home, { title: 'Disk of yesterday' })
    await ask(s, home, 'POST', `/api/v1/incidents/${incident_id}/resolve`, {})
    const answer = await ask(s, home, 'POST', `${SILENCES}?preview=true`, { ...plain(), starts_at: later(HOUR / 2) })
    t.equal(answer.statusCode, 200, answer.body.slice(0, 300))
    const { alerts, ...rest } = answer.json()
    t.same(rest, { total: 53, complete: true, warnings: [] })
    t.equal(alerts.length, 50)
    t.equal(alerts[0].id, kept)
    t.ok(alerts.every(({ title, suppressed_by }: AlertDetail) => title.startsWith('Disk') && suppressed_by === null))
    t.match((await ask(s, home, 'GET', SILENCES)).json(), { total: 0 })
    t.equal((await s.systemPool.query("SELECT FROM audit WHERE tenant_id = $1 AND object_type = 'silence'", [home.tenant_id])).rowCount, 0)
  })

  await t.test('incidents and alerts show every silence and rule that holds them', async (t) => {
    const home = await s.workspace('held')
    const rule_id = '01890000-0000-7000-8000-0000000000f1'
    await s.rules(home, [ruleOf(rule_id, { match: { all: [{ field: 'label.quiet', op: 'exists' }] }, actions: { suppress: true } })])
    const { incident_id } = await s.incident(home, { title: 'Disk full', labels: { quiet: 'yes' } })
    const rule = { kind: 'rule', id: rule_id, until: null }
    t.same(await heldBy(s, home, incident_id), [rule])
    const alert = async () => (await ask(s, home, 'GET', `/api/v1/alerts/${incident_id}`)).json().suppressed_by
    t.same(await alert(), { kind: 'rule', id: rule_id })

    const made = await silence(s, home)
    const matched = { kind: 'matcher_silence', id: made.id, until: made.ends_at }
    await silence(s, home, { matchers: [{ field: 'title', op: 'eq', value: 'Memory' }] })
    t.same(await heldBy(s, home, incident_id), [matched, rule])
    t.same(await alert(), { kind: 'silence', id: made.id })
    const silenced = (await ask(s, home, 'POST', `/api/v1/incidents/${incident_id}/silence`, { duration_minutes: 5 })).json()
    const own = { kind: 'silence', id: incident_id, until: silenced.silenced_until }
    t.same(silenced.held_by, [own, matched, rule], 'in the answer of an action')
    t.match((await ask(s, home, 'GET', '/api/v1/incidents')).json().items, [{ held_by: [own, matched, rule] }])
    t.match((await ask(s, home, 'PATCH', `/api/v1/incidents/${incident_id}`, { title: 'Memory' })).json(), {
      held_by: [own, matched, rule]
    })
    for (const path of ['/api/v1/alerts', `/api/v1/incidents/${incident_id}/alerts`])
      t.match((await ask(s, home, 'GET', path)).json().items, [{ suppressed_by: { kind: 'silence', id: made.id } }], path)
    const declared = await ask(s, home, 'POST', '/api/v1/incidents', { title: 'Disk again', severity: 'info' })
    t.match(declared.json(), { held_by: [matched] })

    await ask(s, home, 'DELETE', `${SILENCES}/${made.id}`)
    t.same(await heldBy(s, home, incident_id), [own, rule])
    t.same((await ask(s, home, 'POST', `/api/v1/incidents/${incident_id}/resolve`, {})).json().held_by, [rule])
    t.same(
      (await tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => loadSilences(tx, home.tenant_id, Date.now())))
        .silences,
      []
    )
  })

  await t.test('silenced incidents are counted separately, and lists can be filtered by them', async (t) => {
    const home = await s.workspace('counted')
    const titled = async (title: string): Promise<string> => (await s.incident(home, { title })).incident_id
    const [waiting, acknowledged, muted, matched, ended] = [
      await titled('Memory'),
      await titled('Network'),
      await titled('Fan'),
      await titled('Disk full'),
      await titled('Disk of yesterday')
    ]
    await ask(s, home, 'POST', `/api/v1/incidents/${acknowledged}/acknowledge`, {})
    await ask(s, home, 'POST', `/api/v1/incidents/${muted}/silence`, { duration_minutes: 5 })
    await ask(s, home, 'POST', `/api/v1/incidents/${ended}/resolve`, {})
    const list = async (query: string) => (await ask(s, home, 'GET', `/api/v1/incidents?${query}`)).json()
    const ids = async (query: string): Promise<string[]> => (await list(query)).items.map(({ id }: { id: string }) => id).sort()

    t.same((await list('include=counts&per_page=1')).counts, { ongoing: 4, needs_someone: 2, silenced: 1, acknowledged: 1 })
    const made = await silence(s, home)
    t.same((await list('include=counts&status=resolved')).counts, { ongoing: 4, needs_someone: 1, silenced: 2, acknowledged: 1 })
    t.equal((await list('per_page=1')).counts, undefined, 'who does not ask is not told')
    t.same(await ids('silenced=true'), [muted, matched].sort())
    t.same(await ids('silenced=false'), [waiting, acknowledged, ended].sort())
    t.same(await ids('silenced=false&dashboard_state=Triggered'), [waiting])
    t.equal((await list('silenced=false&dashboard_state=Triggered&per_page=1')).total, 1)

    await ask(s, home, 'POST', `/api/v1/incidents/${matched}/acknowledge`, {})
    t.match((await list('include=counts')).counts, { silenced: 1, acknowledged: 2 }, 'somebody has it: silenced or not')
    await ask(s, home, 'DELETE', `${SILENCES}/${made.id}`)
    await ask(s, home, 'DELETE', `/api/v1/incidents/${muted}/silence`)
    t.same((await list('include=counts')).counts, { ongoing: 4, needs_someone: 2, silenced: 0, acknowledged: 2 })
  })

  await t.test('a silence holds alerts of a private team only if it names the team', async (t) => {
    const home = await s.workspace('teams')
    const lead = await person(s, home, 'si-lead', 'editor')
    const member = await person(s, home, 'si-member', 'responder')
    const outsider = await person(s, home, 'si-outsider', 'responder')
    const closed = await team(s, lead, { name: 'Closed', visibility: 'private' })
    const open = await team(s, lead, { name: 'Open' })
    await ask(s, lead, 'PUT', `/api/v1/teams/${closed}/members/${member.user_id}`, {})
    const { incident_id: hidden } = await s.incident(home, { title: 'Disk of the closed', team_id: closed })
    const { incident_id: shown } = await s.incident(home, { title: 'Disk of the open', team_id: open })
    const naming = (op: string, team_id: string) => ({ matchers: [disk, { field: 'team_id', op, value: team_id }] })

    for (const op of ['eq', 'ne']) {
      const answer = await ask(s, outsider, 'POST', SILENCES, { ...plain(), ...naming(op, closed) })
      t.match(answer.json().details, [{ path: 'matchers[1].value', rule: 'unknown_team' }])
    }
    const wide = await silence(s, outsider)
    t.match(await heldBy(s, outsider, shown), [{ id: wide.id }])
    t.same(await heldBy(s, member, hidden), [], 'nobody mutes what they do not see')
    t.equal((await ask(s, outsider, 'POST', `${SILENCES}?preview=true`, plain())).json().total, 1)
    t.equal((await ask(s, member, 'POST', `${SILENCES}?preview=true`, plain())).json().total, 1, 'and no one without naming the team')
    t.equal((await ask(s, member, 'POST', `${SILENCES}?preview=true`, { ...plain(), ...naming('eq', closed) })).json().total, 1)

    const own = await silence(s, member, naming('eq', closed))
    const others = await silence(s, member, naming('ne', closed))
    t.match(await heldBy(s, member, hidden), [{ kind: 'matcher_silence', id: own.id }])
    t.match(await heldBy(s, home, shown), [{ id: wide.id }, { id: others.id }])
    t.match(await heldBy(s, outsider, shown), [{ id: wide.id }], 'what they must not see is not named to them')
    t.equal((await heldBy(s, outsider, shown)).length, 1)
    for (const { id } of [own, others])
      for (const [method, body] of [['GET'], ['PATCH', { comment: 'mine' }], ['DELETE']] as const)
        t.equal((await ask(s, outsider, method, `${SILENCES}/${id}`, body)).statusCode, 404, method)
    t.match((await ask(s, outsider, 'GET', SILENCES)).json(), { total: 1, items: [{ id: wide.id }] })
    t.equal((await ask(s, member, 'GET', SILENCES)).json().total, 3)
    const widened = await ask(s, outsider, 'PATCH', `${SILENCES}/${wide.id}`, naming('eq', closed))
    t.match(widened.json().details, [{ rule: 'unknown_team' }])

    const ofOpen = await silence(s, outsider, naming('eq', open))
    await ask(s, lead, 'PATCH', `/api/v1/teams/${open}`, { visibility: 'private' })
    t.equal((await ask(s, outsider, 'GET', `${SILENCES}/${ofOpen.id}`)).statusCode, 404, 'it turned private')
    t.match(await heldBy(s, lead, shown), [{ id: ofOpen.id }], 'which is held by what names it, and by nothing else')
    t.equal((await heldBy(s, lead, shown)).length, 1)
    await ask(s, home, 'POST', `/api/v1/incidents/${shown}/resolve`, {})
    t.equal((await ask(s, home, 'DELETE', `/api/v1/teams/${open}`)).statusCode, 204)
    t.equal((await ask(s, home, 'PATCH', `${SILENCES}/${ofOpen.id}`, { comment: 'Once' })).statusCode, 200, 'a team that was known once')
  })
})
