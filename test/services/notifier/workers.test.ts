/**
 * Tests of the workers on a real Postgres: they are fair between workspaces, a failure affects one
 * job only, and every kind of job is given up in the end.
 */
import t from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import type { PageRun, RunJob, SharedRun } from '../../../services/notifier/job.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { patienceOf, waitAfter } from '../../../services/notifier/kinds.ts'
import { unitsOf } from '../../../services/notifier/perform.ts'
import { startWaking } from '../../../services/notifier/waking.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import {
  buryJob,
  changeJobs,
  countDeadJobs,
  dropDeadJob,
  type LeasedJob,
  leaseJobs,
  listDeadJobs,
  reviveJobs
} from '../../../services/store/jobs.ts'
import { transaction } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { worker } from './escalating.ts'

const add = (s: Stand, { tenant_id }: Pick<Workspace, 'tenant_id'>, count: number, kind = 'test', ago = 1000) =>
  transaction(s.systemPool, (tx) =>
    changeJobs(
      tx,
      Array.from({ length: count }, (_, n) => ({
        start: kind,
        idem_key: `${kind} ${tenant_id} ${n} ${uuidv4()}`,
        tenant_id,
        run_at: Date.now() - ago,
        payload: { n }
      }))
    )
  )
const places = (over: Partial<Parameters<typeof leaseJobs>[1]> = {}) => ({
  kinds: ['test'],
  most: 8,
  perTenant: 4,
  held: new Map<string, number>(),
  leaseMs: 60_000,
  ...over
})

t.test('a workspace with many due jobs leaves places for the others', async (t) => {
  const s = await stand(t)
  await add(s, s.acme, 500, 'test', 60_000)
  await add(s, s.globex, 3)
  const of = (jobs: { tenant_id: string }[], { tenant_id }: Workspace) => jobs.filter((job) => job.tenant_id === tenant_id).length
  const first = await leaseJobs(s.systemPool, places())
  t.same([of(first, s.acme), of(first, s.globex)], [4, 0], 'the oldest, as many as one workspace may hold')
  const second = await leaseJobs(s.systemPool, places({ most: 4, held: new Map([[s.acme.tenant_id, 4]]) }))
  t.same([of(second, s.acme), of(second, s.globex)], [0, 3], 'behind 496 older ones')
  const third = await leaseJobs(s.systemPool, places({ held: new Map([[s.acme.tenant_id, 3]]) }))
  t.equal(of(third, s.acme), 1, 'what it holds counts')
})

t.test('a job of a small kind takes a quarter of a place', async (t) => {
  const s = await stand(t)
  await add(s, s.acme, 30, 'small', 3000)
  await add(s, s.acme, 6, 'test', 2000)
  await add(s, s.globex, 40, 'small', 1000)
  const look = async (over: Partial<Parameters<typeof leaseJobs>[1]> = {}) => {
    const jobs = await leaseJobs(s.systemPool, places({ kinds: ['small', 'test'], small: ['small'], most: 10, ...over }))
    const of = ({ tenant_id }: Workspace, kind: string) => jobs.filter((job) => job.tenant_id === tenant_id && job.kind === kind).length
    return [of(s.acme, 'small'), of(s.acme, 'test'), of(s.globex, 'small')]
  }
  t.same(await look(), [16, 0, 16], 'four places of each workspace')
  t.same(await look({ held: new Map([[s.acme.tenant_id, 1.5]]) }), [10, 0, 16], 'one holds one and a half: two and a half are left')
  t.same(await look({ held: new Map([[s.acme.tenant_id, 4]]) }), [0, 0, 8], 'it holds all that it may')
  t.same(await look(), [4, 3, 0], 'four small jobs are one place, and three others three')
  t.same(await look({ most: 2.5 }), [0, 2, 0], 'half a place is too little for another')
})

