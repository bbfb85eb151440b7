/**
 * After an outage, holds the notifier's work until the folds have read what the log holds.
 *
 * While Postgres is away, doors keep taking alerts and results. Then the end of an incident may be
 * on the log, and nobody has folded it. Work that became due meanwhile would page people about an
 * incident that is over.
 *
 *   working ──Postgres does not answer for 10 s, and then it does──► waiting
 *           ──a write fails, and 10 s later or more one works again──► waiting
 *   waiting ──the folds have caught up, or have not moved for 60 s──► working
 *   a start ──work, or the positions of the folds, are more than 10 s late──► waiting
 *           ──nothing is late──► working
 *
 * Caught up means, one after the other:
 *   1. the folds of checks and pings have read up to where their logs ended when the wait began
 *   2. the relay has sent the transitions that they decided
 *   3. the incident fold has read up to where its logs ended then
 * If that took more than 10 s, it is done once more for what came meanwhile, until a round is not
 * shorter than the one before.
 *
 * The wait ends in any case when nothing has moved for 60 s, and after 15 minutes: Kafka or a
 * processor may be down as well, and a late page is better than none. Positions that move without
 * effects are stored every 5 s. A partition that is stopped does not move, and the others come to
 * their ends.
 *
 * Postgres may answer questions and take no writes: read-only after a fail-over, a full disk, a
 * synchronous standby that is away. The folds stand still then, too. So after a write that failed,
 * nothing is taken until a write on trial has worked, and a wait begins with such a write.
 *
 * Waits are measured by the steady clock of this process, lateness by Postgres's clock.
 * Source: docs/decisions/0091-late-work-waits-for-the-folds.md.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog } from '../../streams/runtime/connect.ts'
import { Away, isRetryable } from '../../streams/runtime/failures.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import { incidentProcessor, processors } from '../../streams/topology.ts'
import type { Metrics } from '../process/metrics.ts'
import { newestOutgoing, oldestOutgoing, overdue, tryToWrite } from '../store/fold-progress.ts'
import type { Pool } from '../store/pool.ts'
import { type Ends, type EndsOf, endsSoon, unreadBefore } from './unread.ts'

export interface CatchUp {
  /** Whether due work may be taken now. Call it before each look; rejects when Postgres fails. */
  mayAct(): Promise<boolean>
  /**
   * Call it when Postgres has answered. Returns false when it had not answered for a while, or when
   * a write has failed since: then what was just found must be left.
   */
  answered(): boolean
  /** Call it when work that writes has succeeded. */
  wrote(): void
  /** Call it when work that writes has failed. `since`: of performance.now(), when it began. */
  failed(error: unknown, since: number): void
  /** Resolves when the wait under way has ended. */
  close(): Promise<void>
}

export interface CatchUpOptions {
  pool: Pool
  /** Kinds of the jobs that this process runs. */
  kinds: readonly string[]
  endsOf: EndsOf
  log: Pick<RuntimeLog, 'info' | 'warn'>
  metrics: Metrics
  /** Longest wait without any progress, in ms. */
  maxWaitMs?: number
  /** Longest wait in all, in ms. */
  longestMs?: number
  /** Silence of Postgres that counts as an outage, and lateness at a start that shows one; ms. */
  outageMs?: number
}

const OUTAGE_MS = 10_000
const MAX_WAIT_MS = 60_000
const LONGEST_MS = 15 * 60_000
/** A round that takes at least this share of the one before reads no faster than the log grows. */
const NO_SHORTER = 0.9
const LOOK_EVERY_MS = 250

const lastReads: readonly TopicName[] = incidentProcessor.reads
/** The processors that decide what the incident fold reads. */
const earlier = processors.filter(({ emits }) => emits.some((emission) => lastReads.some((topic) => topic === emission)))
const earlierNames = earlier.map(({ name }) => name)
const earlierReads = earlier.flatMap(({ reads }): readonly TopicName[] => reads)

/** Holds nothing. For workers that run without a log. */
export const neverHolds: CatchUp = {
  mayAct: () => Promise.resolve(true),
  answered: () => true,
  wrote: () => undefined,
  failed: () => undefined,
  close: () => Promise.resolve()
}

