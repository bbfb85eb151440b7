/**
 * The one loop of every processor: reads a batch of a partition, folds it, and commits offset,
 * state, outgoing records and jobs in ONE Postgres transaction.
 *
 * Its guarantees (docs/design/architecture.md#s5; shown in test/streams/runtime/*.test.ts):
 * - A record changes state exactly once. Records below the stored position are dropped. The
 *   position moves by compare-and-set in the same transaction as the effects, so a second owner of
 *   the partition (a zombie after a rebalance, a process frozen and resumed) changes nothing: its
 *   update finds 0 rows, and it rolls back, drops its state in memory and loads again.
 * - Rebalance: tasks of partitions that left are forgotten, the others are in doubt
 *   (partition-task.ts); the next batch compares or loads position and state in one snapshot. A
 *   batch in progress either commits first (then its successor is fenced) or is fenced itself.
 * - A crash between any two steps leaves either all effects of the batch or none. The next owner
 *   folds the same records from the same state.
 * - A COMMIT without an answer: the task is in doubt. The stored position says whether the COMMIT
 *   happened; if it did, the task is loaded again.
 * - A poison record (undecodable, refused by the fold or making it throw, or with effects that the
 *   store will never accept) becomes a dead letter in the same transaction, and the position moves
 *   past it. A chunk that would make more than 1 % of a minute's records poison is not committed:
 *   that is a schema break, and the partition stops where it is (stopping.ts).
 * - When the registry does not know a schema id, it is asked again; after that the partition
 *   stops. No dead letter is made.
 * - A dead letter that was put back is folded once, by the processor that it is for, as if it were
 *   still at its first place (redriven.ts).
 * - Retryable failures (Postgres or registry away, deadlock, serialization, a unique row inserted
 *   in between) roll back, and the batch runs again with back-off, with heartbeats in between. They
 *   make no dead letters. Any other failure is unknown: it is reported to `onFatal`, and the
 *   process ends and starts again.
 * - Another Kafka cluster, or a log that ends before the stored position: LogChanged, whose message
 *   says what to do. runProcessor rejects with it. When it is found later, it is reported to
 *   `onFatal`. It is checked after every assignment of partitions and every new connection, before
 *   anything received over that connection is folded.
 * - Partitions that want to commit at the same time share a transaction (commit.ts), so a hundred
 *   small batches are not a hundred transactions.
 * - byPartition: a batch without changes, outgoing records or jobs moves the position only in
 *   memory. It is stored with the next change or after 5 s. After a reload at most these records
 *   are folded again, with the same result. State that a fold keeps in memory (`kept`) is stored
 *   with a position at most 10 s later, when the group rebalances, and when the process ends. If
 *   that did not happen in time, a new owner lacks up to 10 s of it; a transaction that is run
 *   again lacks nothing.
 * - Offsets are committed to Kafka every 5 s as a hint for lag displays. The client would begin
 *   there, so every assignment moves it to the stored positions.
 */
import type { Pool } from 'pg'
import type { Codec } from '../../schemas/codec.ts'
import type { Hint } from '../define.ts'
import { type CommitterOptions, createCommitter, Fenced } from './commit.ts'
import type { RuntimeLog, RuntimeMetrics } from './connect.ts'
import { type Batch, consume, GroupLeft, type Place, type Taken } from './consumer.ts'
import { isRetryable, isUnfit, SchemaMissing } from './failures.ts'
import { type Chunk, createStep, type Step } from './fold-step.ts'
import { createLogIdentity, type LogIdentity } from './log-identity.ts'
import { LogChanged, readPositions } from './offsets.ts'
import { createTasks, inTurn, nameOf, type Task, type Tasks } from './partition-task.ts'
import { keepPositions } from './position-keeper.ts'
import { createProcessorMetrics, type ProcessorMetrics } from './processor-metrics.ts'
import { isFolded } from './redriven.ts'
import { createStoppedPartitions, missingSchema, type StopCause, type StoppedPartitions, TooMuchPoison } from './stopping.ts'
import type { Work } from './work.ts'

export { bindKey, bindPartition, type KeyStore, type Work } from './work.ts'

