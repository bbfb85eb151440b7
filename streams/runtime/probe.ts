/**
 * Checks that a broker is usable; an open port does not prove that. In its first seconds a broker
 * may answer InitProducerId with "coordinator is loading", and the group coordinator may not be
 * available. The local stack waits for this check before it starts a role, so that no role mistakes
 * a starting broker for an outage.
 */
import { randomUUID } from 'node:crypto'
import { createKafka } from './kafkajs.ts'
import { steadyNow } from './steady.ts'

const quiet = { debug: () => undefined }
const PAUSE_MS = 100
const ATTEMPT_MS = 5000

/**
 * Resolves once an idempotent producer has its id and a member has joined a group. Rejects with the
 * last refusal at the deadline (ms from now) or when `ended` is aborted.
 */
export async function probeBroker(brokers: string[], deadlineMs: number, ended?: AbortSignal): Promise<void> {
  const deadline = steadyNow() + deadlineMs
  for (;;) {
    try {
      await attempt(brokers)
      return
    } catch (error) {
      if (ended?.aborted || steadyNow() > deadline)
        throw new Error(`the broker at ${brokers.join(', ')} cannot be worked with: ${(error as Error).message}`)
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function attempt(brokers: string[]): Promise<void> {
  const kafka = createKafka({ brokers, clientId: 'readiness', log: quiet })
  const groupId = `readiness-${randomUUID()}`
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, retry: { retries: 1 } })
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: 6000,
    maxWaitTimeInMs: 50,
    retry: { retries: 0, restartOnFailure: async () => false }
  })
  try {
    await producer.connect() // Asks for a producer id.
    await consumer.connect()
    await consumer.subscribe({ topics: [/^$/] }) // A group member that reads nothing.
    const joined = new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.GROUP_JOIN, () => resolve())
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      setTimeout(() => reject(new Error('no group could be joined')), ATTEMPT_MS).unref()
    })
    await Promise.all([joined, consumer.run({ eachBatch: async () => undefined })])
  } finally {
    await consumer.disconnect()
    await producer.disconnect()
  }
}
