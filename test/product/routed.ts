/**
 * Alertmanager fires 40 alerts of two services: routed by label to a private team, grouped per
 * service, one suppressed by a rule, one never promoted; recoveries end the groups. A member of the
 * team, an outsider and an admin, each by session and by token, read what they may see through
 * REST, frames, topics, figures, tables and explanations.
 */
import { join as pathOf } from 'node:path'
import type { Test } from 'tap'
import type { AlertEvent, IncidentEvent, Records } from '../../schemas/generated/events.ts'
import { scopes } from '../../schemas/http/endpoints.ts'
import { isVisible, type Sight, wholeWorkspace } from '../../schemas/http/visibility.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { openEngine } from '../../services/analytics/engine.ts'
import { mintApiToken, mintSession } from '../../services/credentials/credentials.ts'
import { insertApiToken } from '../../services/store/api-tokens.ts'
import { type Pool, tenantTransaction } from '../../services/store/pool.ts'
import { insertSession } from '../../services/store/sessions.ts'
import { readBack } from '../chaos/readback.ts'
import { type Recording, record } from '../chaos/sockets.ts'
import { makeWorkspace, type Product, type TestWorkspace, until } from '../harness/product.ts'

const LIMIT_MS = 60_000
const SERVICES = ['cart', 'pay'] as const
const OF_EACH = 20

interface Incident {
  id: string
  key: string
  title: string
  status: string
  team_id: string | null
  alert_count: number
  ongoing_alerts: number
  suppressed_by_rule_id: string | null
}
interface Alert {
  id: string
  status: string
  incident_id: string | null
  labels: Record<string, string>
}
type Reader = <T>(path: string) => Promise<{ status: number; body: T }>

/** A person of the workspace: what they read and get by token and by session. */
export interface Person {
  user_id: string
  email: string
  token: string
  readers: Reader[]
  sockets: Recording[]
}

/**
 * Makes a person. `joins` runs before the sockets open, so that they get the frames of the person's
 * teams from the start.
 */
export async function person(
  product: Product,
  pool: Pool,
  { tenant_id }: TestWorkspace,
  role: string,
  joins?: (user_id: string) => Promise<unknown>
): Promise<Person> {
  const user_id = uuidv7()
  const email = `${user_id}@example.test`
  await pool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, '-')", [user_id, email, role])
  await pool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  const [session, token] = [mintSession(), mintApiToken()]
  await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    await insertSession(tx, tenant_id, { sha256: session.sha256, user_id, ip: '127.0.0.1', user_agent: null, remembered: false })
    const settings = { name: role, scopes: [...scopes], expires_at: null, allowed_cidrs: [] }
    await insertApiToken(tx, tenant_id, { ...settings, user_id, sha256: token.sha256, prefix: token.prefix })
  })
  await joins?.(user_id)
  const { base_url } = product.access
  const cookie = `service_session=${session.value}`
  const by =
    (headers: Record<string, string>): Reader =>
    async <T>(path: string) => {
      const answer = await fetch(`${base_url}/api/v1/${path}`, { headers })
      return { status: answer.status, body: (await answer.json()) as T }
    }
  return {
    user_id,
    email,
    token: token.value,
    readers: [by({ authorization: `Bearer ${token.value}` }), by({ cookie })],
    sockets: await Promise.all([token.value, { cookie }].map((credential) => record(base_url, credential)))
  }
}

/** 20 alerts of each service; one of `cart` is muted, one of `pay` is noise. */
function notification(status: 'firing' | 'resolved', startsAt: string): string {
  const alerts = SERVICES.flatMap((service) =>
    Array.from({ length: OF_EACH }, (_, n) => ({
      status,
      labels: {
        alertname: 'TooSlow',
        team: 'shop',
        service,
        instance: `${service}-${n}`,
        severity: n === 0 ? 'critical' : 'warning',
        ...(service === 'cart' && n === 7 && { muted: 'yes' }),
        ...(service === 'pay' && n === 7 && { noise: 'yes' })
      },
      annotations: { summary: `${service}-${n} is too slow` },
      startsAt,
      endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : new Date().toISOString(),
      generatorURL: 'http://prometheus.example/graph',
      fingerprint: `${service}-${String(n).padStart(8, '0')}`
    }))
  )
  const group = { groupKey: '{}', groupLabels: {}, commonLabels: {}, commonAnnotations: {} }
  return JSON.stringify({
    version: '4',
    truncatedAlerts: 0,
    status,
    receiver: 'service',
    externalURL: 'http://am.example',
    ...group,
    alerts
  })
}

