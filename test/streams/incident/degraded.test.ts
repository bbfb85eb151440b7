/**
 * Tests incidents that a degraded monitor opened: when the monitor goes down, people are notified
 * of that, whatever the severity is and whoever edited the incident meanwhile.
 */
import t, { type Test } from 'tap'
import type { MonitorTransition, Severity } from '../../../schemas/generated/events.ts'
import type { RuleActions } from '../../../schemas/http/routing-words.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { isDegraded } from '../../../streams/incident/degraded.ts'
import { replayAlert, replayIncident } from '../../../streams/incident/replay.ts'
import { type Command, reduceIncident } from '../../../streams/incident/rules.ts'
import { compileWindows } from '../../../streams/maintenance/windows.ts'
import { compile } from '../../../streams/routing/rules.ts'
import { ruleOf } from '../routing/build.ts'
import { context, frozen, id, monitor_id, monitorInput, signal, T0, tenant_id, user_id, type World, world } from './build.ts'

const by = `user:${user_id}`
const key = `mon:${monitor_id}`
let ver = 1
/** A transition, `seconds` after T0. */
const turn = (seconds: number, over: Partial<MonitorTransition>) =>
  monitorInput(
    { event_id: id(`turn ${++ver}`), ver, at: T0 + seconds * 1000, open_on_degraded: true, ...over },
    { offset: ver, timestamp: T0 + seconds * 1000 }
  )
const slow = { status: 'up', previous_status: 'up', phase: 'degraded', previous_phase: 'ok', message: 'slow' } as const
const gone = { status: 'down', previous_status: 'up', phase: 'down', previous_phase: 'degraded', message: 'no answer' } as const
const degraded = (seconds: number, severity: Severity = 'warning', name = 'Shop', of = monitor_id) =>
  turn(seconds, { ...slow, severity, name, monitor_id: of })
const down = (seconds: number, severity: Severity = 'warning', name = 'Shop', of = monitor_id) =>
  turn(seconds, { ...gone, severity, name, monitor_id: of })

function ruled(actions: RuleActions): World {
  const acme = world()
  acme.rules.set(tenant_id, compile(2, [ruleOf(id('rule'), { actions })]))
  return acme
}

/** The incident is the same when it is made again from its stored causes. */
function sameAgain(t: Test, acme: World): void {
  const [incident] = acme.incidents.values()
  t.same(replayIncident(acme.events, incident?.number ?? 0, uuidv5), { events: acme.events, fault: null }, 'a replay gives the same')
}

t.test('an incident of a degraded monitor says that the monitor is down, whatever its severity is', async (t) => {
  const edit = (edits: Extract<Command, { command: 'edit' }>['edits']): Command => ({ command: 'edit', by, edits })
  const isDown = { title: 'Shop is down', original_title: null, summary: 'no answer' }
  const rows: [name: string, acme: World, edit: Command | null, severity: Severity, after: object, changes: string[]][] = [
    ['a worse severity', world(), null, 'critical', { ...isDown, severity: 'critical' }, ['title', 'severity']],
    ['the same severity', world(), null, 'warning', { ...isDown, severity: 'warning' }, ['title']],
    ['a rule set the severity', ruled({ severity: 'info' }), null, 'critical', { ...isDown, severity: 'info' }, ['title']],
    ['a person raised it', world(), edit({ severity: 'critical' }), 'critical', { ...isDown, severity: 'critical' }, ['title']],
    [
      'a person gave it a title, which stays',
      world(),
      edit({ title: 'Mine' }),
      'critical',
      { title: 'Mine', original_title: 'Shop is down', summary: 'no answer', severity: 'critical' },
      ['title', 'severity']
    ]
  ]
  for (const [name, acme, edited, severity, after, changes] of rows) {
    await t.test(name, async (t) => {
      acme.take([degraded(0)])
      const [before] = acme.of(key)
      t.ok(before && isDegraded(before))
      if (edited) acme.obey(edited, T0 + 1000, before?.incident_id)
      acme.take([down(60, severity)])
      const [incident] = acme.of(key)
      t.match(incident, { status: 'ongoing', ...after })
      t.notOk(incident && isDegraded(incident), 'people are notified of a failure')
      const last = acme.events.at(-1)
      t.equal(last?.change, 'updated')
      t.same(JSON.parse(last?.cause.input ?? '').changes, changes, 'for the timeline')
      t.match(acme.jobs.at(-1), { start: 'incident_notify', idem_key: `notify:${incident?.incident_id}:${incident?.ver}` })
      sameAgain(t, acme)
    })
  }
})

t.test('a monitor that is down and fails in more regions leaves title and severity alone', async (t) => {
  const acme = world()
  acme.take([down(0), turn(60, { name: 'Renamed', affected_regions: ['ap-south'], severity: 'warning', flapping: false })])
  t.match(acme.of(key), [{ title: 'Shop is down', affected_regions: ['eu-west', 'us-east', 'ap-south'] }])
  t.same(JSON.parse(acme.events.at(-1)?.cause.input ?? '').changes, [])
  sameAgain(t, acme)
})

