/**
 * Tests of the delivery ledger over the API, of sending a delivery again, and of Send test, which
 * shows the exact answer of the other side.
 */
import t from 'tap'
import { sealForTenant } from '../../../services/credentials/sealing.ts'
import { ACCOUNT, AUTH_TOKEN, FROM } from '../../harness/twilio.ts'
import { until } from '../../harness/until.ts'
import { channel, deployment, hurry, isQuiet, ledger, notifier } from '../notifier/channels.ts'
import { receiver } from '../notifier/receiver.ts'
import { audited } from './people.ts'
import { SECRETS_KEY, stand } from './stand.ts'

const LEDGER = '/api/v1/notifications/deliveries'
const open = { config: { channelAllowCidrs: ['127.0.0.0/8'] } }

t.test('the delivery ledger', async (t) => {
  const s = await stand(t, { jobs: true, ...open })
  const target = await receiver(t)
  const one = await channel(s, s.acme, { config: { url: `${target.url}/one` } })
  await channel(s, s.acme, { config: { url: `${target.url}/two` } })
  const { deliverer } = notifier(t, s)
  const { incident_id } = await s.incident(s.acme)
  const incident = (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json()
  await until('both to be told', async () => target.received.length === 2 && (await isQuiet(s)))

  await t.test('the ledger lists and filters deliveries', async (t) => {
    const all = (await s.call(s.acme, 'GET', LEDGER)).json()
    t.match(all, { items: [{ event: 'down' }, { event: 'down' }], next_cursor: null })
    const mine = (await s.call(s.acme, 'GET', `${LEDGER}?channel_id=${one}&incident_id=${incident_id}`)).json()
    t.match(mine.items, [
      {
        channel_id: one,
        incident_key: incident.key,
        incident_title: incident.title,
        target_name: 'hook',
        kind: 'webhook',
        attempts: [{ n: 1, outcome: 'accepted', http_status: 204 }]
      }
    ])
    t.equal(mine.items.length, 1)
    t.same((await s.call(s.acme, 'GET', `${LEDGER}?state=failed`)).json().items, [])
    for (const [asked, found] of [
      ['event=down', 2],
      ['event=up,test', 0],
      ['kind=webhook', 2],
      ['kind=email,sms', 0],
      ['kind=webhook&event=down&state=delivered', 2]
    ] as const)
      t.equal((await s.call(s.acme, 'GET', `${LEDGER}?${asked}`)).json().items.length, found, asked)
    t.equal((await s.call(s.acme, 'GET', `${LEDGER}?kind=pigeon`)).statusCode, 422)
    t.match(all.items[0].why, { by: 'default_channel' }, 'a row says what chose its target')
    const first = (await s.call(s.acme, 'GET', `${LEDGER}?per_page=1`)).json()
    const second = (await s.call(s.acme, 'GET', `${LEDGER}?per_page=1&cursor=${first.next_cursor}`)).json()
    t.same([...first.items, ...second.items], all.items)
    t.equal(second.next_cursor, null)
    t.equal((await s.call(s.acme, 'GET', `${LEDGER}?cursor=x`)).statusCode, 400)
  })

  const { items } = (await s.call(s.acme, 'GET', `${LEDGER}?channel_id=${one}`)).json()
  await t.test('a delivery is shown with the request that was sent', async (t) => {
    const read = (await s.call(s.acme, 'GET', `${LEDGER}/${items[0].id}`)).json()
    t.match(read, { why: { by: 'default_channel' }, request: { method: 'POST', url: `${target.url}/one`, body: /incident.created/ } })
    t.equal((await s.call(s.globex, 'GET', `${LEDGER}/${items[0].id}`)).statusCode, 404)
  })

  await t.test('a redelivery keeps its key, and needs force after the incident is resolved', async (t) => {
    const again = await s.call(s.acme, 'POST', `${LEDGER}/${items[0].id.toUpperCase()}/redeliver`, {})
    t.equal(again.statusCode, 202, again.body)
    t.match((await s.call(s.acme, 'GET', `/api/v1/workspace/audit-log?object_id=${items[0].id}`)).json(), {
      items: [{ action: 'delivery.redelivered' }]
    })
    deliverer.wake()
    await until('it to be sent again', () => target.received.filter(({ path }) => path === '/one').length === 2)
    await until('it to be recorded', () => isQuiet(s))
    t.match((await s.call(s.acme, 'GET', `${LEDGER}/${items[0].id}`)).json(), { manual: true, attempts: [{ n: 1 }, { n: 2 }] })
    const [first, second] = target.received.filter(({ path }) => path === '/one')
    t.equal(first?.headers['x-service-delivery'], second?.headers['x-service-delivery'])
    await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
    await until('the end', () => isQuiet(s))
    t.match((await s.call(s.acme, 'POST', `${LEDGER}/${items[0].id}/redeliver`, {})).json(), { code: 'INCIDENT_RESOLVED' })
    t.equal((await s.call(s.acme, 'POST', `${LEDGER}/${items[0].id}/redeliver`, { force: true })).statusCode, 202)
  })
})

t.test('a text message whose outcome stayed unknown is sent again by hand', async (t) => {
  const s = await stand(t, { jobs: true, ...open })
  const target = await receiver(t)
  let cuts = true
  target.answers.set(`/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, (response) => {
    if (cuts) return void response.socket?.destroy()
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid: 'SM1', status: 'queued' }))
  })
  await channel(s, s.acme, { kind: 'sms', config: { number: '+4915112345678' } })
  const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
  const { deliverer } = notifier(t, s, { deployment: { ...deployment, base_urls: { twilio: target.url }, twilio } })
  const { incident_id } = await s.incident(s.acme)
  const ended = () =>
    until('the end', async () => {
      await hurry(s)
      deliverer.wake()
      return isQuiet(s)
    })
  await ended()
  const [item] = (await s.call(s.acme, 'GET', `${LEDGER}?incident_id=${incident_id}`)).json().items
  t.match(item, { kind: 'sms', state: 'failed' })
  t.equal(target.received.length, 2, 'it is repeated once')
  const again = async () => {
    t.equal((await s.call(s.acme, 'POST', `${LEDGER}/${item.id}/redeliver`, {})).statusCode, 202)
    await ended()
    return (await s.call(s.acme, 'GET', `${LEDGER}/${item.id}`)).json()
  }
  t.match(await again(), { state: 'failed', manual: true })
  t.equal(target.received.length, 3, 'once for each click')
  cuts = false
  t.match(await again(), { state: 'sent', error_code: null })
  t.equal(target.received.length, 4)
})

t.test('Send test shows the answer of the receiver without secrets', async (t) => {
  const s = await stand(t, open)
  const target = await receiver(t)
  const secret = 'a secret of the workspace'
  const id = await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  const seal = (field: string, text: string) =>
    sealForTenant(SECRETS_KEY, { tenant_id: s.acme.tenant_id, resource: `channel:${id}`, field }, text)
  await s.systemPool.query("UPDATE notification_channels SET config = config || $2, health_state = 'disabled' WHERE channel_id = $1", [
    id,
    JSON.stringify({ secret: seal('secret', secret), headers: [{ name: 'X-Custom', value: seal('headers.x-custom', `${secret} 2`) }] })
  ])
  target.answers.set('/hook', (response, { headers }) => void response.writeHead(500).end(`you sent ${String(headers['x-custom'])}`))
  const path = `/api/v1/notifications/channels/${id}/test`
  const failed = await s.call(s.acme, 'POST', path, {})
  t.match(failed.json(), { ok: false, http_status: 500, error: /HTTP 500/, reply: /^you sent \[secret\]/ })
  t.notMatch(failed.body, secret)
  t.match(target.received[0]?.headers, { 'x-custom': `${secret} 2`, 'x-service-signature': String })
  const wait = await s.call(s.acme, 'POST', path, {})
  t.match([wait.statusCode, wait.json().code], [429, 'RATE_LIMITED'])
  t.ok(Number(wait.headers['retry-after']) > 0)
  const kept = JSON.stringify((await s.systemPool.query('SELECT * FROM deliveries')).rows)
  t.notMatch(kept, secret, 'nor is it in the ledger')
  t.notMatch(s.logged(), secret, 'nor in the log')

  const other = await channel(s, s.acme, { config: { url: `${target.url}/fine` }, health_state: 'disabled' })
  t.match((await s.call(s.acme, 'POST', `/api/v1/notifications/channels/${other}/test`, {})).json(), {
    ok: true,
    http_status: 204,
    error: null
  })
  const { rows } = await s.systemPool.query('SELECT health_state FROM notification_channels WHERE channel_id = $1', [other])
  t.same(rows, [{ health_state: 'ok' }], 'a test that arrives turns the channel on again')
  const audit = await s.systemPool.query("SELECT object_id, actor_kind, diff FROM audit WHERE action = 'channel.tested' ORDER BY at")
  t.same(audit.rows, [
    { object_id: id, actor_kind: 'token', diff: { ok: [null, false] } },
    { object_id: other, actor_kind: 'token', diff: { ok: [null, true], health: ['disabled', 'ok'] } }
  ])
  t.equal((await s.call(s.globex, 'POST', `/api/v1/notifications/channels/${other}/test`, {})).statusCode, 404)

  target.answers.set('/picture', (response) => void response.writeHead(200).end(Buffer.from([71, 0, 1])))
  const picture = await channel(s, s.acme, { config: { url: `${target.url}/picture` } })
  t.match((await s.call(s.acme, 'POST', `/api/v1/notifications/channels/${picture}/test`, {})).json(), {
    ok: true,
    http_status: 200,
    reply: 'G\uFFFD\u0001'
  })
})

t.test('new settings of a channel, or a test that arrives, end the wait for its quota', async (t) => {
  const s = await stand(t, { jobs: true, ...open })
  const target = await receiver(t)
  const [changed, tested, named] = await Promise.all(
    ['changed', 'tested', 'named'].map((path) => channel(s, s.acme, { config: { url: `${target.url}/${path}` } }))
  )
  await s.systemPool.query("UPDATE notification_channels SET quota_exhausted_until = now() + interval '1 hour' WHERE tenant_id = $1", [
    s.acme.tenant_id
  ])
  const { deliverer } = notifier(t, s)
  const { incident_id } = await s.incident(s.acme)
  const states = async () => (await ledger(s, incident_id)).map(({ state, error_code }) => `${state} ${error_code}`)
  await until('all to wait', async () => (await states()).filter((state) => state === 'retrying quota').length === 3)
  const path = (id: string | undefined) => `/api/v1/notifications/channels/${id}`
  const saved = await s.call(s.acme, 'PATCH', path(changed), { config: { url: `${target.url}/other` } })
  t.match(saved.json(), { health: { quota_exhausted_until: null } })
  t.match((await s.call(s.acme, 'POST', `${path(tested)}/test`, {})).json(), { ok: true })
  t.match((await s.call(s.acme, 'PATCH', path(named), { name: 'New name' })).json(), { health: { quota_exhausted_until: String } })
  deliverer.wake()
  await until('both messages', async () => (await states()).filter((state) => state === 'delivered null').length === 2)
  t.same(target.received.map((one) => one.path).sort(), ['/other', '/tested', '/tested'])
  t.same((await states()).sort(), ['delivered null', 'delivered null', 'retrying quota'], 'a name changes nothing')
})

t.test('a channel created with verify is saved only if its test succeeds', async (t) => {
  const s = await stand(t, open)
  const target = await receiver(t)
  const body = (path: string) => ({ name: 'Hook', kind: 'webhook', config: { url: `${target.url}${path}`, secret: 'tested-before-saved' } })
  target.answers.set('/bad', (response) => void response.writeHead(500).end('try tested-before-saved'))
  const create = (path: string, query = '?verify=true') => s.call(s.acme, 'POST', `/api/v1/notifications/channels${query}`, body(path))
  const count = async () => (await s.call(s.acme, 'GET', '/api/v1/notifications/channels')).json().total
  const refused = await create('/bad')
  t.match([refused.statusCode, refused.json()], [422, { details: [{ path: 'config', rule: 'test_failed', message: /HTTP 500/ }] }])
  t.notMatch(refused.body, 'tested-before-saved')
  t.equal(await count(), 0, 'nothing is left of it')
  t.equal((await s.systemPool.query("SELECT FROM audit WHERE action LIKE 'channel.%'")).rowCount, 0)
  const good = await create('/good')
  t.equal(good.statusCode, 201)
  t.same(await audited(s, s.acme.tenant_id, good.json().id), ['channel.created', 'channel.tested'])
  t.equal(await count(), 1)
  t.same(
    target.received.map(({ path, headers }) => [path, headers['x-service-event'], 'x-service-signature' in headers]),
    [
      ['/bad', 'test', true],
      ['/good', 'test', true]
    ]
  )
  t.equal((await create('/other', '')).statusCode, 201)
  t.equal(target.received.length, 2, 'not asked for, not sent')
  t.equal(
    (await s.call(s.acme, 'POST', '/api/v1/notifications/channels?verify=true', { name: 'Hook', kind: 'webhook', config: {} })).statusCode,
    422
  )
  t.equal(target.received.length, 2, 'what cannot be saved is not tested')
})

t.test('Send test sends nothing to addresses that are not public', async (t) => {
  const s = await stand(t)
  const target = await receiver(t)
  for (const url of [
    `${target.url}/hook`,
    `https://127.0.0.1:${target.port}/`,
    `https://localhost:${target.port}/`,
    'https://169.254.169.254/latest'
  ]) {
    const id = await channel(s, s.acme, { config: { url } })
    t.match(
      (await s.call(s.acme, 'POST', `/api/v1/notifications/channels/${id}/test`, {})).json(),
      { ok: false, http_status: null, reply: null },
      url
    )
  }
  t.same(target.received, [])
})

