/**
 * Tests the follower on the real broker: where it begins, that it neither misses nor repeats a
 * record whatever happens to its connections, and which states it reports.
 */
import { createRequire } from 'node:module'
import t from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { createTopics, deleteTopics } from '../../../streams/runtime/create-topics.ts'
import { follow } from '../../../streams/runtime/follow.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import type { FollowOptions, InRecord, OutRecord } from '../../../streams/runtime/stream.ts'
import type { Teardown } from '../../harness/engines.ts'
import { FETCH, startKafkaProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { CATCH_UP_MS, counts, deleteBefore, kafkaOf, ownTopics, type TestTopics, target, text } from './support.ts'

const TOPIC = 'alerts.inbound.v1' // 12 partitions, the producer's time
t.setTimeout(300_000)
t.jobs = 3

function appender(t: Teardown, topics: TestTopics) {
  const log = createBatcher(new Producer(topics.client()), { deadlineMs: 20_000, queueBytes: 256 * 1024 * 1024, queueRecords: 100_000 })
  t.teardown(() => log.close())
  return (values: readonly string[], more: Partial<OutRecord> = {}, topic: TopicName = TOPIC): Promise<void> =>
    log.append(values.map((value) => ({ topic: topics.real(topic), key: value.slice(0, 40), value: Buffer.from(value), ...more })))
}

async function follower(
  t: Teardown,
  topics: TestTopics,
  options: Partial<FollowOptions> & { brokers?: string[]; catchUpMs?: number } = {}
) {
  const records: InRecord[] = []
  const states: string[] = []
  const { brokers, catchUpMs = CATCH_UP_MS, ...rest } = options
  const one = await follow(
    { ...topics.client(brokers), maxWaitMs: 100, catchUpMs },
    {
      topics: [TOPIC],
      from: 'beginning',
      onRecords: (some) => void records.push(...some),
      onLive: () => void states.push('live'),
      onStale: () => void states.push('stale'),
      ...rest
    }
  )
  t.teardown(() => one.close())
  return { ...one, records, states, values: () => records.map(text) }
}

/** True when the offsets of each partition grow by one: no gap, no repeat. */
function contiguous(records: readonly InRecord[]): boolean {
  const next = new Map<number, bigint>()
  return records.every(({ partition, offset }) => {
    const fits = offset === (next.get(partition) ?? 0n)
    next.set(partition, offset + 1n)
    return fits
  })
}

t.test('a follower starts at the beginning, the end or a time', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  const start = Date.now()
  await append(['a', 'b', 'c'], { timestamp: start - 60_000 })
  await append(['d', 'e', 'f'], { timestamp: start - 1000 })
  const beginning = await follower(t, topics)
  const end = await follower(t, topics, { from: 'end' })
  const instant = await follower(t, topics, { from: { at: start - 30_000 } })
  const future = await follower(t, topics, { from: { at: start + 60_000 } })
  t.same(await Promise.all([beginning, end, instant, future].map((one) => one.caughtUp)), [true, true, true, true])
  t.same(beginning.values().sort(), ['a', 'b', 'c', 'd', 'e', 'f'], 'caught up means handed over')
  t.same(end.values(), [])
  t.same(instant.values().sort(), ['d', 'e', 'f'])
  t.same(future.values(), [], 'no record yet is the end')
  await append(['g'])
  await until('the next record everywhere', () => [beginning, end, instant, future].every((one) => one.values().includes('g')))
  t.same(end.values(), ['g'])
  t.same(future.values(), ['g'])
  t.same(beginning.states, ['live'])
  t.ok(beginning.live())
})

