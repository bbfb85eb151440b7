/**
 * Tests of how people are reached: contact methods, rules and quiet hours; who may see and set
 * them.
 */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { codeMail, codeSms, codeTwiml, confirmMail } from '../../../services/channels/verification.ts'
import { mintChatLink } from '../../../services/credentials/credentials.ts'
import { offerLink } from '../../../services/store/chat.ts'
import { pushSettings } from '../../harness/push-vendors.ts'
import { twilioSettings } from '../../harness/twilio.ts'
import { as, person } from './people.ts'
import { stand } from './stand.ts'

const PATH = '/api/v1/notifications/preferences'
const NOBODY = '01890000-0000-7000-8000-000000000000'

t.test('contact preferences', async (t) => {
  const s = await stand(t, { config: twilioSettings })
  const home = await s.workspace('reach')
  const jo = await person(s, home, 'jo-reach', 'responder')
  const other = await person(s, home, 'other-reach', 'editor')
  const admin = await person(s, home, 'admin-reach', 'admin')

  await t.test('the e-mail of the account is the first contact method', async (t) => {
    const answer = await as(s, jo, 'GET', PATH)
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), {
      user_id: jo.user_id,
      quiet_hours: null,
      version: 0,
      contact_methods: [{ kind: 'email', address: jo.email, verified_at: String }]
    })
    t.equal(answer.json().contact_methods.length, 1)
  })

  await t.test('preferences are stored and read back', async (t) => {
    const [mail] = (await as(s, jo, 'GET', PATH)).json().contact_methods
    const methods = [
      { kind: 'sms', address: '+49 151 12345678' },
      { id: mail.id, kind: 'email', address: mail.address }
    ]
    const quiet_hours = { time_zone: 'Europe/Berlin', days: ['mon'], from: '22:00', to: '07:00' }
    const rules = { default: [{ method_id: mail.id, delay_seconds: 60 }], high: [] }
    const answer = await as(s, jo, 'PUT', PATH, { contact_methods: methods, quiet_hours, rules })
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), {
      version: 1,
      rules,
      quiet_hours,
      contact_methods: [
        { kind: 'sms', address: '+4915112345678', verified_at: null, position: 0 },
        { id: mail.id, verified_at: mail.verified_at, position: 1 }
      ]
    })
    t.same((await as(s, jo, 'GET', PATH)).json(), answer.json())
    const trail = JSON.stringify((await s.systemPool.query("SELECT diff FROM audit WHERE action = 'preferences.set'")).rows)
    t.notOk(trail.includes('15112345678'))
  })

  await t.test('invalid preferences are refused with their path', async (t) => {
    const table: [body: object, path: string][] = [
      [{ contact_methods: [{ kind: 'sms', address: '0151' }] }, 'contact_methods[0].address'],
      [{ contact_methods: [{ kind: 'email', address: 'nobody' }] }, 'contact_methods[0].address'],
      [{ contact_methods: [{ id: NOBODY, kind: 'email', address: 'a@example.com' }] }, 'contact_methods[0].id'],
      [{ contact_methods: [{ kind: 'push', address: 'phone' }] }, 'contact_methods[0].kind'],
      [
        {
          contact_methods: [
            { kind: 'sms', address: '+4915112345678' },
            { kind: 'sms', address: '+49151 12345678' }
          ]
        },
        'contact_methods[1]'
      ],
      [{ rules: { default: [{ method_id: NOBODY, delay_seconds: 0 }], high: [] } }, 'rules.default[0].method_id'],
      [{ quiet_hours: { time_zone: 'Mars/Olympus', days: ['mon'], from: '22:00', to: '07:00' } }, 'quiet_hours.time_zone'],
      [{ quiet_hours: { time_zone: 'UTC', days: ['mon'], from: '25:00', to: '07:00' } }, 'quiet_hours.from']
    ]
    for (const [body, path] of table) {
      const answer = await as(s, jo, 'PUT', PATH, body)
      t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [{ path }] }, answer.body)
    }
    t.equal((await as(s, jo, 'GET', PATH)).json().version, 1, 'nothing is left of a refusal')
  })

  await t.test('quiet hours are stored by a name of their zone that can be read when somebody is paged', async (t) => {
    for (const [time_zone, is] of [
      ['JST', 'Asia/Tokyo'],
      ['asia/kolkata', 'Asia/Kolkata']
    ]) {
      const hours = { days: ['mon'], from: '22:00', to: '07:00' }
      const answer = await as(s, other, 'PUT', PATH, { quiet_hours: { ...hours, time_zone } })
      t.match(answer.json(), { quiet_hours: { ...hours, time_zone: is } }, answer.body)
    }
  })

  await t.test('the id of a contact method is understood in upper case and stored in lower case', async (t) => {
    const [, mail] = (await as(s, jo, 'GET', PATH)).json().contact_methods
    const rules = (id: string) => ({ default: [{ method_id: id, delay_seconds: 60 }], high: [{ method_id: id, delay_seconds: 0 }] })
    const answer = await as(s, jo, 'PUT', PATH, { rules: rules(mail.id.toUpperCase()) })
    t.match(answer.json(), { rules: rules(mail.id) }, answer.body)
    const { rows } = await s.systemPool.query('SELECT body FROM notification_preferences WHERE user_id = $1', [jo.user_id])
    t.match(rows, [{ body: { rules: rules(mail.id) } }])
    const stored = { ...rows[0]?.body, rules: rules(mail.id.toUpperCase()) }
    const change = 'UPDATE notification_preferences SET body = $2 WHERE user_id = $1'
    await s.systemPool.query(change, [jo.user_id, JSON.stringify(stored)])
    await s.ownerPool.query(readFileSync('schemas/postgres/0247_method_ids_in_lower_case.sql', 'utf8'))
    t.match((await as(s, jo, 'GET', PATH)).json(), { rules: rules(mail.id) }, 'ids that were stored before')
  })

  await t.test('an admin or the owner can read the preferences of others, and an editor or a responder cannot', async (t) => {
    const of = `${PATH}?user_id=${jo.user_id}`
    t.equal((await as(s, other, 'GET', of)).statusCode, 403)
    t.equal((await as(s, other, 'PUT', of, {})).statusCode, 403)
    t.equal((await as(s, jo, 'GET', `${PATH}?user_id=${other.user_id}`)).statusCode, 403)
    for (const answer of [await as(s, admin, 'GET', of), await s.call(home, 'GET', of)]) t.match(answer.json(), { user_id: jo.user_id })
    t.equal((await as(s, admin, 'GET', `${PATH}?user_id=${NOBODY}`)).statusCode, 404)
    const globex = await s.workspace('reach-other')
    t.equal((await as(s, admin, 'GET', `${PATH}?user_id=${globex.user_id}`)).statusCode, 404)
    await s.systemPool.query('DELETE FROM members WHERE tenant_id = $1 AND user_id = $2', [home.tenant_id, jo.user_id])
    const { rows } = await s.systemPool.query('SELECT FROM contact_methods WHERE tenant_id = $1 AND user_id = $2', [
      home.tenant_id,
      jo.user_id
    ])
    t.equal(rows.length, 0, 'they end with the membership')
  })
})

