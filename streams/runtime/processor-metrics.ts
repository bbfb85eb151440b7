/** The metrics of a processor, under its own name. */
import type { Remarks } from '../define.ts'
import type { RuntimeMetrics } from './connect.ts'

interface Of {
  topic: string
  partition: number
}

export interface ProcessorMetrics {
  /** Counts one processed chunk of `records` records. */
  processed(records: number): void
  deadLetters(records: number): void
  redriven(records: number): void
  fenced(): void
  retried(): void
  /** Counts offsets that were missing from the log when they were due. */
  missed(offsets: number): void
  lag(of: Of, records: number): void
  /** The partitions are assigned anew: what was measured of them here may be measured elsewhere. */
  forgetLag(): void
  stopped(of: Of, is: boolean): void
  /** Counts what a fold noticed and did not judge. */
  remarked(remarks: Remarks): void
}

export function createProcessorMetrics(metrics: RuntimeMetrics, processor: string): ProcessorMetrics {
  const places = ['processor', 'topic', 'partition']
  const name = { processor }
  const labels = ({ topic, partition }: Of) => ({ processor, topic, partition: String(partition) })
  const lag = metrics.gauge('service_processor_lag_records', 'Records of a partition not yet processed', places)
  const measured = new Map<string, Of>()
  const sizes = metrics.histogram(
    'service_processor_batch_records',
    'Records a transaction',
    [1, 2, 5, 10, 20, 50, 100, 200, 500],
    ['processor']
  )
  const records = metrics.counter('service_processor_records_total', 'Records processed', ['processor'])
  const deadLetters = metrics.counter('service_processor_dead_letters_total', 'Records that became dead letters', ['processor'])
  const redriven = metrics.counter('service_processor_redriven_total', 'Dead letters that were put back and folded', ['processor'])
  const fenced = metrics.counter('service_processor_fenced_total', 'Transactions that found another owner of the partition', ['processor'])
  const retries = metrics.counter('service_processor_retries_total', 'Transactions run again', ['processor'])
  const gaps = metrics.counter('service_processor_gaps_total', 'Offsets that were not on the log when they were due', ['processor'])
  const stopped = metrics.gauge(
    'service_processor_stopped',
    '1 while a partition is stopped: too much poison, or a schema that the registry does not know',
    places
  )
  const ticks = metrics.counter('service_processor_ticks_ignored_total', 'Ticks that counted for nothing, by reason', [
    'processor',
    'reason'
  ])
  const skewed = metrics.counter('service_processor_results_skewed_total', 'Check results scheduled after they can have been: not judged', [
    'processor'
  ])
  const placed = metrics.counter('service_processor_times_placed_total', 'Times of doors that did not fit partition time, and became it', [
    'processor'
  ])
  return {
    processed(count) {
      sizes.observe(name, count)
      records.inc(name, count)
    },
    deadLetters: (count) => deadLetters.inc(name, count),
    redriven: (records) => redriven.inc(name, records),
    fenced: () => fenced.inc(name),
    retried: () => retries.inc(name),
    missed: (offsets) => gaps.inc(name, offsets),
    lag(of, count) {
      measured.set(`${of.topic}/${of.partition}`, of)
      lag.set(labels(of), count)
    },
    forgetLag() {
      for (const of of measured.values()) lag.remove(labels(of))
      measured.clear()
    },
    stopped: (of, is) => stopped.set(labels(of), is ? 1 : 0),
    remarked({ ticks_repeated, ticks_old, ticks_stray, results_skewed, times_placed }) {
      if (ticks_repeated > 0) ticks.inc({ processor, reason: 'repeated' }, ticks_repeated)
      if (ticks_old > 0) ticks.inc({ processor, reason: 'old' }, ticks_old)
      if (ticks_stray > 0) ticks.inc({ processor, reason: 'stray' }, ticks_stray)
      if (results_skewed > 0) skewed.inc(name, results_skewed)
      if (times_placed > 0) placed.inc(name, times_placed)
    }
  }
}
