/**
 * The data flow on one page: every processor, what it reads, which rows it keeps and what it emits.
 * The role `processors` runs them, each in the loop of runtime/run.ts; services/processors passes
 * in the rows of services/store for those that keep state by key.
 *
 * `emits` is checked. A fold that causes what its processor does not declare does not compile, and
 * test/streams/topology.test.ts finds what is declared and never caused. schemas/topics.ts names
 * the same readers and emitters; picture.ts draws docs/architecture.md from both.
 */
import { uuidv5 } from '../schemas/uuid.ts'
import { budgetFold } from './budget/fold.ts'
import type { Emission, KeyProcessor, PartitionProcessor } from './define.ts'
import { heartbeatFold } from './heartbeat/fold.ts'
import { incidentFold } from './incident/fold.ts'
import { statusFold } from './status/fold.ts'

// These helpers return the processor unchanged. Through them the compiler keeps names and emissions
// as literal types, and compares `emits` with the fold.
const byPartition = <S, const E extends Emission, const N extends string>(processor: PartitionProcessor<S, E, N>) => processor
const byKey = <Loaded, Saved, const E extends Emission, const N extends string>(processor: KeyProcessor<Loaded, Saved, E, N>) => processor

export const statusProcessor = byPartition({
  kind: 'byPartition',
  name: 'status',
  reads: ['checks.results.v1'],
  keeps: 'a row per monitor: the vote of its regions',
  emits: ['monitor.transitions.v1', 'monitor.state.v1', 'realtime.frames.v1', 'notices', 'feed'],
  views: {
    // The fields by which a success of a healthy monitor is judged.
    CheckResult: [
      'tenant_id',
      'monitor_id',
      'region',
      'seq',
      'scheduled_at',
      'received_at',
      'count',
      'outcome',
      'reason',
      'status_code',
      'timings_ms.total',
      'certificate_not_after',
      'certificate_issuer',
      'certificate_chain_ok'
    ]
  },
  fold: statusFold(uuidv5)
})

export const heartbeatProcessor = byPartition({
  kind: 'byPartition',
  name: 'heartbeat',
  reads: ['heartbeat.pings.v1'],
  keeps: 'a row per heartbeat: its deadline, moved by pings and judged by ticks',
  emits: ['heartbeat.transitions.v1', 'realtime.frames.v1', 'notices', 'hints', 'jobs'],
  fold: heartbeatFold(uuidv5)
})

export const budgetProcessor = byPartition({
  kind: 'byPartition',
  name: 'budget',
  reads: ['ingest.usage.v1'],
  keeps: 'a row per workspace: what the doors counted of its alerts, and the ceiling that an operator raised',
  emits: ['tenant.budgets.v1', 'feed'],
  fold: budgetFold
})

export const incidentProcessor = byKey({
  kind: 'byKey',
  name: 'incident',
  reads: ['monitor.transitions.v1', 'heartbeat.transitions.v1', 'alerts.inbound.v1'],
  keeps: 'a row per workspace and dedup key, which outlives its incidents; the api locks it too',
  emits: ['incident.events.v1', 'incident.state.v1', 'alert.events.v1', 'realtime.frames.v1', 'jobs'],
  fold: incidentFold(uuidv5)
})

export const processors = [statusProcessor, heartbeatProcessor, budgetProcessor, incidentProcessor] as const
export type Processor = (typeof processors)[number]
export type ProcessorName = Processor['name']
export const processorNames: readonly ProcessorName[] = processors.map(({ name }) => name)
