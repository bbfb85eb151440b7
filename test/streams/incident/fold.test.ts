/**
 * Tests whole batches through the incident fold: what is saved, what goes to the log, and what is
 * refused.
 */
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Input } from '../../../streams/define.ts'
import { nameOf } from '../../../streams/incident/fold.ts'
import { reduceIncident } from '../../../streams/incident/rules.ts'
import {
  alertInput,
  declaration,
  fold,
  frozen,
  heartbeatInput,
  id,
  manual_key,
  monitor_id,
  monitorInput,
  other_tenant_id,
  row,
  T0,
  team_id,
  tenant_id,
  user_id,
  world
} from './build.ts'

const key = (name: string): string => `int:${id('integration')}:${name}`
const at = (ms: number, over: object = {}) => ({ occurred_at: T0 + ms, received_at: T0 + ms + 50, event_id: id(`event ${ms}`), ...over })

t.test('an alert opens an incident, its recovery resolves it', async (t) => {
  const acme = world()
  acme.take([alertInput(at(0))])
  const [incident] = acme.of()
  t.match(incident, { status: 'ongoing', number: 1, ver: 1, opened_at: T0 + 50 })
  t.equal(incident?.incident_id, uuidv5(id('event 0'), 'incident'), 'its id follows from the record')
  t.match(acme.events[0], {
    event_id: uuidv5(incident?.incident_id ?? '', '1'),
    change: 'created',
    ver: 1,
    cause: { kind: 'signal', src: 'alerts.inbound.v1:0:0', event_id: id('event 0'), request_id: null }
  })
  acme.take([alertInput(at(1000, { action: 'resolve' }), { offset: 1 })])
  t.match(acme.of(), [{ status: 'resolved', ver: 2, resolution_reason: 'recovered', resolved_by: null, resolved_at: T0 + 1050 }])
  t.match(acme.signals.get(`${tenant_id}|${incident?.dedup_key}`), {
    last_action: 'resolve',
    occurrences: 2,
    incident_id: incident?.incident_id
  })
})

t.test('signals of one key in one batch build on each other and are sent in order', async (t) => {
  const acme = world()
  acme.take([
    alertInput(at(0)),
    alertInput(at(1, { severity: 'critical' }), { offset: 1 }),
    alertInput(at(2, { action: 'resolve' }), { offset: 2 }),
    alertInput(at(3), { offset: 3 })
  ])
  const [first, second] = acme.of()
  t.match(
    [first, second],
    [
      { status: 'resolved', ver: 3, severity: 'critical', number: 1 },
      { status: 'ongoing', ver: 1, number: 2, reopened_from: null }
    ]
  )
  const [a, b] = [first?.incident_id, second?.incident_id]
  t.same(
    acme.outgoing.map((out) => [out.topic, out.key, out.aggregate, out.ver, out.event_type, out.body]),
    [
      ['incident.events.v1', a, `incident:${a}`, 1, 'incident.created', 'record'],
      ['realtime.frames.v1', tenant_id, `incident:${a}`, 1, 'incident.created', 'frame'],
      ['incident.events.v1', a, `incident:${a}`, 2, 'incident.updated', 'record'],
      ['realtime.frames.v1', tenant_id, `incident:${a}`, 2, 'incident.updated', 'frame'],
      ['incident.events.v1', a, `incident:${a}`, 3, 'incident.resolved', 'record'],
      ['realtime.frames.v1', tenant_id, `incident:${a}`, 3, 'incident.resolved', 'frame'],
      ['incident.events.v1', b, `incident:${b}`, 1, 'incident.created', 'record'],
      ['realtime.frames.v1', tenant_id, `incident:${b}`, 1, 'incident.created', 'frame'],
      ['incident.state.v1', a, `incident:${a}`, 3, 'incident.resolved', 'current'],
      ['incident.state.v1', b, `incident:${b}`, 1, 'incident.created', 'current']
    ]
  )
  t.same(
    acme.outgoing.map((out) => out.src),
    [0, 0, 1, 1, 2, 2, 3, 3, 2, 3].map((offset) => `alerts.inbound.v1:0:${offset}`)
  )
})

