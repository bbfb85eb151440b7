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

/** Creates what is missing with `replicas` replicas and brings settings of what is there in line. Returns the names created. */
export function createTopics(options: Options, names: readonly TopicName[] = topicNames, replicas = 1): Promise<TopicName[]> {
  return withAdmin(options, async (admin) => {
    const existing = new Set(await admin.listTopics())
    const missing = names.filter((name) => !existing.has(options.topicPrefix + name))
    if (missing.length > 0) {
      await admin.createTopics({
        waitForLeaders: true,
        timeout: 10_000,
        topics: missing.map((name) => ({
          topic: options.topicPrefix + name,
          numPartitions: specOf(name).partitions,
          replicationFactor: replicas,
          configEntries: Object.entries(topicConfig(specOf(name))).map(([key, value]) => ({ name: key, value }))
        }))
      })
    }
    return missing
  })
}

/** Deletes topics of a test; refuses names without a test prefix. */
export function deleteTopics(options: Options, names: readonly TopicName[]): Promise<void> {
  if (!options.topicPrefix.startsWith('test'))
    throw new Error(`only topics of a test are deleted, their prefix starts with "test"; got "${options.topicPrefix}"`)
  return withAdmin(options, (admin) => admin.deleteTopics({ topics: names.map((name) => options.topicPrefix + name), timeout: 10_000 }))
}

/** Throws one error that names every topic that is missing or has another partition count or cleanup policy than the table says. */
export function verifyTopics(options: Options, names: readonly TopicName[] = topicNames): Promise<void> {
  return withAdmin(options, async (admin) => {
    const faults: string[] = []
    const existing = new Set(await admin.listTopics())
    const present = names.filter((name) => existing.has(options.topicPrefix + name))
    for (const name of names) if (!present.includes(name)) faults.push(`${name} is missing`)
    const { topics } = await admin.fetchTopicMetadata({ topics: present.map((name) => options.topicPrefix + name) })
    const configs = await admin.describeConfigs({
      includeSynonyms: false,
      resources: present.map((name) => ({
        type: 2,
        name: options.topicPrefix + name,
        configNames: ['cleanup.policy', 'message.timestamp.type']
      }))
    })
    for (const name of present) {
      const wanted = specOf(name)
      const found = topics.find((topic) => topic.name === options.topicPrefix + name)?.partitions.length
      if (found !== wanted.partitions) faults.push(`${name} has ${found} partitions, expected ${wanted.partitions}`)
      const entries = configs.resources.find((resource) => resource.resourceName === options.topicPrefix + name)?.configEntries ?? []
      for (const [key, value] of Object.entries(topicConfig(wanted))) {
        const actual = entries.find((entry) => entry.configName === key)?.configValue
        if (actual !== undefined && actual !== value) faults.push(`${name} has ${key}=${actual}, expected ${value}`)
      }
    }
    if (faults.length > 0)
      throw new Error(
        `The topics on the broker are not those of schemas/topics.ts (npm run migrate creates them):\n  ${faults.join('\n  ')}`
      )
  })
}
