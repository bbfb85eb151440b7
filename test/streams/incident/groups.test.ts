/**
 * Tests alerts that have rows of their own: alerts of a group, and alerts that rules keep from
 * becoming incidents.
 */
import t from 'tap'
import type { InboundAlert, MonitorTransition } from '../../../schemas/generated/events.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { replayIncident } from '../../../streams/incident/replay.ts'
import { compile } from '../../../streams/routing/rules.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, id, integration_id, monitorInput, T0, team_id, tenant_id, user_id, type World, world } from './build.ts'

const RULE = id('rule')
const group = { by: ['label.service'], window_seconds: 300, max_alerts: 3 }

function ruled(...rules: StoredRule[]): World {
  const acme = world()
  acme.rules.set(tenant_id, compile(7, rules))
  return acme
}

const byService = () => ruled(ruleOf(RULE, { actions: { group } }))

let offset = 0
/** A signal of the key `name`, `seconds` after T0. */
const on = (name: string, seconds: number, over: Partial<InboundAlert> = {}) =>
  alertInput(
    {
      event_id: id(`${name} ${seconds} ${over.action ?? 'fire'}`),
      dedup_key: `int:${integration_id}:${name}`,
      occurred_at: T0 + seconds * 1000,
      received_at: T0 + seconds * 1000,
      labels: { service: 'shop' },
      ...over
    },
    { offset: offset++ }
  )
const resolve = (name: string, seconds: number) => on(name, seconds, { action: 'resolve' })

const incidents = (acme: World) => [...acme.incidents.values()].sort((one, other) => one.number - other.number)
const alerts = (acme: World) => [...acme.alerts.values()]

t.test('alerts of one group share an incident, which ends with the last of them', async (t) => {
  const acme = byService()
  acme.take([on('a', 0), on('b', 1), on('c', 2, { labels: { service: 'db' } })])
  const [shop, db] = incidents(acme)
  t.match(shop, { status: 'ongoing', number: 1, alert_count: 2, ongoing_alerts: 2, routing_version: 7, ver: 2 })
  t.match(shop?.routing, { matched_rule_ids: [RULE], severity_by_rule: false })
  t.match(db, { status: 'ongoing', number: 2, alert_count: 1, ongoing_alerts: 1 })
  t.match(
    alerts(acme).map(({ incident_id, status, promoted_at }) => ({ incident_id, status, promoted_at })),
    [shop, shop, db].map((incident, at) => ({ incident_id: incident?.incident_id, status: 'ongoing', promoted_at: T0 + at * 1000 }))
  )
  t.same(
    acme.events.map(({ change, alert_id }) => [change, alert_id]),
    [
      ['created', null],
      ['created', null],
      ['alerts_changed', alerts(acme)[1]?.alert_id]
    ],
    'joins of a batch make one event, after what opened'
  )

  acme.take([resolve('a', 10)])
  t.match(incidents(acme)[0], { status: 'ongoing', alert_count: 2, ongoing_alerts: 1, ver: 3 })
  acme.take([resolve('b', 11)])
  t.match(incidents(acme)[0], { status: 'resolved', ongoing_alerts: 0, resolution_reason: 'recovered', resolved_by: null, ver: 4 })
  t.match(alerts(acme)[0], { status: 'resolved', resolution_reason: 'recovered', ver: 2 })
  t.equal(incidents(acme)[1]?.status, 'ongoing')
})

t.test('a batch of alerts that join a group makes one event and one frame', async (t) => {
  const acme = ruled(ruleOf(RULE, { actions: { group: { ...group, max_alerts: 10_000 } } }))
  acme.take([on('a', 0)])
  const before = acme.outgoing.length
  acme.take(Array.from({ length: 500 }, (_, n) => on(`b${n}`, 1)))
  const frames = acme.outgoing.slice(before).filter(({ topic }) => topic === 'realtime.frames.v1')
  t.equal(frames.length, 1)
  t.match(incidents(acme), [{ alert_count: 501, ongoing_alerts: 501, ver: 2 }])
  t.equal(acme.alertEvents.length, 501)
  acme.take(Array.from({ length: 500 }, (_, n) => resolve(`b${n}`, 2)))
  t.match(incidents(acme), [{ alert_count: 501, ongoing_alerts: 1, ver: 3, status: 'ongoing' }])
})

