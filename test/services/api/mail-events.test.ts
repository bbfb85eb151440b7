/**
 * Tests of bounced mails and complaints of readers. The mail provider reports them under its
 * signature; each is processed once, and stored where it has an effect.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import type { MailRequest } from '../../../services/channels/channel.ts'
import { mailEventsOf } from '../../../services/channels/mail-events.ts'
import { mailIdIn, mailIdText } from '../../../services/channels/mail-ids.ts'
import type { Senders } from '../../../services/delivery/perform.ts'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { channel, isQuiet, ledger, localSenders, notifier } from '../notifier/channels.ts'
import { person } from './people.ts'
import { asks, phone } from './phoning.ts'
import { type Stand, stand } from './stand.ts'

const KEY = 'key-0123456789abcdef'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PUBLIC = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const id = (nth: number): string => `01890000-0000-7000-8000-00000000000${nth}`
const OURS = `<inc.${id(1)}.${id(2)}.${id(3)}@mail.test>`

const seconds = (): string => String(Math.floor(Date.now() / 1000))

function mailgun(event: object, { key = KEY, timestamp = seconds(), token = Math.random().toString(36) } = {}): string {
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex')
  return JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event })
}

const failed = (message_id: string, recipient: string, more: object = {}) => ({
  id: `ev-${message_id}`.slice(0, 60),
  event: 'failed',
  severity: 'permanent',
  reason: 'bounce',
  recipient,
  message: { headers: { 'message-id': message_id.replace(/[<>]/g, '') } },
  'delivery-status': { code: 550, message: '5.1.1 no such mailbox' },
  ...more
})

function sendgrid(events: object[], timestamp = seconds()): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(events)
  return {
    body,
    headers: {
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), privateKey).toString('base64')
    }
  }
}

t.test('ids of our mails are parsed, and other ids are not', async (t) => {
  const [tenant_id, incident_id] = [id(3), id(1)]
  for (const one of [
    { tenant_id, incident_id, of: { target_id: id(4) } },
    { tenant_id, incident_id, of: { delivery_id: id(2) } },
    { tenant_id, incident_id: null, of: { delivery_id: id(2) } }
  ]) {
    t.same(mailIdIn(mailIdText(one, 'mail.test')), one)
    t.same(mailIdIn(mailIdText(one, 'mail.test').slice(1, -1)), one, 'without its brackets')
  }
  for (const strange of ['', '<x@y>', `<${id(1)}@mail.test>`, `<inc.${id(1)}.open.${id(2)}@mail.test>`, `${OURS} ${OURS}`])
    t.equal(mailIdIn(strange), null, strange)
})

t.test('delivery events of Mailgun and SendGrid', async (t) => {
  const now = Date.now()
  const nothing = { header: () => '', now }
  const ofMailgun = (body: string) => mailEventsOf('mailgun', ['other', KEY], { ...nothing, body: Buffer.from(body) })
  t.match(ofMailgun(mailgun(failed(OURS, 'a@example.test'))), [
    { what: 'bounced', recipient: 'a@example.test', why: '5.1.1 no such mailbox', mail: { tenant_id: id(3) } }
  ])
  for (const [more, what] of [
    [{ event: 'complained' }, 'complaint'],
    [{ 'delivery-status': { code: 552, message: '5.3.4 too large' } }, 'refused'],
    [{ 'delivery-status': { code: 550, message: '5.7.1 content refused' } }, 'refused'],
    [{ reason: 'old' }, 'refused'],
    [{ reason: 'suppress-bounce', 'delivery-status': { code: 605, message: 'Not delivering to previously bounced address' } }, 'bounced']
  ] as const)
    t.match(ofMailgun(mailgun(failed(OURS, 'a@example.test', more))), [{ what }], JSON.stringify(more))
  t.same(ofMailgun(mailgun(failed(OURS, 'a@example.test', { severity: 'temporary' }))), [], 'it tries again')
  t.same(ofMailgun(mailgun(failed(OURS, 'a@example.test', { event: 'opened' }))), [])
  t.same(ofMailgun(mailgun(failed('<x@elsewhere>', 'a@example.test'))), [], 'no mail of ours')
  for (const body of [
    mailgun(failed(OURS, 'a'), { key: 'another-key-0123' }),
    mailgun(failed(OURS, 'a'), { timestamp: String(Math.floor(now / 1000) - 86_401) }),
    mailgun(failed(OURS, 'a'), { token: '' }),
    '[]',
    '{',
    '{"signature":{"timestamp":1,"token":"x","signature":"y"}}',
    JSON.stringify({ signature: { timestamp: seconds(), token: 'x', signature: 'é'.repeat(64) } })
  ])
    t.equal(ofMailgun(body), null, body.slice(0, 80))

  const event = {
    sg_event_id: 'e1',
    'smtp-id': OURS,
    email: 'a@example.test',
    event: 'bounce',
    type: 'bounce',
    reason: '550 no',
    status: '5.1.1'
  }
  const ofSendgrid = ({ body, headers }: ReturnType<typeof sendgrid>, keys = [PUBLIC]) =>
    mailEventsOf('sendgrid', keys, { header: (name) => headers[name] ?? '', body: Buffer.from(body), now })
  t.match(ofSendgrid(sendgrid([event, { ...event, event: 'delivered' }, { ...event, event: 'spamreport' }, null as never])), [
    { event_id: 'e1', what: 'bounced', why: '550 no' },
    { what: 'complaint' }
  ])
  for (const [more, what] of [
    [{ type: 'blocked' }, 'refused'],
    [{ status: '5.2.2' }, 'refused'],
    [{ event: 'dropped', reason: 'Bounced Address' }, 'bounced'],
    [{ event: 'dropped', reason: 'Spam Reporting Address' }, 'complaint'],
    [{ event: 'dropped', reason: 'Spam Content' }, 'complaint']
  ] as const)
    t.match(ofSendgrid(sendgrid([{ ...event, ...more }])), [{ what }], JSON.stringify(more))
  const good = sendgrid([event])
  t.equal(ofSendgrid({ ...good, body: good.body.replace('550', '551') }), null, 'another body')
  t.equal(ofSendgrid(sendgrid([event], String(Math.floor(now / 1000) - 86_401))), null, 'too old')
  t.equal(ofSendgrid(good, []), null, 'no key')
  t.equal(ofSendgrid({ ...good, headers: {} }), null)
})

interface Mailing {
  s: Stand
  mails: MailRequest[]
  call(provider: string, body: string, headers?: Record<string, string>): Promise<{ statusCode: number; json(): { code: string } }>
}

/** `unknown`: the mailbox that the mail server does not know. */
async function mailing(t: Teardown, unknown?: string): Promise<Mailing> {
  const s = await stand(t, { jobs: true, config: { mailgunSigningKeys: [KEY], sendgridPublicKeys: [PUBLIC] } })
  const mails: MailRequest[] = []
  const mail: Senders['mail'] = {
    async send(request) {
      mails.push(request)
      if (request.to === unknown) return { status: 550, headers: { command: 'RCPT TO' }, body: 'no such mailbox' }
      return { status: 250, headers: {}, body: 'ok' }
    }
  }
  notifier(t, s, { senders: { ...localSenders(), mail } })
  return {
    s,
    mails,
    call: (provider, body, headers = {}) =>
      s.app.inject({
        method: 'POST',
        url: `/api/v1/callbacks/email/${provider}`,
        headers: { 'content-type': 'application/json', ...headers },
        payload: body
      })
  }
}

