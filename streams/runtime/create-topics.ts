/**
 * Topics on the broker, from the one table in schemas/topics.ts: created by the migrate step only, verified at boot by the roles that process.
 * Partition counts are frozen: keys would move and state is addressed by partition, so another count is an error and never altered.
 */
import { specOf, type TopicName, topicConfig, topicNames } from '../../schemas/topics.ts'
import type { StreamOptions } from './connect.ts'
import { type Admin, createKafka } from './kafkajs.ts'

type Options = Pick<StreamOptions, 'brokers' | 'clientId' | 'topicPrefix' | 'log'>

async function withAdmin<T>(options: Options, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafka(options).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

const TOPIC_RESOURCE = 2
const SET_ON_TOPIC = 1
const READY_MS = 15_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const typeOf = (error: unknown): unknown => (error instanceof Error && 'type' in error ? error.type : undefined)

/** Until the broker knows a leader of every partition. kafkajs's own wait fails when the broker has not yet heard of a topic that it has just made. */
async function leaders(admin: Admin, topics: string[]): Promise<void> {
  const deadline = Date.now() + READY_MS
  for (;;) {
    try {
      const found = await admin.fetchTopicMetadata({ topics })
      if (found.topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0))) return
      if (Date.now() > deadline) throw new Error(`not every partition of ${topics.join(', ')} has a leader after ${READY_MS} ms`)
    } catch (error) {
      const passing = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'].includes(String(typeOf(error)))
      if (!passing || Date.now() > deadline) throw error
    }
    await sleep(50)
  }
}

/** What is set on topics: name on the broker → setting → value, and which of them were set on the topic itself. */
async function settingsOf(admin: Admin, names: string[]): Promise<Map<string, { all: Map<string, string>; own: Map<string, string> }>> {
  if (names.length === 0) return new Map()
  const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: names.map((name) => ({ type: TOPIC_RESOURCE, name })) })
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      {
        all: new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
        own: new Map(configEntries.filter(({ configSource }) => Number(configSource) === SET_ON_TOPIC).map(({ configName, configValue }) => [configName, configValue]))
      }
    ])
  )
}

/**
 * Creates what is missing with `replicas` replicas and brings settings of what is there in line; what an operator set beside ours stays.
 * Returns the names created.
 */
export function createTopics(options: Options, names: readonly TopicName[] = topicNames, replicas = 1): Promise<TopicName[]> {
  const { topicPrefix } = options
  return withAdmin(options, async (admin) => {
    const existing = new Set(await admin.listTopics())
    const missing = names.filter((name) => !existing.has(topicPrefix + name))
    const present = names.filter((name) => existing.has(topicPrefix + name))
    if (missing.length > 0) {
      await admin.createTopics({
        waitForLeaders: false,
        timeout: 10_000,
        topics: missing.map((name) => ({
          topic: topicPrefix + name,
          numPartitions: specOf(name).partitions,
          replicationFactor: replicas,
          configEntries: Object.entries(topicConfig(specOf(name))).map(([key, value]) => ({ name: key, value }))
        }))
      })
      await leaders(
        admin,
        missing.map((name) => topicPrefix + name)
      )
    }
    const settings = await settingsOf(
      admin,
      present.map((name) => topicPrefix + name)
    )
    const stale = present.flatMap((name) => {
      const found = settings.get(topicPrefix + name)
      const wanted = Object.entries(topicConfig(specOf(name)))
      if (!found || wanted.every(([key, value]) => found.all.get(key) === value)) return []
      // The request replaces all that is set on the topic.
      const entries = new Map([...found.own, ...wanted])
      return [{ type: TOPIC_RESOURCE, name: topicPrefix + name, configEntries: [...entries].map(([key, value]) => ({ name: key, value })) }]
    })
    if (stale.length > 0) await admin.alterConfigs({ validateOnly: false, resources: stale })
    return missing
  })
}

/** Deletes topics of a test; refuses names without a test prefix. */
export function deleteTopics(options: Options, names: readonly TopicName[]): Promise<void> {
  if (!options.topicPrefix.startsWith('test'))
    throw new Error(`only topics of a test are deleted, their prefix starts with "test"; got "${options.topicPrefix}"`)
  return withAdmin(options, (admin) => admin.deleteTopics({ topics: names.map((name) => options.topicPrefix + name), timeout: 10_000 }))
}

/** Throws one error that names every topic that is missing or has another partition count or other settings than the table says. */
export function verifyTopics(options: Options, names: readonly TopicName[] = topicNames): Promise<void> {
  const { topicPrefix } = options
  return withAdmin(options, async (admin) => {
    const existing = new Set(await admin.listTopics())
    const faults = names.filter((name) => !existing.has(topicPrefix + name)).map((name) => `${name} is missing`)
    const present = names.filter((name) => existing.has(topicPrefix + name))
    const real = present.map((name) => topicPrefix + name)
    const { topics } = real.length > 0 ? await admin.fetchTopicMetadata({ topics: real }) : { topics: [] }
    const settings = await settingsOf(admin, real)
    for (const name of present) {
      const wanted = specOf(name)
      const found = topics.find((topic) => topic.name === topicPrefix + name)?.partitions.length
      if (found !== wanted.partitions) faults.push(`${name} has ${found} partitions, expected ${wanted.partitions}`)
      for (const [key, value] of Object.entries(topicConfig(wanted))) {
        const actual = settings.get(topicPrefix + name)?.all.get(key)
        if (actual !== undefined && actual !== value) faults.push(`${name} has ${key}=${actual}, expected ${value}`)
      }
    }
    if (faults.length > 0)
      throw new Error(
        `The topics on the broker are not those of schemas/topics.ts (npm run migrate creates them):\n  ${faults.join('\n  ')}`
      )
  })
}
