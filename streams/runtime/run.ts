/**
 * The one loop of every processor: read a batch of a partition, fold it, commit offset, state, outgoing records and jobs in ONE Postgres transaction.
 *
 * What it promises (architecture.md section 5; shown in test/runtime/*.test.ts):
 * - A record changes state exactly once. Records below the stored position are dropped; the position moves by compare-and-set in the same transaction as the
 *   effects, so a second owner of the partition (a zombie after a rebalance, a process frozen and resumed) changes nothing: it finds 0 rows, rolls back,
 *   forgets what it held and loads again.
 * - Rebalance: tasks in memory are forgotten; the next batch loads position and state in one snapshot. A batch that was being worked on either commits first
 *   (then its successor is fenced) or is fenced itself.
 * - A crash between any two steps leaves either all effects of the batch or none; the next owner folds the same records from the same state.
 * - A COMMIT without an answer: the task is forgotten and loaded again; the stored position says whether it happened.
 * - A poison record (undecodable, refused by the fold or making it throw, or with effects that the store will never take) becomes a dead letter in the same
 *   transaction, and the position moves past it. More than 1 % of them in a minute stop the task: that is a schema break, not bad data.
 * - Retryable failures (Postgres or registry away, deadlock, serialization, a unique row that appeared in between) roll back and run the batch again with
 *   back-off, with heartbeats in between; nothing is dead-lettered for them. Anything else is unknown: reported to `onFatal`, the process ends and starts anew.
 * - Another Kafka cluster, or a log that ends before the stored position: LogChanged, whose sentence says what to do; runProcessor rejects with it, and when it
 *   is found later (after every assignment of partitions and every new connection, before anything that came over it is folded) it is reported to `onFatal`.
 * - What partitions want to commit at the same time shares a transaction (commit.ts), so a hundred small batches are not a hundred transactions.
 * - byPartition: a batch without changes, outgoing records or jobs moves the position in memory only; it is stored with the next change or after 5 s. A reload
 *   folds at most these records again, to the same result. What a fold keeps in memory (`kept`) is stored with a position at most 10 s later.
 * - Offsets are committed to Kafka every 5 s as a hint for lag displays. The client would begin there; it is sent to the stored positions with every assignment.
 */
import type { Pool } from 'pg'
import type { Codec } from '../../schemas/codec.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { FeedNotice, Hint, Input, JobChange, Notice, Outgoing, PartitionOutcome } from '../define.ts'
import { createCommitter, Fenced, type Share } from './commit.ts'
import { type RuntimeLog, type RuntimeMetrics, readLogState } from './connect.ts'
import { type Batch, consume, GroupLeft, type Place, type Taken } from './consumer.ts'
import { crashPoint } from './crash-point.ts'
import { createBreaker, type Poison } from './dead-letter.ts'
import { decode } from './decode.ts'
import { Away, isRetryable, isUnfit } from './failures.ts'
import type { FetchedRecord } from './fetched.ts'
import { type KeyedState, LogChanged, loadOffset, loadState, otherCluster, readPositions, type Tx, verifyPositions } from './offsets.ts'
import { transaction } from './transaction.ts'
import type { Work } from './work.ts'

export { bindKey, bindPartition, type KeyStore, type Work } from './work.ts'

export interface RunOptions {
  work: Work
  pool: Pool
  codec: Codec
  /** Writers of services/store, handed in so that each statement stands in one place. */
  insertOutgoing(tx: Tx, rows: readonly Outgoing[], codec: Codec): Promise<void>
  changeJobs(tx: Tx, jobs: readonly JobChange[]): Promise<void>
  saveNotices(tx: Tx, notices: readonly Notice[]): Promise<void>
  saveFeed(tx: Tx, notices: readonly FeedNotice[], codec: Codec): Promise<void>
  /** Frames that may be lost, after their batch was committed. Never throws. */
  sendHints(hints: readonly Hint[]): void
  brokers: string[]
  clientId: string
  topicPrefix: string
  sessionTimeoutMs: number
  clusterId: string
  /** Default: 5 s. */
  storeEveryMs?: number
  log: RuntimeLog
  metrics: RuntimeMetrics
  /** The process must end: what failed cannot be judged from here, or only people can decide. Called at most once. */
  onFatal(reason: string, error: unknown): void
}

