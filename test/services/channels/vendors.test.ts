/**
 * Tests of chat, paging and phone channels: requests as the vendors document them, and the meaning
 * of their answers.
 */
import t from 'tap'
import { channel as discord } from '../../../services/channels/kinds/discord.ts'
import { channel as pagerduty } from '../../../services/channels/kinds/pagerduty.ts'
import { channel as slack } from '../../../services/channels/kinds/slack.ts'
import { channel as sms, smsText } from '../../../services/channels/kinds/sms.ts'
import { callTwiml, spoken, channel as voice } from '../../../services/channels/kinds/voice.ts'
import { segmentsOf } from '../../../services/channels/telephony.ts'
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

const SLACK = { webhook_url: 'https://hooks.slack.com/services/T0001/B0001/abcDEF123' }
const DISCORD = { webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}` }
const KEY = { integration_key: 'R0123456789abcdef0123456789abcde'.slice(0, 32) }
const NUMBER = { number: '+4915112345678' }

t.test('slack: a webhook sends failures and recoveries, but no acknowledgements', async (t) => {
  const down = drive(slack, message(), SLACK, [reply(200, 'ok')])
  t.equal(httpOf(down.requests[0]).url, SLACK.webhook_url)
  t.match(json(down.requests[0]), {
    text: '[CRITICAL] api.example.com is down',
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: /^\*api\.example\.com is down\*\nHTTP 503/ } }, { type: 'context' }]
  })
  t.equal(json(drive(slack, up(), SLACK, [reply(200, 'ok')]).requests[0]).text, '[RESOLVED] api.example.com is up again after 4m 10s')
  t.same(drive(slack, acknowledged(), SLACK, []).outcome, { outcome: 'skipped', why: 'webhook_mode' })
  const bad = json(drive(slack, hostile(), SLACK, [reply(200, 'ok')]).requests[0])
  t.notMatch(JSON.stringify(bad), '<!channel>')
  t.ok(bad.blocks[0].text.text.length <= 3000)
  verdicts(t, slack, SLACK, [
    [reply(200, 'ok'), 'delivered'],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(400, 'invalid_payload'), 'permanent delivery'],
    [reply(400, 'invalid_token'), 'permanent channel at once'],
    [reply(403, 'action_prohibited'), 'permanent channel at once'],
    [reply(404, 'no_service'), 'permanent channel at once'],
    [reply(404, ''), 'permanent channel at once'],
    [reply(410, 'channel_is_archived'), 'permanent channel at once'],
    [reply(500, 'rollup_error'), 'retry'],
    [reply(429, '', { 'retry-after': '5' }), 'retry']
  ])
  for (const webhook_url of [
    'https://hooks.slack.com/workflows/T1/A1/1',
    'https://example.com/services/T1/B1/x',
    'http://hooks.slack.com/services/T1/B1/x'
  ])
    t.match(slack.check?.({ webhook_url }), { rule: 'invalid_webhook_url' })
  t.equal(slack.check?.(SLACK), null)
})

t.test('discord: a webhook message is posted, edited, and followed by a new one at the end', async (t) => {
  const down = drive(discord, message(), DISCORD, [reply(200, { id: '42' })])
  t.equal(httpOf(down.requests[0]).url, `${DISCORD.webhook_url}?wait=true`)
  t.match(json(down.requests[0]), { allowed_mentions: { parse: [] }, embeds: [{ title: 'api.example.com is down', color: 15158332 }] })
  t.match(down.outcome, { outcome: 'delivered', remote_ref: { message_id: '42' } })
  const ref = { message_id: '42' }
  const edited = drive(discord, acknowledged(), DISCORD, [reply(200, { id: '42' })], { ref })
  t.match(httpOf(edited.requests[0]), { method: 'PATCH', url: `${DISCORD.webhook_url}/messages/42` })
  t.same(json(edited.requests[0]).allowed_mentions, { parse: [] })
  const ended = drive(discord, up(), DISCORD, [reply(200, { id: '42' }), reply(200, { id: '43' })], { ref })
  t.match(json(ended.requests[1]).content, /up again/)
  const gone = drive(discord, acknowledged(), DISCORD, [reply(404, { code: 10008 }), reply(200, { id: '44' })], { ref })
  t.match(gone.outcome, { outcome: 'delivered', provider_message_id: '44' })
  const bad = json(drive(discord, hostile(), DISCORD, [reply(200, { id: '1' })]).requests[0]).embeds[0]
  t.ok([...bad.title].length <= 256 && [...bad.description].length <= 4096 && JSON.stringify(bad).length < 6000 * 2)
  verdicts(t, discord, DISCORD, [
    [reply(200, ''), 'retry', { ambiguous: true }],
    [reply(401, { code: 50027 }), 'permanent channel at once'],
    [reply(404, { code: 10015 }), 'permanent channel at once'],
    [reply(403, { code: 50013 }), 'permanent channel at once'],
    [reply(400, { code: 50035 }), 'permanent delivery'],
    [reply(503, { code: 130000 }), 'retry'],
    [reply(429, { retry_after: 1.5 }), 'retry', { after_ms: 1500 }]
  ])
  t.same(discord.normalise?.({ webhook_url: `${DISCORD.webhook_url}/slack?wait=true` }), DISCORD)
  t.match(discord.check?.({ webhook_url: 'https://discord.com/api/webhooks/1/x' }), { rule: 'invalid_webhook_url' })
})

t.test('pagerduty: one key joins trigger, acknowledge and resolve', async (t) => {
  const ok = reply(202, { status: 'success' })
  const down = json(drive(pagerduty, message(), KEY, [ok]).requests[0])
  t.match(down, {
    routing_key: KEY.integration_key,
    event_action: 'trigger',
    dedup_key: `svc-inc-${INCIDENT}`,
    payload: { severity: 'critical', source: 'api.example.com', timestamp: '2025-12-31T23:59:50.000Z' }
  })
  const key = { dedup_key: `svc-inc-${INCIDENT}` }
  t.match(json(drive(pagerduty, acknowledged(), KEY, [ok]).requests[0]), { event_action: 'acknowledge', ...key })
  t.match(json(drive(pagerduty, up(), KEY, [ok]).requests[0]), { event_action: 'resolve', ...key })
  const tested = drive(pagerduty, test(), KEY, [ok, ok])
  t.same(
    tested.requests.map((one) => [json(one).event_action, json(one).dedup_key]),
    [
      ['trigger', `svc-test-${DELIVERY}`],
      ['resolve', `svc-test-${DELIVERY}`]
    ]
  )
  t.ok([...json(drive(pagerduty, hostile(), KEY, [ok]).requests[0]).payload.summary].length <= 1024)
  verdicts(t, pagerduty, KEY, [
    [reply(400, { message: 'Event object is invalid', errors: ['routing_key is bad'] }), 'permanent channel'],
    [reply(400, { errors: ['severity'] }), 'permanent delivery'],
    [reply(429), 'retry'],
    [reply(408), 'retry', { ambiguous: true }],
    [reply(504), 'retry', { ambiguous: true }]
  ])
  t.notOk('ambiguous' in drive(pagerduty, message(), KEY, [reply(429)]).outcome)
  t.notOk('ambiguous' in drive(pagerduty, up(), KEY, [reply(504)]).outcome, 'an end opens nothing')
})

t.test('sms: a text message is a form that Twilio accepts, with at most two parts', async (t) => {
  const { requests, outcome } = drive(sms, message({ reply_code: '1a2b' }), NUMBER, [reply(201, { sid: 'SM1', status: 'queued' })])
  const request = httpOf(requests[0])
  t.equal(request.url, `https://api.twilio.com/2010-04-01/Accounts/${deployment.twilio?.account_sid}/Messages.json`)
  t.equal(request.headers.authorization, `Basic ${Buffer.from(`${deployment.twilio?.account_sid}:twilio-auth-token`).toString('base64')}`)
  t.ok(request.secrets.includes('twilio-auth-token'))
  t.match(Object.fromEntries(new URLSearchParams(request.body ?? '')), {
    To: NUMBER.number,
    From: '+15550001111',
    Body: 'Acme CRITICAL: api.example.com is down (eu-west, us-east) https://app.example.com/incidents/42 Reply ACK 1a2b',
    StatusCallback: `https://app.example.com/api/v1/callbacks/twilio/sms/${DELIVERY}`,
    ValidityPeriod: '3600'
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: 'SM1' })
  const long = smsText(hostile({ reply_code: 'abcd' }), NUMBER.number)
  t.ok(segmentsOf(long) <= 2, `${segmentsOf(long)} parts`)
  t.match(long, /Reply ACK abcd$/)
  t.notMatch(long, '🔥')
  t.notMatch(smsText(message(), '+8613812345678'), 'https:')
  const short = message({ subject: null, incident: incident({ title: 'DB down', regions: [] }) })
  t.equal(smsText(short, NUMBER.number), 'Acme CRITICAL: DB down https://app.example.com/incidents/42', 'a short title stays')
  const counted: [text: string, parts: number][] = [
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['ж'.repeat(70), 1],
    ['ж'.repeat(71), 2],
    ['a'.repeat(307), 3]
  ]
  for (const [text, parts] of counted) t.equal(segmentsOf(text), parts)
  verdicts(t, sms, NUMBER, [
    [reply(400, { code: 21211 }), 'permanent channel at once'],
    [reply(400, { code: 21610 }), 'permanent channel at once'],
    [reply(400, { code: 21614 }), 'permanent channel at once'],
    [reply(401, { code: 20003 }), 'retry', { operator: true }],
    [reply(400, { code: 21408 }), 'retry', { operator: true }],
    [reply(429, { code: 20429 }), 'retry'],
    [reply(400, { code: 30003 }), 'retry', { after_ms: 1_800_000 }],
    [reply(400, { code: 99999 }), 'permanent delivery'],
    [reply(500), 'retry']
  ])
  const none = drive(sms, message(), NUMBER, [], { at: context({ deployment: { ...deployment, twilio: null } }) })
  t.match(none.outcome, { outcome: 'permanent', operator: true, scope: 'delivery' })
  for (const number of ['0151', '+0151123456', '+49', 'abc']) t.match(sms.check?.({ number }), { path: 'number' })
  t.same(sms.normalise?.({ number: '+49 (151) 123-45678' }), { number: '+4915112345678' })
})