t.test('repeated alerts are counted and send nothing', async (t) => {
  const acme = world()
  acme.take([alertInput(at(0))])
  const told = acme.outgoing.length
  acme.take([1, 2, 3].map((offset) => alertInput(at(0), { offset })))
  t.equal(acme.outgoing.length, told)
  t.equal(acme.signals.get(`${tenant_id}|${acme.of()[0]?.dedup_key}`)?.occurrences, 4)
  t.match(acme.of(), [{ ver: 1 }])
})

t.test('a repeated alert writes only its signal row', async (t) => {
  const acme = world()
  acme.take([alertInput(at(0))])
  const incidents = new Map(acme.of().map((incident) => [nameOf(incident), incident]))
  const loaded = {
    signals: acme.signals,
    incidents,
    counters: new Map(),
    traffic: new Map(),
    rules: new Map(),
    policies: new Map(),
    windows: new Map(),
    depends: new Map(),
    parents: new Set<string>(),
    outages: new Map(),
    alerts: new Map(),
    members: new Map()
  }
  const { saved, outgoing, jobs, refused } = fold(frozen(loaded), [alertInput(at(0), { offset: 1 })])
  t.same([saved.incidents, saved.events, saved.counters, outgoing, jobs, refused], [[], [], [], [], [], []])
  t.equal(saved.signals.length, 1)
})

t.test('incident numbers are per workspace, in log order and without gaps', async (t) => {
  const both = world()
  both.take([
    alertInput(at(0, { dedup_key: key('a') })),
    alertInput(at(1, { dedup_key: key('a'), tenant_id: other_tenant_id }), { offset: 1 }),
    alertInput(at(0, { dedup_key: key('a') }), { offset: 2 }),
    alertInput(at(2, { dedup_key: key('b') }), { offset: 3 })
  ])
  both.take([alertInput(at(3, { dedup_key: key('c') }), { offset: 4 })])
  t.same(
    [...both.incidents.values()].map((incident) => [incident.tenant_id, incident.dedup_key, incident.number]),
    [
      [tenant_id, key('a'), 1],
      [other_tenant_id, key('a'), 1],
      [tenant_id, key('b'), 2],
      [tenant_id, key('c'), 3]
    ]
  )
  t.same(
    [...both.counters],
    [
      [tenant_id, 3],
      [other_tenant_id, 1]
    ]
  )
})

t.test('monitors and heartbeats open incidents that record the configuration version', async (t) => {
  const acme = world()
  acme.take([monitorInput()])
  acme.take([heartbeatInput()])
  t.match(acme.events, [
    { config_versions: { monitor: 7, routing: 1 }, incident: { source_kind: 'monitor', monitor_id, dedup_key: `mon:${monitor_id}` } },
    { config_versions: { heartbeat: 3, routing: 1 }, incident: { source_kind: 'heartbeat', monitor_id: null } }
  ])
  acme.take([monitorInput({ ver: 3, previous_status: 'down', status: 'down', phase: 'flapping' }, { offset: 1 })])
  t.equal(acme.events.length, 2)
  acme.take([monitorInput({ ver: 4, previous_status: 'down', status: 'up', at: T0 + 1000, event_id: id('up') }, { offset: 2 })])
  t.match(acme.of(`mon:${monitor_id}`), [{ status: 'resolved' }])
})

t.test('an incident keeps the audience of its signal from the first frame on', async (t) => {
  const acme = world()
  acme.take([alertInput(at(0, { visibility: 'private', team_id }))])
  acme.take([alertInput(at(1, { action: 'resolve' }), { offset: 1 })])
  const audiences = acme.outgoing.flatMap((out) => (out.body === 'frame' ? [out.audience] : []))
  t.same(audiences, [`team:${team_id}`, `team:${team_id}`], 'the recovery goes where the alert went')
})

