/**
 * Tests merges on real Postgres: what moves, what fires and recovers afterwards, and which
 * transactions wait.
 */
import t, { type Test } from 'tap'
import type { Alert, InboundAlert, Incident } from '../../../schemas/generated/events.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { closeWatched } from '../../../services/store/close-watched.ts'
import { declareIncident } from '../../../services/store/incident-commands.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { loadKeys } from '../../../services/store/signal-keys.ts'
import type { SignalRow } from '../../../streams/incident/signals.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, declaration, id, integration_id, manual_key, monitor_id, monitorInput, T0, tenant_id, user_id } from './build.ts'
import { codec, stack } from './stack.ts'

const by = `user:${user_id}`

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
const key = (name: string) => `int:${integration_id}:${name}`

async function stand(t: Test) {
  const s = await stack(t)
  let offset = 0
  const on = (name: string, seconds: number, over: Partial<InboundAlert> = {}) => {
    const at = T0 + seconds * 1000
    const own = { event_id: id(`${name} ${seconds}`), dedup_key: key(name), occurred_at: at, received_at: at, title: name }
    return alertInput({ ...own, labels: { service: 'shop' }, ...over }, { offset: offset++ })
  }
  return {
    s,
    fire: (name: string, seconds: number, over: Partial<InboundAlert> = {}) => s.take(on(name, seconds, over)),
    recover: (name: string, seconds: number) => s.take(on(name, seconds, { action: 'resolve' })),
    incidents: () => s.rows<Incident>('SELECT * FROM incidents ORDER BY number'),
    alerts: () => s.rows<Alert>('SELECT * FROM alerts ORDER BY dedup_key, started_at'),
    row: async (name: string) => (await s.rows<SignalRow>('SELECT * FROM signals WHERE dedup_key = $1', [key(name)]))[0]
  }
}

const groupRule = ruleOf(id('group'), {
  match: { all: [{ field: 'title', op: 'matches', value: '^g' }] },
  actions: { group: { by: ['label.service'], window_seconds: 86_400, max_alerts: 100 } }
})
t.test('a merge of two incidents moves the alert, and the target ends with the last alert', async (t) => {
  const { s, fire, recover, incidents, alerts, row } = await stand(t)
  await fire('a', 0)
  await fire('b', 1, { severity: 'critical' })
  t.equal(await s.merge('INC-2', 'INC-1'), null)
  const [into, from] = await incidents()
  t.match(into, { status: 'ongoing', severity: 'critical', alert_count: 2, ongoing_alerts: 2, ver: 2 })
  t.match(from, { status: 'resolved', resolution_reason: 'merged', merged_into: into?.incident_id, alert_count: 0, ongoing_alerts: 0 })
  t.match(await alerts(), [
    { alert_id: into?.incident_id, incident_id: into?.incident_id, status: 'ongoing', dedup_key: key('a') },
    { alert_id: from?.incident_id, incident_id: into?.incident_id, status: 'ongoing', dedup_key: key('b') }
  ])
  t.match(await row('b'), { alert_id: from?.incident_id, incident_id: into?.incident_id, suppressed_until: null })

  await fire('b', 5, { severity: 'critical' })
  t.equal((await incidents()).length, 2, 'a repeat opens nothing')
  await recover('a', 10)
  t.match(await incidents(), [{ status: 'ongoing', ongoing_alerts: 1 }, { status: 'resolved' }])
  await recover('b', 11)
  t.match(await incidents(), [{ status: 'resolved', resolution_reason: 'recovered', ongoing_alerts: 0 }, { ver: 2 }])
  t.match(
    (await s.rows<{ change: string }>('SELECT change FROM incident_events WHERE incident_id = $1 ORDER BY ver', [from?.incident_id])).map(
      ({ change }) => change
    ),
    ['created', 'merged'],
    'the end of the target is not told of the source'
  )
  await fire('b', 20)
  t.match((await incidents()).at(-1), { number: 3, status: 'ongoing', ongoing_alerts: null, dedup_key: key('b') })
})

