/**
 * The idempotent producer: one request in flight, each partition's batch with the producer's own sequence number, acks=all.
 *
 * kafkajs 2.2.4's producer loses acknowledged records in three ways, all from how it counts sequences (see test/runtime/producer.test.ts).
 * Here the rule of KIP-98 holds by construction: a batch keeps its bytes, producer id and sequence through every retry, so the broker can tell a repeat
 * from a new batch; the sequence moves on only with the broker's answer for that partition; and a batch that is given up ends the producer id,
 * so that no later batch can be taken for it.
 *
 * produce() resolves when every record is acknowledged. It rejects
 *   RecordRefused   the broker refused a batch for good, and every other batch of the call is acknowledged or was refused too
 *   OutcomeUnknown  the deadline passed: some batch may or may not be on the log
 */
import { type Cluster, type ClusterBroker, type Connect, createCluster, type ProtocolCall } from './kafkajs.ts'
import { decodeProduceReply, encodeProduce, type PartitionBatch, type PartitionReply, partitionOf } from './record-batch.ts'
import { OutcomeUnknown, type OutRecord, RecordRefused } from './stream.ts'

const NONE = 0
const DUPLICATE_SEQUENCE_NUMBER = 46
/** The broker's mind may change: another leader, too few replicas in sync, storage coming back. */
const RETRIABLE = new Set([3, 5, 6, 7, 8, 13, 14, 15, 16, 19, 20, 56, 74, 75, 76])
/** The broker does not know the producer id, or not its sequence: the id is of no more use. */
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

/** kafkajs would wrap the sequence wrongly at 2^31; long before that the producer takes a new id, whose sequences start at 0. */
const LAST_SEQUENCE = 1_000_000_000
/** At most this many records of a partition in one request (architecture.md section 5). */
const PARTITION_RECORDS = 1000

export interface ProducerOptions extends Connect {
  /** Called with the reason whenever a producer id was given up; for metrics. */
  onReplaced?(reason: string): void
}

interface Pending extends PartitionBatch {
  /** An attempt may have reached the broker without its answer reaching us. */
  uncertain: boolean
}

