/**
 * Tests of Splunk On-Call: messages in the form that its REST endpoint accepts, and the meaning of
 * its answers.
 */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/victorops.ts'
import { acknowledged, drive, hostile, httpOf, INCIDENT, incident, json, message, NOW, reply, test, up } from './messages.ts'
import { faultyFields } from './tickets.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { api_key: '0f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b', routing_key: 'database' }
const ok = reply(200, { result: 'success', entity_id: `svc-inc-${INCIDENT}` })

t.test('one entity joins all Splunk On-Call messages of an incident', async (t) => {
  const { requests, outcome } = drive(channel, message(), CONFIG, [ok])
  const request = httpOf(requests[0])
  t.equal(request.url, `https://alert.victorops.com/integrations/generic/20131114/alert/${CONFIG.api_key}/database`)
  t.ok(request.secrets.includes(CONFIG.api_key))
  t.same(json(requests[0]), {
    message_type: 'CRITICAL',
    entity_id: `svc-inc-${INCIDENT}`,
    entity_display_name: 'api.example.com is down',
    state_message: '[CRITICAL] api.example.com is down\nHTTP 503\nHTTP 503 from 3 regions',
    state_start_time: (NOW - 10_000) / 1000,
    monitoring_tool: 'Acme Alerts',
    alert_url: 'https://app.example.com/incidents/42'
  })
  t.same(outcome, { outcome: 'delivered' })
  const types: [what: ReturnType<typeof message>, type: string][] = [
    [message({ incident: incident({ severity: 'warning' }) }), 'WARNING'],
    [message({ incident: incident({ severity: 'info' }) }), 'INFO'],
    [message({ event: 'ssl_expiry' }), 'WARNING'],
    [acknowledged(), 'ACKNOWLEDGEMENT'],
    [up(), 'RECOVERY'],
    [test(), 'INFO']
  ]
  for (const [what, type] of types) {
    const body = json(drive(channel, what, CONFIG, [ok]).requests[0])
    t.match(body, { message_type: type, entity_id: what.key }, `${what.event}: ${type}`)
  }
  t.equal(json(drive(channel, acknowledged(), CONFIG, [ok]).requests[0]).state_message, 'Acknowledged by Jo Doe.')
  t.same(drive(channel, message({ event: 'assigned' }), CONFIG, []).outcome, { outcome: 'skipped', why: 'no_event' })
  const long = json(drive(channel, hostile(), CONFIG, [ok]).requests[0])
  t.ok([...long.entity_display_name].length <= 250 && [...long.state_message].length <= 20_480)
})

t.test('answers of Splunk On-Call and their outcomes', async (t) => {
  verdicts(t, channel, CONFIG, [
    [reply(200, { result: 'failure', messages: 'no' }), 'permanent delivery'],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(400, { result: 'failure' }), 'permanent delivery'],
    [reply(401), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(410), 'permanent channel at once'],
    [reply(413), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '3' }), 'retry', { after_ms: 3000 }],
    [reply(408), 'retry', { ambiguous: true }],
    [reply(504), 'retry', { ambiguous: true }]
  ])
  t.notOk('ambiguous' in drive(channel, message(), CONFIG, [reply(429)]).outcome)
  t.notOk('ambiguous' in drive(channel, up(), CONFIG, [reply(504)]).outcome, 'an end opens nothing')
})

t.test('the Splunk On-Call key is extracted from the address that the vendor shows', async (t) => {
  const address = `https://alert.victorops.com/integrations/generic/20131114/alert/${CONFIG.api_key}/$routing_key`
  faultyFields(t, channel, [
    [CONFIG, null],
    [{ ...CONFIG, api_key: address }, null],
    [{ ...CONFIG, api_key: 'short' }, 'api_key'],
    [{ ...CONFIG, api_key: 'https://example.com/alert/x/y' }, 'api_key']
  ])
  t.same(channel.normalise?.({ ...CONFIG, api_key: address }), CONFIG)
  t.equal(channel.target({ ...CONFIG, api_key: 'sealed:x' }), 'database')
})
