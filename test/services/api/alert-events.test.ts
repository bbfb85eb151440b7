/**
 * Tests of the list of an incident's alerts. Records of the log go through the real ClickHouse and
 * are joined with what the incident rules stored about them in Postgres.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { columnsOf } from '../../../services/analytics/columns.ts'
import { formBatch } from '../../../services/analytics/forming.ts'
import { serveQueries } from '../../../services/analytics/server.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { transaction } from '../../../services/store/pool.ts'
import { incidentProcessor } from '../../../streams/topology.ts'
import { localCodec } from '../../harness/codec.ts'
import { alert, monitorInput } from '../../streams/incident/build.ts'
import { ownEngine, ownFolder } from '../analytics/stand.ts'
import { analyticsDouble } from './analytics-double.ts'
import { stand } from './stand.ts'

const MINUTE = 60_000

t.test('alerts of an incident', async (t) => {
  const engine = await ownEngine(t)
  const complete = Date.UTC(2026, 10, 21)
  const url = `unix:${join(ownFolder(t), 'analytics.sock')}`
  const log = pino({ level: 'silent' })
  const server = await serveQueries({ url, secret: '', engine, completeUntil: () => complete, log, metrics: createMetrics() })
  t.teardown(() => server.close())
  const s = await stand(t, { analyticsUrl: server.url })
  const { tenant_id, integration_id } = s.acme
  const codec = localCodec()
  const dedup_key = `int:${integration_id}:disk`
  const start = Date.now() - 60 * MINUTE
  let offset = 0n

  /**
   * Hands the record to both consumers of its topic: the incident rules and the analytics tables.
   * Returns the record's id.
   */
  async function arrives(minute: number, over: Partial<InboundAlert> = {}): Promise<string> {
    const at = start + minute * MINUTE
    const value = alert({ event_id: uuidv4(), tenant_id, integration_id, dedup_key, occurred_at: at - 100, received_at: at, ...over })
    const record = {
      topic: 'alerts.inbound.v1',
      partition: 0,
      offset: offset++,
      timestamp: at + 3,
      key: `${value.tenant_id}|${value.dedup_key}`
    } as const
    await transaction(s.systemPool, async (tx) => {
      const inputs = [{ record: 'InboundAlert' as const, value, ...record }]
      await incidentStore.save(tx, incidentProcessor.fold(await incidentStore.load(tx, inputs), inputs).saved)
    })
    const batch = formBatch(codec, (topic, reason) => t.fail(`${topic}: ${reason}`))
    batch.take([{ ...record, value: codec.encode('InboundAlert', value), headers: {} }])
    for (const { table, body } of batch.inserts()) await engine.insert(table, columnsOf(table), body, value.event_id)
    return value.event_id
  }

  const links = [{ title: 'Graph', url: 'https://x.example/' }]
  const sender = { source_dedup_key: 'db-7/disk', source_severity: 'warn' }
  const opened = await arrives(0, { labels: { host: 'db-7' }, links, title: 'Disk full', ...sender })
  const repeat = await arrives(1, { occurred_at: start - 100 })
  const worse = await arrives(2, { severity: 'critical' })
  const note = await arrives(3, { action: 'note', description: 'Ann has seen it' })
  const elsewhere = await arrives(4, { dedup_key: `int:${integration_id}:other` })
  const recovered = await arrives(5, { action: 'resolve' })
  const straggler = await arrives(6, { action: 'resolve' })
  const again = await arrives(7)
  await arrives(7, { tenant_id: s.globex.tenant_id, integration_id: s.globex.integration_id })

  /** Reads the signals of the alert with the reference INC-…; without /alerts, the incident. */
  const read = async (path: string) => {
    const [reference, rest] = path.split('/alerts')
    const incident = (await s.call(s.acme, 'GET', `/api/v1/incidents/${reference}`)).json()
    return rest === undefined ? incident : (await s.call(s.acme, 'GET', `/api/v1/alerts/${incident.id}/events${rest}`)).json()
  }
  const seen = ({ items }: { items: { id: string; caused: object | null }[] }) => items.map(({ id, caused }) => [id, caused])

  await t.test('an incident lists its alerts, each with the change that it caused', async (t) => {
    const list = await read('INC-1/alerts')
    t.same(seen(list), [
      [recovered, { ver: 4, type: 'recovered' }],
      [note, { ver: 3, type: 'comment' }],
      [worse, { ver: 2, type: 'severity_changed' }],
      [repeat, null],
      [opened, { ver: 1, type: 'opened' }]
    ])
    const incident_id = (await read('INC-1')).id
    t.same(list.items.at(-1), {
      id: opened,
      alert_id: incident_id,
      incident_id,
      at: new Date(start).toISOString(),
      occurred_at: new Date(start - 100).toISOString(),
      action: 'fire',
      title: 'Disk full',
      severity: 'warning',
      source_severity: 'warn',
      source_dedup_key: 'db-7/disk',
      accepted_as: 'applied',
      source_type: 'alertmanager',
      integration_id,
      labels: { host: 'db-7' },
      links,
      caused: { ver: 1, type: 'opened' }
    })
    t.match(list, { per_page: 50, next_cursor: null, complete_until: new Date(complete).toISOString() })
    t.notOk(JSON.stringify(list).includes(straggler), 'what came between two incidents is of neither')
  })

  await t.test('each incident lists only its own alerts', async (t) => {
    t.same(seen(await read('INC-2/alerts')), [[elsewhere, { ver: 1, type: 'opened' }]])
    t.same(seen(await read('INC-3/alerts')), [[again, { ver: 1, type: 'opened' }]], 'the next of the same key, still open')
    const theirs = (await s.call(s.globex, 'GET', '/api/v1/incidents')).json().items[0].id
    t.equal((await s.call(s.acme, 'GET', `/api/v1/alerts/${theirs}/events`)).statusCode, 404)
  })

  await t.test('the list says why an alert changed nothing and has alerts after a manual resolve', async (t) => {
    const told = async (reference: string) =>
      (await read(`${reference}/alerts`)).items.map(({ id, accepted_as }: { id: string; accepted_as: string }) => [id, accepted_as])
    t.same(await told('INC-1'), [
      [recovered, 'applied'],
      [note, 'applied'],
      [worse, 'applied'],
      [repeat, 'repeat'],
      [opened, 'applied']
    ])
    const own = (minute: number, over: Partial<InboundAlert> = {}) =>
      arrives(minute, { dedup_key: `int:${integration_id}:ended`, occurred_at: start + minute * MINUTE, ...over })
    const fire = await own(50)
    const same = await own(51)
    const older = await own(52, { occurred_at: start })
    const twice = await own(53, { occurred_at: start + 51 * MINUTE })
    await s.call(s.acme, 'POST', '/api/v1/incidents/INC-4/resolve')
    const suppressed = await own(61)
    const last = await own(62, { action: 'resolve' })
    const ended = [
      [last, 'applied'],
      [suppressed, 'suppressed'],
      [twice, 'repeat'],
      [older, 'older'],
      [same, 'applied'],
      [fire, 'applied']
    ]
    t.same(await told('INC-4'), ended)
    await own(70)
    t.same(await told('INC-4'), ended.slice(2), 'until its key opens another')
  })

  await t.test('pages of alerts have no gaps or repeats, and a foreign cursor is refused', async (t) => {
    const ids: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { items: { id: string }[]; next_cursor: string | null } = await read(
        `INC-1/alerts?per_page=2${cursor && `&cursor=${cursor}`}`
      )
      ids.push(...page.items.map(({ id }) => id))
      if (cursor === '') await arrives(8, { dedup_key: `int:${integration_id}:late` })
      cursor = page.next_cursor
    }
    t.same(ids, [recovered, note, worse, repeat, opened])
    const { next_cursor } = await read('INC-1/alerts?per_page=1')
    const refused = async (path: string) => (await read(path)).code
    t.equal(await refused(`INC-3/alerts?cursor=${next_cursor}`), 'BAD_REQUEST', 'the cursor of another incident')
    t.equal(await refused('INC-1/alerts?cursor=zzz'), 'BAD_REQUEST')
    t.equal(await refused('INC-1/alerts?from=2026-01-01T00:00:00Z'), 'VALIDATION_FAILED')
  })
})

t.test('an incident without an integration has no alerts, and analytics is not asked', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url })
  const inputs = [monitorInput({ tenant_id: s.acme.tenant_id })]
  await transaction(s.systemPool, async (tx) => {
    await incidentStore.save(tx, incidentProcessor.fold(await incidentStore.load(tx, inputs), inputs).saved)
  })
  const { id } = (await s.call(s.acme, 'GET', '/api/v1/incidents/INC-1')).json()
  const answer = await s.call(s.acme, 'GET', `/api/v1/alerts/${id}/events`)
  t.match(answer.json(), { items: [], next_cursor: null, complete_until: null })
  t.same(double.asked, [])
})

t.test('while analytics is down, alerts get 503 and the incident can still be read', async (t) => {
  const s = await stand(t)
  const { incident_id } = await s.incident(s.acme)
  const answer = await s.call(s.acme, 'GET', `/api/v1/alerts/${incident_id}/events`)
  t.equal(answer.statusCode, 503)
  t.match(answer.headers, { 'retry-after': '5' })
  t.equal((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).statusCode, 200)
})