export interface Running {
  ready(): boolean
  /** Stores positions that are only in memory; for comparisons of state. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface Task {
  topic: TopicName
  partition: number
  next: bigint
  stored: bigint
  /** Position that was sought on the log; what begins behind it then is all there is. */
  sought: bigint | null
  state: Map<string, unknown>
  /** Keys whose state is newer in memory than in the store. */
  kept: Set<string>
  /** When the last of them were stored; epoch ms. */
  keptSince: number
  /** Settles with the step in hand. */
  step: Promise<unknown>
}

/** The records in hand: where they begin, and how many. */
interface Chunk {
  first: bigint
  length: number
}

/** A chunk that was read. `records` and `inputs`: for what is still to come of them. */
interface Folded {
  next: bigint
  count: number
  records: readonly FetchedRecord[]
  inputs: readonly Input[]
  poison: readonly Poison[]
  /** What a byPartition processor returned. */
  outcome: PartitionOutcome<unknown> | null
}

/** Runs `work` after the step in hand: a position that is stored between a fold and its commit would look like another owner's. */
function inTurn<T>(task: Task, work: () => Promise<T>): Promise<T> {
  const turn = task.step.then(work)
  task.step = turn.catch(() => undefined)
  return turn
}

/** How often positions that moved in memory only are stored, and told to Kafka as a hint. What a fold keeps in memory goes with every second of them. */
const STORE_EVERY_MS = 5000
/** Keys of facts about a partition itself, such as its last tick: stored with every position, or a reload would see a gap where none was. */
const PARTITION_KEY = 'partition:'
/** Records folded in one step: bounds how long a batch goes without a heartbeat and, where rows are locked for it, how long they stay so. */
const CHUNK = { byKey: 500, byPartition: 1000 }

