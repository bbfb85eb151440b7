/**
 * Tests of Pushover: its form, its limits, its monthly quota, and which of the two keys is wrong.
 */
import t from 'tap'
import { channel as pushover } from '../../../services/channels/kinds/pushover.ts'
import { drive, hostile, httpOf, incident, message, NOW, reply, test, up } from './messages.ts'
import { verdicts } from './verdicts.ts'

const SETTINGS = { application_token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' }
const ok = reply(200, { status: 1, request: 'r1' })
const formOf = (what: Parameters<typeof drive>[1]) =>
  Object.fromEntries(new URLSearchParams(httpOf(drive(pushover, what, SETTINGS, [ok]).requests[0]).body ?? ''))

t.test('requests to Pushover and their priorities', async (t) => {
  const { requests, outcome } = drive(pushover, message(), SETTINGS, [ok])
  const request = httpOf(requests[0])
  t.equal(request.url, 'https://api.pushover.net/1/messages.json')
  t.match(request.headers['content-type'], /^application\/x-www-form-urlencoded/)
  t.same([request.guarded, request.secrets], [false, Object.values(SETTINGS)])
  t.same(outcome, { outcome: 'delivered', provider_message_id: 'r1' })
  t.match(formOf(message()), {
    token: SETTINGS.application_token,
    user: SETTINGS.user_key,
    title: '[CRITICAL] api.example.com is down',
    message: /^HTTP 503\n/,
    priority: '1',
    url: 'https://app.example.com/incidents/42',
    url_title: 'Open incident',
    timestamp: String((NOW - 10_000) / 1000)
  })
  t.equal(formOf(message({ incident: incident({ severity: 'warning' }) })).priority, '0')
  t.equal(formOf(up()).priority, '0')
  t.match(formOf(test()), { priority: '-1', url: undefined })
  const bad = formOf(hostile({ incident: incident({ url: `https://app.example.com/${'x'.repeat(600)}` }) }))
  t.ok([...(bad.message ?? '')].length <= 1024 && [...(bad.title ?? '')].length <= 250)
  t.notOk('url' in bad, 'half an address leads nowhere')
})

t.test('answers of Pushover and their outcomes', async (t) => {
  const inTenDays = String(NOW / 1000 + 10 * 86_400)
  verdicts(t, pushover, SETTINGS, [
    [ok, 'delivered'],
    [reply(200, { status: 0 }), 'retry', { ambiguous: true }],
    [reply(400, { status: 0, token: 'invalid' }), 'permanent channel'],
    [reply(400, { status: 0, user: 'invalid' }), 'permanent channel'],
    [reply(400, { status: 0, message: 'cannot be blank' }), 'permanent delivery'],
    [reply(404, { status: 0 }), 'permanent channel'],
    [reply(413), 'permanent delivery'],
    [reply(429, { status: 0 }, { 'x-limit-app-reset': inTenDays }), 'retry', { quota: true, after_ms: 10 * 86_400_000 }],
    [reply(429, { status: 0 }), 'retry', { quota: true, after_ms: 31 * 86_400_000 }],
    [reply(429, { status: 0 }, { 'retry-after': '30' }), 'retry', { after_ms: 30_000 }],
    [reply(503), 'retry']
  ])
  t.equal(pushover.target(SETTINGS), '…VRsG')
})