t.test('tests to an address that is not confirmed count as mails that ask to confirm it', async (t) => {
  const s = await stand(t, open)
  const mail = { name: 'List', kind: 'email', config: { recipient: 'stranger@list.example' } }
  const tryIt = () => s.call(s.acme, 'POST', '/api/v1/notifications/channels?verify=true', mail)
  for (let nth = 0; nth < 5; nth++) t.equal((await tryIt()).statusCode, 422, 'no mail server: the test does not arrive')
  const refused = await tryIt()
  t.match([refused.statusCode, refused.json()], [429, { code: 'RATE_LIMITED', error: /asked 5 times to confirm, or sent tests/ }])
  await s.systemPool.query('DELETE FROM confirmation_mails')

  const saved = (await s.call(s.acme, 'POST', '/api/v1/notifications/channels', mail)).json()
  const test = () => s.call(s.acme, 'POST', `/api/v1/notifications/channels/${saved.id}/test`, {})
  const counted = async () => (await s.systemPool.query('SELECT FROM confirmation_mails')).rowCount
  t.equal((await test()).statusCode, 200)
  t.equal(await counted(), 2, 'the mail that asks, and the test')
  await s.systemPool.query(
    "INSERT INTO confirmation_mails (tenant_id, mail_id, address) SELECT $1, gen_random_uuid(), 'stranger@list.example' FROM generate_series(1, 3)",
    [s.globex.tenant_id]
  )
  // Another channel, because one is tested at most once in 10 s.
  const next = await channel(s, s.acme, { kind: 'email', config: { recipient: 'stranger@list.example' } })
  const testNext = () => s.call(s.acme, 'POST', `/api/v1/notifications/channels/${next}/test`, {})
  await s.systemPool.query('UPDATE notification_channels SET verified_at = NULL WHERE channel_id = $1', [next])
  t.match((await testNext()).json(), { code: 'RATE_LIMITED', error: /asked 5 times/ }, 'of all workspaces')

  const own = await channel(s, s.acme, { kind: 'email', config: { recipient: 'stranger@list.example' } })
  await s.systemPool.query('UPDATE notification_channels SET verified_at = now() WHERE channel_id = $1', [own])
  t.equal((await s.call(s.acme, 'POST', `/api/v1/notifications/channels/${own}/test`, {})).statusCode, 200, 'a confirmed address')
  t.equal(await counted(), 5)
})
