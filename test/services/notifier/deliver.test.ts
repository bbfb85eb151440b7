/**
 * Tests of the way from an incident to the receiver and back into the ledger, on a real Postgres
 * and over real sockets.
 */
import t from 'tap'
import { sealForTenant } from '../../../services/credentials/sealing.ts'
import { until } from '../../harness/until.ts'
import { SECRETS_KEY, stand, type Workspace } from '../api/stand.ts'
import { channel, hurry, isQuiet, ledger, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

t.test('a default channel gets failure, acknowledgement and recovery of an incident, in order, once each', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  notifier(t, s)
  const { incident_id } = await s.incident(s.acme)
  await until('the failure', () => target.received.length === 1)
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, {})).statusCode, 200)
  await until('the acknowledgement', () => target.received.length === 2)
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })).statusCode, 200)
  await until('the end', async () => target.received.length === 3 && (await isQuiet(s)))
  t.same(
    target.received.map(({ headers }) => headers['x-service-event']),
    ['incident.created', 'incident.acknowledged', 'incident.resolved']
  )
  const rows = await ledger(s)
  t.match(rows, [
    {
      event: 'down',
      state: /sent|delivered/,
      attempts: 1,
      accepted: true,
      ver: 2,
      attempt_log: [{ n: 1, outcome: 'accepted', http_status: 204 }]
    },
    { event: 'acknowledged', state: /sent|delivered/, attempts: 1 },
    { event: 'up', state: /sent|delivered/, attempts: 1 }
  ])
  t.same(
    target.received.map(({ headers }) => headers['x-service-delivery']),
    rows.map(({ delivery_id }) => delivery_id)
  )
})

t.test('acknowledgement and recovery wait for the failure that a failing receiver did not take', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  let takes = false
  target.answers.set('/hook', (response) => void response.writeHead(takes ? 204 : 500).end())
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  notifier(t, s)
  const { incident_id } = await s.incident(s.acme)
  const events = () => target.received.map(({ headers }) => headers['x-service-event'])
  await until('it to wait', async () => (await ledger(s))[0]?.state === 'retrying')
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, {})
  await until('the acknowledgement', async () => (await ledger(s)).length === 2)
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
  await until('the end', async () => (await ledger(s)).length === 3)
  t.same([...new Set(events())], ['incident.created'], 'nothing overtakes the failure')
  takes = true
  await until('all', async () => {
    await hurry(s)
    return isQuiet(s)
  })
  const later = ['incident.acknowledged', 'incident.resolved']
  t.same([...new Set(events())], ['incident.created', ...later])
  t.same(
    events().filter((event) => event !== 'incident.created'),
    later,
    'each of them once'
  )
  t.same(events().slice(-2), later, 'after every try of the failure')
})

t.test('only refusals in a row turn a channel off, not failures before one', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  const answers = [502, 502, 404, 502, 404, 404, 404]
  target.answers.set('/hook', (response, _request, nth) => void response.writeHead(answers[nth] ?? 204).end())
  const channel_id = await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  notifier(t, s)
  await s.incident(s.acme)
  const healthAfter = async (attempts: number) => {
    await until(`attempt ${attempts}`, async () => {
      const [row] = await ledger(s)
      return row?.attempts === attempts && row.state !== 'sending'
    })
    const { rows } = await s.systemPool.query('SELECT health_state, disabled_reason FROM notification_channels WHERE channel_id = $1', [
      channel_id
    ])
    await hurry(s)
    return rows[0]
  }
  const states = []
  for (const nth of answers.keys()) states.push((await healthAfter(nth + 1)).health_state)
  t.same(states, ['ok', 'ok', 'failing', 'failing', 'failing', 'failing', 'disabled'])
})