/**
 * Errors of a Postgres that works, while others were in the way: a serialization failure, a
 * deadlock, a unique row, a session or a statement that took too long, a lock.
 */
const IN_THE_WAY = new Set(['40001', '40P01', '23505', '25P03', '57014', '55P03'])

/** Whether the error says that Postgres cannot be used, or takes no writes. */
function isOutage(error: unknown): boolean {
  if (error instanceof Away) return false
  return isRetryable(error) && !(error instanceof Error && 'code' in error && IN_THE_WAY.has(String(error.code)))
}

/** Returns how many records before these ends are unread. */
async function unread(pool: Pool, names: readonly string[], ends: Ends): Promise<bigint> {
  const left = await unreadBefore(pool, names, ends)
  return [...left.values()].reduce((sum, records) => sum + records, 0n)
}

/** Returns how many ids lie between the oldest outbox row that is left and the newest. */
async function unsent(pool: Pool, newest: number | null): Promise<bigint> {
  const oldest = newest === null ? null : await oldestOutgoing(pool, lastReads, newest)
  return newest === null || oldest === null ? 0n : BigInt(newest - oldest + 1)
}

/** Returns a step that waits until `left` is 0. Calls `moved` whenever it has become less. */
function nothingLeft(moved: () => void, left: () => Promise<bigint>): () => Promise<boolean> {
  let least: bigint | null = null
  return async () => {
    const now = await left()
    if (least === null || now < least) moved()
    least = now
    return now === 0n
  }
}

/** Waits until each step has resolved to true, in order. Returns false if it gives up. */
async function stepByStep(
  steps: readonly (() => Promise<boolean>)[],
  log: CatchUpOptions['log'],
  goesOn: () => Promise<boolean>,
  rest: () => Promise<void>
): Promise<boolean> {
  let isTold = false
  for (const step of steps) {
    for (;;) {
      try {
        if (await step()) break
      } catch (error) {
        if (!isTold) log.warn({ err: error }, 'it cannot be said how far the folds are; trying again')
        isTold = true
      }
      if (!(await goesOn())) return false
      await rest()
    }
  }
  return true
}

/** Returns the steps of one round. `moved` is called whenever a fold or the relay has gone on. */
function stepsOf({ pool, endsOf }: CatchUpOptions, moved: () => void, isWritable: () => Promise<boolean>): (() => Promise<boolean>)[] {
  let ends: Ends = new Map()
  let newest: number | null = null
  const noted = async (topics: readonly TopicName[]): Promise<boolean> => {
    ends = await endsSoon(endsOf, topics)
    return true
  }
  return [
    isWritable,
    () => noted(earlierReads),
    nothingLeft(moved, () => unread(pool, earlierNames, ends)),
    async () => {
      newest = await newestOutgoing(pool, lastReads)
      return true
    },
    nothingLeft(moved, () => unsent(pool, newest)),
    () => noted(lastReads),
    nothingLeft(moved, () => unread(pool, [incidentProcessor.name], ends))
  ]
}

/** Repeats rounds as the header of this file says. Returns false if a round gives up. */
async function rounds(round: () => Promise<boolean>, outageMs: number): Promise<boolean> {
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    const began = performance.now()
    if (!(await round())) return false
    const took = performance.now() - began
    if (took <= outageMs || took >= NO_SHORTER * last) return true
    last = took
  }
}

/** Returns a function that writes on trial. It is one write, however many callers wait for it. */
function createTrial(pool: Pool, log: CatchUpOptions['log']): () => Promise<void> {
  let trial: Promise<void> | null = null
  /** Rejects while Postgres takes no writes. Any other failure must not stop the work for ever. */
  return () => {
    trial ??= tryToWrite(pool)
      .catch((error: unknown) => {
        if (isOutage(error)) throw error
        log.warn({ err: error }, 'a write on trial failed, and not by an outage; work goes on')
      })
      .finally(() => {
        trial = null
      })
    return trial
  }
}

