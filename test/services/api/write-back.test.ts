/**
 * Tests that what the API answers can be written back: a program reads an object, changes one
 * field, and sends the others as they were. Every route with PATCH has its cases here.
 * Source: docs/design/api.md#s1-1.
 */
import type { FastifySchema } from 'fastify'
import t from 'tap'
import { DAY, daily, daysAgo, HOUR, later } from './on-calling.ts'
import { makeRegions, onlineEverywhere } from './probing.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

interface Made {
  id: string
}

/** Creates an object and returns its path. */
type Case = (s: Stand, who: Workspace) => Promise<string>

async function post(s: Stand, who: Workspace, path: string, body: object): Promise<Made> {
  const answer = await s.call(who, 'POST', path, body)
  if (answer.statusCode !== 201) throw new Error(`${path} ${answer.statusCode} ${answer.body}`)
  return answer.json()
}

/** Creates an object under an address, and returns the address of the object. */
const made =
  (path: string, body: object | ((s: Stand, who: Workspace) => Promise<object> | object)): Case =>
  async (s, who) => {
    const written = typeof body === 'function' ? await body(s, who) : body
    return `${path}/${(await post(s, who, path, written)).id}`
  }

const MONITORS = '/api/v1/monitors'
const CHANNELS = '/api/v1/notifications/channels'
const WINDOWS = '/api/v1/maintenance-windows'
const SCHEDULES = '/api/v1/on-call/schedules'
const hook = { name: 'Hook', kind: 'webhook', config: { url: 'https://hooks.example.com/in?token=abc', secret: 'a-long-secret-0123' } }
const office = { time_zone: 'Asia/Kolkata', days: ['mon'], from: '09:00', to: '17:00' }
const nightly = {
  kind: 'recurring',
  rrule: 'FREQ=DAILY',
  time_zone: 'Europe/Kyiv',
  starts_on: daysAgo(2),
  at: '02:00',
  duration_minutes: 30
}

/** By the address of the route. */
const cases: Record<string, Record<string, Case>> = {
  '/api/v1/incidents/:id': { incident: async (s, who) => `/api/v1/incidents/${(await s.incident(who)).incident_id}` },
  '/api/v1/monitors/:id': {
    http: made(MONITORS, {
      name: 'Shop',
      type: 'http',
      target: 'https://shop.example/health',
      tags: ['eu'],
      config: { headers: [{ name: 'Authorization', value: 'Bearer x', secret: true }] }
    }),
    tcp: made(MONITORS, { name: 'Port', type: 'tcp', target: 'shop.example:25' }),
    dns: made(MONITORS, { name: 'Name', type: 'dns', target: 'shop.example' }),
    external: made(MONITORS, { name: 'Pushed', type: 'external' })
  },
  '/api/v1/monitor-groups/:id': { group: made('/api/v1/monitor-groups', { name: 'Shops' }) },
  '/api/v1/private-locations/:id': { location: made('/api/v1/private-locations', { label: 'Cellar' }) },
  '/api/v1/heartbeats/:id': {
    period: made('/api/v1/heartbeats', { name: 'Backup', schedule: { kind: 'period', period_seconds: 3600 } }),
    cron: made('/api/v1/heartbeats', { name: 'Report', schedule: { kind: 'cron', expression: '0 3 * * *', time_zone: 'Asia/Kolkata' } })
  },
  '/api/v1/integrations/inbound/:id': {
    integration: made('/api/v1/integrations/inbound', { name: 'Grafana', source_type: 'grafana' })
  },
  '/api/v1/account': { account: async () => '/api/v1/account' },
  '/api/v1/workspace': { workspace: async () => '/api/v1/workspace' },
  '/api/v1/routing-rules/:id': {
    rule: made('/api/v1/routing-rules', {
      name: 'Office',
      match: { all: [{ field: 'hour', op: 'in_window', value: office }] },
      time_window: office,
      actions: { severity: 'warning' }
    })
  },
  '/api/v1/silences/:id': {
    silence: made('/api/v1/silences', {
      matchers: [{ field: 'title', op: 'contains', value: 'disk' }],
      comment: 'Known.',
      ends_at: later(HOUR)
    })
  },
  '/api/v1/maintenance-windows/:id': {
    once: made(WINDOWS, {
      name: 'Move',
      scope: { tags: ['eu'] },
      schedule: { kind: 'once', starts_at: later(HOUR), ends_at: later(2 * HOUR) }
    }),
    'once, that runs': made(WINDOWS, {
      name: 'Now',
      scope: { all: true },
      schedule: { kind: 'once', starts_at: later(-HOUR), ends_at: later(HOUR) }
    }),
    recurring: made(WINDOWS, { name: 'Nightly', scope: { tags: ['eu'] }, schedule: nightly }),
    'recurring, with an end': made(WINDOWS, {
      name: 'Some nights',
      scope: { tags: ['eu'] },
      schedule: { ...nightly, until: later(9 * DAY), exdates: [later(3 * DAY).slice(0, 10)] }
    })
  },
  '/api/v1/on-call/schedules/:id': {
    'a new one': made(SCHEDULES, (_, { user_id }) => ({
      name: 'Primary',
      time_zone: 'Asia/Kolkata',
      layers: [daily([user_id], { time_zone: 'Europe/Kyiv' })]
    })),
    'one that was changed': async (s, who) => {
      const path = await made(SCHEDULES, { name: 'Second', time_zone: 'UTC', layers: [daily([who.user_id])] })(s, who)
      const answer = await s.call(who, 'PATCH', path, { layers: [daily([who.user_id, null])] })
      if (answer.json().effective_at === null) throw new Error(answer.body)
      const aged = "UPDATE schedule_versions SET effective_at = effective_at - interval '1 day' WHERE tenant_id = $1 AND version = 2"
      await s.systemPool.query(aged, [who.tenant_id])
      return path
    },
    'one with a change to come': async (s, who) => {
      const path = await made(SCHEDULES, { name: 'Third', time_zone: 'UTC', layers: [daily([who.user_id])] })(s, who)
      const answer = await s.call(who, 'PATCH', path, { layers: [daily([who.user_id, null])], effective_at: later(DAY) })
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return path
    }
  },
  '/api/v1/notifications/channels/:id': {
    webhook: made(CHANNELS, hook),
    mail: made(CHANNELS, { name: 'Mail', kind: 'email', config: { recipient: 'ops@example.com' } }),
    mattermost: made(CHANNELS, {
      name: 'Chat',
      kind: 'mattermost',
      config: { webhook_url: `https://chat.example.com/hooks/${'a'.repeat(26)}` }
    })
  },
  '/api/v1/notifications/templates/:id': {
    template: made('/api/v1/notifications/templates', { kind: 'slack', event: 'down', title: 'Down: {{ incident.title }}' })
  },
  '/api/v1/on-call/escalation-policies/:id': {
    policy: made('/api/v1/on-call/escalation-policies', (_, { user_id }) => ({
      name: 'Primary',
      steps: [
        { targets: [{ type: 'user', id: user_id }], only_if: { time_window: office } },
        { delay_seconds: 300, targets: [{ type: 'user', id: user_id }] }
      ]
    }))
  },
  '/api/v1/teams/:id': { team: made('/api/v1/teams', { name: 'Ops' }) },
  '/api/v1/workspace/members/:user_id': { member: async (_, { user_id }) => `/api/v1/workspace/members/${user_id}` },
  '/api/v1/workspace/tokens/:id': { token: made('/api/v1/workspace/tokens', { name: 'CI', scopes: ['read'] }) }
}