t.test('an alert that recovers and fires again while the target is ongoing is an alert of the target', async (t) => {
  const { s, fire, recover, incidents, alerts, row } = await stand(t)
  await fire('a', 0)
  await fire('b', 1, { severity: 'warning' })
  await s.merge('INC-2', 'INC-1')
  const counts = async () => (await incidents()).map(({ alert_count, ongoing_alerts, status }) => [status, alert_count, ongoing_alerts])
  for (const [nth, severity] of (['warning', 'warning', 'critical'] as const).entries()) {
    await recover('b', 10 + 20 * nth)
    t.same((await counts())[0], ['ongoing', 2 + nth, 1])
    await fire('b', 20 + 20 * nth, { severity })
    t.same((await counts())[0], ['ongoing', 3 + nth, 2], 'however often it comes back')
  }
  await recover('a', 80)
  await fire('a', 81)
  t.same((await counts())[0], ['ongoing', 6, 2], 'so does the alert that the target was itself')
  const [into] = await incidents()
  t.equal((await incidents()).length, 2)
  t.match(into, { severity: 'critical' })
  t.match(await row('b'), { incident_id: into?.incident_id, facts: { merged_into: into?.incident_id } })
  t.ok((await alerts()).every(({ incident_id }) => incident_id === into?.incident_id))
  await recover('b', 90)
  await recover('a', 91)
  await fire('b', 92)
  t.match((await incidents()).at(-1), { number: 3, ongoing_alerts: null }, 'when the target is over, it opens its own')
  await recover('b', 93)
  await fire('b', 94)
  t.match((await incidents()).at(-1), { number: 4, ongoing_alerts: null })
})

t.test('resolving the target ends all its alerts, and none fires again before it recovers', async (t) => {
  const { s, fire, recover, incidents, alerts } = await stand(t)
  for (const [at, name] of ['a', 'b', 'c'].entries()) await fire(name, at)
  await s.merge('INC-1', 'INC-2')
  await s.merge('INC-2', 'INC-3')
  t.match((await incidents()).at(-1), { alert_count: 3, ongoing_alerts: 3 }, 'a chain moves all of them')
  await s.obey('INC-3', { command: 'resolve', by, note: null, until_recovered: true })
  t.ok((await alerts()).every(({ status }) => status === 'resolved'))
  const received_at = Date.now() // Within the time for which a person's word holds.
  for (const name of ['a', 'b', 'c']) await fire(name, 10, { received_at })
  t.equal((await incidents()).length, 3)
  await recover('a', 20)
  await fire('a', 30)
  t.match((await incidents()).at(-1), { number: 4, dedup_key: key('a') })
})

t.test('alerts of a merged group join the target', async (t) => {
  const { s, fire, incidents } = await stand(t)
  await s.putRules([groupRule])
  await fire('plain', 0)
  await fire('g1', 1)
  await fire('g2', 2)
  await s.merge('INC-2', 'INC-1')
  await fire('g3', 3)
  t.match(await incidents(), [
    { number: 1, alert_count: 4, ongoing_alerts: 4, status: 'ongoing' },
    { number: 2, alert_count: 0, status: 'resolved' }
  ])
  await fire('other', 4)
  await s.merge('INC-1', 'INC-3')
  await fire('g4', 5)
  t.match((await incidents()).at(-1), { number: 3, alert_count: 6 }, 'and on with the next target')
})

t.test('a declared incident with merged alerts ends only by a person', async (t) => {
  const { s, fire, recover, incidents, alerts } = await stand(t)
  const declare = (n: number) =>
    tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) =>
      declareIncident(tx, codec, { tenant_id, dedup_key: manual_key }, { kind: 'command', src: by, request_id: null }, () =>
        declaration(T0 + n)
      )
    )
  await declare(0)
  await fire('a', 0)
  await s.merge('INC-2', 'INC-1')
  await recover('a', 10)
  t.match((await incidents())[0], { status: 'ongoing', ongoing_alerts: 0, alert_count: 1 })
  t.equal((await declare(1)).events.length, 0, 'declared again it is still the same incident')
  await s.obey('INC-1', { command: 'close', by, note: null, user_id })
  t.match((await incidents())[0], { status: 'resolved', resolution_reason: 'closed' })
  t.match(await alerts(), [{ status: 'resolved', resolution_reason: 'recovered' }])
})

