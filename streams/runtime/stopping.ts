/**
 * Partitions that are stopped because too many of their records became dead letters: a schema
 * break, which people must mend. They stay stopped until a restart.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { RuntimeLog } from './connect.ts'
import { createBreaker } from './dead-letter.ts'
import type { Stepped } from './fold-step.ts'
import { nameOf } from './partition-task.ts'
import type { ProcessorMetrics } from './processor-metrics.ts'

interface Of {
  topic: TopicName
  partition: number
}

export interface StoppedPartitions {
  has(of: Of): boolean
  readonly size: number
  /** Counts a step; stops the partition when its breaker trips. */
  count(of: Of, step: Stepped): void
}

export function createStoppedPartitions(processor: string, log: RuntimeLog, metrics: ProcessorMetrics): StoppedPartitions {
  const stopped = new Set<string>()
  const breakers = new Map<string, ReturnType<typeof createBreaker>>()
  return {
    has: (of) => stopped.has(nameOf(of)),
    get size() {
      return stopped.size
    },
    count(of, { records, deadLetters }) {
      const { topic, partition } = of
      const name = nameOf(of)
      metrics.processed(records)
      if (deadLetters > 0) {
        metrics.deadLetters(deadLetters)
        log.warn({ processor, topic, partition, dead_letters: deadLetters }, 'records became dead letters')
      }
      const breaker = breakers.get(name) ?? createBreaker()
      breakers.set(name, breaker)
      if (!breaker(records, deadLetters, Date.now())) return
      stopped.add(name)
      metrics.stopped(of)
      log.error(
        { processor, topic, partition },
        `more than 1 % of the records in a minute were dead letters: that is a schema break, so ${topic} partition ${partition} is stopped; mend it and restart the processor`
      )
    }
  }
}
