/** Tests of Zendesk: tickets by its API v2, and the meaning of its answers. */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/zendesk.ts'
import { acknowledged, context, DELIVERY, drive, hostile, httpOf, INCIDENT, incident, json, message, reply, test, up } from './messages.ts'
import { faultyFields, oneTicket, otherAccount, type Vendor } from './tickets.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { subdomain: 'acme', email: 'agent@example.com', api_token: 'zd0123456789abcdef' }
const ref = { ticket_id: '42', site: 'acme' }
const one = reply(201, { ticket: { id: 42 } })
const changed = reply(200, { ticket: { id: 42 } })
const ROOT = 'https://acme.zendesk.com/api/v2/tickets'
const invalid = (words: string) => reply(422, { error: 'RecordInvalid', details: { base: [{ description: words }] } })

t.test('each incident gets one ticket in Zendesk', async (t) => {
  const vendor: Vendor = {
    ref,
    opened: one,
    found: reply(200, { tickets: [{ id: 42 }], count: 1 }),
    none: reply(200, { tickets: [], count: 0 }),
    noted: changed,
    gone: reply(404, { error: 'RecordNotFound' }),
    ended: [changed],
    opens_from: 0
  }
  oneTicket(t, channel, CONFIG, vendor)
  otherAccount(t, channel, CONFIG, vendor)
})

t.test('requests to Zendesk for a failure, an acknowledgement and an end', async (t) => {
  const { requests } = drive(channel, message(), CONFIG, [one])
  t.match(httpOf(requests[0]), {
    method: 'POST',
    url: `${ROOT}.json`,
    headers: {
      authorization: `Basic ${Buffer.from('agent@example.com/token:zd0123456789abcdef').toString('base64')}`,
      accept: 'application/json',
      'idempotency-key': DELIVERY
    },
    guarded: true
  })
  t.match(json(requests[0]).ticket, {
    subject: '[CRITICAL] api.example.com is down',
    comment: { body: /^HTTP 503\n.*\nhttps:\/\/app\.example\.com\/incidents\/42$/s, public: false },
    priority: 'urgent',
    type: 'incident',
    external_id: `svc-inc-${INCIDENT}`
  })
  const looked = drive(channel, message(), CONFIG, [reply(200, { tickets: [{ id: 42 }] })], { at: context({ doubtful: true, attempt: 2 }) })
  t.equal(httpOf(looked.requests[0]).url, `${ROOT}.json?external_id=svc-inc-${INCIDENT}`)
  const ack = drive(channel, acknowledged(), CONFIG, [changed], { ref })
  t.match(httpOf(ack.requests[0]), { method: 'PUT', url: `${ROOT}/42.json` })
  t.same(json(ack.requests[0]), { ticket: { comment: { body: 'Acknowledged by Jo Doe.', public: false }, status: 'open' } })
  t.match(json(drive(channel, up(), CONFIG, [changed], { ref }).requests[0]), { ticket: { status: 'solved', comment: { public: false } } })
  for (const [severity, priority] of [
    ['warning', 'normal'],
    ['info', 'low']
  ] as const)
    t.equal(json(drive(channel, message({ incident: incident({ severity }) }), CONFIG, [one]).requests[0]).ticket.priority, priority)
  const long = json(drive(channel, hostile(), CONFIG, [one]).requests[0]).ticket
  t.ok([...long.subject].length <= 150 && [...long.comment.body].length <= 4200)
})

t.test('a closed Zendesk ticket is skipped, and one that cannot be solved gets a note', async (t) => {
  const closed = reply(422, { details: { status: [{ description: 'Status: closed prevents ticket update' }] } })
  t.same(drive(channel, up(), CONFIG, [closed], { ref }).outcome, { outcome: 'skipped', why: 'ticket_closed' })
  t.same(drive(channel, acknowledged(), CONFIG, [closed], { ref }).outcome, { outcome: 'skipped', why: 'ticket_closed' })
  const end = drive(channel, up(), CONFIG, [invalid('Assignee: is required'), changed], { ref })
  t.same(end.outcome, { outcome: 'delivered' })
  t.match(json(end.requests[1]).ticket, { comment: { body: /could not be ended from here.*Assignee/s, public: false } })
  t.notOk('status' in json(end.requests[1]).ticket)
  t.match(drive(channel, acknowledged(), CONFIG, [invalid('no')], { ref }).outcome, { outcome: 'permanent', scope: 'delivery' })
  t.match(drive(channel, test(), CONFIG, [one, invalid('Assignee')]).outcome, { outcome: 'permanent', scope: 'delivery' })
  t.same(drive(channel, test(), CONFIG, [one, changed]).outcome, { outcome: 'delivered' })
})

t.test('answers of Zendesk and their outcomes', async (t) => {
  verdicts(t, channel, CONFIG, [
    [reply(201, {}), 'retry', { ambiguous: true }],
    [reply(400), 'permanent delivery'],
    [reply(401, { error: "Couldn't authenticate you" }), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(409), 'retry'],
    [reply(413), 'permanent delivery'],
    [invalid('no'), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '93' }), 'retry', { after_ms: 93_000 }],
    [reply(500), 'retry', { ambiguous: true }],
    [reply(503, '', { 'retry-after': '20' }), 'retry', { after_ms: 20_000 }]
  ])
})

t.test('accepted and refused settings of Zendesk', async (t) => {
  faultyFields(t, channel, [
    [CONFIG, null],
    [{ ...CONFIG, subdomain: 'https://acme.zendesk.com/agent' }, null],
    [{ ...CONFIG, subdomain: 'help.example.com' }, 'subdomain'],
    [{ ...CONFIG, subdomain: '[::1]' }, 'subdomain'],
    [{ ...CONFIG, email: 'a:b@example.com' }, 'email']
  ])
})
