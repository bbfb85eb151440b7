/**
 * Tests of phones that receive push notifications: the app registers them, both vendors deliver to
 * them, and they are removed when the app is gone; pages then use another method. No token is ever
 * shown.
 */
import t from 'tap'
import { freeName } from '../../../services/api/notifications/devices.ts'
import { createLog } from '../../../services/process/log.ts'
import { forgetDevices } from '../../../services/store/devices.ts'
import { APNS, FCM, fakeApns, fakeFcm, pushDeployment, pushSettings } from '../../harness/push-vendors.ts'
import { until } from '../../harness/until.ts'
import { deployment, isQuiet, ledger, localSenders, notifier } from '../notifier/channels.ts'
import { certificate } from '../prober/stand.ts'
import { as, audited, person } from './people.ts'
import { asks } from './phoning.ts'
import { SECRETS_KEY, type Stand, stand } from './stand.ts'

const PATH = '/api/v1/notifications/devices'
const PREFERENCES = '/api/v1/notifications/preferences'
const NOBODY = '01890000-0000-7000-8000-000000000000'
const TOKEN = 'c0ffee'.repeat(11)
const OTHER = 'decade'.repeat(11)
const android = { platform: 'android', push_token: `fcm:${'Pl4nted'.repeat(20)}` } as const
const ios = { platform: 'ios', push_token: TOKEN } as const

t.test('a new phone gets a name that is not taken', async (t) => {
  t.equal(freeName('Phone', []), 'Phone')
  t.equal(freeName('Phone', ['phone', 'Phone 2']), 'Phone 3')
})

t.test('a person registers, renews and removes a phone', async (t) => {
  const s = await stand(t, { config: pushSettings })
  const home = await s.workspace('phones')
  const jo = await person(s, home, 'jo-phones', 'responder')
  const bo = await person(s, home, 'bo-phones', 'viewer')
  const register = (who: typeof jo, body: object) => as(s, who, 'POST', PATH, body)
  const list = async (who: typeof jo) => (await as(s, who, 'GET', PATH)).json().items

  const made = await register(jo, { ...ios, push_token: TOKEN.toUpperCase(), app_version: '1.0' })
  t.match(
    [made.statusCode, made.json()],
    [201, { platform: 'ios', name: 'iPhone or iPad', app_version: '1.0', registered_at: String, invalid_at: null }]
  )
  const { id } = made.json()
  t.notOk(made.body.includes('c0ffee'), 'the token is not shown')
  const again = await register(jo, { ...ios, app_version: '1.0' })
  t.match([again.statusCode, again.json().id], [201, id], 'the same token is the same phone')
  t.same(await audited(s, home.tenant_id, id), ['device.registered'], 'the app was only there again')
  const second = (await register(jo, { ...android, name: 'Night phone' })).json()
  t.match((await register(jo, { ...android, push_token: `${android.push_token}x` })).json(), { name: 'Android phone' })
  t.match((await register(jo, { ...android, push_token: `${android.push_token}y` })).json(), { name: 'Android phone 2' })
  t.equal((await list(jo)).length, 4)
  t.same(await list(bo), [], 'everybody has their own')

  const methods = (await as(s, jo, 'GET', PREFERENCES)).json().contact_methods
  t.match(methods[1], { id, kind: 'push', address: 'iPhone or iPad', verified_at: String })
  const rules = { default: [{ method_id: id, delay_seconds: 0 }], high: [] }
  t.equal((await as(s, jo, 'PUT', PREFERENCES, { rules })).statusCode, 200)
  const renewed = await register(jo, { ...ios, id, push_token: OTHER, app_version: '1.1' })
  t.match(renewed.json(), { id, app_version: '1.1', name: 'iPhone or iPad' }, 'a new token keeps its place in the rules')
  t.same((await as(s, jo, 'GET', PREFERENCES)).json().rules, rules)
  t.same(await audited(s, home.tenant_id, id), ['device.registered', 'device.updated'])

  for (const [body, path, rule] of [
    [{ ...ios, push_token: 'no hex' }, 'push_token', 'format'],
    [{ ...android, push_token: 'x'.repeat(5000) }, 'push_token', 'length'],
    [{ ...android, push_token: 'with blanks in between them' }, 'push_token', 'format'],
    [{ ...ios, platform: 'windows' }, 'platform', 'enum'],
    [{ ...ios, push_token: TOKEN, id: NOBODY }, 'id', 'unknown_device'],
    [{ ...ios, push_token: TOKEN, id: second.id }, 'id', 'unknown_device'],
    [{ ...ios, name: ' \n' }, 'name', 'pattern'],
    [{ platform: 'ios' }, 'push_token', 'required']
  ] as const) {
    const answer = await register(jo, body)
    t.match([answer.statusCode, answer.json().details?.[0]], [422, { path, rule }], JSON.stringify(body).slice(0, 80))
  }
  for (let nth = 4; nth < 10; nth++) await register(jo, { ...android, push_token: `${android.push_token}${nth}` })
  t.match((await register(jo, { ...android, push_token: `${android.push_token}-` })).json().details, [{ rule: 'too_many' }])
  t.equal((await list(jo)).length, 10)

  t.equal((await as(s, bo, 'DELETE', `${PATH}/${id}`)).statusCode, 404, 'of somebody else')
  t.equal((await as(s, jo, 'DELETE', `${PATH}/${methods[0].id}`)).statusCode, 404, 'no phone')
  t.equal((await as(s, jo, 'DELETE', `${PATH}/${id}`)).statusCode, 204)
  t.equal((await as(s, jo, 'DELETE', `${PATH}/${id}`)).statusCode, 404)
  t.same((await as(s, jo, 'GET', PREFERENCES)).json().rules, { default: [], high: [] }, 'and its rule with it')
  t.match(await audited(s, home.tenant_id, id), ['device.registered', 'device.updated', 'device.removed'])
  const kept = (await as(s, jo, 'GET', PREFERENCES)).json().contact_methods.filter((one: { kind: string }) => one.kind === 'email')
  const body = { contact_methods: kept.map(({ id, kind, address }: Record<string, string>) => ({ id, kind, address })) }
  t.equal((await as(s, jo, 'PUT', PREFERENCES, body)).statusCode, 200)
  t.same(await list(jo), [], 'a method that is removed takes its phone along')
})

