/**
 * The one loop of every processor: read a batch of a partition, fold it, commit offset, state,
 * outgoing records and jobs in ONE Postgres transaction.
 *
 * What it promises (docs/design/architecture.md#s5; shown in test/streams/runtime/*.test.ts):
 * - A record changes state exactly once. Records below the stored position are dropped; the
 *   position moves by compare-and-set in the same transaction as the effects, so a second owner of
 *   the partition (a zombie after a rebalance, a process frozen and resumed) changes nothing: it
 *   finds 0 rows, rolls back, forgets what it held and loads again.
 * - Rebalance: tasks in memory are forgotten; the next batch loads position and state in one
 *   snapshot. A batch that was being worked on either commits first (then its successor is fenced)
 *   or is fenced itself.
 * - A crash between any two steps leaves either all effects of the batch or none; the next owner
 *   folds the same records from the same state.
 * - A COMMIT without an answer: the task is forgotten and loaded again; the stored position says
 *   whether it happened.
 * - A poison record (undecodable, refused by the fold or making it throw, or with effects that the
 *   store will never take) becomes a dead letter in the same transaction, and the position moves
 *   past it. A chunk with which more than 1 % of a minute's records would be poison is not
 *   committed: that is a schema break, and the partition stops where it stands (stopping.ts).
 * - A schema id that the registry does not know is asked for again, and then stops the partition.
 *   It makes no dead letter.
 * - A dead letter that was put back is folded once, by the processor that it is for, as if it stood
 *   where it first stood (redriven.ts).
 * - Retryable failures (Postgres or registry away, deadlock, serialization, a unique row that
 *   appeared in between) roll back and run the batch again with back-off, with heartbeats in
 *   between; nothing is dead-lettered for them. Anything else is unknown: reported to `onFatal`,
 *   the process ends and starts anew.
 * - Another Kafka cluster, or a log that ends before the stored position: LogChanged, whose
 *   sentence says what to do; runProcessor rejects with it, and when it is found later (after every
 *   assignment of partitions and every new connection, before anything that came over it is folded)
 *   it is reported to `onFatal`.
 * - What partitions want to commit at the same time shares a transaction (commit.ts), so a hundred
 *   small batches are not a hundred transactions.
 * - byPartition: a batch without changes, outgoing records or jobs moves the position in memory
 *   only; it is stored with the next change or after 5 s. A reload folds at most these records
 *   again, to the same result. What a fold keeps in memory (`kept`) is stored with a position at
 *   most 10 s later, when the group rebalances, and when the process ends. Where that was not in
 *   time, a new owner misses up to 10 s of it; a transaction that is run again misses nothing.
 * - Offsets are committed to Kafka every 5 s as a hint for lag displays. The client would begin
 *   there; it is sent to the stored positions with every assignment.
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
   * The writers of services/store/effects.ts, handed in because streams import nothing of services.
   */
  effectWrites: CommitterOptions['effectWrites']
  /** Frames that may be lost, after their batch was committed. Never throws. */
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
   * The process must end: what failed cannot be judged from here, or only people can decide. Called
   * at most once.
   */
  onFatal(reason: string, error: unknown): void
}

export interface Running {
  ready(): boolean
  /** Stores positions that are only in memory; for comparisons of state. */
  flush(): Promise<void>
  close(): Promise<void>
}

/**
 * How often positions that moved in memory only are stored, and told to Kafka as a hint. What a
 * fold keeps in memory goes with every second of them.
 */
const STORE_EVERY_MS = 5000
/**
 * Records folded in one step: bounds how long a batch goes without a heartbeat and, where rows are
 * locked for it, how long they stay so.
 */
const CHUNK = { byKey: 500, byPartition: 1000 }
/** Together some 20 s. */
const SCHEMA_TRIES = 10
const MAX_SCHEMA_WAIT_MS = 5000
/** Between two attempts to read the stored positions for an assignment. */
const SEEK_AGAIN_MS = 500

