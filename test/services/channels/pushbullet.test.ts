/** Tests of Pushbullet: notes and links, the same push over all attempts, and its quota. */
import t from 'tap'
import { channel as pushbullet } from '../../../services/channels/kinds/pushbullet.ts'
import { DELIVERY, drive, hostile, httpOf, json, message, NOW, reply, test } from './messages.ts'
import { verdicts } from './verdicts.ts'

const SETTINGS = { access_token: 'o.0123456789abcdefghij' }
const ok = reply(200, { iden: 'ujp1' })

t.test('requests to Pushbullet for a failure and a test', async (t) => {
  const { requests, outcome } = drive(pushbullet, message(), SETTINGS, [ok])
  const request = httpOf(requests[0])
  t.equal(request.url, 'https://api.pushbullet.com/v2/pushes')
  t.equal(request.headers['access-token'], SETTINGS.access_token)
  t.same([request.guarded, request.secrets], [false, [SETTINGS.access_token]])
  t.match(json(requests[0]), {
    type: 'link',
    url: 'https://app.example.com/incidents/42',
    title: '[CRITICAL] api.example.com is down',
    body: /^HTTP 503/,
    guid: DELIVERY
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: 'ujp1' })
  const tested = json(drive(pushbullet, test(), SETTINGS, [ok]).requests[0])
  t.equal(tested.type, 'note')
  t.notOk('url' in tested)
  const bad = json(drive(pushbullet, hostile(), SETTINGS, [ok]).requests[0])
  t.ok([...bad.title].length <= 250 && [...bad.body].length <= 4000)
})

t.test('answers of Pushbullet and their outcomes', async (t) => {
  const error = (type: string) => ({ error: { type, message: 'x', cat: '~(=^‥^)' } })
  verdicts(t, pushbullet, SETTINGS, [
    [ok, 'delivered'],
    [reply(200, {}), 'retry', { ambiguous: true }],
    [reply(400, error('invalid_request')), 'permanent delivery'],
    [reply(401, error('invalid_access_token')), 'permanent channel'],
    [reply(403, error('invalid_user')), 'permanent channel'],
    [reply(404, error('invalid_request')), 'permanent channel'],
    [reply(429, error('ratelimited'), { 'x-ratelimit-reset': String(NOW / 1000 + 60) }), 'retry', { after_ms: 60_000 }],
    [reply(429, error('ratelimited'), { 'retry-after': '5' }), 'retry', { after_ms: 5000 }],
    [reply(429, error('ratelimited')), 'retry'],
    [reply(400, error('pushbullet_pro_required')), 'retry', { quota: true, after_ms: 31 * 86_400_000 }],
    [reply(500), 'retry']
  ])
  t.equal(pushbullet.target(SETTINGS), '…ghij')
})
