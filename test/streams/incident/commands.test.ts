/**
 * Tests the api's access to the incident rows: commands in the workspace's own transaction, timers,
 * and what people read.
 */

import t from 'tap'
import type { IncidentEvent, MonitorTransition } from '../../../schemas/generated/events.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { declareIncident, lockIncident } from '../../../services/store/incident-commands.ts'
import {
  currentIncidents,
  type IncidentFilter,
  type IncidentSort,
  listIncidents,
  readIncident,
  readTimeline
} from '../../../services/store/incident-reads.ts'
import { changeJobs } from '../../../services/store/jobs.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import type { JobChange } from '../../../streams/define.ts'
import type { Command } from '../../../streams/incident/rules.ts'
import type { SignalRow } from '../../../streams/incident/signals.ts'
import {
  alertInput,
  declaration,
  id,
  integration_id,
  manual_key,
  monitor_id,
  monitorInput,
  other_tenant_id,
  T0,
  team_id,
  tenant_id,
  user_id
} from './build.ts'
import { codec, type Stack, stack } from './stack.ts'

const by = `user:${user_id}`
const MINUTE = 60_000
const acknowledge = (comment: string | null = null): Command => ({ command: 'acknowledge', by, comment })
const resolve = (note: string | null = null): Command => ({ command: 'resolve', by, note, until_recovered: true })
const close = (note: string | null = null): Command => ({ command: 'close', by, note, user_id })

const inTenant = <T>(s: Stack, work: Parameters<typeof tenantTransaction<T>>[2], tenant = tenant_id): Promise<T> =>
  tenantTransaction(s.tenantPool, wholeWorkspace(tenant), work)
const read = (s: Stack, reference: string, tenant = tenant_id) => inTenant(s, (tx) => readIncident(tx, tenant, reference), tenant)
const timeline = (s: Stack, incident_id: string, page = { after: 0, limit: 100 }) =>
  inTenant(s, (tx) => readTimeline(tx, tenant_id, incident_id, page))
const list = (s: Stack, filter: IncidentFilter = {}, page = 1, per_page = 50, sort: IncidentSort = '-started_at') =>
  inTenant(s, (tx) => listIncidents(tx, tenant_id, filter, { page, per_page, sort }))

t.test('an acknowledgement writes the incident and its outbox rows in one transaction', async (t) => {
  const s = await stack(t)
  await s.take(alertInput())
  await s.rows('DELETE FROM outbox')
  const step = await s.obey('INC-1', acknowledge('on it'))
  t.equal(step?.refused, undefined)
  const incident = await read(s, 'inc-1')
  t.match(incident, { ver: 2, status: 'ongoing', acknowledged_by: by, acknowledgement_comment: 'on it', resolution_note: null })
  t.equal(incident?.acknowledged_at, incident?.last_change_at)
  t.match(incident?.last_cause, { kind: 'command', src: by, request_id: 'request-1' })
  t.same(await read(s, incident?.incident_id.toUpperCase() ?? ''), incident, 'by its id, too')

  const outbox = await s.rows<{ topic: string; ver: number; headers: Record<string, string>; payload: Buffer | null }>(
    'SELECT * FROM outbox ORDER BY id'
  )
  t.match(outbox, [
    { topic: 'incident.events.v1', ver: 2, headers: { event_type: 'incident.acknowledged', src: by } },
    { topic: 'realtime.frames.v1', ver: 2, headers: { audience: 'tenant' } },
    { topic: 'incident.state.v1', ver: 2, payload: null }
  ])
  const event = codec.decode('IncidentEvent', outbox[0]?.payload ?? Buffer.alloc(0))
  const { acknowledgement_comment, resolution_note, last_cause, last_change_at, run, war_room, ...record } = incident ?? {}
  t.equal(run, null)
  t.equal(war_room, null)
  t.match(event, { change: 'acknowledged', ver: 2, comment: 'on it' })
  t.same(plain(event.incident), record)
  t.match(JSON.parse(outbox[1]?.payload?.toString() ?? ''), { type: 'incident.acknowledged', ver: 2 })

  await s.obey('INC-1', acknowledge())
  t.equal((await s.rows('SELECT 1 FROM outbox')).length, 3, 'a repeat tells nobody')
  await s.obey('INC-1', acknowledge('still on it'))
  t.match(await read(s, 'INC-1'), { ver: 3, acknowledged_at: incident?.acknowledged_at, acknowledgement_comment: 'on it' })
})
const plain = (incident: IncidentEvent['incident']): unknown => JSON.parse(JSON.stringify(incident))

