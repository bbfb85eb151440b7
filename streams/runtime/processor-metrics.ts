/** What a processor counts, under its own name. */
import type { RuntimeMetrics } from './connect.ts'

interface Of {
  topic: string
  partition: number
}

export interface ProcessorMetrics {
  /** A transaction with `records` records was processed. */
  processed(records: number): void
  deadLetters(records: number): void
  fenced(): void
  retried(): void
  /** `offsets` were not on the log when they were due. */
  missed(offsets: number): void
  lag(of: Of, records: number): void
  stopped(of: Of): void
}

export function createProcessorMetrics(metrics: RuntimeMetrics, processor: string): ProcessorMetrics {
  const places = ['processor', 'topic', 'partition']
  const name = { processor }
  const labels = ({ topic, partition }: Of) => ({ processor, topic, partition: String(partition) })
  const lag = metrics.gauge('service_processor_lag_records', 'Records of a partition not yet processed', places)
  const sizes = metrics.histogram(
    'service_processor_batch_records',
    'Records a transaction',
    [1, 2, 5, 10, 20, 50, 100, 200, 500],
    ['processor']
  )
  const records = metrics.counter('service_processor_records_total', 'Records processed', ['processor'])
  const deadLetters = metrics.counter('service_processor_dead_letters_total', 'Records that became dead letters', ['processor'])
  const fenced = metrics.counter('service_processor_fenced_total', 'Transactions that found another owner of the partition', ['processor'])
  const retries = metrics.counter('service_processor_retries_total', 'Transactions run again', ['processor'])
  const gaps = metrics.counter('service_processor_gaps_total', 'Offsets that were not on the log when they were due', ['processor'])
  const stopped = metrics.gauge('service_processor_stopped', '1 while a task is stopped by too many dead letters', places)
  return {
    processed(count) {
      sizes.observe(name, count)
      records.inc(name, count)
    },
    deadLetters: (count) => deadLetters.inc(name, count),
    fenced: () => fenced.inc(name),
    retried: () => retries.inc(name),
    missed: (offsets) => gaps.inc(name, offsets),
    lag: (of, count) => lag.set(labels(of), count),
    stopped: (of) => stopped.set(labels(of), 1)
  }
}
