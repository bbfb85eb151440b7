/**
 * Tests which signals are late, repeated or suppressed, one sentence a row; the row of a key
 * afterwards; and how records become signals.
 */
import t from 'tap'
import type { InboundAlert, Incident, MonitorTransition } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { reduceIncident, type Signal } from '../../../streams/incident/rules.ts'
import { actionOf, fromDeclaration, judge, keyOf, readSignal, rowAfter, type SignalRow } from '../../../streams/incident/signals.ts'
import {
  alertInput,
  context,
  dedup_key,
  frozen,
  heartbeat_id,
  heartbeatInput,
  id,
  integration_id,
  monitor_id,
  monitorInput,
  row,
  signal,
  T0,
  team_id,
  tenant_id
} from './build.ts'

const MINUTE = 60_000
const now = T0 + MINUTE
const incident_id = id('incident')

const at_T0 = { last_at: T0, last_time_source: 'sender', last_sender_at: T0 } as const
const fired = row({ incident_id, last_action: 'fire', ...at_T0, occurrences: 1 })
const cleared = row({ incident_id, last_action: 'resolve', ...at_T0, occurrences: 2 })
const clearedFirst = row({ last_action: 'resolve', ...at_T0, occurrences: 1 })
const firedRun5 = { ...fired, last_sequence: 5 }
const clearedRun5 = { ...cleared, last_sequence: 5 }
const delivered = { ...fired, last_delivery_id: 'd-1' }
const quiet = { ...fired, suppressed_until: T0 + 30 * MINUTE }
const quietRun5 = { ...firedRun5, suppressed_until: T0 + 30 * MINUTE }
const quietWarning: SignalRow = { ...quiet, facts: { worst: 'warning' } }
const quietWarning5: SignalRow = { ...quietRun5, facts: { worst: 'warning' } }
const over = { ...quiet, suppressed_until: now }
/** Received when its time is over, and just before. */
const due = { detected_at: now }
/** The api numbered it, and the sender sent no time. */
const receipt = { sequence_kind: 'receipt', time_source: 'door' } as const
const early = { detected_at: now - 1 }
const worse = { severity: 'critical' } as const