t.test('two workers do each job once', async (t) => {
  const s = await stand(t)
  await add(s, s.acme, 60)
  const seen: unknown[] = []
  const test: RunJob = async (_tx, job) => {
    seen.push(job.payload.n)
  }
  for (const _ of [1, 2]) worker(t, s, { runs: { test } })
  await until('no job to be left', async () => (await s.systemPool.query('SELECT FROM jobs')).rowCount === 0)
  t.equal(seen.length, 60)
  t.equal(new Set(seen).size, 60)
})

t.test('small jobs leased together share a transaction, across workspaces', async (t) => {
  const s = await stand(t)
  const incidents = Array.from({ length: 6 }, () => uuidv4()).sort()
  const [first = '', , third = ''] = incidents
  const lease = (over: Partial<LeasedJob>): LeasedJob => ({
    job_id: uuidv4(),
    tenant_id: s.acme.tenant_id,
    kind: 'incident_notify',
    attempts: 1,
    run_at: 0,
    payload: {},
    idem_key: '',
    ...over
  })
  const of = (incident_id: string, over: Partial<LeasedJob> = {}) => lease({ payload: { incident_id }, ...over })
  const units = unitsOf([of(third), of(first), lease({ kind: 'digest' }), of(third, { idem_key: 'again' })], runs)
  t.same(
    units.map((unit) => unit.map(({ kind, payload, idem_key }) => [kind, payload.incident_id, idem_key])),
    [
      [
        ['incident_notify', first, ''],
        ['incident_notify', third, ''],
        ['incident_notify', third, 'again']
      ],
      [['digest', undefined, '']]
    ],
    'in the order of what they lock'
  )
  const [broken, whole] = [lease({ payload: {} }), of(first)]
  t.same(unitsOf([broken, whole], runs), [[whole], [broken]], 'one that names nothing is alone, and stops no other')

  const due = incidents.map((incident_id, n) => ({
    start: 'incident_notify',
    idem_key: incident_id,
    tenant_id: n % 2 ? s.acme.tenant_id : s.globex.tenant_id,
    run_at: Date.now() - 1000,
    payload: { incident_id }
  }))
  await transaction(s.systemPool, (tx) => changeJobs(tx, due))
  const done = new Map<string, string[]>()
  const incident_notify: SharedRun = {
    lock: ({ payload }) => String(payload.incident_id),
    async together(tx, jobs) {
      const { rows } = await tx.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id')
      const ids = jobs.map(({ payload }) => String(payload.incident_id))
      for (const id of ids) done.set(id, [...(done.get(id) ?? []), rows[0]?.id ?? ''])
      if (ids.includes(third)) throw new Error('this one cannot')
    }
  }
  worker(t, s, { runs: { incident_notify }, places: 12 })
  await until('the others to be done', async () => (await s.systemPool.query('SELECT FROM jobs')).rowCount === 1)
  const together = new Set([...done.values()].map(([id]) => id))
  t.equal(together.size, 1, 'one transaction for all')
  const alone = [...done.values()].map(([, id]) => id)
  t.equal(new Set(alone).size, 6, 'it failed with one of them: then each had its own')
  const { rows } = await s.systemPool.query<{ idem_key: string }>('SELECT idem_key FROM jobs')
  t.same(rows, [{ idem_key: third }], 'the one that fails is tried again later')
})

t.test('jobs that lock pages of keys run one at a time, even after a failure', async (t) => {
  const s = await stand(t)
  await add(s, s.acme, 4, 'release')
  await add(s, s.globex, 3, 'release')
  await add(s, s.acme, 1)
  let within = 0
  let most = 0
  const seen: string[] = []
  let goOn = (): void => undefined
  const isSeen = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const release: PageRun = {
    async page(tx, { tenant_id, payload, attempts }) {
      within += 1
      most = Math.max(most, within)
      await isSeen
      await tx.query('SELECT pg_sleep(0.01)')
      within -= 1
      if (payload.n === 1 && attempts === 1) throw new Error('not this time')
      seen.push(`${tenant_id} ${payload.n}`)
    }
  }
  worker(t, s, { runs: { release, test: async () => goOn() }, places: 12 })
  await until('all pages to be done', async () => seen.length === 7)
  t.equal(new Set(seen).size, 7)
  t.equal(most, 1)
})

