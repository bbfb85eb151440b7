/**
 * Tests what the fold sends out (records, frames and marks), what is stored at once and what may be
 * stored later, what is refused, and what the incident fold makes of it.
 */
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Input } from '../../../streams/define.ts'
import { toMonitorState } from '../../../streams/status/outgoing.ts'
import { regionStates } from '../../../streams/status/rules.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { world as incidents } from '../incident/build.ts'
import {
  type config,
  configInput,
  confirmation,
  id,
  monitor_id,
  other_tenant_id,
  play,
  round,
  SECOND,
  T0,
  team_id,
  tenant_id,
  tickInput,
  ticks,
  WINDOW,
  type World,
  world
} from './build.ts'

const MINUTE = 60 * SECOND
const codec = localCodec()

const started = (over: Parameters<typeof config>[0] = {}): World => {
  const acme = world()
  acme.take(configInput(over), tickInput(T0))
  play(acme, ['SSS'], T0)
  return acme
}

t.test('a change of status sends a record, a frame and a mark with one version', async (t) => {
  const acme = started()
  acme.take(...round(T0 + MINUTE, 'FF'))
  acme.outgoing.length = 0
  acme.take(...round(T0 + 2 * MINUTE, 'FF'))
  const same = {
    tenant_id,
    aggregate: `monitor:${monitor_id}`,
    ver: 3,
    event_id: uuidv5(monitor_id, '3'),
    src: `checks.results.v1:3:${acme.taken - 1}`
  }
  t.match(acme.outgoing, [
    { ...same, topic: 'monitor.transitions.v1', key: monitor_id, event_type: 'monitor.down', body: 'record', record: 'MonitorTransition' },
    { ...same, topic: 'realtime.frames.v1', key: tenant_id, event_type: 'monitor.status_changed', body: 'frame', audience: 'tenant' },
    { ...same, topic: 'monitor.state.v1', key: monitor_id, event_type: 'monitor.down', body: 'current' }
  ])
  t.equal(acme.outgoing.length, 3)
  t.match(acme.transitions()[0]?.cause, { src: same.src, event_id: uuidv5(monitor_id, `b:${T0 + 2 * MINUTE}`) })
  const frame = acme.outgoing[1]
  t.equal(
    frame?.body === 'frame' && frame.json,
    `{"channel":"monitors.status","type":"monitor.status_changed","data":{"monitor_id":"${monitor_id}","status":"down","response_time_ms":83,"checked_at":"2026-03-01T12:02:00.200Z"},"at":"2026-03-01T12:02:00.200Z","ver":3}`
  )
})

t.test('a change of phase sends a frame of its own type', async (t) => {
  const acme = started()
  acme.outgoing.length = 0
  acme.take(...round(T0 + MINUTE, 'F'), ...ticks(T0 + MINUTE + SECOND, T0 + 2 * MINUTE + WINDOW))
  t.same(
    acme.outgoing.filter(({ body }) => body !== 'current').map(({ event_type, body }) => [event_type, body]),
    [
      ['monitor.phase_validating', 'record'],
      ['monitor.phase_changed', 'frame'],
      ['monitor.phase_no_data', 'record'],
      ['monitor.phase_changed', 'frame']
    ]
  )
  const [frame] = acme.outgoing.flatMap((one) => (one.body === 'frame' ? [JSON.parse(one.json)] : []))
  t.match(frame, {
    channel: 'monitors.status',
    type: 'monitor.phase_changed',
    data: { monitor_id, status: 'up', phase: 'validating', flapping: false, checked_at: '2026-03-01T12:01:00.200Z' },
    ver: 2
  })
})

t.test('the audience of a monitor frame follows visibility and team', async (t) => {
  const audience = (over: Parameters<typeof config>[0]) => {
    const acme = world()
    acme.take(configInput(over), configInput({ ...over, version: 2, paused: true }))
    return acme.outgoing.flatMap((one) => (one.body === 'frame' ? [[one.audience, JSON.parse(one.json).data]] : []))
  }
  const data = { monitor_id, status: 'paused', response_time_ms: 0, checked_at: '2026-03-01T12:00:00.000Z' }
  t.same(audience({}), [['tenant', data]], 'never checked: 0 and the instant of the change, for neither may be null')
  t.same(audience({ visibility: 'private', team_id }), [[`team:${team_id}`, data]])
  t.same(audience({ visibility: 'private', team_id: null }), [], 'private without a team is for nobody’s socket')
})

