/**
 * Tests the checks of the fault runs: a run in which everything is right passes, and the same run
 * with one thing wrong fails with the sentence that names it.
 */
import t from 'tap'
import { compile } from '../../streams/routing/rules.ts'
import type { InRecord } from '../../streams/runtime/stream.ts'
import { type Found, judge, signalKey } from '../chaos/checks.ts'
import { type Entry, mark, type SentAlert } from '../chaos/ledger.ts'
import { type AlertEventRow, type EventRow, toRows } from '../chaos/rows.ts'
import type { Frame, Recording } from '../chaos/sockets.ts'
import { alertInput, declaration, id, integration_id, other_tenant_id, T0, tenant_id, user_id, world } from '../streams/incident/build.ts'
import { ruleOf } from '../streams/routing/build.ts'

const fire = (name: string, key: string, at: number, sequence = at): SentAlert => ({ id: name, key, action: 'fire', at, sequence })
const resolve = (name: string, key: string, at: number, sequence: number): SentAlert => ({ id: name, key, action: 'resolve', at, sequence })

/**
 * web-1 fires, is repeated, resolves and fires again; web-2 fires, is acknowledged, commented on,
 * assigned and resolves; web-3 fires and a person ends it; one is declared. A rule puts db-1 and
 * db-2 into one incident, and db-1 resolves; a rule keeps `noise` from being an incident.
 */
const sent: SentAlert[] = [
  fire('a1', 'web-1', T0),
  fire('a2', 'web-1', T0),
  fire('b1', 'web-2', T0 + 1000),
  fire('c1', 'web-3', T0 + 1500),
  resolve('a3', 'web-1', T0 + 2000, T0),
  resolve('b2', 'web-2', T0 + 3000, T0 + 1000),
  fire('a4', 'web-1', T0 + 4000),
  fire('d1', 'db-1', T0 + 5000),
  fire('e1', 'db-2', T0 + 5100),
  fire('f1', 'noise', T0 + 5200),
  resolve('d2', 'db-1', T0 + 5300, T0 + 5000)
]

const labelOf = (name: string, value: string) => ({ all: [{ field: `label.${name}`, op: 'eq' as const, value }] })
const rules = [
  ruleOf(id('kept'), { match: labelOf('kind', 'noise'), actions: { promote: 'never' } }),
  ruleOf(id('grouped'), { match: labelOf('kind', 'db'), actions: { group: { by: ['label.kind'], window_seconds: 300, max_alerts: 10 } } })
]

const attempt = (n: number, alert: SentAlert, verdict: Entry['verdict'], status: number): Entry => ({
  n,
  tenant_id,
  integration_id,
  source: 'alertmanager',
  alerts: [alert],
  verdict,
  status
})

const recordOf = (topic: InRecord['topic'], index: number, key: string, headers: Record<string, string> = {}): InRecord => ({
  topic,
  partition: 0,
  offset: BigInt(index),
  timestamp: T0 + 1000 * index,
  key,
  value: null,
  headers
})

/**
 * What a run without any fault leaves behind. It is made anew each time, because the cases below
 * break it.
 */