export interface RunOptions {
  work: Work
  pool: Pool
  codec: Codec
  /**
   * The writers of services/store/effects.ts, passed in because streams import nothing from
   * services.
   */
  effectWrites: CommitterOptions['effectWrites']
  /** Sends frames that may be lost, after their batch was committed. Never throws. */
  sendHints(hints: readonly Hint[]): void
  brokers: string[]
  clientId: string
  topicPrefix: string
  sessionTimeoutMs: number
  clusterId: string
  /** Default: 5 s. */
  storeEveryMs?: number
  /** How often the registry is asked for a schema before the partition stops. Default: 10. */
  schemaTries?: number
  log: RuntimeLog
  metrics: RuntimeMetrics
  /**
   * Called at most once, when the process must end: the failure cannot be judged here, or only
   * people can decide.
   */
  onFatal(reason: string, error: unknown): void
}

export interface Running {
  ready(): boolean
  /** Stores positions that are only in memory. Used to compare states. */
  flush(): Promise<void>
  close(): Promise<void>
}

/**
 * How often positions that moved only in memory are stored and reported to Kafka as a hint. State
 * that a fold keeps in memory is stored every second time.
 */
const STORE_EVERY_MS = 5000
/**
 * Records folded in one step. It bounds how long a batch goes without a heartbeat and, when rows
 * are locked, how long they stay locked.
 */
const CHUNK = { byKey: 500, byPartition: 1000 }
/** Together some 20 s. */
const SCHEMA_TRIES = 10
const MAX_SCHEMA_WAIT_MS = 5000
/** Pause between two attempts to read the stored positions for an assignment. */
const SEEK_AGAIN_MS = 500

/** The parts of one processor, and how to end it. */
interface Processor {
  work: Work
  pool: Pool
  log: RuntimeLog
  metrics: ProcessorMetrics
  identity: LogIdentity
  tasks: Tasks
  stopped: StoppedPartitions
  step: Step
  schemaTries: number
  /** True once the processor is closing or has failed: no more batches are taken. */
  isEnding(): boolean
  fatal(reason: string, error: unknown): void
}

/**
 * Compares the batch with the task's position. Returns false when the batch's records must be
 * folded, otherwise what to do instead.
 */
function placeOf({ work, log, metrics }: Processor, task: Task, { topic, partition, first, last }: Batch): Taken | false {
  if (first === null) return { next: task.next }
  if (first <= task.next && last + 1n >= task.next) return false
  if (task.sought !== task.next) {
    task.sought = task.next
    return { seek: task.next }
  }
  if (first <= task.next) return { next: task.next }
  // The position was sought, and it is not on the log. A task that has read nothing yet begins
  // where the log begins.
  if (task.next > 0n) {
    metrics.missed(Number(first - task.next))
    log.error(
      { processor: work.name, topic, partition, expected: task.next.toString(), found: first.toString() },
      'records are missing from the log: retention passed the processor'
    )
  }
  task.next = first
  return false
}

/**
 * Folds the batch step by step. Throws what a step throws; the store may then be ahead of the task,
 * which is in doubt.
 */
async function foldBatch(
  processor: Processor,
  batch: Batch,
  maxRecords: number,
  unfit: ReadonlyMap<bigint, string>,
  chunk: Chunk
): Promise<Taken> {
  const { identity, tasks, stopped, step, metrics } = processor
  await identity.verifyLatest()
  const task = await tasks.load(batch.topic, batch.partition)
  if (batch.end < task.next) {
    // Either the batch was fetched before another owner went on, or the log ends here. Only the log
    // itself can tell.
    identity.forget()
    await identity.verify()
    return { seek: task.next }
  }
  if (task.stop) {
    stopped.found(batch, task.stop)
    tasks.forget(batch)
    return { stop: true }
  }
  const elsewhere = placeOf(processor, task, batch)
  if (elsewhere) return elsewhere
  while (!stopped.has(batch)) {
    const stepped = await inTurn(task, async () => {
      const done = await step(task, batch, maxRecords, unfit, chunk)
      if (done) stopped.count(batch, done)
      return done
    })
    if (!stepped) {
      metrics.lag(batch, Number(batch.end - task.next))
      return { next: task.next }
    }
    await batch.heartbeat()
  }
  return { stop: true }
}

type Verdict = 'later' | 'never' | 'unfit' | 'stopped'

