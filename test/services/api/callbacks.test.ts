/**
 * Tests of Twilio's callbacks: answers of people by telephone, and the status of messages and
 * calls. The requests are signed by Twilio's own library. Each is processed once, in the name of
 * the member who owns the number.
 */
import fc from 'fast-check'
import t from 'tap'
import twilio from 'twilio'
import { askedIn } from '../../../services/api/callbacks/sms-answer.ts'
import { replyCodeOf } from '../../../services/channels/reply-code.ts'
import { twilioSignature, verifyTwilio } from '../../../services/channels/twilio-signature.ts'
import { callOutcome, smsOutcome } from '../../../services/channels/twilio-status.ts'
import { AUTH_TOKEN, FROM } from '../../harness/twilio.ts'
import { hurry, ledger } from '../notifier/channels.ts'
import { as, person } from './people.ts'
import { aSid, asks, callBack, codeOf, isQuiet, type Phones, phone, phones, sentTo, text, until } from './phoning.ts'

const JO = '+4915112345678'
const BO = '+4915112345679'
const SMS = '/api/v1/callbacks/twilio/sms'

const incidentOf = async ({ s }: Phones, id: string) => (await s.call(s.acme, 'GET', `/api/v1/incidents/${id}`)).json()

t.test("signatures match those of Twilio's own library", async (t) => {
  const form = [
    ['From', '+15550001111'],
    ['To', '+15550002222'],
    ['Body', 'ACK 1A2B'],
    ['MessageSid', 'SM00000000000000000000000000000001']
  ] as const
  const url = 'https://alerts.example.com/hooks/twilio/sms'
  t.equal(twilioSignature('twilio-auth-token', url, form), '16Rv5bLEIrS3jipI9vdfbGkzxcI=')
  const names = fc.string({ minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(
      fc.dictionary(names, fc.string({ maxLength: 12 }), { noNullPrototype: true }),
      fc.constantFrom(url, `${url}?workspace=1&x=2`),
      (fields, at) => {
        const signature = twilio.getExpectedTwilioSignature('token', at, fields)
        return (
          verifyTwilio(['other', 'token'], signature, at, Object.entries(fields)) &&
          !verifyTwilio(['other'], signature, at, Object.entries(fields))
        )
      }
    )
  )
  const twice = twilio.getExpectedTwilioSignature('token', url, { a: ['2', '1', '2'] })
  t.ok(
    verifyTwilio(['token'], twice, url, [
      ['a', '2'],
      ['a', '1'],
      ['a', '2']
    ]),
    'a name that comes twice'
  )
  const withPort = twilio.getExpectedTwilioSignature('token', 'https://alerts.example.com:443/hooks/twilio/sms', { a: '1' })
  t.ok(verifyTwilio(['token'], withPort, url, [['a', '1']]), 'the usual port, written')
  t.ok(twilio.validateRequest('token', twilioSignature('token', url, [['a', '1']]), url, { a: '1' }), 'and it takes ours')
})

t.test('words of text replies, and outcomes of messages and calls', async (t) => {
  const table: [text: string, asked: object][] = [
    ['ACK 1a2b', { word: 'acknowledge', code: '1A2B' }],
    [' ack: 1A2B. ', { word: 'acknowledge', code: '1A2B' }],
    ['"a"', { word: 'acknowledge', code: null }],
    ['Resolve', { word: 'resolve', code: null }],
    ['r 1A2B', { word: 'resolve', code: '1A2B' }],
    ['help', { word: 'help' }],
    ['?', { word: 'help' }],
    ['ACK 1A2B please do', { word: 'unknown' }],
    ['thanks', { word: 'unknown' }],
    ['', { word: 'unknown' }]
  ]
  for (const [said, asked] of table) t.same(askedIn(said), asked, JSON.stringify(said))
  t.same(smsOutcome('delivered', '', 1), { state: 'delivered' })
  for (const status of ['queued', 'sending', 'sent', 'accepted', 'strange']) t.equal(smsOutcome(status, '', 1), null)
  t.match(smsOutcome('undelivered', '30003', 1), { state: 'retrying', after_ms: 1_800_000 })
  t.match(smsOutcome('undelivered', '30003', 2), { state: 'failed', error_code: 'twilio_30003' })
  t.match(smsOutcome('failed', '30005', 1), { state: 'failed' })
  t.match(callOutcome('no-answer', 1), { state: 'retrying', after_ms: 120_000 })
  t.match(callOutcome('busy', 2), { state: 'failed', error_code: 'busy' })
  t.match(callOutcome('failed', 1), { state: 'failed' })
  t.equal(callOutcome('ringing', 1), null)
})

t.test("ACK by text message acknowledges the incident as the number's owner", async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  const jo = await person(s, s.acme, 'jo-phone', 'responder')
  await phone(s, s.acme, jo.user_id, 'sms', JO)
  await asks(s, s.acme, jo.user_id)
  const { incident_id, key } = await s.incident(s.acme)
  const page = await sentTo(fake, JO)
  const code = codeOf(page)
  t.match(page.text, /acme CRITICAL: Disk full on db-7 .*Reply ACK [2-9A-HJ-NP-Z]{4}$/)

  const form = { From: JO, To: FROM, Body: `ack ${code.toLowerCase()}`, MessageSid: aSid() }
  for (const [why, calling] of [
    ['unsigned', { signature: null }],
    ['by another token', { token: 'x'.repeat(32) }],
    ['another body', { body: { ...form, AccountSid: 'AC0', Body: `RESOLVE ${code}` } }],
    ['nonsense', { signature: 'x' }]
  ] as const) {
    const answer = await callBack(p, SMS, form, calling)
    t.match([answer.statusCode, answer.json().code], [403, 'SIGNATURE_INVALID'], why)
  }
  t.equal((await callBack(p, SMS, { ...form, AccountSid: `AC${'0'.repeat(32)}` })).statusCode, 403, 'of another account')
  t.match(await incidentOf(p, incident_id), { acknowledged_at: null, status: 'ongoing' }, 'nothing was done')

  const done = await callBack(p, SMS, form)
  t.match([done.statusCode, done.headers['content-type']], [200, 'text/xml; charset=utf-8'])
  t.equal(done.body, `<Response><Message>${key} is acknowledged.</Message></Response>`)
  t.match(await incidentOf(p, incident_id), {
    acknowledged_at: String,
    acknowledged_by: `user:${jo.user_id}`,
    escalation: { state: 'paused' }
  })
  const { rows } = await s.systemPool.query("SELECT actor_id, via FROM audit WHERE action = 'incident.acknowledged'")
  t.same(rows, [{ actor_id: jo.user_id, via: 'sms' }])
  const replayed = await callBack(p, SMS, form)
  t.equal(replayed.statusCode, 403, 'taken once')
  t.equal(await text(p, JO, 'ACK'), 'Nothing is open that was sent to this number.')
  t.equal(await text(p, JO, `ACK ${code}`), `${key} was acknowledged by you already.`)

  t.equal(await text(p, JO, 'r'), `${key} is resolved.`)
  t.match(await incidentOf(p, incident_id), { status: 'resolved', resolved_by: `user:${jo.user_id}` })
  const end = await sentTo(fake, JO, 1)
  t.match(end.text, /acme RESOLVED: Disk full on db-7/)
  t.equal(await text(p, JO, 'r'), 'Nothing is open that was sent to this number.')
  t.match(await text(p, JO, 'what'), /^Answer ACK and the code/)
  t.equal(await text(p, '+4915112345670', `ACK ${code}`), null, 'a stranger is told nothing')
  t.match(await text(p, '+4915112345670', 'HELP'), /^Answer ACK/)
  t.equal(await text(p, JO, 'ACK 2222'), 'No message of the last days has this code.')
})

