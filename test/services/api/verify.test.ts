/**
 * Tests of the verification of numbers and addresses by a code that the person sends back. Without
 * an account at Twilio, nobody is notified by phone.
 */
import t from 'tap'
import { deploymentOf } from '../../../services/delivery/senders.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { forgetPhones } from '../../../services/store/phones.ts'
import { forgetVerifications } from '../../../services/store/verifications.ts'
import { localCodec } from '../../harness/codec.ts'
import { type FakeTwilio, fakeTwilio, twilioSettings } from '../../harness/twilio.ts'
import { until } from '../../harness/until.ts'
import { localSenders } from '../notifier/channels.ts'
import { as, audited, person } from './people.ts'
import { ORIGIN, SECRETS_KEY, type Stand, stand } from './stand.ts'

const PREFERENCES = '/api/v1/notifications/preferences'
const VERIFY = '/api/v1/notifications/channels/verify'
const CHANNELS = '/api/v1/notifications/channels'
const MOBILE = '+4915112345678'

/** Starts a notifier that sends codes: by phone to the fake Twilio, and by mail into a list. */
function sender(s: Stand, url: string) {
  const mails: { to: string; text: string }[] = []
  const senders = localSenders()
  const deployment = { ...deploymentOf({ ...s.services.config, publicUrl: ORIGIN }), base_urls: { twilio: url } }
  const mail = {
    send: async ({ to, text }: { to: string; text: string }) => {
      mails.push({ to, text })
      return { status: 250, headers: {}, body: '' }
    }
  }
  const shared = { pool: s.systemPool, codec: localCodec(), log: createLog('test', 'silent'), metrics: createMetrics(), runs, pollMs: 20 }
  const worker = startWorker({ ...shared, post: { http: senders.http, mail, deployment, secretsKey: SECRETS_KEY, publicUrl: ORIGIN } })
  return {
    mails,
    close: async () => {
      await worker.close()
      senders.http.close()
    }
  }
}

/** As if the last codes were sent an hour ago. */
const anHourLater = (s: Stand) => s.systemPool.query("UPDATE verification_codes SET created_at = created_at - interval '61 minutes'")
const aMomentLater = (s: Stand) => s.systemPool.query("UPDATE verification_codes SET created_at = created_at - interval '31 seconds'")
const codeIn = (text: string | undefined): string => /\b(\d{6})\b/.exec(text ?? '')?.[1] ?? ''
const anotherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

t.test('the code of a text message verifies a phone number, which can then be used', async (t) => {
  const fake: FakeTwilio = await fakeTwilio(t)
  const s = await stand(t, { config: twilioSettings })
  const home = await s.workspace('proof')
  const jo = await person(s, home, 'jo-proof', 'responder')
  const out = sender(s, fake.url)
  t.teardown(out.close)
  const put = await as(s, jo, 'PUT', PREFERENCES, { contact_methods: [{ kind: 'sms', address: '+49 151 12345678' }] })
  t.match([put.statusCode, put.json().contact_methods], [200, [{ verified_at: null }]], put.body)
  const channel = { name: 'Night phone', kind: 'sms', config: { number: MOBILE } }
  const early = (await s.call(home, 'POST', CHANNELS, channel)).json()
  t.match(early, { verified_at: null, needs_verification: true })
  const tested = await s.call(home, 'POST', `${CHANNELS}/${early.id}/test`)
  t.match([tested.statusCode, tested.json().details], [422, [{ path: 'id', rule: 'unverified' }]], 'no test to a number of whoever')

  const asked = await as(s, jo, 'POST', VERIFY, { number: '+49 (151) 1234-5678' })
  t.match([asked.statusCode, asked.json()], [202, { expires_at: String, resend_at: String }], asked.body)
  await until('the message', () => fake.sent.length === 1)
  const code = codeIn(fake.sent[0]?.text)
  t.match(fake.sent[0], { resource: 'Messages', to: MOBILE, text: new RegExp(`Service: your code is ${code}`) })
  const stored = JSON.stringify((await s.systemPool.query('SELECT * FROM verification_codes')).rows)
  t.notMatch(stored, code, 'the code is nowhere at rest')
  t.notMatch(JSON.stringify((await s.systemPool.query('SELECT payload FROM jobs')).rows), code)
  t.notMatch(s.logged(), MOBILE, 'and the number is on no log')

  const wrong = await as(s, jo, 'POST', VERIFY, { number: MOBILE, code: anotherThan(code) })
  t.match([wrong.statusCode, wrong.json()], [422, { code: 'VALIDATION_FAILED', details: [{ path: 'code', rule: 'wrong_code' }] }])
  const stranger = await person(s, home, 'stranger-proof', 'responder')
  t.equal((await as(s, stranger, 'POST', VERIFY, { number: MOBILE, code })).json().code, 'CODE_EXPIRED', 'a code is for who asked for it')

  const done = await as(s, jo, 'POST', VERIFY, { number: MOBILE, code })
  t.match([done.statusCode, done.json()], [200, { verified_at: String }], done.body)
  t.match((await as(s, jo, 'GET', PREFERENCES)).json().contact_methods, [{ kind: 'sms', verified_at: String }])
  t.ok((await s.call(home, 'GET', `${CHANNELS}/${early.id}`)).json().verified_at, 'the channel that waited for it')
  t.ok((await s.call(home, 'POST', CHANNELS, { ...channel, name: 'Later', kind: 'voice' })).json().verified_at, 'and a later one')
  t.same(
    (await audited(s, home.tenant_id, jo.user_id)).filter((action) => action === 'contact.verified'),
    ['contact.verified']
  )
  t.equal((await as(s, jo, 'POST', VERIFY, { number: MOBILE, code })).json().code, 'CODE_EXPIRED', 'a code is used once')

  const again = await as(s, jo, 'PUT', PREFERENCES, { contact_methods: [{ kind: 'voice', address: MOBILE }] })
  t.match(again.json().contact_methods, [{ kind: 'voice', verified_at: String }], 'what one has proven needs no second proof')
  const theirs = await as(s, stranger, 'PUT', PREFERENCES, { contact_methods: [{ kind: 'voice', address: MOBILE }] })
  t.match(theirs.json().contact_methods, [{ verified_at: null }], "but not of somebody else's number")
})

