/** Tests of sending a test to oneself, by each contact method. */
import t from 'tap'
import { planOf } from '../../../schemas/plans.ts'
import { fakeApns, fakeFcm, pushDeployment, pushSettings } from '../../harness/push-vendors.ts'
import { fakeTwilio, twilioSettings } from '../../harness/twilio.ts'
import { until } from '../../harness/until.ts'
import { as, audited, person } from './people.ts'
import { phone } from './phoning.ts'
import { stand } from './stand.ts'

const TOKEN = 'c0ffee'.repeat(11)
const NUMBER = '+4915112345678'

t.test('a person sends a test to each of their own contact methods', async (t) => {
  const [apns, fcm, twilio] = [await fakeApns(t, null), await fakeFcm(t, null), await fakeTwilio(t)]
  const outboundBaseUrls = JSON.stringify({ twilio: twilio.url, ...pushDeployment(apns, fcm).base_urls })
  const s = await stand(t, { config: { ...twilioSettings, ...pushSettings, outboundBaseUrls, mailbox: 'on' } })
  const jo = await person(s, s.acme, 'jo-test', 'viewer')
  const bo = await person(s, s.acme, 'bo-test', 'owner')
  const attempt = (id: string, who = jo) => as(s, who, 'POST', `/api/v1/notifications/methods/${id}/test`)
  const methods = async (): Promise<{ id: string; kind: string; verified_at: string | null }[]> =>
    (await as(s, jo, 'GET', '/api/v1/notifications/preferences')).json().contact_methods
  const mail = (await methods())[0]?.id ?? ''
  const [sms, voice] = [await phone(s, s.acme, jo.user_id, 'sms', NUMBER, true), await phone(s, s.acme, jo.user_id, 'voice', NUMBER, true)]
  const register = async (body: object) => (await as(s, jo, 'POST', '/api/v1/notifications/devices', body)).json()
  const iphone = await register({ platform: 'ios', push_token: TOKEN, name: 'Phone' })
  const android = await register({ platform: 'android', push_token: `fcm:${'Pl4nted'.repeat(20)}` })

  for (const id of [mail, sms, voice, iphone.id, android.id]) {
    const answer = await attempt(id)
    t.match([answer.statusCode, answer.json()], [200, { ok: true, delivery_id: String, error: null }], answer.body)
    t.equal((await attempt(id)).statusCode, 429, 'not twice within a moment')
    t.equal((await audited(s, s.acme.tenant_id, id)).at(-1), 'contact_method.tested')
    t.equal((await attempt(id, bo)).statusCode, 404, 'of somebody else')
  }
  const mails = (await as(s, bo, 'GET', '/api/v1/notifications/mailbox')).json().items
  t.match(mails, [{ recipient: jo.email, subject: /^\[TEST\]/ }])
  t.match(
    twilio.sent.map(({ resource, to, text }) => [resource, to, text]),
    [
      ['Messages', NUMBER, /TEST/],
      ['Calls', NUMBER, /This is a test call/]
    ]
  )
  t.match([apns.pushed[0]?.body.aps.alert.title, fcm.pushed[0]?.body.notification.title], [/^\[TEST\]/, /^\[TEST\]/])
  t.match((await s.systemPool.query('SELECT messages FROM phone_usage')).rows, [{ messages: 2 }])
  const { rows } = await s.systemPool.query('SELECT kind, user_id, method_id, state, manual FROM deliveries ORDER BY seq')
  t.match(
    rows.map(({ kind, state }) => [kind, state]),
    [
      ['email', 'sent'],
      ['sms', 'sent'],
      ['voice', 'sent'],
      ['push', 'sent'],
      ['push', 'sent']
    ]
  )
  t.ok(rows.every(({ user_id, manual }) => user_id === jo.user_id && manual))
  const known = JSON.stringify((await s.systemPool.query('SELECT * FROM deliveries')).rows) + s.logged()
  for (const secret of [TOKEN, 'Pl4nted']) t.notOk(known.includes(secret))
})

t.test('a test of a contact method reports failures and is refused for an unverified method', async (t) => {
  const apns = await fakeApns(t, null)
  const outboundBaseUrls = JSON.stringify({ apns: apns.url, twilio: 'http://127.0.0.1:1' })
  const s = await stand(t, { config: { ...twilioSettings, ...pushSettings, outboundBaseUrls } })
  const jo = await person(s, s.acme, 'jo-gone', 'responder')
  const attempt = (id: string) => as(s, jo, 'POST', `/api/v1/notifications/methods/${id}/test`)
  const { id } = (await as(s, jo, 'POST', '/api/v1/notifications/devices', { platform: 'ios', push_token: TOKEN })).json()
  apns.gone.set(TOKEN, Date.now() + 60_000)
  const answer = await attempt(id)
  t.match(answer.json(), { ok: false, http_status: 410, error: /Open it once/, reply: /Unregistered/ })
  t.match((await as(s, jo, 'GET', '/api/v1/notifications/devices')).json().items, [{ invalid_at: String }])
  await s.systemPool.query("UPDATE contact_methods SET verified_at = NULL WHERE kind = 'email'")
  const [mail] = (await as(s, jo, 'GET', '/api/v1/notifications/preferences')).json().contact_methods
  t.match((await attempt(mail.id)).json().details, [{ path: 'id', rule: 'unverified' }])
  const other = await phone(s, s.acme, jo.user_id, 'sms', NUMBER, true)
  t.match((await attempt(other)).json(), { ok: false, http_status: null, error: /The connection failed/ })
  await s.systemPool.query("UPDATE tenants SET plan = 'free' WHERE tenant_id = $1", [s.acme.tenant_id])
  const last = await phone(s, s.acme, jo.user_id, 'voice', NUMBER, true)
  t.match((await attempt(last)).json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'sms_voice_per_month' }] })
  t.equal((await attempt('01890000-0000-7000-8000-000000000000')).statusCode, 404)
})

t.test('tests at the same time do not pass the monthly limit of text messages and calls', async (t) => {
  const twilio = await fakeTwilio(t)
  const s = await stand(t, { config: { ...twilioSettings, outboundBaseUrls: JSON.stringify({ twilio: twilio.url }) } })
  const home = await s.workspace('one-left', 'pro')
  const jo = await person(s, home, 'jo-limit', 'responder')
  const ids = [await phone(s, home, jo.user_id, 'sms', NUMBER, true), await phone(s, home, jo.user_id, 'voice', NUMBER, true)]
  const limit = Number(planOf('pro').limits.sms_voice_per_month)
  const used = "INSERT INTO phone_usage (tenant_id, month, messages) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), $2)"
  await s.systemPool.query(used, [home.tenant_id, limit - 1])
  // Both have read what is left before either of them may count.
  const holder = await s.systemPool.connect()
  await holder.query('BEGIN; SELECT FROM phone_usage FOR UPDATE')
  const answers = Promise.all(ids.map((id) => as(s, jo, 'POST', `/api/v1/notifications/methods/${id}/test`)))
  const waiting = 'SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.datname = current_database() AND NOT l.granted'
  await until('both to wait', async () => (await s.systemPool.query(waiting)).rowCount === 2)
  await holder.query('COMMIT')
  holder.release()
  t.same((await answers).map(({ statusCode }) => statusCode).sort(), [200, 403])
  t.equal(twilio.sent.length, 1)
  t.match((await s.systemPool.query('SELECT messages FROM phone_usage')).rows, [{ messages: limit }])
})
