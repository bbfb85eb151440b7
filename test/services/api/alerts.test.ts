/**
 * Tests of alerts over the API: lists, one alert, groups, and the actions of people on one alert of
 * a group.
 */
import t from 'tap'
import type { AlertDetail } from '../../../schemas/http/alerts.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { replayAlert, type StoredChange } from '../../../streams/incident/replay.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { as, audited, person } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const RULE = '01890000-0000-7000-8000-0000000000f1'
const grouped: StoredRule = ruleOf(RULE, {
  match: { all: [{ field: 'label.service', op: 'exists' }] },
  actions: { group: { by: ['label.service'], window_seconds: 3600, max_alerts: 100 } }
})
const never: StoredRule = ruleOf(uuidv4(), {
  match: { all: [{ field: 'label.env', op: 'eq', value: 'test' }] },
  actions: { promote: 'never' }
})

const list = async (s: Stand, who: Workspace, query = ''): Promise<AlertDetail[]> =>
  (await s.call(who, 'GET', `/api/v1/alerts?per_page=100${query}`)).json().items

/** Fires one alert of the group for each of `names`. Returns the alerts, oldest first. */
async function fires(s: Stand, who: Workspace, service: string, names: readonly string[]): Promise<AlertDetail[]> {
  for (const name of names)
    await s.signal(who, { dedup_key: `int:${who.integration_id}:${service}-${name}`, title: `${name} of ${service}`, labels: { service } })
  return (await list(s, who, `&label.service=${service}`)).reverse()
}