type Case = [name: string, before: SignalRow, action: Signal['action'], at: Partial<Signal>, accepted_as: Signal['accepted_as']]
//  a case                                                                before        signal     position                                   accepted as
const cases: Case[] = [
  ['the first signal of a key is news', row(), 'fire', { occurred_at: T0 }, 'applied'],
  ['so is a recovery, though nothing was open: an alert from before it is late', row(), 'resolve', { occurred_at: T0 }, 'applied'],

  ['a later alert is applied', fired, 'fire', { occurred_at: T0 + 1 }, 'applied'],
  ['an earlier alert is older', fired, 'fire', { occurred_at: T0 - 1 }, 'older'],
  ['the same instant and action is a repeat', fired, 'fire', { occurred_at: T0 }, 'repeat'],
  ['the same instant, the other action: the log decides', fired, 'resolve', { occurred_at: T0 }, 'applied'],
  ['an earlier recovery closes nothing', fired, 'resolve', { occurred_at: T0 - 1 }, 'older'],
  ['an earlier alert opens nothing after the recovery', cleared, 'fire', { occurred_at: T0 - 1 }, 'older'],
  ['nor when the recovery came first of all', clearedFirst, 'fire', { occurred_at: T0 - 1 }, 'older'],
  ['a later alert after the recovery is applied', cleared, 'fire', { occurred_at: T0 + 1 }, 'applied'],
  ['the recovery again is a repeat', cleared, 'resolve', { occurred_at: T0 }, 'repeat'],

  ['a higher sequence is news, whatever the time', firedRun5, 'fire', { sequence: 6, occurred_at: T0 - MINUTE }, 'applied'],
  ['a lower sequence is older, whatever the time', firedRun5, 'fire', { sequence: 4, occurred_at: T0 + MINUTE }, 'older'],
  ['a lower recovery closes nothing', firedRun5, 'resolve', { sequence: 4, occurred_at: T0 + MINUTE }, 'older'],
  ['the same sequence and action is a repeat, whatever the time', firedRun5, 'fire', { sequence: 5, occurred_at: T0 + MINUTE }, 'repeat'],
  ['the recovery of the same sequence is ordered by time: later', firedRun5, 'resolve', { sequence: 5, occurred_at: T0 + 1 }, 'applied'],
  ['the recovery of the same sequence is ordered by time: earlier', firedRun5, 'resolve', { sequence: 5, occurred_at: T0 - 1 }, 'older'],
  ['the alert of a recovered sequence comes late', clearedRun5, 'fire', { sequence: 5, occurred_at: T0 - 1 }, 'older'],
  ['the same run fails again', clearedRun5, 'fire', { sequence: 5, occurred_at: T0 + 1 }, 'applied'],
  ['without a sequence the time decides: later', firedRun5, 'resolve', { occurred_at: T0 + 1 }, 'applied'],
  ['without a sequence the time decides: earlier', firedRun5, 'resolve', { occurred_at: T0 - 1 }, 'older'],
  ['a sequence where the last had none: the time decides', fired, 'fire', { sequence: 1, occurred_at: T0 - 1 }, 'older'],
  ['a sequence where the last had none, same instant', fired, 'fire', { sequence: 1, occurred_at: T0 }, 'repeat'],

  ['the same delivery is a repeat, whatever the time', delivered, 'fire', { delivery_id: 'd-1', occurred_at: T0 + 1 }, 'repeat'],
  ['the same delivery is a repeat, whatever it says', delivered, 'resolve', { delivery_id: 'd-1', occurred_at: T0 + 1 }, 'repeat'],
  ['another delivery is not', delivered, 'fire', { delivery_id: 'd-2', occurred_at: T0 + 1 }, 'applied'],
  ['no delivery id equals no other', fired, 'fire', { delivery_id: null, occurred_at: T0 + 1 }, 'applied'],

  ['closed by a person, it fires on: suppressed', quiet, 'fire', { occurred_at: T0 + 1 }, 'suppressed'],
  ['a repeat stays a repeat under suppression', quiet, 'fire', { occurred_at: T0 }, 'repeat'],
  ['an older one stays older', quiet, 'fire', { occurred_at: T0 - 1 }, 'older'],
  ['the recovery is applied, and ends the suppression', quiet, 'resolve', { occurred_at: T0 + 1 }, 'applied'],
  ['the reopen window has passed', over, 'fire', { occurred_at: T0 + 1, ...due }, 'applied'],
  ['received before it had passed, and read after', over, 'fire', { occurred_at: T0 + 1, ...early }, 'suppressed'],
  ['without a time, and the window has passed', over, 'fire', { time_source: 'door', ...due }, 'applied'],
  ['without a time, received before it had passed', over, 'fire', { time_source: 'door', ...early }, 'suppressed'],
  ['the same sequence never reopens', { ...quietRun5, suppressed_until: now }, 'fire', { sequence: 5, ...due }, 'repeat'],
  ['the same time of the sender never reopens', over, 'fire', { occurred_at: T0, ...due }, 'repeat'],
  ['a later occurrence reopens at once', quietRun5, 'fire', { sequence: 6, occurred_at: T0 + 1 }, 'applied'],
  ['a higher number of the api is no later occurrence', quietRun5, 'fire', { ...receipt, sequence: 6 }, 'suppressed'],
  [
    'the reopen window has passed for the api, too',
    { ...quietRun5, suppressed_until: now },
    'fire',
    { ...receipt, sequence: 6, ...due },
    'applied'
  ],
  ['without a sequence it waits, though the last had one', quietRun5, 'fire', { occurred_at: T0 + 1 }, 'suppressed'],
  ['with a first sequence it waits: nothing says that it is later', quiet, 'fire', { sequence: 1, occurred_at: T0 + 1 }, 'suppressed'],

  ['worse than what a person closed: it reopens at once', quietWarning, 'fire', { ...worse, occurred_at: T0 + 1 }, 'applied'],
  ['without a time, too', quietWarning, 'fire', { ...worse, time_source: 'door' }, 'applied'],
  ['as severe as it waits', quietWarning, 'fire', { occurred_at: T0 + 1 }, 'suppressed'],
  ['less severe it waits', quietWarning, 'fire', { severity: 'info', occurred_at: T0 + 1 }, 'suppressed'],
  ['worse, and from before: it stays older', quietWarning, 'fire', { ...worse, occurred_at: T0 - 1 }, 'older'],
  ['worse at the same instant: it stays a repeat', quietWarning, 'fire', { ...worse, occurred_at: T0 }, 'repeat'],
  ['worse with the same sequence: it stays a repeat', quietWarning5, 'fire', { ...worse, sequence: 5, occurred_at: T0 + 1 }, 'repeat'],
  ['worse by a higher number of the api', quietWarning5, 'fire', { ...worse, ...receipt, sequence: 6 }, 'applied'],
  ['critical, and nothing is known of what was closed', quiet, 'fire', { ...worse, occurred_at: T0 + 1 }, 'suppressed']
]
for (const [name, before, action, at, accepted_as] of cases) {
  t.test(name, async (t) => {
    const judged = judge(frozen(before), frozen(signal(action, at)), null)
    t.equal(judged.accepted_as, accepted_as)

    const next = rowAfter(frozen(before), frozen(judged), null)
    t.equal(next.occurrences, before.occurrences + 1, 'every signal counts')
    t.equal(next.last_seen_at, judged.detected_at)
    const { occurrences, last_seen_at, ...rest } = next
    if (accepted_as === 'applied') {
      const { occurred_at, time_source, delivery_id } = judged
      t.match(rest, { last_action: action, last_at: occurred_at, suppressed_until: null, last_delivery_id: delivery_id })
      t.equal(rest.last_time_source, time_source)
      t.equal(rest.last_sender_at, time_source === 'sender' ? occurred_at : before.last_sender_at, 'the last time of the sender stays')
      t.equal(rest.last_sequence, judged.sequence ?? before.last_sequence, 'the last known sequence stays')
    } else {
      t.match(before, rest, 'nothing else moves')
    }
  })
}

