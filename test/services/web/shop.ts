/**
 * Fills a workspace as a small shop would have it after a while, for looking at pages: healthy and
 * failing monitors, alerts from tools, people on call in turn, and the settings around them.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { mintChatLink } from '../../../services/credentials/credentials.ts'
import { offerLink } from '../../../services/store/chat.ts'
import { until } from '../../harness/until.ts'
import { certificate, https } from '../prober/stand.ts'
import { PATIENCE_MS } from './browser.ts'
import type { Newcomer, Stage } from './stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Made {
  id: string
  key: string
  endpoint_url: string
  ping_url: string
  accept_url: string
}

export async function make(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

/** Adds members to the workspace who never log in. Returns their ids by name. */
export async function colleagues(stage: Stage, owner: Newcomer, names: readonly string[]): Promise<Record<string, string>> {
  const { id } = (await owner.api('GET', '/api/v1/workspace')).body as { id: string }
  const pool = stage.product.pool()
  const ids: Record<string, string> = {}
  try {
    for (const name of names) {
      const user_id = randomUUID()
      await pool.query('INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
        user_id,
        `${user_id}@example.test`,
        name,
        'never'
      ])
      await pool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'responder')", [id, user_id])
      ids[name] = user_id
    }
  } finally {
    await pool.end()
  }
  return ids
}

const SLOW_MS = 180

/**
 * Serves the sites of the shop: `/payments` is down, `/search` is slow, everything else is well.
 */
async function openSites(t: Test): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const isDown = url.startsWith('/payments')
    setTimeout(
      () => {
        response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(isDown ? { error: 'upstream is not there' } : { healthy: true, queue: 3 }))
      },
      url.startsWith('/search') ? SLOW_MS : 5
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Ids of what the shop has, for the addresses of pages. */
export interface Shop {
  monitor: string
  downMonitor: string
  heartbeat: string
  integration: string
  incident: string
  /** An incident with a long title. */
  longIncident: string
  ended: string
  alert: string
  schedule: string
  policy: string
  team: string
  channel: string
  rule: string
  silence: string
  window: string
  template: string
  delivery: string
  mail: string
  /** Paths of links that are handed out once. */
  inviteLink: string
  mailLink: string
  chatLink: string
}

async function watched(
  owner: Newcomer,
  site: string,
  secureSite: string,
  team_id: string
): Promise<{ monitors: Made[]; heartbeats: Made[] }> {
  const monitor = (name: string, path: string, more: object = {}) =>
    make(owner, '/api/v1/monitors', { name, type: 'http', target: `${site}${path}`, interval_seconds: 30, ...more })
  await make(owner, '/api/v1/monitor-groups', { name: 'Checkout' })
  const monitors = [
    await monitor('Storefront', '/', { tags: ['shop', 'public'], team_id, description: 'What customers see first.' }),
    await monitor('Payments API', '/payments/health', {
      tags: ['shop', 'payments'],
      team_id,
      assertions: [{ source: 'status', op: 'eq', value: 200 }],
      confirmation: { regions: 'majority', rounds: 1 }
    }),
    await monitor('Search', '/search?q=tea', { tags: ['shop'], degraded_after_ms: 100 }),
    await monitor('Customer accounts', '/accounts/health', { tags: ['shop'] }),
    await monitor('Documentation', '/docs', { tags: ['public'] }),
    await monitor('The warehouse of the northern region, with its stock and its deliveries', '/warehouse/north/stock/health'),
    await make(owner, '/api/v1/monitors', { name: 'Webmail', type: 'http', target: secureSite, config: { verify_tls: false } })
  ]
  const heartbeat = (name: string, schedule: object, more: object = {}) => make(owner, '/api/v1/heartbeats', { name, schedule, ...more })
  const heartbeats = [
    await heartbeat(
      'Nightly backup of the database',
      { kind: 'cron', expression: '30 2 * * *', time_zone: 'Europe/Berlin' },
      { tags: ['backup'], team_id, description: 'Restores are tried **every Monday**: see https://wiki.example.com/restore' }
    ),
    await heartbeat('Invoices of the day', { kind: 'period', period_seconds: 86_400 }, { tags: ['billing'] }),
    await heartbeat('Newsletter', { kind: 'cron', expression: '0 9 * * 1', time_zone: 'Europe/Berlin' }),
    await heartbeat('Stock of the warehouse', { kind: 'period', period_seconds: 900 })
  ]
  for (const { ping_url } of heartbeats.slice(0, 3))
    for (let nth = 0; nth < 6; nth++) await fetch(ping_url, { method: 'POST', body: `Exported ${nth * 3 + 9} tables in ${nth + 4} s` })
  return { monitors, heartbeats }
}