t.test('the fold refuses bad records and goes on with the batch', async (t) => {
  const acme = world()
  const bad = [
    alertInput({ occurred_at: -1 }, { offset: 1 }),
    alertInput({ dedup_key: '' }, { offset: 2 }),
    alertInput({ team_id: 'x' }, { offset: 3 })
  ]
  acme.take([alertInput(at(0)), ...bad, alertInput(at(1, { action: 'resolve' }), { offset: 4 })])
  t.match(acme.of(), [{ status: 'resolved' }])
  t.same(
    acme.refused.map(({ input }) => input.offset),
    [1n, 2n, 3n]
  )
  t.match(acme.refused, [{ reason: /out of range/ }, { reason: /key/ }, { reason: /UUID/ }])
  t.equal(acme.signals.get(`${tenant_id}|${acme.of()[0]?.dedup_key}`)?.occurrences, 2, 'what is refused does not count')
})

t.test('notes and updates change an ongoing incident but not its condition', async (t) => {
  const acme = world()
  acme.take([
    alertInput(at(0, { action: 'note', description: 'too early' })),
    alertInput(at(1), { offset: 1 }),
    alertInput(at(2, { action: 'note', description: 'Ann acknowledged it: on it' }), { offset: 2 }),
    alertInput(at(3, { action: 'update', title: 'Disk 99 % full', description: null }), { offset: 3 }),
    alertInput(at(4, { action: 'update', title: '', description: 'Only db-7' }), { offset: 4 }),
    alertInput(at(5, { action: 'update', title: 'Disk 99 % full', description: 'Only db-7' }), { offset: 5 }),
    alertInput(at(6, { action: 'unknown' }), { offset: 6 }),
    alertInput(at(7, { action: 'resolve' }), { offset: 7 }),
    alertInput(at(8, { action: 'note', description: 'too late' }), { offset: 8 })
  ])
  t.match(acme.of(), [{ status: 'resolved', acknowledged_at: null, title: 'Disk 99 % full', summary: 'Only db-7' }])
  t.same(
    acme.events.map(({ change, comment }) => [change, comment]),
    [
      ['created', null],
      ['comment', 'Ann acknowledged it: on it'],
      ['updated', null],
      ['updated', null],
      ['resolved', null]
    ]
  )
  t.same(acme.refused, [], 'a word of a newer door is no fault of the record')
  t.equal(acme.signals.get(`${tenant_id}|${acme.of()[0]?.dedup_key}`)?.occurrences, 2, 'the alert and its recovery')
})

t.test('the fold throws when a row that it needs was not loaded', async (t) => {
  const nothing = {
    signals: new Map(),
    incidents: new Map(),
    counters: new Map(),
    traffic: new Map(),
    rules: new Map(),
    policies: new Map(),
    windows: new Map(),
    depends: new Map(),
    parents: new Set<string>(),
    outages: new Map(),
    alerts: new Map(),
    members: new Map()
  }
  t.throws(() => fold(nothing, [alertInput()]), /was not loaded/)
  const uncounted = { ...nothing, signals: new Map([[`${tenant_id}|${alertInput().key.split('|')[1]}`, row()]]) }
  t.throws(() => fold(uncounted, [alertInput()]), /counter of workspace .* was not loaded/)
})

