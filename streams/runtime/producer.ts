/**
 * The idempotent producer: one request in flight to each broker, each partition's batch with this
 * producer's own sequence number, acks=all.
 *
 * kafkajs 2.2.4's producer loses acknowledged records in three ways, all caused by how it counts
 * sequences (see test/streams/runtime/producer.test.ts). Here the rule of KIP-98 holds by
 * construction:
 * - A batch keeps its records, times, producer id and sequence through every retry, so the broker
 *   can tell a repeat from a new batch.
 * - The sequence moves on only with the broker's answer for that partition.
 * - A batch that is given up ends the producer id, so no later batch can be mistaken for it.
 *
 * An attempt without an answer closes its connections, so the next attempt does not wait for it.
 *
 * produce() resolves when every record is acknowledged. It rejects with
 *   BatchRefused    the broker refused some batches for good (it names their records); every other
 *                   record of the call is acknowledged
 *   OutcomeUnknown  the deadline passed: some batch may or may not be on the log
 */

import { by } from './deadline.ts'
import { type Cluster, type ClusterBroker, type Connect, createCluster, type ProtocolCall } from './kafkajs.ts'
import {
  decodeProduceReply,
  encodeProduce,
  PARTITION_RECORDS,
  type PartitionBatch,
  type PartitionReply,
  partitionOf
} from './record-batch.ts'
import { BatchRefused } from './send-batch.ts'
import { steadyNow } from './steady.ts'
import { type AppendTime, OutcomeUnknown, type OutRecord } from './stream.ts'

const NONE = 0
const LEADER_NOT_AVAILABLE = 5
const DUPLICATE_SEQUENCE_NUMBER = 46
/** Errors that may pass: another leader, too few in-sync replicas, storage that comes back. */
const RETRIABLE = new Set([3, 5, 6, 7, 8, 13, 14, 15, 16, 19, 20, 56, 74, 75, 76])
/** The broker does not know the producer id or its sequence, so the id is useless now. */
const PRODUCER_LOST = new Set([45, 47, 59])
const REFUSED: Readonly<Record<number, string>> = {
  2: 'CORRUPT_MESSAGE',
  10: 'MESSAGE_TOO_LARGE',
  17: 'INVALID_TOPIC_EXCEPTION',
  18: 'RECORD_LIST_TOO_LARGE',
  29: 'TOPIC_AUTHORIZATION_FAILED',
  32: 'INVALID_TIMESTAMP',
  44: 'POLICY_VIOLATION',
  87: 'INVALID_RECORD'
}

/** Codes of REFUSED that say nothing about the record: the broker lets nobody, or not us, write. */
const OF_TOPIC = new Set([17, 29, 44])

/**
 * kafkajs would wrap the sequence incorrectly at 2^31. Long before that the producer takes a new
 * id, whose sequences start at 0.
 */
const LAST_SEQUENCE = 1_000_000_000
/** How long to wait for an answer. After that the same bytes are sent again on a new connection. */
const ATTEMPT_MS = 3000
/**
 * How often the broker is asked for an unknown topic before the topic counts as missing: a topic
 * that was just created may take a moment.
 */
const TOPIC_QUESTIONS = 4

export interface ProducerOptions extends Connect {
  /** Called with the reason whenever a producer id is given up; for metrics. */
  onReplaced?(reason: string): void
  /** Called when the broker appended a batch at its first attempt. */
  onAppendTime?(seen: AppendTime): void
  /** For tests: where the sequence ends. */
  lastSequence?: number
}

interface Pending extends PartitionBatch {
  /** True when an attempt may have reached the broker but its answer did not reach us. */
  uncertain: boolean
}

interface Identity {
  id: bigint
  epoch: number
}