t.test('last_seen_at never goes back', async (t) => {
  t.equal(rowAfter({ ...fired, last_seen_at: now }, signal('fire', { accepted_as: 'older', detected_at: T0 }), null).last_seen_at, now)
})

t.test('a row keeps the worst severity that the source has given in the fires of its newest alert', async (t) => {
  const open = reduceIncident(null, signal('fire'), context(T0)).incident
  const known = (worst?: 'info' | 'warning') => ({ ...fired, incident_id: open?.incident_id ?? null, facts: worst ? { worst } : null })
  const rows: [name: string, before: SignalRow, again: Signal, facts: SignalRow['facts']][] = [
    ['the first fire', row(), signal('fire'), { worst: 'warning' }],
    ['the first fire, critical: nothing is worse', row(), signal('fire', worse), null],
    ['a worse fire', known('info'), signal('fire'), { worst: 'warning' }],
    ['a critical fire', known('info'), signal('fire', worse), null],
    ['a lower one', known('warning'), signal('fire', { severity: 'info' }), { worst: 'warning' }],
    ['a lower one after a critical one, or after an older version', known(), signal('fire'), null],
    ['a fire that opens the next alert', fired, signal('fire', { severity: 'info' }), { worst: 'info' }],
    ['a recovery', known('info'), signal('resolve', worse), { worst: 'info' }],
    ['a suppressed fire', known('info'), signal('fire', { accepted_as: 'suppressed' }), { worst: 'info' }],
    ['an update', known('info'), signal('update', worse), { worst: 'info' }],
    ['a monitor', row(), signal('fire', { source_kind: 'monitor' }), null]
  ]
  for (const [name, before, again, facts] of rows) t.same(rowAfter(frozen(before), frozen(again), open).facts, facts, name)
})

t.test('an alert reopens only an incident that a person ended while it fired', async (t) => {
  const open = reduceIncident(null, signal('fire'), context(T0)).incident
  const ended = reduceIncident(open, { command: 'resolve', by: 'user:x', note: null, until_recovered: false }, context(T0 + 1)).incident
  const reopens = (before: SignalRow, newest: Incident | null) =>
    judge(before, signal('fire', { occurred_at: T0 + 5, detected_at: now }), newest).reopened_from
  t.equal(reopens(fired, ended), ended?.incident_id)
  t.equal(reopens(over, ended), ended?.incident_id)
  t.equal(reopens(cleared, ended), null, 'it had recovered in between')
  t.equal(reopens(fired, open), null, 'it is ongoing')
  t.equal(reopens(row(), null), null)
  t.equal(judge(fired, signal('resolve', { occurred_at: T0 + 5 }), ended).reopened_from, null)
})