t.test('texts of messages with codes and links', async (t) => {
  const sender = { product: 'Acme <Alerts>', api_url: 'https://app.example.com' }
  const mail = confirmMail(sender, 'Shop & Co', 'cnf_1')
  t.match(mail.html, 'href="https://app.example.com/links/cnf_1"')
  t.match(mail.html, 'Shop &amp; Co')
  t.match(codeMail(sender, '012345').text, '012345')
  t.equal(codeSms(sender, '012345'), 'Acme <Alerts>: your code is 012345. It is good for 10 minutes.')
  t.match(codeTwiml(sender, '012'), 'Acme &lt;Alerts&gt; is 0, 1, 2. Again')
})

t.test('a list of methods that was read before another method came does not replace it', async (t) => {
  const bot = { telegramBotToken: '123456789:AAfirst', telegramBotName: 'acme_bot' }
  const s = await stand(t, { config: { ...pushSettings, ...bot } })
  const jo = await person(s, s.acme, 'jo-before', 'responder')
  const read = async () => (await as(s, jo, 'GET', PATH)).json()
  const put = (version: number, body: object) =>
    s.call(null, 'PUT', PATH, body, {
      headers: { cookie: jo.cookie, origin: s.services.config.publicUrl, 'if-match': `"${version}"` }
    })
  const phone = { platform: 'ios', push_token: 'c0ffee'.repeat(11) }
  const link = async () => {
    const { value, sha256 } = mintChatLink()
    await offerLink(s.services.pool, { vendor: 'telegram', account: '123456789', sender: '77', name: 'jo' }, sha256, 900)
    return as(s, jo, 'POST', '/api/v1/chat/identities', { token: value })
  }
  for (const [kind, add] of [
    ['push', () => as(s, jo, 'POST', '/api/v1/notifications/devices', phone)],
    ['telegram', link]
  ] as const) {
    const before = await read()
    const made = await add()
    t.equal(made.statusCode, 201, made.body)
    const contact_methods = before.contact_methods.map(({ id, kind, address }: Record<string, string>) => ({ id, kind, address }))
    t.match((await put(before.version, { contact_methods })).json(), { code: 'VERSION_MISMATCH' }, kind)
    const after = await read()
    t.ok(
      after.contact_methods.some((one: { kind: string }) => one.kind === kind),
      `${kind} is still there`
    )
    t.equal((await put(after.version, { rules: after.rules })).statusCode, 200, kind)
  }
  const { version } = await read()
  t.equal((await as(s, jo, 'POST', '/api/v1/notifications/devices', phone)).statusCode, 201)
  t.equal((await read()).version, version, 'a phone that is known already changes nothing')
})