t.test('a group of 10,000 alerts ends with the last, and one more alert opens the next group', async (t) => {
  const acme = ruled(ruleOf(RULE, { actions: { group: { ...group, max_alerts: 10_000 } } }))
  for (let from = 0; from < 10_000; from += 500) acme.take(Array.from({ length: 500 }, (_, n) => on(`n${from + n}`, 1)))
  t.match(incidents(acme), [{ alert_count: 10_000, ongoing_alerts: 10_000 }])
  acme.take([on('more', 2)])
  t.match(incidents(acme), [{ alert_count: 10_000 }, { alert_count: 1 }])
  for (let from = 0; from < 10_000; from += 500) acme.take(Array.from({ length: 500 }, (_, n) => resolve(`n${from + n}`, 3)))
  t.match(incidents(acme), [{ status: 'resolved', ongoing_alerts: 0, alert_count: 10_000 }, { status: 'ongoing' }])
})

t.test('an alert after the window or above the limit opens the next group incident', async (t) => {
  const acme = byService()
  acme.take([on('a', 0), on('b', 300), on('c', 301)])
  t.match(incidents(acme), [{ alert_count: 2 }, { alert_count: 1, status: 'ongoing' }], 'the window counts from the opening')
  acme.take([on('d', 302), on('e', 303), on('f', 304)])
  t.match(incidents(acme), [{ alert_count: 2 }, { alert_count: 3 }, { alert_count: 1 }], 'and three are the most')
  acme.take([on('g', 305)])
  t.match(incidents(acme), [{}, {}, { alert_count: 2 }], 'the newest has taken the group over')
  acme.take([resolve('b', 306), resolve('a', 307)])
  t.match(incidents(acme), [{ status: 'resolved' }, { status: 'ongoing' }, { status: 'ongoing' }], 'an older one ends by itself')
  t.equal(new Set(incidents(acme).map(({ dedup_key }) => dedup_key)).size, 3)
})

t.test('when a batch ends a whole group and fires one alert again, a new incident opens', async (t) => {
  const acme = byService()
  acme.take([on('a', 0), on('b', 0)])
  acme.take([resolve('a', 10), resolve('b', 10), on('a', 20)])
  t.match(incidents(acme), [
    { status: 'resolved', ongoing_alerts: 0, alert_count: 2 },
    { status: 'ongoing', ongoing_alerts: 1, alert_count: 1 }
  ])
  t.match(
    acme.events.map(({ change, incident }) => [incident.number, change]),
    [
      [1, 'created'],
      [1, 'alerts_changed'],
      [1, 'resolved'],
      [2, 'created']
    ]
  )
})

t.test('a more severe alert raises its incident unless a rule gave the severity', async (t) => {
  const acme = byService()
  acme.take([on('a', 0, { severity: 'info' }), on('b', 1, { severity: 'warning' })])
  t.match(incidents(acme), [{ severity: 'warning' }])
  acme.take([on('a', 2, { severity: 'critical' })])
  t.match(incidents(acme), [{ severity: 'critical' }])
  t.match(alerts(acme), [
    { severity: 'critical', ver: 2 },
    { severity: 'warning', ver: 1 }
  ])
  const calm = ruled(ruleOf(RULE, { actions: { group, severity: 'info' } }))
  calm.take([on('a', 0, { severity: 'critical' }), on('b', 1, { severity: 'critical' }), on('b', 2, { severity: 'critical' })])
  t.match([...incidents(calm), ...alerts(calm)], [{ severity: 'info' }, { severity: 'info' }, { severity: 'info' }])
})

t.test('a group incident is never marked as flapping', async (t) => {
  const acme = ruled(ruleOf(RULE, { actions: { group: { by: ['source.kind'], window_seconds: 300, max_alerts: 3 } } }))
  const monitor = (n: number, over: Partial<MonitorTransition>) =>
    monitorInput({ monitor_id: id(`monitor ${n}`), event_id: id(`${n} ${over.ver}`), ...over }, { offset: offset++ })
  acme.take([monitor(1, { ver: 1, flapping: true })])
  const [opened] = incidents(acme)
  t.match(opened, { status: 'ongoing', ongoing_alerts: 1, flapping: false })
  acme.take([monitor(2, { ver: 1, flapping: true }), monitor(1, { ver: 2, flapping: true, severity: 'critical' })])
  t.match(incidents(acme), [{ flapping: false, alert_count: 2, severity: 'critical' }])
  t.same(replayIncident(acme.events, 1, uuidv5).events, acme.events, 'the same once more from its causes')
})

t.test('an incident stays acknowledged when an alert joins it', async (t) => {
  const acme = byService()
  acme.take([on('a', 0)])
  const [incident] = incidents(acme)
  acme.obey({ command: 'acknowledge', by: `user:${user_id}`, comment: null }, T0 + 5000, incident?.incident_id)
  acme.take([on('b', 10)])
  t.match(incidents(acme), [{ acknowledged_at: T0 + 5000, alert_count: 2 }])
})