t.test('a repeat of an incident that ended because nothing was heard opens it again', async (t) => {
  const open = reduceIncident(null, signal('fire'), context(T0)).incident
  const endedBy = (reason?: 'auto_timeout'): Incident | null => {
    const command = { command: 'resolve', by: 'x', note: null, until_recovered: false, ...(reason && { reason }) } as const
    return reduceIncident(open, command, context(T0 + 1)).incident
  }
  const forgotten = endedBy('auto_timeout')
  const fireOf5 = { sequence: 5, ...due }
  const at = (offset: number, redriven: boolean) => ({ offset, redriven })
  const rows: [name: string, before: SignalRow, newest: Incident | null, again: Signal, accepted_as: Signal['accepted_as']][] = [
    ['the same sequence', firedRun5, forgotten, signal('fire', fireOf5), 'applied'],
    ['the same occurrence', firedRun5, forgotten, signal('fire', { ...fireOf5, sequence_kind: 'occurrence' }), 'applied'],
    ['the same time of the sender', fired, forgotten, signal('fire', due), 'applied'],
    ['another delivery', delivered, forgotten, signal('fire', { ...due, delivery_id: 'd-2' }), 'applied'],
    ['the same delivery is a copy', delivered, forgotten, signal('fire', { ...due, delivery_id: 'd-1' }), 'repeat'],
    ['the same number of the api is a copy', firedRun5, forgotten, signal('fire', { ...receipt, ...fireOf5 }), 'repeat'],
    ['an earlier one stays older', firedRun5, forgotten, signal('fire', { sequence: 4, ...due }), 'older'],
    ['its recovery was seen', clearedRun5, forgotten, signal('fire', { ...fireOf5, sequence_kind: 'occurrence' }), 'older'],
    ['a recovery opens nothing', clearedRun5, forgotten, signal('resolve', fireOf5), 'repeat'],
    ['it is ongoing', firedRun5, open, signal('fire', fireOf5), 'repeat'],
    ['a person ended it', firedRun5, endedBy(), signal('fire', fireOf5), 'repeat'],
    ['nothing is known of an incident', firedRun5, null, signal('fire', fireOf5), 'repeat']
  ]
  for (const [name, before, newest, again, accepted_as] of rows)
    t.equal(judge(frozen(before), frozen(again), frozen(newest), at(9, false)).accepted_as, accepted_as, name)
  const again = judge(firedRun5, signal('fire', fireOf5), forgotten, at(9, false))
  t.equal(again.reopened_from, forgotten?.incident_id)
  t.equal(judge(firedRun5, signal('fire', fireOf5), forgotten, at(9, true)).accepted_as, 'repeat', 'a redriven record says nothing new')
})

const received = (input: Input): Signal => {
  const reading = readSignal(input)
  if (!('signal' in reading)) throw new Error(`no signal: ${JSON.stringify(reading)}`)
  return reading.signal
}

t.test('an inbound alert is read as a signal', async (t) => {
  const over = {
    sequence: 7,
    sequence_kind: 'occurrence',
    delivery_id: 'd-1',
    team_id,
    visibility: 'private',
    source_severity: 'P2'
  } as const
  t.same(received(frozen(alertInput(over))), {
    tenant_id,
    dedup_key,
    action: 'fire',
    accepted_as: 'applied',
    reopened_from: null,
    sequence: 7,
    sequence_kind: 'occurrence',
    delivery_id: 'd-1',
    occurred_at: T0,
    time_source: 'sender',
    started_at: T0,
    detected_at: T0 + 100,
    severity: 'warning',
    title: 'CPU high on web-1',
    summary: 'Load above 90 % for 5 min',
    source_kind: 'inbound',
    source_type: 'alertmanager',
    integration_id,
    monitor_id: null,
    heartbeat_id: null,
    region: null,
    affected_regions: [],
    priority: 'P2',
    labels: { alertname: 'CpuHigh', instance: 'web-1' },
    links: [{ title: 'Graph', url: 'https://prometheus.example/graph' }],
    team_id,
    visibility: 'private',
    escalation_policy_id: null
  })
})

t.test("an alert of unknown time source counts as the door's time if it equals the receipt", async (t) => {
  const received_at = T0 + 100
  const cases: [time_source: InboundAlert['time_source'], occurred_at: number, expected: Signal['time_source']][] = [
    ['sender', T0, 'sender'],
    ['sender', received_at, 'sender'],
    ['door', received_at, 'door'],
    ['unknown', T0, 'sender'],
    ['unknown', received_at, 'door']
  ]
  for (const [time_source, occurred_at, expected] of cases)
    t.equal(received(alertInput({ time_source, occurred_at, received_at })).time_source, expected, `${time_source} at ${occurred_at}`)
})

