/**
 * Tests of Opsgenie: requests in the form that its Alert API accepts, and the meaning of its
 * answers.
 */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/opsgenie.ts'
import {
  acknowledged,
  context,
  DELIVERY,
  deployment,
  drive,
  hostile,
  httpOf,
  INCIDENT,
  incident,
  json,
  message,
  reply,
  test,
  up
} from './messages.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { api_key: '0f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b' }
const ok = reply(202, { result: 'Request will be processed', took: 0.1, requestId: 'r1' })
const ALIAS = `svc-inc-${INCIDENT}`

t.test('one alias joins an Opsgenie alert with its acknowledgement and its end', async (t) => {
  const { requests, outcome } = drive(channel, message(), CONFIG, [ok])
  t.match(httpOf(requests[0]), {
    method: 'POST',
    url: 'https://api.opsgenie.com/v2/alerts',
    headers: { authorization: `GenieKey ${CONFIG.api_key}`, 'content-type': /^application\/json/ },
    guarded: false
  })
  t.same(json(requests[0]), {
    message: '[CRITICAL] api.example.com is down',
    alias: ALIAS,
    description: 'HTTP 503\nHTTP 503 from 3 regions',
    priority: 'P1',
    source: 'Acme Alerts',
    entity: 'api.example.com',
    tags: ['critical'],
    details: { incident_id: INCIDENT, incident: 'INC-42', regions: 'eu-west, us-east', url: 'https://app.example.com/incidents/42' }
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: 'r1' })
  const ack = drive(channel, acknowledged(), CONFIG, [ok])
  t.equal(httpOf(ack.requests[0]).url, `https://api.opsgenie.com/v2/alerts/${ALIAS}/acknowledge?identifierType=alias`)
  t.same(json(ack.requests[0]), { source: 'Acme Alerts', note: 'by Jo Doe' })
  const end = drive(channel, up(), { ...CONFIG, region: 'eu' }, [ok])
  t.equal(httpOf(end.requests[0]).url, `https://api.eu.opsgenie.com/v2/alerts/${ALIAS}/close?identifierType=alias`)
  t.match(json(end.requests[0]).note, /is up again after 4m 10s/)
  t.same(drive(channel, message({ event: 'degraded' }), CONFIG, []).outcome, { outcome: 'skipped', why: 'no_event' })
})

t.test('a test opens an Opsgenie alert and closes it', async (t) => {
  const { requests, outcome } = drive(channel, test(), CONFIG, [ok, ok])
  t.match(json(requests[0]), { alias: `svc-test-${DELIVERY}`, priority: 'P5', message: /^\[TEST\]/ })
  t.match(httpOf(requests[1]).url, `/svc-test-${DELIVERY}/close`)
  t.equal(outcome.outcome, 'delivered')
  t.equal(drive(channel, test(), CONFIG, [reply(401)]).outcome.outcome, 'permanent', 'what was not opened is not closed')
})

t.test('priorities, text limits and the configurable address of Opsgenie', async (t) => {
  for (const [severity, priority] of [
    ['critical', 'P1'],
    ['warning', 'P3'],
    ['info', 'P5']
  ] as const)
    t.equal(json(drive(channel, message({ incident: incident({ severity }) }), CONFIG, [ok]).requests[0]).priority, priority)
  const alert = json(drive(channel, hostile(), CONFIG, [ok]).requests[0])
  t.ok([...alert.message].length <= 130 && [...alert.description].length <= 15_000 && [...alert.entity].length <= 512)
  t.match(alert.description, /^\[CRITICAL\] <!channel>/, 'what has no room in the title stands in full')
  t.notMatch(JSON.stringify(alert), '\\u0007')
  const there = context({ deployment: { ...deployment, base_urls: { opsgenie: 'https://proxy.example.com/jsm/' } } })
  t.equal(httpOf(drive(channel, message(), CONFIG, [ok], { at: there }).requests[0]).url, 'https://proxy.example.com/jsm/v2/alerts')
  t.equal(channel.target({ api_key: 'sealed:x', region: 'eu' }), 'api.eu.opsgenie.com')
})

t.test('answers of Opsgenie and their outcomes', async (t) => {
  verdicts(t, channel, CONFIG, [
    [reply(200, {}), 'retry', { ambiguous: true }],
    [reply(400, { message: 'x' }), 'permanent delivery'],
    [reply(401, { message: 'x' }), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(413), 'permanent delivery'],
    [reply(422, { errors: { message: 'too long' } }), 'permanent delivery'],
    [reply(429, '', { 'x-ratelimit-state': 'THROTTLED', 'retry-after': '7' }), 'retry', { after_ms: 7000 }],
    [reply(429), 'retry'],
    [reply(500), 'retry', { ambiguous: true }],
    [reply(504), 'retry', { ambiguous: true }],
    [reply(408), 'retry', { ambiguous: true }]
  ])
  t.notOk('ambiguous' in drive(channel, message(), CONFIG, [reply(429)]).outcome)
  t.notOk('ambiguous' in drive(channel, up(), CONFIG, [reply(504)]).outcome, 'an end opens nothing')
})
