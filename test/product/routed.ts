/**
 * Alertmanager fires 40 alerts of two services: routed by label to a private team, grouped per
 * service, one suppressed by a rule, one never promoted; recoveries end the groups. A member of the
 * team, an outsider and an admin, each by session and by token, read what is theirs through REST,
 * frames, topics, figures, tables and explanations.
 */
import { join } from 'node:path'
import type { Test } from 'tap'
import type { AlertEvent } from '../../schemas/generated/events.ts'
import { scopes } from '../../schemas/http/endpoints.ts'
import { isVisible, type Sight, wholeWorkspace } from '../../schemas/http/visibility.ts'
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

/** Somebody of the workspace: what they read by token and by session. */
interface Person {
  user_id: string
  token: string
  readers: Reader[]
}

async function person(product: Product, pool: Pool, { tenant_id }: TestWorkspace, role: string): Promise<Person> {
  const user_id = uuidv7()
  await pool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, '-')", [
    user_id,
    `${user_id}@example.test`,
    role
  ])
  await pool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  const [session, token] = [mintSession(), mintApiToken()]
  await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    await insertSession(tx, tenant_id, { sha256: session.sha256, user_id, ip: '127.0.0.1', user_agent: null, remembered: false })
    const settings = { name: role, scopes: [...scopes], expires_at: null, allowed_cidrs: [] }
    await insertApiToken(tx, tenant_id, { ...settings, user_id, sha256: token.sha256, prefix: token.prefix })
  })
  const by =
    (headers: Record<string, string>): Reader =>
    async <T>(path: string) => {
      const answer = await fetch(`${product.access.base_url}/api/v1/${path}`, { headers })
      return { status: answer.status, body: (await answer.json()) as T }
    }
  return {
    user_id,
    token: token.value,
    readers: [by({ authorization: `Bearer ${token.value}` }), by({ cookie: `service_session=${session.value}` })]
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

/** What the story left on the log, for the tables, which are read once analytics has ended. */
export interface Routed {
  tenant_id: string
  team_id: string
  events: AlertEvent[]
}

/** What the member, the outsider and the admin see, by the one rule. */
const sights = (team_id: string): Record<string, Sight> => ({
  member: { own: [team_id], hidden: [] },
  outsider: { own: [], hidden: [team_id] },
  admin: 'all'
})

/** What alert.events.v1 says of the alerts with a life of their own: one each, whoever reads it. */
async function onTheLog(t: Test, product: Product, { tenant_id }: TestWorkspace, team_id: string): Promise<AlertEvent[]> {
  const log = await readBack(product)
  const records = await log.read('alert.events.v1').finally(() => log.close())
  // The relay may have sent one twice: the same id and version.
  const events = new Map<string, AlertEvent>()
  for (const { value, key } of records) {
    const event = value && log.codec.decode('AlertEvent', value)
    if (event?.tenant_id !== tenant_id) continue
    t.equal(key, event.alert_id)
    events.set(`${event.alert_id} ${event.ver}`, event)
  }
  const of = (change: string): AlertEvent[] => [...events.values()].filter((event) => event.change === change)
  t.equal(events.size, 2 * 39, 'each opened and resolved; the muted incident is its own alert')
  for (const [change, ver] of [['opened', 1] as const, ['resolved', 2] as const]) {
    t.equal(of(change).length, 39)
    t.ok(
      of(change).every((event) => event.ver === ver && event.team_id === team_id && event.alert.team_id === team_id),
      `${change}: with its version and team`
    )
  }
  t.equal(of('opened').filter(({ incident_id }) => incident_id === null).length, 1, 'one belongs to no incident')
  t.equal(new Set(of('opened').flatMap(({ incident_id }) => incident_id ?? [])).size, 2, 'the others to two')
  const seen = (sight: Sight): number => [...events.values()].filter((event) => isVisible(sight, event)).length
  // Visibility is that of now: the record says whose it is, the reader whether the team is private.
  t.match(Object.fromEntries(Object.entries(sights(team_id)).map(([who, sight]) => [who, seen(sight)])), {
    member: 78,
    outsider: 0,
    admin: 78
  })
  return [...events.values()]
}

/** The table holds what the log says, once, and whose it is. The engine belongs to one process. */
export async function routedTable(t: Test, dataDir: string, { tenant_id, team_id, events }: Routed): Promise<void> {
  const engine = openEngine({ path: join(dataDir, 'clickhouse') })
  try {
    const text = await engine.query(
      `SELECT toString(event_id) AS event_id, toString(alert_id) AS alert_id, ver, change, toUnixTimestamp64Milli(at) AS at, cause, incident_id,
              status, title, team_id, visibility
         FROM alert_events FINAL WHERE tenant_id = {tenant_id:UUID} ORDER BY event_id`,
      { tenant_id },
      { timeMs: 60_000, maxRows: 1000 }
    )
    const rows = JSON.parse(text) as { team_id: string; visibility: 'org' | 'private' }[]
    const expected = events.map(({ event_id, alert_id, ver, change, at, cause, incident_id, alert, team_id, visibility }) => {
      const { status, title } = alert
      return { event_id, alert_id, ver, change, at, cause: cause.src, incident_id: incident_id ?? '', status, title, team_id, visibility }
    })
    t.same(
      rows,
      expected.sort((one, other) => (one.event_id < other.event_id ? -1 : 1))
    )
    for (const [who, sight] of Object.entries(sights(team_id)))
      t.equal(rows.filter((row) => isVisible(sight, row)).length, who === 'outsider' ? 0 : events.length, who)
  } finally {
    await engine.close()
  }
}

export async function routed(t: Test, product: Product): Promise<Routed> {
  const pool = product.pool()
  const sockets: Recording[] = []
  t.teardown(async () => {
    await Promise.all(sockets.map((socket) => socket.close()))
    await pool.end()
  })
  const workspace = await makeWorkspace(pool, `routed-${Date.now()}`, 'alertmanager')
  const make = async <T>(path: string, body: object, method = 'POST'): Promise<T> => {
    const answer = await product.api(method, `/api/v1/${path}`, body, workspace.apiToken)
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const [member, outsider, admin] = [
    await person(product, pool, workspace, 'responder'),
    await person(product, pool, workspace, 'responder'),
    await person(product, pool, workspace, 'admin')
  ]
  const { id: team_id } = await make<{ id: string }>('teams', { name: 'Shop', visibility: 'private' })
  await make(`teams/${team_id}/members/${member.user_id}`, { role: 'member' }, 'PUT')
  for (const rule of rulesFor(team_id)) await make('routing-rules', rule)

  const [mine, theirs] = [await record(product.access.base_url, member.token), await record(product.access.base_url, outsider.token)]
  sockets.push(mine, theirs)
  const startsAt = new Date(Date.now() - 60_000).toISOString()
  const post = async (status: 'firing' | 'resolved'): Promise<void> => {
    const answer = await fetch(`${product.access.base_url}/api/v1/webhook/alertmanager`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.door}`, 'content-type': 'application/json' },
      body: notification(status, startsAt)
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
  }
  const [read] = member.readers
  if (!read) throw new Error('nobody reads')
  const incidents = async (): Promise<Incident[]> =>
    (await read<{ items: Incident[] }>('incidents?sort=number')).body.items.sort((one, other) => (one.title < other.title ? -1 : 1))
  const seen = (what: string, count: number, status: string): Promise<Incident[]> =>
    until(
      what,
      async () => {
        const found = (await incidents()).filter((incident) => incident.status === status)
        const all = found.length === 3 && found.reduce((sum, { alert_count }) => sum + alert_count, 0) === count
        return all ? found : null
      },
      LIMIT_MS
    )

  await post('firing')
  const open = await seen('39 alerts in three incidents', 39, 'ongoing')
  const [muted, ...groups] = [...open].sort((one, other) => one.alert_count - other.alert_count)
  t.match(groups, [
    { team_id, alert_count: 19, ongoing_alerts: 19 },
    { team_id, alert_count: 19, ongoing_alerts: 19 }
  ])
  t.match(muted, { team_id, alert_count: 1, title: 'cart-7 is too slow', suppressed_by_rule_id: String })
  const kept = (await read<{ items: Alert[] }>('alerts?promoted=false')).body.items
  t.match(kept, [{ status: 'ongoing', incident_id: null, labels: { instance: 'pay-7' } }])
  const group = groups[0] as Incident
  t.equal((await read<{ items: Alert[] }>(`incidents/${group.id}/alerts?per_page=100`)).body.items.length, 19)

  for (const reader of [...member.readers, ...admin.readers]) {
    t.equal((await reader<{ total: number }>('incidents')).body.total, 3)
    t.equal((await reader<{ items: Alert[] }>('alerts?per_page=100')).body.items.length, 40)
    const why = (await reader<{ steps: { rule: string; trace?: { name: string; outcome: string }[] }[] }>(`incidents/${group.key}/explain`))
      .body
    t.match(why.steps.find(({ rule }) => rule === 'routing')?.trace, [
      { name: 'Noise', outcome: 'not_matched' },
      { name: 'Muted', outcome: 'not_matched' },
      { name: 'Shop', outcome: 'matched' }
    ])
    t.equal((await reader<{ items: object[] }>('routing-rules')).body.items.length, 4)
  }
  for (const reader of outsider.readers) {
    t.equal((await reader<{ total: number }>('incidents')).body.total, 0)
    t.same((await reader<{ items: Alert[] }>('alerts')).body.items, [])
    t.equal((await reader<{ items: object[] }>('routing-rules')).body.items.length, 1, 'the default rule alone')
    for (const path of [`incidents/${group.id}`, `incidents/${group.key}/explain`, `incidents/${group.id}/alerts`, `alerts/${kept[0]?.id}`])
      t.equal((await reader(path)).status, 404, path)
  }

  await post('resolved')
  await seen('all are over', 39, 'resolved')
  t.match((await read<Alert>(`alerts/${kept[0]?.id}`)).body, { status: 'resolved' })
  await mine.frame('the last group is resolved', ({ type, data }) => type === 'incident.resolved' && data.incident_id === group.id)
  const told = mine.frames.filter(({ frame }) => frame.channel === 'monitors.status')
  t.ok(told.length >= 6 && told.length <= 3 * 8, `${told.length} frames for 80 signals`)
  t.same(
    theirs.frames.filter(({ frame }) => frame.channel === 'monitors.status'),
    [],
    'the outsider heard nothing'
  )

  // The same in ClickHouse, from the log.
  const figures = async (reader: Reader): Promise<number> =>
    (await reader<{ items: { opened: number }[] }>('analytics/incidents')).body.items?.reduce((sum, { opened }) => sum + opened, 0) ?? -1
  await until('three incidents in the figures', async () => ((await figures(read)) === 3 ? true : null), LIMIT_MS, 500)
  for (const reader of outsider.readers) t.equal(await figures(reader), 0)
  return { tenant_id: workspace.tenant_id, team_id, events: await onTheLog(t, product, workspace, team_id) }
}
