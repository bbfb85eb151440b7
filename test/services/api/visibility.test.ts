/**
 * Tests that everything a private team owns is invisible to others. Every route answers one of its
 * ids exactly as an id of nothing, byte for byte, and no list, count, search, export or body
 * reveals it.
 */

import t from 'tap'
import { analyticsDouble } from './analytics-double.ts'
import { routesWithIds, type Target } from './crawl.ts'
import { ask, difference, differences, type Holder, NOTHING, type Private, privateTeam, tellsOf, WORD } from './private-team.ts'
import { onlineEverywhere } from './probing.ts'
import { type Stand, stand } from './stand.ts'

t.setTimeout(1_200_000)

const NO_KEY = 'INC-999999'

const pathOf = (url: string, id: string, second: string): string =>
  url
    .replace(':id', id)
    .replace(':emoji', encodeURIComponent('👍'))
    .replace(/:\w+/g, (name) => (name ? second : ''))

/** Returns the rows of the workspace that no outsider may change. */
async function snapshot(s: Stand, { home, hidden, items }: Private): Promise<string> {
  const parts = ['teams', 'team_members', 'monitors', 'heartbeats', 'integrations', 'incidents', 'notification_channels'].map((table) =>
    s.systemPool.query(`SELECT to_jsonb(x) FROM ${table} x WHERE tenant_id = $1 AND team_id = $2 ORDER BY x::text`, [
      home.tenant_id,
      hidden.team_id
    ])
  )
  const { rows } = await s.systemPool.query('SELECT to_jsonb(x) FROM feed x WHERE item_id = ANY ($1::uuid[]) ORDER BY item_id', [
    [...items.values()]
  ])
  const silences = await s.systemPool.query('SELECT to_jsonb(x) FROM silences x WHERE tenant_id = $1 AND $2 = ANY (team_ids)', [
    home.tenant_id,
    hidden.team_id
  ])
  return JSON.stringify([(await Promise.all(parts)).map((part) => part.rows), rows, silences.rows])
}

const isOwnOf = ({
  url
}: Target):
  | 'team'
  | 'monitor'
  | 'heartbeat'
  | 'integration'
  | 'incident'
  | 'alert'
  | 'rule'
  | 'silence'
  | 'window'
  | 'schedule'
  | 'channel'
  | 'policy'
  | null => {
  // A back-test belongs to its author; backtests.test.ts checks it against what the author sees.
  if (url.includes('/backtests/')) return null
  const [, resource = ''] = /^\/api\/v1\/(?:integrations\/|on-call\/|notifications\/)?([\w-]+)/.exec(url) ?? []
  const kinds = {
    alerts: 'alert',
    'routing-rules': 'rule',
    silences: 'silence',
    'maintenance-windows': 'window',
    schedules: 'schedule',
    channels: 'channel',
    'escalation-policies': 'policy',
    teams: 'team',
    monitors: 'monitor',
    heartbeats: 'heartbeat',
    inbound: 'integration',
    incidents: 'incident'
  } as const
  return Object.entries(kinds).find(([name]) => name === resource)?.[1] ?? null
}

