/**
 * Tests of incidents of several workspaces that are notified together: each must be as if it were
 * alone.
 */
import t from 'tap'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { perform, performTogether, unitsOf } from '../../../services/notifier/perform.ts'
import { type LeasedJob, leaseJobs } from '../../../services/store/jobs.ts'
import { localCodec } from '../../harness/codec.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { channel } from './channels.ts'

const kinds = ['incident_notify']

const leased = (s: Stand): Promise<LeasedJob[]> =>
  leaseJobs(s.systemPool, { kinds, most: 50, perTenant: 50, held: new Map(), leaseMs: 60_000 })

/** Returns what was decided and sent, in a form that is equal for every workspace. */
async function toldOf(s: Stand, { tenant_id }: Workspace) {
  const ask = async (text: string) => (await s.systemPool.query<Record<string, unknown>>(text, [tenant_id])).rows
  return {
    deliveries: await ask(
      `SELECT i.title, d.event, d.state, d.suppressed_by, count(*) FROM deliveries d JOIN incidents i USING (tenant_id, incident_id)
        WHERE d.tenant_id = $1 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2`
    ),
    intents: await ask(
      `SELECT i.title, n.event, n.suppressed_by FROM intents n JOIN incidents i USING (tenant_id, incident_id) WHERE n.tenant_id = $1 ORDER BY 1, 2`
    ),
    feed: await ask('SELECT title, type, severity FROM feed WHERE tenant_id = $1 ORDER BY title'),
    tellings: await ask(
      `SELECT i.title, t.failing_event, t.held, t.told_ver = i.ver AS up_to_date FROM incident_tellings t JOIN incidents i USING (tenant_id, incident_id)
        WHERE t.tenant_id = $1 ORDER BY 1`
    ),
    jobs: await ask("SELECT kind FROM jobs WHERE tenant_id = $1 AND kind = 'incident_notify'")
  }
}

/** Opens three incidents, one silenced and one over, and creates a channel, in each workspace. */
async function begin(s: Stand, home: Workspace): Promise<void> {
  await channel(s, home, { config: { url: 'http://127.0.0.1:9/told' } })
  for (const title of ['fails', 'is over', 'is silenced']) {
    const { incident_id } = await s.incident(home, { title, dedup_key: `int:x:${title}` })
    if (title === 'is over')
      t.equal((await s.call(home, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })).statusCode, 200)
    if (title === 'is silenced')
      t.equal((await s.call(home, 'POST', `/api/v1/incidents/${incident_id}/silence`, { minutes: 60 })).statusCode, 200)
  }
}

t.test('incidents notified together get the same result as alone, across workspaces', async (t) => {
  const act = { codec: localCodec(), runs }
  const one = await stand(t, { jobs: true })
  for (const home of [one.acme, one.globex]) await begin(one, home)
  const alone = await leased(one)
  for (const job of alone) await perform({ ...act, pool: one.systemPool }, job, () => false)

  const other = await stand(t, { jobs: true })
  for (const home of [other.acme, other.globex]) await begin(other, home)
  const jobs = await leased(other)
  t.equal(jobs.length, alone.length)
  const units = unitsOf(jobs, runs)
  t.same(
    units.map((unit) => unit.length),
    [jobs.length],
    'one unit, of both workspaces, with several jobs of one incident'
  )
  t.ok(jobs.length > 6, `${jobs.length} jobs of six incidents`)
  for (const unit of units) await performTogether({ ...act, pool: other.systemPool }, unit, () => false)

  for (const name of ['acme', 'globex'] as const) {
    const told = await toldOf(other, other[name])
    t.same(told, await toldOf(one, one[name]), name)
    t.equal(told.tellings.length, 3)
    t.equal(told.jobs.length, 0)
    t.match(told.intents, [{ title: 'fails', event: 'down', suppressed_by: null }])
    t.ok(told.intents.some(({ title, suppressed_by }) => title === 'is silenced' && suppressed_by === 'silence'))
  }
})

t.test('silences and windows apply only to their own workspace', async (t) => {
  const s = await stand(t, { jobs: true })
  const [starts_at, ends_at] = [0, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const made = await s.call(s.acme, 'POST', '/api/v1/silences', {
    matchers: [{ field: 'title', op: 'eq', value: 'fails' }],
    comment: 'Tonight',
    ends_at
  })
  t.equal(made.statusCode, 201, made.body)
  const window = await s.call(s.globex, 'POST', '/api/v1/maintenance-windows', {
    name: 'Tonight',
    scope: { all: true },
    schedule: { kind: 'once', starts_at, ends_at }
  })
  t.equal(window.statusCode, 201, window.body)
  const third = await s.workspace('initech')
  for (const home of [s.acme, s.globex, third]) {
    await channel(s, home, { config: { url: 'http://127.0.0.1:9/told' } })
    await s.incident(home, { title: 'fails', dedup_key: 'int:x:fails' })
  }
  for (const unit of unitsOf(await leased(s), runs))
    await performTogether({ codec: localCodec(), runs, pool: s.systemPool }, unit, () => false)
  const kept = async (home: Workspace) => (await toldOf(s, home)).intents.map(({ suppressed_by }) => suppressed_by)
  t.same(await Promise.all([s.acme, s.globex, third].map(kept)), [['silence'], ['maintenance'], [null]])
})

t.test('a worker that lost one of its jobs performs none of them', async (t) => {
  const s = await stand(t, { jobs: true })
  await begin(s, s.acme)
  const [unit] = unitsOf(await leased(s), runs)
  await s.systemPool.query('UPDATE jobs SET attempts = attempts + 1 WHERE job_id = $1', [unit?.[1]?.job_id])
  await t.rejects(
    performTogether({ codec: localCodec(), runs, pool: s.systemPool }, unit ?? [], () => false),
    { name: 'NotHeld' }
  )
  const { intents, feed, tellings } = await toldOf(s, s.acme)
  t.same([intents, feed, tellings], [[], [], []])
})
