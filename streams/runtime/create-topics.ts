/**
 * Topics on the broker, from the one table in schemas/topics.ts: created by the migrate step only,
 * verified at boot by the roles that process. Partition counts are frozen: keys would move and
 * state is addressed by partition, so another count is an error and never altered.
 */
import { specOf, type TopicName, topicConfig, topicNames } from '../../schemas/topics.ts'
import type { StreamOptions } from './connect.ts'
import { type Admin, createKafka, createSockets } from './kafkajs.ts'

type Options = Pick<StreamOptions, 'brokers' | 'clientId' | 'topicPrefix' | 'log'>

/** What the broker may take to create or delete topics. */
const TOPICS_MS = 10_000
/**
 * Longer than that: what is given up halfway may be done all the same, and asked for again it
 * fails.
 */
const REQUEST_MS = TOPICS_MS + 5000

async function withAdmin<T>(options: Options, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = createKafka(options, createSockets(), REQUEST_MS).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

const TOPIC_RESOURCE = 2
const SET_ON_TOPIC = 1
/** A busy broker has made the leaders of some hundred partitions long before. */
const READY_MS = 90_000
const PAUSE_MS = 50
/** What it was told to set. */
const APPLIED_MS = 15_000
/** KIP-464: the broker takes its own default. */
const THE_CLUSTERS = -1

/** kafkajs calls what it has asked a few times in vain final; what it was stands in the cause. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('retriable' in error && error.retriable === true) || (error.name === 'KafkaJSNumberOfRetriesExceeded' && mayPass(error.cause))
}

const LEADERLESS = ['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']

/** A leader is being elected, as after each start of a broker. */
function isLeaderless(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('type' in error && LEADERLESS.includes(String(error.type))) || isLeaderless(error.cause)
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Works again while `passes` says of the error that it may not last. Each time is a new client's:
 * one that was told of a leader goes on asking it for minutes, also where that is none any more.
 */
async function insist<T>(options: Options, passes: (error: unknown) => boolean, work: (admin: Admin) => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + READY_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await withAdmin(options, work)
    } catch (error) {
      if (!passes(error) || Date.now() > deadline) throw error
    }
  }
}

/**
 * Until every partition can be worked with. kafkajs's own wait fails when the broker has not yet
 * heard of a topic that it has just made.
 */
function settled(options: Options, topics: string[]): Promise<void> {
  const left = new Set(topics)
  return insist(options, mayPass, async (admin) => {
    await admin.fetchTopicMetadata({ topics: [...left] })
    for (const topic of left) {
      // Asks each partition's leader, which may not know yet that it is.
      await admin.fetchTopicOffsets(topic)
      left.delete(topic)
    }
  })
}

/**
 * What is set on topics: name on the broker → setting → value, and which of them were set on the
 * topic itself.
 */
async function settingsOf(admin: Admin, names: string[]): Promise<Map<string, { all: Map<string, string>; own: Map<string, string> }>> {
  if (names.length === 0) return new Map()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: TOPIC_RESOURCE, name }))
  })
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      {
        all: new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
        own: new Map(
          configEntries
            .filter(({ configSource }) => Number(configSource) === SET_ON_TOPIC)
            .map(({ configName, configValue }) => [configName, configValue])
        )
      }
    ])
  )
}

/**
 * Changes that bring topics in line. A change replaces all that is set on a topic, so what an
 * operator set beside ours is in it.
 */
function staleSettings(names: readonly TopicName[], topicPrefix: string, settings: Awaited<ReturnType<typeof settingsOf>>) {
  return names.flatMap((name) => {
    const found = settings.get(topicPrefix + name)
    const wanted = Object.entries(topicConfig(specOf(name)))
    if (!found || wanted.every(([key, value]) => found.all.get(key) === value)) return []
    const entries = [...new Map([...found.own, ...wanted])].map(([key, value]) => ({ name: key, value }))
    return [{ type: TOPIC_RESOURCE, name: topicPrefix + name, configEntries: entries }]
  })
}

/**
 * Creates what is missing, with as many replicas as the cluster says (default.replication.factor;
 * min.insync.replicas is the brokers', too), and brings settings of what is there in line; what an
 * operator set beside ours stays. Returns the names created.
 */
export function createTopics(options: Options, names: readonly TopicName[] = topicNames): Promise<TopicName[]> {
  const { topicPrefix } = options
  return withAdmin(options, async (admin) => {
    const existing = new Set(await admin.listTopics())
    const missing = names.filter((name) => !existing.has(topicPrefix + name))
    const present = names.filter((name) => existing.has(topicPrefix + name))
    if (missing.length > 0) {
      await admin.createTopics({
        waitForLeaders: false,
        timeout: TOPICS_MS,
        topics: missing.map((name) => ({
          topic: topicPrefix + name,
          numPartitions: specOf(name).partitions,
          replicationFactor: THE_CLUSTERS,
          configEntries: Object.entries(topicConfig(specOf(name))).map(([key, value]) => ({ name: key, value }))
        }))
      })
      await settled(
        options,
        missing.map((name) => topicPrefix + name)
      )
    }
    // The broker applies a change a moment after it has answered.
    for (const deadline = Date.now() + APPLIED_MS; ; await sleep(PAUSE_MS)) {
      const stale = staleSettings(
        present,
        topicPrefix,
        await settingsOf(
          admin,
          present.map((name) => topicPrefix + name)
        )
      )
      if (stale.length === 0 || Date.now() > deadline) break
      await admin.alterConfigs({ validateOnly: false, resources: stale })
    }
    return missing
  })
}

/** Deletes topics of a test; refuses names without a test prefix. */
export function deleteTopics(options: Options, names: readonly TopicName[]): Promise<void> {
  if (!options.topicPrefix.startsWith('test'))
    throw new Error(`only topics of a test are deleted, their prefix starts with "test"; got "${options.topicPrefix}"`)
  return withAdmin(options, (admin) => admin.deleteTopics({ topics: names.map((name) => options.topicPrefix + name), timeout: TOPICS_MS }))
}

/** Settings that folds rely on; retention and sizes are an operator's to change. */
const VERIFIED = ['cleanup.policy', 'message.timestamp.type']

/**
 * Throws one error that names every topic that is missing or has another partition count, cleanup
 * policy or kind of timestamp than the table says.
 */
export function verifyTopics(options: Options, names: readonly TopicName[] = topicNames): Promise<void> {
  const { topicPrefix } = options
  return insist(options, isLeaderless, async (admin) => {
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
        if (VERIFIED.includes(key) && actual !== value) faults.push(`${name} has ${key}=${actual}, expected ${value}`)
      }
    }
    if (faults.length > 0)
      throw new Error(
        `The topics on the broker are not those of schemas/topics.ts (npm run migrate creates them):\n  ${faults.join('\n  ')}`
      )
  })
}