const rulesFor = (team_id: string): object[] => [
  { name: 'Noise', match: { all: [{ field: 'label.noise', op: 'eq', value: 'yes' }] }, actions: { promote: 'never', team_id } },
  { name: 'Muted', match: { all: [{ field: 'label.muted', op: 'eq', value: 'yes' }] }, actions: { suppress: true, team_id } },
  {
    name: 'Shop',
    match: { all: [{ field: 'label.team', op: 'eq', value: 'shop' }] },
    actions: { team_id, group: { by: ['label.service'], window_seconds: 3600, max_alerts: 100 } }
  }
]

/**
 * What the story left on the log, to compare with the tables, which are read once analytics has
 * ended.
 */
export interface Routed {
  tenant_id: string
  team_id: string
  events: AlertEvent[]
  incidentEvents: IncidentEvent[]
}

/** What the member, the outsider and the admin may see, by the one visibility rule. */
const sights = (team_id: string): Record<string, Sight> => ({
  member: { own: [team_id], hidden: [] },
  outsider: { own: [], hidden: [team_id] },
  admin: 'all'
})

/** How many of the records each of them may see, by the one visibility rule. */
function seenOf(team_id: string, records: readonly { team_id: string | null; visibility: 'org' | 'private' }[]) {
  const seen = (sight: Sight): number => records.filter((record) => isVisible(sight, record)).length
  return Object.fromEntries(Object.entries(sights(team_id)).map(([who, sight]) => [who, seen(sight)]))
}

const notTheOutsider = (count: number): object => ({ member: count, admin: count, outsider: 0 })

/** What alert.events.v1 says of the alerts with a life of their own: one each, whoever reads it. */
function alertsOnTheLog(t: Test, events: readonly AlertEvent[], team_id: string): void {
  const of = (change: string): AlertEvent[] => events.filter((event) => event.change === change)
  t.equal(events.length, 2 * 39, 'each opened and resolved; the muted incident is its own alert')
  for (const [change, ver] of [['opened', 1] as const, ['resolved', 2] as const]) {
    t.equal(of(change).length, 39)
    t.ok(
      of(change).every((event) => event.ver === ver && event.team_id === team_id && event.alert.team_id === team_id),
      `${change}: with its version and team`
    )
  }
  t.equal(of('opened').filter(({ incident_id }) => incident_id === null).length, 1, 'one belongs to no incident')
  t.equal(new Set(of('opened').flatMap(({ incident_id }) => incident_id ?? [])).size, 2, 'the others to two')
  // The current visibility counts: the record says which team it belongs to, the reader whether
  // that team is private.
  t.match(seenOf(team_id, events), notTheOutsider(78))
}

/** Checks what incident.events.v1 says: three incidents from their beginning to their end. */
function incidentsOnTheLog(t: Test, events: readonly IncidentEvent[], team_id: string): void {
  const ids = new Set(events.map(({ incident_id }) => incident_id))
  t.equal(ids.size, 3)
  for (const id of ids) {
    const versions = events.filter(({ incident_id }) => incident_id === id).sort((one, other) => one.ver - other.ver)
    t.same(
      versions.map(({ ver }) => ver),
      versions.map((_, nth) => nth + 1),
      'no version is missing'
    )
    t.equal(versions[0]?.change, 'created')
    t.equal(versions.at(-1)?.change, 'resolved')
    t.ok(versions.every((event) => event.team_id === team_id && event.incident.team_id === team_id))
  }
  t.match(seenOf(team_id, events), notTheOutsider(events.length))
}