t.test('a phone belongs to one person across all workspaces', async (t) => {
  const s = await stand(t, { config: pushSettings })
  const [here, there] = [await s.workspace('here'), await s.workspace('there')]
  const jo = await person(s, here, 'jo-here', 'responder')
  const bo = await person(s, here, 'bo-here', 'responder')
  const away = await person(s, there, 'away', 'responder')
  const owned = async (who: typeof jo) => (await as(s, who, 'GET', PATH)).json().items.length
  const { id } = (await as(s, jo, 'POST', PATH, ios)).json()
  await as(s, jo, 'PUT', PREFERENCES, { rules: { default: [{ method_id: id, delay_seconds: 0 }], high: [] } })
  t.equal((await as(s, bo, 'POST', PATH, ios)).statusCode, 201)
  t.same([await owned(jo), await owned(bo)], [0, 1], 'within one workspace')
  const wishes = (await as(s, jo, 'GET', PREFERENCES)).json()
  t.same(wishes.rules, { default: [], high: [] })
  t.equal((await as(s, jo, 'PUT', PREFERENCES, { rules: wishes.rules })).statusCode, 200)
  t.equal((await as(s, away, 'POST', PATH, ios)).statusCode, 201)
  t.same([await owned(bo), await owned(away)], [0, 1], 'and beyond it')
  const both = await Promise.all([as(s, jo, 'POST', PATH, ios), as(s, bo, 'POST', PATH, ios)])
  t.same(
    both.map(({ statusCode }) => statusCode),
    [201, 201]
  )
  t.same([(await owned(jo)) + (await owned(bo)), await owned(away)], [1, 0], 'whoever was last')
})

t.test('without push settings of the operator, no phone is registered', async (t) => {
  const s = await stand(t)
  for (const body of [ios, android]) {
    const answer = await s.call(s.acme, 'POST', PATH, body)
    t.match([answer.statusCode, answer.json().details], [422, [{ path: 'platform', rule: 'not_set_up' }]])
  }
})

/** Returns every column of every table, as text. */
async function everything(s: Stand): Promise<string> {
  const { rows: tables } = await s.systemPool.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND has_table_privilege('service_system', oid, 'SELECT')"
  )
  const all = await Promise.all(tables.map(({ name }) => s.systemPool.query(`SELECT to_jsonb(x)::text AS row FROM ${name} x`)))
  return JSON.stringify(all.map(({ rows }) => rows))
}

