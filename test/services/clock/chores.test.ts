/**
 * The daily chores of the leading clock, on a real Postgres. Each chore runs once a day, on only
 * one of several clocks, and never on a clock that does not lead.
 */
import t from 'tap'
import { startChores } from '../../../services/clock/chores.ts'
import { createLog } from '../../../services/process/log.ts'
import { choreNames, claimChore } from '../../../services/store/chores.ts'
import { createPool } from '../../../services/store/pool.ts'
import { createWorkspace } from '../../../services/store/tenants.ts'
import { localCodec } from '../../harness/codec.ts'
import { database } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'

t.test('a daily chore is claimed by only one clock', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'chores test', max: 4 })
  t.teardown(() => pool.end())
  t.equal(await claimChore(pool, 'reemit-configs'), false, 'a new database has nothing to do')
  t.equal(await claimChore(pool, 'reemit-configs'), false)
  await pool.query("UPDATE chores SET done_at = now() - interval '25 hours'")
  const claims = await Promise.all(Array.from({ length: 4 }, () => claimChore(pool, 'reemit-configs')))
  t.equal(claims.filter(Boolean).length, 1)
})

t.test('only the leader does the chores, which delete old probers, invites, silences and dead letters', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'chores test', max: 4 })
  t.teardown(() => pool.end())
  await pool.query("INSERT INTO regions (code, label, country) VALUES ('eu', 'Europe', 'DE')")
  const prober = (instance: string, age: string) =>
    pool.query(
      `INSERT INTO probers (region, instance_id, version, kinds, public_key, last_hello_at) VALUES ('eu', $1, '1', '{http}', '\\x00', now() - $2::interval)`,
      [instance, age]
    )
  await prober('old', '8 days')
  await prober('young', '6 days')
  const token = { name: 'x', sha256: Buffer.from('x'), prefix: 'x', scopes: [] }
  const names = { workspace_name: 'x', slug: 'x', user_name: 'x', email: 'x@example.test' }
  const { tenant_id, user_id } = await createWorkspace(pool, { ...names, plan: 'free', password_hash: 'x', token })
  const invite = (email: string, age: string) =>
    pool.query(
      `INSERT INTO invites (tenant_id, invite_id, email, role, token_sha256, invited_by, expires_at)
       VALUES ($1, gen_random_uuid(), $2, 'viewer', sha256(convert_to($2, 'UTF8')), $3, now() - $4::interval)`,
      [tenant_id, email, user_id, age]
    )
  await invite('old@example.test', '31 days')
  await invite('young@example.test', '29 days')
  const silence = (comment: string, age: string) =>
    pool.query(
      `INSERT INTO silences (tenant_id, silence_id, matchers, comment, starts_at, ends_at, created_by)
       VALUES ($1, gen_random_uuid(), '[{}]', $2, now() - $3::interval - interval '1 hour', now() - $3::interval, 'user:x')`,
      [tenant_id, comment, age]
    )
  await silence('old', '91 days')
  await silence('young', '89 days')
  const letter = (reason: string, age: string) =>
    pool.query(
      `INSERT INTO dead_letters (id, processor, topic, partition, "offset", reason, error, at)
       VALUES (gen_random_uuid(), 'incident', 'alerts.inbound.v1', 0, 0, $1, 'x', now() - $2::interval)`,
      [reason, age]
    )
  await letter('old', '91 days')
  await letter('young', '89 days')
  for (const name of choreNames) await pool.query("INSERT INTO chores VALUES ($1, now() - interval '2 days')", [name])
  let leads = false
  let asked = 0
  const warned: string[] = []
  const stop = startChores({
    pool,
    codec: localCodec(),
    leads: () => {
      asked += 1
      return leads
    },
    log: createLog('test', 'warn', { write: (line) => void warned.push(line) }),
    everyMs: 5
  })
  t.teardown(stop)
  const probers = async (): Promise<string[]> =>
    (await pool.query('SELECT instance_id FROM probers ORDER BY 1')).rows.map((row) => row.instance_id)
  const invited = async (): Promise<string[]> => (await pool.query('SELECT email FROM invites ORDER BY 1')).rows.map((row) => row.email)
  await until('it to be asked', () => asked > 3)
  t.same(await probers(), ['old', 'young'], 'who does not lead leaves them alone')
  leads = true
  await until('the old one to be forgotten', async () => (await probers()).length === 1)
  t.same(await probers(), ['young'])
  await until('the old invite to be forgotten', async () => (await invited()).length === 1)
  t.same(await invited(), ['young@example.test'])
  const silences = async (): Promise<string[]> => (await pool.query('SELECT comment FROM silences')).rows.map((row) => row.comment)
  await until('the old silence to be forgotten', async () => (await silences()).length === 1)
  t.same(await silences(), ['young'])
  const last = choreNames.at(-1)
  await until('the last chore to be claimed', async () => {
    const { rowCount } = await pool.query("SELECT FROM chores WHERE name = $1 AND done_at > now() - interval '1 day'", [last])
    return rowCount === 1
  })
  await stop()
  t.same((await pool.query('SELECT reason FROM dead_letters')).rows, [{ reason: 'young' }])
  t.same(warned, [], 'no chore fails')
})
