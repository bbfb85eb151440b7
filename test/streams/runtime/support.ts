/**
 * Helpers of the runtime tests: a log that remembers its messages, metrics that can be read, topics
 * that belong to one test, and the log read back.
 */
import { randomBytes } from 'node:crypto'
import { specOf, type TopicName } from '../../../schemas/topics.ts'
import { type RuntimeLog, type RuntimeMetrics, readLogState } from '../../../streams/runtime/connect.ts'
import { createTopics, deleteTopics } from '../../../streams/runtime/create-topics.ts'
import { follow } from '../../../streams/runtime/follow.ts'
import { type Cluster, createCluster, createKafka } from '../../../streams/runtime/kafkajs.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { engines, type Teardown } from '../../harness/engines.ts'

export interface TestLog extends RuntimeLog {
  lines: { level: string; message: string; fields: object }[]
  /** Messages of a level that contain `text`. */
  said(level: 'debug' | 'info' | 'warn' | 'error', text: string): string[]
}

export function testLog(): TestLog {
  const lines: TestLog['lines'] = []
  const at = (level: string) => (fields: object, message: string) => {
    if (process.env.SHOW_LOG) console.error(level, message, fields)
    lines.push({ level, message, fields })
  }
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    said: (level, text) => lines.filter((line) => line.level === level && line.message.includes(text)).map((line) => line.message)
  }
}

export interface TestMetrics extends RuntimeMetrics {
  /** Sum over all labels of a counter, gauge or histogram. */
  sum(name: string): number
}

export function testMetrics(): TestMetrics {
  const sums = new Map<string, number>()
  const add = (name: string, value: number): void => void sums.set(name, (sums.get(name) ?? 0) + value)
  const last = (values: unknown[]): number => (typeof values.at(-1) === 'number' ? (values.at(-1) as number) : 1)
  return {
    sum: (name) => sums.get(name) ?? 0,
    counter: (name) => ({ inc: (...values: unknown[]) => add(name, last(values)) }),
    gauge: (name) => ({ set: (...values: unknown[]) => void sums.set(name, last(values)), remove: () => void sums.delete(name) }),
    histogram: (name) => ({ observe: (...values: unknown[]) => add(name, last(values)) })
  }
}

export interface TestTopics {
  brokers: string[]
  prefix: string
  log: TestLog
  /** Options for producers and followers, with the address of the broker or of a proxy. */
  client(brokers?: string[]): { brokers: string[]; clientId: string; log: TestLog; prefix: string; topicPrefix: string }
  /** A topic's name on the broker, typed as the runtime's parts below connect.ts take it. */
  real(topic: TopicName): TopicName
}

/**
 * Creates topics under a prefix that belongs to the test; they are deleted at teardown. `brokers`:
 * those of a broker that belongs to the test.
 */
export async function ownTopics(t: Teardown, names: readonly TopicName[], brokers = engines().kafkaBrokers): Promise<TestTopics> {
  const prefix = `test${randomBytes(5).toString('hex')}-`
  const log = testLog()
  const client = (addresses = brokers) => ({ brokers: addresses, clientId: 'runtime-test', log, prefix, topicPrefix: prefix })
  await createTopics(client(), names)
  t.teardown(() => deleteTopics(client(), names))
  return { brokers, prefix, log, client, real: (topic) => (prefix + topic) as TopicName }
}

export function target(brokers: readonly string[]): { host: string; port: number } {
  const [host = '', port = ''] = (brokers[0] ?? '').split(':')
  return { host, port: Number(port) }
}

/** Enough for a follower of a test to read everything, however slow the machine is. */
export const CATCH_UP_MS = 60_000

/**
 * Reads everything that is on the topic now, by partition and in order. The count is checked
 * against the broker's offsets, because the reader is itself under test.
 */
export async function readAll(topics: TestTopics, topic: TopicName): Promise<InRecord[]> {
  const records: InRecord[] = []
  const follower = await follow(
    { ...topics.client(), maxWaitMs: 50, catchUpMs: CATCH_UP_MS },
    { topics: [topic], from: 'beginning', onRecords: (some) => void records.push(...some) }
  )
  try {
    if (!(await follower.caughtUp)) throw new Error(`${topic} was not read to its end`)
  } finally {
    await follower.close()
  }
  const { ends } = await readLogState(topics.client(), [topic])
  const total = [...ends.values()].reduce((sum, end) => sum + Number(end), 0)
  if (specOf(topic).cleanup === 'delete' && total !== records.length)
    throw new Error(`${records.length} records read, the broker counts ${total}`)
  return records.sort((a, b) => a.partition - b.partition || Number(a.offset - b.offset))
}

/** How often each value is in the list. */
export function counts(values: Iterable<string>): Record<string, number> {
  const found: Record<string, number> = {}
  for (const value of values) found[value] = (found[value] ?? 0) + 1
  return found
}

export const text = (record: InRecord): string => record.value?.toString() ?? 'null'

/** The public kafkajs client, for controls. */
export const kafkaOf = (brokers: string[]) => createKafka({ brokers, clientId: 'runtime-test-control', log: { debug: () => undefined } })

/**
 * Deletes what is before `offset`, as retention does: the log of the partition then begins there.
 */
export async function deleteBefore(topics: TestTopics, topic: TopicName, partition: number, offset: number): Promise<void> {
  const admin = kafkaOf(topics.brokers).admin()
  await admin.connect()
  try {
    await admin.fetchTopicOffsets(topics.real(topic)) // It deletes only where it knows the leaders.
    await admin.deleteTopicRecords({ topic: topics.real(topic), partitions: [{ partition, offset: String(offset) }] })
  } finally {
    await admin.disconnect()
  }
}

type Coordinators = Cluster & {
  findGroupCoordinator(options: { groupId: string }): Promise<{ offsetCommit(options: object): Promise<unknown> }>
}

/** Commits offsets to Kafka for a group without members, as an earlier run would have done. */
export async function setHint(
  topics: TestTopics,
  group: string,
  topic: TopicName,
  partitions: readonly number[],
  offset: number
): Promise<void> {
  const cluster = createCluster(topics.client()) as Coordinators
  const groupId = topics.prefix + group
  try {
    await cluster.connect()
    await cluster.refreshMetadata()
    const coordinator = await cluster.findGroupCoordinator({ groupId })
    await coordinator.offsetCommit({
      groupId,
      groupGenerationId: -1,
      memberId: '',
      topics: [{ topic: topics.real(topic), partitions: partitions.map((partition) => ({ partition, offset: String(offset) })) }]
    })
  } finally {
    cluster.abandon()
  }
}

const LEADER_NOT_AVAILABLE = 5

/**
 * Makes a Metadata reply of version 6 look as if the partition of `topic` that it names first had
 * no leader.
 */
export function withoutLeader(body: Buffer, topic: string): Buffer {
  const copy = Buffer.from(body)
  const name = copy.indexOf(topic)
  if (name < 0) return copy
  const partition = name + topic.length + 1 + 4 // is_internal, length of the list
  copy.writeInt16BE(LEADER_NOT_AVAILABLE, partition)
  copy.writeInt32BE(-1, partition + 6)
  return copy
}
