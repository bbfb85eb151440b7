/**
 * What the relay does when it dies itself, or its session or the broker does, and how several
 * relays share the shards.
 */
import t from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { createShards } from '../../../services/relay/shards.ts'
import { holdSession } from '../../../services/store/held-session.ts'
import { SHARDS } from '../../../services/store/relay-shards.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { armCrashPoint, Crash, type CrashPointName, crashPointArmed } from '../../../streams/runtime/crash-point.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import { kafkaProxy } from '../../harness/kafka-proxy.ts'
import { until } from '../../harness/until.ts'
import { frame, logger, mark, relayStack, versions } from './stack.ts'

t.setTimeout(300_000)

/**
 * The versions that a reader accepts: it drops a version that is not newer than the ones before it.
 */
const taken = (found: Record<string, number[]>): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(found).map(([aggregate, list]) => [aggregate, list.filter((ver, index) => ver > Math.max(0, ...list.slice(0, index)))])
  )

const crashes: [point: CrashPointName, sentTwice: boolean][] = [
  ['relay.after-read', false],
  ['relay.after-send', true],
  ['relay.before-delete', true],
  ['relay.after-delete', false]
]
for (const [point, sentTwice] of crashes) {
  t.test(`after a crash at ${point}, the next relay sends all rows in order`, async (t) => {
    const { write, start, records, waiting } = await relayStack(t)
    const first = start()
    await until('shards', () => first.relay.shards().length === SHARDS)
    t.teardown(() => armCrashPoint(null))
    armCrashPoint(point)
    await write(frame('incident:a', 1), frame('incident:b', 1), frame('incident:a', 2))
    t.ok((await first.fatal) instanceof Crash)
    t.notOk(crashPointArmed())
    await first.relay.close()
    await write(frame('incident:a', 3), frame('incident:b', 2))
    start({ handoverMs: 100 })
    await until('an empty outbox', async () => (await waiting()) === 0)
    const expected = { 'incident:a': [1, 2, 3], 'incident:b': [1, 2] }
    await until('all records', () => records.some(({ headers }) => headers.aggregate === 'incident:a' && headers.ver === '3'))
    await until('all records', () => records.some(({ headers }) => headers.aggregate === 'incident:b' && headers.ver === '2'))
    t.same(taken(versions(records)), expected)
    t.equal(records.length, sentTwice ? 8 : 5, sentTwice ? 'what was sent and not deleted is there twice' : 'nothing is there twice')
    const ids = new Map(records.map(({ headers }) => [`${headers.aggregate} ${headers.ver}`, headers.event_id]))
    t.ok(
      records.every(({ headers }) => ids.get(`${headers.aggregate} ${headers.ver}`) === headers.event_id),
      'a repeat has the event_id of the first'
    )
  })
}

t.test('the relay survives an outage of the broker, and sends all rows afterwards', async (t) => {
  const cut: { proxy?: Awaited<ReturnType<typeof kafkaProxy>> } = {}
  const { write, start, records, waiting } = await relayStack(t, async ([broker = '']) => {
    cut.proxy = await kafkaProxy(t, broker)
    return [cut.proxy.address]
  })
  const { relay, fatal, metric } = start()
  let died = false
  fatal.then(() => {
    died = true
  })
  await write(frame('incident:a', 1))
  await until('the first', () => records.length === 1)
  await until('its acknowledgement', async () => (await waiting()) === 0)
  cut.proxy?.cut()
  for (let ver = 2; ver <= 20; ver++) await write(frame('incident:a', ver), frame('incident:b', ver - 1))
  await until('a send without an answer', async () => (await metric('service_relay_retries_total')) >= 1)
  t.equal(await waiting(), 38)
  t.ok((await metric('service_outbox_oldest_seconds')) > 0)
  await until('the gauge to say so', async () => (await metric('service_outbox_rows')) === 38)
  t.ok(relay.ready())
  cut.proxy?.restore()
  await until('an empty outbox', async () => (await waiting()) === 0, 30_000)
  await until('all records', () => Object.values(taken(versions(records))).flat().length === 39)
  t.same(taken(versions(records)), {
    'incident:a': Array.from({ length: 20 }, (_, index) => index + 1),
    'incident:b': Array.from({ length: 19 }, (_, index) => index + 1)
  })
  t.notOk(died)
  await until('a rest', async () => (await metric('service_outbox_rows')) === 0)
})

