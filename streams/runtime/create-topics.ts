/**
 * Creates and verifies the topics on the broker, from the one table in schemas/topics.ts. Only the
 * migrate step creates them; the roles that process records verify them at boot. Partition counts
 * are frozen, because keys would move to other partitions and state is addressed by partition. A
 * different count is an error and is never altered.
 */
import { specOf, type TopicName, topicConfig, topicNames } from '../../schemas/topics.ts'
import type { StreamOptions } from './connect.ts'
import { type Admin, createKafka, createSockets } from './kafkajs.ts'

type Options = Pick<StreamOptions, 'brokers' | 'clientId' | 'topicPrefix' | 'log'>

/** How long the broker may take to create or delete topics. */
const TOPICS_MS = 10_000
/**
 * Longer than that: a request given up halfway may still be carried out, and then fails when it is
 * repeated.
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
/** Even a busy broker elects the leaders of some hundred partitions well within this time. */
const READY_MS = 90_000
const PAUSE_MS = 50
/** How long the broker may take to apply changed settings. */
const APPLIED_MS = 15_000
/** KIP-464: makes the broker use its own default. */
const THE_CLUSTERS = -1

/**
 * Whether the error may pass. kafkajs calls an error final after a few failed tries; the original
 * error is the cause.
 */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('retriable' in error && error.retriable === true) || (error.name === 'KafkaJSNumberOfRetriesExceeded' && mayPass(error.cause))
}

const LEADERLESS = ['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']

/** Whether a leader is being elected, as after each start of a broker. */
function isLeaderless(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('type' in error && LEADERLESS.includes(String(error.type))) || isLeaderless(error.cause)
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Repeats `work` while `passes` says that the error may pass. Each try uses a new client, because a
 * client keeps asking a leader that it knows for minutes, even after that broker has stopped being
 * the leader.
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
 * Waits until every partition is usable. kafkajs's own wait fails when the broker does not yet know
 * a topic that it has just created.
 */
function settled(options: Options, topics: string[]): Promise<void> {
  const left = new Set(topics)
  return insist(options, mayPass, async (admin) => {
    await admin.fetchTopicMetadata({ topics: [...left] })
    for (const topic of left) {
      // Asks each partition's leader, which may not yet know that it is the leader.
      await admin.fetchTopicOffsets(topic)
      left.delete(topic)
    }
  })
}

/**
 * Reads the settings of topics: name on the broker → setting → value (`all`), and the settings that
 * were made on the topic itself (`own`).
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
 * Returns the changes that correct the topics' settings. A change replaces everything set on a
 * topic, so it also contains what an operator set in addition.
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
 * Creates the missing topics with the cluster's number of replicas (default.replication.factor;
 * min.insync.replicas is also left to the brokers), and corrects the settings of existing ones.
 * Settings that an operator added stay. Returns the names created.
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
    // The broker applies a change only some time after its answer.
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

/** Deletes topics of a test. Throws when the prefix is not that of a test. */
export function deleteTopics(options: Options, names: readonly TopicName[]): Promise<void> {
  if (!options.topicPrefix.startsWith('test'))
    throw new Error(`only topics of a test are deleted, their prefix starts with "test"; got "${options.topicPrefix}"`)
  return withAdmin(options, (admin) => admin.deleteTopics({ topics: names.map((name) => options.topicPrefix + name), timeout: TOPICS_MS }))
}

/** Settings that folds rely on. Retention and sizes may be changed by an operator. */
const VERIFIED = ['cleanup.policy', 'message.timestamp.type']

/**
 * Throws one error that names every topic that is missing or differs from the table in partition
 * count, cleanup policy or timestamp type.
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
