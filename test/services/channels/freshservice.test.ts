/** Tests of Freshservice: tickets by its API v2, and the meaning of its answers. */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/freshservice.ts'
import { acknowledged, context, drive, hostile, httpOf, INCIDENT, incident, json, message, reply, test, up } from './messages.ts'
import { faultyFields, oneTicket, otherAccount, type Vendor } from './tickets.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { domain: 'acme', api_key: 'fs0123456789abcdef', requester_email: 'ops@example.com' }
const ref = { ticket_id: '42', site: 'acme' }
const one = reply(201, { ticket: { id: 42, status: 2 } })
const changed = reply(200, { ticket: { id: 42, status: 4 } })
const noted = reply(201, { conversation: { id: 7 } })
const ROOT = 'https://acme.freshservice.com/api/v2/tickets'
const TAG = INCIDENT.replaceAll('-', '')
const wants = reply(400, { description: 'Validation failed', errors: [{ field: 'resolution_notes', message: 'x', code: 'missing_field' }] })

t.test('each incident gets one ticket in Freshservice', async (t) => {
  const vendor: Vendor = {
    ref,
    opened: one,
    found: reply(200, { tickets: [{ id: 42 }], total: 1 }),
    none: reply(200, { tickets: [], total: 0 }),
    noted,
    gone: reply(404),
    ended: [changed, noted],
    opens_from: 4
  }
  oneTicket(t, channel, CONFIG, vendor)
  otherAccount(t, channel, CONFIG, vendor)
  t.match(
    drive(channel, up(), CONFIG, [reply(200, { tickets: [] })]).outcome,
    { outcome: 'retry', after_ms: 120_000 },
    'an end waits for it, too'
  )
})

t.test('requests to Freshservice for a failure, an acknowledgement and an end', async (t) => {
  const { requests } = drive(channel, message(), CONFIG, [one])
  t.match(httpOf(requests[0]), {
    method: 'POST',
    url: ROOT,
    headers: { authorization: `Basic ${Buffer.from('fs0123456789abcdef:X').toString('base64')}` },
    guarded: true
  })
  t.ok(httpOf(requests[0]).secrets.includes(CONFIG.api_key))
  t.match(json(requests[0]), {
    email: 'ops@example.com',
    subject: '[CRITICAL] api.example.com is down',
    status: 2,
    priority: 4,
    source: 2,
    tags: [TAG],
    description: /^<p>HTTP 503<\/p>.*<a href="https:\/\/app\.example\.com\/incidents\/42">/
  })
  t.equal(TAG.length, 32)
  const looked = drive(channel, message(), CONFIG, [reply(200, { tickets: [{ id: 42 }] })], { at: context({ doubtful: true, attempt: 2 }) })
  t.equal(new URL(httpOf(looked.requests[0]).url).searchParams.get('query'), `"tag:'${TAG}'"`)
  const ack = drive(channel, acknowledged(), CONFIG, [noted], { ref })
  t.equal(httpOf(ack.requests[0]).url, `${ROOT}/42/notes`)
  t.same(json(ack.requests[0]), { body: '<p>Acknowledged by Jo Doe.</p>', private: true })
  const end = drive(channel, up(), CONFIG, [changed, noted], { ref })
  t.match(httpOf(end.requests[0]), { method: 'PUT', url: `${ROOT}/42` })
  t.same(json(end.requests[0]), { status: 4 })
  for (const [severity, priority] of [
    ['warning', 2],
    ['info', 1]
  ] as const)
    t.equal(json(drive(channel, message({ incident: incident({ severity }) }), CONFIG, [one]).requests[0]).priority, priority)
  const long = json(drive(channel, hostile(), CONFIG, [one]).requests[0])
  t.ok([...long.subject].length <= 255)
  t.notMatch(long.description, '</b>', 'HTML of others is text')
})

t.test('an end that Freshservice refuses for a missing field becomes a note', async (t) => {
  const end = drive(channel, up(), CONFIG, [wants, noted], { ref })
  t.same(end.outcome, { outcome: 'delivered' })
  t.match(json(end.requests[1]).body, /could not be ended from here.*resolution_notes/)
  t.match(drive(channel, test(), CONFIG, [one, wants]).outcome, { outcome: 'permanent', scope: 'delivery' })
  t.same(drive(channel, test(), CONFIG, [one, changed]).outcome, { outcome: 'delivered' })
})

t.test('answers of Freshservice and their outcomes', async (t) => {
  verdicts(t, channel, CONFIG, [
    [wants, 'permanent delivery', { user_text: 'Freshservice refused these fields of the ticket: resolution_notes.' } as never],
    [reply(201, {}), 'retry', { ambiguous: true }],
    [reply(200, '<html>'), 'retry'],
    [reply(400), 'permanent delivery'],
    [reply(401), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(413), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '30' }), 'retry', { after_ms: 30_000 }],
    [reply(500), 'retry', { ambiguous: true }]
  ])
})

t.test('accepted and refused settings of Freshservice', async (t) => {
  faultyFields(t, channel, [
    [CONFIG, null],
    [{ ...CONFIG, domain: 'acme.freshservice.com' }, null],
    [{ ...CONFIG, domain: 'support.example.com' }, 'domain'],
    [{ ...CONFIG, domain: '127.0.0.1' }, 'domain'],
    [{ ...CONFIG, requester_email: 'nobody' }, 'requester_email']
  ])
})