t.test('an unacknowledged batch is sent again whole and in order, before newer rows', async (t) => {
  const { write, start, waiting } = await relayStack(t)
  const appends: string[][] = []
  const answers = [new OutcomeUnknown('no answer'), new QueueFull('full'), null]
  const log: Append = {
    append: async (batch: readonly OutRecord[]) => {
      appends.push(batch.map(({ headers }) => headers?.ver ?? ''))
      if (appends.length === 1) await write(frame('incident:a', 3))
      const answer = answers.shift()
      if (answer) throw answer
    },
    appendEach: (calls) => calls.map((batch) => log.append(batch)),
    healthy: () => true,
    depth: () => 0,
    close: async () => undefined
  }
  await write(frame('incident:a', 1), frame('incident:a', 2))
  start({ log })
  await until('an empty outbox', async () => (await waiting()) === 0)
  t.same(appends, [
    ['1', '2'],
    ['1', '2', '3'],
    ['1', '2', '3']
  ])
})

t.test('while Postgres refuses to delete rows, they are on the log once', async (t) => {
  const { owner, write, start, records, waiting } = await relayStack(t)
  // A server that became read-only refuses the delete as well, and answers reads.
  await owner.query('REVOKE DELETE ON outbox FROM service_system')
  const refusals: unknown[] = []
  const told = Object.assign(Object.create(logger), { error: (some: { err: unknown }) => void refusals.push(some.err) }) as typeof logger
  await write(frame('incident:a', 1), frame('incident:b', 1))
  const { relay, metric } = start({ logger: told })
  await until('the delete to be refused again and again', () => refusals.length >= 3)
  t.match(refusals, [{ code: '42501' }, { code: '42501' }, { code: '42501' }])
  await write(frame('incident:a', 2))
  t.equal(await waiting(), 3)
  t.ok(relay.ready())
  await owner.query('GRANT DELETE ON outbox TO service_system')
  await until('an empty outbox', async () => (await waiting()) === 0)
  await until('all records', () => versions(records)['incident:a']?.includes(2))
  t.equal(await metric('service_relay_sent_total'), 3, 'each was sent once')
  t.same(versions(records), { 'incident:a': [1, 2], 'incident:b': [1] })
})

t.test('a slow log takes a part of a large read each time, and no row again that it acknowledged', async (t) => {
  const { write, start, records, waiting, brokers, topicPrefix } = await relayStack(t)
  const fast = new Producer({ brokers, clientId: 'slow', log: logger })
  const slow = createBatcher(
    {
      // The deadline of an append is over after a part of the 32 batches.
      async produce(some, deadline) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        const prefixed = some.map((record) => ({ ...record, topic: (topicPrefix + record.topic) as TopicName }))
        await fast.produce(prefixed, deadline)
      },
      close: () => fast.close()
    },
    { deadlineMs: 1500 }
  )
  t.teardown(() => slow.close())
  const ROWS = 320
  const note = 'x'.repeat(25_000)
  for (let first = 1; first <= ROWS; first += 80) {
    const vers = Array.from({ length: 80 }, (_, index) => first + index)
    await write(...vers.map((ver) => frame(`incident:${ver % 4}`, ver, { json: JSON.stringify({ note }) } as object)))
  }
  const { metric } = start({ log: slow })
  await until('an empty outbox', async () => (await waiting()) === 0, 60_000)
  t.ok((await metric('service_relay_retries_total')) >= 1, 'some appends ended before all was acknowledged')
  const all = () => Object.values(versions(records)).flat()
  await until('all records', () => new Set(all()).size === ROWS)
  t.ok(all().length < 2 * ROWS, 'few rows are sent twice: those without an answer at a deadline')
  for (const [aggregate, vers] of Object.entries(taken(versions(records)))) {
    const own = Array.from({ length: ROWS }, (_, index) => index + 1).filter((ver) => `incident:${ver % 4}` === aggregate)
    t.same(vers, own, 'in order')
  }
})

t.test('a relay whose session ends stops sending, and another relay takes all shards', async (t) => {
  const { write, start, endSession, records, waiting } = await relayStack(t)
  const a = start()
  await until('a has all', () => a.relay.shards().length === SHARDS)
  const b = start({ handoverMs: 100 })
  await until('both have their half', () => a.relay.shards().length === SHARDS / 2 && b.relay.shards().length === SHARDS / 2)
  let done = false
  const aggregates = Array.from({ length: 16 }, (_, index) => `incident:${index}`)
  const writing = (async () => {
    for (let ver = 1; !done || ver < 50; ver++) await write(...aggregates.map((aggregate) => frame(aggregate, ver)))
  })()
  await until(
    'both have sent',
    async () => (await a.metric('service_relay_sent_total')) > 0 && (await b.metric('service_relay_sent_total')) > 0
  )
  await endSession(a)
  await a.fatal
  t.notOk(a.relay.ready())
  const sent = await a.metric('service_relay_sent_total')
  await until('b has all', () => b.relay.shards().length === SHARDS)
  done = true
  await writing
  await until('an empty outbox', async () => (await waiting()) === 0)
  t.equal(await a.metric('service_relay_sent_total'), sent)
  const found = await until('all records', () => {
    const all = taken(versions(records))
    return aggregates.every((aggregate) => (all[aggregate]?.length ?? 0) >= 49) && all
  })
  for (const [aggregate, list] of Object.entries(found)) {
    t.same(
      list,
      Array.from({ length: list.length }, (_, index) => index + 1),
      `${aggregate} without a gap`
    )
  }
})