const idOf = (mail: MailRequest | undefined): string => mail?.headers['Message-ID'] ?? ''

t.test('a bounce or complaint turns off the e-mail channel, and people are notified', async (t) => {
  const { s, mails, call } = await mailing(t)
  const box = await channel(s, s.acme, { kind: 'email', config: { recipient: 'ops@example.test' } })
  await s.incident(s.acme)
  await until('the mail', async () => mails.length === 1 && (await isQuiet(s)))
  const stateOf = async () =>
    (
      await s.systemPool.query(
        'SELECT health_state, disabled_reason, verified_at IS NULL AS unverified FROM notification_channels WHERE channel_id = $1',
        [box]
      )
    ).rows[0]

  t.equal(
    (await call('mailgun', mailgun(failed(idOf(mails[0]), 'ops@example.test'), { key: 'another-key-0123' }))).json().code,
    'SIGNATURE_INVALID'
  )
  t.equal((await call('pigeon', '{}')).statusCode, 404)
  const refusedOnce = failed(idOf(mails[0]), 'ops@example.test', {
    id: 'large',
    'delivery-status': { code: 552, message: '5.3.4 too large' }
  })
  t.equal((await call('mailgun', mailgun(refusedOnce))).statusCode, 204)
  t.match(await ledger(s), [{ state: 'failed', error_code: 'refused', accepted: false, attempt_log: [{ error: /too large/ }] }])
  t.match(await stateOf(), { health_state: 'ok' }, 'one mail says nothing of the address')

  await s.incident(s.acme, { dedup_key: 'int:x:second' })
  await until('another mail', async () => mails.length === 2 && (await isQuiet(s)))
  const bounce = failed(idOf(mails[1]), 'OPS@example.test')
  t.equal((await call('mailgun', mailgun(failed(idOf(mails[1]), 'else@example.test', { id: 'forwarded' })))).statusCode, 204)
  t.match(await stateOf(), { health_state: 'ok' }, 'it leads elsewhere')
  for (let again = 0; again < 2; again++) t.equal((await call('mailgun', mailgun(bounce))).statusCode, 204)
  t.match(await stateOf(), {
    health_state: 'disabled',
    disabled_reason: /takes no mail for this address: 5\.1\.1 no such mailbox/,
    unverified: false
  })
  const feed = async () =>
    (await s.systemPool.query("SELECT title FROM feed WHERE tenant_id = $1 AND title LIKE '%turned off'", [s.acme.tenant_id])).rows
  await until('the feed', async () => (await feed()).length > 0)
  t.equal((await feed()).length, 1)
  await s.incident(s.acme, { dedup_key: 'int:x:third' })
  await until('nothing more', () => isQuiet(s))
  t.equal(mails.length, 2)

  await s.systemPool.query("UPDATE notification_channels SET health_state = 'ok', disabled_reason = NULL WHERE channel_id = $1", [box])
  await s.incident(s.acme, { dedup_key: 'int:x:fourth' })
  await until('a mail again', async () => mails.length === 3 && (await isQuiet(s)))
  const complaint = { sg_event_id: 'spam-1', 'smtp-id': idOf(mails[2]), email: 'ops@example.test', event: 'spamreport' }
  const { body, headers } = sendgrid([complaint])
  t.equal((await call('sendgrid', body, headers)).statusCode, 204)
  t.match(await stateOf(), { health_state: 'disabled', disabled_reason: /reported these mails/, unverified: true })
  t.match((await ledger(s)).at(-1), { error_code: 'complaint' })
})

