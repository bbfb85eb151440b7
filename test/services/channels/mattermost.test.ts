/**
 * Tests of Mattermost: requests as in its developer documentation, and the meaning of its answers.
 */
import t from 'tap'
import { channel as mattermost } from '../../../services/channels/kinds/mattermost.ts'
import { acknowledged, drive, hostile, httpOf, incident, json, message, reply, test, up } from './messages.ts'
import { faults, verdicts } from './verdicts.ts'

const HOOK = 'abcdefghijklmnopqrstuvwx12'
const CONFIG = { webhook_url: `https://chat.example.com/hooks/${HOOK}` }
const ok = reply(200, 'ok')

t.test('a Mattermost message has one attachment, red for a failure and green for its end', async (t) => {
  const { requests, outcome } = drive(mattermost, message(), CONFIG, [ok])
  t.match(httpOf(requests[0]), { method: 'POST', url: CONFIG.webhook_url, guarded: true })
  t.ok(httpOf(requests[0]).secrets.includes(HOOK), 'the id alone is the credential')
  t.same(outcome, { outcome: 'delivered' })
  const body = json(requests[0])
  t.match(body, {
    text: '',
    attachments: [
      {
        fallback: '[CRITICAL] api.example.com is down',
        color: '#d9534f',
        title: 'api.example.com is down',
        title_link: 'https://app.example.com/incidents/42',
        text: /^HTTP 503/
      }
    ]
  })
  t.same(body.attachments[0].fields[1], { title: 'Severity', value: 'critical', short: true })
  t.notOk('channel' in body || 'username' in body || 'icon_url' in body, 'servers forbid to override these')
  t.match(json(drive(mattermost, up(), CONFIG, [ok]).requests[0]).attachments[0], { color: '#5cb85c', title: /up again after 4m 10s/ })
  t.same(json(drive(mattermost, acknowledged(), CONFIG, [ok]).requests[0]), {
    text: '\\[ACK\\] api.example.com is down\nAcknowledged by Jo Doe.'
  })
  t.match(json(drive(mattermost, test(), CONFIG, [ok]).requests[0]).text, /^\\\[TEST\\\] Notifications from Acme work\./)
})

t.test('hostile text mentions nobody in Mattermost and fits into one post', async (t) => {
  const [attachment] = json(drive(mattermost, hostile(), CONFIG, [ok]).requests[0]).attachments
  for (const text of [attachment.title, attachment.text]) t.notMatch(text, /@everyone|<!channel>|(?<!\\)\[a/)
  t.ok([...attachment.text].length <= 15_000 && JSON.stringify(attachment).length < 16_383 * 2)
})

t.test('an @ calls nobody in Mattermost, whatever is before it, and addresses stay', async (t) => {
  for (const called of ['full.@channel', '_@all', 'x-@here', ':@all', '(@jo', '@jo']) {
    const said = message({ subject: null, incident: incident({ title: `disk ${called}` }) })
    t.match(json(drive(mattermost, said, CONFIG, [ok]).requests[0]).attachments[0].title, `@\u200b`, called)
  }
  const said = message({ subject: null, incident: incident({ title: 'mail to a.b@example.com' }) })
  t.match(json(drive(mattermost, said, CONFIG, [ok]).requests[0]).attachments[0].title, 'a.b@example.com')
})

t.test('answers of Mattermost and their outcomes', async (t) => {
  const error = (id: string) => ({ id, message: 'no', detailed_error: '', request_id: 'r', status_code: 0 })
  verdicts(t, mattermost, CONFIG, [
    [ok, 'delivered'],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(400, error('web.incoming_webhook.invalid.app_error')), 'permanent channel'],
    [reply(400, error('web.incoming_webhook.parse.app_error')), 'permanent delivery'],
    [reply(400, '<html>'), 'permanent delivery'],
    [reply(403, error('web.incoming_webhook.permissions.app_error')), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404, error('web.incoming_webhook.channel.app_error')), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(410), 'permanent channel at once'],
    [reply(413), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '7' }), 'retry', { after_ms: 7000 }],
    [reply(500, error('app.post.save.app_error')), 'retry'],
    [reply(501, error('web.incoming_webhook.disabled.app_error')), 'permanent channel'],
    [reply(302), 'permanent delivery']
  ])
})

t.test('accepted and refused webhook addresses of Mattermost', async (t) => {
  faults(t, mattermost, [
    [CONFIG, null],
    [{ webhook_url: `https://example.com/chat/hooks/${HOOK}` }, null],
    [{ webhook_url: `https://chat.example.com:8065/hooks/${HOOK}` }, null],
    [{ webhook_url: `https://chat.example.com/hooks/commands/${HOOK}` }, 'invalid_webhook_url'],
    [{ webhook_url: `https://chat.example.com/hooks/${HOOK}?a=b` }, 'invalid_webhook_url'],
    [{ webhook_url: 'https://chat.example.com/hooks/short' }, 'invalid_webhook_url'],
    [{ webhook_url: `https://user:pass@chat.example.com/hooks/${HOOK}` }, 'invalid_webhook_url'],
    [{ webhook_url: `https://chat.example.com:25/hooks/${HOOK}` }, 'invalid_webhook_url'],
    [{ webhook_url: `ftp://chat.example.com/hooks/${HOOK}` }, 'invalid_webhook_url']
  ])
  t.equal(mattermost.target({ webhook_url: 'sealed:x' }), 'Mattermost')
})