t.test('a closed alert opens again only after a recovery or at the end of the window', async (t) => {
  const close = { command: 'close', by: `user:${user_id}`, note: null, user_id } as const
  const window = 1800 * 1000
  const story = (...later: Input[]) => {
    const acme = world()
    acme.take([alertInput(at(0))])
    acme.obey(close, T0 + 1000)
    for (const input of later) acme.take([input])
    return acme.of().map((incident) => [incident.status, incident.reopened_from])
  }
  const first = uuidv5(id('event 0'), 'incident')
  const closed = ['resolved', null]
  t.same(story(alertInput(at(2000)), alertInput(at(3000))), [closed])
  t.same(story(alertInput(at(2000, { action: 'resolve' })), alertInput(at(3000))), [closed, ['ongoing', null]])
  t.same(story(alertInput(at(1000 + window - 51))), [closed], 'a millisecond before')
  t.same(story(alertInput(at(1000 + window - 50))), [closed, ['ongoing', first]], 'the window has passed')
  t.same(story(alertInput(at(1000 + window)), alertInput(at(1001 + window))), [closed, ['ongoing', first]])
})

t.test('after a manual resolve, the same occurrence never reopens and the next one does', async (t) => {
  const acme = world()
  acme.take([alertInput(at(0, { sequence: 1 }))])
  acme.obey({ command: 'resolve', by: 'token:x', note: null, until_recovered: true }, T0 + 1000)
  const repeats = [2000, 86_400_000].map((ms, offset) => alertInput(at(ms, { sequence: 1 }), { offset }))
  acme.take(repeats)
  t.equal(acme.of().length, 1)
  acme.take([alertInput(at(3000, { sequence: 2 }), { offset: 3 })])
  t.match(acme.of(), [{ status: 'resolved' }, { status: 'ongoing', reopened_from: acme.of()[0]?.incident_id }])
  t.equal([...acme.signals.values()][0]?.suppressed_until, null)
})

t.test('an incident resolved without waiting for recovery reopens with the next alert', async (t) => {
  const acme = world()
  acme.take([alertInput(at(0))])
  acme.obey({ command: 'resolve', by: 'token:x', note: null, until_recovered: false }, T0 + 1000)
  acme.take([alertInput(at(0), { offset: 1 })])
  t.equal(acme.of().length, 1, 'a repeat is no new alert')
  acme.take([alertInput(at(2000), { offset: 2 })])
  t.match(acme.of(), [{ status: 'resolved' }, { status: 'ongoing', reopened_from: acme.of()[0]?.incident_id }])
})

t.test('every event can be replayed from its cause', async (t) => {
  const acme = world()
  const by = `user:${user_id}`
  acme.take([alertInput(at(0))])
  acme.obey({ command: 'acknowledge', by, comment: 'on it' }, T0 + 500)
  acme.take([alertInput(at(1000, { severity: 'critical' }), { offset: 1 }), alertInput(at(2000, { action: 'resolve' }), { offset: 2 })])
  acme.obey({ command: 'close', by, note: null, user_id }, T0 + 3000)
  acme.obey({ command: 'comment', by, comment_id: id('comment') }, T0 + 4000)
  acme.obey({ command: 'delete_comment', by, comment_id: id('comment') }, T0 + 5000)
  acme.obey({ command: 'assign', by, user_id }, T0 + 6000)
  acme.declare(declaration(T0 + 7000), T0 + 7000)
  acme.obey({ command: 'resolve', by, note: null, until_recovered: true }, T0 + 8000, id(`declared ${T0 + 7000}`))
  acme.declare(declaration(T0 + 9000, { is_major: true }), T0 + 9000)
  t.equal(acme.events.length, 11)
  t.match(acme.of(manual_key), [
    { status: 'resolved', number: 2 },
    { status: 'ongoing', number: 3, is_major: true, reopened_from: null }
  ])
  for (const event of acme.events) {
    const before =
      acme.events.find((earlier) => earlier.incident_id === event.incident_id && earlier.ver === event.ver - 1)?.incident ?? null
    const { cause, at: now, config_versions: versions } = event
    const step = reduceIncident(before, JSON.parse(cause.input ?? ''), {
      now,
      cause: { ...cause, input: null },
      versions,
      id: (purpose) => uuidv5(cause.event_id ?? '', purpose),
      number: event.incident.number
    })
    const { event_id, ...rest } = event
    t.same(step.events, [rest], event.change)
  }
})
