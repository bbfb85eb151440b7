/** Tests of the generic webhook: payloads, headers, signatures and the meaning of answers. */
import { execFileSync } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import t from 'tap'
import { channel } from '../../../services/channels/kinds/webhook.ts'
import { serviceSignature, standardSignature } from '../../../services/channels/signature.ts'
import {
  acknowledged,
  context,
  drive,
  heartbeat,
  hostile,
  httpOf,
  json,
  message,
  monitor,
  NOW,
  reply,
  short,
  test,
  up
} from './messages.ts'

const settings = { url: 'https://hooks.example.com/in' }
const sent = (what = message(), config: Parameters<typeof channel.steps>[1] = settings) => drive(channel, what, config, [reply(204)])

t.test('webhook signatures equal the test vectors of the design', async (t) => {
  t.equal(
    serviceSignature(['s3cret-s3cret-s3cret'], 1_700_000_000, '{"event":"test"}'),
    't=1700000000,v1=5064bf827c1f46a424c63a59626fe8f0ccdf582ba756dca473c412ebbe538149'
  )
  t.equal(
    serviceSignature(['s3cr3t-for-tests'], 1_767_225_600, '{"id":"0b7c2a5e-5d0c-4a52-9a55-6b1d1f6c2a10","type":"test"}'),
    't=1767225600,v1=9086a019b08d6cf0d768bc79def8eaadc1947b4f952649d8d085c16f897c44d2'
  )
  t.equal(
    standardSignature(
      ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
      'msg_test1',
      1_767_225_600,
      '{"id":"0b7c2a5e-5d0c-4a52-9a55-6b1d1f6c2a10","type":"test"}'
    ),
    'v1,Bhs0NWxgIqz1uDndKUmFAb/MO4bzczjaLTDnX9OAJwc='
  )
  t.equal(standardSignature(['s3cret-s3cret-s3cret'], 'a', 1, ''), null)
})

t.test('openssl computes the same signature over the bytes that are sent', async (t) => {
  const { requests } = sent(hostile(), { ...settings, secret: 'a secret with "quotes"'.replaceAll(' ', '-') })
  const { headers, body } = httpOf(requests[0])
  const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] ?? '') ?? []
  const out = execFileSync('openssl', ['dgst', '-sha256', '-hmac', 'a-secret-with-"quotes"'], {
    input: `${seconds}.${body}`,
    encoding: 'utf8'
  })
  t.equal(out.trim().split(' ').at(-1), given)
})

t.test('webhook payloads of a monitor that goes down and up', async (t) => {
  const down = sent()
  const { url, headers, guarded } = httpOf(down.requests[0])
  t.equal(url, settings.url)
  t.equal(guarded, true)
  t.equal(headers['x-service-event'], 'monitor.down')
  t.equal(headers['x-service-delivery'], message().delivery_id)
  t.equal(headers['x-service-event-id'], message().event_id)
  t.equal(headers['x-service-attempt'], '1')
  t.equal(headers['x-service-timestamp'], String(NOW / 1000))
  t.equal(headers['user-agent'], 'service-webhooks/1')
  t.notOk('x-service-signature' in headers, 'no secret, no header')
  const body = json(down.requests[0])
  t.match(body, {
    event: 'monitor.down',
    monitor_id: monitor.id,
    monitor: { id: monitor.id, name: 'api.example.com', type: 'http', dashboard_url: monitor.url },
    status: 'down',
    severity: 'critical',
    region: 'eu-west',
    affected_regions: ['eu-west', 'us-east'],
    reason: 'http_status',
    http_status: 503,
    incident: { key: 'INC-42', status: 'ongoing', resolved_at: null },
    test: false
  })
  t.notOk('heartbeat_id' in body)
  t.same(down.outcome, { outcome: 'delivered', confirmed: true })

  const after = json(sent(up()).requests[0])
  t.match(after, { event: 'monitor.up', severity: 'info', status: 'up', duration_seconds: 250, incident: { status: 'resolved' } })
})