const isUnknownTopic = (error: unknown): boolean => error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export class Producer {
  private readonly options: ProducerOptions
  private readonly known = new Set<string>()
  /**
   * How often in a row the broker did not know a topic, over all calls. With a slow broker, a call
   * may end before it has asked for the last time.
   */
  private readonly absences = new Map<string, number>()
  private readonly sequences = new Map<string, number>()
  private cluster: Cluster
  private identity: Identity | null = null
  private closed = false

  constructor(options: ProducerOptions) {
    this.options = options
    this.cluster = createCluster(options)
  }

  /** Closes the connections. A call in flight rejects with OutcomeUnknown. */
  async close(): Promise<void> {
    this.closed = true
    this.identity = null
    this.cluster.abandon()
  }

  /**
   * Sends records. One call at a time (the batcher ensures this). Throws RangeError for more than
   * 1,000 records of a partition. `deadline` is of steadyNow.
   */
  async produce(records: readonly OutRecord[], deadline: number): Promise<void> {
    const now = Date.now()
    const refused: OutRecord[] = []
    let present = records
    let refusal: { message: string; each: boolean; ofTopic: boolean } | null = null
    let pending: Pending[] | null = null
    let failure: unknown
    for (let attempt = 1; steadyNow() < deadline && !this.closed; attempt++) {
      const limit = Math.min(deadline, steadyNow() + ATTEMPT_MS)
      try {
        // Topics come before the id. A kafkajs client without topics asks for those of the whole
        // cluster, and that fails when another user's topic has no leader.
        const missing = await by(limit, this.learn(pending ?? present))
        if (missing.size > 0 && pending === null) {
          const message = `no topic ${[...missing].join(', ')}: create the topics with npm run migrate`
          refusal = { message, each: true, ofTopic: true }
          refused.push(...present.filter((record) => missing.has(record.topic)))
          present = present.filter((record) => !missing.has(record.topic))
          for (const topic of missing) this.absences.delete(topic)
          if (present.length === 0) throw new BatchRefused(message, refused, true, true)
        }
        const identity = await by(limit, this.identify())
        pending ??= this.split(present)
        const left: Pending[] = []
        let lost = false
        let doubtful = false
        let unanswered = false
        for (const [batch, code] of await this.sendAll(pending, identity, limit, now)) {
          const reason = code === null ? undefined : REFUSED[code]
          if (code === NONE || code === DUPLICATE_SEQUENCE_NUMBER) {
            this.sequences.set(`${batch.topic}:${batch.partition}`, batch.firstSequence + batch.records.length)
          } else if (reason && !batch.uncertain) {
            const message = `the broker refused ${batch.records.length} record(s) for ${batch.topic}: ${reason}`
            refusal = { message, each: false, ofTopic: code !== null && OF_TOPIC.has(code) }
            refused.push(...batch.records)
          } else {
            if (code === null) unanswered = batch.uncertain = true
            else if (reason) doubtful = true
            else if (PRODUCER_LOST.has(code)) lost = true
            else if (!RETRIABLE.has(code)) failure = new Error(`error code ${code} of the broker for ${batch.topic}`)
            left.push(batch)
          }
        }
        pending = left
        if (left.length === 0) {
          if (refusal) throw new BatchRefused(refusal.message, refused, refusal.each, refusal.ofTopic)
          return
        }
        // Refused now, but an earlier attempt whose answer was lost may have appended it. Its
        // sequence may be used, so the producer id must be given up.
        if (doubtful) break
        if (lost) {
          this.replace('the broker no longer knows the producer id')
          // Under a new id the broker cannot recognize a repeat, so only batches that certainly are
          // not on the log may be sent again.
          if (left.some((batch) => batch.uncertain)) throw new OutcomeUnknown('the broker lost the producer id while an answer was missing')
          for (const batch of left) batch.firstSequence = 0
        }
        if (unanswered) this.reconnect()
        else await by(limit, this.cluster.refreshMetadata())
      } catch (error) {
        if (error instanceof BatchRefused || error instanceof OutcomeUnknown || error instanceof RangeError) throw error
        failure = error
        this.options.log.debug({ err: error, attempt }, 'an attempt to produce failed')
        this.reconnect()
      }
      await pause(Math.min(25 * 2 ** Math.min(attempt, 4), Math.max(deadline - steadyNow(), 1)))
    }
    this.replace('a batch was given up')
    this.reconnect()
    throw new OutcomeUnknown('no acknowledgement of the broker within the deadline', { cause: failure })
  }

  private split(records: readonly OutRecord[]): Pending[] {
    const batches = new Map<string, { topic: string; partition: number; records: OutRecord[] }>()
    const counts = new Map<string, number>()
    for (const record of records) {
      const { topic } = record
      let count = counts.get(topic)
      if (count === undefined) {
        count = this.cluster.findTopicPartitionMetadata(topic).length
        counts.set(topic, count)
      }
      const partition = record.partition ?? partitionOf(record.key, count)
      const name = `${topic}:${partition}`
      const known = batches.get(name)
      if (known) known.records.push(record)
      else batches.set(name, { topic, partition, records: [record] })
    }
    return [...batches].map(([name, batch]) => {
      const { length } = batch.records
      if (length > PARTITION_RECORDS)
        throw new RangeError(`at most ${PARTITION_RECORDS} records a partition a request, got ${length} for ${name}`)
      return { ...batch, firstSequence: this.sequenceOf(name), uncertain: false }
    })
  }

  /**
   * Returns the next sequence. Ends the producer id before its sequence could wrap; the next
   * attempt of the caller takes a new one.
   */
  private sequenceOf(name: string): number {
    const sequence = this.sequences.get(name) ?? 0
    if (sequence <= (this.options.lastSequence ?? LAST_SEQUENCE)) return sequence
    this.replace('its sequence came near the wrap')
    throw new Error('the producer takes a new id')
  }

  private replace(reason: string): void {
    if (this.identity) this.options.onReplaced?.(reason)
    this.identity = null
    this.sequences.clear()
  }

  /**
   * Makes the next attempt use new connections and new metadata. Answers still missing on the old
   * connections are ignored.
   */
  private reconnect(): void {
    this.cluster.abandon()
    this.known.clear()
    if (!this.closed) this.cluster = createCluster(this.options)
  }

  private async identify(): Promise<Identity> {
    if (this.identity) return this.identity
    const { cluster } = this
    const { producerId, producerEpoch } = await (await cluster.findControllerBroker()).initProducerId({ transactionTimeout: 60_000 })
    if (cluster !== this.cluster) throw new Error('this attempt was given up')
    this.sequences.clear()
    this.identity = { id: BigInt(producerId), epoch: producerEpoch }
    return this.identity
  }

  /**
   * Loads the metadata of topics. Returns the topics that the broker did not know after
   * TOPIC_QUESTIONS requests; rejects while that is in doubt. A deleted topic makes every request
   * on the same connections fail, so all topics are then learnt again.
   */
  private async learn(batches: readonly { topic: string }[]): Promise<Set<string>> {
    const missing = new Set<string>()
    const { cluster, known, absences } = this
    if (!cluster.isConnected()) await cluster.connect()
    const unknown = [...new Set(batches.map(({ topic }) => topic))].filter((topic) => !known.has(topic))
    if (unknown.length === 0) {
      await cluster.refreshMetadataIfNecessary()
      return missing
    }
    const ask = async (topics: string[]): Promise<unknown> => {
      try {
        await cluster.addMultipleTargetTopics(topics)
      } catch (error) {
        if (!isUnknownTopic(error)) throw error
        return error
      }
      if (cluster !== this.cluster) throw new Error('this attempt was given up')
      for (const topic of topics) {
        known.add(topic)
        absences.delete(topic)
      }
      return null
    }
    if ((await ask(unknown)) === null) return missing
    let doubt: unknown = null
    for (const topic of unknown) {
      const error = await ask([topic])
      if (error === null) continue
      const questions = (absences.get(topic) ?? 0) + 1
      absences.set(topic, questions)
      if (questions < TOPIC_QUESTIONS) doubt = error
      else missing.add(topic)
    }
    if (doubt) throw doubt
    return missing
  }

  /** Sends one request to each leader. A null code means that no answer came. */
  private async sendAll(pending: Pending[], identity: Identity, deadline: number, now: number): Promise<[Pending, number | null][]> {
    const { cluster } = this
    const byLeader = new Map<number, Pending[]>()
    const results: [Pending, number | null][] = []
    const leaders = new Map<string, Map<number, number>>()
    for (const batch of pending) {
      let partitions = leaders.get(batch.topic)
      if (!partitions) {
        partitions = new Map(cluster.findTopicPartitionMetadata(batch.topic).map(({ partitionId, leader }) => [partitionId, leader]))
        leaders.set(batch.topic, partitions)
      }
      const leader = partitions.get(batch.partition) ?? -1
      const own = byLeader.get(leader)
      if (leader < 0) results.push([batch, LEADER_NOT_AVAILABLE])
      else if (own) own.push(batch)
      else byLeader.set(leader, [batch])
    }
    await Promise.all(
      [...byLeader].map(async ([nodeId, batches]) => {
        let replies: PartitionReply[] | null = null
        const asked = performance.now()
        try {
          replies = await by(
            deadline,
            cluster.findBroker({ nodeId }).then((broker) => this.send(broker, batches, identity, deadline, now))
          )
        } catch (error) {
          this.options.log.debug({ err: error, nodeId }, 'produce request failed')
        }
        // For a repeat, the broker answers with the time of the first attempt.
        const stamped = replies?.find((one) => one.errorCode === NONE && one.appendTime >= 0)
        if (stamped && !batches.some((batch) => batch.uncertain))
          this.options.onAppendTime?.({ appended_at: stamped.appendTime, asked, answered: performance.now() })
        for (const batch of batches) {
          const reply = replies?.find((one) => one.partition === batch.partition && one.topic === batch.topic)
          results.push([batch, reply ? reply.errorCode : null])
        }
      })
    )
    return results
  }

  private send(broker: ClusterBroker, batches: Pending[], identity: Identity, deadline: number, now: number): Promise<PartitionReply[]> {
    const remaining = Math.max(deadline - steadyNow(), 100)
    const body = encodeProduce(batches, { producerId: identity.id, producerEpoch: identity.epoch, timeoutMs: remaining, now })
    const call: ProtocolCall<PartitionReply[]> = {
      request: { apiKey: 0, apiVersion: 7, apiName: 'Produce', encode: async () => ({ buf: body, buffer: body }) },
      response: { decode: async (raw) => decodeProduceReply(raw), parse: async (replies) => replies },
      requestTimeout: remaining
    }
    return broker.connectionPool.send(call)
  }
}