/** Reads both topics back from their beginning. */
async function onTheLog(t: Test, product: Product, { tenant_id }: TestWorkspace, team_id: string) {
  const log = await readBack(product)
  const ofTopic = async <N extends 'AlertEvent' | 'IncidentEvent'>(topic: TopicName, record: N, idOf: (event: Records[N]) => string) => {
    // The relay may have sent an event twice, with the same id and version.
    const events = new Map<string, Records[N]>()
    for (const { value, key } of await log.read(topic)) {
      const event = value && log.codec.decode(record, value)
      if (event?.tenant_id !== tenant_id) continue
      t.equal(key, idOf(event))
      events.set(`${key} ${event.ver}`, event)
    }
    return [...events.values()]
  }
  try {
    const events = await ofTopic('alert.events.v1', 'AlertEvent', ({ alert_id }) => alert_id)
    const incidentEvents = await ofTopic('incident.events.v1', 'IncidentEvent', ({ incident_id }) => incident_id)
    alertsOnTheLog(t, events, team_id)
    incidentsOnTheLog(t, incidentEvents, team_id)
    return { events, incidentEvents }
  } finally {
    await log.close()
  }
}

const byEvent = <R extends { event_id: string }>(rows: R[]): R[] => rows.sort((one, other) => (one.event_id < other.event_id ? -1 : 1))

/**
 * Checks that the tables hold the log's records once, with their team. Only one process at a time
 * can use the engine.
 */
export async function routedTable(t: Test, dataDir: string, { tenant_id, team_id, events, incidentEvents }: Routed): Promise<void> {
  const engine = openEngine({ path: pathOf(dataDir, 'clickhouse') })
  const rowsOf = async (columns: string, table: string) => {
    const text = await engine.query(
      `SELECT toString(event_id) AS event_id, ver, change, toUnixTimestamp64Milli(at) AS at, cause, ${columns}, team_id, visibility
         FROM ${table} FINAL WHERE tenant_id = {tenant_id:UUID} ORDER BY event_id`,
      { tenant_id },
      { timeMs: 60_000, maxRows: 1000 }
    )
    return JSON.parse(text) as { team_id: string; visibility: 'org' | 'private' }[]
  }
  try {
    const alerts = await rowsOf('toString(alert_id) AS alert_id, incident_id, status, title', 'alert_events')
    t.same(
      alerts,
      byEvent(
        events.map(({ event_id, alert_id, ver, change, at, cause, incident_id, alert, team_id, visibility }) => {
          const { status, title } = alert
          return {
            event_id,
            ver,
            change,
            at,
            cause: cause.src,
            alert_id,
            incident_id: incident_id ?? '',
            status,
            title,
            team_id,
            visibility
          }
        })
      )
    )
    const incidents = await rowsOf('toString(incident_id) AS incident_id, status, severity', 'incident_events')
    t.same(
      incidents,
      byEvent(
        incidentEvents.map(({ event_id, incident_id, ver, change, at, cause, incident, team_id, visibility }) => {
          const { status, severity } = incident
          return { event_id, ver, change, at, cause: cause.src, incident_id, status, severity, team_id, visibility }
        })
      )
    )
    for (const rows of [alerts, incidents]) t.match(seenOf(team_id, rows), notTheOutsider(rows.length))
  } finally {
    await engine.close()
  }
}

type Explained = {
  steps: { rule: string; values: Record<string, unknown>; trace?: { name: string; outcome: string }[] }[]
  suppressions: { kind: string }[]
}

/** The result of the 40 alerts, as the member reads it. */
interface Outcome {
  muted: Incident
  groups: Incident[]
  /** Id of the alert that rules keep. */
  kept_id: string
}

const traceOf = ({ steps }: Explained) => steps.find(({ rule }) => rule === 'routing')?.trace

