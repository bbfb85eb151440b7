/** What the sink counts. */
import type { RuntimeMetrics } from './connect.ts'

export type SinkMetrics = ReturnType<typeof createSinkMetrics>

export const createSinkMetrics = (metrics: RuntimeMetrics) => ({
  rows: metrics.counter('service_sink_rows_total', 'Rows inserted', ['table']),
  batchRows: metrics.histogram('service_sink_batch_rows', 'Rows a batch', [1, 10, 100, 1000, 5000, 10_000, 20_000, 50_000], ['topic']),
  insertMs: metrics.histogram('service_sink_insert_ms', 'Duration of an insert', [5, 10, 25, 50, 100, 250, 500, 1000, 5000], ['table']),
  retries: metrics.counter('service_sink_retries_total', 'Steps tried again', ['step']),
  recovered: metrics.counter('service_sink_recovered_total', 'Batches of an earlier owner that were finished', ['topic']),
  gaps: metrics.counter('service_sink_gaps_total', 'Offsets that were not on the log when they were due', ['topic']),
  lag: metrics.gauge('service_sink_lag_records', 'Records of a partition not yet read', ['topic', 'partition'])
})