t.test('a monitor transition is a signal: down fires, up resolves, and ver is the sequence', async (t) => {
  t.match(received(frozen(monitorInput())), {
    dedup_key: `mon:${monitor_id}`,
    action: 'fire',
    sequence: 2,
    occurred_at: T0,
    started_at: T0 - 60_000,
    severity: 'critical',
    title: 'Shop is down',
    summary: 'no answer within 10 s',
    source_kind: 'monitor',
    monitor_id,
    integration_id: null,
    region: 'eu-west',
    affected_regions: ['eu-west', 'us-east']
  })
  t.match(received(monitorInput({ ver: 3, previous_status: 'down', status: 'up', started_at: null })), {
    action: 'resolve',
    sequence: 3,
    started_at: T0
  })
  t.match(received(monitorInput({ previous_status: 'paused', status: 'up' })), { action: 'resolve' })
  const phases: Partial<MonitorTransition> = { previous_status: 'up', status: 'up', previous_phase: 'ok', phase: 'validating' }
  t.same(readSignal(monitorInput(phases)), { ignored: true }, 'a change of phase is no occurrence')
  t.same(readSignal(monitorInput({ status: 'paused' })), { ignored: true }, 'pausing resolves by a command, if at all')
  t.match(readSignal(monitorInput({ status: 'unknown' })), { refused: /unknown/ })
})

t.test('the recoveries of a flapping monitor wait until the flapping ends', async (t) => {
  const up = { previous_status: 'up', status: 'up', phase: 'ok', previous_phase: 'flapping' } as const
  const down = { previous_status: 'down', status: 'down', phase: 'down', previous_phase: 'down' } as const
  const rows: [string, Partial<MonitorTransition>, Signal['action'] | null][] = [
    ['up', { previous_status: 'down', status: 'up', phase: 'flapping', flapping: true }, 'update'],
    ['down', { previous_phase: 'flapping', flapping: true }, 'fire'],
    ['it begins while down', { ...down, flapping: true }, 'update'],
    ['it ends while down', { ...down, flapping: false }, 'update'],
    ['it begins with what is heard again while down', { ...down, previous_phase: 'no_data', flapping: true }, 'update'],
    ['it ends with what is heard again while down', { ...down, previous_phase: 'no_data' }, 'update'],
    ['it begins while up', { ...up, previous_phase: 'ok', phase: 'flapping', flapping: true }, 'update'],
    ['it ends while up', { ...up, flapping: false }, 'resolve'],
    ['and something fails', { ...up, phase: 'validating', flapping: false }, 'resolve'],
    ['it ends while nothing is heard', { ...up, previous_phase: 'no_data', phase: 'no_data' }, 'resolve'],
    ['or when something is heard again', { ...up, previous_phase: 'no_data' }, 'resolve'],
    ['it ends degraded, which opens incidents', { ...up, phase: 'degraded', open_on_degraded: true }, 'fire'],
    ['it ends, and what follows says more', { ...up, phase: 'validating', open_on_degraded: true }, 'update'],
    ['it is paused', { previous_status: 'down', status: 'paused', phase: 'paused' }, null],
    ['it is deleted', { previous_status: 'down', status: 'up', flapping: true, resolution_reason: 'monitor_deleted' }, 'resolve'],
    ['it is well, and a degraded state opens none by now', { ...up, previous_phase: 'degraded' }, 'resolve'],
    ['the same after a failure of one region', { ...up, previous_phase: 'validating' }, 'resolve'],
    ['a degraded state opens none any more', { ...up, phase: 'degraded', previous_phase: 'degraded', resolution_reason: 'user' }, 'resolve']
  ]
  for (const [name, over, action] of rows) t.equal(actionOf(monitorInput(over)), action, name)
  t.match(received(monitorInput({ flapping: true })), { flapping: true, sequence: null }, 'one occurrence, however often it comes')
  t.notOk('flapping' in received(monitorInput()))
  t.match(received(monitorInput()), { monitor_state: 'down' })
  t.match(received(monitorInput({ ...up, phase: 'degraded', open_on_degraded: true })), { monitor_state: 'degraded' })
  t.notOk('monitor_state' in received(monitorInput(up)), 'only a fire tells it')
  t.match(received(monitorInput({ ...up, resolution_reason: 'user' })), { summary: 'A degraded state no longer opens an incident.' })
})