t.test('channels of a routing rule replace the default channels', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await channel(s, s.acme, { config: { url: `${target.url}/default` } })
  const named = await channel(s, s.acme, { config: { url: `${target.url}/named` }, is_default: false })
  const rule = { name: 'Shop', actions: { channel_ids: [named.toUpperCase()] } }
  const made = await s.call(s.acme, 'POST', '/api/v1/routing-rules', rule)
  t.match([made.statusCode, made.json().actions], [201, { channel_ids: [named] }], made.body)
  const used = await s.call(s.acme, 'DELETE', `/api/v1/notifications/channels/${named}`)
  t.match([used.statusCode, used.json().details], [409, [{ path: 'routing_rules', actual: 1 }]])
  notifier(t, s)
  const { incident_id } = await s.incident(s.acme)
  await until('the failure', () => target.received.length === 1)
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
  await until('the end', async () => target.received.length === 2 && (await isQuiet(s)))
  t.same(
    target.received.map(({ path, headers }) => [path, headers['x-service-event']]),
    [
      ['/named', 'incident.created'],
      ['/named', 'incident.resolved']
    ]
  )
})

t.test('a failing receiver gets the same bytes again under the same key', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/hook', (response, _request, nth) => void response.writeHead(nth === 0 ? 500 : 204).end('not now'))
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  notifier(t, s)
  await s.incident(s.acme)
  await until('it to wait', async () => (await ledger(s))[0]?.state === 'retrying')
  t.match(await ledger(s), [{ attempts: 1, attempt_log: [{ outcome: 'retryable', http_status: 500, reply: 'not now' }] }])
  await hurry(s)
  await until('the second', async () => target.received.length === 2 && (await isQuiet(s)))
  const [first, second] = target.received
  t.equal(first?.body, second?.body)
  t.equal(first?.headers['x-service-delivery'], second?.headers['x-service-delivery'])
})

t.test('a receiver has taken a message once it says so, even if its answer never ends', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/stays', (response) => void response.writeHead(200).write('half'))
  target.answers.set('/cut', (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    response.socket?.end()
  })
  const busy = await channel(s, s.acme, { config: { url: `${target.url}/busy` } })
  target.answers.set('/busy', (response) => void response.writeHead(503, { 'retry-after': '60' }).write('half'))
  for (const path of ['stays', 'cut']) await channel(s, s.acme, { config: { url: `${target.url}/${path}` } })
  notifier(t, s, { limits: { connectMs: 5000, totalMs: 2000 } })
  await s.incident(s.acme)
  await until('the outcomes', async () => (await ledger(s)).filter(({ attempt_log }) => attempt_log.length > 0).length === 3)
  for (const { channel_id, ...row } of await ledger(s)) {
    const known = { attempts: 1, ambiguous: 0, attempt_log: [{ reply: 'half' }] }
    t.match(row, { ...known, state: channel_id === busy ? 'retrying' : 'delivered' })
  }
  t.equal(target.received.length, 3, 'once each')
})

t.test('an answer with characters that no store accepts is recorded, and the message is not sent again', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/picture', (response) => void response.writeHead(200).end(Buffer.from([71, 0, 1])))
  // What is quoted of it ends in the middle of the character.
  target.answers.set('/half', (response) => void response.writeHead(500).end(`${'x'.repeat(199)}😀`))
  const picture = await channel(s, s.acme, { config: { url: `${target.url}/picture` } })
  await channel(s, s.acme, { config: { url: `${target.url}/half` } })
  // Gotify gives its message an id, which is kept.
  target.answers.set('/message', (response) => void response.writeHead(200).end(JSON.stringify({ id: '\0\ud83d' })))
  const gotify = await channel(s, s.acme, { kind: 'gotify' })
  const place = { tenant_id: s.acme.tenant_id, resource: `channel:${gotify}`, field: 'application_token' }
  await s.systemPool.query('UPDATE notification_channels SET config = $2 WHERE channel_id = $1', [
    gotify,
    JSON.stringify({ server_url: target.url, application_token: sealForTenant(SECRETS_KEY, place, 'a-token-of-gotify') })
  ])
  notifier(t, s)
  await s.incident(s.acme)
  await until('the outcomes', async () => (await ledger(s)).filter(({ attempt_log }) => attempt_log.length > 0).length === 3)
  for (const { channel_id, ...row } of await ledger(s)) {
    const known = { attempts: 1, ambiguous: 0 }
    if (channel_id === picture) t.match(row, { ...known, state: 'delivered', attempt_log: [{ reply: 'G\uFFFD\u0001' }] })
    else if (channel_id === gotify) t.match(row, { ...known, attempt_log: [{ provider_message_id: '\uFFFD\uFFFD' }] })
    else t.match(row, { ...known, state: 'retrying', error_code: 'retry', attempt_log: [{ http_status: 500 }] })
  }
  t.same(target.received.map(({ path }) => path).sort(), ['/half', '/message', '/picture'], 'once each')
})

