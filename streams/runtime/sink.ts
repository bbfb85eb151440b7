/**
 * The loop of the analytics sink: whole topics to one member, batches over all partitions of a topic, each batch inserted exactly once.
 *
 *   forming ── 20,000 rows, or 0.6 s (few rows: 3 s) ──► intent ──► inserts ──► done
 *
 * - A batch is a range of offsets for each partition. Before its insert the ranges are committed as metadata (intents.ts); each insert carries a token made
 *   of them, by which the engine knows an insert that it has had; then the offsets behind them are committed.
 * - Whoever takes a topic over first reads the intents: where there are some, exactly those ranges are read again and inserted with the same tokens. So a
 *   crash between any two steps, an insert whose answer was lost and a rebalance leave each row once. Rows follow from the record alone.
 * - What the group takes away is dropped: an intent is finished by the next owner, what was only forming is read again. The broker refuses commits of an
 *   older generation, so a member that was frozen promises nothing more.
 * - Inserts that fail are tried again with back-off for as long as the topic is ours: nothing is lost or skipped. Meanwhile at most one batch waits and one
 *   forms for a topic, so memory is bounded, and the log is the buffer.
 * - Records without rows (ticks) only move the position in memory; it is committed with the next batch, or after 30 s.
 *
 * `completeUntil` of a topic: everything that was on the log before that instant has been inserted. It moves with every fetch, whether or not anything came.
 */
import { specOf, type TopicName } from '../../schemas/topics.ts'
import { wholeTopics } from './assignor.ts'
import type { RuntimeLog, RuntimeMetrics } from './connect.ts'
import { Crash, crashPoint } from './crash-point.ts'
import { by } from './deadline.ts'
import { fetchedOf, toInRecord } from './fetched.ts'
import { groupOffsets, type Intent, intentText, isFenced, type Member, type Range, tokenOf } from './intents.ts'
import { createKafka, createSockets, fetchedOffsetOf } from './kafkajs.ts'
import { readRanges } from './read-range.ts'
import type { InRecord } from './stream.ts'

export interface Insert {
  table: string
  rows: number
  body: Buffer
}

/** The rows of one batch as they come together. */
export interface Forming {
  /** Never throws: a record that cannot become a row becomes one of the table of such records. Same records, same rows. */
  take(records: readonly InRecord[]): void
  readonly rows: number
  readonly bytes: number
  /** One body a table, tables in fixed order, without those that have no rows. */
  inserts(): Insert[]
}

export interface SinkOptions {
  brokers: string[]
  clientId: string
  topicPrefix: string
  group: string
  /** Heaviest first. */
  topics: readonly TopicName[]
  sessionTimeoutMs: number
  clusterId: string
  /** Version of the rows' making: part of the token. */
  rev: number
  log: RuntimeLog
  metrics: RuntimeMetrics
  begin(topic: TopicName): Forming
  /** What `take` will need to read these records. Rejects when that cannot be had now: asked again. */
  prepare(records: readonly InRecord[]): Promise<void>
  /** Resolves when the rows are stored, or were stored under this token before. A rejection is tried again. */
  insert(insert: Insert, token: string): Promise<void>
  /** From the first row of a batch of few rows to its insert; ms. */
  trickleMs?: number
  /** The process must end. Called at most once. */
  onFatal(reason: string, error: unknown): void
}

export interface Sink {
  /** Joined, fetching, and no insert is failing. */
  ready(): boolean
  /** Epoch ms; null while this member does not own the topic or has not caught its beginning. */
  completeUntil(topic: TopicName): number | null
  /** Finishes what is in hand (at most 8 s), then leaves the group. */
  close(): Promise<void>
}

const BATCH_ROWS = 20_000
const BATCH_BYTES = 16 * 1024 * 1024
/** From the first row of a batch to its insert. With the wait of a fetch before it, a row can be asked for within two seconds. */
const BATCH_MS = 600
/** Fewer rows than this may wait longer: an insert costs the engine as much for one row as for a hundred, and an idle service has few. */
const TRICKLE_ROWS = 100
const TRICKLE_MS = 3000
/** The broker answers a fetch once it has so much, or after so long. */
const FETCH_BYTES = 262_144
const FETCH_MS = 700
const IDLE_COMMIT_MS = 30_000
const CLOSE_MS = 8000
const MAX_BACKOFF_MS = 5000
/** Enough that no batch of a fetch waits for another topic's. */
const CONCURRENT_PARTITIONS = 256