/** The parts of one processor, and how it ends. */
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
  /** True once it closes or has failed: nothing is taken any more. */
  isEnding(): boolean
  fatal(reason: string, error: unknown): void
}

/**
 * Where the batch begins and ends beside the task: false when its records are to be folded, else
 * what to do instead.
 */
function placeOf({ work, log, metrics }: Processor, task: Task, { topic, partition, first, last }: Batch): Taken | false {
  if (first === null) return { next: task.next }
  if (first <= task.next && last + 1n >= task.next) return false
  if (task.sought !== task.next) {
    task.sought = task.next
    return { seek: task.next }
  }
  if (first <= task.next) return { next: task.next }
  // Sought and not there. A task that has read nothing yet begins where the log begins.
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
 * and the task is in doubt.
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
    // Fetched before another owner went on, or from a log that ends here: only the log itself can
    // tell.
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

/** What follows from a batch that failed: it is run again at once, or after a pause, or never. */
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

/** Of a partition whose chunk must not be committed; null where another try may do. */
function stopOf({ schemaTries }: Processor, error: unknown, missing: number, next: bigint): StopCause | null {
  if (error instanceof TooMuchPoison) return error.stop
  return error instanceof SchemaMissing && missing >= schemaTries ? missingSchema(error, next) : null
}

async function rest(attempt: number, most = 1000): Promise<void> {
  const wait = Math.min(20 * 2 ** Math.min(attempt, 10), most)
  await new Promise((resolve) => setTimeout(resolve, wait / 2 + Math.random() * (wait / 2)))
}

/**
 * Folds a batch, again for as long as it fails in a way that passes. Rejects with GroupLeft alone.
 */
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
        // One of these records does it: smaller chunks, until it is alone. (A dead letter that does
        // not fit either would be our own fault.)
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

/** Writes the stop down. Later, where it cannot be now, or another owner went on. */
async function stopFor(processor: Processor, batch: Batch, cause: StopCause): Promise<Verdict> {
  try {
    return (await processor.stopped.stop(batch, cause)) ? 'stopped' : 'later'
  } catch (error) {
    return judgeFailure(processor, batch, error, 0)
  }
}

/**
 * Makes assigned partitions begin at their stored positions. A hint that is ahead of them (the
 * database is one of a backup) would have the client wait at the end of the log for a record, and
 * nothing else would tell what it passed over. Each call ends the one before.
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
        // What has a task reads from its position already.
        for (const of of partitions) if (!tasks.has(of)) seek({ ...of, next: stored.get(nameOf(of)) ?? 0n })
        return
      } catch (error) {
        log.debug({ processor: work.name, err: error }, 'stored positions cannot be read; trying again')
      }
      await new Promise((resolve) => setTimeout(resolve, SEEK_AGAIN_MS))
    }
  }
}

/** The parts of a processor. `state` says how far its end has come. */
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
      identity.forget()
      log.info({ processor: work.name, partitions: partitions.length }, 'partitions assigned')
      identity.verify().catch((error: unknown) => {
        if (error instanceof LogChanged) fatal(error.message, error)
        else log.debug({ err: error }, 'positions not verified; the next batch tries again')
      })
      void seekStored(partitions, seek)
    },
    // If the next owner has committed by then, its position refuses this write.
    onRebalancing: () => void storeAll().catch(unstored),
    onConnection: identity.forget,
    onCrash: (error) => fatal('the consumer crashed', error)
  })
  stopped.watch((of) => {
    tasks.forget(of) // What it passes over is loaded with it.
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
      // The pool is ended next.
      await Promise.all([consumer.close(), keeper.stop(), stopped.close()])
      if (state.dead) return // Whatever ended it, positions in memory are not to be trusted now.
      await keeper
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'positions in memory were not stored; their records will be folded again'))
    }
  }
}
