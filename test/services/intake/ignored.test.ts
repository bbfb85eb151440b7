/**
 * Tests of deliveries that open and change nothing. They are counted by reason, without capture, in
 * Postgres and in the api, and a day without any effect is announced once.
 */

import { pino } from 'pino'
import t, { type Test } from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { IntakeCounts, keepIgnored } from '../../../services/intake/ignored.ts'
import { noticeOf, tellIgnoring } from '../../../services/notifier/ignoring.ts'
import { forgetIgnored, type Ignored, noteIntake, readIgnored } from '../../../services/store/intake-facts.ts'
import { createPool, type Pool, tenantTransaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { database } from '../../harness/engines.ts'
import { PATH, stand } from './stand.ts'

const codec = localCodec()
const log = pino({ level: 'silent' })
const tenant_id = '0190aaaa-0000-7000-8000-000000000001'
const integration_id = '0190bbbb-0000-7000-8000-000000000001'
const named = { tenant_id, integration_id }
const HOUR = 3_600_000
/** The days must be recent, because the table deletes old ones. */
const NOW = Date.now()
const T = NOW - 50 * HOUR

interface Tables {
  tenant: Pool
  system: Pool
  read(): Promise<Ignored | undefined>
  feed(): Promise<string[]>
}

async function tables(t: Test): Promise<Tables> {
  const { tenantUrl, systemUrl } = await database(t)
  const tenant = createPool(tenantUrl, { application_name: 'test', max: 4 })
  const system = createPool(systemUrl, { application_name: 'test', max: 4 })
  t.teardown(() => Promise.all([tenant.end(), system.end()]))
  await system.query("INSERT INTO tenants (tenant_id, name, slug) VALUES ($1, 'Acme', 'acme')", [tenant_id])
  await system.query(
    `INSERT INTO integrations (tenant_id, integration_id, name, source_type, token_sha256, token_prefix)
     VALUES ($1, $2, 'Checks', 'generic', '\\x00', 'svc_a')`,
    [tenant_id, integration_id]
  )
  for (const [nth, role] of ['owner', 'editor', 'viewer', 'billing'].entries()) {
    const user_id = `0190dddd-0000-7000-8000-00000000000${nth}`
    await system.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $2, 'x')", [
      user_id,
      `${role}@example.test`
    ])
    await system.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  }
  return {
    tenant,
    system,
    read: async () =>
      (await tenantTransaction(tenant, wholeWorkspace(tenant_id), (tx) => readIgnored(tx, tenant_id, [integration_id]))).get(
        integration_id
      ),
    feed: async () => {
      const { rows } = await system.query<{ told: string }>(
        `SELECT u.email || ' ' || f.type || ' ' || f.title AS told FROM feed f JOIN users u USING (user_id) ORDER BY f.created_at, u.email`
      )
      return rows.map(({ told }) => told)
    }
  }
}

/** Stores the counts of one door. `doing` makes them at its times, as offsets from T. */
async function tell(pool: Pool, doing: (counts: IntakeCounts) => void): Promise<void> {
  const counts = new IntakeCounts()
  doing(counts)
  await noteIntake(pool, counts.take())
}

t.test('the door counts ignored deliveries by reason and notes processed ones', async (t) => {
  const counts = new IntakeCounts()
  const { post } = await stand(t, { integration: { source_type: 'generic' }, counts })
  const acknowledged = { title: 'Disk full', status: 'acknowledged' }
  for (const body of [acknowledged, acknowledged, []]) t.equal((await post(PATH, JSON.stringify(body))).status, 200)
  const [first] = counts.take()
  t.match(first, {
    processed_at: null,
    reasons: [
      { reason: 'acknowledged', deliveries: 2 },
      { reason: 'no alert in it', deliveries: 1 }
    ]
  })
  t.ok(first?.ignoring_since && first.last_ignored_at && first.last_ignored_at >= first.ignoring_since)

  // A payload of which one part has an effect is not ignored.
  await post(PATH, JSON.stringify([acknowledged, { title: 'Disk full' }]))
  t.match(counts.take(), [{ processed_at: Number, ignoring_since: null, last_ignored_at: null, reasons: [] }])
})

t.test('counts of ignored deliveries are bounded, and kept if they cannot be saved', async (t) => {
  const counts = new IntakeCounts()
  for (let nth = 0; nth < 100; nth++) counts.ignored(named, `reason ${nth} ${'x'.repeat(500)}`, T)
  const [told] = counts.take()
  t.equal(told?.reasons.length, 21)
  t.match(told?.reasons.at(-1), { reason: 'other', deliveries: 80 })
  t.ok(told?.reasons.every(({ reason }) => reason.length <= 120))

  const nowhere = createPool('postgres://nobody@127.0.0.1:1/nothing', { application_name: 'test', max: 1 })
  t.teardown(() => nowhere.end())
  const warned: string[] = []
  const kept = keepIgnored({ pool: nowhere, log: pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) }) })
  kept.counts.ignored(named, 'test', T)
  await kept.close()
  kept.counts.ignored(named, 'test', T + 1)
  await kept.close()
  t.equal(warned.length, 1, 'said once')
  const back = new IntakeCounts()
  back.ignored(named, 'test', T)
  const before = back.take()
  back.ignored(named, 'test', T + 2)
  back.putBack(before)
  t.match(back.take(), [{ ignoring_since: T, last_ignored_at: T + 2, reasons: [{ reason: 'test', deliveries: 2, last_at: T + 2 }] }])
  back.processed(named, T + 3)
  back.putBack(before)
  t.match(back.take(), [{ processed_at: T + 3, ignoring_since: null, last_ignored_at: T }])
})