t.test('ACK without a code lists the codes when several incidents are open', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  await phone(s, s.acme, s.acme.user_id, 'sms', JO)
  await asks(s, s.acme, s.acme.user_id)
  const [first, second] = [await s.incident(s.acme), await s.incident(s.acme)]
  const codes = [codeOf(await sentTo(fake, JO)), codeOf(await sentTo(fake, JO, 1))]
  t.same(codes.sort(), [replyCodeOf(first.incident_id), replyCodeOf(second.incident_id)].sort())
  await until('both to be written', () => isQuiet(s))
  const said = (await text(p, JO, 'ACK')) ?? ''
  t.match(said, /^2 are open\. Answer ACK \w{4} \(INC-\d\) or ACK \w{4} \(INC-\d\)\.$/)
  for (const code of codes) t.match(said, code)
  t.equal(await text(p, JO, `ACK ${replyCodeOf(second.incident_id)}`), `${second.key} is acknowledged.`)
  t.equal(await text(p, JO, 'ACK'), `${first.key} is acknowledged.`, 'now only one can be meant')
})

t.test('ACK without a code finds what is open behind many pages that are over', async (t) => {
  const p = await phones(t)
  const { s } = p
  await phone(s, s.acme, s.acme.user_id, 'sms', JO)
  await asks(s, s.acme, s.acme.user_id)
  const made: Awaited<ReturnType<typeof s.incident>>[] = []
  for (let nth = 0; nth < 12; nth++) made.push(await s.incident(s.acme))
  const pages = async () =>
    (await s.systemPool.query("SELECT FROM deliveries WHERE kind = 'sms' AND event = 'down' AND first_sent_at IS NOT NULL")).rowCount
  await until('all pages to be sent', async () => (await pages()) === 12)
  const [first, ...others] = made
  const last = others.pop()
  for (const { incident_id } of others)
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, {})).statusCode, 200)
  const said = (await text(p, JO, 'ACK')) ?? ''
  t.match(said, /^2 are open\./)
  for (const one of [first, last]) t.match(said, `ACK ${replyCodeOf(one?.incident_id ?? '')} (${one?.key})`)
  t.equal(await text(p, JO, `ACK ${replyCodeOf(last?.incident_id ?? '')}`), `${last?.key} is acknowledged.`)
  t.equal(await text(p, JO, 'ACK'), `${first?.key} is acknowledged.`)
})

