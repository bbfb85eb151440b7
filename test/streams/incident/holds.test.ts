/** Tests what keeps people from being notified, in the order of decision rule 8. */
import t from 'tap'
import type { Alert, Incident } from '../../../schemas/generated/events.ts'
import type { Condition } from '../../../schemas/http/routing-words.ts'
import {
  type Hold,
  type HoldFacts,
  holdsOf,
  holdsOfAlert,
  isMutedGroup,
  isUnmuted,
  MAX_MATCHING_SILENCES,
  noFacts,
  type PausedTarget,
  releases
} from '../../../streams/incident/holds.ts'
import { compileSilences, type Silence } from '../../../streams/routing/silences.ts'
import { record } from '../../harness/records.ts'

const AT = Date.parse('2026-03-01T12:00:00Z')
const HOUR = 3_600_000
const RULE = '01890000-0000-7000-8000-0000000000b1'
const INCIDENT = '01890000-0000-7000-8000-0000000000c1'

const ruled = {
  matched_rule_ids: [RULE],
  suppressed_by_rule_id: RULE,
  severity_by_rule: false,
  notify_resolved: true,
  auto_resolve_minutes: null,
  channel_ids: null
}

const incidentOf = (over: Partial<Incident> = {}): Incident =>
  record('Incident', { incident_id: INCIDENT, title: 'Disk full', severity: 'critical', status: 'ongoing', ...over })
const alertOf = (over: Partial<Alert> = {}): Alert => ({
  ...record('AlertEvent').alert,
  title: 'Disk full',
  severity: 'critical',
  status: 'ongoing',
  ...over
})

const disk: Condition = { field: 'title', op: 'contains', value: 'Disk' }
const silenceOf = (silence_id: string, over: Partial<Silence> = {}): Silence => ({
  silence_id,
  matchers: [disk],
  starts_at: AT - HOUR,
  ends_at: AT + HOUR,
  expired_at: null,
  ...over
})
const set = (...silences: Silence[]): HoldFacts => ({ ...noFacts, silences: compileSilences(silences, []) })

const own: Hold = { kind: 'silence', id: INCIDENT, until: AT + 1 }
const matched = (id: string): Hold => ({ kind: 'matcher_silence', id, until: AT + HOUR })
const byRule: Hold = { kind: 'rule', id: RULE, until: null }

t.test('the holds of an incident in their order', async (t) => {
  const silenced_until = AT + 1
  const rows: [string, Partial<Incident>, Silence[], Hold[]][] = [
    ['nothing', {}, [], []],
    ['its own silence', { silenced_until }, [], [own]],
    ['its own silence, which ends now', { silenced_until: AT }, [], []],
    ['a silence that matches', {}, [silenceOf('a')], [matched('a')]],
    ['silences that do not', {}, [silenceOf('a', { ends_at: AT }), silenceOf('b', { starts_at: AT + 1 })], []],
    ['several that match', {}, [silenceOf('b'), silenceOf('a')], [matched('a'), matched('b')]],
    ['a rule', { routing: ruled }, [], [byRule]],
    ['rules that hold nothing back', { routing: { ...ruled, suppressed_by_rule_id: null } }, [], []],
    ['all of them, in their order', { silenced_until, routing: ruled }, [silenceOf('a')], [own, matched('a'), byRule]],
    ['a resolved one is held by its rule alone', { status: 'resolved', silenced_until, routing: ruled }, [silenceOf('a')], [byRule]],
    ['the title that it came with counts', { title: 'Room', original_title: 'Disk full' }, [silenceOf('a')], [matched('a')]],
    ['and no other', { title: 'Disk full', original_title: 'Room' }, [silenceOf('a')], []]
  ]
  for (const [name, over, silences, expected] of rows) t.same(holdsOf(incidentOf(over), set(...silences), AT), expected, name)
})

t.test('an incident names a limited number of matching silences', async (t) => {
  const many = Array.from({ length: MAX_MATCHING_SILENCES + 5 }, (_, at) => silenceOf(String(at).padStart(3, '0')))
  const found = holdsOf(incidentOf({ routing: ruled }), set(...many), AT)
  t.equal(found.length, MAX_MATCHING_SILENCES + 1)
  t.same(found.at(-1), byRule, 'the rule all the same')
})

t.test('the holds of an alert in their order', async (t) => {
  const rows: [string, Partial<Alert>, Silence[], Hold[]][] = [
    ['nothing', {}, [], []],
    ['a silence before a rule', { routing: ruled }, [silenceOf('a')], [matched('a'), byRule]],
    ['a resolved one', { status: 'resolved' }, [silenceOf('a')], []]
  ]
  for (const [name, over, silences, expected] of rows) t.same(holdsOfAlert(alertOf(over), set(...silences), AT), expected, name)
  t.same(holdsOfAlert(alertOf(), noFacts, AT), [])
})

const MONITOR = '01890000-0000-7000-8000-0000000000d1'
const HEARTBEAT = '01890000-0000-7000-8000-0000000000d2'
const pausing = (id: string, target: Partial<PausedTarget> = {}): HoldFacts => ({
  ...noFacts,
  paused: new Map([[id, { by_plan: false, until: null, ...target }]])
})
const pause = (id: string): Hold => ({ kind: 'pause', id, until: null })