/** What waits. `run` resolves when the wait has ended, also because of `close`. */
function createWait(options: CatchUpOptions, writes: () => Promise<void>): { run(): Promise<void>; close(): void } {
  const { log, metrics, maxWaitMs = MAX_WAIT_MS, longestMs = LONGEST_MS, outageMs = OUTAGE_MS } = options
  const waits = metrics.counter('service_notifier_waits_total', 'Waits for the folds after an outage', ['ended'])
  const { rest, end } = createRest()
  let closing = false
  /** When the wait gives up, unless something moves before. */
  let deadline = 0
  /** When it gives up in any case. */
  let latest = 0
  const moved = (): void => {
    deadline = performance.now() + maxWaitMs
  }

  const isWritable = (): Promise<boolean> =>
    writes().then(
      () => true,
      () => false
    )

  /** Whether the wait goes on although a step is not done. */
  async function goesOn(): Promise<boolean> {
    if (closing) return false
    const now = performance.now()
    if (now <= deadline && now <= latest) return true
    if (await isWritable()) return false
    moved()
    latest = performance.now() + longestMs
    return true
  }

  async function run(): Promise<void> {
    log.info({}, 'after an outage, work waits until the folds have read the log')
    const began = performance.now()
    latest = began + longestMs
    const round = (): Promise<boolean> => {
      moved()
      return stepByStep(stepsOf(options, moved, isWritable), log, goesOn, () => rest(LOOK_EVERY_MS))
    }
    const isCaughtUp = await rounds(round, outageMs)
    if (closing) return
    waits.inc({ ended: isCaughtUp ? 'caught_up' : 'gave_up' })
    if (isCaughtUp) log.info({}, 'the folds have read the log; work goes on')
    else
      log.warn(
        { waited_ms: Math.round(performance.now() - began) },
        'the folds have not moved, or take too long; work goes on without them'
      )
  }

  return {
    run,
    close() {
      closing = true
      end()
    }
  }
}

export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { pool, kinds, log, outageMs = OUTAGE_MS } = options
  const writes = createTrial(pool, log)
  const wait = createWait(options, writes)
  let state: 'starting' | 'working' | 'waiting' = 'starting'
  let answeredAt = performance.now()
  let waiting: Promise<void> | null = null
  /** When the first write that failed began, until a write has worked again. */
  let failedSince: number | null = null
  /** When a write has last worked. One that fails beside others that work shows no outage. */
  let wroteAt = Number.NEGATIVE_INFINITY

  function failed(error: unknown, since: number): void {
    if (state === 'working' && isOutage(error)) failedSince ??= Math.max(since, wroteAt)
  }

  /** After a write that failed: begins a wait when writes did not work for a while. */
  async function judgeWrites(): Promise<void> {
    await writes()
    // Another caller may have asked at the same time.
    if (failedSince === null) return
    const failing = performance.now() - failedSince
    failedSince = null
    answeredAt = performance.now()
    wroteAt = answeredAt
    if (state === 'working' && failing > outageMs) begin()
  }

  function answered(): boolean {
    const now = performance.now()
    if (state === 'working' && now - answeredAt > outageMs) begin()
    answeredAt = now
    return state === 'working' && failedSince === null
  }

  function begin(): void {
    state = 'waiting'
    waiting = wait.run().finally(() => {
      answeredAt = performance.now()
      failedSince = null
      state = 'working'
      waiting = null
    })
  }

  return {
    answered,
    wrote() {
      wroteAt = performance.now()
      answered()
    },
    failed,
    async mayAct() {
      if (failedSince !== null) await judgeWrites()
      const from = state
      const isSilent = performance.now() - answeredAt > outageMs
      if (from === 'starting' || (from === 'working' && isSilent)) {
        const { work, folds } = await overdue(pool, kinds, earlierNames)
        // Another caller may have asked at the same time.
        if (state === from) {
          state = 'working'
          answeredAt = performance.now()
          if (from === 'working' || Math.max(work, folds) > outageMs) begin()
        }
      }
      return state === 'working'
    },
    async close() {
      wait.close()
      await waiting
    }
  }
}
