/**
 * Tests which changes of an incident start a job that notifies people: one job for each incident
 * and batch.
 */
import t from 'tap'
import { tellingJobs } from '../../../streams/incident/telling.ts'
import { NIL, record } from '../../harness/records.ts'

const OTHER = '00000000-0000-4000-8000-000000000001'
const event = (over: object, incident: object = {}) =>
  record('IncidentEvent', {
    incident_id: NIL,
    ver: 1,
    at: 5,
    change: 'created',
    ...over,
    incident: record('Incident', { status: 'ongoing', ...incident })
  })

t.test('each incident starts one notify job, keyed by its last change that notifies', async (t) => {
  const jobs = tellingJobs([
    event({}),
    event({ ver: 2, change: 'comment' }),
    event({ ver: 3, change: 'resolved' }, { status: 'resolved' }),
    event({ ver: 4, change: 'comment' }),
    event({ incident_id: OTHER })
  ])
  t.match(jobs, [
    { start: 'incident_notify', idem_key: `notify:${NIL}:3`, run_at: 5, at_once: true, payload: { incident_id: NIL } },
    { idem_key: `notify:${OTHER}:1` }
  ])
  t.equal(jobs.length, 2)
})

t.test('incident changes that notify people and those that do not', async (t) => {
  const monitor = { source_kind: 'monitor' }
  const told = [
    event({}),
    event({ change: 'acknowledged' }),
    event({ change: 'unacknowledged' }),
    event({ change: 'assigned' }),
    event({ change: 'unsilenced' }),
    event({ change: 'resolved' }),
    event({ change: 'closed' }, { status: 'resolved', resolution_reason: 'closed' }),
    event({ change: 'updated' }, monitor),
    event({ change: 'alerts_changed' }, monitor)
  ]
  for (const one of told) t.equal(tellingJobs([one]).length, 1, one.change)
  const others = [
    event({ change: 'comment' }),
    event({ change: 'silenced' }),
    event({ change: 'updated' }, { source_kind: 'inbound' }),
    event({ change: 'alerts_changed' }, { source_kind: 'inbound' }),
    event({ change: 'closed' }, { status: 'resolved', resolution_reason: 'user' })
  ]
  for (const one of others) t.same(tellingJobs([one]), [], one.change)
})
