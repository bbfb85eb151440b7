/**
 * The flow on one page: every processor, what it reads, where its state lives and what it emits. Role `processors` runs them, each in the loop of
 * runtime/run.ts; services/processors hands in the rows of services/store for those that keep state by key.
 *
 *   status      reads checks.results.v1 (results; as control records ticks and MonitorConfig)       keeps byPartition   emits monitor.transitions.v1, monitor.state.v1
 *   heartbeat   reads heartbeat.pings.v1 (pings; ticks, HeartbeatConfig, DoorGap)                   keeps byPartition   emits heartbeat.transitions.v1
 *   budget      reads ingest.usage.v1 (counters; BudgetConfig)                                      keeps byPartition   emits tenant.budgets.v1, notices of the feed
 *   incident    reads monitor.transitions.v1, heartbeat.transitions.v1, alerts.inbound.v1           keeps byKey         emits incident.events.v1, incident.state.v1,
 *                                                                                                                       realtime.frames.v1
 */
import { uuidv5 } from '../schemas/uuid.ts'
import { budgetFold } from './budget/fold.ts'
import type { BudgetState } from './budget/state.ts'
import type { KeyProcessor, PartitionProcessor } from './define.ts'
import { heartbeatFold } from './heartbeat/fold.ts'
import type { HeartbeatState } from './heartbeat/state.ts'
import { incidentFold, type Loaded, type Saved } from './incident/fold.ts'
import { statusFold } from './status/fold.ts'
import type { StatusState } from './status/state.ts'

/** One row per monitor: the vote of its regions. */
export const statusProcessor: PartitionProcessor<StatusState> = {
  kind: 'byPartition',
  name: 'status',
  reads: 'checks.results.v1',
  views: {
    // What a success of a healthy monitor is judged by.
    CheckResult: [
      'tenant_id',
      'monitor_id',
      'region',
      'seq',
      'received_at',
      'skewed',
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
}

/** One row per heartbeat: its deadline, moved by pings and judged by ticks. */
export const heartbeatProcessor: PartitionProcessor<HeartbeatState> = {
  kind: 'byPartition',
  name: 'heartbeat',
  reads: 'heartbeat.pings.v1',
  fold: heartbeatFold(uuidv5)
}

/** One row per workspace: what the doors counted of its alerts, and the ceiling that an operator raised. */
export const budgetProcessor: PartitionProcessor<BudgetState> = {
  kind: 'byPartition',
  name: 'budget',
  reads: 'ingest.usage.v1',
  fold: budgetFold
}

/** One row per (tenant, dedup key) in `signals`, outliving its incidents; the api locks it too. */
export const incidentProcessor: KeyProcessor<Loaded, Saved> = {
  kind: 'byKey',
  name: 'incident',
  reads: ['monitor.transitions.v1', 'heartbeat.transitions.v1', 'alerts.inbound.v1'],
  fold: incidentFold(uuidv5)
}

export const processorNames = ['status', 'heartbeat', 'budget', 'incident'] as const
export type ProcessorName = (typeof processorNames)[number]
