/**
 * Tests of isolation between two workspaces that know each other's ids. Every route answers 404 for
 * an id of the other workspace. Postgres itself, queried as the api's role without any filter,
 * shows and changes nothing of the other workspace.
 */

import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { mintLink } from '../../../services/credentials/links.ts'
import { setCeiling } from '../../../services/operator/budget.ts'
import { saveFeed } from '../../../services/store/feed.ts'
import { noteIntake } from '../../../services/store/intake-facts.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import { channel } from '../notifier/channels.ts'
import { analyticsDouble } from './analytics-double.ts'
import { routesWithIds } from './crawl.ts'
import { onlineEverywhere } from './probing.ts'
import { rota } from './rota.ts'
import { SECRETS_KEY, type Stand, stand, type Workspace } from './stand.ts'
import { heartbeat } from './watched.ts'

/** A delivery as analytics returns it. */
const delivery = {
  raw_id: '0198e000-0000-7000-8000-000000000001',
  n: 0,
  received_at: 1_790_000_000_000,
  source: 'alertmanager',
  outcome: 'rejected',
  reason: null,
  alerts: 0,
  bytes: 2,
  content_type: null,
  payload_sha256: 'ab',
  encoding: 'utf8',
  payload: '{}'
}

/** A captured answer of a check as analytics returns it. */
const capture = {
  check_id: '0198e000-0000-7000-8000-000000000002',
  monitor_id: '0198e000-0000-7000-8000-000000000003',
  region: 'eu-west',
  prober: 'eu-1',
  config_version: 1,
  captured_at: 1_790_000_000_000,
  received_at: 1_790_000_000_000,
  reason: 'http_status',
  http_version: '1.1',
  status_code: 503,
  status_text: null,
  headers: [],
  headers_left_out: 0,
  body_kind: 'none',
  body: null,
  body_bytes: 0,
  body_cut: false
}

/** Writes an item to the feed of the workspace's owner; returns its id. */
async function told(s: Stand, { tenant_id }: Workspace): Promise<string> {
  const about = { type: 'limit', severity: 'warning', title: 'x', body: '', at: Date.now(), audience: 'managers' } as const
  await transaction(s.systemPool, (tx) => saveFeed(tx, [{ tenant_id, key: 'limit', ...about }], s.services.codec))
  const { rows } = await s.systemPool.query<{ item_id: string }>('SELECT item_id FROM feed WHERE tenant_id = $1', [tenant_id])
  const item_id = rows[0]?.item_id ?? ''
  await s.systemPool.query(
    `INSERT INTO feed_reactions (tenant_id, notice_id, emoji, user_id) SELECT tenant_id, notice_id, '👀', user_id FROM feed WHERE item_id = $1
     ON CONFLICT DO NOTHING`,
    [item_id]
  )
  return item_id
}

const snapshot = async (s: Stand, tenant_id: string): Promise<string> => {
  const tables = [
    'tenants',
    'members',
    'invites',
    'api_tokens',
    'integrations',
    'teams',
    'team_members',
    'monitors',
    'private_locations',
    'monitor_groups',
    'on_demand_checks',
    'certificate_tellings',
    'check_trials',
    'pushed_results',
    'budgets',
    'feed',
    'feed_reactions',
    'heartbeats',
    'partition_state',
    'config_versions',
    'incidents',
    'incident_events',
    'incident_comments',
    'postmortems',
    'alerts',
    'alert_events',
    'routing_heads',
    'routing_rule_sets',
    'silences',
    'maintenance_windows',
    'schedules',
    'schedule_versions',
    'schedule_history',
    'on_call_overrides',
    'on_call_swaps',
    'schedule_calendars',
    'calendar_links',
    'saved_views',
    'notification_channels',
    'deliveries',
    'notification_templates',
    'channel_confirmations',
    'confirmation_mails',
    'contact_methods',
    'chat_identities',
    'chat_pairings',
    'telegram_bots',
    'chat_install_states',
    'war_rooms',
    'notification_preferences',
    'verification_codes',
    'verified_addresses',
    'push_devices',
    'escalation_policies',
    'escalation_runs',
    'escalation_steps',
    'intents',
    'signals',
    'sessions',
    'audit',
    'outbox',
    'jobs'
  ]
  const rows = await Promise.all(
    tables.map((name) =>
      s.systemPool.query(
        `SELECT to_jsonb(x) - 'last_used_at' - 'last_used_ip' AS row FROM ${name} x WHERE tenant_id = $1 ORDER BY x::text`,
        [tenant_id]
      )
    )
  )
  return JSON.stringify(rows.map((result) => result.rows))
}

