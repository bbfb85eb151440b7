/**
 * Tests of Rocket.Chat: requests in the form that its server accepts, and the meaning of its
 * answers.
 */
import t from 'tap'
import { channel as rocketchat } from '../../../services/channels/kinds/rocketchat.ts'
import { acknowledged, context, drive, hostile, httpOf, incident, json, message, reply, short, test, up } from './messages.ts'
import { faults, verdicts } from './verdicts.ts'

const TOKEN = 'G2JNJDPoabKf7qvkzRbGhJcXgt4pDZAHNQGccMZWnQkojJ5z'
const CONFIG = { webhook_url: `https://chat.example.com/hooks/64a1b2c3d4e5f60718293a4b/${TOKEN}` }
const ok = reply(200, { success: true })
const failed = (error: string) => ({ success: false, error })

t.test('a Rocket.Chat message has a headline and one attachment', async (t) => {
  const { requests, outcome } = drive(rocketchat, message(), CONFIG, [ok])
  t.match(httpOf(requests[0]), { method: 'POST', url: CONFIG.webhook_url, guarded: true })
  t.ok(httpOf(requests[0]).secrets.includes(TOKEN))
  t.same(outcome, { outcome: 'delivered' })
  const body = json(requests[0])
  t.match(body, {
    text: '**api.example.com is down** (critical)',
    attachments: [{ color: '#d9534f', title: 'Open incident', title_link: 'https://app.example.com/incidents/42', text: /^HTTP 503/ }]
  })
  t.notOk('channel' in body || 'roomId' in body, 'an integration that may not override its channel refuses it')
  t.match(json(drive(rocketchat, up(), CONFIG, [ok]).requests[0]), { text: /up again.*\(resolved\)$/, attachments: [{ color: '#5cb85c' }] })
  t.match(json(drive(rocketchat, acknowledged(), CONFIG, [ok]).requests[0]), { text: /Acknowledged by Jo Doe\.$/ })
  t.match(json(drive(rocketchat, test(), CONFIG, [ok]).requests[0]).text, /TEST/, 'a body without text is taken and shows nothing')
})

t.test('hostile text mentions nobody in Rocket.Chat and stays within the limits', async (t) => {
  const body = json(drive(rocketchat, hostile(), CONFIG, [ok]).requests[0])
  t.notMatch(JSON.stringify(body), /@everyone/)
  t.ok([...body.text].length <= 5000 && [...body.attachments[0].text].length <= 5000)
})

t.test('an @ calls nobody in Rocket.Chat, whatever is before it, and addresses stay', async (t) => {
  for (const called of ['full.@channel', '_@all', 'x-@here', ':@all', '(@jo', '@jo']) {
    const said = message({ subject: null, incident: incident({ title: `disk ${called}` }) })
    t.match(json(drive(rocketchat, said, CONFIG, [ok]).requests[0]).text, `@\u200b`, called)
  }
  const said = message({ subject: null, incident: incident({ title: 'mail to a.b@example.com' }) })
  t.match(json(drive(rocketchat, said, CONFIG, [ok]).requests[0]).text, 'a.b@example.com')
})

t.test('answers of Rocket.Chat and their outcomes', async (t) => {
  verdicts(t, rocketchat, CONFIG, [
    [ok, 'delivered'],
    [reply(200, failed('x')), 'retry', { ambiguous: true }],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(400, failed('Invalid integration id or token provided.')), 'permanent channel'],
    [reply(400, failed('invalid-channel')), 'permanent channel'],
    [reply(400, failed('error-message-size-exceeded')), 'permanent delivery'],
    [reply(401, { status: 'error' }), 'permanent channel'],
    [reply(404, ''), 'permanent channel'],
    [reply(410), 'permanent channel at once'],
    [reply(413), 'permanent delivery'],
    [
      reply(429, failed('Error, too many requests. Please slow down. You must wait 42 seconds before trying this endpoint again.')),
      'retry',
      { after_ms: 42_000 }
    ],
    [reply(429, '', { 'retry-after': '3' }), 'retry', { after_ms: 3000 }],
    [reply(429), 'retry', { after_ms: 60_000 }],
    [reply(500), 'retry'],
    [reply(503, failed('Service Unavailable')), 'retry']
  ])
  const tenth = drive(rocketchat, message(), CONFIG, [reply(503, failed('Service Unavailable'))], { at: context({ attempt: 10 }) })
  t.equal(short(tenth.outcome), 'permanent channel at once', 'an integration that is turned off says so for hours')
  const proxy = drive(rocketchat, message(), CONFIG, [reply(503, '<html>')], { at: context({ attempt: 10 }) })
  t.equal(short(proxy.outcome), 'retry', 'a proxy in front is something else')
})

t.test('accepted and refused webhook addresses of Rocket.Chat', async (t) => {
  faults(t, rocketchat, [
    [CONFIG, null],
    [{ webhook_url: `https://example.com/chat/hooks/64a1b2c3d4e5f60718293a4b/${TOKEN}` }, null],
    [{ webhook_url: `https://chat.example.com/hooks/64a1b2c3d4e5f60718293a4b/rocketcat11/${TOKEN}` }, null],
    [{ webhook_url: 'https://chat.example.com/hooks/64a1b2c3d4e5f60718293a4b' }, 'invalid_webhook_url'],
    [{ webhook_url: `https://chat.example.com/api/v1/64a1b2c3d4e5f60718293a4b/${TOKEN}` }, 'invalid_webhook_url'],
    [{ webhook_url: 'nowhere' }, 'invalid_webhook_url']
  ])
  t.equal(rocketchat.target({ webhook_url: 'sealed:x' }), 'Rocket.Chat')
})