t.test('each batch sends one mark per configured or changed monitor, after the records', async (t) => {
  const acme = world()
  acme.take(configInput())
  t.match(acme.outgoing, [
    { body: 'current', ver: 0, event_type: 'monitor.configured', event_id: uuidv5(monitor_id, '0'), src: 'checks.results.v1:3:0' }
  ])
  acme.outgoing.length = 0
  acme.take(
    configInput({ version: 2, name: 'Renamed' }),
    ...round(T0, 'SSS'),
    ...round(T0 + MINUTE, 'FFF'),
    ...round(T0 + 2 * MINUTE, 'FFF')
  )
  const marks = acme.outgoing.filter(({ body }) => body === 'current')
  t.match(marks, [{ ver: 4, event_type: 'monitor.region_joined' }])
  t.equal(marks.length, 1)
  t.equal(acme.outgoing.at(-1), marks[0], 'after the records')
})

t.test('monitor states and transitions fit their schemas', async (t) => {
  const acme = started({ labels: {}, tags: [] })
  play(acme, ['FFF', 'FFF', '---', '---', '---', 'SSS', 'SSS'], T0 + MINUTE)
  acme.take(configInput({ version: 2, paused: true }))
  for (const transition of acme.transitions()) {
    const bytes = codec.encode('MonitorTransition', transition)
    t.match(codec.decode('MonitorTransition', bytes), { ...transition, response_time_ms: transition.response_time_ms })
  }
  const state = toMonitorState(acme.row())
  t.match(codec.decode('MonitorState', codec.encode('MonitorState', state)), state)
  t.match(state, {
    event_id: uuidv5(monitor_id, String(acme.row().ver)),
    status: 'paused',
    phase: 'paused',
    ver: acme.row().ver,
    name: 'Shop',
    last_checked_at: T0 + 7 * MINUTE + 200,
    last_response_time_ms: 82.5,
    config_versions: { monitor: 2 },
    cause: { src: `checks.results.v1:3:${acme.taken - 1}` }
  })
  t.same(state.regions, regionStates(acme.row()))
})

const out = (acme: World, ...inputs: Input[]): string => {
  const before = acme.stored.get(monitor_id)
  const was = acme.state.get(monitor_id)
  acme.take(...inputs)
  if (acme.state.get(monitor_id) === was) return 'untouched'
  return acme.stored.get(monitor_id) === before ? 'kept' : 'changed'
}

t.test('changes that matter are stored at once, and healthy results may wait', async (t) => {
  const acme = started()
  const at = (minutes: number) => T0 + minutes * MINUTE
  t.equal(out(acme, ...round(at(1), 'S')), 'kept', 'a healthy result')
  t.match(acme.state.get(monitor_id), { last_checked_at: at(1) + 200, regions: [{ last_seq: at(1), streak: 2 }, {}, {}] })
  t.equal(out(acme, tickInput(at(1) + SECOND)), 'untouched', 'a tick')
  t.match(acme.stored.get('partition:3'), { tick_at: at(1) }, 'which is kept, too')
  t.equal(out(acme, ...round(at(1), '-F')), 'changed', 'a failure')
  t.match(acme.stored.get('partition:3'), { tick_at: at(1) + SECOND }, 'the partition’s own row is stored with whatever is stored')
  t.equal(out(acme, ...round(at(1), '--S')), 'kept', 'one region’s failure is no failed round')
  t.equal(out(acme, ...round(at(2), 'SSS')), 'changed', 'the streak of failures ended')
  t.equal(out(acme, ...round(at(3), 'SSS')), 'kept')
  t.equal(out(acme, configInput()), 'untouched', 'the same configuration')
  t.equal(out(acme, configInput({ version: 2 })), 'changed', 'a new one')
  t.equal(out(acme, ...round(at(4), 'S')), 'changed', 'its first vote')
  t.equal(out(acme, ...round(at(4), '-S')), 'kept')
  t.equal(out(acme, ...round(at(5), 'D')), 'changed', 'another verdict')
  t.equal(out(acme, ...round(at(6), 'D')), 'kept', 'the same again')
  t.equal(out(acme, ...round(at(7), 'FF')), 'changed', 'a failed round')
  t.equal(out(acme, ...round(at(8), 'SSS')), 'changed', 'which ended')
  for (let nth = 9; nth < 28; nth++) t.equal(out(acme, ...round(at(nth), 'SSS')), 'kept', 'the rounds since may wait')
  t.equal(acme.row().history, 1 << 20)
})