t.test('a workspace cannot read or change the incidents of another workspace', async (t) => {
  const s = await stack(t)
  await s.take(alertInput(), alertInput({ tenant_id: other_tenant_id, title: 'Theirs', event_id: id('theirs') }, { offset: 1 }))
  const theirs = await inTenant(s, (tx) => readIncident(tx, other_tenant_id, 'INC-1'), other_tenant_id)
  t.match(theirs, { title: 'Theirs' })
  t.equal(await s.obey(theirs?.incident_id ?? '', acknowledge()), null)
  t.equal(await read(s, theirs?.incident_id ?? ''), null)
  t.match(await read(s, 'INC-1'), { title: 'CPU high on web-1' }, 'the same key means one of its own')
  t.equal(
    await inTenant(s, (tx) => lockIncident(tx, other_tenant_id, 'INC-1')),
    null,
    'nor with the wrong id in the query: the policy holds'
  )
  t.equal(await inTenant(s, (tx) => readIncident(tx, other_tenant_id, theirs?.incident_id ?? '')), null)
  for (const reference of ['INC-9', 'INC-0', 'INC-', 'inc', '', '1', id('x'), "'", 'INC-9999999999999999'])
    t.equal(await read(s, reference), null, reference)
})

t.test('an incident that a person resolves while it fires stays quiet for the workspace’s window', async (t) => {
  const s = await stack(t)
  const signals = async () => (await s.rows<SignalRow>('SELECT * FROM signals ORDER BY dedup_key'))[0]
  const window = 1800 * 1000
  const start = Date.now()
  const at = (ms: number, over: object = {}) =>
    alertInput({ occurred_at: start + ms, received_at: start + ms, event_id: id(`quiet ${ms}`), ...over })
  await s.take(at(0))
  const step = await s.obey('INC-1', resolve('known'))
  const ended = step?.events[0]?.at ?? 0
  t.ok(ended >= start, 'by the clock of Postgres')
  t.match(await signals(), { suppressed_until: ended + window, last_action: 'fire' })
  await s.take(at(1))
  t.equal((await list(s)).total, 1)
  await s.obey('INC-1', close('for good'))
  t.match(await signals(), { suppressed_until: ended + window }, 'closing what is resolved leaves it')
  t.match(await read(s, 'INC-1'), { ver: 3, resolution_reason: 'user', resolution_note: 'for good', manually_closed_by: user_id })

  await s.take(at(ended - start + window))
  t.match((await list(s)).items, [{ status: 'ongoing', number: 2, reopened_from: step?.incident?.incident_id }, { number: 1 }])
  t.match(await signals(), { suppressed_until: null, occurrences: 3 })

  await s.take(at(window * 2, { action: 'resolve' }))
  await s.obey('INC-2', close())
  t.match(await signals(), { suppressed_until: null }, 'recovered: nothing to suppress')
})