t.test('a merged incident that a person had resolved stays quiet and keeps its reopen timer', async (t) => {
  const { s, fire, incidents, row } = await stand(t)
  await s.take(monitorInput())
  await s.obey('INC-1', { command: 'resolve', by, note: null, until_recovered: true })
  await fire('a', 1)
  const jobs = () => s.rows<{ idem_key: string }>("SELECT idem_key FROM jobs WHERE kind = 'incident_reopen'")
  const before = await jobs()
  t.equal(await s.merge('INC-1', 'INC-2'), null)
  t.same(await jobs(), before)
  const [from, into] = await incidents()
  t.match(from, { resolution_reason: 'user', merged_into: into?.incident_id })
  t.match(into, { status: 'ongoing', alert_count: 2, ongoing_alerts: 1 })
  const [monitor] = await s.rows<SignalRow>('SELECT * FROM signals WHERE dedup_key = $1', [`mon:${monitor_id}`])
  t.match(monitor, { alert_id: from?.incident_id, suppressed_until: Number })
  t.equal(before[0]?.idem_key, `incident_reopen:${monitor?.alert_id}`, 'a pause finds and cancels it by the same name')
  t.match(await row('a'), { suppressed_until: null })
})

t.test('pausing one monitor ends only its alert in a merged incident', async (t) => {
  const { s, fire, incidents, alerts } = await stand(t)
  await s.take(monitorInput())
  await fire('a', 1)
  await s.merge('INC-2', 'INC-1')
  const actor = { kind: 'user', id: user_id, via: 'api', request_id: null } as const
  await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) =>
    closeWatched(tx, codec, tenant_id, { kind: 'monitor', id: monitor_id }, 'paused', actor)
  )
  t.match((await incidents())[0], { status: 'ongoing', ongoing_alerts: 1 })
  t.match(
    (await alerts()).map(({ status }) => status),
    ['ongoing', 'resolved']
  )
})

t.test('a transaction that waits for a merge sees its result or is refused', async (t) => {
  const { s, fire, recover, incidents } = await stand(t)
  await fire('a', 0)
  await fire('b', 1)
  let waiting: Promise<unknown> = Promise.resolve()
  await s.merge('INC-2', 'INC-1', {
    pause: async () => {
      waiting = recover('b', 10)
      await s.blocked()
    }
  })
  await waiting
  t.match(await incidents(), [
    { status: 'ongoing', ongoing_alerts: 1, alert_count: 2 },
    { status: 'resolved', resolution_reason: 'merged' }
  ])

  await fire('c', 20)
  const command = { command: 'resolve', by, note: null, until_recovered: false } as const
  let refused: unknown = null
  await s.merge('INC-1', 'INC-3', {
    pause: async () => {
      waiting = s.obey('INC-3', command).catch((error: { code?: string }) => {
        refused = error.code
      })
      await s.blocked()
    }
  })
  await waiting
  t.equal(refused, '40001', 'the lock that it waited for is not that of the incident any more: it asks again')
  await s.obey('INC-3', command)
  t.match((await incidents()).at(-1), { status: 'resolved', alert_count: 3, ongoing_alerts: 0 })
})

t.test('a merge into a target that was just merged is refused instead of waiting', async (t) => {
  const { s, fire, incidents } = await stand(t)
  for (const [at, name] of ['a', 'b', 'c'].entries()) await fire(name, at)
  const [target] = await incidents()
  const group = { tenant_id, dedup_key: `grp:${target?.incident_id}` }
  const held = deferred()
  let late: Promise<unknown> = Promise.resolve()
  let holder: Promise<unknown> = Promise.resolve()
  await s.merge('INC-2', 'INC-1', {
    pause: async () => {
      late = s.merge('INC-3', 'INC-1').catch((error: { code?: string }) => error.code)
      await s.blocked()
      // A fold of the group that the first merge makes. It may wait for any key after that group.
      holder = transaction(s.pool, async (tx) => {
        await loadKeys(tx, [group])
        await held.promise
      })
      await s.blocked(2)
    }
  })
  t.equal(await late, '40001', 'it is refused while another transaction holds the group')
  held.resolve()
  await holder
  t.equal(await s.merge('INC-3', 'INC-1'), null, 'the next try merges')
  t.match(await incidents(), [{ status: 'ongoing', alert_count: 3, ongoing_alerts: 3 }, { status: 'resolved' }, { status: 'resolved' }])
})

t.test('repeating a merge changes nothing, and an impossible merge is refused', async (t) => {
  const { s, fire, incidents } = await stand(t)
  for (const [at, name] of ['a', 'b', 'c'].entries()) await fire(name, at)
  await s.merge('INC-1', 'INC-2')
  const before = await incidents()
  t.equal(await s.merge('INC-1', 'INC-2'), null)
  t.same(await incidents(), before)
  t.match(await s.merge('INC-1', 'INC-3'), { code: 'CONFLICT' })
  t.match(await s.merge('INC-3', 'INC-1'), { code: 'CONFLICT' })
  t.same(await incidents(), before)
})
