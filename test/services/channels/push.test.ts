/**
 * Tests of push to phones: the requests to both vendors, their answers, and the lifetime of a
 * token.
 */
import { createPublicKey } from 'node:crypto'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import t from 'tap'
import { providerToken } from '../../../services/channels/apns.ts'
import type { SendOutcome, SendReply } from '../../../services/channels/channel.ts'
import { channel } from '../../../services/channels/kinds/push.ts'
import { issuedAt } from '../../../services/channels/signed-token.ts'
import { APNS, FCM } from '../../harness/push-vendors.ts'
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
  monitor,
  NOW,
  reply,
  short,
  test,
  up
} from './messages.ts'

const IOS = { name: 'Phone', platform: 'ios', push_token: 'ab'.repeat(32), registered_at: NOW - 1000 } as const
const ANDROID = { name: 'Phone', platform: 'android', push_token: `fcm:${'A'.repeat(140)}`, registered_at: NOW - 1000 } as const
const at = (over = {}, attempt = 1) => context({ attempt, deployment: { ...deployment, apns: APNS, fcm: FCM, ...over } })
const token = reply(200, { access_token: 'ya29.secret', expires_in: 3599 })
const google = (status: string, ...details: object[]) => ({ error: { status, details } })
const code = (errorCode: string) => ({ errorCode })