t.test('pages reach phones, and a person whose app is gone is paged by another method', async (t) => {
  const pair = certificate(t)
  const [apns, fcm] = [await fakeApns(t, pair), await fakeFcm(t, pair)]
  const s = await stand(t, { jobs: true, config: pushSettings })
  const lines: string[] = []
  notifier(t, s, {
    senders: localSenders(pair.cert),
    deployment: { ...deployment, ...pushDeployment(apns, fcm) },
    secretsKey: SECRETS_KEY,
    log: createLog('notifier', 'debug', { write: (line: string) => void lines.push(line) })
  })
  const jo = await person(s, s.acme, 'jo-told', 'responder')
  const phone = (await as(s, jo, 'POST', PATH, { ...ios, name: 'Jo’s phone' })).json()
  const tablet = (await as(s, jo, 'POST', PATH, { ...android, name: 'Tablet' })).json()
  const rule = (id: string) => ({ method_id: id, delay_seconds: 0 })
  await as(s, jo, 'PUT', PREFERENCES, { rules: { default: [rule(phone.id), rule(tablet.id)], high: [] } })
  await asks(s, s.acme, jo.user_id)

  const first = await s.incident(s.acme)
  await until('both phones', () => apns.pushed.length === 1 && fcm.pushed.length === 1)
  await until('it to be written', () => isQuiet(s))
  t.match(apns.pushed[0], { token: TOKEN, body: { incident_id: first.incident_id, aps: { alert: { title: /CRITICAL/ } } } })
  t.match(fcm.pushed[0], { token: android.push_token, body: { data: { incident_id: first.incident_id, event: 'down' } } })
  t.match(
    (await ledger(s, first.incident_id)).map(({ state, accepted }) => [state, accepted]),
    [
      ['sent', true],
      ['sent', true]
    ]
  )
  await s.call(s.acme, 'POST', `/api/v1/incidents/${first.incident_id}/resolve`, { note: 'Done.' })
  await until('its end', () => apns.pushed.length === 2 && fcm.pushed.length === 2)
  await until('it to be written', () => isQuiet(s))
  t.match(fcm.pushed[1]?.body, { data: { event: 'up' }, android: { notification: { tag: first.incident_id } } })

  apns.gone.set(TOKEN, Date.now())
  fcm.gone.add(android.push_token)
  const second = await s.incident(s.acme)
  await until('the mail in their place', async () => (await ledger(s, second.incident_id)).length === 3)
  await until('it to be written', () => isQuiet(s))
  const rows = await s.systemPool.query('SELECT kind, state, error_code FROM deliveries WHERE incident_id = $1 ORDER BY seq', [
    second.incident_id
  ])
  t.match(rows.rows, [
    { kind: 'push', state: 'failed', error_code: 'refused_channel' },
    { kind: 'push', state: 'failed', error_code: 'refused_channel' },
    { kind: 'email' }
  ])
  const gone = (await as(s, jo, 'GET', PATH)).json().items
  t.match(gone, [{ invalid_at: String }, { invalid_at: String }])
  t.match(
    (await as(s, jo, 'GET', PREFERENCES)).json().contact_methods.map(({ verified_at }: { verified_at: string | null }) => verified_at),
    [String, null, null]
  )
  const feed = (await as(s, jo, 'GET', '/api/v1/notifications/feed?category=admin')).json().items
  t.same(feed.map(({ title }: { title: string }) => title).sort(), ['Jo’s phone is not told any more', 'Tablet is not told any more'])
  const others = (await s.call(s.acme, 'GET', '/api/v1/notifications/feed?category=admin')).json().items
  t.same(others, [], 'nobody else reads of it')

  apns.gone.clear()
  t.match((await as(s, jo, 'POST', PATH, ios)).json(), { id: phone.id, invalid_at: null }, 'the app is there again')
  const third = await s.incident(s.acme)
  await until('the phone', () => apns.pushed.some(({ body }) => body.incident_id === third.incident_id))
  await until('it to be written', () => isQuiet(s))

  await s.systemPool.query("UPDATE push_devices SET invalid_at = now() - interval '31 days' WHERE invalid_at IS NOT NULL")
  t.equal(await forgetDevices(s.systemPool), 1)
  t.equal((await as(s, jo, 'GET', PATH)).json().items.length, 1)

  const known = [await everything(s), s.logged(), lines.join('\n')].join('\n')
  for (const secret of [TOKEN, android.push_token, ...fcm.accessTokens, ...apns.providerTokens]) t.notOk(known.includes(secret))
  for (const key of [APNS.private_key, FCM.private_key]) t.notOk(known.includes(key.split('\n')[1] ?? ''))
})
