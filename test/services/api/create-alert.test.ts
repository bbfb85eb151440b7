/**
 * Tests of creating an alert over the API: what is in the outbox, what the incident fold makes of
 * it, and what is counted. There is no Kafka here.
 */
import t from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { apiIntegrationId } from '../../../services/api/alerts/create.ts'
import { IngestBudget } from '../../../services/api/plugins/ingest-budget.ts'
import { changeCeiling } from '../../../services/store/budgets.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { as, audited, person } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const PATH = '/api/v1/alerts'
const codec = localCodec()

interface Row {
  aggregate: string
  ver: number
  key: string
  headers: object
  payload: Buffer
}

/** Removes the waiting records of a topic from the outbox and returns them in order. */
async function outgoing(s: Stand, { tenant_id }: Workspace, topic: string): Promise<Row[]> {
  const { rows } = await s.systemPool.query<Row & { id: number }>(
    `DELETE FROM outbox WHERE tenant_id = $1 AND topic = $2 RETURNING id, aggregate, ver, convert_from(key, 'UTF8') AS key, headers, payload`,
    [tenant_id, topic]
  )
  return rows.sort((one, other) => one.id - other.id)
}

const sent = async (s: Stand, who: Workspace): Promise<InboundAlert[]> =>
  (await outgoing(s, who, 'alerts.inbound.v1')).map(({ payload }) => codec.decode('InboundAlert', payload))

/** Delivers each waiting record once, in order, as the log would. */
async function arrives(s: Stand, who: Workspace): Promise<void> {
  for (const value of await sent(s, who)) await s.signal(who, value)
}