t.test('the webhook payload of a missed heartbeat has a heartbeat_id and an empty monitor_id', async (t) => {
  const down = json(sent(message({ subject: heartbeat })).requests[0])
  t.match(down, {
    event: 'monitor.down',
    monitor_id: '',
    heartbeat_id: heartbeat.id,
    status: 'missed',
    heartbeat: { name: 'nightly-backup', slug: 'nightly-backup', last_ping_at: '2025-12-31T00:00:00.000Z' }
  })
  t.notOk('monitor' in down)
  t.match(json(sent(up({ subject: heartbeat })).requests[0]), {
    event: 'monitor.up',
    monitor_id: '',
    heartbeat_id: heartbeat.id,
    status: 'up'
  })
})

t.test('an incident without a monitor sends incident.created and incident.resolved', async (t) => {
  const down = json(sent(message({ subject: null })).requests[0])
  t.equal(down.event, 'incident.created')
  t.equal(down.monitor_id, '')
  t.notOk('heartbeat_id' in down)
  t.notOk('status' in down)
  t.equal(json(sent(up({ subject: null })).requests[0]).event, 'incident.resolved')
  t.equal(json(sent(acknowledged()).requests[0]).event, 'incident.acknowledged')
})

t.test('webhook payloads of an expiring certificate and of a test', async (t) => {
  const certificate = {
    host: 'api.example.com',
    subject: 'CN=api',
    issuer: 'CN=CA',
    not_after: NOW + 13 * 86_400_000,
    days_left: 13,
    threshold_days: 14
  }
  t.match(json(sent(message({ event: 'ssl_expiry', incident: null, failure: null, certificate })).requests[0]), {
    event: 'monitor.ssl_expiry',
    severity: 'warning',
    status: 'up',
    incident: null,
    certificate: { host: 'api.example.com', days_left: 13, threshold_days: 14, not_after: '2026-01-14T00:00:00.000Z' }
  })
  t.match(json(sent(test()).requests[0]), {
    event: 'test',
    monitor_id: '',
    incident: null,
    test: true,
    severity: 'info',
    monitor: { id: '' }
  })
})

t.test('events that the webhook format does not have are skipped', async (t) => {
  for (const event of ['degraded', 'maintenance', 'status_page'] as const)
    t.same(drive(channel, message({ event }), settings, []).outcome, { outcome: 'skipped', why: 'no_event' })
})

t.test('the webhook body stays the same over retries, its signature changes', async (t) => {
  const config = { ...settings, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }
  const first = httpOf(drive(channel, message(), config, [reply(500)]).requests[0])
  const later = httpOf(
    drive(channel, message(), config, [reply(200)], { at: context({ now: NOW + 9 * 3_600_000, attempt: 5 }) }).requests[0]
  )
  t.equal(first.body, later.body)
  t.not(first.headers['x-service-signature'], later.headers['x-service-signature'])
  t.equal(later.headers['x-service-attempt'], '5')
  const key = Buffer.from('C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'base64')
  const signed = `${later.headers['webhook-id']}.${later.headers['webhook-timestamp']}.${later.body}`
  t.equal(later.headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
})

t.test('while a secret rotates, both secrets sign, the new one first', async (t) => {
  const config = {
    ...settings,
    secret: 'new-secret-new-secret',
    secret_previous: 'old-secret-old-secret',
    secret_previous_expires_at: new Date(NOW + 1).toISOString()
  }
  const { headers, body, secrets } = httpOf(sent(message(), config).requests[0])
  const mac = (secret: string) =>
    createHmac('sha256', secret)
      .update(`${NOW / 1000}.${body}`)
      .digest('hex')
  t.equal(headers['x-service-signature'], `t=${NOW / 1000},v1=${mac(config.secret)},v1=${mac(config.secret_previous)}`)
  t.ok(timingSafeEqual(Buffer.from(mac(config.secret)), Buffer.from(mac(config.secret))))
  t.same(secrets, [config.secret, config.secret_previous])
  const over = httpOf(sent(message(), { ...config, secret_previous_expires_at: new Date(NOW).toISOString() }).requests[0])
  t.equal(over.headers['x-service-signature']?.match(/v1=/g)?.length, 1)
})

t.test('a webhook payload with hostile and long texts stays within 20 KB', async (t) => {
  const labels = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`label-${at}`, 'ü'.repeat(300)]))
  const { requests } = sent(hostile({ subject: { ...monitor, labels, tags: Array.from({ length: 50 }, () => 'x'.repeat(60)) } }))
  const { body } = httpOf(requests[0])
  t.ok(Buffer.byteLength(body ?? '') <= 20_000)
  t.equal(json(requests[0]).monitor_id, monitor.id)
  t.notOk(body?.includes('\\u0007'), 'no control characters')
})

