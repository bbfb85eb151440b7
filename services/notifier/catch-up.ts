/**
 * After an outage, holds the notifier's work until the folds have read what the log holds.
 *
 * While Postgres is away, doors keep taking alerts and results. Then the end of an incident may be
 * on the log, and nobody has folded it. Work that became due meanwhile would page people about an
 * incident that is over.
 *
 *   working ──Postgres does not answer for 10 s, and then it does──► waiting
 *   waiting ──the folds have caught up, or 60 s have passed──► working
 *   a start ──work, or the positions of the folds, are more than 10 s late──► waiting
 *           ──nothing is late──► working
 *
 * Caught up means, one after the other:
 *   1. the folds of checks and pings have read up to where their logs ended when the wait began
 *   2. the relay has sent the transitions that they decided
 *   3. the incident fold has read up to where its logs ended then
 * The wait ends after 60 s in any case: Kafka or a processor may be down as well, and a late page
 * is better than none.
 *
 * Waits are measured by the steady clock of this process, lateness by Postgres's clock.
 * Source: docs/decisions/0091-late-work-waits-for-the-folds.md.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog } from '../../streams/runtime/connect.ts'
import { by } from '../../streams/runtime/deadline.ts'
import { readPositions } from '../../streams/runtime/offsets.ts'
import { nameOf } from '../../streams/runtime/partition-task.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import { steadyNow } from '../../streams/runtime/steady.ts'
import { incidentProcessor, processors } from '../../streams/topology.ts'
import type { Metrics } from '../process/metrics.ts'
import { isOutgoingLeft, newestOutgoing, overdue } from '../store/fold-progress.ts'
import type { Pool } from '../store/pool.ts'

export interface CatchUp {
  /** Whether due work may be taken now. Call it before each look; rejects when Postgres fails. */
  mayAct(): Promise<boolean>
  /**
   * Call it when Postgres has answered. Returns false when it had not answered for a while: then
   * what was just found must be left.
   */
  answered(): boolean
  /** Resolves when the wait under way has ended. */
  close(): Promise<void>
}

export interface CatchUpOptions {
  pool: Pool
  /** Kinds of the jobs that this process runs. */
  kinds: readonly string[]
  /** Returns where the partitions of these topics end now, by `topic:partition`. */
  endsOf(topics: readonly TopicName[]): Promise<ReadonlyMap<string, bigint>>
  log: Pick<RuntimeLog, 'info' | 'warn'>
  metrics: Metrics
  /** Longest wait, in ms. */
  maxWaitMs?: number
  /** Silence of Postgres that counts as an outage, and lateness at a start that shows one; ms. */
  outageMs?: number
}

const OUTAGE_MS = 10_000
const MAX_WAIT_MS = 60_000
const LOOK_EVERY_MS = 250
/** For one answer of the broker. */
const ENDS_MS = 5000

const lastReads: readonly TopicName[] = incidentProcessor.reads
/** The processors that decide what the incident fold reads. */
const earlier = processors.filter(({ emits }) => emits.some((emission) => lastReads.some((topic) => topic === emission)))
const earlierNames = earlier.map(({ name }) => name)
const earlierReads = earlier.flatMap(({ reads }): readonly TopicName[] => reads)

/** Holds nothing. For workers that run without a log. */
export const neverHolds: CatchUp = { mayAct: () => Promise.resolve(true), answered: () => true, close: () => Promise.resolve() }

export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { pool, kinds, endsOf, log, metrics, maxWaitMs = MAX_WAIT_MS, outageMs = OUTAGE_MS } = options
  const waits = metrics.counter('service_notifier_waits_total', 'Waits for the folds after an outage', ['ended'])
  const { rest, end } = createRest()
  let closing = false
  let state: 'starting' | 'working' | 'waiting' = 'starting'
  let answeredAt = performance.now()
  let waiting: Promise<void> | null = null

  function answered(): boolean {
    const now = performance.now()
    if (state === 'working' && now - answeredAt > outageMs) begin()
    answeredAt = now
    return state === 'working'
  }

  async function hasReached(names: readonly string[], ends: ReadonlyMap<string, bigint>): Promise<boolean> {
    const found = (await Promise.all(names.map((name) => readPositions(pool, name)))).flat()
    const positions = new Map(found.map((position) => [nameOf(position), position.next]))
    return [...ends].every(([place, end]) => (positions.get(place) ?? 0n) >= end)
  }

  /**
   * Waits until each step has resolved to true, one after the other. Returns false at the deadline.
   */
  async function stepByStep(steps: readonly (() => Promise<boolean>)[]): Promise<boolean> {
    const deadline = performance.now() + maxWaitMs
    let isTold = false
    for (const step of steps) {
      for (;;) {
        try {
          if (await step()) break
        } catch (error) {
          if (!isTold) log.warn({ err: error }, 'it cannot be said how far the folds are; trying again')
          isTold = true
        }
        if (closing || performance.now() > deadline) return false
        await rest(LOOK_EVERY_MS)
      }
    }
    return true
  }

  function begin(): void {
    state = 'waiting'
    waiting = wait().finally(() => {
      answeredAt = performance.now()
      state = 'working'
      waiting = null
    })
  }

  async function wait(): Promise<void> {
    log.info({}, 'after an outage, work waits until the folds have read the log')
    let ends: ReadonlyMap<string, bigint> = new Map()
    let newest: number | null = null
    const noted = async (topics: readonly TopicName[]): Promise<boolean> => {
      ends = await by(steadyNow() + ENDS_MS, endsOf(topics))
      return true
    }
    const isCaughtUp = await stepByStep([
      () => noted(earlierReads),
      () => hasReached(earlierNames, ends),
      async () => {
        newest = await newestOutgoing(pool, lastReads)
        return true
      },
      async () => newest === null || !(await isOutgoingLeft(pool, lastReads, newest)),
      () => noted(lastReads),
      () => hasReached([incidentProcessor.name], ends)
    ])
    if (closing) return
    waits.inc({ ended: isCaughtUp ? 'caught_up' : 'gave_up' })
    if (isCaughtUp) log.info({}, 'the folds have read the log; work goes on')
    else log.warn({ waited_ms: maxWaitMs }, 'the folds have not read the log in time; work goes on without them')
  }

  return {
    answered,
    async mayAct() {
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
      closing = true
      end()
      await waiting
    }
  }
}
