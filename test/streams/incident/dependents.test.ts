/**
 * Tests dependencies on a real Postgres: a parent that is down and its children, which incidents
 * are held, and who is notified of what when the parent is back up.
 */
import t from 'tap'
import type { MonitorTransition } from '../../../schemas/generated/events.ts'
import { defaultRetry } from '../../../schemas/http/check-config.ts'
import { defaultConfirmation } from '../../../schemas/http/monitors.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { replay } from '../../../services/operator/replay.ts'
import { lookAtWaiting } from '../../../services/store/dependents.ts'
import { loadHoldFacts } from '../../../services/store/hold-facts.ts'
import { readIncident } from '../../../services/store/incident-reads.ts'
import { leaseJobs } from '../../../services/store/jobs.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import type { Input } from '../../../streams/define.ts'
import { holdsOf } from '../../../streams/incident/holds.ts'
import { ruleOf } from '../routing/build.ts'
import { id, monitorInput, tenant_id } from './build.ts'
import { codec, foldIn, type Stack, stack } from './stack.ts'

const SECOND = 1000
const CHILDREN = 50
const router = id('router')
const children = Array.from({ length: CHILDREN }, (_, n) => id(`child ${n}`))
const system = { kind: 'system', id: 'test', via: 'system', request_id: null } as const

/** A router, and children that depend on it. They wait a minute to learn its status. */
async function network(s: Stack): Promise<void> {
  const values = [router, ...children].map((monitor_id) => ({
    tenant_id,
    monitor_id,
    name: monitor_id,
    type: 'http',
    target: 'https://shop.example/',
    interval_seconds: 60,
    timeout_seconds: 10,
    confirmation: defaultConfirmation,
    retry: defaultRetry,
    assigned_regions: ['eu', 'us'],
    severity_down: 'critical',
    severity_degraded: 'warning',
    tls_expiry_days: [],
    depends_on: monitor_id === router ? [] : [router],
    dependency_hold_seconds: 60
  }))
  const columns = Object.keys(values[0] ?? {}).join(', ')
  await s.rows(`INSERT INTO monitors (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(null::monitors, $1)`, [
    JSON.stringify(values)
  ])
  // Keeps storms from beginning: these tests count the messages of single incidents.
  await s.rows('UPDATE tenants SET storm_threshold = 1000')
}

let offset = 0
const change = (monitor_id: string, over: Partial<MonitorTransition>): Input =>
  monitorInput({ event_id: id(`${monitor_id} ${over.ver} ${over.at}`), monitor_id, name: monitor_id, ...over }, { offset: offset++ })
const isDown = (monitor_id: string, at: number, ver = 2): Input =>
  change(monitor_id, { status: 'down', phase: 'down', previous_status: 'up', previous_phase: 'validating', ver, at })
const isUp = (monitor_id: string, at: number, ver = 3): Input =>
  change(monitor_id, { status: 'up', phase: 'ok', previous_status: 'down', previous_phase: 'down', ver, at })

const incidents = (s: Stack) =>
  s.rows<{ incident_id: string; monitor_id: string; status: string }>(
    'SELECT incident_id, monitor_id, status FROM incidents WHERE tenant_id = $1 ORDER BY number',
    [tenant_id]
  )
/** The ongoing incidents that nothing holds, by their monitors. */
const told = (s: Stack, at: number): Promise<string[]> =>
  tenantTransaction(s.pool, wholeWorkspace(tenant_id), async (tx) => {
    const free: string[] = []
    for (const { incident_id, monitor_id, status } of await incidents(s)) {
      const incident = await readIncident(tx, tenant_id, incident_id)
      if (!incident || status !== 'ongoing') continue
      if (holdsOf(incident, await loadHoldFacts(tx, tenant_id, [incident], at), at).length === 0) free.push(monitor_id)
    }
    return free
  })

const cause = (at: number) => ({ at, kind: 'job', src: 'job:one', request_id: null, by: 'system:dependency_end' }) as const
const look = (s: Stack, ids: readonly string[], at: number): Promise<number | null> =>
  tenantTransaction(s.pool, wholeWorkspace(tenant_id), (tx) => lookAtWaiting(tx, codec, tenant_id, ids, cause(at)))