t.test('verification codes have limits for tries, lifetime and rate', async (t) => {
  const fake = await fakeTwilio(t)
  const s = await stand(t, { config: twilioSettings })
  const ask = (body: object, who = s.acme) => s.call(who, 'POST', VERIFY, body)
  t.equal((await ask({ number: MOBILE })).statusCode, 202)
  const soon = await ask({ number: MOBILE })
  t.match([soon.statusCode, soon.json(), Number(soon.headers['retry-after']) <= 30], [429, { code: 'RATE_LIMITED' }, true], soon.body)
  const out = sender(s, fake.url)
  t.teardown(out.close)
  await until('the message', () => fake.sent.length === 1)
  const code = codeIn(fake.sent[0]?.text)
  for (let tries = 0; tries < 5; tries++)
    t.equal((await ask({ number: MOBILE, code: anotherThan(code) })).json().details[0].rule, 'wrong_code')
  const late = await ask({ number: MOBILE, code })
  t.match([late.statusCode, late.json().code], [410, 'CODE_EXPIRED'], 'the right one comes too late after five wrong ones')

  await aMomentLater(s)
  t.equal((await ask({ number: MOBILE, method: 'voice' })).statusCode, 202)
  await until('the call', () => fake.sent.length === 2)
  t.match(fake.sent[1], { resource: 'Calls', to: MOBILE, text: /Again: (\d, ){5}\d/ })
  const spoken = (/is ((?:\d, ){5}\d)/.exec(fake.sent[1]?.text ?? '')?.[1] ?? '').replaceAll(', ', '')
  await s.systemPool.query("UPDATE verification_codes SET expires_at = now() - interval '1 second'")
  t.equal((await ask({ number: MOBILE, code: spoken })).statusCode, 410, 'ten minutes are over')

  await aMomentLater(s)
  t.equal((await ask({ number: MOBILE })).statusCode, 202)
  await aMomentLater(s)
  const fourth = await ask({ number: MOBILE }, s.globex)
  t.match([fourth.statusCode, fourth.headers['retry-after']], [429, '3600'], 'three an hour to a number, from whichever workspace')
  t.equal((await ask({ number: '+4915112345679' })).statusCode, 202)
  t.equal((await ask({ number: '+4915112345670' })).statusCode, 202)
  t.equal((await ask({ number: '+4915112345671' })).statusCode, 429, 'five an hour for a workspace')
  await anHourLater(s)
  t.equal((await ask({ number: '+4915112345671' })).statusCode, 202)

  t.equal(await forgetVerifications(s.systemPool), 0)
  await s.systemPool.query("UPDATE verification_codes SET expires_at = now() - interval '25 hours'")
  await s.call(s.acme, 'POST', CHANNELS, { name: 'List', kind: 'email', config: { recipient: 'ops@list.example.com' } })
  await s.systemPool.query("UPDATE channel_confirmations SET expires_at = now() - interval '25 hours'")
  const kept = (await s.systemPool.query('SELECT FROM verification_codes')).rows.length
  t.equal(await forgetVerifications(s.systemPool), kept + 1, 'a day later all are gone, links of channels too')
})

