/**
 * Tests of ids of a private team's objects in queries and bodies. Each is refused, or finds
 * nothing, exactly as an id of nothing. They also cover related ids that other objects show, and
 * keys that are already taken.
 */

import t from 'tap'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { analyticsDouble } from './analytics-double.ts'
import { fills, ofOthers } from './naming-fields.ts'
import { addPerson, ask, difference, done, type Holder, NOTHING, privateTeam, tellsOf, WORD } from './private-team.ts'
import { onlineEverywhere } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(300_000)

const NO_WORD = 'zwiebelfasch'

interface Schema {
  properties?: Record<string, Schema>
  [keyword: string]: unknown
}
interface Operation {
  parameters?: { in: string; name: string }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
}
type Paths = Record<string, Record<string, Operation>>

/** Lists `GET /path name` for every query parameter. */
const queriesOf = (paths: Paths): { url: string; name: string }[] =>
  Object.entries(paths).flatMap(([url, operations]) =>
    (operations.get?.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => ({ url, name }))
  )

/** Lists every body field that holds an id or a key, by its format or by its name. */
const namingFields = (paths: Paths): string[] =>
  Object.entries(paths).flatMap(([url, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      Object.entries(requestBody?.content?.['application/json']?.schema?.properties ?? {})
        .filter(([name, schema]) => /uuid/.test(JSON.stringify(schema)) || /(?:^|_)(?:ids?|key)$/.test(name))
        .map(([name]) => `${method.toUpperCase()} ${url} ${name}`)
    )
  )

/** Without an instant, the answer is about the time of the request and contains it. */
const AT = encodeURIComponent(new Date(Date.now() - 60_000).toISOString())
const instantOf = (url: string, name: string): string => (url.endsWith('/on-call/now') && !/^(?:at|as_of)$/.test(name) ? `&at=${AT}` : '')

t.test('requests that name objects of a private team', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url })
  await onlineEverywhere(s)
  const all = await privateTeam(s, 'named')
  const { home, hidden, open, outsiders, insiders } = all
  const told = tellsOf(all)
  const paths: Paths = (await s.call(null, 'GET', '/api/v1/public/openapi.json')).json().paths
  const ofRole = (people: readonly Holder[], role: string): Holder => {
    const [found] = people.filter((one) => one.role === role)
    if (!found) throw new Error(role)
    return found
  }

  await t.test('a query by the id of a hidden object answers like a query by an unknown id', async (t) => {
    const queries = queriesOf(paths).filter(({ url }) => !url.includes('/prober/'))
    t.ok(queries.length >= 60, `${queries.length} parameters`)
    const ids = [hidden.team_id, hidden.monitor_id, hidden.heartbeat_id, hidden.integration_id, hidden.declared.incident_id]
    const wrong: string[] = []
    for (const { url, name } of queries) {
      for (const who of [ofRole(outsiders, 'viewer'), ofRole(outsiders, 'editor'), ofRole(outsiders, 'billing')]) {
        // Without a time span, the answer ends at the present.
        const span = url.includes('/analytics/') && !/^(?:from|to)$/.test(name) ? '&from=2026-11-01&to=2026-11-02' : instantOf(url, name)
        const path = (value: string) =>
          `${url
            .replace('/heartbeats/{id}', `/heartbeats/${open.heartbeat_id}`)
            .replace('/inbound/{id}', `/inbound/${open.integration_id}`)
            .replace('/incidents/{id}', `/incidents/${open.declared.incident_id}`)
            .replace('/oauth/{kind}', '/oauth/slack')
            .replace('{id}', open.monitor_id)}?${name}=${value}${span}`
        t.notMatch(path(''), '{', `${url}: this crawler fills every parameter`)
        for (const id of ids) wrong.push(...(await difference(s, who, { method: 'GET', path, body: () => undefined }, [id, NOTHING])))
        wrong.push(...(await difference(s, who, { method: 'GET', path, body: () => undefined }, [WORD, NO_WORD])))
      }
    }
    t.same(wrong, [])
    const [owner] = insiders.filter(({ role }) => role === 'owner')
    for (const list of ['incidents', 'monitors', 'heartbeats', 'teams'])
      t.ok((await ask(s, owner as Holder, 'GET', `/api/v1/${list}?q=${WORD}`)).json().total > 0, `an owner finds ${list}`)
  })

  await t.test('the id of a hidden object in a body is refused like an unknown id', async (t) => {
    // A bot to which people and groups can link themselves.
    await s.systemPool.query(
      `INSERT INTO notification_channels (tenant_id, channel_id, name, kind, config, events, min_severity, visibility, created_by)
       SELECT tenant_id, gen_random_uuid(), 'Bot', 'telegram', '{"bot_name": "acme_bot", "bot_id": "123456789"}', events, min_severity, 'org', created_by
         FROM notification_channels WHERE tenant_id = $1 AND channel_id = $2`,
      [home.tenant_id, open.channel_id]
    )
    const fields = namingFields(paths)
    t.same(
      fields.filter((field) => !fills[field] && !ofOthers.has(field)),
      [],
      'the crawler knows every field that names something'
    )
    const wrong: string[] = []
    for (const [field, fill] of Object.entries(fills)) {
      t.ok(fields.includes(field), field)
      const [method = ''] = field.split(' ')
      const path = (id: string) => `/api/v1/${fill(id, all).path}`
      const body = (id: string) => fill(id, all).body
      const of = fill(NOTHING, all).of ?? (({ team_id }) => team_id)
      const id = of(hidden)
      let refused = 0
      for (const who of outsiders) {
        wrong.push(...(await difference(s, who, { method, path, body }, [id, NOTHING])))
        const { statusCode } = await ask(s, who, method, path(id), body(id))
        if (statusCode === 422 || statusCode === 200) refused += 1
      }
      t.ok(refused > 0, `${field}: somebody may call it at all`)
      const owner = await ask(s, ofRole(insiders, 'owner'), method, path(id), body(id))
      const { known } = fill(NOTHING, all)
      if (known) {
        t.equal(owner.statusCode, known.status, `${field}: an owner is told why not`)
        t.match(owner.body, known.rule)
      } else t.ok(owner.statusCode < 300, `${field}: an owner may name it: ${owner.body}`)
      if (method !== 'POST') await done(ask(s, ofRole(insiders, 'owner'), method, path(id), body(of(open))))
    }
    t.same(wrong, [])
  })

  await t.test('a monitor group counts and lists only the monitors that the viewer can see', async (t) => {
    const owner = ofRole(insiders, 'owner')
    const { id } = await done(ask(s, owner, 'POST', '/api/v1/monitor-groups', { name: 'Both' }))
    for (const { monitor_id } of [hidden, open]) await done(ask(s, owner, 'PATCH', `/api/v1/monitors/${monitor_id}`, { group_id: id }))
    for (const [people, total] of [
      [outsiders, 1],
      [insiders, 2]
    ] as const)
      for (const who of people) {
        const get = (path: string) => ask(s, who, 'GET', `/api/v1/${path}`)
        const { statusCode } = await get('monitor-groups')
        if (statusCode === 403) continue
        t.match((await get(`monitor-groups/${id}`)).json(), { monitors: { total } }, who.name)
        t.match((await get('monitor-groups')).json().items, [{ id, monitors: { total } }], who.name)
        t.equal((await get(`monitors?group_id=${id}`)).json().total, total, who.name)
      }
    // A caller who does not see all of its monitors may still delete the group; all of them leave
    // it.
    t.equal((await ask(s, ofRole(outsiders, 'editor'), 'DELETE', `/api/v1/monitor-groups/${id}`)).statusCode, 204)
    for (const { monitor_id } of [hidden, open])
      t.equal((await ask(s, owner, 'GET', `/api/v1/monitors/${monitor_id}`)).json().group_id, null)
  })

  await t.test('a deduplication key of a hidden incident is free for others', async (t) => {
    const responder = ofRole(outsiders, 'responder')
    const declare = (who: Holder, dedup_key: string, team_id: string | null = null) =>
      ask(s, who, 'POST', '/api/v1/incidents', { title: 'Mine', severity: 'info', dedup_key, team_id })
    const first = await declare(responder, `${WORD} declared`)
    t.equal(first.statusCode, 201, first.body)
    t.same(
      told(first).filter((secret) => secret !== WORD),
      []
    )

    // Opened for everybody and then moved to the private team: others can open an incident with
    // its key, and do not learn of it.
    const admin = ofRole(insiders, 'admin')
    const moved = await done(declare(admin, 'moved'))
    await done(ask(s, admin, 'PATCH', `/api/v1/incidents/${moved.id}`, { team_id: hidden.team_id }))
    const mine = await declare(responder, 'moved')
    t.equal(mine.statusCode, 201, mine.body)
    t.not(mine.json().id, moved.id)
    t.notOk(mine.body.includes(String(moved.id)))
    const again = await declare(responder, 'moved')
    t.match([again.statusCode, again.json().id], [200, mine.json().id], 'and it is theirs from then on')
    await done(ask(s, responder, 'POST', `/api/v1/incidents/${mine.json().id}/resolve`, {}))
    t.equal((await declare(responder, 'moved')).statusCode, 201, 'once it is resolved, it is free again')
    t.match((await done(declare(admin, 'moved'))).id, moved.id, 'who sees the moved one meets it')
    t.match((await done(ask(s, admin, 'GET', `/api/v1/incidents/${moved.id}`))).status, 'ongoing', 'which goes on as it was')
  })

  await t.test('a monitor or heartbeat visible to everybody does not show a hidden incident', async (t) => {
    const viewer = ofRole(outsiders, 'viewer')
    const admin = ofRole(insiders, 'admin')
    const { monitor_id, heartbeat_id } = open
    for (const one of [open.by_monitor, open.by_heartbeat])
      await done(ask(s, admin, 'POST', `/api/v1/incidents/${one.incident_id}/resolve`, { until_recovered: false }))
    const ofMonitor = await s.incident(home, { dedup_key: `mon:${monitor_id}`, team_id: hidden.team_id })
    const ofHeartbeat = await s.incident(home, { dedup_key: `hb:${heartbeat_id}`, team_id: hidden.team_id })
    // As if a transition opened it.
    const transition_id = uuidv4()
    for (const table of ['incidents', 'incident_events', 'signals']) {
      const values = [ofMonitor.incident_id, uuidv5(transition_id, 'incident')]
      await s.systemPool.query(`UPDATE ${table} SET incident_id = $2 WHERE incident_id = $1`, values)
    }
    ofMonitor.incident_id = uuidv5(transition_id, 'incident')
    double.answer = ({ name }) => (name === 'status_changes_list' ? [{ ...change, transition_id }] : [])
    for (const [who, monitors, heartbeats] of [
      [viewer, null, null],
      [admin, ofMonitor.incident_id, ofHeartbeat.incident_id]
    ] as const) {
      const get = async (path: string) => done(ask(s, who, 'GET', `/api/v1/${path}`))
      t.equal((await get(`monitors/${monitor_id}`)).open_incident_id, monitors, who.name)
      t.match(await get(`monitors?ids=${monitor_id}`), { items: [{ open_incident_id: monitors }] }, who.name)
      t.equal((await get(`heartbeats/${heartbeat_id}`)).open_incident_id, heartbeats, who.name)
      t.match(await get('heartbeats?q=public'), { items: [{ open_incident_id: heartbeats }] }, who.name)
      t.match(await get(`monitors/${monitor_id}/status-changes`), { items: [{ incident_id: monitors }] }, who.name)
    }
  })

  await t.test('an incident for everybody does not name the hidden incident or team it comes from', async (t) => {
    const ended = hidden.ended.incident_id
    const admin = ofRole(insiders, 'admin')
    const viewer = ofRole(outsiders, 'viewer')
    const { incident_id } = await s.incident(home, { title: 'Again' })
    await s.systemPool.query('UPDATE incidents SET reopened_from = $2 WHERE incident_id = $1', [incident_id, ended])
    await s.systemPool.query(
      `UPDATE incident_events SET cause = jsonb_set(cause, '{input}', to_jsonb(((cause ->> 'input')::jsonb || $2)::text)) WHERE incident_id = $1`,
      [incident_id, JSON.stringify({ reopened_from: ended })]
    )
    const path = `/api/v1/incidents/${incident_id}`
    for (const team_id of [hidden.team_id, open.team_id]) await done(ask(s, admin, 'PATCH', path, { team_id }))
    t.match(await done(ask(s, admin, 'GET', path)), { reopened_from: ended })
    const seen = (await ask(s, admin, 'GET', `${path}/timeline`)).body
    t.ok(seen.includes(ended) && seen.includes(hidden.team_id), 'who sees them is told')
    for (const url of [path, '/api/v1/incidents?q=Again', `${path}/timeline`]) t.same(told(await ask(s, viewer, 'GET', url)), [], url)
    t.match(await done(ask(s, viewer, 'GET', `${path}/timeline`)), {
      items: [
        { type: 'reopened', data: { reopened_from: null } },
        { type: 'updated', data: { team_id: null } },
        { data: { team_id: open.team_id } }
      ]
    })
  })

  await t.test('objects of a team are hidden as soon as a person leaves it or it turns private', async (t) => {
    const [session, token] = await addPerson(s, home, 'leaving', 'responder')
    const path = `/api/v1/teams/${hidden.team_id}/members/${session.user_id}`
    await done(ask(s, ofRole(insiders, 'admin'), 'PUT', path, {}))
    const seen = async (who: Holder, one: typeof hidden) => {
      const statuses = []
      for (const where of [`incidents/${one.declared.incident_id}`, `monitors/${one.monitor_id}`, `heartbeats/${one.heartbeat_id}`])
        statuses.push((await ask(s, who, 'GET', `/api/v1/${where}`)).statusCode)
      return statuses
    }
    for (const who of [session, token]) t.same(await seen(who, hidden), [200, 200, 200], `${who.name}: as a member`)
    await done(ask(s, ofRole(insiders, 'admin'), 'DELETE', path))
    for (const who of [session, token]) {
      t.same(await seen(who, hidden), [404, 404, 404], `${who.name}: no member any more`)
      t.same(told(await ask(s, who, 'GET', '/api/v1/incidents')), [], who.name)
      t.same(await seen(who, open), [200, 200, 200], `${who.name}: of the open team`)
    }
    await done(ask(s, ofRole(insiders, 'admin'), 'PATCH', `/api/v1/teams/${open.team_id}`, { visibility: 'private' }))
    for (const who of [session, token]) t.same(await seen(who, open), [404, 404, 404], `${who.name}: it turned private`)
  })
})

/** A change of status as analytics returns it. */
const change = {
  ver: 2,
  previous_status: 'up',
  status: 'down',
  previous_phase: 'ok',
  phase: 'down',
  at: Date.now(),
  reason: null,
  message: null,
  cause: 'check',
  status_code: null,
  votes: {}
}
