/**
 * Tests of holds that end although nobody ends them, and of a hold that ends while a job is
 * notifying of its incident.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { releaseHeld } from '../../../services/notifier/held-again.ts'
import type { Runs, SharedRun } from '../../../services/notifier/job.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { isShared, perform } from '../../../services/notifier/perform.ts'
import { leaseJobs } from '../../../services/store/jobs.ts'
import { localCodec } from '../../harness/codec.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { channel, ledger } from './channels.ts'

const codec = localCodec()
const log = { warn: (about: object) => t.fail(JSON.stringify(about)) }

/** Runs the jobs of these kinds that are due. Returns how many. */
async function runDue(s: Stand, kinds: readonly string[] = ['incident_notify'], by: Runs = runs): Promise<number> {
  const due = await leaseJobs(s.systemPool, { kinds, most: 100, perTenant: 100, held: new Map(), leaseMs: 60_000 })
  for (const job of due) await perform({ pool: s.systemPool, codec, runs: by }, job, () => false)
  return due.length
}

async function silence(s: Stand, home: Workspace, ...more: object[]): Promise<string> {
  const made = await s.call(home, 'POST', '/api/v1/silences', {
    matchers: [{ field: 'title', op: 'eq', value: 'Disk' }, ...more],
    comment: 'Tonight',
    ends_at: new Date(Date.now() + 3_600_000).toISOString()
  })
  t.equal(made.statusCode, 201, made.body)
  return made.json().id
}

const told = async (s: Stand, incident_id: string) => (await ledger(s, incident_id)).map(({ suppressed_by }) => suppressed_by)
const sweep = (s: Stand) => releaseHeld(s.systemPool, codec, log)

