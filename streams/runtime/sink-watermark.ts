/** Until when everything on the log has been taken, by what the fetches of the consumer say. */
import type { SinkTask } from './sink-task.ts'

export interface Watermark {
  /**
   * A fetch from this broker begins. That happens when the records of the one before have been
   * handed over.
   */
  begun(broker: string): void
  /** Brokers are asked anew after a join. */
  clear(): void
  /**
   * Everything that was on the log before this instant (epoch ms) has been taken; null while that
   * is not known.
   */
  handed(): number | null
}

export function createWatermark(tasks: () => readonly Pick<SinkTask, 'behind'>[]): Watermark {
  /**
   * By broker: when the fetch under way began, and when the one began whose records have all been
   * handed over.
   */
  const fetches = new Map<string, { begun: number; handed: number | null }>()
  return {
    begun(broker) {
      fetches.set(broker, { begun: Date.now(), handed: fetches.get(broker)?.begun ?? null })
    },
    clear: () => fetches.clear(),
    handed() {
      let until = Number.POSITIVE_INFINITY
      for (const fetch of fetches.values()) {
        if (fetch.handed === null) return null
        until = Math.min(until, fetch.handed)
      }
      // Of any topic: a partition that has more than was sent may have crowded out others.
      for (const { behind } of tasks()) for (const timestamp of behind.values()) until = Math.min(until, timestamp)
      return Number.isFinite(until) ? until : null
    }
  }
}