const alertOf = (title: string, severity: string, service: string) => ({
  title,
  severity,
  dedup_key: title,
  description: `${title}. Runbook: https://wiki.example.com/${service}`,
  labels: { service, env: 'production', region: 'eu-central-1' }
})

async function send(door: string, body: object): Promise<void> {
  const answer = await fetch(door, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
}

async function incidentOf(owner: Newcomer, title: string): Promise<Made> {
  return until(
    `the incident of ${title}`,
    async () => {
      const { body } = await owner.api('GET', `/api/v1/incidents?q=${encodeURIComponent(title)}`)
      return (body.items as Made[])[0] ?? null
    },
    2 * PATIENCE_MS
  )
}

const LONG =
  'KubePersistentVolumeFillingUp for namespace production-payments, claim data-postgresql-primary-0: the volume is expected to fill up within four days'

async function arrived(owner: Newcomer): Promise<{ integration: Made; incident: Made; long: Made; ended: Made }> {
  const integration = await make(owner, '/api/v1/integrations/inbound', { name: 'Prometheus, production', source_type: 'generic' })
  await make(owner, '/api/v1/integrations/inbound', { name: 'Grafana', source_type: 'grafana' })
  const jobs = await make(owner, '/api/v1/integrations/inbound', { name: 'Batch jobs', source_type: 'generic' })
  await send(integration.endpoint_url, { alerts: [alertOf('Checkout answers slowly', 'warning', 'checkout')] })
  await send(integration.endpoint_url, { alerts: [alertOf('Disk of db-1 is almost full', 'critical', 'database')] })
  await send(integration.endpoint_url, { alerts: [alertOf(LONG, 'critical', 'payments')] })
  await send(jobs.endpoint_url, { alerts: [alertOf('Export of orders failed', 'warning', 'orders')] })
  await send(jobs.endpoint_url, { alerts: [alertOf('Queue of mails is long', 'info', 'mail')] })
  const incident = await incidentOf(owner, 'Disk of db-1')
  const ended = await incidentOf(owner, 'Export of orders')
  const slow = await incidentOf(owner, 'Checkout answers')
  const of = (one: Made) => `/api/v1/incidents/${one.id}`
  await owner.api('POST', `${of(slow)}/acknowledge`, { comment: 'It is the new index; I am building it.' })
  await owner.api('POST', `${of(incident)}/comments`, { body: 'The log of `orders` grew by 40 GB since **Tuesday**.' })
  await owner.api('POST', `${of(ended)}/resolve`, {})
  await owner.api('PUT', `${of(ended)}/postmortem`, {
    status: 'published',
    impact: 'Orders of an hour were exported late. Nobody paid twice.',
    root_cause: 'The disk of the export was full.',
    lessons: 'Watch the disk, not only the job.'
  })
  return { integration, incident, long: await incidentOf(owner, LONG.slice(0, 40)), ended }
}

async function onCall(owner: Newcomer, people: readonly string[], team_id: string): Promise<{ schedule: Made; policy: Made }> {
  const starts_on = new Date(Date.now() - 21 * DAY_MS).toISOString().slice(0, 10)
  const layer = { name: 'Week', participants: people, rotation: 'weekly', handoff_day: 'mon', handoff_time: '09:00', starts_on }
  const schedule = await make(owner, '/api/v1/on-call/schedules', {
    name: 'Shop, primary',
    time_zone: 'Europe/Berlin',
    team_id,
    layers: [layer]
  })
  const policy = await make(owner, '/api/v1/on-call/escalation-policies', {
    name: 'Shop: day and night',
    description: 'Whoever is on call, then everybody.',
    team_id,
    steps: [
      { targets: [{ type: 'schedule', id: schedule.id }] },
      { targets: people.slice(0, 2).map((id) => ({ type: 'user', id })), delay_seconds: 600 }
    ]
  })
  return { schedule, policy }
}

async function setUp(owner: Newcomer, email: string): Promise<Pick<Shop, 'channel' | 'rule' | 'silence' | 'window' | 'template'>> {
  // Its address must be confirmed. The mail with the link is in the mailbox.
  await make(owner, '/api/v1/notifications/channels', { name: 'Night desk', kind: 'email', config: { recipient: 'night@example.test' } })
  const channel = await make(owner, '/api/v1/notifications/channels', {
    name: 'Mail to the shop team',
    kind: 'email',
    config: { recipient: email },
    is_default: true
  })
  await make(owner, '/api/v1/notifications/channels', {
    name: 'Chat bot',
    kind: 'webhook',
    config: { url: 'https://chat.example.com/hooks/incidents' }
  })
  const rule = await make(owner, '/api/v1/routing-rules', {
    name: 'Staging stays quiet',
    match: { all: [{ field: 'label.env', op: 'eq', value: 'staging' }] },
    actions: { severity: 'info', channel_ids: [] }
  })
  await make(owner, '/api/v1/routing-rules', {
    name: 'Payments are always critical',
    match: { all: [{ field: 'label.service', op: 'eq', value: 'payments' }] },
    actions: { severity: 'critical', labels_add: { tier: 'one' } }
  })
  const silence = await make(owner, '/api/v1/silences', {
    matchers: [{ field: 'title', op: 'contains', value: 'mails' }],
    ends_at: new Date(Date.now() + 6 * HOUR_MS).toISOString(),
    comment: 'The mail provider moves its servers until tonight'
  })
  const window = await make(owner, '/api/v1/maintenance-windows', {
    name: 'Upgrade of the database',
    reason: 'Version 18, with the index of orders built anew',
    scope: { tags: ['payments'] },
    schedule: {
      kind: 'once',
      starts_at: new Date(Date.now() + DAY_MS).toISOString(),
      ends_at: new Date(Date.now() + DAY_MS + 2 * HOUR_MS).toISOString()
    }
  })
  const template = await make(owner, '/api/v1/notifications/templates', {
    event: 'down',
    title: '{{incident.title}}',
    body: '{{incident.title}} since {{incident.started_at}}'
  })
  return { channel: channel.id, rule: rule.id, silence: silence.id, window: window.id, template: template.id }
}

/** Makes what a person sets up for themselves, or for scripts and probers. */
async function ownThings(owner: Newcomer, schedule: string, colleague: string): Promise<void> {
  await make(owner, '/api/v1/account/views', { page: 'incidents', name: 'Critical ones', search: { severity: 'critical' } })
  await make(owner, '/api/v1/workspace/tokens', { name: 'Deploy script', scopes: ['read', 'write'] })
  await make(owner, '/api/v1/private-locations', { label: 'Warehouse, Hamburg' })
  await make(owner, '/api/v1/on-call/overrides', {
    schedule_id: schedule,
    user_id: colleague,
    starts_at: new Date(Date.now() + DAY_MS).toISOString(),
    ends_at: new Date(Date.now() + DAY_MS + 8 * HOUR_MS).toISOString(),
    reason: 'At the dentist'
  })
  await make(owner, '/api/v1/deployments/maintenance', {
    name: 'Shop 1.4.2',
    service: 'shop',
    environment: 'production',
    version: '1.4.2',
    scope: { tags: ['public'] }
  })
}

/** Returns the addresses that a mail and a chat app link to. */
async function links(stage: Stage, owner: Newcomer): Promise<Pick<Shop, 'mail' | 'mailLink' | 'chatLink'>> {
  const id = await until('the mail that confirms an address', async () => {
    const { items } = (await owner.api('GET', '/api/v1/notifications/mailbox')).body as unknown as {
      items: { id: string; recipient: string }[]
    }
    return items.find(({ recipient }) => recipient === 'night@example.test')?.id ?? null
  })
  const { text } = (await owner.api('GET', `/api/v1/notifications/mailbox/${id}`)).body
  const { value, sha256 } = mintChatLink()
  const pool = stage.product.pool()
  try {
    await offerLink(pool, { vendor: 'slack', account: 'T0123ABCD', sender: `U-${id}`, name: 'jo.doe' }, sha256, 900)
  } finally {
    await pool.end()
  }
  return { mail: id, mailLink: /\/links\/cnf_[\w-]+/.exec(String(text))?.[0] ?? '', chatLink: `/links/chat/${value}` }
}

/** Fills the newcomer's workspace, and waits for everything that follows from it. */
export async function openShop(t: Test, stage: Stage, owner: Newcomer): Promise<Shop> {
  const { api } = owner
  await api('PATCH', '/api/v1/workspace', { name: 'Tea & Kettle' })
  const { items: members } = (await api('GET', '/api/v1/workspace/members')).body as unknown as {
    items: { user_id: string; email: string }[]
  }
  const people = Object.values(await colleagues(stage, owner, ['Ada Lindqvist', 'Benedikt Okafor', 'Chiara Rossi']))
  const me = members[0]
  const team = await make(owner, '/api/v1/teams', { name: 'Shop', description: 'What customers buy with.' })
  await make(owner, '/api/v1/teams', { name: 'Warehouse' })
  await api('PUT', `/api/v1/teams/${team.id}/members/${people[0]}`, { role: 'member' })
  const invite = await make(owner, '/api/v1/workspace/invites', { email: `dana-${randomUUID()}@example.test`, role: 'editor' })
  const set = await setUp(owner, me?.email ?? '')
  const secureSite = await https(t, certificate(t, { days: 20 }), (_request, response) => response.end('well'))
  const { monitors, heartbeats } = await watched(owner, await openSites(t), secureSite, team.id)
  const { integration, incident, long, ended } = await arrived(owner)
  const { schedule, policy } = await onCall(owner, [me?.user_id ?? '', ...people], team.id)
  await ownThings(owner, schedule.id, people[1] ?? '')
  const alert = (await api('GET', '/api/v1/alerts')).body.items as Made[]
  const delivery = await until(
    'a delivery',
    async () => ((await api('GET', '/api/v1/notifications/deliveries')).body.items as Made[])[0] ?? null,
    2 * PATIENCE_MS
  )
  for (const { id } of monitors)
    await until(
      'an answer of a region',
      async () => (await api('GET', `/api/v1/monitors/${id}`)).body.last_checked_at !== null,
      2 * PATIENCE_MS
    )
  await incidentOf(owner, 'Payments API')
  return {
    ...set,
    monitor: monitors[0]?.id ?? '',
    downMonitor: monitors[1]?.id ?? '',
    heartbeat: heartbeats[0]?.id ?? '',
    integration: integration.id,
    incident: incident.key,
    longIncident: long.key,
    ended: ended.key,
    alert: alert[0]?.id ?? '',
    schedule: schedule.id,
    policy: policy.id,
    team: team.id,
    delivery: delivery.id,
    inviteLink: new URL(invite.accept_url).pathname,
    ...(await links(stage, owner))
  }
}