/** Decides what follows after a batch failed: run it again at once or after a pause, or never. */
function judgeFailure({ work, log, metrics, fatal }: Processor, batch: Batch, error: unknown, attempt: number): Verdict {
  const { topic, partition } = batch
  const about = { processor: work.name, topic, partition }
  if (error instanceof Fenced) {
    metrics.fenced()
    log.warn(about, 'another owner moved the position: nothing was written, loading again')
    return 'later'
  }
  if (error instanceof LogChanged) {
    fatal(error.message, error)
    return 'never'
  }
  if (error instanceof SchemaMissing) {
    metrics.retried()
    return 'later'
  }
  if (isRetryable(error)) {
    metrics.retried()
    if (attempt % 10 === 0) log.warn({ ...about, err: error }, 'the transaction failed; running the batch again')
    return 'later'
  }
  return isUnfit(error) ? 'unfit' : 'never'
}

/**
 * Returns the stop for a partition whose chunk must not be committed; null when another try may
 * succeed.
 */
function stopOf({ schemaTries }: Processor, error: unknown, missing: number, next: bigint): StopCause | null {
  if (error instanceof TooMuchPoison) return error.stop
  return error instanceof SchemaMissing && missing >= schemaTries ? missingSchema(error, next) : null
}

async function rest(attempt: number, most = 1000): Promise<void> {
  const wait = Math.min(20 * 2 ** Math.min(attempt, 10), most)
  await new Promise((resolve) => setTimeout(resolve, wait / 2 + Math.random() * (wait / 2)))
}

/** Folds a batch, again while its failures may pass. Rejects only with GroupLeft. */
async function onBatch(processor: Processor, batch: Batch): Promise<Taken> {
  const { tasks, stopped, log } = processor
  const unfit = new Map<bigint, string>()
  const most = processor.work.byKey ? CHUNK.byKey : CHUNK.byPartition
  let size = most
  let missing = 0
  for (let attempt = 0; ; attempt++) {
    if (processor.isEnding() || stopped.has(batch)) return { stop: true }
    const chunk: Chunk = { length: 0, first: 0n }
    try {
      return await foldBatch(processor, batch, size, unfit, chunk)
    } catch (error) {
      if (error instanceof GroupLeft) throw error
      if (error instanceof SchemaMissing && ++missing === 1)
        log.warn({ processor: processor.work.name, topic: batch.topic, partition: batch.partition }, `${error.message}; asking again`)
      const cause = stopOf(processor, error, missing, tasks.storedOf(batch))
      tasks.doubt(batch)
      const verdict = cause ? await stopFor(processor, batch, cause) : judgeFailure(processor, batch, error, attempt)
      if (verdict === 'unfit' && chunk.length > 0 && (chunk.length > 1 || !unfit.has(chunk.first))) {
        // One of these records is the cause: try smaller chunks until it is alone. (If its dead
        // letter does not fit either, the fault is ours.)
        if (chunk.length === 1) unfit.set(chunk.first, (error as Error).message)
        size = chunk.length === 1 ? most : chunk.length >> 1
        continue
      }
      if (verdict === 'stopped') return { stop: true }
      if (verdict !== 'later') {
        processor.fatal('a batch failed for a reason unknown to the runtime', error)
        return { stop: true }
      }
      await (error instanceof SchemaMissing ? rest(missing + 2, MAX_SCHEMA_WAIT_MS) : rest(attempt))
      await batch.heartbeat()
    }
  }
}

/**
 * Writes the stop. Returns 'later' when it cannot be written now, or when another owner went on.
 */
async function stopFor(processor: Processor, batch: Batch, cause: StopCause): Promise<Verdict> {
  try {
    return (await processor.stopped.stop(batch, cause)) ? 'stopped' : 'later'
  } catch (error) {
    return judgeFailure(processor, batch, error, 0)
  }
}

/**
 * Makes assigned partitions begin at their stored positions. If Kafka's hint is ahead of them (the
 * database was restored from a backup), the client would wait at the end of the log, and nothing
 * would report the skipped records. Each call ends the one before.
 */