t.test('a private team', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url })
  await onlineEverywhere(s)
  const all = await privateTeam(s, 'private')
  const { hidden, open, outsiders, insiders, secrets, items } = all
  const told = tellsOf(all)

  await t.test('every route answers an id of a private team like an unknown id', async (t) => {
    const before = await snapshot(s, all)
    const targets = routesWithIds(s).filter(({ open }) => !open)
    t.ok(targets.length >= 45, `${targets.length} routes`)
    const wrong: string[] = []
    for (const { method, url, body } of targets) {
      const second = url.includes(':cid') ? hidden.comment_id : (insiders[0]?.user_id ?? '')
      const ids = [
        ...[
          hidden.team_id,
          hidden.monitor_id,
          hidden.heartbeat_id,
          hidden.integration_id,
          hidden.comment_id,
          hidden.kept_alert_id,
          hidden.rule_id,
          hidden.silence_id,
          hidden.window_id,
          ...[hidden.rota.schedule_id, hidden.rota.override_id, hidden.rota.swap_id, hidden.rota.link_id],
          hidden.channel_id,
          hidden.policy_id
        ],
        ...[hidden.declared, hidden.by_monitor, hidden.ended].map(({ incident_id }) => incident_id),
        hidden.declared.incident_id.toUpperCase()
      ]
      for (const who of outsiders) {
        const question = { method, path: (id: string) => pathOf(url, id, second), body: () => body }
        const mine = items.get(who.user_id) ?? ''
        wrong.push(...(await differences(s, who, question, { hidden: [...ids, mine], nothing: NOTHING })))
        if (url.includes('/incidents/')) wrong.push(...(await difference(s, who, question, [hidden.declared.key, NO_KEY])))
      }
    }
    t.same(wrong, [])
    t.equal(await snapshot(s, all), before, 'and nothing of it changed')
    const asked = JSON.stringify(double.taken())
    t.same(
      secrets.filter((secret) => asked.includes(secret)),
      [],
      'analytics was not even asked'
    )
  })

  await t.test('merging or promoting into a hidden incident answers like an unknown incident', async (t) => {
    const before = await snapshot(s, all)
    for (const who of outsiders.filter(({ role }) => role === 'responder' || role === 'editor')) {
      const merge = async (into_id: string) => {
        const { statusCode, body } = await ask(s, who, 'POST', `/api/v1/incidents/${open.by_monitor.incident_id}/merge`, { into_id })
        return { statusCode, body: body.replace(/"request_id":"[^"]*"/, '') }
      }
      const join = async (incident_id: string) => {
        const { statusCode, body } = await ask(s, who, 'POST', `/api/v1/alerts/${open.kept_alert_id}/promote`, { incident_id })
        return { statusCode, body: body.replace(/"request_id":"[^"]*"/, '') }
      }
      const none = await join(NOTHING)
      t.ok([403, 422].includes(none.statusCode), none.body)
      for (const key of [hidden.declared.key, hidden.by_monitor.incident_id]) t.same(await join(key), none, who.name)
      const nothing = await merge(NOTHING)
      t.ok([403, 422].includes(nothing.statusCode), nothing.body)
      for (const into_id of [hidden.declared.incident_id, hidden.by_monitor.incident_id]) t.same(await merge(into_id), nothing, who.name)
      t.same(await merge(hidden.declared.key), await merge(NO_KEY), who.name)
    }
    t.equal(await snapshot(s, all), before)
  })

  await t.test('team members, admins and owners can read the objects of a private team', async (t) => {
    const ids = {
      team: hidden.team_id,
      monitor: hidden.monitor_id,
      heartbeat: hidden.heartbeat_id,
      integration: hidden.integration_id,
      incident: hidden.declared.incident_id,
      alert: hidden.kept_alert_id,
      rule: hidden.rule_id,
      silence: hidden.silence_id,
      window: hidden.window_id,
      schedule: hidden.rota.schedule_id,
      channel: hidden.channel_id,
      policy: hidden.policy_id
    }
    let seen = 0
    for (const target of routesWithIds(s).filter(({ method, url }) => method === 'GET' && !/:(?:event|check)_id/.test(url))) {
      const kind = isOwnOf(target)
      if (kind === null) continue
      for (const who of insiders) {
        const answer = await ask(s, who, 'GET', pathOf(target.url, ids[kind], ''))
        t.equal(answer.statusCode, 200, `${who.name}: ${target.url} ${answer.body}`)
        seen += 1
      }
    }
    t.ok(seen >= 10 * insiders.length, `${seen} answers`)
    t.match((await ask(s, insiders[0] as Holder, 'GET', `/api/v1/monitors/${hidden.monitor_id}`)).json(), {
      open_incident_id: hidden.by_monitor.incident_id
    })
  })

  await t.test('no list, count, figure or export shows anything of a private team to outsiders', async (t) => {
    double.answer = () => []
    const [owner] = insiders.filter(({ role }) => role === 'owner')
    const planted: Readonly<Record<string, number>> = {
      '/api/v1/incidents': 5,
      '/api/v1/monitors': 1,
      '/api/v1/heartbeats': 1,
      '/api/v1/integrations/inbound': 1,
      '/api/v1/silences': 1,
      '/api/v1/maintenance-windows': 1,
      '/api/v1/on-call/schedules': 1,
      '/api/v1/on-call/overrides': 1,
      '/api/v1/on-call/swaps': 1,
      '/api/v1/notifications/channels': 1,
      '/api/v1/on-call/escalation-policies': 1,
      '/api/v1/teams': 1
    }
    const lists = s.routes.filter(({ method, url, endpoint }) => method === 'GET' && !url.includes(':') && endpoint !== null)
    t.ok(lists.length >= 20, `${lists.length} routes`)
    const asOwner: string[] = []
    for (const { url } of lists) {
      const everything = await ask(s, owner as Holder, 'GET', url)
      if (told(everything).length > 0) asOwner.push(url)
      for (const who of outsiders) {
        const answer = await ask(s, who, 'GET', url)
        t.same(told(answer), [], `${who.name}: ${url}`)
        if (answer.statusCode !== 200 || planted[url] === undefined) continue
        const { items: shown, total } = answer.json()
        t.equal(total, everything.json().total - planted[url], `${who.name}: ${url} counts what is left`)
        t.equal(shown.length, total, `${who.name}: ${url} shows as many`)
        const marks: Readonly<Record<string, string>> = {
          '/api/v1/on-call/overrides': open.rota.override_id,
          '/api/v1/on-call/swaps': open.rota.swap_id,
          '/api/v1/maintenance-windows': open.window_id
        }
        const mark = marks[url] ?? open.team_id
        t.ok(answer.body.includes(mark), `${who.name}: ${url} shows what belongs to an open team`)
      }
    }
    for (const url of Object.keys(planted)) t.ok(asOwner.includes(url), `${url}: an owner is told`)
    t.ok(JSON.stringify(double.taken()).includes(hidden.monitor_id), 'of the owner analytics was asked about its monitor')
  })

  await t.test('analytics queries of an outsider exclude the private team', async (t) => {
    for (const who of outsiders.filter(({ role }) => role !== 'billing')) {
      for (const what of ['uptime', 'latency', 'incidents']) {
        for (const more of ['', '?format=csv', '?bucket=day', `?tag=${WORD}`]) {
          const answer = await ask(s, who, 'GET', `/api/v1/analytics/${what}${more}`)
          t.same(told(answer), [], `${who.name}: ${what}${more}`)
        }
      }
      const asked = double.taken()
      t.ok(asked.length > 0)
      for (const { name, params } of asked as { name: string; params: { sight?: object } }[]) {
        const { sight, ...rest } = params
        if (name === 'incidents' || name === 'uptime') t.match(sight, { own: [], hidden: [hidden.team_id] }, `${who.name}: ${name}`)
        const text = JSON.stringify(rest)
        t.notOk(
          secrets.some((secret) => text.includes(secret)),
          `${who.name}: ${name} ${text}`
        )
      }
    }
  })

  await t.test('outsiders and insiders see the same plan usage', async (t) => {
    const usages = new Set<string>()
    for (const who of [...outsiders, ...insiders]) {
      const answer = await ask(s, who, 'GET', '/api/v1/account')
      if (answer.statusCode === 200) usages.add(JSON.stringify(answer.json().usage))
      const { user } = answer.json()
      if (outsiders.includes(who)) t.same(user.teams, [], who.name)
    }
    t.equal(usages.size, 1, [...usages].join())
  })

  await t.test('the feed of an outsider shows and counts nothing of a private team', async (t) => {
    const FEED = '/api/v1/notifications/feed'
    for (const who of outsiders) {
      t.match((await ask(s, who, 'GET', FEED)).json(), { items: [], total: 0 }, who.name)
      t.match((await ask(s, who, 'GET', `${FEED}/unread-count`)).json(), { total: 0 }, who.name)
      const marked = await ask(s, who, 'POST', `${FEED}/read-all`, {})
      t.ok(marked.statusCode === 403 || marked.json().changed === 0, `${who.name}: ${marked.body}`)
    }
  })
})