t.test('the answer from a number of two members counts once, for one of them who may act', async (t) => {
  const p = await phones(t)
  const { s } = p
  const two = [await person(s, s.acme, 'shared-jo', 'responder'), await person(s, s.acme, 'shared-bo', 'responder')]
  for (const { user_id } of two) await phone(s, s.acme, user_id, 'sms', JO)
  await asks(s, s.acme, ...two.map(({ user_id }) => user_id))
  const pages = async (incident_id: string) =>
    (await s.systemPool.query('SELECT FROM deliveries WHERE incident_id = $1 AND first_sent_at IS NOT NULL', [incident_id])).rowCount
  const paged = async () => {
    const made = await s.incident(s.acme)
    await until('both to be paged', async () => (await pages(made.incident_id)) === 2)
    return made
  }
  const one = await paged()
  t.equal(await text(p, JO, 'ACK'), `${one.key} is acknowledged.`)
  for (const { user_id } of two) {
    const made = await paged()
    await s.systemPool.query("UPDATE members SET role = 'viewer' WHERE tenant_id = $1 AND user_id = $2", [s.acme.tenant_id, user_id])
    t.equal(await text(p, JO, `ACK ${replyCodeOf(made.incident_id)}`), `${made.key} is acknowledged.`)
    t.match(await incidentOf(p, made.incident_id), { acknowledged_by: `user:${two.find((other) => other.user_id !== user_id)?.user_id}` })
    await s.systemPool.query("UPDATE members SET role = 'responder' WHERE tenant_id = $1 AND user_id = $2", [s.acme.tenant_id, user_id])
  }
})

