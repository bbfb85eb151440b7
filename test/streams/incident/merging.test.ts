/** Tests which incidents may be merged, and how a merge changes both. */
import t from 'tap'
import type { Incident } from '../../../schemas/generated/events.ts'
import { MAX_GROUP_ALERTS } from '../../../schemas/limits.ts'
import { ownAlert, reduceAlert } from '../../../streams/incident/alerts.ts'
import { frameOf } from '../../../streams/incident/frame.ts'
import { groupKeyAfter, isOwnAlert, mergeCommands, mergeRefusal } from '../../../streams/incident/merging.ts'
import { endsIncident, reduceIncident } from '../../../streams/incident/rules.ts'
import { context, declaration, dedup_key, frozen, id, signal, T0, team_id, user_id } from './build.ts'

const by = `user:${user_id}`

function opened(name: string, over: Partial<Incident> = {}): Incident {
  const step = reduceIncident(null, signal('fire', { dedup_key: `int:x:${name}` }), context(T0, { id: () => id(name), number: 7 }))
  if (!step.incident) throw new Error('nothing opened')
  return { ...step.incident, ...over }
}
const declared = (): Incident => {
  const { incident } = reduceIncident(null, declaration(T0), context(T0, { number: 9 }))
  if (!incident) throw new Error('nothing was declared')
  return incident
}
const ended: Partial<Incident> = { status: 'resolved', resolved_at: T0, resolution_reason: 'recovered' }

const cases: [string, Partial<Incident>, Partial<Incident>, string | null][] = [
  ['both ongoing', {}, {}, null],
  ['the source has ended', ended, {}, null],
  ['both have ended', ended, ended, null],
  ['the target alone has ended', {}, ended, 'INCIDENT_RESOLVED'],
  ['another team', { team_id }, {}, 'CONFLICT'],
  ['a target of a team', {}, { team_id }, 'CONFLICT'],
  ['another visibility', { visibility: 'private' }, {}, 'CONFLICT'],
  ['the source was merged', { ...ended, merged_into: id('third') }, {}, 'CONFLICT'],
  ['the target was merged', ended, { ...ended, merged_into: id('third') }, 'CONFLICT'],
  ['as many alerts as there may be', { alert_count: MAX_GROUP_ALERTS - 1 }, { alert_count: 1 }, null],
  ['one more', { alert_count: MAX_GROUP_ALERTS }, { alert_count: 1 }, 'CONFLICT']
]
for (const [name, source, target, code] of cases) {
  t.test(`the merge check of two incidents: ${name}`, async (t) => {
    t.equal(mergeRefusal(opened('source', source), opened('target', target))?.code ?? null, code)
  })
}

const keys: [string, string, string, boolean, string][] = [
  ['two of one alert', 'int:x:a', 'int:x:b', true, `grp:${id('target')}`],
  ['into a declared one', 'int:x:a', 'man:b', true, `grp:${id('target')}`],
  ['into a group', 'int:x:a', 'grp:g/1', true, 'grp:g'],
  ['the newest of a group is taken over', 'grp:g/1', 'int:x:b', true, 'grp:g'],
  ['an older one of a group', 'grp:g/1', 'int:x:b', false, `grp:${id('target')}`],
  ['two groups: the target keeps its own', 'grp:g/1', 'grp:h/2', true, 'grp:h']
]
for (const [name, from, into, isNewest, expected] of keys) {
  t.test(`the group key of the target after a merge: ${name}`, async (t) => {
    const [source, target] = [opened('source', { dedup_key: from }), opened('target', { dedup_key: into })]
    t.equal(groupKeyAfter(source, target, isNewest), expected)
  })
}

const merged = (source: Incident, target: Incident) => {
  const { merge, takeOver } = mergeCommands(source, target, by, groupKeyAfter(source, target, false))
  const at = context(T0 + 60_000)
  return [reduceIncident(frozen(source), frozen(merge), at), reduceIncident(frozen(target), frozen(takeOver), at)] as const
}

t.test('a merge resolves the source and makes the target a group of both alerts', async (t) => {
  const source = opened('source', { severity: 'critical', affected_regions: ['eu'], silenced_until: T0 + 90_000, silenced_by: by })
  const [gone, grown] = merged(source, opened('target', { acknowledged_at: T0 + 1, acknowledged_by: by, affected_regions: ['us'] }))
  t.match(gone.incident, {
    status: 'resolved',
    resolution_reason: 'merged',
    resolved_by: by,
    merged_into: id('target'),
    alert_count: 0,
    ongoing_alerts: 0,
    silenced_until: null,
    ver: 2
  })
  t.match(gone.jobs, [{ cancel: `silence_end:${id('source')}:${T0 + 90_000}` }], 'its silence ends with it')
  t.match(grown.incident, {
    status: 'ongoing',
    severity: 'critical',
    affected_regions: ['us', 'eu'],
    acknowledged_at: T0 + 1,
    alert_count: 2,
    ongoing_alerts: 2,
    dedup_key: `grp:${id('target')}/${id('target')}`,
    merged_into: null
  })
  const [gone_event, grown_event] = [gone.events[0], grown.events[0]]
  if (!gone_event || !grown_event) throw new Error('no event')
  t.same([gone_event.change, endsIncident(gone_event)], ['merged', true])
  t.same([grown_event.change, endsIncident(grown_event)], ['merged', false])
  t.match(JSON.parse(frameOf(gone_event)?.json ?? '{}'), { type: 'incident.resolved' })
  t.match(JSON.parse(frameOf(grown_event)?.json ?? '{}'), { type: 'incident.updated', data: { change: 'merged' } })
  t.match(JSON.parse(gone_event.cause.input ?? '{}'), { into: { incident_id: id('target'), number: 7 } })
  t.match(JSON.parse(grown_event.cause.input ?? '{}'), { from: { incident_id: id('source') }, alerts: 1 })
})

