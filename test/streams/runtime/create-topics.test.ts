/**
 * Tests topics on the real broker against the topic table: a missing topic is created, a difference
 * is corrected or named, and nothing else is touched.
 */
import t from 'tap'
import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import { createTopics, deleteTopics, verifyTopics } from '../../../streams/runtime/create-topics.ts'
import { engines } from '../../harness/engines.ts'
import { reply, startKafkaProxy, type TcpProxy, withPort } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { kafkaOf, target, testLog, withoutLeader } from './support.ts'

const options = () => ({
  brokers: engines().kafkaBrokers,
  clientId: 'topics-test',
  topicPrefix: `test${Date.now()}${Math.floor(Math.random() * 1000)}-`,
  log: testLog()
})
const TOPIC_RESOURCE = 2

t.test('the topics of the table are created, and a second run creates none', async (t) => {
  const own = options()
  t.teardown(() => deleteTopics(own, topicNames))
  t.same(await createTopics(own), topicNames)
  await verifyTopics(own)
  t.same(await createTopics(own), [])
})

t.test('topic differences are reported, and settings are corrected but not partition counts', async (t) => {
  const own = options()
  const names: TopicName[] = ['dlq.v1', 'incident.state.v1', 'checks.results.v1']
  await t.rejects(verifyTopics(own, names), {
    message: /dlq\.v1 is missing[\s\S]*incident\.state\.v1 is missing[\s\S]*checks\.results\.v1 is missing/
  })
  const admin = kafkaOf(own.brokers).admin()
  await admin.connect()
  t.teardown(async () => {
    await admin.disconnect()
    await deleteTopics(own, names)
  })
  await admin.createTopics({
    waitForLeaders: false,
    topics: names.map((name) => ({
      topic: own.topicPrefix + name,
      numPartitions: 2,
      configEntries: [{ name: 'segment.bytes', value: '33554432' }]
    }))
  })
  const faultOf = (): Promise<string> =>
    verifyTopics(own, names).then(
      () => '',
      (error: Error) => error.message
    )
  const fault = await until('the broker to know the topics', async () => {
    const said = await faultOf()
    return !said.includes('missing') && said
  })
  t.match(fault, 'dlq.v1 has 2 partitions, expected 3')
  t.match(fault, 'incident.state.v1 has cleanup.policy=delete, expected compact')
  t.match(fault, 'checks.results.v1 has message.timestamp.type=CreateTime, expected LogAppendTime')
  t.notMatch(fault, 'dlq.v1 has cleanup.policy')

  t.same(await createTopics(own, names), [])
  const mended = await faultOf()
  t.notMatch(mended, 'cleanup.policy', 'settings are brought in line')
  t.notMatch(mended, 'timestamp.type')
  t.match(mended, 'dlq.v1 has 2 partitions, expected 3', 'partition counts never are')
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: TOPIC_RESOURCE, name: `${own.topicPrefix}dlq.v1` }]
  })
  t.equal(
    resources[0]?.configEntries.find(({ configName }) => configName === 'segment.bytes')?.configValue,
    '33554432',
    'what an operator set beside ours stays'
  )
})

const CREATE_TOPICS = 19

t.test('creating topics waits for a slow broker and for partition leaders', async (t) => {
  const direct = options()
  const names: TopicName[] = ['dlq.v1']
  t.teardown(() => deleteTopics(direct, names))
  let slow = true
  let leaderlessUntil = 0
  const proxy: TcpProxy = await startKafkaProxy(target(direct.brokers), {
    reply({ apiKey, correlationId, link }, body) {
      if (apiKey !== CREATE_TOPICS || !slow) return 'pass'
      slow = false
      setTimeout(() => {
        leaderlessUntil = Date.now() + 3000
        link.toClient(reply(correlationId, body))
      }, 4000)
      return 'hold'
    },
    metadata: (body) => withPort(Date.now() < leaderlessUntil ? withoutLeader(body, `${direct.topicPrefix}dlq.v1`) : body, proxy.port)
  })
  t.teardown(() => proxy.close())
  t.same(await createTopics({ ...direct, brokers: [`127.0.0.1:${proxy.port}`] }, names), names)
  t.notOk(slow, 'the answer came late')
  t.ok(Date.now() >= leaderlessUntil, 'and leaders later still')
})

const LIST_OFFSETS = 2
const NOT_LEADER = 6
/** kafkajs asks five times before it gives up. */
const TIMES = 12

/**
 * Makes the reply look as if the leader of the partition that is named first did not know that it
 * leads.
 */
function notLeader(body: Buffer, topic: string): Buffer {
  const copy = Buffer.from(body)
  // After the name come the length of the list, a number, and the error.
  copy.writeInt16BE(NOT_LEADER, copy.indexOf(topic) + topic.length + 8)
  return copy
}

t.test('creating topics waits until the leaders know that they lead', async (t) => {
  const direct = options()
  const names: TopicName[] = ['dlq.v1']
  const topic = `${direct.topicPrefix}dlq.v1`
  t.teardown(() => deleteTopics(direct, names))
  let refused = 0
  let leaderless = 0
  const proxy: TcpProxy = await startKafkaProxy(target(direct.brokers), {
    reply({ apiKey, correlationId, link }, body) {
      if (apiKey !== LIST_OFFSETS || refused === TIMES) return 'pass'
      refused += 1
      link.toClient(reply(correlationId, notLeader(body, topic)))
      return 'hold'
    },
    metadata(body) {
      const isLeft = leaderless > 0 && body.includes(topic)
      if (isLeft) leaderless -= 1
      return withPort(isLeft ? withoutLeader(body, topic) : body, proxy.port)
    }
  })
  t.teardown(() => proxy.close())
  const own = { ...direct, brokers: [`127.0.0.1:${proxy.port}`] }
  t.same(await createTopics(own, names), names)
  t.equal(refused, TIMES, 'asked until they do')
  leaderless = TIMES
  await verifyTopics(own, names)
  t.equal(leaderless, 0, 'and asked again while one is elected')
})

t.test('only topics of a test are ever deleted', async (t) => {
  t.throws(() => deleteTopics({ ...options(), topicPrefix: '' }, ['dlq.v1']), /only topics of a test/)
})