t.test('the rights of a person are checked again at each text reply', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  const jo = await person(s, s.acme, 'jo-may', 'responder')
  await phone(s, s.acme, jo.user_id, 'sms', JO)
  await asks(s, s.acme, jo.user_id)
  const { incident_id } = await s.incident(s.acme)
  const code = codeOf(await sentTo(fake, JO))
  await until('it to be written', () => isQuiet(s))
  const set = (role: string) =>
    s.systemPool.query('UPDATE members SET role = $3 WHERE tenant_id = $1 AND user_id = $2', [s.acme.tenant_id, jo.user_id, role])

  await set('viewer')
  t.equal(await text(p, JO, `ACK ${code}`), 'Your role in this workspace does not act on incidents.')
  await set('responder')
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Quiet', visibility: 'private' })).json()
  await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { team_id: team.id })
  t.equal(await text(p, JO, `ACK ${code}`), 'The incident was not found.', 'it has become private, and not to Jo')
  t.equal(await text(p, JO, 'ACK'), 'Nothing is open that was sent to this number.')
  await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { team_id: null })
  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [jo.user_id])
  t.equal(await text(p, JO, `ACK ${code}`), null, 'an account that is disabled is nobody')
  await s.systemPool.query('UPDATE users SET disabled_at = NULL WHERE user_id = $1', [jo.user_id])
  await s.systemPool.query('UPDATE contact_methods SET verified_at = NULL WHERE user_id = $1', [jo.user_id])
  t.equal(await text(p, JO, `ACK ${code}`), null, 'a number without proof is nobody')
  await s.systemPool.query('UPDATE contact_methods SET verified_at = now() WHERE user_id = $1', [jo.user_id])
  t.match(await incidentOf(p, incident_id), { acknowledged_at: null }, 'nothing was done until now')
  t.equal(await text(p, JO, `ACK ${code}`), 'INC-1 is acknowledged.')
  await s.systemPool.query('DELETE FROM members WHERE user_id = $1', [jo.user_id])
  t.equal(await text(p, JO, `RESOLVE ${code}`), null, 'nor is who has left')
  t.match(await incidentOf(p, incident_id), { status: 'ongoing' })
})

t.test('a missed call is dialled again, its keys act, and the end comes by text message', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  await phone(s, s.acme, s.acme.user_id, 'voice', JO)
  await asks(s, s.acme, s.acme.user_id)
  const { incident_id } = await s.incident(s.acme)
  const call = await sentTo(fake, JO)
  t.equal(call.resource, 'Calls')
  await until('it to be written', () => isQuiet(s))
  const action = (/action="([^"]+)"/.exec(call.text)?.[1] ?? '').replaceAll('&amp;', '&')
  const status = (CallStatus: string, sid = call.sid) => callBack(p, call.callback ?? '', { CallSid: sid, CallStatus })

  t.equal((await status('initiated')).statusCode, 204)
  t.equal((await status('no-answer', aSid('CA'))).statusCode, 403, 'another call')
  t.equal((await status('no-answer')).statusCode, 204)
  t.match(await ledger(s, incident_id), [
    { state: 'retrying', error_code: 'no_answer', accepted: false, attempt_log: [{ error: 'Nobody took the call.' }] }
  ])
  t.equal((await status('no-answer')).statusCode, 403, 'taken once')
  await s.systemPool.query("UPDATE deliveries SET next_at = now() WHERE state = 'retrying'")
  const again = await sentTo(fake, JO, 1)
  await until('it to be written', () => isQuiet(s))

  // A word about the second call comes before its id is recorded.
  const { rows } = await s.systemPool.query(
    `UPDATE deliveries d SET state = 'sending', attempt_log = d.attempt_log - -1, next_at = now() + interval '1 hour'
       FROM deliveries b WHERE b.incident_id = $1 AND b.tenant_id = d.tenant_id AND b.delivery_id = d.delivery_id RETURNING b.state, b.attempt_log`,
    [incident_id]
  )
  const early = status('ringing', again.sid)
  await new Promise((resolve) => setTimeout(resolve, 400))
  await s.systemPool.query('UPDATE deliveries SET state = $2, attempt_log = $3 WHERE incident_id = $1', [
    incident_id,
    rows[0]?.state,
    JSON.stringify(rows[0]?.attempt_log)
  ])
  t.equal((await early).statusCode, 204, 'it waits for the record')

  const press = (url: string, Digits: string, sid = again.sid) => callBack(p, url, { CallSid: sid, Digits, From: FROM, To: JO })
  t.equal((await press(action, '1', aSid('CA'))).statusCode, 403, 'another call')
  t.equal((await callBack(p, action, { CallSid: again.sid, Digits: '1' }, { signature: 'x' })).statusCode, 403)
  const unknown = await press(action, '7')
  t.match(unknown.body, /<Gather .*again=1".*Press 1 to acknowledge/, 'the menu once more')
  const second = (/action="([^"]+)"/.exec(unknown.body)?.[1] ?? '').replaceAll('&amp;', '&')
  t.equal((await press(second, '7')).body, '<Response><Say>Goodbye.</Say></Response>', 'and not for ever')
  t.match(await incidentOf(p, incident_id), { acknowledged_at: null })
  t.equal((await press(action, '1')).body, '<Response><Say>INC-1 is acknowledged. Goodbye.</Say></Response>')
  t.match(await incidentOf(p, incident_id), { acknowledged_by: `user:${s.acme.user_id}` })
  t.equal((await press(action, '1')).statusCode, 403, 'taken once')
  t.equal((await press(action, '3')).body, '<Response><Say>INC-1 is silenced for 30 minutes. Goodbye.</Say></Response>')
  t.equal((await status('completed', again.sid)).statusCode, 204)
  t.match(await ledger(s, incident_id), [{ state: 'delivered', accepted: true }])
  t.equal((await status('busy', again.sid)).statusCode, 204)
  t.match(await ledger(s, incident_id), [{ state: 'delivered' }], 'what has arrived stays so')

  t.equal((await press(action, '2')).body, '<Response><Say>INC-1 is resolved. Goodbye.</Say></Response>')
  const end = await sentTo(fake, JO, 2)
  t.match([end.resource, end.text], ['Messages', /RESOLVED: Disk full/], 'nobody is called to hear that all is well')
})

