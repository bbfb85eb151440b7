/**
 * Tests of Postgres's row-level security, queried as the api's role without any filter. Nobody else
 * sees a row of a private team, and where the viewer is not set, no row of any team is visible.
 */

import t from 'tap'
import { seenBy, type Viewer } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { createPool, seeingAll, type Tx, tenantTransaction } from '../../../services/store/pool.ts'
import { setState } from './monitoring.ts'
import { type Holder, type Owned, type Private, privateTeam } from './private-team.ts'
import { onlineEverywhere } from './probing.ts'
import { type Stand, stand } from './stand.ts'

/** Tables that people's transactions read and that have no such policy, each with the reason. */
const withoutSight: Readonly<Record<string, string>> = {
  tenants: 'the workspace',
  members: 'people',
  invites: 'people',
  contact_methods: 'people',
  chat_identities: 'people',
  chat_pairings: 'people, and the hash of a link',
  telegram_bots: 'ids and the name of a bot; people are shown those of channels that they see',
  chat_install_states: 'people',
  notification_preferences: 'people',
  push_devices: 'people',
  verification_codes: 'people',
  verified_addresses: 'people',
  channel_confirmations: 'the hash of a link and an address; asked for by the link alone',
  confirmation_mails: 'addresses; only counted',
  monitor_groups: 'names of the workspace, of no team; their figures are of the monitors that one sees',
  notification_templates: 'words of the workspace, of no team',
  feed_reactions: 'ids and an emoji; read beside an item of one’s own alone',
  saved_views: 'people',
  sessions: 'people',
  calendar_links: 'people; what a link shows is held against who it belongs to',
  mailbox: 'mails of a local run, for its owner',
  phone_usage: 'a count of the workspace',
  alert_receipts: 'a number',
  private_locations: 'of the workspace, of no team',
  api_tokens: 'people',
  budgets: 'the workspace',
  routing_heads: 'a number',
  routing_rule_sets: 'rules name teams by id; the api alone reads them, and leaves out those of hidden teams',
  incident_numbers: 'the workspace',
  jobs: 'ids and times; cancelled by who ends the watch, whatever they see',
  signals: 'a key, its times and the id of its incident; locked by whoever writes, whatever they see'
}

const idsOf = (owned: Owned): string[] => Object.values(owned).map((one) => (typeof one === 'string' ? one : one.incident_id))

/** Returns the rows of every table that the api's role can read, as text, by table. */
async function everything(tx: Tx, tables: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const name of tables) {
    const { rows } = await tx.query<{ row: string }>(`SELECT to_jsonb(x)::text AS row FROM ${name} x`)
    found.set(
      name,
      rows.map(({ row }) => row)
    )
  }
  return found
}

/** Returns the tables with rows that contain one of `words`. */
const tellingOf = (found: Map<string, string[]>, words: readonly string[]): string[] =>
  [...found].filter(([, rows]) => rows.some((row) => words.some((word) => row.includes(word)))).map(([name]) => name)

const viewerOf = ({ home }: Private, { role, user_id }: Holder): Viewer => ({ tenant_id: home.tenant_id, seen_by: seenBy(role, user_id) })

/** Adds a run with a step, a notified person, and a back-test of a person who sees the team. */
async function escalated(s: Stand, { home }: Private, { team_id, policy_id, channel_id, declared }: Owned): Promise<void> {
  const incident = [home.tenant_id, declared.incident_id]
  await s.systemPool.query(
    `INSERT INTO escalation_runs (tenant_id, incident_id, run, policy_id, policy_version, state, cycle, step, part, started_at)
     VALUES ($1, $2, 1, $3, 1, 'running', 0, 1, 0, now())`,
    [...incident, policy_id]
  )
  await s.systemPool.query(
    `INSERT INTO incident_holds (tenant_id, incident_id, kind, cause_id, began_at) VALUES ($1, $2, 'mass_outage', $2, now())`,
    incident
  )
  await s.systemPool.query(
    `INSERT INTO war_rooms (tenant_id, incident_id, channel_id, state, name, private, team_id, created_by)
     VALUES ($1, $2, $3, 'open', 'x', true, $4, 'user:x')`,
    [...incident, channel_id, team_id]
  )
  await s.systemPool.query(
    `INSERT INTO escalation_steps (tenant_id, incident_id, run, cycle, step, part, outcome, due_at, at, facts)
     VALUES ($1, $2, 1, 0, 0, 0, 'fired', now(), now(), '{}')`,
    incident
  )
  await s.systemPool.query(
    `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, incident_id, event, lane, kind, channel_id, target_id, state, next_at, queued_at,
                             expires_at, facts, team_id, visibility)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), $2, 'down', 0, 'webhook', $3, $3, 'sent', now(), now(), now(), '{}', $4, 'org')`,
    [...incident, channel_id, team_id]
  )
  await s.systemPool.query(
    `INSERT INTO routing_backtests (tenant_id, backtest_id, user_id, state, mode, from_at, to_at, result, saw_all, own_team_ids, hidden_team_ids,
                                    alive_until, ended_at)
     VALUES ($1, gen_random_uuid(), $2, 'done', 'live', now() - interval '1 hour', now(), $3, false, ARRAY[$4]::uuid[], '{}', now(), now())`,
    [home.tenant_id, home.user_id, JSON.stringify({ team_id }), team_id]
  )
}

