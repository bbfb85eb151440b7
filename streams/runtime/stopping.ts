/**
 * Keeps track of stopped partitions: too many of their records are poison, or the schema of a
 * record is missing. That is a schema break, which people must repair. A stop is found before
 * anything of its chunk is committed. It is stored (stops.ts) and holds for every owner until an
 * operator ends it (`npm run resume`, `npm run skip`); then the partition continues by itself.
 */
import type { Pool } from 'pg'
import type { TopicName } from '../../schemas/topics.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import type { RuntimeLog } from './connect.ts'
import type { Poison } from './dead-letter.ts'
import type { SchemaMissing } from './failures.ts'
import type { Stepped } from './fold-step.ts'
import { nameOf, type Task } from './partition-task.ts'
import type { ProcessorMetrics } from './processor-metrics.ts'
import { readOpenStops, readStopEnd, type Stop, writeStop } from './stops.ts'

interface Of {
  topic: TopicName
  partition: number
}

/** The reason for a stop of a partition. */
export interface StopCause extends Pick<Stop, 'reason' | 'detail' | 'offsets'> {
  /** The stored position. */
  next: bigint
}

/** The current chunk has too much poison: nothing of it may be committed. */
export class TooMuchPoison extends Error {
  override readonly name = 'TooMuchPoison'
  readonly stop: StopCause

  constructor(stop: StopCause) {
    super('too many of the records of a minute are poison')
    this.stop = stop
  }
}

export interface StoppedPartitions {
  has(of: Of): boolean
  readonly size: number
  /** Throws TooMuchPoison when the current chunk must not be committed. */
  judge(task: Task, records: number, poison: readonly Poison[]): void
  /** Counts a step that was committed. */
  count(of: Of, step: Stepped): void
  /**
   * Stops the partition. Returns false when its position has moved, because another owner went on.
   * Rejects when the stop cannot be stored.
   */
  stop(of: Of, cause: StopCause): Promise<boolean>
  /** Notes that the store holds a stop of the partition. */
  found(of: Of, stop: Stop): void
  /**
   * Called when partitions are assigned again: the store is then asked again which ones are
   * stopped.
   */
  forget(): void
  /** Starts to poll whether stops were ended; `onEnded` must make the partition read on. */
  watch(onEnded: (of: Of) => void): void
  close(): Promise<void>
}

export interface StoppingOptions {
  processor: string
  pool: Pool
  log: RuntimeLog
  metrics: ProcessorMetrics
  /** How often to check whether a stop was ended; ms. */
  pollMs?: number
}

const POLL_MS = 1000
const REMEDY = 'nothing of it is read until "npm run resume" or "npm run skip" ends the stop'

/** Describes how many poison records of each kind there are, and the first of them. */
function describe(records: number, poison: readonly Poison[]): string {
  const kinds = new Map<string, number>()
  for (const { reason } of poison) kinds.set(reason, (kinds.get(reason) ?? 0) + 1)
  const counts = [...kinds].map(([reason, count]) => `${count} ${reason}`).join(', ')
  const [first] = poison
  return `${poison.length} of the ${records} records in hand are poison (${counts}); offset ${first?.record.offset}: ${first?.error}`
}

export const missingSchema = ({ id, offset }: SchemaMissing, next: bigint): StopCause => ({
  next,
  reason: 'unknown_schema',
  detail: `the registry does not know schema ${id}, which the record at offset ${offset} names`,
  offsets: [offset]
})

export function createStoppedPartitions(options: StoppingOptions): StoppedPartitions {
  const { processor, pool, log, metrics, pollMs = POLL_MS } = options
  const stopped = new Map<string, Stop & Of>()
  const breakers = new Map<string, Breaker>()
  const breakerOf = (of: Of): Breaker => {
    const breaker = breakers.get(nameOf(of)) ?? createBreaker()
    breakers.set(nameOf(of), breaker)
    return breaker
  }

  function hold(of: Of, stop: Stop): void {
    const { topic, partition } = of
    const isNews = stopped.get(nameOf(of))?.stop_id !== stop.stop_id
    stopped.set(nameOf(of), { ...stop, topic, partition })
    metrics.stopped(of, true)
    if (!isNews) return
    const why = stop.reason === 'poison' ? 'more than 1 % of the records in a minute are poison: that is a schema break' : stop.detail
    log.error(
      { processor, topic, partition, position: stop.next.toString(), reason: stop.reason, stop_id: stop.stop_id },
      `${topic} partition ${partition} is stopped: ${why}; ${REMEDY}`
    )
  }

  async function look(onEnded: (of: Of) => void): Promise<void> {
    const open = new Set((await readOpenStops(pool, processor)).map(({ stop_id }) => stop_id))
    for (const [name, stop] of stopped) {
      if (open.has(stop.stop_id)) continue
      const end = await readStopEnd(pool, stop.stop_id)
      if (stopped.get(name) !== stop) continue // Assigned anew meanwhile.
      const { topic, partition } = stop
      stopped.delete(name)
      breakers.delete(name)
      metrics.stopped(stop, false)
      log.info({ processor, topic, partition, ...end }, `the stop of ${topic} partition ${partition} was ended: going on`)
      onEnded(stop)
    }
  }

  let looking: Promise<void> = Promise.resolve()
  let isLooking = false
  let timer: NodeJS.Timeout | undefined

  return {
    has: (of) => stopped.has(nameOf(of)),
    get size() {
      return stopped.size
    },
    judge(task, records, poison) {
      if (!breakerOf(task).trips(records, poison, Date.now())) return
      const bad = poison.filter(({ reason }) => reason !== 'skipped')
      const offsets = bad.map(({ record }) => record.offset)
      throw new TooMuchPoison({ next: task.stored, reason: 'poison', detail: describe(records, bad), offsets })
    },
    count(of, { records, poison, redriven }) {
      const { topic, partition } = of
      metrics.processed(records)
      if (redriven > 0) metrics.redriven(redriven)
      if (poison.length > 0) {
        metrics.deadLetters(poison.length)
        log.warn({ processor, topic, partition, dead_letters: poison.length }, 'records became dead letters')
      }
      breakerOf(of).count(records, poison, Date.now())
    },
    async stop(of, cause) {
      const { topic, partition } = of
      if (!(await writeStop(pool, { processor, topic, partition, ...cause }))) return false
      const stop = (await readOpenStops(pool, processor)).find((one) => one.topic === topic && one.partition === partition)
      if (!stop) return false // Ended already.
      hold(of, stop)
      return true
    },
    found: hold,
    forget() {
      for (const stop of stopped.values()) metrics.stopped(stop, false)
      stopped.clear()
      breakers.clear()
    },
    watch(onEnded) {
      timer = setInterval(() => {
        if (stopped.size === 0 || isLooking) return
        isLooking = true
        looking = look(onEnded)
          .catch((error: unknown) => log.debug({ processor, err: error }, 'stops cannot be read; trying again'))
          .finally(() => {
            isLooking = false
          })
      }, pollMs)
    },
    async close() {
      clearInterval(timer)
      await looking
    }
  }
}
