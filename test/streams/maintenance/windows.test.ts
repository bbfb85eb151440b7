/** Tests which maintenance windows cover an alert, and their effect in the incident fold. */
import t from 'tap'
import type { Incident } from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { holdsOf, noFacts } from '../../../streams/incident/holds.ts'
import { replayAlert } from '../../../streams/incident/replay.ts'
import {
  compileWindows,
  coveringWindows,
  keepingWindow,
  type MaintenanceWindow,
  noWindows,
  type Scope
} from '../../../streams/maintenance/windows.ts'
import { compile } from '../../../streams/routing/rules.ts'
import { alertInput, dedup_key, heartbeatInput, monitor_id, monitorInput, pending, T0, tenant_id, world } from '../incident/build.ts'
import { alertOf, OTHER_TEAM, ruleOf, TEAM } from '../routing/build.ts'

const AT = 1_000_000
const WINDOW = '01890000-0000-7000-8000-00000000aaaa'
const MONITOR = '01890000-0000-7000-8000-00000000bbbb'
const RULE = '01890000-0000-7000-8000-0000000000f1'

const scopeOf = (over: Partial<Scope> = {}): Scope => ({
  all: false,
  monitor_ids: [],
  heartbeat_ids: [],
  integration_ids: [],
  tags: [],
  matchers: [],
  ...over
})
const windowOf = (scope: Partial<Scope>, over: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  window_id: WINDOW,
  version: 3,
  effect: 'suppress_notifications',
  scope: scopeOf(scope),
  settle_seconds: 2,
  spans: [{ starts_at: AT, ends_at: AT + 10_000 }],
  tagged: [],
  ...over
})
const naming = (team: string) => [{ field: 'team_id', op: 'eq', value: team } as const]

t.test('the alerts that a maintenance scope covers', async (t) => {
  const mine = { monitor_id: MONITOR, source_kind: 'monitor' }
  const hidden = { ...mine, team_id: TEAM }
  const disk = [{ field: 'title', op: 'contains', value: 'Disk' } as const]
  const rows: [string, Partial<Scope>, Parameters<typeof alertOf>[0], boolean][] = [
    ['everything', { all: true }, {}, true],
    ['nothing', {}, {}, false],
    ['by its id', { monitor_ids: [MONITOR] }, mine, true],
    ['another', { monitor_ids: [WINDOW] }, mine, false],
    ['a heartbeat', { heartbeat_ids: [MONITOR] }, { heartbeat_id: MONITOR }, true],
    ['an integration', { integration_ids: [MONITOR] }, { integration_id: MONITOR }, true],
    ['by a tag', { tags: ['shop'] }, mine, true],
    ['of what has no tag', { tags: ['shop'] }, {}, false],
    ['by matchers', { matchers: disk }, {}, true],
    ['by all of them', { matchers: [...disk, { field: 'severity', op: 'eq', value: 'info' }] }, {}, false],
    ['by one that this version cannot read', { matchers: [{ field: 'colour', op: 'eq', value: 'x' } as never] }, {}, false],
    ['a private team’s, by all', { all: true }, hidden, false],
    ['by a tag', { tags: ['shop'] }, hidden, false],
    ['by matchers', { matchers: disk }, hidden, false],
    ['by its id', { monitor_ids: [MONITOR] }, hidden, true],
    ['by the name of the team', { matchers: naming(TEAM) }, hidden, true],
    ['of an open team', { all: true }, { ...mine, team_id: OTHER_TEAM }, true],
    ['for its team only', { all: true }, { ...mine, visibility: 'private', team_id: OTHER_TEAM }, false]
  ]
  for (const [name, scope, over, covered] of rows) {
    const set = compileWindows([windowOf(scope, { tagged: scope.tags ? [MONITOR] : [] })], [TEAM])
    t.equal(coveringWindows(set, alertOf(over), AT, 9).length, covered ? 1 : 0, name)
  }
})

t.test('a window covers alerts from its start until it has settled', async (t) => {
  const spans = [
    { starts_at: AT, ends_at: AT + 10_000 },
    { starts_at: AT + 11_000, ends_at: AT + 20_000 }
  ]
  const set = compileWindows([windowOf({ all: true }, { spans })], [])
  const until = (at: number) => coveringWindows(set, alertOf(), at, 1)[0]?.until ?? null
  t.same([AT - 1, AT, AT + 10_500, AT + 11_000, AT + 21_999, AT + 22_000].map(until), [
    null,
    AT + 12_000,
    AT + 12_000,
    AT + 22_000,
    AT + 22_000,
    null
  ])
  t.equal(keepingWindow(set, alertOf(), AT), null, 'one that only mutes')
  const keeping = compileWindows([windowOf({ all: true }, { spans, effect: 'suppress_incidents' })], [])
  t.same(keepingWindow(keeping, alertOf(), AT), { window_id: WINDOW, version: 3, until: AT + 12_000 })
  t.equal(keepingWindow(noWindows, alertOf(), AT), null)
})