t.test('a monitor that is degraded again after it was down leaves the words of the failure', async (t) => {
  const acme = world()
  acme.take([degraded(0), down(60), degraded(120, 'critical')])
  t.match(acme.of(key), [{ title: 'Shop is down', severity: 'critical' }])
  sameAgain(t, acme)
})

t.test('a fire that was stored without the state of its monitor decides as before', async (t) => {
  const stored = { source_kind: 'monitor', monitor_id, title: 'Shop is down', summary: 'no answer' } as const
  const open = reduceIncident(null, signal('fire', { ...stored, title: 'Shop is degraded' }), context(T0)).incident
  const same = reduceIncident(open, frozen(signal('fire', { ...stored, affected_regions: ['a'] })), context(T0 + 1))
  t.match(same.incident, { title: 'Shop is degraded', affected_regions: ['a'] })
  t.notOk('changes' in JSON.parse(same.events[0]?.cause.input ?? ''), 'and is stored as it was')
  const worse = reduceIncident(open, frozen(signal('fire', { ...stored, severity: 'critical' })), context(T0 + 1))
  t.match(worse.incident, { title: 'Shop is down', summary: 'no answer', severity: 'critical' })
})

t.test('the incident of a group takes over the words of the alert that opened it', async (t) => {
  const acme = ruled({ group: { by: ['source.type'], window_seconds: 300, max_alerts: 9 } })
  const other_id = id('other')
  acme.take([degraded(0), degraded(10, 'warning', 'Other', other_id)])
  t.match([...acme.incidents.values()], [{ title: 'Shop is degraded', ongoing_alerts: 2 }])
  acme.take([down(20, 'critical', 'Other', other_id)])
  t.match([...acme.incidents.values()], [{ title: 'Shop is degraded', severity: 'critical' }], 'not those of another alert')
  acme.jobs.length = 0
  acme.take([down(60)])
  t.match([...acme.incidents.values()], [{ title: 'Shop is down', summary: 'no answer', ver: 4 }])
  t.match([...acme.alerts.values()], [{ title: 'Shop is down' }, { title: 'Other is down' }])
  t.match(acme.jobs, [{ start: 'incident_notify' }], 'people are notified')
  sameAgain(t, acme)
  for (const alert of acme.alerts.values()) {
    const events = acme.alertEvents.filter(({ alert_id }) => alert_id === alert.alert_id)
    t.same(replayAlert(events, { opened_in: null, was: null }, uuidv5), { events, fault: null })
  }
})

t.test('an alert that a maintenance window keeps says that its monitor is down', async (t) => {
  const acme = world()
  const scope = { all: true, monitor_ids: [], heartbeat_ids: [], integration_ids: [], tags: [], matchers: [] }
  const spans = [{ starts_at: T0, ends_at: T0 + 600_000 }]
  const window = { window_id: id('window'), version: 1, effect: 'suppress_incidents', scope, settle_seconds: 0, spans, tagged: [] } as const
  acme.windows.set(tenant_id, compileWindows([window], []))
  acme.take([degraded(0), down(60)])
  t.equal(acme.incidents.size, 0)
  t.match([...acme.alerts.values()], [{ title: 'Shop is down', summary: 'no answer', severity: 'warning' }])
})

t.test('a monitor that goes down opens at once, though a person resolved that it is degraded', async (t) => {
  const well = { status: 'up', previous_status: 'up', phase: 'ok', previous_phase: 'pending' } as const
  for (const [name, before] of [
    ['it was well before', [turn(0, well)]],
    ['nothing was heard of it before', []]
  ] as const) {
    const acme = world()
    acme.take([...before, degraded(10)])
    acme.obey({ command: 'resolve', by, note: null, until_recovered: true }, T0 + 20_000, acme.of(key)[0]?.incident_id)
    acme.take([degraded(30)])
    t.match(acme.of(key), [{ status: 'resolved' }], `${name}: degraded again is the same occurrence`)
    acme.take([down(40)])
    const [first, again] = acme.of(key)
    t.match(again, { title: 'Shop is down', status: 'ongoing', reopened_from: first?.incident_id }, name)
    acme.reopenDue(T0 + 20_000 + 1_800_000)
    t.equal(acme.of(key).length, 2, 'and the timer was cancelled')
  }
})

t.test('an incident counts as degraded by its original title', async (t) => {
  t.ok(isDegraded({ source_kind: 'monitor', title: 'x is degraded', original_title: null }))
  t.ok(isDegraded({ source_kind: 'monitor', title: 'edited', original_title: 'x is degraded' }))
  t.notOk(isDegraded({ source_kind: 'monitor', title: 'x is down', original_title: null }))
  t.notOk(isDegraded({ source_kind: 'inbound', title: 'x is degraded', original_title: null }))
})
