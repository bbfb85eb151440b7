/**
 * Tests of Google Chat: requests in the form that its API accepts, and the meaning of its answers.
 */
import t from 'tap'
import { channel as googlechat } from '../../../services/channels/kinds/googlechat.ts'
import { acknowledged, context, deployment, drive, hostile, httpOf, INCIDENT, json, message, reply, test, up } from './messages.ts'
import { faults, verdicts } from './verdicts.ts'

const PATH = '/v1/spaces/AAAAbbbb_-1/messages?key=AIzaSyExample-key_1&token=t0ken-of_the%3Dhook%3D'
const CONFIG = { webhook_url: `https://chat.googleapis.com${PATH}` }
const made = reply(200, { name: 'spaces/AAAAbbbb_-1/messages/m.1' })

t.test('all Google Chat messages of an incident are in one thread', async (t) => {
  const { requests, outcome } = drive(googlechat, message(), CONFIG, [made])
  const request = httpOf(requests[0])
  t.equal(request.url, `${CONFIG.webhook_url}&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD`, 'the query stays byte for byte')
  t.ok(request.secrets.includes('t0ken-of_the=hook=') && request.secrets.includes('AIzaSyExample-key_1'))
  t.same(outcome, { outcome: 'delivered', provider_message_id: 'spaces/AAAAbbbb_-1/messages/m.1' })
  const thread = { threadKey: `svc-inc-${INCIDENT}` }
  t.match(json(requests[0]), {
    text: '*[CRITICAL] api.example.com is down*',
    thread,
    cardsV2: [{ cardId: 'incident', card: { header: { title: 'api.example.com is down', subtitle: 'critical' } } }]
  })
  t.same(json(requests[0]).cardsV2[0].card.sections[0].widgets.at(-1), {
    buttonList: { buttons: [{ text: 'Open incident', onClick: { openLink: { url: 'https://app.example.com/incidents/42' } } }] }
  })
  t.same(json(drive(googlechat, acknowledged(), CONFIG, [made]).requests[0]), {
    text: '*[ACK] api.example.com is down*\nAcknowledged by Jo Doe.',
    thread
  })
  t.match(json(drive(googlechat, up(), CONFIG, [made]).requests[0]), { text: /^\*\[RESOLVED\] api\.example\.com is up again/, thread })
  const tested = drive(googlechat, test(), CONFIG, [made])
  t.equal(httpOf(tested.requests[0]).url, CONFIG.webhook_url)
  t.same(Object.keys(json(tested.requests[0])), ['text'])
  const set = { ...deployment, base_urls: { googlechat: 'http://127.0.0.1:9' } }
  t.equal(
    httpOf(drive(googlechat, test(), CONFIG, [made], { at: context({ deployment: set }) }).requests[0]).url,
    `http://127.0.0.1:9${PATH}`
  )
})

t.test('hostile text stays text in Google Chat, within its limits', async (t) => {
  const sent = httpOf(drive(googlechat, hostile(), CONFIG, [made]).requests[0]).body ?? ''
  const { text, cardsV2 } = JSON.parse(sent)
  const [{ textParagraph }] = cardsV2[0].card.sections[0].widgets
  t.notMatch(text + textParagraph.text, /<!channel>|<\/b>/)
  t.ok(Buffer.byteLength(sent) <= 32_000 && [...text].length <= 4096)
})

t.test('answers of Google Chat and their outcomes', async (t) => {
  const error = (code: number, status: string) => reply(code, { error: { code, status, message: 'no' } })
  verdicts(t, googlechat, CONFIG, [
    [made, 'delivered'],
    [reply(200, {}), 'retry', { ambiguous: true }],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [error(400, 'INVALID_ARGUMENT'), 'permanent delivery'],
    [error(401, 'UNAUTHENTICATED'), 'permanent channel'],
    [error(403, 'PERMISSION_DENIED'), 'permanent channel'],
    [error(404, 'NOT_FOUND'), 'permanent channel at once'],
    [reply(410), 'permanent channel at once'],
    [reply(413), 'permanent delivery'],
    [error(429, 'RESOURCE_EXHAUSTED'), 'retry'],
    [error(503, 'UNAVAILABLE'), 'retry']
  ])
})

t.test('accepted and refused webhook addresses of Google Chat', async (t) => {
  faults(t, googlechat, [
    [CONFIG, null],
    [{ webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k' }, 'invalid_webhook_url'],
    [{ webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages?token=t' }, 'invalid_webhook_url'],
    [{ webhook_url: `https://chat.googleapis.com.example.com${PATH}` }, 'invalid_webhook_url'],
    [{ webhook_url: `http://chat.googleapis.com${PATH}` }, 'invalid_webhook_url'],
    [{ webhook_url: `${CONFIG.webhook_url}#x` }, 'invalid_webhook_url']
  ])
  t.equal(googlechat.target({ webhook_url: 'sealed:x' }), 'chat.googleapis.com')
})