t.test('a page to a mailbox that the mail server does not know goes to the next method', async (t) => {
  const { s, mails } = await mailing(t, 'jo-first@example.test')
  const jo = await person(s, s.acme, 'jo', 'responder')
  await phone(s, s.acme, jo.user_id, 'email', 'jo-first@example.test')
  await phone(s, s.acme, jo.user_id, 'email', 'jo-second@example.test', true)
  await asks(s, s.acme, jo.user_id)
  await s.incident(s.acme)
  await until('the next method', async () => mails.length === 2 && (await isQuiet(s)))
  t.same(
    mails.map(({ to }) => to),
    ['jo-first@example.test', 'jo-second@example.test']
  )
  t.match(
    (await ledger(s)).map(({ state, error_code }) => [state, error_code]),
    [
      ['failed', 'refused_channel'],
      ['sent', null]
    ]
  )
})

t.test('a bounced page goes to the next method, and its address must be confirmed again', async (t) => {
  const { s, mails, call } = await mailing(t)
  const jo = await person(s, s.acme, 'jo', 'responder')
  const first = await phone(s, s.acme, jo.user_id, 'email', 'jo-first@example.test')
  await phone(s, s.acme, jo.user_id, 'email', 'jo-second@example.test', true)
  await asks(s, s.acme, jo.user_id)
  await s.incident(s.acme)
  await until('the mail', async () => mails.length === 1 && (await isQuiet(s)))
  t.equal(mails[0]?.to, 'jo-first@example.test')
  t.equal((await call('mailgun', mailgun(failed(idOf(mails[0]), 'jo-first@example.test')))).statusCode, 204)
  await until('the next method', () => mails.length === 2)
  t.equal(mails[1]?.to, 'jo-second@example.test')
  const { rows } = await s.systemPool.query('SELECT verified_at FROM contact_methods WHERE method_id = $1', [first])
  t.same(rows, [{ verified_at: null }])
  const feed = await until('the feed', async () => {
    const found = await s.systemPool.query("SELECT title, body FROM feed WHERE user_id = $1 AND title LIKE '%not told any more'", [
      jo.user_id
    ])
    return found.rows.length > 0 && found.rows
  })
  t.match(feed, [{ title: 'jo-first@example.test is not told any more', body: /Confirm the address again/ }])
})

t.test('a page that bounces after the acknowledgement goes to no other method', async (t) => {
  const { s, mails, call } = await mailing(t)
  const jo = await person(s, s.acme, 'jo-known', 'responder')
  await phone(s, s.acme, jo.user_id, 'email', 'jo-first@example.test')
  await phone(s, s.acme, jo.user_id, 'email', 'jo-second@example.test', true)
  await asks(s, s.acme, jo.user_id)
  const { incident_id } = await s.incident(s.acme)
  await until('the mail', async () => mails.length === 1 && (await isQuiet(s)))
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, {})).statusCode, 200)
  t.equal((await call('mailgun', mailgun(failed(idOf(mails[0]), 'jo-first@example.test')))).statusCode, 204)
  t.match(await ledger(s, incident_id), [{ event: 'down', state: 'failed', error_code: 'bounced' }])
  t.equal((await ledger(s, incident_id)).length, 1)
})

t.test('without a provider key, the mail callback answers 404', async (t) => {
  const s = await stand(t)
  const answer = await s.app.inject({
    method: 'POST',
    url: '/api/v1/callbacks/email/mailgun',
    payload: mailgun(failed(OURS, 'a')),
    headers: { 'content-type': 'application/json' }
  })
  t.match([answer.statusCode, answer.json().code], [404, 'NOT_FOUND'])
})
