/**
 * The parts of kafkajs that we use beyond its public interface, and our corrections to them. No
 * other file imports kafkajs.
 *
 * - Its connections, metadata, TLS and SASL carry our own producer (producer.ts) and follower
 *   (follow.ts), which send protocol requests of their own.
 * - Its group consumer and admin client are used unchanged.
 * - Corrected: after the first reply, the request queue re-arms a timer of 1 ms for ever
 *   (tulios/kafkajs 1604, 1751), and checks for timed-out requests ten times a second on every
 *   connection.
 * - Replaced: the decoder of fetched records (fetched.ts has ours and says why).
 * - Corrected: a connection that is cut in the middle of a reply keeps the beginning of that reply,
 *   and after reconnecting treats every later reply as its continuation. Two requests that find
 *   the connection closed open it twice. A connection that is given up leaves its socket open.
 * - Corrected: a request for all topics of a cluster fails while any topic has no leader, even a
 *   topic of another user.
 * - Corrected: a request about topics of which one has just lost its leader answers null and does
 *   not say so.
 * - Corrected: a member of a group sends no heartbeat, and a request in flight does not time out,
 *   for as long as the wall clock was set back.
 * - Changed: a fetch that waits for more than its first byte waits here and not at the broker.
 *
 * The internals of a package are not a contract, so any version other than the one we have read is
 * refused at load.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch, ISocketFactory, Kafka as KafkaClass } from 'kafkajs'
import kafkajs from 'kafkajs'
import { decodeFetch, type FetchAnswer } from './fetched.ts'
import { steadyNow } from './steady.ts'

const require = createRequire(import.meta.url)
const version = (require('kafkajs/package.json') as { version: string }).version
if (version !== '2.2.4')
  throw new Error(`streams/runtime is written against kafkajs 2.2.4, found ${version}: read the inside again before changing the pin`)

/**
 * A protocol request as a kafkajs connection sends it: `encode` gives the body, `decode` reads the
 * reply.
 */
export interface ProtocolCall<T> {
  request: { apiKey: number; apiVersion: number; apiName: string; encode(): Promise<{ buf: Buffer; buffer: Buffer }> }
  response: { decode(raw: Buffer): Promise<T & { clientSideThrottleTime?: number }>; parse(decoded: T): Promise<T> }
  requestTimeout?: number
}

export interface ClusterBroker {
  nodeId: number
  versions: Record<number, { minVersion: number; maxVersion: number }>
  isConnected(): boolean
  connectionPool: { send<T>(call: ProtocolCall<T>): Promise<T>; host: string; port: number }
  initProducerId(options: { transactionTimeout: number }): Promise<{ producerId: string; producerEpoch: number }>
  offsetCommit(options: {
    groupId: string
    groupGenerationId: number
    memberId: string
    topics: { topic: string; partitions: { partition: number; offset: string; metadata?: string }[] }[]
  }): Promise<unknown>
  offsetFetch(options: { groupId: string; topics: { topic: string; partitions: { partition: number }[] }[] }): Promise<{
    responses: { topic: string; partitions: { partition: number; offset: string; metadata: string | null }[] }[]
  }>
  fetch(options: {
    isolationLevel: number
    maxWaitTime: number
    minBytes: number
    maxBytes: number
    topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[]
  }): Promise<{
    responses: {
      topicName: string
      /** `messages` holds one Fetched, or nothing. */
      partitions: { partition: number; errorCode: number; highWatermark: string; messages: unknown[] }[]
    }[]
  }>
}

export interface Cluster {
  brokerPool: {
    metadata: { clusterId: string; topicMetadata: { topic: string; partitionMetadata: { partitionId: number; leader: number }[] }[] } | null
  }
  connect(): Promise<void>
  /**
   * Ends every connection at once and for good: requests in flight reject, and this cluster never
   * connects again.
   */
  abandon(): void
  isConnected(): boolean
  refreshMetadata(): Promise<void>
  refreshMetadataIfNecessary(): Promise<void>
  addMultipleTargetTopics(topics: string[]): Promise<void>
  findBroker(options: { nodeId: number | string }): Promise<ClusterBroker>
  findControllerBroker(): Promise<ClusterBroker>
  findGroupCoordinator(options: { groupId: string }): Promise<ClusterBroker>
  findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number; partitionErrorCode: number }[]
  fetchTopicsOffset(
    topics: { topic: string; partitions: { partition: number }[]; fromBeginning?: boolean; fromTimestamp?: number }[]
  ): Promise<{ topic: string; partitions: { partition: number; offset: string }[] }[]>
}

interface SocketRequestInside {
  /** By the steady clock. kafkajs has the time of the wall clock, which may jump. */
  steadySentAt: number
  requestTimeout: number
  send(): void
  timeoutRequest(): void
}

const socketRequest = (require('kafkajs/src/network/requestQueue/socketRequest.js') as { prototype: SocketRequestInside }).prototype
const { send: sendRequest } = socketRequest

socketRequest.send = function (this: SocketRequestInside): void {
  this.steadySentAt = steadyNow()
  sendRequest.call(this)
}