t.test('members see incidents and recoveries in their feed, unless they turned the category off', async (t) => {
  const s = await stand(t, { jobs: true })
  notifier(t, s)
  const items = async () => (await s.call(s.acme, 'GET', '/api/v1/notifications/feed')).json().items
  const { incident_id } = await s.incident(s.acme)
  await until('the item', async () => (await items()).length === 1)
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
  await until('the second', async () => (await items()).length === 2)
  t.match(await items(), [
    { type: 'recovered', category: 'incident', severity: 'info', incident_id },
    { type: 'incident', title: 'Disk full on db-7', incident_id }
  ])
  await s.systemPool.query(
    `INSERT INTO notification_preferences (tenant_id, user_id, body) VALUES ($1, $2, '{"feed_categories": ["admin"]}')`,
    [s.acme.tenant_id, s.acme.user_id]
  )
  await s.incident(s.acme, { dedup_key: 'int:x:unwanted' })
  await until('it to be looked at', () => isQuiet(s))
  t.equal((await items()).length, 2)
})

t.test('a silenced incident and its end notify nobody, and the ledger names the silence', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  const ends_at = new Date(Date.now() + 3_600_000).toISOString()
  const matchers = [{ field: 'title', op: 'contains', value: 'Disk' }]
  const silence = (await s.call(s.acme, 'POST', '/api/v1/silences', { matchers, comment: 'Known.', ends_at })).json()
  notifier(t, s)
  const { incident_id } = await s.incident(s.acme)
  await until('it to be decided', async () => (await ledger(s)).length === 1 && (await isQuiet(s)))
  t.match(await ledger(s), [{ event: 'down', state: 'suppressed', suppressed_by: 'silence', suppressed_cause: silence.id }])
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
  await until('its end to be decided', () => isQuiet(s))
  t.same(target.received, [])
  t.equal((await ledger(s)).length, 1)
  t.same((await s.call(s.acme, 'GET', '/api/v1/notifications/feed')).json().items, [])
})

t.test('an incident with many channels that do not answer leaves places for other workspaces', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  let hangs = true
  const waiting: (() => void)[] = []
  for (let nth = 0; nth < 8; nth++) {
    target.answers.set(`/${nth}`, (response) => {
      const answer = (): void => void response.writeHead(204).end()
      if (hangs) waiting.push(answer)
      else answer()
    })
    await channel(s, s.acme, { config: { url: `${target.url}/${nth}` } })
  }
  await channel(s, s.globex, { config: { url: `${target.url}/other` } })
  notifier(t, s, { maxInFlight: 16 })
  const states = async (home: Workspace): Promise<string[]> => {
    const { rows } = await s.systemPool.query<{ state: string }>('SELECT state FROM deliveries WHERE tenant_id = $1', [home.tenant_id])
    return rows.map(({ state }) => state)
  }
  for (const made of [8, 16]) {
    await s.incident(s.acme, { dedup_key: `int:x:${made}` })
    await until('its deliveries', async () => (await states(s.acme)).length === made)
    t.equal((await states(s.acme)).filter((state) => state === 'sending').length, 4, 'a quarter of the places')
  }
  await until('four requests', () => waiting.length === 4)
  await s.incident(s.globex)
  await until('the other workspace', async () => (await states(s.globex)).includes('delivered'))
  t.equal(waiting.length, 4)
  hangs = false
  for (const answer of waiting) answer()
  await until('everything to be sent', () => isQuiet(s))
  t.ok((await ledger(s)).every(({ state, attempts }) => state === 'delivered' && attempts === 1))
})