t.test('a follower passes on key, value, headers, time and tombstones', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, ['incident.state.v1'])
  const append = appender(t, topics)
  const at = Date.now() - 5000
  await append(['v'], { key: 'ключ', headers: { event_id: 'e', empty: '' }, timestamp: at }, 'incident.state.v1')
  await append(['gone'], { key: 'ключ', value: null }, 'incident.state.v1')
  const { caughtUp, records } = await follower(t, topics, { topics: ['incident.state.v1'] })
  await caughtUp
  const [first, second] = records
  t.match(first, { topic: 'incident.state.v1', key: 'ключ', offset: 0n, timestamp: at, headers: { event_id: 'e', empty: '' } })
  t.equal(first && text(first), 'v')
  t.match(second, { key: 'ключ', offset: 1n, value: null, partition: first?.partition })
})

t.test('a follower reads 20,000 records of two growing topics completely and in order', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC, 'dlq.v1'])
  const append = appender(t, topics)
  const batch = (name: string, size: number) => Array.from({ length: size }, (_, index) => `${name}:${index}`.padEnd(200))
  await append(batch('before', 12_000))
  const { caughtUp, records } = await follower(t, topics, { topics: [TOPIC, 'dlq.v1'] })
  await append(batch('during', 6000))
  await append(batch('other', 2000), {}, 'dlq.v1')
  t.ok(await caughtUp)
  await until('all records', () => records.length === 20_000)
  t.equal(records.length, 20_000)
  for (const topic of [TOPIC, 'dlq.v1']) t.ok(contiguous(records.filter((one) => one.topic === topic)), topic)
})

t.test('a follower skips no partition when the data exceeds one fetch', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, ['realtime.frames.v1'])
  const append = appender(t, topics)
  for (let partition = 0; partition < 24; partition++) {
    const large = Array.from({ length: 2 }, (_, index) => `${partition}:${index}`.padEnd(250_000, '.'))
    // 12 MB; a fetch answers with at most 8 MB.
    await append(large, { partition }, 'realtime.frames.v1')
  }
  const { caughtUp, records } = await follower(t, topics, { topics: ['realtime.frames.v1'] })
  t.ok(await caughtUp)
  t.equal(records.length, 48)
  t.ok(contiguous(records))
})

t.test('a reader that throws gets the next records and not the same ones again', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  const seen: string[] = []
  const onRecords = (some: readonly InRecord[]) => {
    seen.push(...some.map(text))
    if (seen.length === 1) throw new Error('cannot take this in')
  }
  await follower(t, topics, { onRecords })
  await append(['a'], { partition: 0 })
  await until('the first', () => seen.length === 1)
  await append(['b'], { partition: 0 })
  await until('the second', () => seen.length === 2)
  t.same(seen, ['a', 'b'])
  t.equal(topics.log.said('error', 'could not be taken in').length, 1)
})

t.test('a follower skips transaction markers', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  const producer = kafkaOf(topics.brokers).producer({ transactionalId: `${topics.prefix}tx`, maxInFlightRequests: 1, idempotent: true })
  await producer.connect()
  t.teardown(() => producer.disconnect())
  const transaction = await producer.transaction()
  await transaction.send({ topic: topics.real(TOPIC), messages: [{ key: 'k', value: 'in a transaction', partition: 0 }] })
  await transaction.commit() // The log now ends with a marker.
  const { caughtUp, values } = await follower(t, topics)
  t.equal(await caughtUp, true)
  await append(['behind it'], { partition: 0 })
  await until('the record behind the marker', () => values().length === 2)
  t.same(values(), ['in a transaction', 'behind it'])
})

t.test('a follower has no gap and no repeat when connections are cut', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  let fetches = 0
  let lost = 0
  const plans = ['cut', 'tear'] as const
  const proxy = await startKafkaProxy(target(topics.brokers), {
    reply: ({ apiKey }) => {
      if (apiKey !== FETCH || ++fetches % 7 !== 0 || lost >= 12) return 'pass'
      return plans[lost++ % 2] ?? 'cut'
    }
  })
  t.teardown(() => proxy.close())
  const { records, states } = await follower(t, topics, { brokers: [`127.0.0.1:${proxy.port}`] })
  const wanted: string[] = []
  for (let round = 0; lost < 12; round++) {
    const values = Array.from({ length: 50 }, (_, index) => `${round}:${index}`.padEnd(100))
    wanted.push(...values)
    await append(values)
    await until('the round to arrive', () => records.length >= wanted.length)
  }
  t.equal(records.length, wanted.length)
  t.ok(contiguous(records))
  t.same(counts(records.map(text)), counts(wanted))
  t.ok(states.filter((state) => state === 'stale').length >= 2, `it said so: ${states.join(' ')}`)
  t.ok(
    states.every((state, index) => state !== states[index - 1]),
    'each change once'
  )
  t.equal(states.at(-1), 'live')
})