interface RequestQueueInside {
  pending: unknown[]
  inflight: Map<number, SocketRequestInside>
  throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  requestTimeoutIntervalId: NodeJS.Timeout | undefined
  requestTimeout: number
  enforceRequestTimeout: boolean
  isConnected(): boolean
  destroy(): void
  checkPendingRequests(): void
}

const RequestQueue = require('kafkajs/src/network/requestQueue/index.js') as { prototype: object }
Object.assign(RequestQueue.prototype, {
  scheduleCheckPendingRequests(this: RequestQueueInside): void {
    // No request waits, so no check is needed until the next push.
    if (this.pending.length === 0 || this.throttleCheckTimeoutId) return
    const wait = this.throttledUntil - Date.now()
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null
        this.checkPendingRequests()
      },
      wait > 0 ? wait : 10
    )
  },
  scheduleRequestTimeoutCheck(this: RequestQueueInside): void {
    if (!this.enforceRequestTimeout) return
    this.destroy()
    this.requestTimeoutIntervalId = setInterval(() => {
      const now = steadyNow()
      for (const request of this.inflight.values()) if (now - request.steadySentAt > request.requestTimeout) request.timeoutRequest()
      if (!this.isConnected()) this.destroy()
    }, 500)
  }
})

// A fetch looks up its decoder in this module each time. Every broker that we support speaks
// version 11, so kafkajs asks for that version.
const fetchResponse = require('kafkajs/src/protocol/requests/fetch/v11/response.js') as { decode(raw: Buffer): Promise<FetchAnswer> }
fetchResponse.decode = async (raw) => decodeFetch(raw)

interface TopicAnswer {
  topicErrorCode: number
  topic: string
}

interface FetchWish {
  maxWaitTime: number
  minBytes: number
}

interface BrokerInside {
  fetch(wish: FetchWish): Promise<FetchAnswer>
  lookupRequest(key: number, requests: object): (options: object) => ProtocolCall<{ topicMetadata: TopicAnswer[] }>
  connectionPool: ClusterBroker['connectionPool']
  metadata(topics?: string[]): Promise<{ topicMetadata: TopicAnswer[] }>
}

const METADATA = 3
const { requests } = require('kafkajs/src/protocol/requests/index.js') as { requests: { Metadata: object } }
const broker = (require('kafkajs/src/broker/index.js') as { prototype: BrokerInside }).prototype
const { metadata: askAbout, fetch: take } = broker

/**
 * kafkajs asks for all topics when it needs only the brokers or the names. Partitions without a
 * leader are then acceptable, and topics that are being deleted are left out.
 */
broker.metadata = function (topics = []) {
  if (topics.length > 0) return askAbout.call(this, topics)
  const { request, response } = this.lookupRequest(METADATA, requests.Metadata)({ topics, allowAutoTopicCreation: false })
  const parse = async <T extends { topicMetadata: TopicAnswer[] }>(answer: T): Promise<T> => ({
    ...answer,
    topicMetadata: answer.topicMetadata.filter(({ topicErrorCode }) => topicErrorCode === 0)
  })
  return this.connectionPool.send({ request, response: { ...response, parse } })
}

interface ClusterInside extends Omit<Cluster, 'abandon'> {
  retrier<T>(work: (bail: (error: unknown) => void) => Promise<T>): Promise<T>
  brokerPool: Cluster['brokerPool'] & {
    refreshMetadataIfNecessary(topics: string[]): Promise<void>
    findConnectedBroker(): Promise<BrokerInside>
  }
  metadata(about?: { topics?: string[] }): Promise<{ topicMetadata: TopicAnswer[] }>
}

const ClusterClass = require('kafkajs/src/cluster/index.js') as { new (options: object): ClusterInside; prototype: ClusterInside }

/**
 * Like kafkajs's own function, except that it throws the error of the last request and waits for a
 * missing leader.
 */
ClusterClass.prototype.metadata = function ({ topics = [] } = {}) {
  return this.retrier(async (bail) => {
    try {
      await this.brokerPool.refreshMetadataIfNecessary(topics)
      return await (await this.brokerPool.findConnectedBroker()).metadata(topics)
    } catch (error) {
      if (!(error instanceof Error && 'type' in error && error.type === 'LEADER_NOT_AVAILABLE')) bail(error)
      throw error
    }
  })
}

/** Brokers whose last answer had at least as many bytes as requested: there may be more. */
const hadEnough = new WeakSet<object>()

/**
 * While a fetch waits at the broker, each append to one of its partitions makes the broker check
 * all of them again. For a fetch of many partitions these checks cost more than the reading. So a
 * fetch that asks for more than one byte waits here for `maxWaitTime`, and then takes whatever is
 * there.
 */
broker.fetch = async function (wish) {
  if (wish.minBytes <= 1) return take.call(this, wish)
  if (!hadEnough.delete(this)) await sleep(wish.maxWaitTime)
  const answer = await take.call(this, { ...wish, maxWaitTime: 0, minBytes: 1 })
  if (answer.recordBytes >= wish.minBytes) hadEnough.add(this)
  return answer
}