async function state(s: Stand, all: Private, owned: Owned): Promise<void> {
  const { home } = all
  const { monitor_id, heartbeat_id, team_id, declared } = owned
  await escalated(s, all, owned)
  await setState(s, home, monitor_id, {})
  await s.systemPool.query(
    `INSERT INTO intents (tenant_id, intent_id, incident_id, event, user_id, why, team_id, visibility, at, due_at, expires_at)
     VALUES ($1, gen_random_uuid(), $2, 'down', $3, '{}', $4, 'org', now(), now(), now())`,
    [home.tenant_id, declared.incident_id, home.user_id, team_id]
  )
  await s.systemPool.query(
    'INSERT INTO certificate_tellings (tenant_id, monitor_id, not_after, threshold_days) VALUES ($1, $2, now(), 7)',
    [home.tenant_id, monitor_id]
  )
  await s.systemPool.query(
    `INSERT INTO check_trials (tenant_id, check_id, region, definition, expires_at)
     VALUES ($1, gen_random_uuid(), 'eu-west', $2, now() + interval '1 minute')`,
    [home.tenant_id, JSON.stringify({ monitor_id })]
  )
  await s.systemPool.query("INSERT INTO pushed_results (tenant_id, monitor_id, dedup_id) VALUES ($1, $2, 'once')", [
    home.tenant_id,
    monitor_id
  ])
  await s.systemPool.query("INSERT INTO partition_state (processor, partition, key, state) VALUES ('heartbeat', 0, $1, $2)", [
    heartbeat_id,
    JSON.stringify({ tenant_id: home.tenant_id, heartbeat_id, status: 'up', phase: 'on_time', config: { version: 1 } })
  ])
}