export async function runProcessor(options: RunOptions): Promise<Running> {
  const { work, pool, codec, clusterId, log, metrics, storeEveryMs = STORE_EVERY_MS } = options
  const keepMs = 2 * storeEveryMs
  const reading = { learn: codec.learn, reads: codec.within(work.views) }
  const lag = metrics.gauge('service_processor_lag_records', 'Records of a partition not yet processed', [
    'processor',
    'topic',
    'partition'
  ])
  const sizes = metrics.histogram(
    'service_processor_batch_records',
    'Records a transaction',
    [1, 2, 5, 10, 20, 50, 100, 200, 500],
    ['processor']
  )
  const processed = metrics.counter('service_processor_records_total', 'Records processed', ['processor'])
  const refusedTotal = metrics.counter('service_processor_dead_letters_total', 'Records that became dead letters', ['processor'])
  const fenced = metrics.counter('service_processor_fenced_total', 'Transactions that found another owner of the partition', ['processor'])
  const retries = metrics.counter('service_processor_retries_total', 'Transactions run again', ['processor'])
  const gaps = metrics.counter('service_processor_gaps_total', 'Offsets that were not on the log when they were due', ['processor'])
  const stoppedGauge = metrics.gauge('service_processor_stopped', '1 while a task is stopped by too many dead letters', [
    'processor',
    'topic',
    'partition'
  ])
  const tasks = new Map<string, Task>()
  const stopped = new Set<string>()
  const breakers = new Map<string, ReturnType<typeof createBreaker>>()
  /** That the positions are in this log: asked anew after every connection and assignment, since only then it can have become another. */
  let verified: Promise<void> | null = null
  const committer = createCommitter({ ...options, onApart: () => retries.inc({ processor: work.name }) })
  let closing = false
  let dead = false
  const fatal = (reason: string, error: unknown): void => {
    if (dead) return
    dead = true
    options.onFatal(reason, error)
  }

  function verify(): Promise<void> {
    verified ??= (async () => {
      const positions = await readPositions(pool, work.name)
      const state = await readLogState(options, work.reads).catch((error: unknown) => {
        throw new Away('the broker does not say which log it has', { cause: error })
      })
      if (state.clusterId !== clusterId) throw otherCluster(clusterId, state.clusterId)
      verifyPositions(positions, state)
    })().catch((error: unknown) => {
      verified = null
      throw error
    })
    return verified
  }

  async function taskOf(topic: TopicName, partition: number): Promise<Task> {
    const name = `${topic}:${partition}`
    const known = tasks.get(name)
    if (known) return known
    const task = await transaction(pool, 'REPEATABLE READ', log, async (tx): Promise<Task> => {
      const next = await loadOffset(tx, work.name, topic, partition, clusterId)
      const state = work.byPartition ? await loadState<unknown>(tx, work.name, partition) : new Map<string, unknown>()
      return { topic, partition, next, stored: next, sought: null, state, kept: new Set(), keptSince: Date.now(), step: Promise.resolve() }
    })
    tasks.set(name, task)
    return task
  }

  /** What is to be stored with a position: what the fold changed, what is only in memory where it is due, and always what belongs to the partition itself. */
  function statesOf(task: Task, all: boolean, changed?: ReadonlyMap<string, unknown>, kept?: ReadonlyMap<string, unknown>): KeyedState[] {
    const states = changed ? [...changed].map(([key, state]) => ({ key, state })) : []
    const add = (key: string): void => {
      if (all || key.startsWith(PARTITION_KEY)) states.push({ key, state: kept?.get(key) ?? task.state.get(key) })
    }
    if (kept) for (const key of kept.keys()) add(key)
    for (const key of task.kept) if (!kept?.has(key) && !changed?.has(key)) add(key)
    return states
  }

  async function store(
    task: Task,
    share: Pick<Share, 'to' | 'records' | 'inputs' | 'poison' | 'outcome' | 'state' | 'notices'>
  ): Promise<number> {
    const { topic, partition, stored: from } = task
    const refused = await committer.commit({ topic, partition, from, ...share })
    task.stored = share.to
    for (const { key } of share.state) task.kept.delete(key)
    return refused
  }

  /**
   * Reads the next chunk and, for byPartition, folds it; null behind the last record. Records and inputs are handed on only where somebody needs them: what is
   * held while a transaction waits has to be collected the hard way. `chunk` says what is in hand, should it throw.
   */
  async function read(task: Task, batch: Batch, most: number, unfit: ReadonlyMap<bigint, string>, chunk: Chunk): Promise<Folded | null> {
    const records = batch.read(task.next, most)
    const [first, last] = [records[0], records.at(-1)]
    if (!first || !last) return null
    chunk.first = first.offset
    chunk.length = records.length
    const { inputs, poison } = await decode(reading, records, unfit)
    const next = last.offset + 1n
    if (!work.byPartition) return { next, count: records.length, records, inputs, poison, outcome: null }
    const outcome = work.byPartition(task.state, inputs)
    crashPoint('run.after-fold')
    return { next, count: records.length, records: outcome.refused.length > 0 ? records : [], inputs: [], poison, outcome }
  }

  /** One chunk: folded and committed, or thrown. Afterwards the task stands behind it. False behind the last record. */
  async function apply(task: Task, batch: Batch, most: number, unfit: ReadonlyMap<bigint, string>, chunk: Chunk): Promise<boolean> {
    const folded = await read(task, batch, most, unfit, chunk)
    if (!folded) return false
    const { next, count, records, inputs, poison, outcome } = folded
    const { topic, partition } = task
    let bad = poison.length
    if (outcome) {
      const { changed, kept, notices, hints } = outcome
      const loud =
        changed.size +
          outcome.outgoing.length +
          outcome.jobs.length +
          outcome.refused.length +
          poison.length +
          notices.length +
          (outcome.feed?.length ?? 0) >
        0
      if (loud) {
        const due = Date.now() - task.keptSince >= keepMs
        const state = statesOf(task, due, changed, kept)
        await store(task, { to: next, records, inputs, poison, outcome, state, notices })
        if (due) task.keptSince = Date.now()
        const stored = new Set(state.map(({ key }) => key))
        for (const key of kept.keys()) if (!stored.has(key)) task.kept.add(key)
      } else {
        for (const key of kept.keys()) task.kept.add(key)
      }
      for (const [key, state] of kept) task.state.set(key, state)
      for (const [key, state] of changed) {
        task.kept.delete(key)
        if (state === null) task.state.delete(key)
        else task.state.set(key, state)
      }
      if (hints.length > 0) options.sendHints(hints)
      bad += outcome.refused.length
    } else {
      bad += await store(task, { to: next, records, inputs, poison, outcome: null, state: [], notices: [] })
    }
    task.next = next
    sizes.observe({ processor: work.name }, count)
    processed.inc({ processor: work.name }, count)
    if (bad > 0) {
      refusedTotal.inc({ processor: work.name }, bad)
      log.warn({ processor: work.name, topic, partition, dead_letters: bad }, 'records became dead letters')
    }
    const breaker = breakers.get(`${topic}:${partition}`) ?? createBreaker()
    breakers.set(`${topic}:${partition}`, breaker)
    if (breaker(count, bad, Date.now())) {
      stopped.add(`${topic}:${partition}`)
      stoppedGauge.set({ processor: work.name, topic, partition: String(partition) }, 1)
      log.error(
        { processor: work.name, topic, partition },
        `more than 1 % of the records in a minute were dead letters: that is a schema break, so ${topic} partition ${partition} is stopped; mend it and restart the processor`
      )
    }
    return true
  }

  /** Where the batch stands to the task: false when its records are to be folded, else what to do instead. */
  function place(task: Task, { topic, partition, first, last }: Batch): Taken | false {
    if (first === null) return { next: task.next }
    if (first <= task.next && last + 1n >= task.next) return false
    if (task.sought !== task.next) {
      task.sought = task.next
      return { seek: task.next }
    }
    if (first <= task.next) return { next: task.next }
    // Sought and not there. A task that has read nothing yet begins where the log begins.
    if (task.next > 0n) {
      gaps.inc({ processor: work.name }, Number(first - task.next))
      log.error(
        { processor: work.name, topic, partition, expected: task.next.toString(), found: first.toString() },
        'records are missing from the log: retention passed the processor'
      )
    }
    task.next = first
    return false
  }

  async function onBatch(batch: Batch): Promise<Taken> {
    const { topic, partition } = batch
    const name = `${topic}:${partition}`
    const unfit = new Map<bigint, string>()
    const most = work.byKey ? CHUNK.byKey : CHUNK.byPartition
    let size = most
    for (let attempt = 0; ; attempt++) {
      if (dead || closing || stopped.has(name)) return { stop: true }
      const chunk: Chunk = { length: 0, first: 0n }
      try {
        for (let asked: Promise<void> | null = null; asked === null || asked !== verified; ) {
          asked = verify()
          await asked
        }
        const task = await taskOf(topic, partition)
        if (batch.end < task.next) {
          // Fetched before another owner went on, or from a log that ends here: only the log itself can tell.
          verified = null
          await verify()
          return { seek: task.next }
        }
        const elsewhere = place(task, batch)
        if (elsewhere) return elsewhere
        while (!stopped.has(name) && (await inTurn(task, () => apply(task, batch, size, unfit, chunk)))) await batch.heartbeat()
        if (stopped.has(name)) return { stop: true }
        lag.set({ processor: work.name, topic, partition: String(partition) }, Number(batch.end - task.next))
        return { next: task.next }
      } catch (error) {
        if (error instanceof GroupLeft) throw error
        tasks.delete(name)
        if (error instanceof Fenced) {
          fenced.inc({ processor: work.name })
          log.warn({ processor: work.name, topic, partition }, 'another owner moved the position: nothing was written, loading again')
        } else if (error instanceof LogChanged) {
          fatal(error.message, error)
          return { stop: true }
        } else if (isRetryable(error)) {
          retries.inc({ processor: work.name })
          if (attempt % 10 === 0)
            log.warn({ processor: work.name, topic, partition, err: error }, 'the transaction failed; running the batch again')
        } else if (isUnfit(error) && chunk.length > 0 && (chunk.length > 1 || !unfit.has(chunk.first))) {
          // One of these records does it: smaller chunks, until it stands alone. (A dead letter that does not fit either would be our own fault.)
          if (chunk.length === 1) unfit.set(chunk.first, (error as Error).message)
          size = chunk.length === 1 ? most : chunk.length >> 1
          continue
        } else {
          fatal('a batch failed for a reason unknown to the runtime', error)
          return { stop: true }
        }
        const wait = Math.min(20 * 2 ** Math.min(attempt, 6), 1000)
        await new Promise((resolve) => setTimeout(resolve, wait / 2 + Math.random() * (wait / 2)))
        await batch.heartbeat()
      }
    }
  }

  /** How often partitions were assigned. */
  let assignments = 0

  /**
   * Has the assigned partitions read from their stored positions. A hint that is ahead of them (the database is one of a backup) would have the client wait
   * at the end of the log for a record, and nothing else would tell what it passed over.
   */
  async function begin(partitions: readonly Omit<Place, 'next'>[], seek: (place: Place) => void): Promise<void> {
    const mine = ++assignments
    for (;;) {
      try {
        const stored = new Map((await readPositions(pool, work.name)).map(({ topic, partition, next }) => [`${topic}:${partition}`, next]))
        if (mine !== assignments || closing || dead) return
        for (const { topic, partition } of partitions) {
          const name = `${topic}:${partition}`
          // What has a task reads from its position already.
          if (!tasks.has(name)) seek({ topic, partition, next: stored.get(name) ?? 0n })
        }
        return
      } catch (error) {
        log.debug({ processor: work.name, err: error }, 'stored positions cannot be read; trying again')
      }
      await new Promise((resolve) => setTimeout(resolve, 500))
      if (mine !== assignments || closing || dead) return
    }
  }

  await verify()
  const consumer = await consume({
    brokers: options.brokers,
    clientId: options.clientId,
    topicPrefix: options.topicPrefix,
    group: work.name,
    topics: work.reads,
    sessionTimeoutMs: options.sessionTimeoutMs,
    log,
    onBatch,
    onAssigned: (partitions, seek) => {
      tasks.clear()
      verified = null
      log.info({ processor: work.name, partitions: partitions.length }, 'partitions assigned')
      verify().catch((error: unknown) => {
        if (error instanceof LogChanged) fatal(error.message, error)
        else log.debug({ err: error }, 'positions not verified; the next batch tries again')
      })
      void begin(partitions, seek)
    },
    onConnection: () => {
      verified = null
    },
    onCrash: (error) => fatal('the consumer crashed', error)
  })
  /** Stores positions that moved in memory only, and what is kept there: all of it, or what is due. */
  async function storePositions(all: boolean): Promise<void> {
    const now = Date.now()
    await Promise.all(
      [...tasks.values()].map((task) =>
        inTurn(task, async () => {
          const due = all || now - task.keptSince >= keepMs
          if (task.next === task.stored && !(due && task.kept.size > 0)) return // What is kept falls due after the last record, too.
          if (tasks.get(`${task.topic}:${task.partition}`) !== task) return // Forgotten meanwhile.
          const state = statesOf(task, due)
          if (due) task.keptSince = now
          await store(task, { to: task.next, records: [], inputs: [], poison: [], outcome: null, state, notices: [] })
        }).catch((error: unknown) => {
          if (tasks.get(`${task.topic}:${task.partition}`) === task) tasks.delete(`${task.topic}:${task.partition}`)
          if (!(error instanceof Fenced) && !isRetryable(error)) throw error
          log.info(
            { processor: work.name, topic: task.topic, partition: task.partition, err: error },
            'a position was not stored; loading again'
          )
        })
      )
    )
  }

  const hinted = new Map<string, bigint>()
  let storing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    storing = storePositions(false)
      .catch((error: unknown) => fatal('positions cannot be stored', error))
      .then(() => {
        const moved = [...tasks.values()].filter((task) => hinted.get(`${task.topic}:${task.partition}`) !== task.stored)
        for (const task of moved) hinted.set(`${task.topic}:${task.partition}`, task.stored)
        return consumer.hint(moved.map(({ topic, partition, stored }) => ({ topic, partition, next: stored })))
      })
  }, storeEveryMs)

  return {
    ready: () => !dead && stopped.size === 0 && consumer.live(),
    flush: () => storePositions(true),
    async close() {
      closing = true
      clearInterval(timer)
      await consumer.close()
      await storing // Of tasks forgotten meanwhile, too: the pool is ended next.
      if (dead) return // Whatever ended it, positions in memory are not to be trusted now.
      await storePositions(true).catch((error: unknown) =>
        log.warn({ err: error }, 'positions in memory were not stored; their records will be folded again')
      )
    }
  }
}