t.test('each count of a lone region that fails or recovers is stored', async (t) => {
  const acme = started()
  const took = [...'FFFSSS'].map((letter, nth) => out(acme, ...round(T0 + (nth + 1) * MINUTE, letter)))
  t.same(took, ['changed', 'changed', 'kept', 'changed', 'changed', 'kept'], 'but for what only goes on')
})

t.test('a region that becomes stale is stored without a transition', async (t) => {
  const acme = started()
  play(acme, ['SS-', 'SS-'], T0 + MINUTE)
  t.match(acme.stored.get(monitor_id), { regions: [{ stale: false }, { stale: false }, { stale: true }] })
  t.same(acme.told(), ['up/ok'])
})

t.test('a batch with a healthy and a failed result stores the final row', async (t) => {
  const acme = started()
  acme.take(...round(T0 + MINUTE, 'S'), ...round(T0 + MINUTE, '-F'), ...round(T0 + MINUTE, '--S'))
  t.equal(acme.stored.get(monitor_id), acme.state.get(monitor_id))
})

t.test('a monitor of another workspace, an invalid id and a foreign record are refused', async (t) => {
  const acme = started()
  acme.take(configInput({ version: 2, tenant_id: other_tenant_id }), configInput({ monitor_id: 'x' }), {
    record: 'DoorGap',
    value: record('DoorGap', { event_id: id('gap'), from: T0, to: T0 }),
    topic: 'checks.results.v1',
    partition: 3,
    offset: 0n,
    timestamp: T0,
    key: ''
  })
  t.same(
    acme.refused.map(({ reason }) => reason),
    ['the monitor is of another workspace', 'an id is not a UUID', 'DoorGap is no record of checks.results.v1']
  )
  t.equal(acme.row().tenant_id, tenant_id)
})

t.test('an empty batch does nothing, and monitors in one batch are judged separately', async (t) => {
  const acme = world()
  acme.take()
  t.equal(acme.state.size, 0)
  const other = id('other')
  acme.take(configInput(), configInput({ monitor_id: other }), tickInput(T0))
  play(acme, ['SSS'], T0)
  acme.take(...round(T0 + MINUTE, 'FFF', { monitor_id: other }), ...round(T0 + 2 * MINUTE, 'FFF', { monitor_id: other }))
  t.equal(acme.row(other).status, 'down')
  t.equal(acme.row().status, 'up')
})

t.test('a state stored as JSON and read back gives the same output', async (t) => {
  const rounds = ['SSS', 'FFS', 'FFS', 'SDS', 'SSS', 'S--', '---', '---', '---', 'FFF', 'FFF', 'SSS']
  const straight = world()
  const restarted = world()
  const over = {
    confirmation: confirmation({ failure_rate: { failures: 4, window_seconds: 900 } }),
    flap: { enabled: true, window_rounds: 5, high_percent: 30, low_percent: 15 }
  }
  for (const acme of [straight, restarted]) acme.take(configInput(over), tickInput(T0))
  rounds.forEach((letters, nth) => {
    play(straight, [letters], T0 + nth * MINUTE)
    const stored = JSON.parse(
      JSON.stringify([...restarted.state].map(([key, state]) => [key, Object.fromEntries(Object.entries(state).sort())]))
    )
    restarted.state = new Map(stored)
    play(restarted, [letters], T0 + nth * MINUTE)
  })
  t.same(restarted.state, straight.state)
  t.same(restarted.outgoing, straight.outgoing)
  t.same(straight.told(), ['up/ok', 'up/validating', 'down/down', 'down/down', 'up/flapping', 'up/no_data', 'up/flapping', 'down/down'])
})

/** Feeds the transitions to the incident fold as it reads them. */
const feed = (acme: World, tower: ReturnType<typeof incidents>, from: number): number => {
  const all = acme.transitions()
  tower.take(
    all.slice(from).map(
      (value, nth): Input => ({
        record: 'MonitorTransition',
        value,
        topic: 'monitor.transitions.v1',
        partition: 0,
        offset: BigInt(from + nth),
        timestamp: value.at,
        key: value.monitor_id
      })
    )
  )
  return all.length
}