t.test('counts of ignored deliveries add up over doors and days, without deleted integrations', async (t) => {
  const { tenant, system, read } = await tables(t)
  await tell(tenant, (door) => {
    door.ignored(named, 'test', T)
    door.ignored(named, 'test', T + 25 * HOUR)
    door.ignored(named, 'unknown event', T + 1)
    door.ignored({ tenant_id, integration_id: '0190bbbb-0000-7000-8000-000000000009' }, 'test', T)
  })
  await tell(tenant, (door) => door.ignored(named, 'test', T + 2))
  t.strictSame(await read(), {
    ignoring_since: T,
    reasons: [
      { reason: 'test', deliveries: 3, last_at: T + 25 * HOUR },
      { reason: 'unknown event', deliveries: 1, last_at: T + 1 }
    ]
  })
  const other = '0190aaaa-0000-7000-8000-000000000002'
  t.equal(
    (await tenantTransaction(tenant, wholeWorkspace(other), (tx) => readIgnored(tx, tenant_id, [integration_id]))).size,
    0,
    'nobody else sees it'
  )

  await tell(tenant, (door) => {
    for (let nth = 0; nth < 30; nth++) door.ignored(named, `r${nth}`, T + nth)
  })
  await tell(tenant, (door) => door.ignored(named, 'one more', T))
  const { rows } = await system.query<{ count: number }>("SELECT count(*) FROM integration_ignored WHERE reason = 'one more'")
  t.equal(rows[0]?.count, 0, 'reasons are bounded in the table, too')

  await system.query("UPDATE integration_ignored SET day = current_date - 31 WHERE reason = 'unknown event'")
  t.equal(await forgetIgnored(system), 1)
})

t.test('a day of ignored deliveries is announced once, in whatever order doors report', async (t) => {
  const { tenant, system, read, feed } = await tables(t)
  const sweep = (): Promise<number> => tellIgnoring(system, codec, log)
  const at = (hours: number): number => T + hours * HOUR
  const ignored = (hours: number): Promise<void> => tell(tenant, (door) => door.ignored(named, 'test', at(hours)))
  const processed = (hours: number): Promise<void> => tell(tenant, (door) => door.processed(named, at(hours)))

  await processed(0)
  t.equal(await read(), undefined, 'what is processed alone makes no row')
  await ignored(1)
  t.equal(await sweep(), 0, 'a single test is no stretch')
  await ignored(24)
  t.equal(await sweep(), 0, '23 hours')
  await ignored(25)
  t.equal(await sweep(), 1)
  t.strictSame(await feed(), [
    'editor@example.test announcement Checks has ignored everything for a day',
    'owner@example.test announcement Checks has ignored everything for a day'
  ])
  await ignored(49)
  t.equal(await sweep(), 0, 'once a stretch, not daily')
  // A door reports late, about earlier times.
  await ignored(0.5)
  t.equal((await read())?.ignoring_since, at(0.5))
  t.equal(await sweep(), 0)

  await processed(49.5)
  t.equal((await read())?.ignoring_since, null, 'a processed delivery ends it')
  await tell(tenant, (door) => {
    door.ignored(named, 'test', at(49.2))
    door.processed(named, at(49.3))
  })
  t.equal((await read())?.ignoring_since, null, 'a late telling does not begin it anew')
  await tell(tenant, (door) => {
    door.processed(named, at(49.6))
    door.ignored(named, 'test', at(49.7))
    door.ignored(named, 'test', at(74))
  })
  t.equal(await sweep(), 1, 'the next stretch is told of again')
  await processed(60)
  t.equal((await read())?.ignoring_since, at(60), 'a stretch does not begin before what another door processed')
  t.equal((await feed()).length, 4)
})

t.test('title, text and key of the announcement of ignored deliveries', async (t) => {
  const stretch = {
    ...named,
    name: 'Checks',
    ignoring_since: Date.UTC(2026, 9, 5, 12),
    last_ignored_at: Date.UTC(2026, 9, 6, 12),
    reason: 'test',
    team_id: null,
    visibility: 'org' as const
  }
  const { title, body, key } = noticeOf(stretch)
  t.equal(title, 'Checks has ignored everything for a day')
  t.match(body, /^Since 2026-10-05 12:00 UTC every delivery .* Most often: test\./)
  t.equal(key, `ignoring:${integration_id}:${stretch.ignoring_since}`)
})