t.test('a key counts in a call whose placing got no answer', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  await phone(s, s.acme, s.acme.user_id, 'voice', JO)
  await asks(s, s.acme, s.acme.user_id)
  fake.cuts = 1
  const { incident_id } = await s.incident(s.acme)
  const first = await sentTo(fake, JO)
  await until('the attempt to be written', async () => (await ledger(s, incident_id))[0]?.state === 'retrying')
  await hurry(s)
  const second = await sentTo(fake, JO, 1)
  await until('it to be written', () => isQuiet(s))
  t.match(await ledger(s, incident_id), [{ state: 'sent' }])
  const status = (CallStatus: string, CallSid: string) => callBack(p, second.callback ?? '', { CallSid, CallStatus })
  t.equal((await status('no-answer', first.sid)).statusCode, 403, 'the end of the first call does not end the second')
  const action = (/action="([^"]+)"/.exec(first.text)?.[1] ?? '').replaceAll('&amp;', '&')
  const pressed = await callBack(p, action, { CallSid: first.sid, Digits: '1', From: FROM, To: JO })
  t.equal(pressed.body, '<Response><Say>INC-1 is acknowledged. Goodbye.</Say></Response>')
  t.match(await incidentOf(p, incident_id), { acknowledged_by: `user:${s.acme.user_id}` })
})

t.test('after three faults of the account, the next contact method is asked, too', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  const jo = await person(s, s.acme, 'jo-stuck', 'responder')
  await phone(s, s.acme, jo.user_id, 'sms', JO)
  await phone(s, s.acme, jo.user_id, 'voice', BO, true)
  await asks(s, s.acme, jo.user_id)
  for (let nth = 0; nth < 3; nth++) fake.faults.push({ status: 403, code: 21_408 })
  const { incident_id } = await s.incident(s.acme)
  for (const made of [1, 2, 3]) {
    await until('an attempt', async () => {
      const [page] = await ledger(s, incident_id)
      return page?.state === 'retrying' && page.attempts === made
    })
    if (made === 3) break
    t.equal((await ledger(s, incident_id)).length, 1, 'no other method is asked yet')
    await hurry(s)
  }
  t.equal((await sentTo(fake, BO)).resource, 'Calls')
  await hurry(s)
  t.equal((await sentTo(fake, JO)).resource, 'Messages', 'the page goes on')
  await until('it to be written', () => isQuiet(s))
  t.equal(fake.sent.length, 2)
})