t.test('custom webhook headers are sent and treated as secrets', async (t) => {
  const { requests } = sent(message(), {
    url: settings.url,
    url_query: 'token=abc',
    headers: [{ name: 'Authorization', value: 'Bearer x' }]
  })
  const { url, headers, secrets } = httpOf(requests[0])
  t.equal(url, `${settings.url}?token=abc`)
  t.equal(headers.authorization, 'Bearer x')
  t.same(secrets, ['token=abc', 'Bearer x'])
})

t.test('webhook answers and their outcomes', async (t) => {
  const table: [status: number, headers: Record<string, string>, verdict: string, after?: number][] = [
    [200, {}, 'delivered'],
    [204, {}, 'delivered'],
    [302, {}, 'permanent delivery'],
    [400, {}, 'permanent delivery'],
    [413, {}, 'permanent delivery'],
    [422, {}, 'permanent delivery'],
    [401, {}, 'permanent channel'],
    [403, {}, 'permanent channel'],
    [404, {}, 'permanent channel'],
    [410, {}, 'permanent channel at once'],
    [408, {}, 'retry'],
    [425, {}, 'retry'],
    [429, { 'retry-after': '30' }, 'retry', 30_000],
    [503, { 'retry-after': new Date(NOW + 60_000).toUTCString() }, 'retry', 60_000],
    [500, {}, 'retry']
  ]
  for (const [status, headers, verdict, after] of table) {
    const { outcome } = drive(channel, message(), settings, [reply(status, 'no', headers)])
    t.equal(short(outcome), verdict, String(status))
    if (after !== undefined) t.match(outcome, { after_ms: after })
  }
  t.match(drive(channel, message(), settings, [reply(429, '', { 'retry-after': '7200' })]).outcome, { quota: true, after_ms: 7_200_000 })
})

t.test('accepted and refused webhook addresses and headers', async (t) => {
  const table: [config: Parameters<typeof channel.steps>[1], path: string | null][] = [
    [settings, null],
    [{ url: 'https://hooks.example.com:8443/in?x=1' }, null],
    [{ url: 'ftp://hooks.example.com/' }, 'url'],
    [{ url: 'hooks.example.com' }, 'url'],
    [{ url: 'https://user:pw@hooks.example.com/' }, 'url'],
    [{ url: 'https://hooks.example.com/#x' }, 'url'],
    [{ url: 'https://hooks.example.com:6379/' }, 'url'],
    [{ url: 'https://hooks.example.com/ x' }, 'url'],
    [{ ...settings, headers: [{ name: 'Host', value: 'a' }] }, 'headers[0].name'],
    [
      {
        ...settings,
        headers: [
          { name: 'X-A', value: 'a' },
          { name: 'x-service-event', value: 'a' }
        ]
      },
      'headers[1].name'
    ],
    [
      {
        ...settings,
        headers: [
          { name: 'X-A', value: 'a' },
          { name: 'x-a', value: 'b' }
        ]
      },
      'headers[1].name'
    ]
  ]
  for (const [config, path] of table) t.equal(channel.check?.(config)?.path ?? null, path, JSON.stringify(config))
  t.same(channel.normalise?.({ url: 'https://a.example.com/x?token=1' }), { url: 'https://a.example.com/x', url_query: 'token=1' })
})
