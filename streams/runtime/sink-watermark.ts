/**
 * Computes until which instant everything on the log has been taken, from the consumer's fetches.
 */
import type { SinkTask } from './sink-task.ts'

export interface Watermark {
  /**
   * Called when a fetch from this broker begins. By then the records of its previous fetch have
   * been handed over.
   */
  begun(broker: string): void
  /** Forgets all brokers, because after a join they are asked anew. */
  clear(): void
  /**
   * Everything that was on the log before this instant (epoch ms) has been taken; null while that
   * is not known.
   */
  handed(): number | null
}

export function createWatermark(tasks: () => readonly Pick<SinkTask, 'behind'>[]): Watermark {
  /**
   * By broker: when the current fetch began, and when the fetch began whose records have all been
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
      // All topics count: a partition with more records than were sent may have crowded out others.
      for (const { behind } of tasks()) for (const timestamp of behind.values()) until = Math.min(until, timestamp)
      return Number.isFinite(until) ? until : null
    }
  }
}