/** Reads an object as GET answers it; some can only be read in their list. */
async function read(s: Stand, who: Workspace, path: string): Promise<Record<string, unknown>> {
  const answer = await s.call(who, 'GET', path)
  if (path === '/api/v1/account') return answer.json().user
  if (answer.statusCode === 200) return answer.json()
  const at = path.lastIndexOf('/')
  const { items } = (await s.call(who, 'GET', path.slice(0, at))).json()
  return items.find(({ id, user_id }: Record<string, string>) => [id, user_id].includes(path.slice(at + 1)))
}

const fieldsOf = (schema: FastifySchema | undefined): string[] =>
  Object.keys((schema?.body as { properties?: object } | undefined)?.properties ?? {})

t.test('what GET answers is taken by PATCH and changes nothing', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  await onlineEverywhere(s)
  await s.ownerPool.query("UPDATE probers SET kinds = '{http,tcp,dns}'")
  const home = await s.workspace('write-back')
  const routes = s.routes.filter(({ method, endpoint }) => method === 'PATCH' && endpoint !== null)
  t.same(Object.keys(cases).sort(), routes.map(({ url }) => url).sort(), 'every route with PATCH is here')
  for (const { url, schema } of routes)
    for (const [name, make] of Object.entries(cases[url] ?? {}))
      await t.test(`${url}: ${name}`, async (t) => {
        const path = await make(s, home)
        const before = await read(s, home, path)
        const body = Object.fromEntries(fieldsOf(schema).flatMap((field) => (field in before ? [[field, before[field]]] : [])))
        t.ok(Object.keys(body).length > 0, 'it has fields to write')
        t.notMatch(JSON.stringify(before), /Calcutta|Kiev/, 'names of zones are as they were sent')
        const answer = await s.call(home, 'PATCH', path, body)
        t.equal(answer.statusCode, 200, answer.body)
        const after = await read(s, home, path)
        t.equal(after.version, before.version, 'nothing changed')
        for (const field of Object.keys(body)) t.same(after[field], before[field], field)
      })

  await t.test('what a PUT of a whole writes has the fields of the answer', async (t) => {
    const jo = `/api/v1/notifications/preferences`
    const { user_id: _user_id, version: _version, ...wishes } = (await s.call(home, 'GET', jo)).json()
    t.ok(wishes.contact_methods.length > 0)
    const kept = await s.call(home, 'PUT', jo, wishes)
    t.match(kept.json(), wishes, kept.body)
    const { incident_id } = await s.incident(home)
    const path = `/api/v1/incidents/${incident_id}/postmortem`
    const action_items = [{ title: 'Buy a disk', owner_id: home.user_id }]
    const written = (await s.call(home, 'PUT', path, { impact: 'None.', action_items })).json()
    t.match(written, { action_items: [{ owner_name: 'write-back' }], version: 1 })
    const { status, impact, action_items: items, timeline_refs } = written
    const again = await s.call(home, 'PUT', path, { status, impact, action_items: items, timeline_refs })
    t.match(again.json(), { version: 1, action_items: items }, again.body)
  })
})
