/**
 * Tests the corrections to kafkajs, which brokers the runtime accepts, and how the parts that are
 * built on it close.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { specOf, type TopicName } from '../../../schemas/topics.ts'
import { checkVersions, connectStream, readLogState } from '../../../streams/runtime/connect.ts'
import { verifyTopics } from '../../../streams/runtime/create-topics.ts'
import { fetchedOf } from '../../../streams/runtime/fetched.ts'
import { createCluster } from '../../../streams/runtime/kafkajs.ts'
import type { InRecord, OutRecord } from '../../../streams/runtime/stream.ts'
import { engines } from '../../harness/engines.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import { FETCH, METADATA, startKafkaProxy, type TcpProxy, withPort } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { ownTopics, readAll, target, testLog, testMetrics, text, withoutLeader } from './support.ts'

const TOPIC = 'checks.results.v1'

t.setTimeout(300_000)

t.jobs = 3

async function setBack(story: 'heartbeats' | 'request', more: Record<string, string>): Promise<string> {
  const fixture = fileURLToPath(moduleUrl('fixture/set-back.ts', import.meta.url))
  const env = { ...process.env, STORY: story, ...more }
  const { stdout } = await promisify(execFile)(process.execPath, [...loaderOf(import.meta.url), fixture], { env })
  return stdout.trim()
}

const idle = async (patched: boolean): Promise<number> => {
  const fixture = fileURLToPath(moduleUrl('fixture/idle.ts', import.meta.url))
  const env = { ...process.env, IDLE_MS: '2000', PATCHED: patched ? '1' : '0' }
  const { stdout } = await promisify(execFile)(process.execPath, [...loaderOf(import.meta.url), fixture], { env })
  return Number(stdout)
}

t.test('an idle connection starts no one-millisecond timers', { buffered: true }, async (t) => {
  const [plain, patched] = [await idle(false), await idle(true)]
  t.equal(patched, 0)
  t.ok(plain > 50, `control: as kafkajs comes, ${plain} in 2 s`)
})

t.test('a member of a group sends heartbeats after the clock was set back', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const about = { SERVICE_KAFKA_BROKERS: topics.brokers.join(','), TOPIC: topics.real(TOPIC) }
  t.equal(await setBack('heartbeats', { ...about, PATCHED: '1' }), '1')
  t.equal(await setBack('heartbeats', { ...about, PATCHED: '0' }), '0', 'control: as kafkajs comes')
})

t.test('a request without an answer times out after the clock was set back', { buffered: true }, async (t) => {
  let asked = 0
  const proxy = await startKafkaProxy(target(engines().kafkaBrokers), {
    reply: ({ apiKey }) => (apiKey === METADATA && asked++ > 0 ? 'hold' : 'pass')
  })
  t.teardown(() => proxy.close())
  const outcome = await setBack('request', { SERVICE_KAFKA_BROKERS: `127.0.0.1:${proxy.port}`, PATCHED: '1' })
  t.match(outcome, /timed out/)
})

t.test('after a reply was cut off, the next connection reads a complete reply', { buffered: true }, async (t) => {
  let torn = 0
  const proxy = await startKafkaProxy(target(engines().kafkaBrokers), {
    reply: ({ apiKey }) => (apiKey === METADATA && torn++ === 0 ? 'tear' : 'pass')
  })
  t.teardown(() => proxy.close())
  const cluster = createCluster({ brokers: [`127.0.0.1:${proxy.port}`], clientId: 'test', log: testLog() })
  t.teardown(() => cluster.abandon())
  await cluster.connect()
  await t.rejects(cluster.refreshMetadata(), 'half a reply')
  await cluster.connect()
  await cluster.refreshMetadata()
  t.ok(cluster.brokerPool.metadata?.clusterId)
  t.equal(torn, 2)
})

t.test('a fetch for many bytes waits in the process and then asks for what is there', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const asked: number[][] = []
  const proxy = await startKafkaProxy(target(engines().kafkaBrokers), {
    request({ apiKey, body }) {
      if (apiKey === FETCH) asked.push([body.readInt32BE(4), body.readInt32BE(8)])
      return 'pass'
    }
  })
  t.teardown(() => proxy.close())
  const topic = topics.real(TOPIC)
  const cluster = createCluster({ brokers: [`127.0.0.1:${proxy.port}`], clientId: 'test', log: testLog() })
  t.teardown(() => cluster.abandon())
  await cluster.connect()
  await cluster.addMultipleTargetTopics([topic])
  const nodeId = cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === 0)?.leader ?? -1
  const broker = await cluster.findBroker({ nodeId })
  const records = async (minBytes: number, maxWaitTime: number): Promise<number> => {
    const partition = { partition: 0, fetchOffset: '0', maxBytes: 1_000_000 }
    const wish = { isolationLevel: 0, maxBytes: 1_000_000, topics: [{ topic, partitions: [partition] }] }
    const { responses } = await broker.fetch({ ...wish, minBytes, maxWaitTime })
    return fetchedOf(responses[0]?.partitions[0]?.messages ?? [])?.records(TOPIC, 0, 0n).length ?? 0
  }
  t.equal(await records(1, 20), 0)
  t.same(asked.splice(0), [[20, 1]], 'for the first byte it waits at the broker')

  const stream = await connectStream({ ...topics.client(), metrics: testMetrics() })
  t.teardown(() => stream.close())
  const append = () => stream.log.append([{ topic: TOPIC, key: 'k', partition: 0, value: Buffer.alloc(2000) }])
  const waiting = records(1000, 3000)
  await append()
  t.same(asked, [], 'the broker has not heard of it')
  t.equal(await waiting, 1, 'what came meanwhile')
  const NEVER_MS = 600_000
  t.equal(await records(1000, NEVER_MS), 1, 'the answer was as large as it wished: the next one goes at once')
  t.equal(await records(5000, NEVER_MS), 1)
  const another = records(5000, 3000)
  await append()
  t.equal(asked.length, 3, 'the answer before was too small: this one waits')
  t.equal(await another, 2)
  t.same(
    asked,
    Array.from({ length: 4 }, () => [0, 1])
  )
})

t.test('calls appended together get separate answers', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const stream = await connectStream({ ...topics.client(), metrics: testMetrics() })
  t.teardown(() => stream.close())
  const record = (value: string): OutRecord => ({ topic: TOPIC, key: value, partition: 0, value: Buffer.from(value) })
  const tooLarge = { ...record('large'), value: Buffer.alloc(20_000_000) }
  const answers = await Promise.allSettled(stream.log.appendEach([[record('a'), record('b')], [tooLarge], [record('c')]]))
  t.same(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled']
  )
  t.same((await readAll(topics, TOPIC)).map(text), ['a', 'b', 'c'])
})

t.test('two requests that find a connection closed open it once', { buffered: true }, async (t) => {
  const proxy = await startKafkaProxy(target(engines().kafkaBrokers))
  t.teardown(() => proxy.close())
  const cluster = createCluster({ brokers: [`127.0.0.1:${proxy.port}`], clientId: 'test', log: testLog() })
  t.teardown(() => cluster.abandon())
  await cluster.connect()
  await cluster.refreshMetadata()
  const before = proxy.count()
  const broker = await cluster.findControllerBroker()
  proxy.cutAll()
  await until('the cut to be noticed', () => !broker.isConnected())
  await Promise.all([broker.initProducerId({ transactionTimeout: 1000 }), broker.initProducerId({ transactionTimeout: 1000 })])
  t.equal(proxy.count() - before, 1)
})

t.test("another role's topic without a leader does not stop a role from starting", { buffered: true }, async (t) => {
  const topics = await ownTopics(t, ['dlq.v1', 'ingest.usage.v1'])
  const orphan = topics.real('dlq.v1')
  let told = 0
  const proxy: TcpProxy = await startKafkaProxy(target(topics.brokers), {
    metadata(body) {
      told += body.includes(orphan) ? 1 : 0
      return withPort(withoutLeader(body, orphan), proxy.port)
    }
  })
  t.teardown(() => proxy.close())
  const options = { ...topics.client([`127.0.0.1:${proxy.port}`]), topicPrefix: topics.prefix }
  t.ok((await readLogState(options)).clusterId)
  t.equal(told, 1)
  await verifyTopics(options, ['ingest.usage.v1'])
  t.ok(told > 1)
  await t.rejects(readLogState(options, ['dlq.v1']), 'one that is asked for by its name is waited for')
})

t.test('an abandoned cluster rejects open requests and never connects again', { buffered: true }, async (t) => {
  let asked = 0
  const proxy = await startKafkaProxy(target(engines().kafkaBrokers), {
    reply: ({ apiKey }) => (apiKey === METADATA && asked++ > 0 ? 'hold' : 'pass')
  })
  t.teardown(() => proxy.close())
  const cluster = createCluster({ brokers: [`127.0.0.1:${proxy.port}`], clientId: 'test', log: testLog() })
  await cluster.connect()
  await cluster.refreshMetadata()
  const inFlight = cluster.refreshMetadata()
  await until('the request', () => asked === 2)
  const count = proxy.count()
  cluster.abandon()
  await t.rejects(inFlight)
  await t.rejects(cluster.connect())
  t.equal(proxy.count(), count)
})

t.test('a broker without the needed API version is refused with a message that names the API', { buffered: true }, async (t) => {
  const real = await (async () => {
    const cluster = createCluster({ brokers: engines().kafkaBrokers, clientId: 'test', log: testLog() })
    await cluster.connect()
    await cluster.refreshMetadata()
    const { versions } = await cluster.findControllerBroker()
    cluster.abandon()
    return versions
  })()
  checkVersions(real)
  t.pass('the broker of the tests is fine')
  const range = (minVersion: number, maxVersion: number) => ({ minVersion, maxVersion })
  t.throws(() => checkVersions({ ...real, 0: range(8, 13) }), { message: /the broker takes Produce 8 to 13, this service speaks 7/ })
  t.throws(() => checkVersions({ ...real, 11: range(6, 9) }), { message: /takes JoinGroup 6 to 9, this service speaks 5/ })
  t.throws(() => checkVersions({ ...real, 1: range(0, 10) }), { message: /takes Fetch 0 to 10, this service speaks 11/ }, 'too old')
  const { 22: _, ...without } = real
  t.throws(() => checkVersions(without), { message: /takes InitProducerId not at all/ })
})

t.test('a stream appends, follows, counts its records and flushes on close', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, ['alerts.inbound.v1', 'dlq.v1'])
  const metrics = testMetrics()
  const stream = await connectStream({ ...topics.client(), metrics })
  const records: InRecord[] = []
  const follower = await stream.follow({
    topics: ['alerts.inbound.v1', 'dlq.v1'],
    from: 'beginning',
    onRecords: (some) => void records.push(...some)
  })
  const topic: TopicName = 'alerts.inbound.v1'
  const keys = Array.from({ length: 40 }, (_, index) => `tenant|${index}`)
  await Promise.all(keys.map((key) => stream.log.append([{ topic, key, value: Buffer.from(key) }])))
  await stream.log.append([{ topic: 'dlq.v1', key: 'k', partition: 2, value: Buffer.from('to a partition of its own') }])
  await until('what was appended', () => records.length === 41)
  t.ok(
    records.every((record) => record.topic === 'dlq.v1' || record.partition === stream.partitionOf(topic, record.key)),
    'names without prefix, partitions as announced'
  )
  t.equal(records.find((record) => record.topic === 'dlq.v1')?.partition, 2)
  t.ok(records.every(({ partition, topic }) => partition < specOf(topic).partitions))
  t.equal(await stream.clusterId(), (await readLogState(topics.client())).clusterId)
  t.ok(stream.log.healthy())
  t.equal(stream.log.depth(), 0)
  t.equal(metrics.sum('service_producer_batch_records'), 41, 'each record counted in its batch')
  t.equal(metrics.sum('service_producer_failures_total'), 0)
  await follower.close()
  const last = stream.log.append([{ topic, key: 'k', value: Buffer.from('last') }])
  await stream.close()
  await last
  t.ok((await readAll(topics, topic)).map(text).includes('last'), 'closing sends what is queued')
})

t.test('a stream starts without a broker and sends once the broker is there', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, ['dlq.v1'])
  const proxy = await startKafkaProxy(target(topics.brokers))
  t.teardown(() => proxy.close())
  proxy.refuse(true)
  const stream = await connectStream({ ...topics.client([`127.0.0.1:${proxy.port}`]), metrics: testMetrics() })
  t.teardown(() => stream.close())
  await t.rejects(stream.clusterId(), 'whoever needs the broker now is told')
  const append = stream.log.append([{ topic: 'dlq.v1', key: 'k', value: Buffer.from('v') }])
  proxy.refuse(false)
  await append
  t.same((await readAll(topics, 'dlq.v1')).map(text), ['v'])
})