t.test('rows of a private team', async (t) => {
  const s = await stand(t)
  await onlineEverywhere(s)
  const all = await privateTeam(s, 'rows')
  const { home, hidden, open, outsiders, insiders, secrets } = all
  for (const owned of [hidden, open]) await state(s, all, owned)
  const { rows: readable } = await s.systemPool.query<{ name: string; sight: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'sight' AND NOT p.polpermissive) AS sight
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND has_table_privilege('service_tenant', c.oid, 'SELECT')
        AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
      ORDER BY 1`
  )
  const tables = readable.filter(({ sight }) => sight).map(({ name }) => name)

  await t.test('every readable table has the visibility policy or a listed exception', async (t) => {
    t.same(
      readable.filter(({ name, sight }) => sight === (withoutSight[name] !== undefined)).map(({ name }) => name),
      []
    )
    t.same(
      Object.keys(withoutSight).filter((name) => !readable.some((table) => table.name === name)),
      []
    )
  })

  await t.test('an outsider reads no row of a private team from any table', async (t) => {
    const whole = await tenantTransaction(s.tenantPool, { tenant_id: home.tenant_id, seen_by: null }, (tx) => everything(tx, tables))
    t.same(tellingOf(whole, secrets), tables, 'there is a row in each of them')
    for (const who of outsiders) {
      const found = await tenantTransaction(s.tenantPool, viewerOf(all, who), (tx) => everything(tx, tables))
      t.same(tellingOf(found, secrets), [], who.name)
      const ofOpen = tellingOf(found, idsOf(open))
      t.ok(
        ['incidents', 'monitors', 'heartbeats', 'partition_state', 'incident_events'].every((name) => ofOpen.includes(name)),
        `${ofOpen}`
      )
    }
    for (const who of insiders) {
      const found = await tenantTransaction(s.tenantPool, viewerOf(all, who), (tx) => everything(tx, ['incidents', 'monitors', 'teams']))
      t.same(tellingOf(found, secrets), ['incidents', 'monitors', 'teams'], who.name)
    }
  })

  await t.test('without a known viewer, no row of any team is visible', async (t) => {
    const secret = [...secrets, ...idsOf(open)]
    // In a connection that never had the setting it is null; in one that once had it, it is empty.
    const fresh = createPool(String(s.tenantPool.options.connectionString), { application_name: 'test fresh', max: 1 })
    t.teardown(() => fresh.end())
    const client = await fresh.connect()
    try {
      for (const how of ['a connection of its own', 'one that others used before']) {
        await client.query(`BEGIN; SELECT set_config('service.tenant_id', '${home.tenant_id}', true)`)
        t.same(tellingOf(await everything(client, tables), secret), [], how)
        const { rows } = await client.query('SELECT integration_id FROM integrations')
        t.same(rows, [{ integration_id: home.integration_id }], `${how}: what belongs to no team is there`)
        // A person of another workspace is not a member of anything here.
        await client.query('SELECT set_sight($1)', [s.globex.user_id])
        t.same(tellingOf(await everything(client, tables), secrets), [], `${how}: a stranger`)
        await client.query('COMMIT')
      }
    } finally {
      client.release()
    }
    for (const name of tables) t.equal((await s.tenantPool.query(`SELECT FROM ${name}`)).rowCount, 0, `${name}: no workspace, no row`)
  })

  await t.test('sight of all rows ends with its callback and with its transaction', async (t) => {
    const [editor] = outsiders.filter(({ role }) => role === 'editor')
    const viewer = viewerOf(all, editor as Holder)
    const count = async (tx: Tx) => (await tx.query('SELECT FROM monitors WHERE monitor_id = $1', [hidden.monitor_id])).rowCount
    await tenantTransaction(s.tenantPool, viewer, async (tx) => {
      t.equal(await seeingAll(tx, (tx) => count(tx)), 1)
      t.equal(await count(tx), 0)
    })
    const broken = tenantTransaction(s.tenantPool, viewer, (tx) => seeingAll(tx, () => Promise.reject(new Error('broken off'))))
    await t.rejects(broken, /broken off/)
    for (let i = 0; i < 8; i++) t.equal(await tenantTransaction(s.tenantPool, viewer, count), 0)
  })

  await t.test('an outsider cannot update, delete or insert rows of a private team', async (t) => {
    const [editor] = outsiders.filter(({ role }) => role === 'editor')
    const viewer = viewerOf(all, editor as Holder)
    for (const name of ['incidents', 'monitors', 'heartbeats', 'integrations', 'teams']) {
      const change = tenantTransaction(s.tenantPool, viewer, (tx) =>
        tx.query(`UPDATE ${name} SET visibility = 'org' WHERE team_id = $1`, [hidden.team_id])
      )
      t.equal((await change).rowCount, 0, name)
    }
    for (const statement of ['UPDATE feed SET read_at = now() WHERE team_id = $1', 'DELETE FROM team_members WHERE team_id = $1']) {
      const change = tenantTransaction(s.tenantPool, viewer, (tx) => tx.query(statement, [hidden.team_id]))
      t.equal((await change).rowCount, 0, statement)
    }
    const silenced = tenantTransaction(s.tenantPool, viewer, (tx) =>
      tx.query('UPDATE silences SET expired_at = now() WHERE silence_id = $1', [hidden.silence_id])
    )
    t.equal((await silenced).rowCount, 0, 'silences')
    const moved = tenantTransaction(s.tenantPool, viewer, (tx) =>
      tx.query("UPDATE maintenance_windows SET name = 'mine' WHERE window_id = $1", [hidden.window_id])
    )
    t.equal((await moved).rowCount, 0, 'maintenance windows')
    const join = 'INSERT INTO team_members (tenant_id, team_id, user_id) VALUES ($1, $2, $3)'
    const give = "UPDATE monitors SET visibility = 'private', team_id = $1 WHERE monitor_id = $2"
    const attempts: [string, unknown[]][] = [
      [join, [home.tenant_id, hidden.team_id, editor?.user_id]],
      [join, [home.tenant_id, uuidv7(), editor?.user_id]],
      [give, [hidden.team_id, open.monitor_id]]
    ]
    const mute = `INSERT INTO silences (tenant_id, silence_id, matchers, comment, starts_at, ends_at, team_ids, created_by)
      VALUES ($1, $2, '[{}]', 'x', now(), now() + interval '1 hour', ARRAY[$3]::uuid[], 'user:x')`
    attempts.push([mute, [home.tenant_id, uuidv7(), hidden.team_id]])
    for (const [statement, values] of attempts)
      await t.rejects(
        tenantTransaction(s.tenantPool, viewer, (tx) => tx.query(statement, values)),
        { code: '42501' },
        statement
      )
  })
})