t.test('check results open one incident for each outage and resolve it', async (t) => {
  const acme = started({ severity_down: 'warning', team_id, visibility: 'private' })
  const tower = incidents()
  const seen = () => tower.of(`mon:${monitor_id}`)
  let told = feed(acme, tower, 0)
  t.same(seen(), [], 'ok opens nothing')
  let at = play(acme, ['FSS', 'FFS'], T0 + MINUTE)
  told = feed(acme, tower, told)
  t.same(seen(), [], 'validating opens nothing')
  at = play(acme, ['FFS', 'FFF', 'FFF'], at)
  told = feed(acme, tower, told)
  t.match(seen(), [
    {
      status: 'ongoing',
      monitor_id,
      severity: 'warning',
      title: 'Shop is down',
      started_at: T0 + MINUTE,
      team_id,
      visibility: 'private',
      region: 'a'
    }
  ])
  at = play(acme, ['---', '---', '---', 'S--'], at)
  told = feed(acme, tower, told)
  t.same(acme.told().slice(-2), ['down/no_data', 'down/down'])
  t.match(seen(), [{ status: 'ongoing' }], 'without data it stays open, and no other opens')
  at = play(acme, ['SSS', 'SSS'], at)
  told = feed(acme, tower, told)
  t.match(seen(), [{ status: 'resolved', resolution_reason: 'recovered' }])
  at = play(acme, ['FFF', 'FFF'], at)
  feed(acme, tower, told)
  feed(acme, tower, 0)
  t.match(seen(), [{ status: 'resolved' }, { status: 'ongoing' }], 'the next outage is another incident; a replay of the log is none')
  t.equal(seen().length, 2)
  t.same(tower.refused, [])
})

t.test('the phases unconfirmed and no data open no incident', async (t) => {
  const acme = started()
  const tower = incidents()
  play(acme, ['S--', 'S--', 'F--', 'F--', 'F--', '---', '---', '---'], T0 + MINUTE)
  t.same(acme.told(1), ['up/validating', 'up/unconfirmed', 'up/no_data'])
  feed(acme, tower, 0)
  t.equal(tower.incidents.size, 0)
})

t.test('flapping without a change of status opens no incident', async (t) => {
  const acme = started({
    flap: { enabled: true, window_rounds: 5, high_percent: 40, low_percent: 15 },
    confirmation: confirmation({ rounds: 10 })
  })
  const tower = incidents()
  play(acme, ['FFF', 'SSS', 'FFF', 'SSS', 'SSS', 'SSS', 'SSS', 'SSS', 'SSS', 'SSS'], T0 + MINUTE)
  t.ok(acme.told().includes('up/flapping'))
  feed(acme, tower, 0)
  t.equal(tower.incidents.size, 0)
})

t.test('a pause leaves the incident ongoing, and resuming the checks resolves it', async (t) => {
  const acme = started()
  const tower = incidents()
  const seen = () => tower.of(`mon:${monitor_id}`)
  let at = play(acme, ['FFF', 'FFF'], T0 + MINUTE)
  acme.take(configInput({ version: 2, paused: true }, at))
  let told = feed(acme, tower, 0)
  t.match(seen(), [{ status: 'ongoing' }])
  acme.take(configInput({ version: 3 }, at + SECOND))
  told = feed(acme, tower, told)
  t.match(seen(), [{ status: 'resolved', resolution_reason: 'recovered' }])
  at = play(acme, ['FFF', 'FFF'], at + 2 * SECOND)
  feed(acme, tower, told)
  t.match(seen(), [{ status: 'resolved' }, { status: 'ongoing' }], 'if it still fails, another opens')
})

t.test('an incident closed while down stays closed, and the next outage opens another', async (t) => {
  const acme = started()
  const tower = incidents()
  const seen = () => tower.of(`mon:${monitor_id}`)
  let at = play(acme, ['FFF', 'FFF'], T0 + MINUTE)
  let told = feed(acme, tower, 0)
  tower.obey({ command: 'close', by: 'user:x', note: null, user_id: team_id }, at, seen()[0]?.incident_id)
  at = play(acme, ['---', '---', '---', 'FFF', 'FFF'], at)
  told = feed(acme, tower, told)
  t.match(seen(), [{ status: 'resolved' }], 'still the same outage')
  t.equal(seen().length, 1)
  play(acme, ['SSS', 'SSS', 'FFF', 'FFF'], at)
  feed(acme, tower, told)
  t.match(seen(), [{ status: 'resolved' }, { status: 'ongoing' }])
})