function ignoredSomething(s: Stand, { tenant_id, integration_id }: Workspace): Promise<void> {
  const at = Date.now()
  const reasons = [{ reason: 'test', deliveries: 1, last_at: at }]
  return noteIntake(s.systemPool, [{ tenant_id, integration_id, processed_at: null, ignoring_since: at, last_ignored_at: at, reasons }])
}

/** Adds a comment to an incident; returns its id. */
async function commented(s: Stand, who: Workspace, incident_id: string): Promise<string> {
  const answer = await s.call(who, 'POST', `/api/v1/incidents/${incident_id}/comments`, { body: 'On it' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

async function spareToken(s: Stand, who: Workspace): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/workspace/tokens', { name: 'spare' })
  return answer.json().id
}

/** Creates an open invite to the workspace; returns its id and token. */
async function spareInvite(s: Stand, who: Workspace, email: string): Promise<{ id: string; token: string }> {
  const answer = await s.call(who, 'POST', '/api/v1/workspace/invites', { email, role: 'viewer' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  const { id, accept_url } = answer.json()
  return { id, token: accept_url.split('/').at(-1) }
}

/** Creates a channel, and a delivery of it that has ended. */
async function spareDelivery(s: Stand, who: Workspace): Promise<{ channel_id: string; delivery_id: string }> {
  const channel_id = await channel(s, who, { config: { url: 'https://127.0.0.1/' }, is_default: false })
  const { rows } = await s.systemPool.query(
    `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, event, lane, kind, channel_id, target_id, state, next_at, queued_at, expires_at, facts, visibility)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), 'up', 0, 'webhook', $2, $2, 'failed', now(), now(), now(), '{}', 'org') RETURNING delivery_id`,
    [who.tenant_id, channel_id]
  )
  return { channel_id, delivery_id: rows[0].delivery_id }
}

/**
 * Adds a contact method of the owner, preferences, a decision to notify the owner, and a stored
 * mail.
 */
async function reached(s: Stand, { tenant_id, user_id }: Workspace): Promise<void> {
  for (const statement of [
    "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address) VALUES ($1, gen_random_uuid(), $2, 'email', 'a@example.test') ON CONFLICT DO NOTHING",
    "INSERT INTO notification_preferences (tenant_id, user_id, body) VALUES ($1, $2, '{}') ON CONFLICT DO NOTHING",
    `INSERT INTO chat_identities (tenant_id, identity_id, user_id, vendor, account, sender, name)
     VALUES ($1, gen_random_uuid(), $2, 'slack', 'T1', gen_random_uuid()::text, 'x')`,
    `INSERT INTO telegram_bots (tenant_id, bot_id, hook_id, username)
     SELECT $1, '123456789', replace(gen_random_uuid()::text, '-', ''), 'acme_bot' WHERE $2::uuid IS NOT NULL ON CONFLICT DO NOTHING`,
    `INSERT INTO chat_pairings (tenant_id, user_id, vendor, account, code_sha256, expires_at)
     VALUES ($1, $2, 'telegram', '1', sha256(gen_random_uuid()::text::bytea), now()) ON CONFLICT DO NOTHING`,
    `INSERT INTO chat_install_states (tenant_id, state_sha256, user_id, session_sha256, kind, expires_at)
     VALUES ($1, uuid_send(gen_random_uuid()), $2, 'x', 'slack', now() + interval '1 hour')`,
    `INSERT INTO war_rooms (tenant_id, incident_id, channel_id, state, name, private, created_by)
     SELECT tenant_id, incident_id, gen_random_uuid(), 'open', 'x', false, 'user:' || $2::uuid FROM incidents WHERE tenant_id = $1
     ON CONFLICT DO NOTHING`,
    `INSERT INTO incident_holds (tenant_id, incident_id, kind, cause_id, began_at)
     SELECT tenant_id, incident_id, 'mass_outage', incident_id, now() FROM incidents WHERE tenant_id = $1 AND $2::uuid IS NOT NULL
     ON CONFLICT DO NOTHING`,
    `INSERT INTO intents (tenant_id, intent_id, event, user_id, why, visibility, at, due_at, expires_at)
     VALUES ($1, gen_random_uuid(), 'down', $2, '{}', 'org', now(), now(), now())`,
    "INSERT INTO mailbox (tenant_id, mail_id, recipient, subject, mime) VALUES ($1, $2, 'a@example.test', 'x', 'x') ON CONFLICT DO NOTHING",
    'INSERT INTO alert_receipts (tenant_id) SELECT $1 WHERE $2::uuid IS NOT NULL ON CONFLICT DO NOTHING',
    "INSERT INTO phone_usage (tenant_id, month) SELECT $1, '2026-01-01' WHERE $2::uuid IS NOT NULL ON CONFLICT DO NOTHING"
  ])
    await s.systemPool.query(statement, [tenant_id, user_id])
}

async function spareSilence(s: Stand, who: Workspace): Promise<string> {
  const body = {
    matchers: [{ field: 'title', op: 'eq', value: 'x' }],
    comment: 'x',
    ends_at: new Date(Date.now() + 3_600_000).toISOString()
  }
  const answer = await s.call(who, 'POST', '/api/v1/silences', body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Creates a window that starts later, so that nothing is held now. */
async function spareWindow(s: Stand, who: Workspace): Promise<string> {
  const [starts_at, ends_at] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString())
  const body = { name: 'x', scope: { tags: ['nothing'] }, schedule: { kind: 'once', starts_at, ends_at } }
  const answer = await s.call(who, 'POST', '/api/v1/maintenance-windows', body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Starts a deployment of a tag that nothing has. */
async function spareDeployment(s: Stand, who: Workspace): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/deployments/maintenance', { name: 'x', scope: { tags: ['nothing'] } })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Creates a running window for a tag that nothing has. */
async function spareRunning(s: Stand, who: Workspace): Promise<string> {
  const schedule = { kind: 'once', starts_at: new Date().toISOString(), ends_at: new Date(Date.now() + 3_600_000).toISOString() }
  const answer = await s.call(who, 'POST', '/api/v1/maintenance-windows', { name: 'x', scope: { tags: ['nothing'] }, schedule })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

async function spareChannel(s: Stand, who: Workspace): Promise<string> {
  const body = { name: 'Spare', kind: 'webhook', config: { url: 'https://hooks.example.com/' } }
  const answer = await s.call(who, 'POST', '/api/v1/notifications/channels', body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/**
 * Creates a template. A workspace has at most one for each event, so the old one is deleted first.
 */
async function spareTemplate(s: Stand, who: Workspace): Promise<string> {
  await s.systemPool.query('DELETE FROM notification_templates WHERE tenant_id = $1', [who.tenant_id])
  const answer = await s.call(who, 'POST', '/api/v1/notifications/templates', { event: 'down', title: 'Ours' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

async function sparePolicy(s: Stand, who: Workspace): Promise<string> {
  const steps = [{ targets: [{ type: 'user', id: who.user_id }] }]
  const answer = await s.call(who, 'POST', '/api/v1/on-call/escalation-policies', { name: 'x', steps })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Adds one row of everything by which people are notified. */
async function reachable(s: Stand, who: Workspace): Promise<void> {
  const config = { recipient: 'list@list.example.com' }
  const answer = await s.call(who, 'POST', '/api/v1/notifications/channels', { name: 'List', kind: 'email', config })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  const { tenant_id, user_id } = who
  const plant = (sql: string) => s.systemPool.query(sql, [tenant_id, user_id])
  await plant("INSERT INTO notification_preferences (tenant_id, user_id, body) VALUES ($1, $2, '{}')")
  await plant("INSERT INTO verified_addresses (tenant_id, address, verified_by) VALUES ($1, '+15550001111', $2)")
  await plant(`INSERT INTO verification_codes (tenant_id, verification_id, user_id, method_kind, address, code_hmac, expires_at)
               VALUES ($1, gen_random_uuid(), $2, 'sms', '+15550001111', 'x', now())`)
  await spareDevice(s, who)
  await spareView(s, who)
  await plant(`INSERT INTO intents (tenant_id, intent_id, event, user_id, why, visibility, at, due_at, expires_at)
               VALUES ($1, gen_random_uuid(), 'test', $2, '{}', 'org', now(), now(), now())`)
}

/** Adds a phone of the owner as a contact method. */
async function spareDevice(s: Stand, { tenant_id, user_id }: Workspace): Promise<string> {
  const { rows } = await s.systemPool.query<{ device_id: string }>(
    `WITH method AS (INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address)
       VALUES ($1, gen_random_uuid(), $2, 'push', gen_random_uuid()::text) RETURNING tenant_id, method_id, user_id)
     INSERT INTO push_devices (tenant_id, device_id, user_id, platform, token_sha256, push_token)
     SELECT tenant_id, method_id, user_id, 'ios', method_id::text::bytea, 'x' FROM method RETURNING device_id`,
    [tenant_id, user_id]
  )
  return rows[0]?.device_id ?? ''
}

/** Saves a view of the list of incidents for the owner. */
async function spareView(s: Stand, who: Workspace): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/account/views', { page: 'incidents', name: 'spare', search: { q: 'disk' } })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Returns the address by which the owner is reached by default. */
async function firstMethod(s: Stand, { tenant_id, user_id }: Workspace): Promise<string> {
  const { rows } = await s.systemPool.query<{ method_id: string }>(
    "SELECT method_id FROM contact_methods WHERE tenant_id = $1 AND user_id = $2 AND kind = 'email'",
    [tenant_id, user_id]
  )
  return rows[0]?.method_id ?? ''
}

/** Creates a policy, pages a person by hand, and adds a run with a step. */
async function spareEscalation(s: Stand, who: Workspace): Promise<void> {
  const policy_id = await sparePolicy(s, who)
  const target = { type: 'user', id: who.user_id }
  const { incident } = (await s.call(who, 'POST', '/api/v1/on-call/page', { target, message: 'x' })).json()
  const begins = [who.tenant_id, incident.id]
  await s.systemPool.query(
    `INSERT INTO escalation_runs (tenant_id, incident_id, run, policy_id, policy_version, state, cycle, step, part, started_at)
     VALUES ($1, $2, 1, $3, 1, 'running', 0, 1, 0, now())`,
    [...begins, policy_id]
  )
  await s.systemPool.query(
    `INSERT INTO escalation_steps (tenant_id, incident_id, run, cycle, step, part, outcome, due_at, at, facts)
     VALUES ($1, $2, 1, 0, 0, 0, 'fired', now(), now(), '{}')`,
    begins
  )
}

/** Links a sender in a chat app to the owner; returns the sender's id. */
async function spareSender(s: Stand, { tenant_id, user_id }: Workspace): Promise<string> {
  const { rows } = await s.systemPool.query<{ identity_id: string }>(
    `INSERT INTO chat_identities (tenant_id, identity_id, user_id, vendor, account, sender, name)
     VALUES ($1, gen_random_uuid(), $2, 'slack', 'T1', gen_random_uuid()::text, 'x') RETURNING identity_id`,
    [tenant_id, user_id]
  )
  return rows[0]?.identity_id ?? ''
}

async function spareMail(s: Stand, { tenant_id }: Workspace): Promise<string> {
  const { rows } = await s.systemPool.query<{ mail_id: string }>(
    "INSERT INTO mailbox (tenant_id, mail_id, recipient, subject, mime) VALUES ($1, gen_random_uuid(), 'a@example.test', 'x', $2) RETURNING mail_id",
    [tenant_id, 'Content-Type: text/html\n\n<p>x']
  )
  return rows[0]?.mail_id ?? ''
}

/** Makes a link that acknowledges an incident in the owner's name. */
const spareLink = ({ tenant_id, user_id }: Workspace, object_id: string): string =>
  mintLink(SECRETS_KEY, { act: 'acknowledge', tenant_id, object_id, user_id, until: Math.floor(Date.now() / 1000) + 3600 })

async function spareTeam(s: Stand, who: Workspace, name: string): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/teams', { name })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

async function spareRule(s: Stand, who: Workspace): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/routing-rules', { name: 'spare' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Only one may run at a time; the one before ends soon. */
const spareBacktest = (s: Stand, who: Workspace): Promise<string> =>
  until('a back-test begins', async () => {
    const answer = await s.call(who, 'POST', '/api/v1/routing-rules/backtest', { from: new Date(Date.now() - 1000).toISOString() })
    if (answer.statusCode === 409) return null
    if (answer.statusCode !== 202) throw new Error(answer.body)
    return answer.json().id as string
  })

/** Creates a monitor with a name and pushes a state for it; returns its id. */
async function sparePushed(s: Stand, who: Workspace): Promise<string> {
  const made = await s.call(who, 'POST', '/api/v1/monitors', { name: `pushed ${Math.random()}`, type: 'external' })
  const { id } = made.json()
  await s.call(who, 'POST', `/api/v1/monitors/${id}/results`, { state: 'up', dedup_id: 'one' })
  return id
}

/** Creates one location at a time, so that its label is free. */
async function spareLocation(s: Stand, who: Workspace): Promise<string> {
  await s.systemPool.query('DELETE FROM regions WHERE code IN (SELECT code FROM private_locations WHERE tenant_id = $1)', [who.tenant_id])
  const answer = await s.call(who, 'POST', '/api/v1/private-locations', { label: 'Office' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

/** Creates a group with a unique name. */
async function spareGroup(s: Stand, who: Workspace): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/monitor-groups', { name: `group ${Math.random()}` })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

async function spareMonitor(s: Stand, who: Workspace, name: string): Promise<string> {
  const answer = await s.call(who, 'POST', '/api/v1/monitors', { name, type: 'http', target: 'https://example.com/' })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

t.test('isolation between two workspaces', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url, config: { mailbox: 'on' } })
  await onlineEverywhere(s)

  await t.test('the current workspace is unset after its transaction', async (t) => {
    await tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => tx.query('SELECT 1'))
    await t.rejects(
      tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), async () => {
        throw new Error('broken off')
      }),
      /broken off/
    )
    for (let i = 0; i < 8; i++) t.equal((await s.tenantPool.query('SELECT current_tenant() AS tenant')).rows[0]?.tenant, null)
    t.throws(() => tenantTransaction(s.tenantPool, wholeWorkspace("x'; DROP TABLE users; --"), async () => null), /not a UUID/)
  })

  await t.test('row-level security holds in queries without a workspace filter', async (t) => {
    await s.incident(s.acme)
    const theirs = await s.incident(s.globex)
    // Every table that the role can read must have a row.
    for (const who of [s.acme, s.globex]) {
      await s.call(null, 'POST', '/api/v1/auth/login', { email: who.email, password: 'correct horse battery staple' })
      const { items } = (await s.call(who, 'GET', '/api/v1/incidents')).json()
      await s.call(who, 'POST', `/api/v1/incidents/${items[0].id}/silence`, { duration_minutes: 5 })
      await commented(s, who, items[0].id)
      await s.call(who, 'PUT', `/api/v1/incidents/${items[0].id}/postmortem`, { impact: 'Ours alone' })
      const monitor_id = await spareMonitor(s, who, 'shop')
      await s.call(who, 'POST', `/api/v1/monitors/${monitor_id}/check`)
      await s.systemPool.query(
        'INSERT INTO certificate_tellings (tenant_id, monitor_id, not_after, threshold_days) VALUES ($1, $2, now(), 7)',
        [who.tenant_id, monitor_id]
      )
      await sparePushed(s, who)
      await spareLocation(s, who)
      await spareGroup(s, who)
      await s.systemPool.query(
        `INSERT INTO check_trials (tenant_id, check_id, region, definition, expires_at)
         SELECT $1, gen_random_uuid(), code, '{}', now() + interval '1 hour' FROM regions LIMIT 1`,
        [who.tenant_id]
      )
      const heartbeat_id = await heartbeat(s, who, 'nightly')
      await s.systemPool.query("INSERT INTO partition_state (processor, partition, key, state) VALUES ('heartbeat', 0, $1, $2)", [
        heartbeat_id,
        JSON.stringify({ tenant_id: who.tenant_id, status: 'up', phase: 'on_time', config: { version: 1 } })
      ])
      await setCeiling(s.systemPool, s.services.codec, { workspace: who.tenant_id, ceiling: 2000 })
      await told(s, who)
      await spareInvite(s, who, 'invited@example.test')
      await spareTeam(s, who, 'Shop')
      await spareRule(s, who)
      await spareSilence(s, who)
      await spareWindow(s, who)
      await spareBacktest(s, who)
      await rota(s, who)
      await reachable(s, who)
      await spareEscalation(s, who)
      await ignoredSomething(s, who)
      await spareDelivery(s, who)
      await spareTemplate(s, who)
      await reached(s, who)
      await s.keptAlert(who)
    }
    const { rows: tables } = await s.systemPool.query<{ name: string; secured: boolean; forced: boolean; readable: boolean }>(
      `SELECT c.relname AS name, c.relrowsecurity AS secured, c.relforcerowsecurity AS forced, has_table_privilege('service_tenant', c.oid, 'SELECT') AS readable
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
        AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
      ORDER BY 1`
    )
    t.ok(tables.length >= 14)
    t.same(
      tables.filter(({ secured, forced }) => !secured || !forced),
      [],
      'every table with a workspace has policies, for its owner too'
    )
    const count = (rows: { count?: number }[]): number => rows[0]?.count ?? -1

    for (const { name, readable } of tables) {
      const all = count((await s.systemPool.query(`SELECT count(*) FROM ${name} WHERE tenant_id = $1`, [s.globex.tenant_id])).rows)
      if (!readable) {
        await t.rejects(
          tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => tx.query(`SELECT * FROM ${name}`)),
          { code: '42501' },
          `${name}: not readable at all`
        )
        continue
      }
      t.ok(all > 0, `${name}: there is a row of theirs to be seen`)
      const own = await tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) =>
        tx.query<{ tenant_id: string }>(`SELECT DISTINCT tenant_id FROM ${name}`)
      )
      t.same(own.rows, [{ tenant_id: s.acme.tenant_id }], `${name}: without a filter, own rows only`)
      t.equal(count((await s.tenantPool.query(`SELECT count(*) FROM ${name}`)).rows), 0, `${name}: no workspace set, no rows`)
    }
    t.equal(
      count((await tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => tx.query('SELECT count(*) FROM users'))).rows),
      1,
      'users: own members only'
    )
    t.equal(count((await s.tenantPool.query('SELECT count(*) FROM users')).rows), 0, 'users: no workspace set, no rows')

    t.test('SQL of one workspace cannot change, delete or add rows of another', async (t) => {
      const attempts: [string, unknown[]][] = [
        ["UPDATE incidents SET title = 'stolen' WHERE incident_id = $1", [theirs.incident_id]],
        ["UPDATE postmortems SET impact = 'stolen' WHERE incident_id = $1", [theirs.incident_id]],
        ["UPDATE tenants SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ["UPDATE users SET name = 'stolen' WHERE user_id = $1", [s.globex.user_id]],
        ['UPDATE api_tokens SET tenant_id = $2 WHERE token_id = $1', [s.globex.token_id, s.acme.tenant_id]],
        ['DELETE FROM integrations WHERE integration_id = $1', [s.globex.integration_id]],
        ['DELETE FROM sessions WHERE user_id = $1', [s.globex.user_id]],
        ['DELETE FROM members WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM invites WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM jobs WHERE tenant_id = $1', [s.globex.tenant_id]],
        ["UPDATE heartbeats SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ["UPDATE monitors SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ['UPDATE private_locations SET draining = true WHERE tenant_id = $1', [s.globex.tenant_id]],
        ["UPDATE monitor_groups SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ["UPDATE teams SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ['DELETE FROM team_members WHERE tenant_id = $1', [s.globex.tenant_id]],
        ["UPDATE silences SET comment = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ["UPDATE maintenance_windows SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ["UPDATE notification_templates SET title = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ["UPDATE schedules SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ['DELETE FROM on_call_overrides WHERE tenant_id = $1', [s.globex.tenant_id]],
        ["UPDATE on_call_swaps SET note = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ['DELETE FROM calendar_links WHERE tenant_id = $1', [s.globex.tenant_id]],
        ["UPDATE schedule_calendars SET host = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ['DELETE FROM saved_views WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM chat_identities WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM chat_install_states WHERE tenant_id = $1', [s.globex.tenant_id]],
        ["UPDATE war_rooms SET name = 'stolen' WHERE tenant_id = $1", [s.globex.tenant_id]],
        ['DELETE FROM incident_comments WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM on_demand_checks WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM check_trials WHERE tenant_id = $1', [s.globex.tenant_id]],
        ['DELETE FROM pushed_results WHERE tenant_id = $1', [s.globex.tenant_id]]
      ]
      for (const [statement, values] of attempts) {
        const result = await tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => tx.query(statement, values))
        t.equal(result.rowCount, 0, statement)
      }
      const refused: [string, unknown[]][] = [
        [
          `INSERT INTO integrations (tenant_id, integration_id, name, source_type, token_sha256, token_prefix)
         VALUES ($1, gen_random_uuid(), 'x', 'generic', '\\x00', 'svc_')`,
          [s.globex.tenant_id]
        ],
        [
          `INSERT INTO invites (tenant_id, invite_id, email, role, token_sha256, invited_by, expires_at)
         VALUES ($1, gen_random_uuid(), 'x@example.test', 'owner', '\\x00', $2, now() + interval '1 day')`,
          [s.globex.tenant_id, s.acme.user_id]
        ],
        ["INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'owner')", [s.globex.tenant_id, s.acme.user_id]],
        [
          `INSERT INTO audit (tenant_id, audit_id, actor_kind, actor_id, action, object_type, object_id, via)
         VALUES ($1, gen_random_uuid(), 'user', 'x', 'x', 'x', 'x', 'api')`,
          [s.globex.tenant_id]
        ],
        [
          "INSERT INTO outbox (tenant_id, aggregate, ver, topic, key, headers) VALUES ($1, 'incident:x', 1, 'incident.state.v1', '\\x00', '{}')",
          [s.globex.tenant_id]
        ],
        [
          `INSERT INTO heartbeats (tenant_id, heartbeat_id, name, schedule_kind, period_seconds, grace_seconds, severity, ping_token)
         VALUES ($1, gen_random_uuid(), 'x', 'period', 60, 60, 'info', gen_random_uuid())`,
          [s.globex.tenant_id]
        ],
        ["INSERT INTO teams (tenant_id, team_id, name, slug) VALUES ($1, gen_random_uuid(), 'x', 'x')", [s.globex.tenant_id]],
        [
          'INSERT INTO team_members (tenant_id, team_id, user_id) VALUES ($1, gen_random_uuid(), $2)',
          [s.globex.tenant_id, s.globex.user_id]
        ],
        ['UPDATE silences SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE maintenance_windows SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE schedules SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE heartbeats SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE monitors SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE private_locations SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE monitor_groups SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE incidents SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE integrations SET tenant_id = $1', [s.globex.tenant_id]],
        ['UPDATE routing_heads SET tenant_id = $1', [s.globex.tenant_id]],
        [
          "INSERT INTO routing_rule_sets (tenant_id, version, rules, engine_version, created_by) VALUES ($1, 9, '[]', 1, 'x')",
          [s.globex.tenant_id]
        ]
      ]
      for (const [statement, values] of refused) {
        await t.rejects(
          tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => tx.query(statement, values)),
          { code: '42501' },
          statement
        )
      }
    })
  })

  await t.test('ids of the other workspace in bodies and filters find nothing', async (t) => {
    const mine = await s.incident(s.acme)
    await s.incident(s.globex)
    for (const who of [s.acme, s.globex]) await sparePolicy(s, who)
    const list = await s.call(s.acme, 'GET', `/api/v1/incidents?integration_id=${s.globex.integration_id}`)
    t.match(list.json(), { items: [], total: 0 })
    const close = await s.call(s.acme, 'POST', `/api/v1/incidents/${mine.incident_id}/close`, { on_behalf_of: s.globex.user_id })
    t.match(close.json(), { code: 'VALIDATION_FAILED', details: [{ path: 'on_behalf_of', rule: 'not_a_member' }] })
    for (const path of [
      '/api/v1/incidents',
      '/api/v1/alerts',
      '/api/v1/routing-rules',
      '/api/v1/silences',
      '/api/v1/maintenance-windows',
      '/api/v1/notifications/templates',
      '/api/v1/on-call/schedules',
      '/api/v1/on-call/overrides',
      '/api/v1/on-call/swaps',
      '/api/v1/on-call/escalation-policies',
      '/api/v1/monitors',
      '/api/v1/private-locations',
      '/api/v1/monitor-groups',
      '/api/v1/heartbeats',
      '/api/v1/integrations/inbound',
      '/api/v1/workspace/tokens',
      '/api/v1/workspace/members',
      '/api/v1/workspace/invites',
      '/api/v1/teams',
      '/api/v1/routing-rules'
    ]) {
      const { items } = (await s.call(s.acme, 'GET', path)).json()
      t.ok(items.length > 0)
      t.ok(
        items.every((item: { tenant_id: string }) => item.tenant_id === s.acme.tenant_id),
        path
      )
    }
  })

  await t.test('every route answers 404 for every id of another workspace', async (t) => {
    await s.incident(s.acme)
    await s.incident(s.globex)
    const theirs = await s.incident(s.globex)
    const monitor_id = await spareMonitor(s, s.globex, 'theirs')
    const heartbeat_id = await heartbeat(s, s.globex, 'theirs')
    const item_id = await told(s, s.globex)
    const comment_id = await commented(s, s.globex, theirs.incident_id)
    await s.call(s.globex, 'PUT', `/api/v1/incidents/${theirs.incident_id}/postmortem`, { impact: 'Theirs alone' })
    const invite = await spareInvite(s, s.globex, 'theirs@example.test')
    const team_id = await spareTeam(s, s.globex, 'Theirs')
    const duty = await rota(s, s.globex)
    const sent = await spareDelivery(s, s.globex)
    const ids = [
      ...[duty.schedule_id, duty.override_id, duty.swap_id, duty.link_id],
      sent.delivery_id,
      sent.channel_id,
      await s.keptAlert(s.globex),
      await spareRule(s, s.globex),
      await spareSilence(s, s.globex),
      await spareWindow(s, s.globex),
      await spareDeployment(s, s.globex),
      await spareChannel(s, s.globex),
      await spareTemplate(s, s.globex),
      await spareSender(s, s.globex),
      await sparePolicy(s, s.globex),
      await sparePushed(s, s.globex),
      await spareLocation(s, s.globex),
      await spareGroup(s, s.globex),
      comment_id,
      invite.id,
      team_id,
      item_id,
      monitor_id,
      heartbeat_id,
      theirs.incident_id,
      theirs.incident_id.toUpperCase(),
      theirs.key,
      await spareDevice(s, s.globex),
      await spareView(s, s.globex),
      await firstMethod(s, s.globex),
      s.globex.integration_id,
      s.globex.token_id,
      s.globex.user_id,
      s.globex.tenant_id
    ]
    const targets = routesWithIds(s)
    t.ok(targets.length >= 10, 'the router was enumerated')
    const before = await snapshot(s, s.globex.tenant_id)

    let from = 0
    for (const { method, url, open, body } of targets) {
      for (const id of ids) {
        const path = url
          .replace(/:(id|event_id|check_id|user_id|token|secret)/g, id)
          .replace(':cid', comment_id)
          .replace(':emoji', encodeURIComponent('👍'))
        t.notMatch(path, ':', `${method} ${url}: this crawler fills every parameter`)
        // Each request comes from another address, because guessing from one address is throttled.
        const answer = await s.call(s.acme, method, path, body, { remoteAddress: `10.8.${++from >> 8}.${from & 255}` })
        t.equal(answer.statusCode, 404, `${method} ${path}`)
        t.match(answer.json(), { code: 'NOT_FOUND', error: open ? String : 'No such object exists in this workspace' })
      }
    }
    t.equal(await snapshot(s, s.globex.tenant_id), before, 'nothing of theirs changed')
    const asked = JSON.stringify(double.asked)
    t.notOk(asked.includes(monitor_id) || asked.includes(heartbeat_id), 'analytics was not even asked')

    await t.test('the owner gets no 404 for the same requests, so the crawler can fail', async (t) => {
      const spare = await rota(s, s.globex)
      const onCallId = (method: string, url: string): string =>
        url.includes('/overrides/')
          ? duty.override_id
          : url.includes('/swaps/')
            ? duty.swap_id
            : url.includes('/ical-links/')
              ? duty.link_id
              : method === 'DELETE'
                ? spare.schedule_id
                : duty.schedule_id
      double.answer = ({ name }) => (name === 'delivery_payload' ? [delivery] : name === 'check_capture' ? [capture] : [])
      for (const { method, url, body } of targets) {
        const id = url.includes('/incidents/')
          ? theirs.incident_id
          : url.includes('/alerts/')
            ? await s.keptAlert(s.globex)
            : url.includes('/backtests/')
              ? await spareBacktest(s, s.globex)
              : url.includes('/routing-rules/')
                ? await spareRule(s, s.globex)
                : url.includes('/escalation-policies/')
                  ? await sparePolicy(s, s.globex)
                  : url.includes('/on-call/')
                    ? onCallId(method, url)
                    : url.includes('/views/') || url.includes('/templates/')
                      ? await (url.includes('/views/') ? spareView : spareTemplate)(s, s.globex)
                      : url.includes('/devices/')
                        ? await spareDevice(s, s.globex)
                        : url.includes('/methods/')
                          ? await firstMethod(s, s.globex)
                          : url.includes('/deliveries/')
                            ? (await spareDelivery(s, s.globex)).delivery_id
                            : url.includes('/mailbox/')
                              ? await spareMail(s, s.globex)
                              : /\/chat(?:\/|-)identities\//.test(url)
                                ? await spareSender(s, s.globex)
                                : url.includes('/channels/')
                                  ? sent.channel_id
                                  : url.includes('/silences/')
                                    ? await spareSilence(s, s.globex)
                                    : url.includes('/maintenance-windows/')
                                      ? await (url.endsWith('/end-now') ? spareRunning : spareWindow)(s, s.globex)
                                      : url.includes('/private-locations/')
                                        ? await spareLocation(s, s.globex)
                                        : url.includes('/monitor-groups/')
                                          ? await spareGroup(s, s.globex)
                                          : url.includes('/deployments/')
                                            ? await spareDeployment(s, s.globex)
                                            : url.includes('/teams/')
                                              ? await spareTeam(s, s.globex, `${method} ${url}`)
                                              : url.includes('/tokens/')
                                                ? await spareToken(s, s.globex)
                                                : url.includes('/monitors/')
                                                  ? await (url.endsWith('/results') ? sparePushed(s, s.globex) : monitor_id)
                                                  : url.includes('/heartbeats/')
                                                    ? heartbeat_id
                                                    : url.includes('/feed/')
                                                      ? item_id
                                                      : url.includes('/workspace/invites/')
                                                        ? (await spareInvite(s, s.globex, 'withdrawn@example.test')).id
                                                        : s.globex.integration_id
        const path = url
          .replace(':id', id)
          .replace(':event_id', delivery.raw_id)
          .replace(':check_id', capture.check_id)
          .replace(':cid', comment_id)
          .replace(':emoji', encodeURIComponent('👍'))
          .replace(':user_id', s.globex.user_id)
          .replace(':token', url.includes('/links/') ? spareLink(s.globex, theirs.incident_id) : invite.token)
          .replace(':secret', duty.secret)
        const answer = await s.call(s.globex, method, path, body)
        t.not(answer.statusCode, 404, `${method} ${url}`)
        t.ok(
          answer.statusCode < 300 || answer.statusCode === 409 || answer.statusCode === 422,
          `${method} ${url}: ${answer.statusCode} ${answer.body}`
        )
      }
    })
  })
})