t.test('a merge keeps the severity of a target whose severity a rule gave', async (t) => {
  const routing = {
    matched_rule_ids: [id('rule')],
    suppressed_by_rule_id: null,
    severity_by_rule: true,
    notify_resolved: true,
    auto_resolve_minutes: null,
    channel_ids: null
  }
  const [, grown] = merged(opened('source', { severity: 'critical' }), opened('target', { routing }))
  t.equal(grown.incident?.severity, 'warning')
})

t.test('the holds of a target are checked if the merge may have ended one', async (t) => {
  const looked = (source: Incident, target: Incident) => merged(source, target)[1].jobs.map((job) => ('start' in job ? job.start : job))
  const group = { dedup_key: 'grp:g/target', alert_count: 2, ongoing_alerts: 2 }
  const worse = { severity: 'critical' } as const
  t.same(looked(opened('source'), opened('target', { monitor_id: id('monitor') })), ['hold_end'], 'no parent holds several alerts')
  t.same(looked(opened('source'), opened('target')), [], 'no parent held an alert of a sender')
  t.same(looked(opened('source', worse), opened('target', group)), ['hold_end'], 'a silence of warnings holds it no more')
  t.same(looked(opened('source'), opened('target', group)), [], 'nothing that holds it has changed')
  t.same(looked(opened('source', ended), opened('target', ended)), [], 'nothing holds what is over')
})

t.test('a flapping target that gains alerts loses its flapping mark, and its holds are checked', async (t) => {
  const [, grown] = merged(opened('source'), opened('target', { flapping: true }))
  t.match(grown.incident, { flapping: false, ongoing_alerts: 2 })
  t.match(grown.jobs, [{ start: 'hold_end' }])
  const [, same] = merged(declared(), opened('target', { flapping: true }))
  t.match(same.incident, { flapping: true, ongoing_alerts: null }, 'of what has no alert it takes none')
  t.match(same.jobs, [{ start: 'hold_end' }], 'but its severity')
})

t.test('a merged source that was resolved keeps its resolution and does not raise the severity', async (t) => {
  const [gone, grown] = merged(opened('source', { ...ended, severity: 'critical' }), opened('target'))
  t.match(gone.incident, { resolution_reason: 'recovered', resolved_at: T0, merged_into: id('target') })
  t.notOk(gone.events.some(endsIncident))
  t.match(grown.incident, { severity: 'warning', alert_count: 2, ongoing_alerts: 1 })
})

t.test('a declared source moves no alert, and a declared target stays open when its alert recovers', async (t) => {
  const [gone, grown] = merged(declared(), opened('target'))
  t.match(gone.incident, { status: 'resolved', alert_count: 0, ongoing_alerts: null })
  t.match(grown.incident, { alert_count: 1, ongoing_alerts: null, dedup_key: 'int:x:target' })
  const [, taken] = merged(opened('source'), declared())
  t.match(taken.incident, { alert_count: 1, ongoing_alerts: 1, status: 'ongoing' })
  const members = { joined: [], ended: [id('source')], severity: null, affected_regions: [], by: null, reason: 'recovered', comment: null }
  const after = reduceIncident(taken.incident, { members: 'changed', ...members, alert_id: id('source') }, context(T0 + 90_000))
  t.match(after.incident, { status: 'ongoing', ongoing_alerts: 0, alert_count: 1 })
})

t.test('the alert of an incident that joins another keeps the id of the incident', async (t) => {
  const incident = opened('source', { original_title: 'As it came', title: 'As people call it', ver: 4 })
  t.ok(isOwnAlert(incident))
  t.notOk(isOwnAlert(opened('source', { ongoing_alerts: 2, alert_count: 2 })))
  t.notOk(isOwnAlert(declared()))
  const join = { command: 'join', by, incident_id: id('target') } as const
  const { alert, events } = ownAlert(incident, join, context(T0 + 60_000))
  const { incident_id: alert_id } = incident
  t.match(alert, { alert_id, incident_id: id('target'), title: 'As it came', dedup_key: 'int:x:source', ver: 5, status: 'ongoing' })
  t.match(events, [{ change: 'updated', ver: 5, incident_id: id('target') }])
  t.same(reduceAlert(alert, join, context(T0 + 61_000)).events, [], 'once more it says nothing')
  t.not(dedup_key, alert.dedup_key)
})