interface ConnectionInside {
  chunks: Buffer[]
  bytesBuffered: number
  bytesNeeded: number
  socket: Socket | undefined
  opening: Promise<boolean> | null | undefined
  isConnected(): boolean
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
}

const connection = (require('kafkajs/src/network/connection.js') as { prototype: ConnectionInside }).prototype
const { connect: open, disconnect: shut } = connection
const LENGTH_BYTES = 4

connection.connect = function (this: ConnectionInside): Promise<boolean> {
  if (this.isConnected()) return Promise.resolve(true)
  this.chunks = []
  this.bytesBuffered = 0
  this.bytesNeeded = LENGTH_BYTES
  this.opening ??= open.call(this).finally(() => {
    this.opening = null
  })
  return this.opening
}

connection.disconnect = async function (this: ConnectionInside): Promise<boolean> {
  const done = await shut.call(this)
  if (this.socket?.connecting) this.socket.destroy()
  // Closes only after the written data has left, so that the group learns that the member leaves.
  else this.socket?.destroySoon()
  return done
}

interface GroupInside {
  /** When the last heartbeat was sent, by the wall clock. */
  lastRequest: number
  heartbeat(options: { interval: number }): Promise<void>
}

const group = (require('kafkajs/src/consumer/consumerGroup.js') as { prototype: GroupInside }).prototype
const { heartbeat: heartbeatIfDue } = group

/**
 * After the wall clock was set back, kafkajs sends nothing until it has caught up. The broker
 * removes the member meanwhile, and the member does not learn of it.
 */
group.heartbeat = function (this: GroupInside, options): Promise<void> {
  if (Date.now() < this.lastRequest) this.lastRequest = 0
  return heartbeatIfDue.call(this, options)
}

export interface Connect {
  brokers: string[]
  clientId: string
  log: { debug(fields: object, message: string): void }
}

type LogEntry = { namespace: string; label: string; log: { message: string; [key: string]: unknown } }

/**
 * kafkajs logs each retry as an error. Errors that matter reach us as rejections, so everything is
 * logged at debug.
 */
const logCreator = (log: Connect['log']) => () => (entry: LogEntry) => {
  const { message, broker, clientId, error, groupId, retryCount } = entry.log
  log.debug({ kafka: { label: entry.label, part: entry.namespace, broker, clientId, error, groupId, retryCount } }, message)
}

/**
 * Retries of metadata and connection work inside kafkajs. The outer loops have their own deadlines
 * and back-off.
 */
const retry = { retries: 2, initialRetryTime: 100, maxRetryTime: 400 }

const connectSocket = (require('kafkajs/src/network/socketFactory.js') as () => ISocketFactory)()

/**
 * Creates sockets, reports each one, and can destroy them all. That is needed because a frozen peer
 * answers neither requests nor disconnects.
 */
export function createSockets(onSocket?: () => void): { make: ISocketFactory; end(): void } {
  const open = new Set<Socket>()
  let ended = false
  return {
    make(options) {
      if (ended) throw new Error('this client was closed')
      onSocket?.()
      const socket = connectSocket(options)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    end() {
      ended = true
      for (const socket of open) socket.destroy(new Error('this client was closed'))
    }
  }
}

/**
 * Returns the public client, for groups and administration. `sockets` creates its connections; an
 * answer may take `requestTimeout` ms.
 */
export const createKafka = ({ brokers, clientId, log }: Connect, sockets = createSockets(), requestTimeout = 3000): KafkaClass =>
  new kafkajs.Kafka({
    socketFactory: sockets.make,
    brokers,
    clientId,
    connectionTimeout: 1500,
    requestTimeout,
    enforceRequestTimeout: true,
    retry: { ...retry, retries: 4 },
    logCreator: logCreator(log)
  })

const createLogger = (require('kafkajs/src/loggers/index.js') as { createLogger(options: object): object }).createLogger

/** Returns connections and metadata, without a producer or consumer. */
export function createCluster({ brokers, clientId, log }: Connect): Cluster {
  const sockets = createSockets()
  const cluster = new ClusterClass({
    logger: createLogger({ level: kafkajs.logLevel.ERROR, logCreator: logCreator(log) }),
    socketFactory: sockets.make,
    brokers,
    clientId,
    connectionTimeout: 1500,
    requestTimeout: 3000,
    enforceRequestTimeout: true,
    metadataMaxAge: 300_000,
    allowAutoTopicCreation: false,
    maxInFlightRequests: null,
    isolationLevel: 0,
    retry
  })
  return Object.assign(cluster, { abandon: sockets.end })
}

/** Encodes what members of a group subscribe to and what they are assigned. */
export const { AssignerProtocol: assignerProtocol } = kafkajs

/**
 * Returns the offset that a batch was fetched from; its first records may lie before that.
 * kafkajs's types do not declare this field.
 */
export const fetchedOffsetOf = (batch: Batch): string => (batch as Batch & { fetchedOffset: string }).fetchedOffset

export type { Admin, Consumer, EachBatchPayload, PartitionAssigner } from 'kafkajs'