t.test('an undelivered message or a used-up quota leads to the next contact method', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  const jo = await person(s, s.acme, 'jo-way', 'responder')
  await phone(s, s.acme, jo.user_id, 'sms', JO)
  await phone(s, s.acme, jo.user_id, 'voice', BO, true)
  await asks(s, s.acme, jo.user_id)
  const first = await s.incident(s.acme)
  const page = await sentTo(fake, JO)
  await until('it to be written', () => isQuiet(s))
  const status = (MessageStatus: string, ErrorCode = '') =>
    callBack(p, page.callback ?? '', { MessageSid: page.sid, MessageStatus, ErrorCode })
  t.equal((await status('sent')).statusCode, 204)
  t.match(await ledger(s, first.incident_id), [{ state: 'sent' }])
  t.equal((await status('undelivered', '30005')).statusCode, 204)
  t.match(await ledger(s, first.incident_id), [
    { state: 'failed', error_code: 'twilio_30005', attempt_log: [{ outcome: 'refused', error: /the number is not known/ }] },
    { event: 'down' }
  ])
  t.equal((await sentTo(fake, BO)).resource, 'Calls', 'the next method is asked')
  await until('it to be written', () => isQuiet(s))
  t.match((await s.systemPool.query('SELECT messages FROM phone_usage')).rows, [{ messages: 2 }])

  await s.systemPool.query('UPDATE phone_usage SET messages = 2000')
  await s.systemPool.query("UPDATE tenants SET plan = 'business' WHERE tenant_id = $1", [s.acme.tenant_id])
  await phone(s, s.acme, jo.user_id, 'email', 'jo@way.test', true)
  const second = await s.incident(s.acme)
  await until('it to be decided', async () => (await ledger(s, second.incident_id)).length >= 2)
  const rows = await s.systemPool.query(
    'SELECT kind, state, suppressed_by, suppressed_cause FROM deliveries WHERE incident_id = $1 ORDER BY seq',
    [second.incident_id]
  )
  t.match(
    rows.rows,
    [{ kind: 'sms', state: 'suppressed', suppressed_by: 'quota', suppressed_cause: 'sms_voice_per_month' }, { kind: 'email' }],
    'by mail in its place, and it says why'
  )
  const told = async (): Promise<string[]> =>
    (await s.systemPool.query("SELECT title FROM feed WHERE user_id = $1 AND type = 'usage'", [s.acme.user_id])).rows.map(
      ({ title }) => title
    )
  await until('people to be told', async () => (await told()).length > 0)
  t.same(await told(), ['Text messages and calls of this month are used up'], 'a smaller plan used them up')
  const channel = { name: 'Phone', kind: 'sms', config: { number: JO }, is_default: true }
  await s.systemPool.query('INSERT INTO verified_addresses (tenant_id, address, verified_by) VALUES ($1, $2, $3)', [
    s.acme.tenant_id,
    JO,
    jo.user_id
  ])
  t.equal((await s.call(s.acme, 'POST', '/api/v1/notifications/channels', channel)).statusCode, 201)
  const third = await s.incident(s.acme)
  await until('the channel to be passed over', async () =>
    (await ledger(s, third.incident_id)).some(({ channel_id }) => channel_id !== null)
  )
  await until('it to end', async () =>
    (await ledger(s, third.incident_id)).some(({ channel_id, state }) => channel_id !== null && state === 'suppressed')
  )
  t.match(
    (await ledger(s, third.incident_id)).filter(({ channel_id }) => channel_id !== null),
    [{ state: 'suppressed', suppressed_by: 'quota', suppressed_cause: 'sms_voice_per_month' }]
  )
  t.equal(fake.sent.length, 2, 'nothing more goes out by phone')
  t.equal((await told()).length, 1, 'they are told once')
})