/** The topic is another's now, or the sink closes: what was under way is left. */
class Left extends Error {}

interface Batch {
  ranges: Map<number, Range>
  forming: Forming
}

interface Task {
  topic: TopicName
  left: boolean
  loaded: Promise<void>
  isLoaded: boolean
  /** Offset to read on from, by partition. */
  next: Map<number, bigint>
  batch: Batch | null
  timer: NodeJS.Timeout | undefined
  /** The timer is that of a batch with many rows. */
  soon: boolean
  /** Settles with the batch being inserted; null while there is none. */
  flush: Promise<void> | null
  committedAt: number
  /** Timestamp of the last record taken, for partitions with more on the log than was fetched. */
  behind: Map<number, number>
  completeUntil: number | null
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function runSink(options: SinkOptions): Promise<Sink> {
  const { topicPrefix, log, metrics, rev, clusterId, trickleMs = TRICKLE_MS } = options
  const rowsTotal = metrics.counter('service_sink_rows_total', 'Rows inserted', ['table'])
  const batchRows = metrics.histogram(
    'service_sink_batch_rows',
    'Rows a batch',
    [1, 10, 100, 1000, 5000, 10_000, 20_000, 50_000],
    ['topic']
  )
  const insertMs = metrics.histogram(
    'service_sink_insert_ms',
    'Duration of an insert',
    [5, 10, 25, 50, 100, 250, 500, 1000, 5000],
    ['table']
  )
  const retries = metrics.counter('service_sink_retries_total', 'Steps tried again', ['step'])
  const recovered = metrics.counter('service_sink_recovered_total', 'Batches of an earlier owner that were finished', ['topic'])
  const gaps = metrics.counter('service_sink_gaps_total', 'Offsets that were not on the log when they were due', ['topic'])
  const lag = metrics.gauge('service_sink_lag_records', 'Records of a partition not yet read', ['topic', 'partition'])

  const sockets = createSockets()
  const groupId = topicPrefix + options.group
  const offsets = groupOffsets(options, groupId)
  const heartbeatInterval = Math.min(2000, Math.floor(options.sessionTimeoutMs / 4))
  const consumer = createKafka(options, sockets).consumer({
    groupId,
    sessionTimeout: options.sessionTimeoutMs,
    heartbeatInterval,
    rebalanceTimeout: Math.max(10_000, options.sessionTimeoutMs),
    // Batches are formed for a second anyway: a fetch for each record would cost broker and sink more than the rows do.
    minBytes: FETCH_BYTES,
    maxWaitTimeInMs: Math.min(FETCH_MS, heartbeatInterval),
    maxBytesPerPartition: 1024 * 1024,
    maxBytes: 8 * 1024 * 1024,
    allowAutoTopicCreation: false,
    readUncommitted: true,
    partitionAssigners: [wholeTopics(options.topics.map((topic) => topicPrefix + topic))],
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 1000, restartOnFailure: async () => false }
  })
  const logical = (name: string): TopicName => specOf(name.slice(topicPrefix.length) as TopicName).name

  const tasks = new Map<TopicName, Task>()
  /** Inserts and commits begun for topics that were given up: whoever loads waits for them. */
  const lingering = new Set<Promise<unknown>>()
  let member: { memberId: string; generation: number | null } | null = null
  let joined = false
  let closing = false
  let dead = false
  let failing = 0
  let lastFetch = Date.now()
  /** By broker: when the fetch under way began, and when the one began whose records have all been handed over. */
  const fetches = new Map<string, { begun: number; handed: number | null }>()

  const fatal = (reason: string, error: unknown): void => {
    if (dead) return
    dead = true
    for (const task of tasks.values()) leave(task)
    options.onFatal(reason, error)
  }