function createSeeker({ work, pool, log, tasks, isEnding }: Processor) {
  let assignments = 0
  return async (partitions: readonly Omit<Place, 'next'>[], seek: (place: Place) => void): Promise<void> => {
    const mine = ++assignments
    const isOver = (): boolean => mine !== assignments || isEnding()
    while (!isOver()) {
      try {
        const stored = new Map((await readPositions(pool, work.name)).map((position) => [nameOf(position), position.next]))
        if (isOver()) return
        // A partition with a task already reads from the task's position.
        for (const of of partitions) if (!tasks.has(of)) seek({ ...of, next: stored.get(nameOf(of)) ?? 0n })
        return
      } catch (error) {
        log.debug({ processor: work.name, err: error }, 'stored positions cannot be read; trying again')
      }
      await new Promise((resolve) => setTimeout(resolve, SEEK_AGAIN_MS))
    }
  }
}

/** Creates the parts of a processor. `state` says how far its shutdown has come. */
function assemble(options: RunOptions, state: { closing: boolean; dead: boolean }) {
  const { work, pool, codec, clusterId, log, storeEveryMs = STORE_EVERY_MS, schemaTries = SCHEMA_TRIES } = options
  const keepMs = 2 * storeEveryMs
  const metrics = createProcessorMetrics(options.metrics, work.name)
  const committer = createCommitter({ ...options, onApart: metrics.retried })
  const stopped = createStoppedPartitions({ processor: work.name, pool, log, metrics })
  const processor: Processor = {
    work,
    pool,
    log,
    metrics,
    identity: createLogIdentity({ ...options, processor: work.name, topics: work.reads }),
    tasks: createTasks({ work, pool, clusterId, log }),
    stopped,
    step: createStep({
      work,
      codec,
      clusterId,
      committer,
      isFolded: (letter_id) => isFolded(pool, letter_id),
      judge: stopped.judge,
      keepMs,
      sendHints: options.sendHints,
      onRemarks: metrics.remarked
    }),
    schemaTries,
    isEnding: () => state.dead || state.closing,
    fatal(reason, error) {
      if (state.dead) return
      state.dead = true
      options.onFatal(reason, error)
    }
  }
  return { processor, committer, keepMs, everyMs: storeEveryMs }
}

export async function runProcessor(options: RunOptions): Promise<Running> {
  const state = { closing: false, dead: false }
  const { processor, ...storing } = assemble(options, state)
  const { work, log, identity, tasks, stopped, fatal } = processor
  const seekStored = createSeeker(processor)

  let storeAll = async (): Promise<void> => undefined
  const unstored = (error: unknown): void => fatal('positions cannot be stored', error)

  await identity.verify()
  const consumer = await consume({
    brokers: options.brokers,
    clientId: options.clientId,
    topicPrefix: options.topicPrefix,
    group: work.name,
    topics: work.reads,
    sessionTimeoutMs: options.sessionTimeoutMs,
    log,
    onBatch: (batch) => onBatch(processor, batch),
    onAssigned: (partitions, seek) => {
      tasks.assign(partitions)
      stopped.forget()
      processor.metrics.forgetLag()
      identity.forget()
      log.info({ processor: work.name, partitions: partitions.length }, 'partitions assigned')
      identity.verify().catch((error: unknown) => {
        if (error instanceof LogChanged) fatal(error.message, error)
        else log.debug({ err: error }, 'positions not verified; the next batch tries again')
      })
      void seekStored(partitions, seek)
    },
    // If the next owner has committed by then, the stored position makes this write fail.
    onRebalancing: () => void storeAll().catch(unstored),
    onConnection: identity.forget,
    onCrash: (error) => fatal('the consumer crashed', error)
  })
  stopped.watch((of) => {
    tasks.forget(of) // Loading the task again loads its skips.
    consumer.resume(of)
  })
  const keeper = keepPositions({
    processor: work.name,
    tasks,
    ...storing,
    log,
    hint: (places) => consumer.hint(places),
    onFailure: unstored
  })
  storeAll = keeper.flush

  return {
    ready: () => !state.dead && stopped.size === 0 && consumer.live(),
    flush: keeper.flush,
    async close() {
      state.closing = true
      // The caller ends the pool next, so these must be done first.
      await Promise.all([consumer.close(), keeper.stop(), stopped.close()])
      if (state.dead) return // After a failure, positions in memory cannot be trusted.
      await keeper
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'positions in memory were not stored; their records will be folded again'))
    }
  }
}
