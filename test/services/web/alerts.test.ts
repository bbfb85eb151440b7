/**
 * Tests of the words that describe alerts, and of the API queries that the addresses of the alert
 * list stand for.
 */
import t from 'tap'
import type { TimelineItem } from '../../../services/web/api/shapes.ts'
import { alertsSearch, isNarrowed, toQuery } from '../../../services/web/pages/alerts/search.ts'
import { answerOf, isItsIncident } from '../../../services/web/pages/alerts/words.ts'
import { changeOfMembers, membersInWords } from '../../../services/web/pages/incidents/member-words.ts'
import { sentenceOf } from '../../../services/web/pages/incidents/timeline-words.ts'

const id = '01a20272-ee96-7aa6-8441-9de640a5629c'

t.test('the headline of the list counts the ongoing alerts', async (t) => {
  t.equal(answerOf(0, false), 'No alert is ongoing')
  t.equal(answerOf(1, false), '1 alert is ongoing')
  t.equal(answerOf(50, false), '50 alerts are ongoing')
  t.equal(answerOf(50, true), 'More than 50 alerts are ongoing')
})

t.test('addresses of the alert list and their API queries', async (t) => {
  const cases: [address: Record<string, string>, question: object][] = [
    [{}, { status: ['ongoing'] }],
    [{ status: 'resolved' }, { status: ['resolved'] }],
    [{ status: 'all' }, {}],
    [{ status: 'melted', severity: 'loud', source: 'rumour', incident: 'maybe', quiet: 'no' }, { status: ['ongoing'] }],
    [{ status: 'all', severity: 'info,critical' }, { severity: ['critical', 'info'] }],
    [{ status: 'all', source: 'inbound' }, { source_kind: ['inbound'] }],
    [{ status: 'all', integration_id: id.toUpperCase() }, { integration_id: [id] }],
    [{ status: 'all', monitor_id: id }, { monitor_id: [id] }],
    [{ status: 'all', heartbeat_id: id }, { heartbeat_id: [id] }],
    [{ status: 'all', team_id: id }, { team_id: [id] }],
    [{ status: 'all', incident: 'with' }, { promoted: true }],
    [
      { status: 'all', incident: 'without', quiet: 'yes' },
      { promoted: false, suppressed: true }
    ],
    [{ status: 'all', q: 'd' }, {}],
    [{ status: 'all', q: 'disk' }, { q: 'disk' }]
  ]
  for (const [address, question] of cases) t.same(toQuery(alertsSearch(address)), question, JSON.stringify(address))
})

t.test('a filter by status alone does not count as narrowing the list', async (t) => {
  t.equal(isNarrowed(alertsSearch({ status: 'resolved' })), false)
  t.equal(isNarrowed(alertsSearch({ quiet: 'yes' })), true)
})

t.test('an alert whose incident has the same id is that incident', async (t) => {
  t.equal(isItsIncident({ id, incident_id: id }), true)
  t.equal(isItsIncident({ id, incident_id: null }), false)
})

t.test('an incident shows how many alerts it has, if it has several', async (t) => {
  t.equal(membersInWords({ alert_count: 0, ongoing_alerts: 0, status: 'ongoing' }), null)
  t.equal(membersInWords({ alert_count: 1, ongoing_alerts: 1, status: 'ongoing' }), null)
  t.equal(membersInWords({ alert_count: 12, ongoing_alerts: 3, status: 'ongoing' }), '12 alerts, 3 ongoing')
  t.equal(membersInWords({ alert_count: 12, ongoing_alerts: 0, status: 'resolved' }), '12 alerts')
})

t.test('joined and ended alerts in a sentence', async (t) => {
  const cases: [data: Record<string, unknown>, sentence: string][] = [
    [{ joined: ['a'], ended: [] }, '1 alert joined'],
    [{ joined: ['a', 'b', 'c'], ended: ['d'] }, '3 alerts joined, 1 ended'],
    [{ joined: [], ended: ['a', 'b'] }, '2 alerts ended'],
    [{ joined: [], ended: ['a'] }, '1 alert ended'],
    [{ joined: [], ended: [], severity: 'critical' }, 'The alerts changed. The severity rose to critical'],
    [{ joined: ['a'], ended: [], severity: 'critical' }, '1 alert joined. The severity rose to critical'],
    [{}, 'The alerts changed']
  ]
  for (const [data, sentence] of cases) t.equal(changeOfMembers(data), sentence)
  const item = { type: 'alerts_changed', actor: 'system:rules', data: { joined: ['a'], ended: [] } } as unknown as TimelineItem
  t.equal(sentenceOf(item, { nameOf: () => 'The service', timeOf: (at) => at }), '1 alert joined')
})