t.test('creating an alert over the API', async (t) => {
  const s = await stand(t)
  const { acme, globex } = s
  const post = (body: object, who: Workspace | string = acme) => s.call(who, 'POST', PATH, body)
  const read = async (id: string) => (await s.call(acme, 'GET', `${PATH}/${id}`)).json()
  const count = async (key: string) => (await s.call(acme, 'GET', `${PATH}?dedup_key=${key}`)).json().items.length

  await t.test('an alert is in the outbox as intake would write it', async (t) => {
    const occurred_at = Date.now() - 60_000
    const answer = await post({
      title: 'Disk <b>full</b>',
      severity: 'P1',
      dedup_key: 'db-7/disk',
      description: 'Only 1 % is left',
      source: 'df',
      labels: { service: 'db' },
      url: 'https://wiki.example.com/disk',
      occurred_at: new Date(occurred_at).toISOString()
    })
    t.equal(answer.statusCode, 202)
    t.match(answer.headers, { 'x-ratelimit-name': 'ingest_tenant', 'x-ratelimit-limit': '60000', 'x-ratelimit-remaining': '59999' })
    const created = answer.json()
    t.match(created, { source_dedup_key: 'db-7/disk', action: 'fire', status: 'accepted', reason: null })
    const [row] = await outgoing(s, acme, 'alerts.inbound.v1')
    if (!row) return t.fail('one row')
    const value = codec.decode('InboundAlert', row.payload)
    t.match(row, {
      aggregate: `alerts:${acme.tenant_id}`,
      ver: 1,
      key: `${acme.tenant_id}|${created.dedup_key}`,
      headers: { event_id: value.event_id, src: `token:${acme.token_id}` }
    })
    t.match(value, {
      tenant_id: acme.tenant_id,
      integration_id: apiIntegrationId(acme.tenant_id),
      source: 'api',
      dedup_key: created.dedup_key,
      source_dedup_key: 'db-7/disk',
      action: 'fire',
      title: 'Disk full',
      description: 'Only 1 % is left',
      severity: 'critical',
      source_severity: 'P1',
      occurred_at,
      time_source: 'sender',
      sequence: 1,
      sequence_kind: 'receipt',
      delivery_id: null,
      labels: { service: 'db', source: 'df' },
      links: [{ title: 'Link', url: 'https://wiki.example.com/disk' }],
      team_id: null,
      visibility: 'org'
    })
    t.same(await audited(s, acme.tenant_id, created.alert_id), ['alert.sent'])

    await s.signal(acme, value)
    t.match(await read(created.alert_id), {
      id: created.alert_id,
      incident_id: created.alert_id,
      status: 'ongoing',
      title: 'Disk full',
      severity: 'critical',
      priority: 'P1',
      dedup_key: created.dedup_key,
      source: { kind: 'inbound', type: 'api', integration_id: apiIntegrationId(acme.tenant_id) }
    })
  })

  await t.test('a second alert with the same key updates the first, and a recovery resolves it', async (t) => {
    const first = (await post({ title: 'Queue is full', dedup_key: 'queue' })).json()
    await arrives(s, acme)
    const again = (await post({ title: 'Queue is fuller', dedup_key: 'queue' })).json()
    t.equal(again.alert_id, first.alert_id, 'the ongoing one')
    await arrives(s, acme)
    t.equal(await count(first.dedup_key), 1)
    t.match((await post({ status: 'acknowledged', title: 'x', dedup_key: 'queue' })).json(), {
      alert_id: first.alert_id,
      action: 'ignore',
      status: 'ignored',
      reason: 'acknowledged'
    })
    t.same(await sent(s, acme), [], 'what is ignored is not sent')
    t.match((await post({ status: 'resolved', dedup_key: 'queue' })).json(), { alert_id: first.alert_id, action: 'resolve' })
    await arrives(s, acme)
    t.match(await read(first.alert_id), { status: 'resolved', resolution: { reason: 'recovered' } })
    t.match((await post({ status: 'ok', dedup_key: 'queue' })).json(), { alert_id: null, status: 'accepted' }, 'nothing is ongoing')
    await arrives(s, acme)
    const next = (await post({ title: 'Queue is full', dedup_key: 'queue' })).json()
    await arrives(s, acme)
    t.not(next.alert_id, first.alert_id)
    t.equal(await count(first.dedup_key), 2)
  })

  await t.test('repeated sends by the relay change nothing', async (t) => {
    const { alert_id, dedup_key } = (await post({ title: 'Flutter', dedup_key: 'flutter' })).json()
    await post({ status: 'resolved', dedup_key: 'flutter' })
    const both = await sent(s, acme)
    t.equal(both.length, 2)
    for (const value of [...both, ...both, ...both]) await s.signal(acme, value)
    t.equal(await count(dedup_key), 1)
    t.match(await read(alert_id), { status: 'resolved' })
  })

  await t.test('after a manual resolve, a repeated alert opens nothing until a recovery', async (t) => {
    const { alert_id, dedup_key } = (await post({ title: 'Known', dedup_key: 'known' })).json()
    await arrives(s, acme)
    await s.call(acme, 'POST', `${PATH}/${alert_id}/resolve`, {})
    const again = (await post({ title: 'Known', dedup_key: 'known' })).json()
    await arrives(s, acme)
    t.equal(await count(dedup_key), 1)
    t.equal((await s.call(acme, 'GET', `${PATH}/${again.alert_id}`)).statusCode, 404)
    await post({ status: 'resolved', dedup_key: 'known' })
    await post({ title: 'Known', dedup_key: 'known' })
    await arrives(s, acme)
    t.equal(await count(dedup_key), 2, 'after a recovery it may open again')
  })

  await t.test('simultaneous alerts are all sent, numbered in order', async (t) => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, nth) => post({ title: `Burst ${nth % 4}` })))
    t.same([...new Set(answers.map(({ statusCode }) => statusCode))], [202])
    const rows = await outgoing(s, acme, 'alerts.inbound.v1')
    const numbers = rows.map(({ payload }) => codec.decode('InboundAlert', payload).sequence)
    t.equal(rows.length, 40)
    t.same(
      numbers,
      [...numbers].sort((one, other) => Number(one) - Number(other))
    )
    t.same(
      rows.map(({ ver }) => ver),
      numbers
    )
    t.equal(new Set(numbers).size, 40)
  })

  await t.test('each workspace has its own keys and sequence numbers', async (t) => {
    const [mine, theirs] = [(await post({ title: 'Same' })).json(), (await post({ title: 'Same' }, globex)).json()]
    t.equal(mine.source_dedup_key, theirs.source_dedup_key)
    t.not(mine.dedup_key, theirs.dedup_key)
    t.match(await sent(s, globex), [{ tenant_id: globex.tenant_id, sequence: 1, integration_id: apiIntegrationId(globex.tenant_id) }])
    await arrives(s, acme)
  })

  await t.test('the id of an alert of a private team is not revealed to outsiders', async (t) => {
    const team_id = (await s.call(acme, 'POST', '/api/v1/teams', { name: 'Vault', visibility: 'private' })).json().id
    await s.rules(acme, [ruleOf(uuidv4(), { match: { all: [{ field: 'label.vault', op: 'exists' }] }, actions: { team_id } })])
    const outsider = await person(s, acme, 'outsider', 'editor')
    const body = { title: 'Vault is open', labels: { vault: 'yes' } }
    const hidden = (await post(body)).json()
    await arrives(s, acme)
    t.match(await read(hidden.alert_id), { team_id })
    const asked = (await as(s, outsider, 'POST', PATH, body)).json()
    t.not(asked.alert_id, hidden.alert_id)
    t.same(Object.keys(asked), Object.keys(hidden))
    t.match((await as(s, outsider, 'POST', PATH, { ...body, status: 'resolved' })).json(), { alert_id: null })
    t.equal((await post(body)).json().alert_id, hidden.alert_id, 'who sees it is told')
    await outgoing(s, acme, 'alerts.inbound.v1')
  })

  await t.test('an alert that intake would cut or ignore is refused and sends nothing', async (t) => {
    const long = (length: number): string => 'x'.repeat(length)
    for (const [body, path, rule] of [
      [{}, 'title', 'required'],
      [{ status: 'resolved' }, 'title', 'required'],
      [{ title: '' }, 'title', 'length'],
      [{ title: '  ' }, 'title', 'pattern'],
      [{ title: long(301) }, 'title', 'length'],
      [{ title: 'x', severity: 3 }, 'severity', 'type'],
      [{ title: 'x', status: 'on fire' }, 'status', 'enum'],
      [{ title: 'x', dedup_key: long(513) }, 'dedup_key', 'length'],
      [{ title: 'x', description: long(15_001) }, 'description', 'length'],
      [{ title: 'x', labels: { a: 5 } }, 'labels.a', 'type'],
      [{ title: 'x', labels: { 'not fit': 'x' } }, 'labels', String],
      [{ title: 'x', occurred_at: 'yesterday' }, 'occurred_at', 'pattern'],
      [{ title: 'x', message: 'x' }, 'message', 'unknown_field'],
      [{ alerts: [{ title: 'x' }] }, 'alerts', 'unknown_field']
    ] as const) {
      const answer = await post(body)
      t.equal(answer.statusCode, 422, JSON.stringify(body).slice(0, 60))
      t.match(answer.json().details, [{ path: new RegExp(`^${path}`), rule }], JSON.stringify(body).slice(0, 60))
    }
    t.equal((await post([{ title: 'x' }])).statusCode, 422)
    t.same(await sent(s, acme), [])
  })

  await t.test('alerts over the API count in the inbound budget', async (t) => {
    const small = await s.workspace('small', 'free')
    const instance = { tenant_id: small.tenant_id, plan: 'free' } as const
    for (let nth = 0; nth < 998; nth++) await s.services.ingest.take(instance)
    t.equal((await post({ title: 'x' }, small)).headers['x-ratelimit-remaining'], '1')
    t.equal((await post({}, small)).statusCode, 422, 'what is refused counts as one')
    const refused = await post({ title: 'x' }, small)
    t.match(refused.json(), {
      code: 'RATE_LIMITED',
      name: 'ingest_tenant',
      limit: 1000,
      remaining: 0,
      window_seconds: 60,
      retry_after: Number
    })
    t.match(refused.headers, { 'retry-after': /^\d+$/, 'x-ratelimit-name': 'ingest_tenant' })
    t.equal((await sent(s, small)).length, 1)
    t.equal((await post({ title: 'x' })).statusCode, 202, 'others go on')

    await s.services.ingest.flush()
    const [told, ...more] = await outgoing(s, small, 'ingest.usage.v1')
    t.equal(more.length, 0)
    t.match(told, { key: small.tenant_id })
    t.match(told && codec.decode('UsageCounter', told.payload), {
      tenant_id: small.tenant_id,
      instance: 'api',
      accepted: 1000,
      refused: 1,
      limit: 1000
    })
    await s.services.ingest.flush()
    t.same(await outgoing(s, small, 'ingest.usage.v1'), [], 'told once')

    const operator = { kind: 'system', id: 'operator', via: 'cli', request_id: null } as const
    await tenantTransaction(s.systemPool, wholeWorkspace(small.tenant_id), (tx) =>
      changeCeiling(tx, codec, small.tenant_id, 5000, operator)
    )
    const other = new IngestBudget({ pool: s.tenantPool, codec, log: s.services.log, floor: 1000, instance: 'other' })
    t.teardown(() => other.close())
    const [first, second] = await Promise.all([other.take(instance), other.take(instance)])
    t.match(first, { admitted: true, limit: 5000, remaining: 4999 }, 'a raised ceiling counts')
    t.match(second, { admitted: true, limit: 5000, remaining: 4998 }, 'also for requests that come while it is read')
  })
})