t.test('a failing job does not block others and is given up in the end', async (t) => {
  const s = await stand(t)
  await add(s, s.acme, 1, 'bad')
  await add(s, s.acme, 5)
  let done = 0
  const runs: Record<string, RunJob> = {
    bad: async (): Promise<void> => {
      throw Object.assign(new Error('a secret'), { code: 'X1' })
    },
    test: async (): Promise<void> => {
      done += 1
    }
  }
  await s.systemPool.query("UPDATE jobs SET attempts = 49 WHERE kind = 'bad'")
  worker(t, s, { runs })
  await until('the others to be done', async () => done === 5)
  const [dead] = await until('it to be given up', async () => {
    const jobs = await listDeadJobs(s.systemPool, 10)
    return jobs.length > 0 && jobs
  })
  t.match(dead, { kind: 'bad', attempts: 50, error: 'Error X1' }, 'with the kind and code of its failure, and no text')
  t.same(await countDeadJobs(s.systemPool), new Map([['bad', 1]]))
  t.equal(await reviveJobs(s.systemPool, uuidv4()), 0)
  await s.systemPool.query(
    `INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
     SELECT gen_random_uuid(), tenant_id, kind, now() + interval '1 hour', idem_key, payload FROM dead_jobs`
  )
  t.equal(await reviveJobs(s.systemPool, null), 0, 'a newer job has its key')
  t.notOk(await dropDeadJob(s.systemPool, uuidv4()))
  t.ok(await dropDeadJob(s.systemPool, dead?.job_id ?? ''))
  t.same(await countDeadJobs(s.systemPool), new Map(), 'the alert about it ends')
})

t.test('a job that is tried again does not make the worker late', async (t) => {
  const s = await stand(t)
  const metrics = createMetrics()
  const late = async (): Promise<number | undefined> =>
    (await metrics.registry.getSingleMetric('service_jobs_late_seconds')?.get())?.values[0]?.value
  const seen: (number | undefined)[] = []
  const test: RunJob = async () => void seen.push(await late())
  await add(s, s.acme, 1, 'test', 600_000)
  await s.systemPool.query('UPDATE jobs SET attempts = 3')
  worker(t, s, { runs: { test }, metrics })
  await until('it to run', () => seen.length === 1)
  await add(s, s.acme, 1, 'test', 600_000)
  await until('another to run', () => seen.length === 2)
  t.equal(seen[0], 0)
  t.ok((seen[1] ?? 0) >= 600, 'one that was never tried')
  await until('nothing to be due', async () => (await late()) === 0)
})

t.test('a dead job is revived, unless another job has its key', async (t) => {
  const s = await stand(t)
  await add(s, s.acme, 2)
  const [first, second] = await leaseJobs(s.systemPool, places())
  if (!first || !second) throw new Error('no jobs')
  for (const job of [first, second]) await buryJob(s.systemPool, job, 'Error')
  const again = { start: 'test', idem_key: second.idem_key, tenant_id: second.tenant_id, run_at: 0, payload: {} }
  await transaction(s.systemPool, (tx) => changeJobs(tx, [again]))
  t.equal(await reviveJobs(s.systemPool, null), 1)
  t.match(await listDeadJobs(s.systemPool, 10), [{ job_id: second.job_id }])
})

t.test('every kind of job has a last attempt and a longest wait', async (t) => {
  for (const kind of ['escalation_step', 'ack_timeout', 'silence_end', 'unheard_of']) {
    const { attempts, longestMs } = patienceOf(kind)
    t.equal(waitAfter(kind, 1), 2000)
    t.equal(waitAfter(kind, attempts - 1), longestMs)
    t.equal(waitAfter(kind, attempts), null)
  }
})

t.test('a committed incident wakes the workers', async (t) => {
  const s = await stand(t)
  let woken = 0
  const stop = startWaking(s.systemPool, () => (woken += 1), createLog('test', 'silent'))
  t.teardown(stop)
  await until('it to hear of an incident', async () => {
    await s.incident(s.acme)
    return woken > 0
  })
  t.ok(woken > 0)
})