function wellDone(): Found {
  const all = world()
  all.rules.set(tenant_id, compile(2, rules))
  const inputs = sent.map((alert, index) =>
    alertInput(
      {
        event_id: id(`event ${alert.id}`),
        dedup_key: signalKey(integration_id, 'alertmanager', alert.key),
        action: alert.action,
        occurred_at: alert.at,
        received_at: T0 + 1000 * index,
        sequence: alert.sequence,
        description: mark(alert.id),
        labels: { kind: alert.key.split('-', 1)[0] ?? '' }
      },
      { offset: index }
    )
  )
  const keyOf = (name: string): string => signalKey(integration_id, 'alertmanager', name)
  all.take(inputs.slice(0, 4))
  const by = `user:${user_id}`
  const web2 = all.of(keyOf('web-2'))[0]?.incident_id
  all.obey({ command: 'acknowledge', by, comment: null }, T0 + 4500, web2)
  all.obey({ command: 'comment', by, comment_id: id('comment') }, T0 + 4550, web2)
  all.obey({ command: 'delete_comment', by, comment_id: id('comment') }, T0 + 4560, web2)
  all.obey({ command: 'assign', by, user_id }, T0 + 4570, web2)
  all.declare(declaration(T0 + 4580), T0 + 4580)
  all.obey({ command: 'resolve', by, note: null, until_recovered: true }, T0 + 4600, all.of(keyOf('web-3'))[0]?.incident_id)
  all.take(inputs.slice(4))

  const events = all.events.map((event, index) => ({
    event,
    record: recordOf('incident.events.v1', index, event.incident_id, {
      event_id: event.event_id,
      ver: String(event.ver),
      event_type: `incident.${event.change}`,
      tenant_id
    })
  }))
  const alertEvents = all.alertEvents.map((event, index) => ({
    event,
    record: recordOf('alert.events.v1', index, event.alert_id, { event_type: `alert.${event.change}` })
  }))
  const alertRows: AlertEventRow[] = all.alertEvents.map(({ alert: _, incident_id: __, team_id: ___, visibility: ____, ...row }) => row)
  const rows: EventRow[] = all.events.map(({ incident: _, team_id: __, visibility: ___, ...row }) => row)
  const frames = all.outgoing.flatMap((row) => (row.body === 'frame' ? [{ at: T0, frame: JSON.parse(row.json) as Frame }] : []))
  const recording: Recording = {
    frames,
    open: [{ from: T0, to: null }],
    closes: [],
    isOpen: () => true,
    frame: () => Promise.reject(new Error('not asked here')),
    close: () => Promise.resolve()
  }
  return {
    // The second alert was answered only at the second attempt; two more were refused.
    entries: [
      ...sent.map((alert, index) => attempt(index, alert, alert.id === 'a2' ? 'unknown' : 'accepted', alert.id === 'a2' ? 503 : 200)),
      attempt(20, fire('x1', 'web-1', T0 + 9000), 'refused', 429),
      attempt(21, fire('x2', 'web-1', T0 + 9000), 'refused', 422)
    ],
    rows: toRows({
      incidents: [...all.incidents.values()].sort((left, right) => left.number - right.number),
      signals: [...all.signals.values()],
      events: rows.sort((left, right) =>
        left.incident_id < right.incident_id ? -1 : left.incident_id > right.incident_id ? 1 : left.ver - right.ver
      ),
      alerts: [...all.alerts.values()],
      alertEvents: alertRows.sort((left, right) =>
        left.alert_id < right.alert_id ? -1 : left.alert_id > right.alert_id ? 1 : left.ver - right.ver
      ),
      counters: [...all.counters].map(([tenant, last_number]) => ({ tenant_id: tenant, last_number })),
      deadLetters: [],
      refusedByTheLog: []
    }),
    inbound: inputs.flatMap((input, index) =>
      input.record === 'InboundAlert'
        ? [{ alert: input.value, record: { ...recordOf('alerts.inbound.v1', index, input.key), timestamp: input.timestamp } }]
        : []
    ),
    events,
    alertEvents,
    rules: all.rules,
    states: [...all.incidents.values()].map((incident, index) => ({
      incident,
      record: recordOf('incident.state.v1', index, incident.incident_id)
    })),
    raw: [JSON.stringify({ description: mark('x2') })],
    recordings: new Map([[tenant_id, recording]])
  }
}

t.test('a correct run has no violations, and every check has examined something', async (t) => {
  const { counts, violations } = await judge(wellDone(), 0)
  t.same(violations, [])
  t.match(counts, {
    alerts_accepted: 10,
    alerts_refused: 2,
    alerts_unknown_but_stored: 1,
    alerts_on_the_log: 11,
    conditions: 6,
    conditions_whose_end_the_ledger_knows: 5,
    signals_counted_in_postgres: 11,
    incidents: 6,
    incidents_equal_to_the_replay: 3,
    keys_that_people_had_a_say_in: 2,
    incidents_of_groups: 1,
    alerts_with_rows: 3,
    alerts_without_an_incident: 1,
    alerts_equal_to_the_replay: 3,
    events_replayed_from_their_causes: 18,
    events_on_the_log: 14,
    alert_events_on_the_log: 4,
    states_on_the_log: 6,
    frames_expected: 14,
    frames_missed_while_open: 0
  })
})

/** The first of a list that fits; the cases rely on it being there. */
function pick<T>(list: Iterable<T>, fits: (item: T) => boolean = () => true): T {
  for (const item of list) if (fits(item)) return item
  throw new Error('the case has nothing to spoil')
}