t.test('a silence has one timer, which changes and ends with it', async (t) => {
  const s = await stack(t)
  const jobs = () =>
    s.rows<{ kind: string; idem_key: string; run_at: number; payload: object }>(
      "SELECT * FROM jobs WHERE kind <> 'incident_notify' ORDER BY run_at"
    )
  await s.take(alertInput())
  const until = Date.now() + 30 * MINUTE
  const silence = (until: number): Command => ({ command: 'silence', by, until, reason: 'deploy' })
  await s.obey('INC-1', silence(until))
  const incident_id = (await read(s, 'INC-1'))?.incident_id ?? ''
  t.match(await jobs(), [
    { kind: 'silence_end', run_at: until, payload: { incident_id, until }, idem_key: `silence_end:${incident_id}:${until}` }
  ])
  await s.obey('INC-1', silence(until))
  t.match(await read(s, 'INC-1'), { ver: 2, silenced_until: until, silenced_by: by })
  await s.obey('INC-1', silence(until + MINUTE))
  t.match(await jobs(), [{ run_at: until + MINUTE }])
  await s.obey('INC-1', { command: 'silence_end', by: 'system:silence', until })
  t.match(await read(s, 'INC-1'), { silenced_until: until + MINUTE }, 'the timer that was replaced came too late')
  await s.obey('INC-1', { command: 'unsilence', by })
  t.same(await jobs(), [])
  await s.obey('INC-1', silence(until))
  t.match(await jobs(), [{ run_at: until }], 'the same end again is a timer again')
  await s.take(alertInput({ action: 'resolve', occurred_at: T0 + 1, event_id: id('up') }))
  t.same(await jobs(), [], 'the recovery takes it away, too')
  t.match(await s.obey('INC-1', silence(until)), { refused: { code: 'INCIDENT_RESOLVED' } })
})

t.test('starting a job twice keeps the first, and cancelling makes room for a new one', async (t) => {
  const s = await stack(t)
  const change = (...changes: JobChange[]) => transaction(s.pool, (tx) => changeJobs(tx, changes))
  const start = (idem_key: string, run_at = T0): JobChange => ({ start: 'test', idem_key, tenant_id, run_at, payload: { run_at } })
  const cancel = (key: string, tenant = tenant_id): JobChange => ({ cancel: key, tenant_id: tenant })
  const keys = async () =>
    (
      await s.rows<{ idem_key: string; run_at: number }>(
        "SELECT idem_key, run_at FROM jobs WHERE kind <> 'incident_notify' ORDER BY idem_key"
      )
    ).map((job) => [job.idem_key, job.run_at])
  await change()
  await change(start('a'), start('b'), start('a', T0 + 1))
  t.same(
    await keys(),
    [
      ['a', T0],
      ['b', T0]
    ],
    'started once'
  )
  await change(start('a', T0 + 2))
  t.same(
    await keys(),
    [
      ['a', T0],
      ['b', T0]
    ],
    'what is there stays as it is'
  )
  await change(cancel('a'), start('a', T0 + 3))
  t.same(
    await keys(),
    [
      ['a', T0 + 3],
      ['b', T0]
    ],
    'cancelled, started anew'
  )
  await change(start('c'), cancel('c'), cancel('x'))
  t.same(
    await keys(),
    [
      ['a', T0 + 3],
      ['b', T0]
    ],
    'started and cancelled in one'
  )
  await change(cancel('b', other_tenant_id))
  t.equal((await keys()).length, 2, 'another workspace cancels nothing')
  await change(cancel('b'), start('d'), cancel('a'))
  t.same(await keys(), [['d', T0]])
})