t.test('voice: a call says what is down and asks for one key', async (t) => {
  const { requests } = drive(voice, message({ reply_code: '1A2B' }), NUMBER, [reply(201, { sid: 'CA1' })])
  const form = new URLSearchParams(httpOf(requests[0]).body ?? '')
  t.same(form.getAll('StatusCallbackEvent'), ['initiated', 'ringing', 'answered', 'completed'])
  t.match(form.get('Twiml'), /<Say>Critical alert from Acme\. A P I dot example dot com is down\. Press 1 to acknowledge/)
  t.match(form.get('Twiml'), `action="https://app.example.com/api/v1/callbacks/twilio/voice/${DELIVERY}?workspace=`)
  for (const reply_code of ['1A2B', null]) {
    const long = callTwiml(hostile({ reply_code }), context())
    t.ok(long.length <= 4000)
    t.notMatch(long, '</b>')
  }
  t.notMatch(callTwiml(message(), context()), 'Press', 'whose number is nobody is asked for no key')
  t.equal(callTwiml(test(), context()), '<Response><Say>This is a test call from Acme.</Say></Response>')
  t.same(drive(voice, up(), NUMBER, []).outcome, { outcome: 'skipped', why: 'no_event' })
  t.equal(spoken('db.example.org at v1.2'), 'D B dot example dot org at V 1 dot 2')
})
