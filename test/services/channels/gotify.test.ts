/** Tests of Gotify: Markdown is made harmless; and the meaning of its errors. */
import t from 'tap'
import { channel as gotify } from '../../../services/channels/kinds/gotify.ts'
import { drive, hostile, httpOf, incident, json, message, reply, test, up } from './messages.ts'
import { verdicts } from './verdicts.ts'

const SETTINGS = { server_url: 'https://gotify.example.com/push', application_token: 'AbCdEf0123456' }
const ok = reply(200, { id: 7, appid: 1 })

t.test('requests to Gotify and their priorities', async (t) => {
  const { requests, outcome } = drive(gotify, message(), SETTINGS, [ok])
  const request = httpOf(requests[0])
  t.equal(request.url, 'https://gotify.example.com/push/message')
  t.equal(request.headers['x-gotify-key'], 'AbCdEf0123456')
  t.same([request.guarded, request.secrets], [true, ['AbCdEf0123456']])
  t.match(json(requests[0]), {
    title: '[CRITICAL] api.example.com is down',
    message: /^HTTP 503\n\n[\s\S]*\n\n\[Open incident\]\(https:\/\/app\.example\.com\/incidents\/42\)$/,
    priority: 8,
    extras: {
      'client::display': { contentType: 'text/markdown' },
      'client::notification': { click: { url: 'https://app.example.com/incidents/42' } }
    }
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: '7' })
  t.equal(json(drive(gotify, message({ incident: incident({ severity: 'warning' }) }), SETTINGS, [ok]).requests[0]).priority, 5)
  t.equal(json(drive(gotify, up(), SETTINGS, [ok]).requests[0]).priority, 4)
  const tested = json(drive(gotify, test(), SETTINGS, [ok]).requests[0])
  t.equal(tested.priority, 2)
  t.notOk('client::notification' in tested.extras, 'a test leads nowhere')
})

t.test('hostile text in a Gotify message is escaped and shortened', async (t) => {
  const bad = json(
    drive(gotify, hostile({ failure: null, body_override: `[x](javascript:1) *b* \`c\` ${'y'.repeat(9000)}` }), SETTINGS, [ok]).requests[0]
  )
  t.match(bad.message, /^\\\[x\\\]\\\(javascript:1\\\) \\\*b\\\* \\`c\\`/)
  t.ok([...bad.message].length <= 4000 && [...bad.title].length <= 250)
})

t.test('answers of Gotify and their outcomes', async (t) => {
  verdicts(t, gotify, SETTINGS, [
    [ok, 'delivered'],
    [reply(200, {}), 'retry', { ambiguous: true }],
    [reply(400, { errorDescription: "Field 'message' is required" }), 'permanent delivery'],
    [reply(400, { errorDescription: 'appid is required for client tokens' }), 'permanent channel'],
    [reply(401, { errorDescription: 'you need to provide a valid access token' }), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(502), 'retry']
  ])
})

t.test('accepted, refused and normalised settings of Gotify', async (t) => {
  t.equal(gotify.check?.(SETTINGS), null)
  for (const server_url of ['gotify.example.com', 'https://a.example/?token=x', 'https://u@a.example/'])
    t.match(gotify.check?.({ ...SETTINGS, server_url }), { path: 'server_url' }, server_url)
  t.match(gotify.normalise?.({ ...SETTINGS, server_url: 'https://a.example/message/' }), { server_url: 'https://a.example' })
  t.equal(gotify.target(SETTINGS), 'gotify.example.com')
})