const faults: [fault: string, spoil: (found: Found) => void, sentence: RegExp][] = [
  ['an accepted alert is not on the log', (found) => found.inbound.splice(2, 1), /alert b1 was accepted 1 times and is 0 times on the log/],
  [
    'a refused alert is on the log',
    (found) => Object.assign(found.entries[2] ?? {}, { verdict: 'refused' }),
    /alert b1 is 1 times on the log, but was accepted 0/
  ],
  [
    'an alert is on the log twice and was sent once',
    (found) => found.inbound.push({ ...pick(found.inbound), record: recordOf('alerts.inbound.v1', 30, pick(found.inbound).record.key) }),
    /alert a1 is 2 times on the log/
  ],
  [
    'an alert on the log was sent by nobody',
    (found) => Object.assign(pick(found.inbound).alert, { description: mark('zz') }),
    /nobody sent/
  ],
  [
    'an alert is stored as another workspace’s',
    (found) => Object.assign(pick(found.inbound).alert, { tenant_id: other_tenant_id }),
    /another workspace's/
  ],
  ['what was over the budget was kept', (found) => found.raw.push(JSON.stringify({ description: mark('x1') })), /x1 was over the budget/],
  [
    'a condition that fires has no ongoing incident',
    (found) =>
      Object.assign(
        pick(found.rows.incidents.values(), ({ status, source_kind }) => status === 'ongoing' && source_kind === 'inbound'),
        { status: 'resolved' }
      ),
    /its last alert says fire, and it has 0 ongoing/
  ],
  [
    'a late repeat opened an incident',
    (found) => {
      const incident = pick(
        found.rows.incidents.values(),
        ({ dedup_key }) => dedup_key === signalKey(integration_id, 'alertmanager', 'web-2')
      )
      const another = { ...incident, incident_id: id('another'), number: 5 }
      found.rows.incidents.set(another.incident_id, another)
      found.rows.byKey.get(incident.dedup_key)?.push(another)
    },
    /began 1 times, and had 2 incidents/
  ],
  [
    'a signal was applied twice',
    (found) => {
      const row = pick(found.rows.signals.values())
      Object.assign(row, { occurrences: row.occurrences + 1 })
    },
    /alerts on the log, \d applied or recorded/
  ],
  [
    'a signals row is not what the log says',
    (found) => Object.assign(pick(found.rows.signals.values()), { last_at: T0 + 7 }),
    /differs from the log's replay in last_at/
  ],
  [
    'an incident is not what the log says',
    (found) => Object.assign(pick(found.rows.incidents.values()), { severity: 'info' }),
    /differs from the log's replay in severity/
  ],
  ['an incident is missing', (found) => found.rows.incidents.delete(pick(found.rows.incidents.keys())), /of the log's replay is not there/],
  [
    'a key has two ongoing incidents',
    (found) => {
      for (const incident of found.rows.byKey.get(signalKey(integration_id, 'alertmanager', 'web-1')) ?? []) incident.status = 'ongoing'
    },
    /has 2 ongoing incidents/
  ],
  [
    'a version is missing',
    (found) => pick(found.rows.events.values(), (list) => list.length > 2).splice(1, 1),
    /has version 6 and events 1, 3, 4, 5, 6/
  ],
  ['a number was skipped', (found) => Object.assign(pick(found.rows.incidents.values()), { number: 9 }), /numbers not 1 to that/],
  ['an event did not reach the log', (found) => found.events.splice(-1, 1), /is not on the log/],
  [
    'an event reached the log before its predecessor',
    (found) => {
      const list = found.events.filter(
        ({ event }) => event.incident_id === pick(found.events, (one) => one.event.ver === 2).event.incident_id
      )
      const [first, second] = [
        found.events.indexOf(pick(list, ({ event }) => event.ver === 1)),
        found.events.indexOf(pick(list, ({ event }) => event.ver === 2))
      ]
      const early = found.events[second]
      const late = found.events[first]
      if (early && late) found.events.splice(first, 1, early)
      if (early && late) found.events.splice(second, 1, late)
    },
    /goes from version 0 to 2/
  ],
  [
    'an event is on the log in two forms',
    (found) => {
      const last = pick(found.events)
      found.events.push({ ...last, event: { ...last.event, comment: 'other' } })
    },
    /in two forms/
  ],
  [
    'a row and its event differ',
    (found) => Object.assign(pick(found.rows.events.values())[0] ?? {}, { comment: 'other' }),
    /differs between row and log in comment/
  ],
  ['the headers say something else', (found) => Object.assign(pick(found.events).record.headers, { ver: '7' }), /key or headers/],
  [
    'an event does not follow from its cause',
    (found) => {
      const late = pick(found.events, ({ event }) => event.change === 'resolved')
      late.event = { ...late.event, incident: { ...late.event.incident, title: 'other' } }
    },
    /does not follow from its stored cause/
  ],
  [
    'the compacted topic is behind',
    (found) => Object.assign(pick(found.states), { incident: { ...pick(found.states).incident, ver: 1 } }),
    /incident.state.v1 of .* differs from the row in ver/
  ],
  ['a state is missing', (found) => found.states.splice(0, 1), /incident.state.v1 has no record of/],
  ['an alert is missing', (found) => found.rows.alerts.delete(pick(found.rows.alerts.keys())), /alert .* of the log's replay is not there/],
  [
    'an alert is not what the log says',
    (found) => Object.assign(pick(found.rows.alerts.values()), { severity: 'info' }),
    /alert .* differs from the log's replay in severity/
  ],
  [
    'what is kept has an incident',
    (found) =>
      Object.assign(
        pick(found.rows.alerts.values(), ({ incident_id }) => incident_id === null),
        { incident_id: pick(found.rows.incidents.keys()) }
      ),
    /must have no incident by the rules/
  ],
  [
    'an alert is of no incident that is there',
    (found) =>
      Object.assign(
        pick(found.rows.alerts.values(), ({ incident_id }) => incident_id !== null),
        { incident_id: id('nowhere') }
      ),
    /which is not there/
  ],
  [
    'an incident counts one alert too many',
    (found) =>
      Object.assign(
        pick(found.rows.incidents.values(), ({ ongoing_alerts }) => ongoing_alerts !== null),
        { alert_count: 3 }
      ),
    /counts 3 alerts, 1 ongoing, and has 2, 1 ongoing/
  ],
  [
    'a group outlives the last of its alerts',
    (found) => {
      for (const alert of found.rows.alerts.values()) if (alert.incident_id) alert.status = 'resolved'
      Object.assign(
        pick(found.rows.incidents.values(), ({ ongoing_alerts }) => ongoing_alerts !== null),
        { ongoing_alerts: 0 }
      )
    },
    /is ongoing, and has 0 ongoing alerts/
  ],
  [
    'a key has an ongoing alert and an ongoing incident',
    (found) => {
      const [alert] = [pick(found.rows.alerts.values(), ({ status }) => status === 'ongoing')]
      const own = { ...pick(found.rows.incidents.values()), dedup_key: alert.dedup_key, status: 'ongoing' as const }
      found.rows.byKey.set(alert.dedup_key, [own])
    },
    /has 2 ongoing alerts/
  ],
  [
    'the newest alert of a key is not the ongoing one',
    (found) =>
      Object.assign(
        pick(found.rows.signals.values(), ({ alert_id }) => alert_id !== null),
        { alert_id: id('another') }
      ),
    /is ongoing, and its newest is|differs from the log's replay in alert_id/
  ],
  ['an alert event did not reach the log', (found) => found.alertEvents.splice(-1, 1), /alert event .* is not on the log/],
  [
    'an alert event does not follow from its cause',
    (found) => {
      const opened = pick(found.alertEvents)
      opened.event = { ...opened.event, alert: { ...opened.event.alert, title: 'other' } }
    },
    /event alert .* 1 does not follow from its stored cause/
  ],
  ['there is a dead letter', (found) => found.rows.deadLetters.push('alerts.inbound.v1 0:0: bad'), /1 dead letters/],
  ['the log refused a row', (found) => found.rows.refusedByTheLog.push('incident:1: too large'), /1 outgoing rows refused/],
  [
    'a socket got another workspace’s frame',
    (found) => Object.assign(pick(found.recordings.values()).frames[0]?.frame.data ?? {}, { incident_id: id('stranger') }),
    /which is not its own/
  ]
]

for (const [fault, spoil, sentence] of faults) {
  t.test(`the checks find that ${fault}`, async (t) => {
    const found = structured(wellDone())
    spoil(found)
    const { violations } = await judge(found, 0)
    t.ok(
      violations.some((violation) => sentence.test(violation)),
      String(sentence),
      { violations }
    )
  })
}

t.test('the checks find that an open socket missed a frame', async (t) => {
  const found = wellDone()
  pick(found.recordings.values()).frames.pop()
  const { violations, counts } = await judge(found, 0)
  t.match(violations, [/its socket was open all the time and did not get incident\./])
  t.equal(counts.frames_received, 13)
})

/**
 * Rows, events and states share objects. This copies them, so that a case changes only one place.
 */
function structured(found: Found): Found {
  const { recordings, rows, rules, ...rest } = found
  const copied = structuredClone(rest)
  const incidents = structuredClone([...rows.incidents.values()])
  return {
    ...copied,
    recordings,
    rules,
    rows: toRows({
      incidents,
      signals: structuredClone([...rows.signals.values()]),
      events: structuredClone([...rows.events.values()].flat()),
      alerts: structuredClone([...rows.alerts.values()]),
      alertEvents: structuredClone([...rows.alertEvents.values()].flat()),
      counters: [...rows.counters].map(([tenant, last_number]) => ({ tenant_id: tenant, last_number })),
      deadLetters: [],
      refusedByTheLog: []
    })
  }
}