/** A reader who sees the team gets everything by REST, and the explanation of it. */
async function seesAll(t: Test, reader: Reader, { muted, groups, kept_id }: Outcome): Promise<void> {
  t.equal((await reader<{ total: number }>('incidents')).body.total, 3)
  t.equal((await reader<{ items: Alert[] }>('alerts?per_page=100')).body.items.length, 40)
  t.equal((await reader<{ items: object[] }>('routing-rules')).body.items.length, 4)
  t.match((await reader<{ items: Alert[] }>('alerts?suppressed=true')).body.items, [{ id: muted.id }])
  t.match((await reader<{ items: Alert[] }>('alerts?promoted=false')).body.items, [{ id: kept_id }])
  const services = new Set<string>()
  for (const group of groups) {
    const { items } = (await reader<{ items: Alert[] }>(`incidents/${group.id}/alerts?per_page=100`)).body
    t.equal(items.length, 19)
    const found = new Set(items.map(({ labels }) => labels.service))
    t.equal(found.size, 1, 'a group has the alerts of one service')
    for (const service of found) services.add(service ?? '')
    const { body: why } = await reader<Explained>(`incidents/${group.key}/explain`)
    t.match(traceOf(why), [
      { name: 'Noise', outcome: 'not_matched' },
      { name: 'Muted', outcome: 'not_matched' },
      { name: 'Shop', outcome: 'matched' }
    ])
    t.same(why.suppressions, [])
  }
  t.same([...services].sort(), SERVICES)
  for (const path of [`incidents/${muted.key}/explain`, `alerts/${muted.id}/explain`]) {
    const { body: why } = await reader<Explained>(path)
    t.match(
      traceOf(why),
      [
        { name: 'Noise', outcome: 'not_matched' },
        { name: 'Muted', outcome: 'matched' },
        { name: 'Shop', outcome: 'skipped' }
      ],
      path
    )
    t.match(why.suppressions, [{ kind: 'rule' }], path)
  }
  const { body: why } = await reader<Explained>(`alerts/${kept_id}/explain`)
  t.match(traceOf(why), [
    { name: 'Noise', outcome: 'matched' },
    { name: 'Muted', outcome: 'skipped' },
    { name: 'Shop', outcome: 'skipped' }
  ])
  t.match(why.steps.find(({ rule }) => rule === 'promotion')?.values, { promote: false })
}

/** A reader outside the team gets nothing of it. */
async function seesNothing(t: Test, reader: Reader, { muted, groups, kept_id }: Outcome): Promise<void> {
  t.equal((await reader<{ total: number }>('incidents')).body.total, 0)
  t.same((await reader<{ items: Alert[] }>('alerts')).body.items, [])
  t.equal((await reader<{ items: object[] }>('routing-rules')).body.items.length, 1, 'the default rule alone')
  for (const { id, key } of [...groups, muted])
    for (const path of [`incidents/${id}`, `incidents/${key}/explain`, `incidents/${id}/alerts`, `incidents/${id}/timeline`])
      t.equal((await reader(path)).status, 404, path)
  for (const id of [muted.id, kept_id])
    for (const path of [`alerts/${id}`, `alerts/${id}/explain`, `alerts/${id}/events`]) t.equal((await reader(path)).status, 404, path)
}

const statusFrames = ({ frames }: Recording) => frames.map(({ frame }) => frame).filter(({ channel }) => channel === 'monitors.status')

/** Each socket of those who see the team got all openings and ends; the other sockets got none. */
async function heard(t: Test, who: Record<'member' | 'admin' | 'outsider', Person>, { muted, groups, kept_id }: Outcome): Promise<void> {
  const ids = [muted, ...groups].map(({ id }) => id)
  for (const socket of [...who.member.sockets, ...who.admin.sockets]) {
    for (const id of ids)
      for (const type of ['incident.created', 'incident.resolved'])
        await socket.frame(`${type} of ${id}`, (frame) => frame.type === type && frame.data.incident_id === id)
    const told = statusFrames(socket)
    t.ok(told.length >= 6 && told.length <= 3 * 8, `${told.length} frames for 80 signals`)
  }
  for (const socket of who.outsider.sockets) {
    t.same(statusFrames(socket), [], 'the outsider heard nothing')
    const all = JSON.stringify(socket.frames)
    t.same(
      [...ids, kept_id].filter((id) => all.includes(id)),
      [],
      'nor is one named on another channel'
    )
  }
}