const isUnknownTopic = (error: unknown): boolean => error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export class Producer {
  private readonly options: ProducerOptions
  private readonly known = new Set<string>()
  private readonly sequences = new Map<string, number>()
  private cluster: Cluster
  private identity: { id: bigint; epoch: number } | null = null

  constructor(options: ProducerOptions) {
    this.options = options
    this.cluster = createCluster(options)
  }

  /** Connects and takes a producer id; for readiness probes. Rejects when the cluster cannot be reached by `deadline` (epoch ms). */
  async connect(deadline: number): Promise<void> {
    await this.identify(deadline)
  }

  async close(): Promise<void> {
    this.identity = null
    await this.cluster.disconnect()
  }

  /** Partition that a key goes to; needs the topic's metadata, which the first call loads. */
  async partitionsOf(topic: string): Promise<number> {
    await this.learn([topic])
    return this.cluster.findTopicPartitionMetadata(topic).length
  }

  /** One call at a time: the batcher sees to it. `deadline` in epoch ms. */
  async produce(records: readonly OutRecord[], deadline: number): Promise<void> {
    let pending: Pending[] | null = null
    let refused: RecordRefused | null = null
    let failure: unknown
    for (let attempt = 0; ; attempt++) {
      try {
        const identity = await this.identify(deadline)
        if (pending === null) {
          await this.learn([...new Set(records.map((record) => record.topic))])
          pending = this.split(records)
        }
        const results = await this.sendAll(pending, identity, deadline)
        const left: Pending[] = []
        let lost = false
        for (const [batch, code] of results) {
          if (code === NONE || code === DUPLICATE_SEQUENCE_NUMBER) {
            this.sequences.set(`${batch.topic}:${batch.partition}`, batch.firstSequence + batch.records.length)
          } else if (code !== null && REFUSED[code]) {
            refused = new RecordRefused(`the broker refused ${batch.records.length} record(s) for ${batch.topic}: ${REFUSED[code]}`)
          } else {
            if (code === null) batch.uncertain = true
            else if (PRODUCER_LOST.has(code)) lost = true
            else if (!RETRIABLE.has(code)) failure = new Error(`error code ${code} of the broker for ${batch.topic}`)
            left.push(batch)
          }
        }
        if (left.length === 0) {
          if (refused) throw refused
          return
        }
        pending = left
        if (lost) {
          this.replace('the broker no longer knows the producer id')
          // Under a new id the broker could not tell a repeat: only what certainly is not on the log may go out again.
          if (pending.some((batch) => batch.uncertain))
            throw new OutcomeUnknown('the broker lost the producer id while an answer was missing')
          for (const batch of pending) batch.firstSequence = 0
        }
      } catch (error) {
        if (error instanceof RecordRefused || error instanceof OutcomeUnknown) throw error
        // Nothing of a call goes out before all its topics are known. A topic just created may take a moment to be known to the broker asked.
        if (pending === null && attempt >= 3 && isUnknownTopic(error))
          throw new RecordRefused('unknown topic: create the topics with npm run migrate', { cause: error })
        failure = error
      }
      if (Date.now() >= deadline) break
      await pause(Math.min(50 * 2 ** Math.min(attempt, 4), Math.max(deadline - Date.now(), 1)))
      await this.refresh()
      if (Date.now() >= deadline) break
    }
    this.replace('a batch was given up')
    throw new OutcomeUnknown('no acknowledgement of the broker within the deadline', { cause: failure })
  }

  private split(records: readonly OutRecord[]): Pending[] {
    const batches = new Map<string, OutRecord[]>()
    const counts = new Map<string, number>()
    for (const record of records) {
      let count = counts.get(record.topic)
      if (count === undefined) {
        count = this.cluster.findTopicPartitionMetadata(record.topic).length
        if (count === 0) throw new RecordRefused(`no topic ${record.topic}: create the topics with npm run migrate`)
        counts.set(record.topic, count)
      }
      const partition = record.partition ?? partitionOf(record.key, count)
      const name = `${record.topic}:${partition}`
      const known = batches.get(name)
      if (known) known.push(record)
      else batches.set(name, [record])
    }
    const pending: Pending[] = []
    for (const [name, list] of batches) {
      if (list.length > PARTITION_RECORDS)
        throw new RangeError(`at most ${PARTITION_RECORDS} records a partition a request, got ${list.length}`)
      const colon = name.lastIndexOf(':')
      let firstSequence = this.sequences.get(name) ?? 0
      if (firstSequence > LAST_SEQUENCE) firstSequence = this.wrap()
      pending.push({
        topic: name.slice(0, colon),
        partition: Number(name.slice(colon + 1)),
        records: list,
        firstSequence,
        uncertain: false
      })
    }
    return pending
  }

  /** Ends the id before its sequence could wrap; the caller's next attempt takes a new one. */
  private wrap(): never {
    this.replace('its sequence came near the wrap')
    throw new Error('the producer takes a new id')
  }

  private replace(reason: string): void {
    if (this.identity) this.options.onReplaced?.(reason)
    this.identity = null
    this.sequences.clear()
  }

  private async identify(deadline: number): Promise<{ id: bigint; epoch: number }> {
    for (let attempt = 0; this.identity === null; attempt++) {
      try {
        if (!this.cluster.isConnected()) await this.cluster.connect()
        await this.cluster.refreshMetadataIfNecessary()
        const broker = await this.anyBroker()
        const { producerId, producerEpoch } = await broker.initProducerId({ transactionTimeout: 60_000 })
        this.sequences.clear()
        this.identity = { id: BigInt(producerId), epoch: producerEpoch }
      } catch (error) {
        // A broker in its first seconds answers that its coordinator is loading; one that is away refuses connections. Both pass.
        if (Date.now() >= deadline) throw error
        await pause(Math.min(50 * 2 ** Math.min(attempt, 3), Math.max(deadline - Date.now(), 1)))
        await this.refresh()
      }
    }
    return this.identity
  }

  private async anyBroker(): Promise<ClusterBroker> {
    const leader = this.cluster.brokerPool.metadata?.topicMetadata[0]?.partitionMetadata[0]?.leader
    return leader !== undefined && leader >= 0 ? this.cluster.findBroker({ nodeId: leader }) : this.cluster.findControllerBroker()
  }

  private async learn(topics: string[]): Promise<void> {
    const unknown = topics.filter((topic) => !this.known.has(topic))
    if (unknown.length > 0) {
      if (!this.cluster.isConnected()) await this.cluster.connect()
      await this.cluster.addMultipleTargetTopics(unknown)
      for (const topic of unknown) this.known.add(topic)
    } else {
      await this.cluster.refreshMetadataIfNecessary()
    }
  }

  /** Fresh metadata and connections before another attempt; failing to get them is the next attempt's business. */
  private async refresh(): Promise<void> {
    try {
      if (!this.cluster.isConnected()) await this.cluster.connect()
      await this.cluster.refreshMetadata()
    } catch (error) {
      this.options.log.debug({ err: error }, 'metadata not refreshed')
    }
  }

  /** One request to each leader; a null code means that no answer came. */
  private async sendAll(
    pending: Pending[],
    identity: { id: bigint; epoch: number },
    deadline: number
  ): Promise<[Pending, number | null][]> {
    const byLeader = new Map<number, Pending[]>()
    const results: [Pending, number | null][] = []
    const leaders = new Map<string, Map<number, number>>()
    for (const batch of pending) {
      let partitions = leaders.get(batch.topic)
      if (!partitions) {
        partitions = new Map(this.cluster.findTopicPartitionMetadata(batch.topic).map(({ partitionId, leader }) => [partitionId, leader]))
        leaders.set(batch.topic, partitions)
      }
      const leader = partitions.get(batch.partition) ?? -1
      if (leader < 0)
        results.push([batch, 5]) // No leader now: LEADER_NOT_AVAILABLE.
      else byLeader.set(leader, [...(byLeader.get(leader) ?? []), batch])
    }
    await Promise.all(
      [...byLeader].map(async ([nodeId, batches]) => {
        let replies: PartitionReply[] | null = null
        let timer: NodeJS.Timeout | undefined
        const overdue = new Promise<null>((resolve) => {
          timer = setTimeout(() => resolve(null), Math.max(deadline - Date.now(), 1))
        })
        try {
          const sent = this.cluster.findBroker({ nodeId }).then((broker) => this.send(broker, batches, identity, deadline))
          sent.catch(() => undefined) // When overdue wins, a later rejection has nobody else to tell.
          replies = await Promise.race([sent, overdue])
        } catch (error) {
          this.options.log.debug({ err: error, nodeId }, 'produce request failed')
        } finally {
          clearTimeout(timer)
        }
        for (const batch of batches) {
          const reply = replies?.find((one) => one.partition === batch.partition && one.topic === batch.topic)
          results.push([batch, reply ? reply.errorCode : null])
        }
      })
    )
    return results
  }

  private send(
    broker: ClusterBroker,
    batches: Pending[],
    identity: { id: bigint; epoch: number },
    deadline: number
  ): Promise<PartitionReply[]> {
    const remaining = Math.max(deadline - Date.now(), 100)
    const body = encodeProduce(batches, { producerId: identity.id, producerEpoch: identity.epoch, timeoutMs: remaining, now: Date.now() })
    const call: ProtocolCall<PartitionReply[]> = {
      request: { apiKey: 0, apiVersion: 7, apiName: 'Produce', encode: async () => ({ buf: body, buffer: body }) },
      response: { decode: async (raw) => decodeProduceReply(raw), parse: async (replies) => replies },
      requestTimeout: remaining
    }
    return broker.connectionPool.send(call)
  }
}