t.test('a follower is stale while the broker is away or silent, and then goes on', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  await append(['a'], { partition: 0 })
  let silent = false
  const proxy = await startKafkaProxy(target(topics.brokers), { reply: () => (silent ? 'hold' : 'pass') })
  t.teardown(() => proxy.close())
  proxy.refuse(true)
  const one = await follower(t, topics, { brokers: [`127.0.0.1:${proxy.port}`], catchUpMs: 1000 })
  t.equal(await one.caughtUp, false, 'it does not hold up whoever waits for it')
  t.same(one.states, ['stale'], 'said once, however often it tries')
  t.notOk(one.live())
  proxy.refuse(false)
  await until('the first record', () => one.records.length === 1)
  t.same(one.states, ['stale', 'live'])
  silent = true
  await until('it to be stale', () => one.states.length === 3)
  await append(['b'], { partition: 0 })
  silent = false
  await until('the second record', () => one.records.length === 2)
  t.same(one.states, ['stale', 'live', 'stale', 'live'])
  t.same(one.values(), ['a', 'b'])
})

t.test('a follower that retention has overtaken goes on at the first record left', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  const proxy = await startKafkaProxy(target(topics.brokers))
  t.teardown(() => proxy.close())
  const one = await follower(t, topics, { brokers: [`127.0.0.1:${proxy.port}`] })
  await append(['a', 'b', 'c'], { partition: 3 })
  await until('three records', () => one.records.length === 3)
  proxy.refuse(true)
  proxy.cutAll()
  await until('it to be stale', () => !one.live())
  await append(['d', 'e', 'f'], { partition: 3 })
  await append(['other'], { partition: 4 })
  await deleteBefore(topics, TOPIC, 3, 5)
  proxy.refuse(false)
  await until('what is left', () => one.records.length === 5)
  t.same(one.values().sort(), ['a', 'b', 'c', 'f', 'other'])
  t.equal(topics.log.said('warn', 'position is not on the log').length, 1)
})

t.test('a follower reads a recreated topic from its beginning', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const append = appender(t, topics)
  const one = await follower(t, topics)
  await append(['a', 'b', 'c'], { partition: 0 })
  await until('three records', () => one.records.length === 3)
  await deleteTopics(topics.client(), [TOPIC])
  await until('it to be stale', () => !one.live())
  await createTopics(topics.client(), [TOPIC])
  await append(['d'], { partition: 0 })
  await until('the new record', () => one.records.length === 4)
  t.equal(one.values().at(-1), 'd')
  t.same(one.states, ['live', 'stale', 'live'])
})

t.test('closing a follower does not wait for a long poll, and closing twice is allowed', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  let polls = 0
  const proxy = await startKafkaProxy(target(topics.brokers), {
    request: ({ apiKey }) => {
      if (apiKey === FETCH) polls++
      return 'pass'
    },
    reply: ({ apiKey }) => (apiKey === FETCH ? 'hold' : 'pass')
  })
  t.teardown(() => proxy.close())
  const one = await follower(t, topics, { brokers: [`127.0.0.1:${proxy.port}`] })
  await until('a poll', () => polls > 0)
  await one.close()
  await one.close()
  t.equal(polls, 1)
})

t.test('kafkajs has the version that this code was written for', { buffered: true }, async (t) => {
  t.equal((createRequire(import.meta.url)('kafkajs/package.json') as { version: string }).version, '2.2.4')
})