t.test('the code of a mail verifies an e-mail address', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('mailproof')
  const jo = await person(s, home, 'jo-mailproof', 'editor')
  const out = sender(s, 'http://127.0.0.1:1')
  t.teardown(out.close)
  await as(s, jo, 'PUT', PREFERENCES, { contact_methods: [{ kind: 'email', address: 'jo@Second.example.com' }] })
  t.equal((await as(s, jo, 'POST', VERIFY, { email: 'jo@second.example.com' })).statusCode, 202)
  await until('the mail', () => out.mails.length === 1)
  t.match(out.mails[0], { to: 'jo@second.example.com', text: /Your code for Service is \d{6}/ })
  t.equal((await as(s, jo, 'POST', VERIFY, { email: 'jo@second.example.com', code: codeIn(out.mails[0]?.text) })).statusCode, 200)
  t.match((await as(s, jo, 'GET', PREFERENCES)).json().contact_methods, [{ kind: 'email', verified_at: String }])
})

t.test('an invalid verification request is refused with the path of its fault', async (t) => {
  const s = await stand(t, { config: twilioSettings })
  const table: [body: object, path: string][] = [
    [{}, 'number'],
    [{ number: '0151' }, 'number'],
    [{ number: '+49 900 1 123456' }, 'number'],
    [{ number: '+8816 12345678' }, 'number'],
    [{ number: '+49 30 901820' }, 'number'],
    [{ email: 'nobody' }, 'email'],
    [{ email: 'a@example.com', number: MOBILE }, 'email'],
    [{ email: 'a@example.com', method: 'sms' }, 'method'],
    [{ number: MOBILE, code: '12345' }, 'code']
  ]
  for (const [body, path] of table) {
    const answer = await s.call(s.acme, 'POST', VERIFY, body)
    t.match([answer.statusCode, answer.json()], [422, { code: 'VALIDATION_FAILED', details: [{ path }] }], JSON.stringify(body))
  }
  t.equal(
    (await s.call(s.acme, 'POST', VERIFY, { number: '+49 30 901820', method: 'voice' })).statusCode,
    202,
    'a fixed line can be called'
  )
  const free = await s.workspace('free-phones', 'free')
  const answer = await s.call(free, 'POST', VERIFY, { number: MOBILE })
  t.match(
    [answer.statusCode, answer.json()],
    [403, { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'sms_voice_per_month', limit: 0 }] }]
  )
  t.equal((await s.systemPool.query('SELECT FROM verification_codes WHERE tenant_id = $1', [free.tenant_id])).rows.length, 0)
  const { rows } = await s.systemPool.query('SELECT messages FROM phone_usage')
  t.same(rows, [{ messages: 1 }], 'a code counts as a message')
  await s.systemPool.query("UPDATE phone_usage SET month = month - interval '14 months'")
  await s.systemPool.query("INSERT INTO callback_receipts VALUES ('old', now() - interval '3 days'), ('new', now())")
  t.equal(await forgetPhones(s.systemPool), 2)
})

t.test('without a Twilio account, phone channels and methods are refused as not set up', async (t) => {
  const s = await stand(t)
  const kinds = (await s.call(s.acme, 'GET', '/api/v1/notifications/channel-kinds')).json().items
  const setUp = Object.fromEntries(kinds.map((one: { kind: string; set_up: boolean }) => [one.kind, one.set_up]))
  t.match(setUp, { sms: false, voice: false, email: true, webhook: true })
  const refused: [method: string, path: string, body: object, at: string][] = [
    ['POST', CHANNELS, { name: 'Phone', kind: 'sms', config: { number: MOBILE } }, 'kind'],
    ['PUT', PREFERENCES, { contact_methods: [{ kind: 'voice', address: MOBILE }] }, 'contact_methods[0].kind'],
    ['POST', VERIFY, { number: MOBILE }, 'method']
  ]
  for (const [method, path, body, at] of refused) {
    const answer = await s.call(s.acme, method, path, body)
    t.match([answer.statusCode, answer.json().details], [422, [{ path: at, rule: 'not_set_up' }]], answer.body)
  }
})