t.test('relays that start and stop share the shards, and rows stay in order', async (t) => {
  const { write, start, records, waiting } = await relayStack(t)
  const a = start()
  await until('a has all', () => a.relay.shards().length === SHARDS)
  let done = false
  const aggregates = Array.from({ length: 16 }, (_, index) => `incident:${index}`)
  const writing = (async () => {
    for (let ver = 1; !done; ver++) await write(...aggregates.map((aggregate) => frame(aggregate, ver)))
  })()
  const b = start()
  const c = start()
  await until('three shares', () => [a, b, c].every(({ relay }) => relay.shards().length <= 3))
  await until('every shard is held', () => new Set([a, b, c].flatMap(({ relay }) => relay.shards())).size === SHARDS)
  await b.relay.close()
  await until('two shares', () => a.relay.shards().length === 4 && c.relay.shards().length === 4)
  done = true
  await writing
  await until('an empty outbox', async () => (await waiting()) === 0)
  await until(
    'all records',
    async () => records.length >= (await a.metric('service_relay_sent_total')) + (await c.metric('service_relay_sent_total'))
  )
  for (const [aggregate, list] of Object.entries(versions(records))) {
    t.same(
      list,
      Array.from({ length: list.length }, (_, index) => index + 1),
      `${aggregate}: each once, in order`
    )
  }
})

t.test('a relay reads a new shard at once after a clean hand-over, else after the wait', async (t) => {
  const { pool } = await relayStack(t)
  const claims = async (instance: string) => {
    const session = await holdSession(pool)
    t.teardown(() => session.close())
    return { session, shards: await createShards(session, { instance, handoverMs: 10_000 }) }
  }
  const now = performance.now() + 1_000_000
  const a = await claims('a')
  await a.shards.balance(now, true)
  t.equal(a.shards.readable(now).length, 8, 'a fresh database was left cleanly')
  const b = await claims('b')
  await b.shards.balance(now, true)
  t.same(b.shards.held(), [], 'what is held cannot be taken')
  await a.shards.balance(now, true)
  t.equal(a.shards.held().length, 4)
  await b.shards.balance(now, true)
  t.equal(b.shards.readable(now).length, 4, 'let go cleanly: readable at once')
  a.session.close()
  await until('a is gone', async () => {
    await b.shards.balance(now, true)
    return b.shards.held().length === 8
  })
  t.equal(b.shards.readable(now + 9999).length, 4, 'not let go: held, not yet read')
  t.equal(b.shards.nextAt(now), now + 10_000)
  t.equal(b.shards.readable(now + 10_000).length, 8)
  const c = await claims('c')
  await b.shards.balance(now, false)
  await c.shards.balance(now, true)
  t.equal(c.shards.held().length, 4)
  t.same(c.shards.readable(now), [], 'let go with a send perhaps on its way: not clean')
})

t.test('a step of the wall clock neither lengthens the wait for an unclean shard nor ends it', async (t) => {
  const { pool } = await relayStack(t)
  const session = await holdSession(pool)
  t.teardown(() => session.close())
  await session.ask((tx) => tx.query('UPDATE relay_shards SET clean = false'))
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  for (const stepMs of [-3_600_000, 3_600_000]) {
    const relay = await createShards(session, { instance: 'a', handoverMs: 10_000 })
    await relay.balance(performance.now(), true)
    Date.now = () => realNow() + stepMs
    const now = performance.now()
    t.same([relay.readable(now).length, relay.readable(now + 10_000).length], [0, 8])
    await relay.release(true)
    Date.now = realNow
  }
})

t.test('after a crash, the state topic ends with the current row', async (t) => {
  const { write, start, records, waiting } = await relayStack(t)
  let ver = 1
  const loaders = () => ({
    'incident.state.v1': async (aggregates: readonly string[]) =>
      new Map(aggregates.map((aggregate) => [aggregate, { ver, encode: () => Buffer.from(`row at ${ver}`) }]))
  })
  const first = start({ loaders })
  await until('shards', () => first.relay.shards().length === SHARDS)
  t.teardown(() => armCrashPoint(null))
  armCrashPoint('relay.before-delete')
  await write(mark('incident:a', 1))
  t.ok((await first.fatal) instanceof Crash)
  await first.relay.close()
  ver = 2
  await write(mark('incident:a', 2))
  start({ loaders, handoverMs: 100 })
  await until('an empty outbox', async () => (await waiting()) === 0)
  await until('the second', () => records.length === 2)
  t.same(
    records.map(({ value, headers }) => [headers.ver, value?.toString()]),
    [
      ['1', 'row at 1'],
      ['2', 'row at 2']
    ]
  )
})
