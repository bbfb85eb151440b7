/**
 * Tests a broker that is killed, frozen, compacts, and is replaced by another: nothing accepted is
 * lost, nothing is read twice, and another log is never taken for the old one.
 */
import t from 'tap'
import { specOf, topicConfig } from '../../../schemas/topics.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { createTopics } from '../../../streams/runtime/create-topics.ts'
import { follow } from '../../../streams/runtime/follow.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import { OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import { engines, type Teardown } from '../../harness/engines.ts'
import { startKafkaProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { folded, kinds, leftBehind, nameOf, orders, stored, sums, TOPIC, workOf } from './demo.ts'
import { type OwnBroker, ownBroker } from './own-broker.ts'
import { outboxCount, scene } from './scene.ts'
import { CATCH_UP_MS, counts, kafkaOf, ownTopics, readAll, type TestTopics, target, text } from './support.ts'

t.setTimeout(300_000)

function reader(t: Teardown, topics: TestTopics, brokers = topics.brokers) {
  const values: string[] = []
  const states: string[] = []
  const started = follow(
    { ...topics.client(brokers), maxWaitMs: 100 },
    {
      topics: ['alerts.inbound.v1'],
      from: 'beginning',
      onRecords: (some) => void values.push(...some.map(text)),
      onLive: () => void states.push('live'),
      onStale: () => void states.push('stale')
    }
  )
  t.teardown(async () => (await started).close())
  return { values, states, live: () => states.at(-1) === 'live' }
}

/** Appends one record after the other until `stop`, and remembers the outcome of each. */
function writer(topics: TestTopics) {
  const log = createBatcher(new Producer(topics.client()), { deadlineMs: 1500 })
  const accepted: string[] = []
  const refused: string[] = []
  const unknown: string[] = []
  let going = true
  const run = (async () => {
    for (let index = 0; going; index++) {
      const value = `r${index}`
      await log.append([{ topic: topics.real('alerts.inbound.v1'), key: `k${index % 5}`, value: Buffer.from(value) }]).then(
        () => accepted.push(value),
        (error: unknown) => {
          if (error instanceof OutcomeUnknown) unknown.push(value)
          else if (error instanceof QueueFull) refused.push(value)
          else throw error
        }
      )
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  return {
    accepted,
    refused,
    unknown,
    async stop() {
      going = false
      await run
      await log.close()
    }
  }
}

t.test('a broker that is killed, frozen, replaced or wiped', async (t) => {
  const broker: OwnBroker = await ownBroker(t)

  t.test('writers, readers and processors go on without loss after the broker is killed and restarted', async (t) => {
    const topics = await ownTopics(t, ['alerts.inbound.v1'], broker.brokers)
    const at = await scene(t, { brokers: broker.brokers })
    const records = orders(60)
    await at.append(records)
    const runs = await Promise.all(kinds.map((kind) => at.run(workOf(kind))))
    await Promise.all(kinds.map((kind, index) => at.drained(runs[index] ?? never(), nameOf(kind))))
    const read = reader(t, topics)
    const write = writer(topics)
    await until('some records', () => write.accepted.length > 50 && read.values.length > 50)
    await broker.kill()
    await until('both to notice', () => !read.live() && write.unknown.length > 0, 20_000)
    await broker.start()
    const before = write.accepted.length
    await until('both to go on', () => write.accepted.length > before + 50 && read.live(), 30_000)
    await write.stop()
    const log = counts((await readAll(topics, 'alerts.inbound.v1')).map(text))
    await until('the reader to have all', () => read.values.length >= Object.keys(log).length)
    t.same(
      write.accepted.filter((value) => log[value] !== 1),
      [],
      `${write.accepted.length} accepted, ${write.unknown.length} unknown`
    )
    t.same(
      Object.entries(log).filter(([, times]) => times > 1),
      [],
      'nothing twice on the log'
    )
    t.same(counts(read.values), log, 'no gap and no repeat')
    t.same(read.states, ['live', 'stale', 'live'])

    // Processors end when their consumer does; a supervisor starts them again.
    const more = orders(60)
    await at.append(more)
    records.push(...more)
    for (const [index, kind] of kinds.entries()) {
      let run = runs[index] ?? never()
      await until(`${kind} to be at the end`, async () => {
        if (run.fatals.length > 0) {
          t.match(run.fatals, [{ reason: 'the consumer crashed' }])
          await run.close()
          run = await at.run(workOf(kind))
        }
        return at.drained(run, nameOf(kind)).then(
          () => true,
          () => false
        )
      })
      t.same(await stored(at.pool, kind), sums(records, kind), kind)
    }
    t.equal(await outboxCount(at), 2 * folded(records))
  })

  t.test('a frozen broker makes calls end by their deadline, and all go on after the thaw', async (t) => {
    const topics = await ownTopics(t, ['alerts.inbound.v1'], broker.brokers)
    const read = reader(t, topics)
    const write = writer(topics)
    await until('some records', () => write.accepted.length > 20 && read.values.length > 20)
    broker.freeze()
    await until('answers without the broker', () => write.unknown.length > 0 && write.refused.length + write.unknown.length > 1, 20_000)
    await until('the reader to notice', () => !read.live(), 20_000)
    broker.thaw()
    const before = write.accepted.length
    await until('both to go on', () => write.accepted.length > before + 20 && read.live(), 30_000)
    await write.stop()
    const log = counts((await readAll(topics, 'alerts.inbound.v1')).map(text))
    await until('the reader to have all', () => read.values.length >= Object.keys(log).length)
    t.same(
      write.accepted.filter((value) => log[value] !== 1),
      [],
      `${write.accepted.length} accepted, ${write.unknown.length} unknown, ${write.refused.length} refused`
    )
    t.same(
      write.refused.filter((value) => log[value]),
      [],
      'what was refused is not on the log'
    )
    t.same(
      Object.entries(log).filter(([, times]) => times > 1),
      [],
      'nothing twice on the log'
    )
    t.same(counts(read.values), log, 'no gap and no repeat')
  })

  t.test('a reader skips the records that compaction removed', async (t) => {
    const STATE = 'incident.state.v1'
    const topics = await ownTopics(t, [STATE], broker.brokers)
    const admin = kafkaOf(broker.brokers).admin()
    await admin.connect()
    t.teardown(() => admin.disconnect())
    // The heap has no room for a second buffer of 128 MB.
    const cleaner = { 'log.cleaner.backoff.ms': '100', 'log.cleaner.dedupe.buffer.size': String(4 * 1_048_576) }
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 4, name: '1', configEntries: Object.entries(cleaner).map(([name, value]) => ({ name, value })) }]
    })
    // Segments larger than half the maximum size are not merged. A fetch answers from one segment
    // only, so the empty batch comes alone.
    const segments = { ...topicConfig(specOf(STATE)), 'segment.bytes': String(1_048_576) }
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: topics.real(STATE), configEntries: Object.entries(segments).map(([name, value]) => ({ name, value })) }]
    })
    const day = 86_400_000
    const start = Date.now() - 10 * day
    /**
     * Appends a batch. The broker closes a segment when a record is more than a day younger than
     * its first one.
     */
    const append = async (partition: number, keys: string[], at: number): Promise<void> => {
      // Each append has a producer of its own: the last batch of a producer stays as an empty
      // shell.
      const producer = new Producer(topics.client())
      const records = keys.map(
        (key): OutRecord => ({
          topic: topics.real(STATE),
          partition,
          key,
          value: Buffer.from(`${key}@${at}`.padEnd(600_000 / keys.length)),
          timestamp: start + at * day
        })
      )
      await producer.produce(records, Date.now() + 10_000)
      await producer.close()
    }
    const keys = Array.from({ length: 10 }, (_, index) => `k${index}`)
    await append(0, keys, 0)
    // The last half of the first batch is obsolete, so its offsets end after its last record.
    await append(0, keys.slice(5), 2)
    await append(0, ['later'], 4) // The newest segment is never compacted.
    await append(1, ['only'], 0)
    await append(1, ['only'], 2) // Only the shell of the first batch is left.
    await append(1, ['later'], 4)
    const read = async (): Promise<string[]> => (await readAll(topics, STATE)).map((record) => `${record.partition}:${record.offset}`)
    const wanted = ['0:0', '0:1', '0:2', '0:3', '0:4', '0:10', '0:11', '0:12', '0:13', '0:14', '0:15', '1:1', '1:2']
    const found = await until(
      'the compaction',
      async () => {
        const now = await read()
        return now.length <= wanted.length && now
      },
      30_000
    )
    t.same(found, wanted)
  })

  t.test('processors stop when another log replaces theirs, and a follower reads the new log', async (t) => {
    // Clients connect to the proxy. Behind it is first the shared broker, then one with a log of
    // its own that is already longer.
    const behind = target(engines().kafkaBrokers)
    const proxy = await startKafkaProxy(behind)
    t.teardown(() => proxy.close())
    const address = [`127.0.0.1:${proxy.port}`]
    const at = await scene(t)
    const other = { ...at.topics.client(), brokers: broker.brokers }
    await createTopics(other, [TOPIC])
    const longer = createBatcher(new Producer(other))
    await longer.append(orders(300, 6).map((record) => ({ ...record, topic: at.topics.real(TOPIC) })))
    await longer.close()

    const records = orders(30, 6)
    await at.append(records)
    const runs = await Promise.all(kinds.map((kind) => at.run(workOf(kind), { brokers: address })))
    await Promise.all(kinds.map((kind, index) => at.drained(runs[index] ?? never(), nameOf(kind))))
    const values: string[] = []
    const follower = await follow(
      { ...at.topics.client(address), maxWaitMs: 100, catchUpMs: CATCH_UP_MS },
      { topics: [TOPIC], from: 'beginning', onRecords: (some) => void values.push(...some.map(text)) }
    )
    t.teardown(() => follower.close())
    t.ok(await follower.caughtUp)
    t.equal(values.length, 30)
    const before = await leftBehind(at.pool)

    behind.port = broker.port
    proxy.cutAll()
    for (const run of runs) {
      await until('it to notice', () => run.fatals.length > 0, 30_000)
      t.match(run.fatals, [
        {
          reason:
            /^Kafka was replaced or wiped: the stored positions are in cluster .* bring the old log back, or run "npm run migrate -- --new-log"/
        }
      ])
      t.notOk(run.ready())
      await run.close()
    }
    t.same(await leftBehind(at.pool), before, 'nothing was written')
    await t.rejects(at.run(workOf('byKey'), { brokers: address }), { message: /^Kafka was replaced or wiped/ })
    await until('the follower to read the new log from its beginning', () => values.length === 330)
  })

  t.test('a processor stops when its broker is wiped, and writes nothing', async (t) => {
    const at = await scene(t, { brokers: broker.brokers })
    const records = orders(30)
    await at.append(records)
    const run = await at.run(workOf('byPartition'))
    await at.drained(run, nameOf('byPartition'))
    const before = await leftBehind(at.pool)
    await broker.kill()
    broker.wipe()
    await broker.start()
    await createTopics(at.topics.client(), [TOPIC])
    await until('it to end', () => run.fatals.length > 0, 60_000)
    t.match(run.fatals[0]?.reason, /^(the consumer crashed|Kafka was replaced or wiped)/)
    await run.close()
    await t.rejects(at.run(workOf('byPartition')), { message: /^Kafka was replaced or wiped: the stored positions are in cluster / })
    t.same(await leftBehind(at.pool), before, 'nothing was written')
  })
})

function never(): never {
  throw new Error('no such run')
}
