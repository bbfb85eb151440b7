/** Tests of ServiceNow: incidents by the Table API, and the meaning of its answers. */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/servicenow.ts'
import { acknowledged, context, drive, hostile, httpOf, INCIDENT, incident, json, message, reply, test, up } from './messages.ts'
import { faultyFields, oneTicket } from './tickets.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { instance: 'acme', username: 'svc.alerts', password: 'pa55:word-long' }
const ref = { sys_id: 'a'.repeat(32), number: 'INC0010001' }
const one = reply(201, { result: ref })
const changed = reply(200, { result: ref })
const TABLE = 'https://acme.service-now.com/api/now/table/incident'
const policy = reply(403, {
  error: { message: 'Operation Failed', detail: 'Data Policy Exception: mandatory: Close code' },
  status: 'failure'
})

t.test('each incident gets one record in ServiceNow', async (t) => {
  oneTicket(t, channel, CONFIG, {
    ref,
    opened: one,
    found: reply(200, { result: [ref] }),
    none: reply(200, { result: [] }),
    noted: changed,
    gone: reply(404, { error: { message: 'No Record found' }, status: 'failure' }),
    ended: [changed],
    opens_from: 0
  })
})

t.test('requests to ServiceNow for a failure, an acknowledgement and an end', async (t) => {
  const { requests } = drive(channel, message(), CONFIG, [one])
  t.match(httpOf(requests[0]), {
    method: 'POST',
    url: `${TABLE}?sysparm_fields=sys_id,number`,
    headers: { authorization: `Basic ${Buffer.from('svc.alerts:pa55:word-long').toString('base64')}`, accept: 'application/json' },
    guarded: true
  })
  t.same(json(requests[0]), {
    short_description: '[CRITICAL] api.example.com is down',
    description:
      'HTTP 503\nHTTP 503 from 3 regions\nIncident: INC-42\nSeverity: critical\nMonitor: api.example.com\nRegions: eu-west, us-east\nSince: 2025-12-31 23:59 UTC\nhttps://app.example.com/incidents/42',
    urgency: '1',
    impact: '1',
    correlation_id: `svc-inc-${INCIDENT}`,
    correlation_display: 'Acme Alerts'
  })
  const looked = drive(channel, message(), CONFIG, [reply(200, { result: [ref] })], { at: context({ doubtful: true, attempt: 2 }) })
  t.match(httpOf(looked.requests[0]), { method: 'GET', body: null })
  t.equal(
    new URL(httpOf(looked.requests[0]).url).searchParams.get('sysparm_query'),
    `correlation_id=svc-inc-${INCIDENT}^ORDERBYDESCsys_created_on`
  )
  const ack = drive(channel, acknowledged(), CONFIG, [changed], { ref })
  t.match(httpOf(ack.requests[0]), { method: 'PATCH', url: `${TABLE}/${ref.sys_id}?sysparm_fields=sys_id,number` })
  t.same(json(ack.requests[0]), { work_notes: 'Acknowledged by Jo Doe.', state: '2' })
  const end = json(drive(channel, up(), CONFIG, [changed], { ref }).requests[0])
  t.match(end, { state: '6', close_code: 'Solution provided', close_notes: 'api.example.com is up again after 4m 10s.' })
  const graded = json(drive(channel, message({ incident: incident({ severity: 'info' }) }), CONFIG, [one]).requests[0])
  t.match(graded, { urgency: '3', impact: '3' })
  const long = json(drive(channel, hostile(), CONFIG, [one]).requests[0])
  t.ok([...long.short_description].length <= 160 && [...long.description].length <= 4000)
  t.match(long.description, /…\nhttps:\/\/app\.example\.com\/incidents\/42$/, 'the link stays')
})

t.test('an end that ServiceNow refuses is tried with another close code, then left as a note', async (t) => {
  const older = drive(channel, up(), CONFIG, [policy, changed], { ref })
  t.same(older.outcome, { outcome: 'delivered' })
  t.match(json(older.requests[1]), { close_code: 'Solved (Permanently)' })
  const noted = drive(channel, up(), CONFIG, [policy, policy, changed], { ref })
  t.same(noted.outcome, { outcome: 'delivered' })
  t.match(json(noted.requests[2]).work_notes, /up again.*\nIt could not be ended from here: HTTP 403/)
  t.match(drive(channel, up(), CONFIG, [reply(403, { error: { message: 'ACL' } })], { ref }).outcome, { scope: 'channel' })
  const tried = drive(channel, test(), CONFIG, [one, policy, policy])
  t.match(tried.outcome, { outcome: 'permanent', scope: 'delivery', user_text: /cannot be ended/ })
  t.same(drive(channel, test(), CONFIG, [one, changed]).outcome, { outcome: 'delivered' })
})

t.test('answers of ServiceNow and their outcomes', async (t) => {
  verdicts(t, channel, CONFIG, [
    [reply(200, '<html>Your instance is hibernating</html>'), 'retry'],
    [reply(201, { result: {} }), 'retry', { ambiguous: true }],
    [reply(302), 'permanent delivery'],
    [reply(400, { error: {} }), 'permanent delivery'],
    [reply(401, { error: { message: 'User Not Authenticated' } }), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(413), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '60' }), 'retry', { after_ms: 60_000 }],
    [reply(429, '', { 'retry-after': '7200' }), 'retry', { quota: true }],
    [reply(500), 'retry', { ambiguous: true }]
  ])
})

t.test('only a name under service-now.com is accepted as the instance', async (t) => {
  faultyFields(t, channel, [
    [CONFIG, null],
    [{ ...CONFIG, instance: 'https://ACME.service-now.com/nav_to.do?uri=x' }, null],
    [{ ...CONFIG, instance: 'acme.service-now.com' }, null],
    [{ ...CONFIG, instance: 'https://acme.service-now.com.example.com/' }, 'instance'],
    [{ ...CONFIG, instance: 'https://acme.service-now.com@example.com/' }, 'instance'],
    [{ ...CONFIG, instance: 'http://169.254.169.254/' }, 'instance'],
    [{ ...CONFIG, instance: 'a/../b' }, null],
    [{ ...CONFIG, instance: 'a?b' }, 'instance'],
    [{ ...CONFIG, instance: '-acme' }, 'instance']
  ])
  t.equal(channel.normalise?.({ ...CONFIG, instance: 'https://ACME.service-now.com/nav' }).instance, 'acme')
  t.equal(channel.normalise?.({ ...CONFIG, instance: 'a/../b' }).instance, 'a')
})