  function leave(task: Task): void {
    task.left = true
    clearTimeout(task.timer)
    task.batch = null
    for (const under of task.isLoaded ? [task.flush] : [task.loaded]) {
      if (!under) continue
      lingering.add(under)
      under.finally(() => lingering.delete(under)).catch(() => undefined) // Neither of them rejects.
    }
  }

  function failed(task: Task, error: unknown): void {
    // What was in hand is gone: nothing more of this topic until the group has assigned it anew.
    if (error instanceof Left) leave(task)
    else fatal('the sink failed', error)
  }

  /** Runs `step` until it succeeds. Throws Left once the topic is no longer ours; a Crash passes. */
  async function persist<T>(task: Task, name: string, step: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      if (task.left || dead) throw new Left()
      try {
        const result = await step()
        if (attempt > 0) failing -= 1
        return result
      } catch (error) {
        if (error instanceof Crash || error instanceof Left) throw error
        if (isFenced(error)) {
          if (attempt > 0) failing -= 1
          throw new Left()
        }
        if (attempt === 0) failing += 1
        retries.inc({ step: name })
        if (attempt % 10 === 0) log.warn({ err: error, topic: task.topic, step: name }, 'the sink tries again')
        await pause(Math.min(50 * 2 ** Math.min(attempt, 10), MAX_BACKOFF_MS))
        if (task.left || dead) failing -= 1
      }
    }
  }

  /** The first heartbeat after a join tells the generation. */
  async function memberOf(task: Task): Promise<Member> {
    for (;;) {
      if (task.left || dead) throw new Left()
      if (member?.generation != null) return { memberId: member.memberId, generation: member.generation }
      await pause(20)
    }
  }

  async function commit(task: Task, places: readonly { partition: number; offset: bigint; metadata: string }[]): Promise<void> {
    await persist(task, 'commit', async () => offsets.commit(await memberOf(task), topicPrefix + task.topic, places))
  }

  async function insertAll(task: Task, { ranges, forming }: Batch, tokenRev: number): Promise<void> {
    for (const insert of forming.inserts()) {
      const token = tokenOf(clusterId, topicPrefix + task.topic, ranges, insert.table, tokenRev)
      crashPoint('sink.before-insert')
      const begun = performance.now()
      await persist(task, 'insert', () => options.insert(insert, token))
      insertMs.observe({ table: insert.table }, performance.now() - begun)
      rowsTotal.inc({ table: insert.table }, insert.rows)
      crashPoint('sink.after-insert')
    }
    batchRows.observe({ topic: task.topic }, forming.rows)
  }

  async function finish(task: Task, ranges: ReadonlyMap<number, Range>): Promise<void> {
    crashPoint('sink.before-commit')
    await commit(
      task,
      [...ranges].map(([partition, { last }]) => ({ partition, offset: last + 1n, metadata: '' }))
    )
    crashPoint('sink.after-commit')
    task.committedAt = Date.now()
  }

  async function write(task: Task, batch: Batch): Promise<void> {
    await commit(
      task,
      [...batch.ranges].map(([partition, range]) => ({ partition, offset: range.first, metadata: intentText({ ...range, rev }) }))
    )
    crashPoint('sink.after-intent')
    await insertAll(task, batch, rev)
    await finish(task, batch.ranges)
  }

  /** Begins the insert of what has come together, unless one is under way: then it begins when that one ends. */
  function flush(task: Task): void {
    clearTimeout(task.timer)
    task.timer = undefined
    task.soon = false
    const { batch } = task
    if (task.flush || !batch || task.left) return
    task.batch = null
    const until = handed()
    task.flush = write(task, batch)
      .then(() => {
        task.completeUntil = until ?? task.completeUntil
      })
      .catch((error: unknown) => failed(task, error))
      .finally(() => {
        task.flush = null
        // What formed meanwhile has waited its turn.
        if (task.batch && !task.timer) flush(task)
      })
  }

  const full = ({ batch }: Task): boolean => batch !== null && (batch.forming.rows >= BATCH_ROWS || batch.forming.bytes >= BATCH_BYTES)

  /** Everything that was on the log before this instant has been taken; null while that is not known. */
  function handed(): number | null {
    let until = Number.POSITIVE_INFINITY
    for (const fetch of fetches.values()) {
      if (fetch.handed === null) return null
      until = Math.min(until, fetch.handed)
    }
    // Of any topic: a partition that has more than was sent may have crowded out others.
    for (const { behind } of tasks.values()) for (const timestamp of behind.values()) until = Math.min(until, timestamp)
    return Number.isFinite(until) ? until : null
  }

  async function recover(task: Task, intents: ReadonlyMap<number, Intent>): Promise<void> {
    const tokenRev = Math.max(...[...intents.values()].map((intent) => intent.rev))
    const forming = await persist(task, 'recover', async () => {
      const records: InRecord[] = []
      await readRanges(options, task.topic, intents, (some) => {
        for (const one of some) records.push(one)
      })
      await options.prepare(records)
      const rows = options.begin(task.topic)
      rows.take(records)
      return rows
    })
    log.info({ topic: task.topic, rows: forming.rows }, 'finishing a batch that an earlier owner had announced')
    await insertAll(task, { ranges: new Map(intents), forming }, tokenRev)
    await finish(task, intents)
    recovered.inc({ topic: task.topic })
  }

  async function load(task: Task): Promise<void> {
    await Promise.allSettled(lingering)
    const committed = await persist(task, 'load', () => offsets.fetch(topicPrefix + task.topic))
    const intents = new Map<number, Intent>()
    for (const { partition, offset, intent } of committed) {
      if (intent) intents.set(partition, intent)
      if (offset !== null) task.next.set(partition, offset)
    }
    if (intents.size > 0) {
      await recover(task, intents)
      for (const [partition, { last }] of intents) task.next.set(partition, last + 1n)
    }
    task.isLoaded = true
  }

  function taskOf(topic: TopicName): Task {
    const known = tasks.get(topic)
    if (known) return known
    const task: Task = {
      topic,
      left: false,
      loaded: Promise.resolve(),
      isLoaded: false,
      next: new Map(),
      batch: null,
      timer: undefined,
      soon: false,
      flush: null,
      committedAt: Date.now(),
      behind: new Map(),
      completeUntil: null
    }
    tasks.set(topic, task)
    task.loaded = load(task).catch((error: unknown) => failed(task, error))
    return task
  }

  /** Takes the records of one partition, waiting for room. False when they are not ours any more. */
  async function take(topic: TopicName, partition: number, records: readonly InRecord[], end: bigint): Promise<boolean> {
    const task = taskOf(topic)
    await task.loaded
    await persist(task, 'prepare', () => options.prepare(records))
    while (full(task) && task.flush && !task.left) await task.flush
    if (task.left || dead || closing || !task.isLoaded) return false
    const next = task.next.get(partition)
    const due = next === undefined ? records : records.filter((record) => record.offset >= next)
    const [first, last] = [due[0], due.at(-1)]
    if (!first || !last) return true
    if (next !== undefined && first.offset > next && specOf(topic).cleanup === 'delete') {
      gaps.inc({ topic }, Number(first.offset - next))
      log.error({ topic, partition, expected: next.toString(), found: first.offset.toString() }, 'records are missing from the log')
    }
    const batch = task.batch ?? { ranges: new Map<number, Range>(), forming: options.begin(topic) }
    batch.forming.take(due)
    const range = batch.ranges.get(partition)
    batch.ranges.set(partition, { first: range?.first ?? first.offset, last: last.offset })
    task.next.set(partition, last.offset + 1n)
    lag.set({ topic, partition: String(partition) }, Number(end - last.offset - 1n))
    if (last.offset + 1n < end) task.behind.set(partition, last.timestamp)
    else task.behind.delete(partition)
    if (batch.forming.rows === 0) {
      if (!task.flush && Date.now() - task.committedAt > IDLE_COMMIT_MS) commitPositions(task)
      return true
    }
    task.batch = batch
    if (full(task)) flush(task)
    else if (batch.forming.rows >= TRICKLE_ROWS && !task.soon) {
      clearTimeout(task.timer)
      task.soon = true
      task.timer = setTimeout(() => flush(task), BATCH_MS)
    } else task.timer ??= setTimeout(() => flush(task), trickleMs)
    return true
  }

  function commitPositions(task: Task): void {
    task.committedAt = Date.now()
    const places = [...task.next].map(([partition, offset]) => ({ partition, offset, metadata: '' }))
    task.flush = commit(task, places)
      .catch((error: unknown) => failed(task, error))
      .finally(() => {
        task.flush = null
        if (task.batch && !task.timer) flush(task)
      })
  }

  /** Not ours any more: the heartbeat says so, and has kafkajs join again. */
  async function elsewhere(heartbeat: () => Promise<void>): Promise<void> {
    await pause(50)
    await heartbeat()
  }

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joined = true
    member = { memberId: payload.memberId, generation: null }
    for (const task of tasks.values()) leave(task)
    tasks.clear()
    fetches.clear()
    // Loaded at once: a topic on which nothing comes has its intents and its watermark, too.
    for (const name of Object.keys(payload.memberAssignment)) taskOf(logical(name))
  })
  consumer.on(consumer.events.HEARTBEAT, ({ payload }) => {
    if (member?.memberId === payload.memberId) member.generation = payload.groupGenerationId
  })
  consumer.on(consumer.events.FETCH_START, ({ payload }) => {
    // A fetch begins when the records of the one before have been handed over.
    const node = String((payload as { nodeId?: unknown }).nodeId)
    fetches.set(node, { begun: Date.now(), handed: fetches.get(node)?.begun ?? null })
  })
  consumer.on(consumer.events.FETCH, () => {
    lastFetch = Date.now()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => fatal('the consumer crashed', payload.error))
  consumer.on(consumer.events.STOP, () => {
    if (!closing) fatal('the consumer stopped', new Error('the consumer stopped'))
  })
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: options.topics.map((topic) => topicPrefix + topic), fromBeginning: true })
  } catch (error) {
    sockets.end()
    offsets.close()
    throw error
  }
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
    eachBatch: async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
      if (!isRunning() || isStale() || closing) return
      const topic = logical(batch.topic)
      const fetched = fetchedOf(batch.messages)?.records(topic, batch.partition, BigInt(fetchedOffsetOf(batch))) ?? []
      const records = fetched.map(toInRecord)
      // Whoever waits for the engine must not lose the group over it.
      const beat = setInterval(() => {
        heartbeat().catch((error: unknown) => log.debug({ err: error, topic, partition: batch.partition }, 'heartbeat failed'))
      }, heartbeatInterval / 2)
      try {
        if (await take(topic, batch.partition, records, BigInt(batch.highWatermark))) resolveOffset(batch.lastOffset())
        else await elsewhere(heartbeat)
      } catch (error) {
        if (!(error instanceof Left)) throw error
        await elsewhere(heartbeat)
      } finally {
        clearInterval(beat)
      }
    }
  })

  return {
    ready: () => joined && !dead && failing === 0 && Date.now() - lastFetch < 30_000 && [...tasks.values()].every((task) => task.isLoaded),
    completeUntil(topic) {
      const task = tasks.get(topic)
      if (!task?.isLoaded || task.left) return null
      if (!task.batch && !task.flush) task.completeUntil = handed() ?? task.completeUntil
      return task.completeUntil
    },
    async close() {
      closing = true
      if (joined) consumer.pause(options.topics.map((topic) => ({ topic: topicPrefix + topic })))
      const rest = async (): Promise<void> => {
        for (const task of tasks.values()) {
          flush(task)
          while (task.flush) await task.flush
        }
      }
      if (!dead) {
        await by(Date.now() + CLOSE_MS, rest()).catch((error: unknown) =>
          log.warn({ err: error }, 'the sink ends with batches in hand: they are finished at the next start')
        )
      }
      for (const task of tasks.values()) leave(task)
      dead = true
      await by(Date.now() + CLOSE_MS, consumer.disconnect()).catch((error: unknown) =>
        log.warn({ err: error }, 'the consumer did not close cleanly')
      )
      sockets.end()
      offsets.close()
    }
  }
}