t.test('concurrent declarations with one key open a single incident', async (t) => {
  const s = await stack(t)
  await s.take(alertInput())
  const key = { tenant_id, dedup_key: manual_key }
  const declare = (n: number, over: object = {}) =>
    inTenant(s, (tx) =>
      declareIncident(tx, codec, key, { kind: 'command', src: by, request_id: 'request-1' }, (now) => ({
        ...declaration(now),
        incident_id: id(`declared ${n}`),
        ...over
      }))
    )
  const opened = await Promise.all([1, 2, 3, 4].map((n) => declare(n)))
  t.equal(opened.filter(({ events }) => events.length > 0).length, 1)
  const [incident_id] = new Set(opened.map(({ incident }) => incident.incident_id))
  t.equal(new Set(opened.map(({ incident }) => incident.incident_id)).size, 1)
  const incident = await read(s, 'INC-2')
  t.match(incident, { incident_id, source_kind: 'manual', ver: 1, status: 'ongoing', labels: { service: 'shop' }, last_cause: { src: by } })
  t.match(await s.rows('SELECT * FROM signals WHERE dedup_key = $1', [manual_key]), [
    { incident_id, last_action: 'fire', occurrences: 1, last_at: incident?.started_at }
  ])
  t.match(await s.rows('SELECT topic, ver FROM outbox WHERE aggregate = $1 ORDER BY id', [`incident:${incident_id}`]), [
    { topic: 'incident.events.v1' },
    { topic: 'realtime.frames.v1' },
    { topic: 'incident.state.v1' }
  ])
  await s.obey('INC-2', resolve())
  const next = await declare(5, { is_major: true, assignee_id: user_id })
  t.match(next.incident, { number: 3, is_major: true, assignee_id: user_id, reopened_from: null }, 'a person’s word is not suppressed')
  await s.take(alertInput({ dedup_key: `int:${integration_id}:next`, event_id: id('next') }))
  t.match(await read(s, 'INC-4'), { source_kind: 'inbound' }, 'numbers go on without a gap')
  const other = await inTenant(
    s,
    (tx) =>
      declareIncident(tx, codec, { ...key, tenant_id: other_tenant_id }, { kind: 'command', src: by, request_id: null }, (now) => {
        const command = declaration(now, { incident_id: id('declared elsewhere') })
        return { ...command, signal: { ...command.signal, tenant_id: other_tenant_id } }
      }),
    other_tenant_id
  )
  t.match(other.incident, { tenant_id: other_tenant_id, number: 1 }, 'the same key in another workspace is another')
  t.match((await timeline(s, incident_id ?? '')).items, [
    { type: 'opened', actor: by, data: { title: 'Checkout is slow', severity: 'critical' } },
    { type: 'resolved' }
  ])
})

t.test('the timeline lists the events of an incident in version order and in pages', async (t) => {
  const s = await stack(t)
  await s.take(alertInput())
  const incident_id = (await read(s, 'INC-1'))?.incident_id ?? ''
  const until = Date.now() + MINUTE
  await s.obey('INC-1', acknowledge('on it'))
  await s.obey('INC-1', acknowledge('found it'))
  await s.obey('INC-1', { command: 'silence', by, until, reason: 'noisy' })
  await s.take(alertInput({ severity: 'critical', occurred_at: T0 + 1, event_id: id('worse') }))
  await s.obey('INC-1', { command: 'unsilence', by })
  await s.take(
    alertInput({ action: 'note', description: 'Ann acknowledged it', event_id: id('note') }),
    alertInput({ action: 'update', title: 'CPU 99 %', description: null, event_id: id('update') })
  )
  await s.obey('INC-1', { command: 'resolve', by: 'token:7', note: 'restarted', until_recovered: false })
  await s.obey('INC-1', close())
  const { items, next } = await timeline(s, incident_id)
  t.match(
    items.map(({ type, actor, data, ver }) => ({ ver, type, actor, data })),
    [
      { ver: 1, type: 'opened', actor: `integration:${integration_id}`, data: { title: 'CPU high on web-1', severity: 'warning' } },
      { ver: 2, type: 'acknowledged', actor: by, data: { comment: 'on it' } },
      { ver: 3, type: 'comment', actor: by, data: { comment: 'found it' } },
      { ver: 4, type: 'silenced', actor: by, data: { until: new Date(until).toISOString(), reason: 'noisy' } },
      { ver: 5, type: 'severity_changed', actor: `integration:${integration_id}`, data: { severity: 'critical' } },
      { ver: 6, type: 'unsilenced', actor: by, data: {} },
      { ver: 7, type: 'comment', actor: `integration:${integration_id}`, data: { comment: 'Ann acknowledged it' } },
      { ver: 8, type: 'updated', actor: `integration:${integration_id}`, data: { title: 'CPU 99 %' } },
      { ver: 9, type: 'resolved', actor: 'token:7', data: { note: 'restarted' } },
      { ver: 10, type: 'closed', actor: by, data: {} }
    ]
  )
  t.equal(next, null)
  t.equal(new Set(items.map((item) => item.id)).size, 10)

  const pages = [
    await timeline(s, incident_id, { after: 0, limit: 3 }),
    await timeline(s, incident_id, { after: 3, limit: 3 }),
    await timeline(s, incident_id, { after: 6, limit: 4 })
  ]
  t.same(
    pages.map((page) => page.next),
    [3, 6, null]
  )
  t.same(
    pages.flatMap((page) => page.items),
    items
  )
  t.same(await timeline(s, incident_id, { after: 7, limit: 3 }), { items: items.slice(7), next: null }, 'a last page that is full')
  t.same(await timeline(s, id('nothing')), { items: [], next: null })

  await s.take(alertInput({ occurred_at: T0 + 2, event_id: id('again') }), monitorInput())
  t.match((await timeline(s, (await read(s, 'INC-2'))?.incident_id ?? '')).items, [
    { type: 'reopened', data: { reopened_from: incident_id } }
  ])
  await s.take(monitorInput({ ver: 3, previous_status: 'down', status: 'up', at: T0 + 9, event_id: id('monitor up') }))
  t.match((await timeline(s, (await read(s, 'INC-3'))?.incident_id ?? '')).items, [
    { type: 'opened', actor: 'system:monitor' },
    { type: 'recovered', actor: 'system:monitor' }
  ])
})