t.test('a heartbeat transition is a signal: missed fires, and up resolves', async (t) => {
  t.match(received(frozen(heartbeatInput())), {
    dedup_key: `hb:${heartbeat_id}`,
    action: 'fire',
    sequence: 5,
    started_at: T0 - 96_000,
    title: 'Nightly backup missed its ping',
    source_kind: 'heartbeat',
    heartbeat_id,
    monitor_id: null
  })
  t.match(received(heartbeatInput({ reason: 'failed', exit_code: 1 })), { title: 'Nightly backup reported a failure', started_at: T0 })
  t.match(received(heartbeatInput({ reason: 'overrun' })), { title: 'Nightly backup has run too long' })
  t.match(received(heartbeatInput({ reason: 'underrun' })), { title: 'Nightly backup ended too soon' })
  t.match(received(heartbeatInput({ previous_status: 'missed', status: 'up', reason: null })), {
    action: 'resolve',
    title: 'Nightly backup is up'
  })
  t.same(readSignal(heartbeatInput({ previous_status: 'missed', reason: 'failed' })), { ignored: true })
  t.match(readSignal(heartbeatInput({ status: 'unknown' })), { refused: /unknown/ })
})

t.test('the fold and the store agree on which inputs fire and which recover', async (t) => {
  const actions: [name: string, input: Input, action: Signal['action'] | null][] = [
    ['an alert fires', alertInput({ action: 'fire' }), 'fire'],
    ['an alert recovers', alertInput({ action: 'resolve' }), 'resolve'],
    ['a note is about an ongoing incident', alertInput({ action: 'note' }), 'note'],
    ['so is an update', alertInput({ action: 'update' }), 'update'],
    ['an alert of a newer door does nothing', alertInput({ action: 'unknown' }), null],
    ['a monitor that is down fires', monitorInput({ previous_status: 'up', status: 'down' }), 'fire'],
    ['a monitor that is up recovers', monitorInput({ previous_status: 'down', status: 'up' }), 'resolve'],
    ['a change of phase does nothing', monitorInput({ previous_status: 'down', status: 'down' }), null],
    ['a pause does nothing', monitorInput({ previous_status: 'down', status: 'paused' }), null],
    ['a status of a newer producer does nothing', monitorInput({ previous_status: 'down', status: 'unknown' }), null],
    ['a heartbeat that is missed fires', heartbeatInput({ previous_status: 'up', status: 'missed' }), 'fire'],
    ['a heartbeat that is up recovers', heartbeatInput({ previous_status: 'missed', status: 'up' }), 'resolve'],
    ['a heartbeat in another phase does nothing', heartbeatInput({ previous_status: 'missed', status: 'missed' }), null]
  ]
  for (const [name, input, action] of actions) {
    t.equal(actionOf(input), action, name)
    const reading = readSignal(input)
    t.equal('signal' in reading ? reading.signal.action : null, action, `${name}, and is read so`)
  }
})

t.test('all sources give signal fields in the same order', async (t) => {
  const order = Object.keys(signal('fire'))
  const read = [alertInput(), monitorInput(), heartbeatInput()].map((input) => received(input))
  for (const one of [
    ...read,
    fromDeclaration({ tenant_id, dedup_key: 'man:x' }, { title: 'x', summary: null, severity: 'info', labels: {}, team_id: null }, T0)
  ])
    t.same(Object.keys(one).slice(0, order.length), order, `${one.source_kind}; what only one source knows comes after`)
})

t.test('a note or an update is always applied and leaves the signal row unchanged', async (t) => {
  for (const action of ['note', 'update'] as const) {
    for (const before of [row(), fired, cleared, delivered, quiet, firedRun5]) {
      const judged = judge(frozen(before), frozen(signal(action, { occurred_at: T0 - 1, delivery_id: 'd-1', sequence: 4 })), null)
      t.equal(judged.accepted_as, 'applied')
      t.equal(judged.reopened_from, null)
      t.same(rowAfter(frozen(before), judged, null), before)
    }
  }
  t.match(readSignal(alertInput({ action: 'note', description: 'x'.repeat(3000) })), { signal: { action: 'note', summary: /^x{2000}$/ } })
  t.same(readSignal(alertInput({ action: 'unknown' })), { ignored: true }, 'of a newer door')
})

t.test('an update of words says that it keeps the title that a person gave', async (t) => {
  t.equal(received(alertInput({ action: 'update' })).keeps_edited_title, true)
  for (const action of ['fire', 'resolve', 'note'] as const) t.notOk('keeps_edited_title' in received(alertInput({ action })), action)
})