t.test('alerts over the API', async (t) => {
  const s = await stand(t)
  const { acme } = s
  await s.rules(acme, [never, grouped])
  const ask = (method: string, path: string, body?: object) => s.call(acme, method, `/api/v1/${path}`, body)

  await t.test('an ungrouped alert shares id and status with its incident', async (t) => {
    const { incident_id } = await s.incident(acme, { title: 'Alone' })
    const alert = (await ask('GET', `alerts/${incident_id}`)).json()
    t.match(alert, { id: incident_id, incident_id, title: 'Alone', status: 'ongoing', routing_version: 2, matched_rule_ids: [] })
    t.same((await ask('GET', `incidents/${incident_id}/alerts`)).json().items, [alert])
    await ask('PATCH', `incidents/${incident_id}`, { title: 'A better title' })
    t.match((await ask('GET', `alerts/${incident_id}`)).json(), { title: 'Alone' }, 'it keeps what it said')
    t.match((await ask('POST', `alerts/${incident_id}/acknowledge`, { comment: 'On it' })).json(), { dashboard_state: 'Acknowledged' })
    t.match((await ask('GET', `incidents/${incident_id}`)).json(), { acknowledgement_comment: 'On it', alert_count: 1, ongoing_alerts: 1 })
    t.match((await ask('POST', `alerts/${incident_id}/promote`, {})).json(), { code: 'ALREADY_PROMOTED' })
    t.match((await ask('POST', `alerts/${incident_id}/resolve`, {})).json(), { status: 'resolved' })
    t.match((await ask('GET', `incidents/${incident_id}`)).json(), { status: 'resolved', ongoing_alerts: 0 })
  })

  await t.test('alerts of a group share one incident, and each is acted on alone', async (t) => {
    const [a, b, c] = await fires(s, acme, 'shop', ['a', 'b', 'c'])
    if (!a || !b || !c) return t.fail('three alerts')
    t.equal(new Set([a.incident_id, b.incident_id, c.incident_id]).size, 1)
    t.match(a, { matched_rule_ids: [RULE], suppressed_by: null, source: { kind: 'inbound', integration_id: acme.integration_id } })
    const incident = async () => (await ask('GET', `incidents/${a.incident_id}`)).json()
    t.match(await incident(), { title: 'a of shop', alert_count: 3, ongoing_alerts: 3, matched_rule_ids: [RULE] })
    t.equal((await ask('GET', `incidents/${a.incident_id}/alerts`)).json().items.length, 3)

    t.match((await ask('POST', `alerts/${b.id}/acknowledge`, {})).json(), { acknowledged_by: `token:${acme.token_id}` })
    t.match(await incident(), { acknowledged_at: null }, 'acknowledging one of several marks only that one')
    t.match((await ask('POST', `alerts/${b.id}/resolve`, { note: 'Fixed' })).json(), { status: 'resolved', resolution: { reason: 'api' } })
    t.match(await incident(), { status: 'ongoing', ongoing_alerts: 2 })
    t.match((await ask('POST', `alerts/${b.id}/acknowledge`, {})).json(), { code: 'INCIDENT_RESOLVED' })
    const closed = await ask('POST', `alerts/${c.id}/close`, { on_behalf_of: acme.user_id })
    t.match(closed.json(), { status: 'resolved', dashboard_state: 'Closed', manually_closed_by: acme.user_id })
    t.match((await ask('POST', `alerts/${a.id}/resolve`, { note: 'All fine' })).json(), { status: 'resolved' })
    t.match(await incident(), {
      status: 'resolved',
      ongoing_alerts: 0,
      resolved_by: `token:${acme.token_id}`,
      resolution: { reason: 'api', note: 'All fine' }
    })
    const timeline = (await ask('GET', `incidents/${a.incident_id}/timeline`)).json().items
    t.match(
      timeline.map(({ type, data }: { type: string; data: object }) => [type, data]),
      [
        ['opened', {}],
        ['alerts_changed', { joined: [b.id], ended: [] }],
        ['alerts_changed', { joined: [c.id], ended: [] }],
        ['alerts_changed', { joined: [], ended: [b.id] }],
        ['alerts_changed', { joined: [], ended: [c.id] }],
        ['resolved', { note: 'All fine' }]
      ]
    )
  })

  await t.test('resolving an incident resolves its alerts, and a repeat reopens none', async (t) => {
    const [a, b] = await fires(s, acme, 'mail', ['a', 'b'])
    t.match((await ask('POST', `incidents/${a?.incident_id}/resolve`, { note: 'Enough' })).json(), {
      status: 'resolved',
      ongoing_alerts: 0
    })
    t.match(await list(s, acme, '&label.service=mail'), [{ status: 'resolved' }, { status: 'resolved' }])
    const again = await fires(s, acme, 'mail', ['a', 'b'])
    t.same(
      again.map(({ id }) => id),
      [a?.id, b?.id],
      'their keys are suppressed'
    )
    await s.signal(acme, { dedup_key: `int:${acme.integration_id}:mail-a`, action: 'resolve' })
    t.equal((await fires(s, acme, 'mail', ['a'])).length, 3, 'after a recovery it may open again')
  })

  await t.test('moving an incident to another team moves all its alerts', async (t) => {
    const team_id = (await ask('POST', 'teams', { name: 'Movers' })).json().id
    const [a] = await fires(s, acme, 'queue', ['a', 'b'])
    await ask('PATCH', `incidents/${a?.incident_id}`, { team_id })
    t.match(await list(s, acme, '&label.service=queue'), [{ team_id }, { team_id }])
    const [, , c] = await fires(s, acme, 'queue', ['a', 'b', 'c'])
    t.not(c?.incident_id, a?.incident_id, 'nothing joins across teams')
  })

  await t.test('alerts that ended before move with their incident, and none names a hidden incident', async (t) => {
    const outsider = await person(s, acme, 'alerts-outsider', 'viewer')
    const hidden = (await ask('POST', 'teams', { name: 'Hidden', visibility: 'private' })).json().id
    const [a] = await fires(s, acme, 'vault', ['a', 'b'])
    await s.signal(acme, { dedup_key: `int:${acme.integration_id}:vault-a`, action: 'resolve' })
    const seen = async (): Promise<AlertDetail[]> => (await as(s, outsider, 'GET', '/api/v1/alerts?label.service=vault')).json().items
    t.equal((await seen()).length, 2)
    const move = (team_id: string | null) => ask('PATCH', `incidents/${a?.incident_id}`, { team_id })
    t.equal((await move(hidden)).statusCode, 200)
    t.match(await list(s, acme, '&label.service=vault'), [{ team_id: hidden }, { team_id: hidden }])
    t.same(await seen(), [])
    t.equal((await as(s, outsider, 'GET', `/api/v1/alerts/${a?.id}`)).statusCode, 404)

    t.equal((await move(null)).statusCode, 200)
    await ask('POST', `incidents/${a?.incident_id}/resolve`, {})
    t.equal((await move(hidden)).statusCode, 200)
    t.same(await seen(), [], 'alerts of a resolved incident move, too')
    t.match((await ask('GET', `alerts/${a?.id}`)).json(), { team_id: hidden, status: 'resolved', incident_id: a?.incident_id, version: 5 })

    await s.systemPool.query('UPDATE alerts SET team_id = NULL WHERE alert_id = $1', [a?.id])
    t.match(await seen(), [{ id: a?.id, incident_id: null }], 'one that an earlier version left to everybody')
    t.match((await as(s, outsider, 'GET', `/api/v1/alerts/${a?.id}`)).json(), { incident_id: null })
    const { rows } = await s.systemPool.query<StoredChange>(
      'SELECT ver, at, cause, config_versions FROM alert_events WHERE alert_id = $1 ORDER BY ver',
      [a?.id]
    )
    const { events, fault } = replayAlert(rows, { opened_in: null, was: null }, uuidv5)
    t.match([fault, events.at(-1)?.alert], [null, { team_id: hidden, status: 'resolved' }], 'a replay comes to the same')
  })

  await t.test('an alert kept by rules has no incident until somebody promotes it', async (t) => {
    const id = await s.keptAlert(acme, { title: 'Kept', severity: 'info' })
    t.match((await ask('GET', `alerts/${id}`)).json(), { incident_id: null, promoted_at: null, status: 'ongoing' })
    t.equal((await ask('GET', `incidents/${id}`)).statusCode, 404)
    t.match(await list(s, acme, '&promoted=false'), [{ id }])
    const promoted = (await ask('POST', `alerts/${id}/promote`, { title: 'It matters' })).json()
    t.match(promoted, { id, title: 'Kept', promoted_at: String, incident_id: String })
    const incident = (await ask('GET', `incidents/${promoted.incident_id}`)).json()
    t.match(incident, { title: 'It matters', severity: 'info', alert_count: 1, ongoing_alerts: 1, promoted_at: String })
    t.match((await ask('POST', `alerts/${id}/promote`, {})).json(), { code: 'ALREADY_PROMOTED' })
    t.match((await ask('POST', `alerts/${id}/acknowledge`, {})).json(), { acknowledged_at: String })
    t.match((await ask('GET', `incidents/${promoted.incident_id}`)).json(), { acknowledged_at: String }, 'its only alert')
    await s.signal(acme, { dedup_key: promoted.dedup_key, action: 'resolve' })
    t.match((await ask('GET', `incidents/${promoted.incident_id}`)).json(), { status: 'resolved', resolution: { reason: 'recovered' } })
    const ended = await s.keptAlert(acme)
    await ask('POST', `alerts/${ended}/resolve`, {})
    t.match((await ask('POST', `alerts/${ended}/promote`, {})).json(), { code: 'INCIDENT_RESOLVED' })
  })

  await t.test('lists of alerts by filter and by page', async (t) => {
    const ids = (await list(s, acme)).map(({ id }) => id)
    const pages: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { items: AlertDetail[]; next_cursor: string | null } = (
        await ask('GET', `alerts?per_page=3${cursor && `&cursor=${cursor}`}`)
      ).json()
      pages.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
    }
    t.same(pages, ids)
    t.ok(ids.length > 8)
    const only = async (query: string) => (await list(s, acme, query)).map(({ title }) => title).sort()
    t.same(await only('&q=of%20shop'), ['a of shop', 'b of shop', 'c of shop'])
    t.same(await only('&status=ongoing&label.service=shop'), [])
    t.same(await only('&severity=info'), ['Kept'])
    t.equal((await list(s, acme, `&integration_id=${s.globex.integration_id}`)).length, 0)
    t.same(await list(s, s.globex), [])
    t.match((await ask('GET', 'alerts?cursor=zzz')).json(), { code: 'BAD_REQUEST' })
    t.match((await ask('GET', 'alerts?colour=red')).json(), { code: 'VALIDATION_FAILED' })
    t.equal((await ask('GET', `alerts/${uuidv4()}`)).statusCode, 404)
  })

  await t.test('an alert kept by rules can join an existing incident', async (t) => {
    const id = await s.keptAlert(acme, { title: 'Joins', severity: 'critical' })
    const into = await s.incident(acme, { title: 'Database is down', severity: 'warning' })
    const promote = async (body: object, alert = id, who = acme) => {
      const answer = await s.call(who, 'POST', `/api/v1/alerts/${alert}/promote`, body)
      const { code, details = [] } = answer.json()
      return [answer.statusCode, code, details[0]?.path, details[0]?.rule].filter((part) => part !== undefined)
    }
    t.same(await promote({ incident_id: 'INC-999999' }), [422, 'VALIDATION_FAILED', 'incident_id', 'unknown_incident'])
    t.same(await promote({ incident_id: 'nonsense' }), [422, 'VALIDATION_FAILED', 'incident_id', 'pattern'])
    t.same(await promote({ incident_id: into.key, title: 'New' }), [422, 'VALIDATION_FAILED', 'title', 'not_with_incident_id'])
    t.same(await promote({ incident_id: into.key }, uuidv4()), [404, 'NOT_FOUND'])
    t.same(await promote({ incident_id: into.key }, id, s.globex), [404, 'NOT_FOUND'])
    const over = await s.incident(acme)
    await ask('POST', `incidents/${over.key}/resolve`, {})
    t.same(await promote({ incident_id: over.key }), [409, 'INCIDENT_RESOLVED'])
    const theirs = await s.incident(s.globex)
    t.same(await promote({ incident_id: theirs.incident_id }), [422, 'VALIDATION_FAILED', 'incident_id', 'unknown_incident'])
    const other = await s.incident(acme)
    const team_id = (await ask('POST', 'teams', { name: 'Joiners', slug: 'joiners' })).json().id
    await ask('PATCH', `incidents/${other.key}`, { team_id })
    t.same(await promote({ incident_id: other.key }), [409, 'CONFLICT'], 'another team')
    t.match((await ask('GET', `alerts/${id}`)).json(), { incident_id: null, version: 1 }, 'nothing has changed')

    const joined = await ask('POST', `alerts/${id}/promote`, { incident_id: into.key })
    t.match(joined.json(), { id, incident_id: into.incident_id, promoted_at: String, title: 'Joins' }, joined.body)
    t.match((await ask('GET', `incidents/${into.key}`)).json(), { severity: 'critical', alert_count: 2, ongoing_alerts: 2, version: 2 })
    const timeline = (await ask('GET', `incidents/${into.key}/timeline`)).json().items
    t.match(timeline.at(-1), { type: 'alerts_changed', data: { joined: [id] } })
    t.same(await promote({ incident_id: into.key }), [409, 'ALREADY_PROMOTED'])
    t.same(await audited(s, acme.tenant_id, id), ['alert.promoted'])
    t.same(await audited(s, acme.tenant_id, into.incident_id), ['incident.alerts_changed'])
    for (const alert of [id, into.incident_id]) await ask('POST', `alerts/${alert}/resolve`, {})
    t.match((await ask('GET', `incidents/${into.key}`)).json(), { status: 'resolved', ongoing_alerts: 0 })
  })
})