/** Runs the dependency jobs that are due, as the worker does. */
async function runDue(s: Stack): Promise<number> {
  const due = await leaseJobs(s.pool, { kinds: ['dependency_end'], most: 100, perTenant: 100, held: new Map(), leaseMs: 60_000 })
  for (const job of due) {
    await tenantTransaction(s.pool, wholeWorkspace(tenant_id), async (tx) => {
      await runs.dependency_end.page(tx, job, { codec, actor: system })
      await tx.query('DELETE FROM jobs WHERE tenant_id = $1 AND job_id = $2', [tenant_id, job.job_id])
    })
  }
  return due.length
}

t.test('a down parent with 50 children sends one page, and children that still fail page later', async (t) => {
  const s = await stack(t)
  await network(s)
  const at = Date.now() - 30 * SECOND
  await s.take(isDown(router, at), ...children.slice(0, 20).map((one) => isDown(one, at + SECOND)))
  await s.take(...children.slice(20).map((one) => isDown(one, at + 2 * SECOND)))
  t.equal((await incidents(s)).length, CHILDREN + 1, 'each has an incident')
  t.same(await told(s, Date.now()), [router], 'people are told of the parent alone')
  const [held] = await s.rows<{ input: string }>(
    "SELECT cause ->> 'input' AS input FROM incident_events e JOIN incidents i USING (tenant_id, incident_id) WHERE i.monitor_id = $1 AND e.ver = 1",
    [children[0]]
  )
  t.match(JSON.parse(held?.input ?? ''), { waits: { monitor_id: router, state: 'down' } })

  const ids = (await incidents(s)).filter(({ monitor_id }) => monitor_id !== router).map(({ incident_id }) => incident_id)
  t.ok(await look(s, ids.slice(0, 3), Date.now()), 'looked at too early, they are looked at again')
  t.same(await told(s, Date.now()), [router])

  // The router is up again, and so are all children but two.
  await s.take(isUp(router, at + 5 * SECOND))
  await s.take(...children.slice(2).map((one) => isUp(one, at + 6 * SECOND)))
  t.equal(await runDue(s), 1, 'the end of the router’s outage looks at them')
  t.same(await told(s, Date.now()), [], 'what still fails has a minute to recover behind it')
  const later = at + 66 * SECOND
  t.equal(await look(s, ids, later), null, 'nothing is left to look at')
  t.same((await told(s, later)).sort(), children.slice(0, 2).sort(), 'what still fails is told of')
  t.equal((await s.rows('SELECT FROM incident_holds')).length, CHILDREN - 2, 'of what recovered nobody was told')
  const events = await s.rows<{ change: string; kind: string }>(
    "SELECT change, cause ->> 'kind' AS kind FROM incident_events e JOIN incidents i USING (tenant_id, incident_id) WHERE i.monitor_id = $1 ORDER BY e.ver",
    [children[0]]
  )
  t.same(events, [
    { change: 'created', kind: 'signal' },
    { change: 'updated', kind: 'job' }
  ])
})

t.test('a child stops waiting after the time limit when its parent gets no verdict', async (t) => {
  const s = await stack(t)
  await network(s)
  const at = Date.now() - 61 * SECOND
  const [child = ''] = children
  await s.take(change(router, { status: 'up', phase: 'validating', previous_status: 'up', previous_phase: 'ok', ver: 2, at }))
  await s.take(isDown(child, at + SECOND / 2))
  t.same(await told(s, at + 10 * SECOND), [])
  t.equal(await runDue(s), 1)
  t.same(await told(s, Date.now()), [child])
})

/**
 * Lets some monitors go down while a rule keeps their alerts, then runs the job of a window for
 * each.
 */
async function promoteKept(s: Stack, monitors: readonly string[], at: number): Promise<void> {
  await s.putRules([ruleOf(id('kept'), { actions: { promote: 'never' } })])
  await s.take(...monitors.map((one) => isDown(one, at)))
  await s.putRules([])
  for (const { alert_id } of await s.rows<{ alert_id: string }>('SELECT alert_id FROM alerts ORDER BY dedup_key')) {
    const payload = { alert_id, window_id: id('window') }
    const job = { tenant_id, job_id: '1', kind: 'maintenance_promote', attempts: 1, run_at: at, idem_key: alert_id, payload }
    await tenantTransaction(s.pool, wholeWorkspace(tenant_id), async (tx) => {
      await runs.maintenance_promote(tx, job, { codec, actor: system })
    })
  }
}