t.test('a rule with promote never keeps an alert and opens no incident', async (t) => {
  const acme = ruled(ruleOf(RULE, { actions: { promote: 'never', team_id, labels_add: { kept: 'yes' } } }))
  acme.take([on('a', 0), on('a', 1)])
  t.equal(acme.incidents.size, 0)
  t.match(alerts(acme), [
    {
      status: 'ongoing',
      incident_id: null,
      promoted_at: null,
      team_id,
      labels: { kept: 'yes', service: 'shop' },
      routing_version: 7,
      ver: 1
    }
  ])
  t.same(
    acme.outgoing.map(({ topic, event_type }) => [topic, event_type]),
    [['alert.events.v1', 'alert.opened']],
    'it is on its topic, and tells nobody'
  )
  t.match(acme.signals.get(`${tenant_id}|int:${integration_id}:a`), { occurrences: 2, incident_id: null })
  acme.take([resolve('a', 10), on('a', 20)])
  t.match(alerts(acme), [{ status: 'resolved' }, { status: 'ongoing', reopened_from: null }])
})

t.test('after its rules are deleted, a key opens incidents of its own again', async (t) => {
  const acme = byService()
  acme.take([on('a', 0), on('b', 0)])
  acme.rules.clear()
  acme.take([on('a', 5, { severity: 'critical' }), resolve('a', 10), on('a', 20)])
  t.match(incidents(acme), [
    { status: 'ongoing', alert_count: 2, ongoing_alerts: 1, severity: 'critical' },
    { status: 'ongoing', alert_count: 1, ongoing_alerts: null, routing_version: 1, routing: null }
  ])
  acme.take([resolve('a', 30)])
  t.match(incidents(acme), [{ status: 'ongoing' }, { status: 'resolved' }])
})

t.test('a new rule does not change an ongoing incident', async (t) => {
  const acme = world()
  acme.take([on('a', 0)])
  acme.rules.set(tenant_id, compile(7, [ruleOf(RULE, { actions: { severity: 'info', is_major: true, team_id, group } })]))
  acme.take([on('a', 1, { severity: 'critical' })])
  t.match(incidents(acme), [{ severity: 'critical', is_major: false, team_id: null, routing_version: 1, ongoing_alerts: null }])
})

t.test('an alert that no rule suppresses joins no incident that a rule does', async (t) => {
  const quiet = id('quiet')
  const staging = ruleOf(quiet, { match: { all: [{ field: 'label.env', op: 'eq', value: 'staging' }] }, actions: { suppress: true } })
  const acme = ruled(ruleOf(RULE, { actions: { group }, continue: true }), staging)
  const of = (env: string) => ({ labels: { service: 'shop', env } })
  acme.take([on('a', 0, of('staging')), on('b', 1, of('staging')), on('c', 2, of('prod')), on('d', 3, of('staging'))])
  t.match(incidents(acme), [
    { alert_count: 2, routing: { suppressed_by_rule_id: quiet } },
    { alert_count: 2, routing: { suppressed_by_rule_id: null } }
  ])
  acme.take([on('e', 4, of('prod'))])
  t.match(incidents(acme), [{ alert_count: 2 }, { alert_count: 3 }], 'the one that people hear of has taken the group over')
})

t.test('a rule without a group sets team, severity, priority, labels and more of an incident', async (t) => {
  const actions = {
    team_id,
    severity: 'info',
    priority: 'P4',
    labels_add: { env: 'prod' },
    is_major: true,
    suppress: true,
    notify_resolved: false,
    auto_resolve_minutes: 30
  } as const
  const acme = ruled(ruleOf(RULE, { actions }))
  acme.take([on('a', 0, { severity: 'critical' }), on('a', 1, { severity: 'critical' })])
  t.match(incidents(acme), [
    {
      ver: 1,
      team_id,
      severity: 'info',
      priority: 'P4',
      labels: { env: 'prod', service: 'shop' },
      is_major: true,
      ongoing_alerts: null,
      routing: {
        matched_rule_ids: [RULE],
        suppressed_by_rule_id: RULE,
        severity_by_rule: true,
        notify_resolved: false,
        auto_resolve_minutes: 30
      }
    }
  ])
  t.match(acme.events, [{ config_versions: { routing: 7 } }])
  t.equal(acme.alerts.size, 0, 'it needs no row of its own')
})