t.test('an input that no row can hold is refused with a reason', async (t) => {
  const bad: [name: string, input: Input, reason: RegExp][] = [
    ['no workspace', alertInput({ tenant_id: '' }), /no usable workspace/],
    ['a workspace that is no UUID', alertInput({ tenant_id: 'acme' }), /no usable workspace/],
    ['no key', alertInput({ dedup_key: '' }), /signal key/],
    ['a key of no kind', alertInput({ dedup_key: 'x' }), /signal key/],
    ['a key that no index takes', alertInput({ dedup_key: `int:${'x'.repeat(600)}` }), /signal key/],
    ['a key with NUL', alertInput({ dedup_key: 'int:a\0b' }), /signal key/],
    ['an event id that is no UUID', alertInput({ event_id: 'e' }), /not a UUID/],
    ['an integration that is no UUID', alertInput({ integration_id: '7' }), /not a UUID/],
    ['a team that is no UUID', alertInput({ team_id: 'sre' }), /not a UUID/],
    ['a time before 1970', alertInput({ occurred_at: -1 }), /out of range/],
    ['a time after the year 9999', alertInput({ received_at: 253_402_300_800_000 }, { timestamp: T0 }), /out of range/],
    ['no time at all', alertInput({ occurred_at: Number.NaN }), /out of range/],
    ['a record without a time', alertInput({}, { timestamp: -1 }), /no usable time/],
    ['a sequence too large to compare', alertInput({ sequence: 2 ** 53 }), /sequence/],
    [
      'a record that is no signal',
      { record: 'Tick', value: { t: T0, boot: id('boot') }, topic: 'alerts.inbound.v1', partition: 0, offset: 0n, timestamp: T0, key: 'x' },
      /Tick/
    ]
  ]
  for (const [name, input, reason] of bad) {
    const reading = readSignal(frozen(input))
    t.match('refused' in reading ? reading.refused : JSON.stringify(reading), reason, name)
  }
  t.equal(keyOf(alertInput({ tenant_id: 'acme' })), null)
})

t.test('overlong or invalid text in an alert is cut or replaced, not refused', async (t) => {
  const fire = received(
    alertInput({
      title: `${'x'.repeat(299)}\u{1F525}`,
      description: `a\0b\uDC00${'y'.repeat(5000)}`,
      delivery_id: '\0',
      labels: { z: '1', a: `v\0${'w'.repeat(600)}`, ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`l${n}`, 'x'])) },
      links: Array.from({ length: 30 }, () => ({ title: 'x', url: 'https://x.example/' }))
    })
  )
  t.equal(fire.title, 'x'.repeat(299), 'no half of a pair')
  t.equal(fire.summary?.length, 4000)
  t.equal(fire.summary?.slice(0, 4), 'a\uFFFDb\uFFFD')
  t.equal(fire.delivery_id, '\uFFFD')
  t.equal(Object.keys(fire.labels).length, 64)
  t.equal(fire.labels.a?.length, 512)
  t.same(Object.keys(fire.labels), Object.keys(fire.labels).toSorted(), 'in one order, for equal bytes')
  t.equal(fire.links.length, 20)
})

t.test('labels are sorted and cut to their limits', async (t) => {
  const labelsOf = (labels: Record<string, string>): unknown => {
    const reading = readSignal(alertInput({ labels }))
    return 'signal' in reading ? Object.entries(reading.signal.labels) : reading
  }
  const tidy = { a: '1', b: '', 'b.c': 'x', z: 'é' }
  t.same(labelsOf(tidy), Object.entries(tidy))
  t.same(labelsOf({ z: 'é', b: '', 'b.c': 'x', a: '1' }), Object.entries(tidy))
  t.same(labelsOf({ a: 'x'.repeat(513), ['b'.repeat(129)]: '' }), [
    ['a', 'x'.repeat(512)],
    ['b'.repeat(128), '']
  ])
  t.same(labelsOf({ a: 'nul\0' }), [['a', 'nul\ufffd']])
  t.same(labelsOf({ 'a\0': 'x' }), [['a\ufffd', 'x']])
  t.same(labelsOf({}), [])
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, nth) => [`k${String(nth).padStart(2, '0')}`, 'v']))
  t.same(labelsOf(many), Object.entries(many).slice(0, 64))
})