t.test('an alert that a maintenance window kept waits for a parent that is down when its incident opens', async (t) => {
  const s = await stack(t)
  await network(s)
  const at = Date.now() - 30 * SECOND
  const kept = children.slice(0, 3)
  await s.take(isDown(router, at))
  await promoteKept(s, kept, at + SECOND)
  t.equal((await incidents(s)).length, 4)
  t.same(await told(s, Date.now()), [router], 'people are told of the parent alone')
  const ids = (await incidents(s)).slice(1).map(({ incident_id }) => incident_id)
  t.match(await s.rows('SELECT DISTINCT kind, cause_id FROM incident_holds'), [{ kind: 'dependency', cause_id: router }])
  t.equal((await s.rows("SELECT FROM jobs WHERE kind = 'dependency_end'")).length, 3, 'and they are looked at again')

  await s.take(isUp(router, at + 5 * SECOND), isUp(kept[0] ?? '', at + 6 * SECOND))
  const later = at + 66 * SECOND
  t.equal(await look(s, ids, later), null)
  t.same((await told(s, later)).sort(), kept.slice(1).sort(), 'what still fails is told of')
  t.match(await replay(s.pool, { workspace: null, incident: null, alert: null }, () => undefined), { incidents: 4, differ: 0 })
})

t.test('incidents of alerts that a maintenance window kept count for storms', async (t) => {
  const s = await stack(t)
  await network(s)
  await s.rows('UPDATE tenants SET storm_threshold = 2')
  await promoteKept(s, children.slice(0, 4), Date.now() - SECOND)
  t.same(await s.rows('SELECT number, storm_until IS NOT NULL AS held FROM incidents ORDER BY number'), [
    { number: 1, held: false },
    { number: 2, held: false },
    { number: 3, held: true },
    { number: 4, held: true }
  ])
  t.equal((await s.rows("SELECT FROM jobs WHERE kind = 'storm_end'")).length, 1)
})

/** Folds `first`, and commits it only when the batch with `second` waits for its locks. */
async function inTurn(s: Stack, first: Input, second: Input): Promise<void> {
  let after: Promise<void> | undefined
  await transaction(s.pool, async (tx) => {
    await foldIn(tx, [first])
    after = s.take(second)
    await s.blocked()
  })
  await after
}

t.test("the child's batch waits for the parent's batch and then sees that the parent is down", async (t) => {
  const s = await stack(t)
  await network(s)
  const [child = ''] = children
  const at = Date.now()
  await inTurn(s, isDown(router, at), isDown(child, at + 1))
  t.same(await told(s, at + SECOND), [router], 'the child has seen the parent')
})

t.test("the parent's batch waits for the child's batch, and people are told of both", async (t) => {
  const s = await stack(t)
  await network(s)
  const [child = ''] = children
  const at = Date.now()
  await inTurn(s, isDown(child, at), isDown(router, at + 1))
  t.same(await told(s, at + SECOND), [child, router], 'the child has seen no failure of the parent')
  t.same(await s.rows('SELECT FROM incident_holds'), [])
})

t.test('concurrent batches that touch each other’s parents do not deadlock', async (t) => {
  const s = await stack(t)
  await network(s)
  // Each monitor depends on the next two, and all of them together are a mass outage.
  const ring = children.slice(0, 12)
  for (const [n, one] of ring.slice(0, 10).entries())
    await s.rows('UPDATE monitors SET depends_on = $2 WHERE monitor_id = $1', [one, [ring[n + 2], ring[n + 1]]])
  const at = Date.now()
  const batch = (n: number, status: 'up' | 'down'): Input[] => {
    const some = [ring[(5 * n) % 12], ring[(7 * n + 3) % 12], ring[(11 * n + 6) % 12]].flatMap((one) => one ?? [])
    return [...new Set(some)].map((one) => (status === 'down' ? isDown(one, at + n, 2 * n + 2) : isUp(one, at + n, 2 * n + 3)))
  }
  await Promise.all(Array.from({ length: 24 }, (_, n) => s.take(...batch(n, n % 2 === 0 ? 'down' : 'up'))))
  await s.take(...ring.map((one) => isUp(one, at + SECOND, 1000)))
  t.same(
    (await incidents(s)).filter(({ status }) => status === 'ongoing'),
    [],
    'all are up, and so is the mass outage over'
  )
})