t.test('after an acknowledgement or the end, an undelivered message leads to no other method', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  const jo = await person(s, s.acme, 'jo-known', 'responder')
  await phone(s, s.acme, jo.user_id, 'sms', JO)
  await phone(s, s.acme, jo.user_id, 'voice', BO, true)
  await asks(s, s.acme, jo.user_id)
  const pages = async (id: string) => (await ledger(s, id)).filter(({ event }) => event === 'down').map(({ state }) => state)
  const act = async (id: string, action: string, body: object): Promise<void> => {
    const { statusCode, body: said } = await s.call(s.acme, 'POST', `/api/v1/incidents/${id}/${action}`, body)
    t.match(statusCode, /^20/, said)
  }
  const undelivered = async (nth: number): Promise<void> => {
    const { callback, sid } = await sentTo(fake, JO, nth)
    await until('it to be written', () => isQuiet(s))
    const failed = { MessageSid: sid, MessageStatus: 'undelivered', ErrorCode: '30005' }
    t.equal((await callBack(p, callback ?? '', failed)).statusCode, 204)
  }

  const first = await s.incident(s.acme)
  await sentTo(fake, JO)
  await until('it to be written', () => isQuiet(s))
  await act(first.incident_id, 'acknowledge', {})
  await undelivered(0)
  t.same(await pages(first.incident_id), ['failed'], 'somebody has acknowledged')

  await act(first.incident_id, 'escalate', { user_ids: [jo.user_id] })
  await undelivered(1)
  t.same((await pages(first.incident_id)).slice(0, 2), ['failed', 'failed'])
  t.equal((await sentTo(fake, BO)).resource, 'Calls', 'a page by hand after the acknowledgement asks on')
  await until('it to be written', () => isQuiet(s))

  const second = await s.incident(s.acme, { dedup_key: 'int:x:second' })
  const page = await sentTo(fake, JO, 2)
  await until('it to be written', () => isQuiet(s))
  await act(second.incident_id, 'resolve', { note: 'Done.' })
  const failed = { MessageSid: page.sid, MessageStatus: 'undelivered', ErrorCode: '30005' }
  t.equal((await callBack(p, page.callback ?? '', failed)).statusCode, 204)
  t.same(await pages(second.incident_id), ['failed'], 'it is over')
  await until('its end', () => isQuiet(s))
  t.equal(fake.sent.filter(({ to }) => to === BO).length, 1)
})

t.test('the number of a channel acts for nobody, even if a member elsewhere owns it', async (t) => {
  const p = await phones(t)
  const { s, fake } = p
  await s.systemPool.query('INSERT INTO verified_addresses (tenant_id, address, verified_by) VALUES ($1, $2, $3)', [
    s.acme.tenant_id,
    JO,
    s.acme.user_id
  ])
  for (const kind of ['sms', 'voice'])
    t.equal(
      (await s.call(s.acme, 'POST', '/api/v1/notifications/channels', { name: kind, kind, config: { number: JO }, is_default: true }))
        .statusCode,
      201
    )
  await phone(s, s.globex, s.globex.user_id, 'sms', JO)
  const { incident_id } = await s.incident(s.acme)
  const sent = [await sentTo(fake, JO), await sentTo(fake, JO, 1)]
  const message = sent.find(({ resource }) => resource === 'Messages')
  const call = sent.find(({ resource }) => resource === 'Calls')
  t.notMatch(message?.text, 'Reply ACK')
  t.notMatch(call?.text, 'Gather')
  await until('both to be written', () => isQuiet(s))
  t.equal(await text(p, JO, 'ACK'), 'Nothing is open that was sent to this number.')
  t.match(await incidentOf(p, incident_id), { acknowledged_at: null })
  const forged = `${(call?.callback ?? '').split('/status')[0]}?workspace=${s.acme.tenant_id}`
  t.match((await callBack(p, forged, { CallSid: call?.sid ?? '', Digits: '1' })).body, /<Gather/, 'a key does nothing there')
  t.match(await incidentOf(p, incident_id), { acknowledged_at: null })
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
  await sentTo(fake, JO, 2)
  await until('its end', () => isQuiet(s))
  t.equal(fake.sent.length, 3, 'one text message of the end to the number that was called and texted')
  t.equal((await as(s, { cookie: '' }, 'POST', SMS)).statusCode, 403, 'no form at all')
  t.equal((await callBack(p, `${SMS}/no-id`, {}, { signature: 'x' })).statusCode, 403, 'nothing is looked at before the signature')
  const elsewhere = (call?.callback ?? '').replace(s.acme.tenant_id, s.globex.tenant_id)
  const before = JSON.stringify((await s.systemPool.query('SELECT * FROM deliveries ORDER BY delivery_id')).rows)
  const other = await callBack(p, elsewhere, { CallSid: call?.sid ?? '', CallStatus: 'failed' })
  t.match([other.statusCode, other.json().code], [403, 'SIGNATURE_INVALID'], 'a delivery of another workspace')
  t.equal(JSON.stringify((await s.systemPool.query('SELECT * FROM deliveries ORDER BY delivery_id')).rows), before)
  const bad = await callBack(p, SMS, { From: JO, Body: 'ACK' })
  t.equal(bad.statusCode, 403, 'without an id it cannot be taken once')
  t.notOk(s.logged().includes(AUTH_TOKEN), 'the token is on no log')
})