/** Checks the same in ClickHouse, from the log: figures, and the signals of single alerts. */
async function inFigures(t: Test, who: Record<'member' | 'admin' | 'outsider', Person>, { muted, kept_id }: Outcome): Promise<void> {
  const figures = async (reader: Reader): Promise<number> =>
    (await reader<{ items: { opened: number }[] }>('analytics/incidents')).body.items?.reduce((sum, { opened }) => sum + opened, 0) ?? -1
  for (const reader of [...who.member.readers, ...who.admin.readers]) {
    await until('three incidents in the figures', async () => ((await figures(reader)) === 3 ? true : null), LIMIT_MS, 500)
    for (const id of [muted.id, kept_id]) {
      const both = async (): Promise<object[] | null> => {
        const { body } = await reader<{ items: object[] }>(`alerts/${id}/events`)
        return body.items.length > 1 ? body.items : null
      }
      t.match(await until('the fire and the resolve', both, LIMIT_MS, 500), [
        { action: 'resolve', accepted_as: 'applied' },
        { action: 'fire', accepted_as: 'applied' }
      ])
    }
  }
  for (const reader of who.outsider.readers) t.equal(await figures(reader), 0)
}

export async function routed(t: Test, product: Product): Promise<Routed> {
  const pool = product.pool()
  const people: Person[] = []
  t.teardown(async () => {
    await Promise.all(people.flatMap(({ sockets }) => sockets).map((socket) => socket.close()))
    await pool.end()
  })
  const workspace = await makeWorkspace(pool, `routed-${Date.now()}`, 'alertmanager')
  const make = async <T>(path: string, body: object, method = 'POST'): Promise<T> => {
    const answer = await product.api(method, `/api/v1/${path}`, body, workspace.apiToken)
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const join = async (role: string, joins?: (user_id: string) => Promise<unknown>): Promise<Person> => {
    const joined = await person(product, pool, workspace, role, joins)
    people.push(joined)
    return joined
  }
  // The team comes first: a socket learns within 5 s of a team that is made after it was opened.
  const { id: team_id } = await make<{ id: string }>('teams', { name: 'Shop', visibility: 'private' })
  const who = {
    member: await join('responder', (user_id) => make(`teams/${team_id}/members/${user_id}`, { role: 'member' }, 'PUT')),
    outsider: await join('responder'),
    admin: await join('admin')
  }
  for (const rule of rulesFor(team_id)) await make('routing-rules', rule)

  const startsAt = new Date(Date.now() - 60_000).toISOString()
  const post = async (status: 'firing' | 'resolved'): Promise<void> => {
    const answer = await fetch(`${product.access.base_url}/api/v1/webhook/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.door}`, 'content-type': 'application/json' },
      body: notification(status, startsAt)
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
  }
  const [read] = who.member.readers
  if (!read) throw new Error('nobody reads')
  const seen = (what: string, count: number, status: string): Promise<Incident[]> =>
    until(
      what,
      async () => {
        const found = (await read<{ items: Incident[] }>('incidents')).body.items.filter((incident) => incident.status === status)
        const all = found.length === 3 && found.reduce((sum, { alert_count }) => sum + alert_count, 0) === count
        return all ? found : null
      },
      LIMIT_MS
    )

  await post('firing')
  const open = await seen('39 alerts in three incidents', 39, 'ongoing')
  const [muted, ...groups] = open.sort((one, other) => one.alert_count - other.alert_count)
  if (!muted) throw new Error('no incident')
  t.match(groups, [
    { team_id, alert_count: 19, ongoing_alerts: 19 },
    { team_id, alert_count: 19, ongoing_alerts: 19 }
  ])
  t.match(muted, { team_id, alert_count: 1, title: 'cart-7 is too slow', suppressed_by_rule_id: String })
  const kept = (await read<{ items: Alert[] }>('alerts?promoted=false')).body.items
  t.match(kept, [{ status: 'ongoing', incident_id: null, labels: { instance: 'pay-7' } }])
  const outcome: Outcome = { muted, groups, kept_id: kept[0]?.id ?? '' }
  for (const reader of [...who.member.readers, ...who.admin.readers]) await seesAll(t, reader, outcome)
  for (const reader of who.outsider.readers) await seesNothing(t, reader, outcome)

  await post('resolved')
  await seen('all are over', 39, 'resolved')
  t.match((await read<Alert>(`alerts/${outcome.kept_id}`)).body, { status: 'resolved' })
  await heard(t, who, outcome)
  await inFigures(t, who, outcome)
  return { tenant_id: workspace.tenant_id, team_id, ...(await onTheLog(t, product, workspace, team_id)) }
}
