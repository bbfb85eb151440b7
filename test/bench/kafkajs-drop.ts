/**
 * kafkajs as published, in a process of its own, because streams/runtime patches the copy that it
 * loads. For each message of the parent it reads a topic from its beginning, drops every batch as
 * it comes, and answers with the time and CPU that this took.
 */
import kafkajs from 'kafkajs'

export interface Ask {
  brokers: string[]
  group: string
  topic: string
  records: number
}

/**
 * Cost from joining the group to the last record: CPU microseconds (user and system) and seconds.
 */
export interface Answer {
  cpu: number
  seconds: number
}

async function drop({ brokers, group, topic, records }: Ask): Promise<Answer> {
  const before = { cpu: process.cpuUsage(), at: performance.now() }
  const consumer = new kafkajs.Kafka({ brokers, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING }).consumer({
    groupId: group,
    sessionTimeout: 8000,
    heartbeatInterval: 2000,
    maxWaitTimeInMs: 2000,
    maxBytesPerPartition: 1024 * 1024,
    maxBytes: 8 * 1024 * 1024,
    readUncommitted: true
  })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  let seen = 0
  const all = new Promise<void>((resolve) => {
    void consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 24,
      eachBatch: async ({ batch }) => {
        seen += batch.messages.length
        if (seen >= records) resolve()
      }
    })
  })
  await all
  const { user, system } = process.cpuUsage(before.cpu)
  const answer = { cpu: user + system, seconds: (performance.now() - before.at) / 1000 }
  await consumer.disconnect()
  return answer
}

process.on('message', (ask: Ask) => {
  void drop(ask).then((answer) => process.send?.(answer))
})