t.test('apns: a push is one HTTP/2 request with the headers and fields that Apple needs', async (t) => {
  const { requests, outcome } = drive(channel, message(), IOS, [reply(200, '', { 'apns-id': DELIVERY })], { at: at() })
  const request = httpOf(requests[0])
  t.match(request, { method: 'POST', url: `https://api.push.apple.com/3/device/${IOS.push_token}`, http2: true, guarded: false })
  t.match(request.headers, {
    'apns-topic': APNS.topic,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(NOW / 1000 + 3600),
    'apns-collapse-id': INCIDENT,
    'apns-id': DELIVERY
  })
  t.ok(request.secrets.includes(IOS.push_token))
  t.ok(request.secrets.some((secret) => `bearer ${secret}` === request.headers.authorization))
  t.match(json(requests[0]), {
    aps: {
      alert: { title: '[CRITICAL] api.example.com is down', body: /HTTP 503/ },
      sound: 'default',
      'interruption-level': 'time-sensitive',
      'thread-id': monitor.id
    },
    event: 'down',
    incident_id: INCIDENT,
    incident_key: 'INC-42',
    url: 'https://app.example.com/incidents/42'
  })
  t.match(outcome, { outcome: 'delivered', provider_message_id: DELIVERY })
  t.notOk('confirmed' in outcome, 'Apple has it; the phone may not')
  const level = (what: ReturnType<typeof message>) => {
    const [sent] = drive(channel, what, IOS, [reply(200)], { at: at() }).requests
    const { aps } = json(sent)
    return [aps['interruption-level'], 'sound' in aps, httpOf(sent).headers['apns-priority']]
  }
  t.same(level(message({ incident: incident({ severity: 'info' }) })), ['active', true, '10'])
  t.same(level(up()), ['active', true, '10'])
  t.same(level(acknowledged()), ['passive', false, '5'])
  const tested = drive(channel, test(), IOS, [reply(200)], { at: at() }).requests[0]
  t.equal(httpOf(tested).headers['apns-collapse-id'], `svc-test-${DELIVERY}`)
  t.match(json(tested).aps.alert, { title: '[TEST] Notifications from Acme work.', body: 'This is a test. Nothing is broken.' })
  const sandbox = drive(channel, message(), IOS, [reply(200)], { at: at({ apns: { ...APNS, sandbox: true } }) })
  t.match(httpOf(sandbox.requests[0]).url, /^https:\/\/api\.sandbox\.push\.apple\.com\//)
})

t.test('fcm: a token of the account is requested first, then the message is sent', async (t) => {
  const name = 'projects/alerts-1234/messages/1'
  const { requests, outcome } = drive(channel, message(), ANDROID, [token, reply(200, { name })], { at: at() })
  const [asked, sent] = requests.map(httpOf)
  t.match(asked, { url: 'https://oauth2.googleapis.com/token', reuse: { for_ms: 3_300_000 } })
  const form = new URLSearchParams(asked?.body ?? '')
  t.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  t.match(sent, {
    url: `https://fcm.googleapis.com/v1/projects/${FCM.project_id}/messages:send`,
    headers: { authorization: 'Bearer ya29.secret' },
    secrets: [ANDROID.push_token, 'ya29.secret'],
    http2: true
  })
  t.match(json(sent), {
    message: {
      token: ANDROID.push_token,
      notification: { title: '[CRITICAL] api.example.com is down', body: /HTTP 503/ },
      data: { event: 'down', incident_id: INCIDENT, severity: 'critical' },
      android: { priority: 'high', ttl: '3600s', collapse_key: INCIDENT, notification: { channel_id: 'critical', tag: INCIDENT } }
    }
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: name })
  const quiet = drive(channel, up(), ANDROID, [token, reply(200, { name })], { at: at() })
  t.match(
    json(quiet.requests[1]).message,
    { android: { priority: 'normal', notification: { tag: INCIDENT } } },
    'in the place of the first'
  )
})

t.test('any text fits into the payload limits of both push vendors', async (t) => {
  const worst = 'é"\\\n'.repeat(5000)
  for (const what of [hostile(), message({ incident: incident({ title: worst, summary: worst }), subject: null, failure: null })])
    for (const [device, replies] of [
      [IOS, [reply(200)]],
      [ANDROID, [token, reply(200, { name: 'x' })]]
    ] as const) {
      const { requests } = drive(channel, what, device, [...replies], { at: at() })
      const body = httpOf(requests.at(-1)).body ?? ''
      t.ok(Buffer.byteLength(body) <= 4096, `${device.platform}: ${Buffer.byteLength(body)} bytes`)
      const { title, body: text } = device.platform === 'ios' ? JSON.parse(body).aps.alert : JSON.parse(body).message.notification
      t.ok(title.length > 0 && text.length > 0 && !title.includes('\n'))
    }
})

t.test('answers of Apple and their outcomes', async (t) => {
  const table: [answer: SendReply, verdict: string, also?: Partial<SendOutcome>][] = [
    [reply(400, { reason: 'BadDeviceToken' }), 'permanent channel at once'],
    [reply(400, { reason: 'DeviceTokenNotForTopic' }), 'permanent channel at once'],
    [reply(410, { reason: 'Unregistered', timestamp: NOW }), 'permanent channel at once'],
    [reply(410, { reason: 'ExpiredToken', timestamp: NOW }), 'permanent channel at once'],
    [reply(410, { reason: 'Unregistered' }), 'permanent channel at once'],
    [reply(410, { reason: 'Unregistered', timestamp: NOW - 60_000 }), 'retry'],
    [reply(403, { reason: 'InvalidProviderToken' }), 'retry', { operator: true, after_ms: 60_000 }],
    [reply(403, { reason: 'ExpiredProviderToken' }), 'retry', { operator: true }],
    [reply(400, { reason: 'TopicDisallowed' }), 'retry', { operator: true }],
    [reply(429, { reason: 'TooManyProviderTokenUpdates' }), 'retry', { operator: true, after_ms: 1_200_000 }],
    [reply(429, { reason: 'TooManyRequests' }), 'retry'],
    [reply(413, { reason: 'PayloadTooLarge' }), 'permanent delivery'],
    [reply(400, { reason: 'BadMessageId' }), 'permanent delivery'],
    [reply(500, { reason: 'InternalServerError' }), 'retry'],
    [reply(503, { reason: 'Shutdown' }), 'retry'],
    [reply(302), 'permanent delivery'],
    [reply(204), 'retry', { ambiguous: true }]
  ]
  for (const [answer, verdict, also] of table) {
    const { outcome } = drive(channel, message(), IOS, [answer], { at: at() })
    t.equal(short(outcome), verdict, `${answer.status} ${answer.body}`)
    t.equal('operator' in outcome, also !== undefined && 'operator' in also)
    if (also) t.match(outcome, also)
  }
  const third = drive(channel, message(), IOS, [reply(403, { reason: 'InvalidProviderToken' })], { at: at({}, 3) })
  t.match(third.outcome, { outcome: 'permanent', scope: 'delivery', operator: true }, 'then the next method of the person')
  t.match(drive(channel, message(), IOS, [], { at: at({ apns: null }) }).outcome, { outcome: 'permanent', operator: true })
})

t.test('answers of Google and their outcomes', async (t) => {
  const violation = (field: string) => ({ fieldViolations: [{ field }] })
  const table: [answer: SendReply, verdict: string, also?: Partial<SendOutcome>][] = [
    [reply(404, google('NOT_FOUND', code('UNREGISTERED'))), 'permanent channel at once'],
    [reply(403, google('PERMISSION_DENIED', code('SENDER_ID_MISMATCH'))), 'permanent channel at once'],
    [reply(400, google('INVALID_ARGUMENT', code('INVALID_ARGUMENT'), violation('message.token'))), 'permanent channel at once'],
    [reply(400, google('INVALID_ARGUMENT', violation('message.data'))), 'permanent delivery'],
    [reply(401, google('UNAUTHENTICATED', code('THIRD_PARTY_AUTH_ERROR'))), 'retry', { operator: true }],
    [reply(403, google('PERMISSION_DENIED')), 'retry', { operator: true }],
    [reply(404, google('NOT_FOUND')), 'retry', { operator: true }],
    [reply(429, google('RESOURCE_EXHAUSTED', code('QUOTA_EXCEEDED'))), 'retry', { after_ms: 10_000 }],
    [reply(503, google('UNAVAILABLE'), { 'retry-after': '30' }), 'retry', { after_ms: 30_000 }],
    [reply(500, '<html>'), 'retry', { after_ms: 10_000 }],
    [reply(200, '<html>'), 'retry', { ambiguous: true }]
  ]
  for (const [answer, verdict, also] of table) {
    const { outcome } = drive(channel, message(), ANDROID, [token, answer], { at: at() })
    t.equal(short(outcome), verdict, `${answer.status} ${answer.body}`)
    t.equal('operator' in outcome, also !== undefined && 'operator' in also)
    if (also) t.match(outcome, also)
  }
  const denied = reply(401, google('UNAUTHENTICATED'))
  const again = drive(channel, message(), ANDROID, [token, denied, token, reply(200, { name: 'x' })], { at: at() })
  t.match(again.requests.map(httpOf), [{ reuse: { key: String } }, {}, { reuse: { again: true } }, {}])
  t.match(again.outcome, { outcome: 'delivered' }, 'by another access token')
  t.match(drive(channel, message(), ANDROID, [token, denied, token, denied], { at: at() }).outcome, { outcome: 'retry', operator: true })
  t.match(drive(channel, message(), ANDROID, [reply(400, { error: 'invalid_grant' })], { at: at() }).outcome, { operator: true })
  t.equal(short(drive(channel, message(), ANDROID, [reply(503)], { at: at() }).outcome), 'retry')
  t.match(drive(channel, message(), ANDROID, [], { at: at({ fcm: null }) }).outcome, { outcome: 'permanent', operator: true })
})

t.test('an independent library accepts our push tokens, and each is reused for a limited time', async (t) => {
  const key = createPublicKey(APNS.private_key)
  const signed = providerToken(APNS, NOW)
  const { payload } = await jwtVerify(signed, key, { algorithms: ['ES256'], issuer: APNS.team_id, currentDate: new Date(NOW) })
  t.same(decodeProtectedHeader(signed), { alg: 'ES256', kid: APNS.key_id })
  t.same(Object.keys(payload).sort(), ['iat', 'iss'])
  for (let minute = 0; minute < 120; minute++) {
    const now = NOW + minute * 60_000 + 59_999
    const age = now / 1000 - issuedAt(now, 1800)
    t.ok(age >= 60 && age < 1861, `${age} s old in minute ${minute}`)
  }
  t.equal(providerToken(APNS, NOW + 60_000), providerToken(APNS, NOW + 60_001))
  t.not(providerToken(APNS, NOW), providerToken(APNS, NOW + 1_800_000))
  t.not(providerToken({ ...APNS, team_id: 'TEAM999999' }, NOW), signed)

  const { requests } = drive(channel, message(), ANDROID, [token, reply(200, { name: 'x' })], { at: at() })
  const assertion = new URLSearchParams(httpOf(requests[0]).body ?? '').get('assertion') ?? ''
  const google = await jwtVerify(assertion, createPublicKey(FCM.private_key), {
    algorithms: ['RS256'],
    issuer: FCM.client_email,
    audience: 'https://oauth2.googleapis.com/token',
    currentDate: new Date(NOW)
  })
  t.match(google.payload, { scope: 'https://www.googleapis.com/auth/firebase.messaging', exp: (google.payload.iat ?? 0) + 1800 })
  t.ok(httpOf(requests[0]).secrets.includes(assertion))
})