t.test('the timeline names what the failure of a degraded monitor changed', async (t) => {
  const s = await stack(t)
  const turn = (ver: number, over: Partial<MonitorTransition>) =>
    s.take(monitorInput({ ver, at: T0 + ver, event_id: id(`turn ${ver}`), open_on_degraded: true, ...over }))
  await turn(2, { status: 'up', previous_status: 'up', phase: 'degraded', previous_phase: 'ok', severity: 'info' })
  await turn(3, { severity: 'info', message: 'no answer' })
  await turn(4, { severity: 'info', affected_regions: ['ap-south'] })
  await turn(5, { severity: 'critical' })
  const items = (await timeline(s, (await read(s, 'INC-1'))?.incident_id ?? '')).items
  t.same(
    items.map(({ type, data }) => [type, data]),
    [
      ['opened', { title: 'Shop is degraded', severity: 'info' }],
      ['updated', { title: 'Shop is down', summary: 'no answer' }],
      ['updated', {}],
      ['severity_changed', { severity: 'critical' }]
    ]
  )
})

t.test('filters, order and pages of the incident list', async (t) => {
  const s = await stack(t)
  const other = id('other integration')
  const one = (n: number, over: object = {}) =>
    alertInput(
      { dedup_key: `int:${integration_id}:${n}`, occurred_at: T0 + n * 1000, title: `Disk ${n} full`, event_id: id(`list ${n}`), ...over },
      { offset: n }
    )
  await s.take(
    one(1, { severity: 'critical', labels: { zone: 'a', rack: '1' } }),
    one(2, { severity: 'info', labels: { zone: 'b' }, integration_id: other }),
    one(3, { title: '100%_sure \\ it is', team_id, labels: { zone: 'a', rack: '2' } }),
    one(4),
    one(5),
    one(1, { tenant_id: other_tenant_id, event_id: id('not ours') })
  )
  await s.take(monitorInput({ at: T0 + 6000, started_at: T0 + 6000 }))
  await s.obey('INC-2', acknowledge())
  await s.obey('INC-3', resolve())
  await s.obey('INC-4', close())
  await s.obey('INC-1', resolve())
  await s.obey('INC-1', close())

  const numbers = async (filter: IncidentFilter, ...page: [page?: number, per_page?: number, sort?: IncidentSort]) => {
    const { items, total } = await list(s, filter, ...page)
    return [items.map((item) => item.number), total]
  }
  const all = [6, 5, 4, 3, 2, 1]
  const table: [name: string, filter: IncidentFilter, numbers: number[]][] = [
    ['everything, newest first', {}, all],
    ['ongoing', { status: ['ongoing'] }, [6, 5, 2]],
    ['either status', { status: ['ongoing', 'resolved'] }, all],
    ['Triggered', { dashboard_state: ['Triggered'] }, [6, 5]],
    ['Acknowledged', { dashboard_state: ['Acknowledged'] }, [2]],
    ['Resolved', { dashboard_state: ['Resolved'] }, [3]],
    ['Closed', { dashboard_state: ['Closed'] }, [4, 1]],
    ['Closed or Acknowledged', { dashboard_state: ['Closed', 'Acknowledged'] }, [4, 2, 1]],
    ['no state at all admits nothing', { dashboard_state: [] }, []],
    ['severity', { severity: ['critical', 'info'] }, [6, 2, 1]],
    ['acknowledged', { acknowledged: true }, [2]],
    ['not acknowledged', { acknowledged: false }, [6, 5, 4, 3, 1]],
    ['major', { is_major: true }, []],
    ['integration', { integration_id: [other] }, [2]],
    ['monitor', { monitor_id: [monitor_id] }, [6]],
    ['heartbeat', { heartbeat_id: [monitor_id] }, []],
    ['team', { team_id: [team_id, id('x')] }, [3]],
    ['assignee', { assignee_id: [user_id] }, []],
    ['from, inclusive', { from: T0 + 5000 }, [6, 5]],
    ['to, exclusive', { to: T0 + 2000 }, [1]],
    ['both filters mean and', { status: ['ongoing'], severity: ['info'] }, [2]],
    ['q, whatever the case', { q: 'disk' }, [5, 4, 2, 1]],
    ['q takes signs as signs', { q: '0%_' }, [3]],
    ['q takes a backslash', { q: '\\' }, [3]],
    ['q is no pattern', { q: 'd_sk' }, []],
    ['what no row can hold is in no row', { q: '\0', labels: { 'a\0': ['\uD83D'] } }, []],
    ['a label', { labels: { zone: ['a'] } }, [3, 1]],
    ['a label of several values', { labels: { zone: ['a', 'b'] } }, [3, 2, 1]],
    ['two labels', { labels: { zone: ['a'], rack: ['2'] } }, [3]],
    ['a label that nobody has', { labels: { "zo'ne": ['a'] } }, []]
  ]
  for (const [name, filter, wanted] of table) t.same(await numbers(filter), [wanted, wanted.length], name)

  t.same(await numbers({}, 1, 50, 'started_at'), [all.toReversed(), 6])
  t.same(await numbers({}, 1, 50, 'number'), [all.toReversed(), 6])
  t.same(await numbers({}, 1, 50, '-number'), [all, 6])
  t.same(await numbers({}, 1, 4), [[6, 5, 4, 3], 6])
  t.same(await numbers({}, 2, 4), [[2, 1], 6])
  t.same(await numbers({}, 3, 4), [[], 6], 'a page past the end is empty')
  t.match((await list(s, { status: ['resolved'] })).items, [
    { number: 4, last_cause: { src: by } },
    { number: 3 },
    { number: 1, labels: { rack: '1', zone: 'a' } }
  ])
})

t.test('the relay reads the current incidents of all workspaces', async (t) => {
  const s = await stack(t)
  await s.take(alertInput(), alertInput({ tenant_id: other_tenant_id, event_id: id('theirs') }, { offset: 1 }))
  const rows = await s.rows<{ incident_id: string }>('SELECT incident_id FROM incidents')
  const current = await currentIncidents(s.pool, [...rows.map((row) => row.incident_id), id('gone')])
  t.equal(current.size, 2)
  for (const incident of current.values())
    t.same(plain(codec.decode('Incident', codec.encode('Incident', incident))), incident, 'encodes as it is')
  t.equal((await currentIncidents(s.pool, [])).size, 0)
})