t.test('the holds of paused targets, storms and flapping', async (t) => {
  const storm_until = AT + 1
  const storm: Hold = { kind: 'storm', id: INCIDENT, until: storm_until }
  const flap: Hold = { kind: 'flap', id: INCIDENT, until: null }
  const everything: Partial<Incident> = { monitor_id: MONITOR, silenced_until: AT + 1, storm_until, routing: ruled, flapping: true }
  const all: HoldFacts = { ...pausing(MONITOR), silences: set(silenceOf('a')).silences }
  const rows: [string, Partial<Incident>, HoldFacts, Hold[]][] = [
    ['its monitor is paused', { monitor_id: MONITOR }, pausing(MONITOR), [pause(MONITOR)]],
    ['its heartbeat is', { heartbeat_id: HEARTBEAT }, pausing(HEARTBEAT, { until: AT }), [{ ...pause(HEARTBEAT), until: AT }]],
    ['by the plan', { monitor_id: MONITOR }, pausing(MONITOR, { by_plan: true }), [{ ...pause(MONITOR), kind: 'entitlement_pause' }]],
    ['another monitor is', { monitor_id: MONITOR }, pausing(HEARTBEAT), []],
    ['one of a group is', { monitor_id: MONITOR, ongoing_alerts: 2, dedup_key: 'grp:g/1' }, pausing(MONITOR), []],
    ['it was opened for a kept alert', { monitor_id: MONITOR, ongoing_alerts: 1 }, pausing(MONITOR), [pause(MONITOR)]],
    ['it opened in a storm', { storm_until }, noFacts, [storm]],
    ['of which the end has come', { storm_until: AT }, noFacts, []],
    ['it flaps', { flapping: true }, noFacts, [flap]],
    ['a group that an earlier version marked', { flapping: true, ongoing_alerts: 2, dedup_key: 'grp:g/1' }, noFacts, []],
    ['all of them, in their order', everything, all, [pause(MONITOR), own, matched('a'), storm, byRule, flap]],
    ['once it is resolved, its rule alone', { ...everything, status: 'resolved' }, all, [byRule]]
  ]
  for (const [name, over, facts, expected] of rows) t.same(holdsOf(incidentOf(over), facts, AT), expected, name)
  t.same(holdsOfAlert(alertOf({ monitor_id: MONITOR }), pausing(MONITOR), AT), [pause(MONITOR)], 'an alert knows of pauses')
})

t.test('an ongoing incident is released once, when its last hold ends', async (t) => {
  const silenced_until = AT + 1
  const silenced = incidentOf({ silenced_until })
  const rows: [string, Incident, HoldFacts, Incident, HoldFacts, number, boolean][] = [
    ['nothing held it', incidentOf(), noFacts, incidentOf(), noFacts, AT, false],
    ['its silence is taken away', silenced, noFacts, incidentOf(), noFacts, AT, true],
    ['its silence ends by time', silenced, noFacts, silenced, noFacts, AT + 1, true],
    ['it goes on', silenced, noFacts, silenced, noFacts, AT, false],
    ['another silence goes on', silenced, set(silenceOf('a')), incidentOf(), set(silenceOf('a')), AT, false],
    ['it flaps no more', incidentOf({ flapping: true }), noFacts, incidentOf(), noFacts, AT, true],
    ['its storm is over', incidentOf({ storm_until: AT + 1 }), noFacts, incidentOf(), noFacts, AT + 1, true],
    [
      'the storm is over, and it flaps',
      incidentOf({ storm_until: AT + 1, flapping: true }),
      noFacts,
      incidentOf({ flapping: true }),
      noFacts,
      AT,
      false
    ],
    ['a silence ends', incidentOf(), set(silenceOf('a')), incidentOf(), noFacts, AT, true],
    ['it is edited so that none matches', incidentOf(), set(silenceOf('a')), incidentOf({ title: 'Room' }), set(silenceOf('a')), AT, true],
    ['it ends with its hold', silenced, noFacts, incidentOf({ status: 'resolved' }), noFacts, AT, false]
  ]
  for (const [name, before, factsBefore, after, factsAfter, at, expected] of rows)
    t.equal(releases({ incident: before, facts: factsBefore, at: AT }, { incident: after, facts: factsAfter, at }), expected, name)
})

t.test('a window and a silence by a pattern hold an incident of a group only while they hold all its alerts', async (t) => {
  const silenced = set(silenceOf('s1'))
  const several = incidentOf({ dedup_key: `grp:${INCIDENT}/${INCIDENT}`, alert_count: 2, ongoing_alerts: 2 })
  t.ok(isMutedGroup(several, silenced, AT))
  t.notOk(isMutedGroup(several, noFacts, AT), 'nothing holds it')
  t.notOk(isMutedGroup({ ...several, alert_count: 1 }, silenced, AT), 'it has no other alert')
  t.notOk(isMutedGroup(incidentOf({ alert_count: 2, ongoing_alerts: null }), silenced, AT), 'it is its own alert')
  t.notOk(isMutedGroup({ ...several, silenced_until: AT + 1 }, noFacts, AT), 'its own silence holds all of it')
  t.notOk(isUnmuted(alertOf(), silenced, AT))
  t.notOk(isUnmuted(alertOf({ status: 'resolved' }), silenced, AT), 'it would be held')
  t.ok(isUnmuted(alertOf({ title: 'Out of memory' }), silenced, AT))
  t.ok(isUnmuted(alertOf({ routing: ruled }), noFacts, AT), 'a rule is no silence')
  t.same(holdsOf(several, silenced, AT), [matched('s1')])
  const unmuted = new Set([INCIDENT])
  t.same(holdsOf(several, { ...silenced, unmuted }, AT), [])
  t.same(holdsOf({ ...several, silenced_until: AT + 1, routing: ruled }, { ...silenced, unmuted }, AT), [own, byRule], 'the others hold it')
})