t.test('an incident is told when its silence matches no more at another hour', async (t) => {
  const s = await stand(t, { jobs: true })
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' } })
  const id = await silence(s, s.acme, { field: 'hour', op: 'gte', value: 0 })
  const { incident_id } = await s.incident(s.acme, { title: 'Disk' })
  const other = await s.incident(s.acme, { title: 'Disk' })
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${other.incident_id}/silence`, { duration_minutes: 5 })).statusCode, 200)
  await runDue(s)
  t.same(await told(s, incident_id), ['silence'])
  t.equal(await sweep(s), 0, 'it is held')

  // Another hour has come.
  await s.systemPool.query(
    `UPDATE silences SET matchers = jsonb_set(matchers, '{1}', '{"field":"hour","op":"gt","value":23}') WHERE silence_id = $1`,
    [id]
  )
  t.equal(await sweep(s), 1)
  t.equal(await runDue(s), 1)
  t.same(await told(s, incident_id), ['silence', null])
  t.same((await told(s, other.incident_id)).includes(null), false, 'its own silence holds the other')
  t.equal(await sweep(s), 0, 'once')
})

t.test('a rise in severity is told when what held it matches no more at another hour', async (t) => {
  const s = await stand(t, { jobs: true })
  const config = { url: 'http://127.0.0.1:9/' }
  await channel(s, s.acme, { config })
  const critical = await channel(s, s.acme, { config, min_severity: 'critical' })
  const rises = async (title: string) => {
    const { incident_id } = await s.incident(s.acme, { title, dedup_key: `int:x:${title}`, severity: 'warning' })
    await runDue(s)
    return {
      incident_id,
      rise: async () => {
        const { statusCode } = await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { severity: 'critical' })
        t.equal(statusCode, 200)
        await runDue(s, ['incident_notify', 'hold_end'])
      }
    }
  }
  const [held, known] = [await rises('Disk'), await rises('Known')]
  const id = await silence(s, s.acme, { field: 'hour', op: 'gte', value: 0 })
  await s.call(s.acme, 'POST', `/api/v1/incidents/${known.incident_id}/acknowledge`, {})
  for (const { rise } of [held, known]) await rise()
  const hears = async ({ incident_id }: { incident_id: string }) =>
    (await ledger(s, incident_id)).some(({ channel_id }) => channel_id === critical)
  t.equal(await sweep(s), 0, 'one is held, somebody works on the other')

  await s.systemPool.query(
    `UPDATE silences SET matchers = jsonb_set(matchers, '{1}', '{"field":"hour","op":"gt","value":23}') WHERE silence_id = $1`,
    [id]
  )
  t.same([await hears(held), await hears(known)], [false, false])
  t.equal(await sweep(s), 1)
  await runDue(s)
  t.same([await hears(held), await hears(known)], [true, false])
  t.equal(await sweep(s), 0, 'once')
  for (const severity of ['warning', 'critical'])
    t.equal((await s.call(s.acme, 'PATCH', `/api/v1/incidents/${held.incident_id}`, { severity })).statusCode, 200)
  t.equal(await sweep(s), 0, 'a severity that was told before is no rise')
})

t.test('an incident is told when its team turns private, which a silence of others may not hold', async (t) => {
  const s = await stand(t, { jobs: true })
  const team_id = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Shop', slug: 'shop' })).json().id
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' }, team_id })
  await silence(s, s.acme)
  const { incident_id } = await s.incident(s.acme, { title: 'Disk', team_id, visibility: 'org' })
  const theirs = await s.incident(s.globex, { title: 'Disk' })
  await runDue(s)
  t.same(await told(s, incident_id), ['silence'])
  const narrowed = await s.call(s.acme, 'PATCH', `/api/v1/teams/${team_id}`, { visibility: 'private' })
  t.equal(narrowed.statusCode, 200, narrowed.body)
  t.equal(await sweep(s), 1)
  await runDue(s)
  t.same(await told(s, incident_id), ['silence', null])
  t.same(await told(s, theirs.incident_id), [])
})

t.test('an incident of a group is told when an alert joins that no silence and no window holds', async (t) => {
  const s = await stand(t, { jobs: true })
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' } })
  await s.rules(s.acme, [ruleOf(uuidv4(), { actions: { group: { by: ['label.service'], window_seconds: 3600, max_alerts: 100 } } })])
  const labels = { service: 'db' }
  await silence(s, s.acme)
  await s.signal(s.acme, { title: 'Disk', labels })
  await runDue(s)
  const { rows } = await s.systemPool.query<{ incident_id: string }>('SELECT incident_id FROM incidents WHERE tenant_id = $1', [
    s.acme.tenant_id
  ])
  const incident_id = rows[0]?.incident_id ?? ''
  const heldBy = async () => (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json().held_by.length
  const silenced = async () => {
    const list = async (query: string) => (await s.call(s.acme, 'GET', `/api/v1/incidents?${query}`)).json()
    const { needs_someone, silenced } = (await list('include=counts')).counts
    return { needs_someone, silenced, listed: (await list('silenced=true')).items.length }
  }
  t.same(await told(s, incident_id), ['silence'])

  await s.signal(s.acme, { title: 'Disk', labels })
  t.equal(await sweep(s), 0, 'the silence holds both')
  t.equal(await heldBy(), 1)
  t.same(await silenced(), { needs_someone: 0, silenced: 1, listed: 1 })
  const { dedup_key } = await s.signal(s.acme, { title: 'Out of memory', labels })
  t.equal(await heldBy(), 0)
  t.same(await silenced(), { needs_someone: 1, silenced: 0, listed: 0 })
  t.equal(await sweep(s), 1)
  await runDue(s)
  t.same(await told(s, incident_id), ['silence', null])
  await s.signal(s.acme, { title: 'Out of memory', labels, dedup_key, action: 'resolve' })
  t.equal(await heldBy(), 1, 'what goes on is silenced')
})

t.test('of what was over before anybody looked, nobody is told if something held it at its end', async (t) => {
  const s = await stand(t, { jobs: true })
  const { tenant_id } = s.acme
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' } })
  const silence_id = await silence(s, s.acme)
  const over = async (title: string): Promise<string> => {
    const { incident_id } = await s.incident(s.acme, { title, dedup_key: `int:x:${title}` })
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, {})).statusCode, 200)
    return incident_id
  }
  const names = ['Disk', 'Storm', 'Free', 'Memory'] as const
  const ids = new Map<string, string>()
  for (const name of names) ids.set(name, await over(name))
  const id = (name: (typeof names)[number]): string => ids.get(name) ?? ''
  const change = (text: string, ...values: unknown[]) => s.systemPool.query(text, [tenant_id, ...values])
  // All of it was ten minutes ago. Silence and storm have ended since, another silence has begun.
  await change("UPDATE incidents SET resolved_at = resolved_at - interval '10 minutes' WHERE tenant_id = $1")
  await change("UPDATE incidents SET storm_until = now() - interval '5 minutes' WHERE tenant_id = $1 AND incident_id = $2", id('Storm'))
  await change(
    "UPDATE silences SET starts_at = now() - interval '1 hour', ends_at = now() - interval '5 minutes' WHERE tenant_id = $1 AND silence_id = $2",
    silence_id
  )
  const { statusCode } = await s.call(s.acme, 'POST', '/api/v1/silences', {
    matchers: [{ field: 'title', op: 'eq', value: 'Memory' }],
    comment: 'From now',
    ends_at: new Date(Date.now() + 3_600_000).toISOString()
  })
  t.equal(statusCode, 201)

  await runDue(s)
  t.same(await told(s, id('Disk')), ['silence'], 'its failure, and no end')
  t.same(await told(s, id('Storm')), ['storm'])
  t.same(await told(s, id('Free')), [null, null])
  t.same(await told(s, id('Memory')), [null, null], 'a silence that began later does not hold it')
  const { rows } = await change('SELECT title FROM feed WHERE tenant_id = $1 AND incident_id IS NOT NULL ORDER BY title')
  t.same(rows, [{ title: 'Over: Free' }, { title: 'Over: Memory' }], 'nor do members hear of its end')
})

t.test('a release while a job is notifying of the incident is not lost', async (t) => {
  const s = await stand(t, { jobs: true })
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' } })
  const id = await silence(s, s.acme)
  const { incident_id } = await s.incident(s.acme, { title: 'Disk' })
  const notify = runs.incident_notify
  if (!isShared(notify)) throw new TypeError('jobs of incident_notify are done together')
  // The silence ends after the job has read the holds, and before the job ends.
  const interrupted: SharedRun = {
    ...notify,
    async together(tx, jobs, context) {
      await notify.together(tx, jobs, context)
      t.equal((await s.call(s.acme, 'DELETE', `/api/v1/silences/${id}`)).statusCode, 204)
      t.equal(await runDue(s, ['pattern_silence_end']), 1)
    }
  }
  t.equal(await runDue(s, ['incident_notify'], { ...runs, incident_notify: interrupted }), 1)
  t.same(await told(s, incident_id), ['silence'])
  t.equal(await runDue(s), 1)
  t.same(await told(s, incident_id), ['silence', null])
})