t.test('a maintenance window holds an ongoing incident until it has settled', async (t) => {
  const windows = compileWindows([windowOf({ all: true }, { spans: [{ starts_at: T0, ends_at: T0 + 1000 }] })], [])
  const w = world()
  w.take([alertInput()])
  const [incident] = w.of() as [Incident]
  const facts = { ...noFacts, windows }
  t.same(holdsOf(incident, facts, T0 + 1), [{ kind: 'maintenance', id: WINDOW, until: T0 + 3000 }])
  t.same(
    holdsOf({ ...incident, silenced_until: T0 + 9000, flapping: true }, facts, T0 + 1).map(({ kind }) => kind),
    ['maintenance', 'silence', 'flap'],
    'in the order of decision rule 8'
  )
  t.same(holdsOf(incident, facts, T0 + 3000), [])
  t.same(holdsOf({ ...incident, status: 'resolved' }, facts, T0 + 1), [])
})

const keeping = (scope: Partial<Scope>, over: Partial<MaintenanceWindow> = {}) =>
  compileWindows([windowOf(scope, { effect: 'suppress_incidents', spans: [{ starts_at: T0, ends_at: T0 + 60_000 }], ...over })], [])

t.test('a suppressing window keeps an alert from becoming an incident and starts a promote job', async (t) => {
  const w = world()
  w.windows.set(tenant_id, keeping({ monitor_ids: [monitor_id] }))
  w.take([monitorInput()])
  t.same(w.of(`mon:${monitor_id}`), [], 'no incident')
  const [kept] = [...w.alerts.values()]
  t.match(kept, { status: 'ongoing', incident_id: null, monitor_id })
  const stored = JSON.parse(w.alertEvents[0]?.cause.input ?? '')
  t.same(stored.decision.maintenance, { window_id: WINDOW, version: 3, until: T0 + 62_000 }, 'with the version that decided')
  t.match(pending(w.jobs), [
    { start: 'maintenance_promote', run_at: T0 + 62_000, payload: { alert_id: kept?.alert_id, window_id: WINDOW } }
  ])

  w.windows.clear()
  const again = replayAlert(w.alertEvents, { opened_in: null, was: null }, uuidv5)
  t.same(again, { events: w.alertEvents, fault: null }, 'a replay needs no window')

  w.take([
    monitorInput(
      { event_id: uuidv5(tenant_id, 'up'), ver: 3, status: 'up', previous_status: 'down', phase: 'ok', previous_phase: 'down', at: T0 + 1 },
      { offset: 1 }
    )
  ])
  t.match([...w.alerts.values()], [{ status: 'resolved', resolution_reason: 'recovered' }], 'a recovery passes')
})

t.test('the time of the record decides whether a window covers an alert', async (t) => {
  const rows: [string, number, number][] = [
    ['before it begins', T0 - 1, 1],
    ['as it begins', T0, 0],
    ['in the settle time', T0 + 61_999, 0],
    ['when it has settled', T0 + 62_000, 1]
  ]
  for (const [name, timestamp, incidents] of rows) {
    const w = world()
    w.windows.set(tenant_id, keeping({ all: true }))
    w.take([alertInput({}, { timestamp })])
    t.equal(w.of(dedup_key).length, incidents, name)
  }
})

t.test('a suppressing window leaves ongoing incidents, alerts kept by rules and other targets alone', async (t) => {
  const w = world()
  w.take([alertInput()])
  w.windows.set(tenant_id, keeping({ all: true }))
  w.take([alertInput({ event_id: uuidv5(tenant_id, 'worse'), occurred_at: T0 + 1, description: 'worse' }, { offset: 1 })])
  t.equal(w.of().length, 1, 'what was ongoing stays the incident that it is')
  t.equal(w.alerts.size, 0)

  const other = world()
  other.windows.set(tenant_id, keeping({ all: true }))
  other.rules.set(tenant_id, compile(2, [ruleOf(RULE, { actions: { promote: 'never' } })]))
  other.take([heartbeatInput()])
  const [event] = other.alertEvents
  t.equal(JSON.parse(event?.cause.input ?? '').decision.maintenance, undefined, 'what rules keep stays with the rules')
  t.same(pending(other.jobs), [])

  const quiet = world()
  quiet.windows.set(tenant_id, keeping({ monitor_ids: [monitor_id] }))
  quiet.take([alertInput()])
  t.equal(quiet.of().length, 1, 'what it does not cover')
})
