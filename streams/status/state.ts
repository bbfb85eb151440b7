/**
 * What the status fold stores: one row per monitor, and one per partition for its ticks. The rows
 * are JSON in `partition_state` (processor `status`), so every value must survive a JSON round
 * trip: no undefined, no bigint, no Infinity.
 *
 *   key              state
 *   <monitor_id>     MonitorRow; has `tenant_id`, so people of that workspace can read it
 *   partition:<n>    PartitionRow; belongs to no workspace
 *
 * All times are epoch ms. *Tick time* is the partition's last tick that counted, minus all gaps
 * between its ticks (`lost_ms`). It stands still during an outage of the service, so results do not
 * become stale then. Before the first tick, tick time is the record's append time. *Partition time*
 * is the time of one record; ../partition-time.ts defines it.
 */
import type { CheckReason, MonitorConfig, MonitorPhase, MonitorState } from '../../schemas/generated/events.ts'
import type { TickRecord } from '../partition-time.ts'

/**
 * State of one configured region from its judged results. When a paused monitor is resumed, all
 * fields but `region` and `last_seq` are cleared, unless its state is pushed.
 */
export interface RegionRow {
  region: string
  /**
   * Its vote, which counts while the region is fresh: `down` after confirmed failures, `up` again
   * after recovery. Null before the first success or confirmed failure.
   */
  vote: 'up' | 'down' | null
  /** Outcome of its last judged result; null before the first. */
  last: 'success' | 'degraded' | 'failure' | null
  /**
   * Number of consecutive results that agree with the last one: failures, or successes (which
   * include degraded results). 0 before the first result.
   */
  streak: number
  /** scheduled_at of the first result of that streak. */
  run_at: number | null
  /**
   * scheduled_at of the first failure that led to the vote for down; null while it does not vote
   * down.
   */
  down_from: number | null
  /**
   * True when only the `failure_rate` rule made it vote down. Otherwise absent, as are the next two
   * fields when they do not apply.
   */
  by_rate?: true
  /** Tick time since when it has voted down while the monitor is up (advisories.ts). */
  alone_at?: number
  /** True when this has lasted for `confirmation.advisory_after_seconds`. */
  advisory?: true
  /**
   * scheduled_at of the latest failures within the window of `confirmation.failure_rate`, oldest
   * first; empty when the rule is not set.
   */
  failures: number[]
  /** seq of its last judged result. A result whose seq is not higher is late. */
  last_seq: number | null
  /** When a door received that result; partition time when the door's own time is implausible. */
  last_at: number | null
  /**
   * Tick time at which that result was judged. The result is fresh for one window from then:
   * normally 2 intervals and a timeout (`windowOf`).
   */
  heard_at: number | null
  /**
   * True when that window has passed, as of the last tick or judged result. A region without any
   * result is neither stale nor fresh.
   */
  stale: boolean
  /** When the current verdict of the region (up, degraded or down) began. */
  since: number | null
  /** Why its last result was a failure or degraded. */
  reason: CheckReason | null
  /** Protocol status code of its last result. */
  status_code: number | null
  /** Total time of its last result, in milliseconds. */
  response_time_ms: number | null
}

export interface LastFailure {
  region: string
  reason: CheckReason | null
  message: string | null
  /** When the failed check was received. */
  at: number
  status_code: number | null
}

export interface MonitorRow {
  tenant_id: string
  monitor_id: string
  /** The configuration that is applied. */
  config: MonitorConfig
  status: 'up' | 'down' | 'paused'
  /** The detail of the status; rules.ts has the table. */
  phase: Extract<MonitorPhase, 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'unconfirmed' | 'no_data' | 'paused'>
  /** When the current status began. */
  since: number
  /** When the phase began. */
  phase_since: number
  /** Time of the last transition, or of the first configuration. */
  updated_at: number
  /** Increases by one with every transition; 0 before the first. */
  ver: number
  /** event_id of that transition: UUIDv5 of monitor_id and ver. */
  event_id: string
  /** The cause of that transition. */
  cause: MonitorState['cause']
  /** scheduled_at of the first failure of this outage; null while not down. */
  started_at: number | null
  /** The state changes so often that notifications are held. */
  flapping: boolean
  /**
   * The last 21 rounds, the current one in bit 0. A bit is 1 when so many fresh regions failed that
   * the monitor could have gone down. Flapping is measured on this.
   */
  history: number
  /**
   * Bit mask, by index in `regions`, of the regions with a judged result in the current round. The
   * next result of one of them begins a new round.
   */
  round: number
  /** One for each configured region, in the order of the configuration. */
  regions: RegionRow[]
  /**
   * Tick time until which missing results do not change the phase to `no_data`: one window after
   * the first configuration, a change of regions or interval, or a resume.
   */
  waiting_until: number
  /** Tick time from which a tick can change the row; null when no tick can. */
  review_at: number | null
  /** Version of the configuration that the last full count of votes used. */
  judged_version: number
  /** When the last judged result was received. */
  last_checked_at: number | null
  /** Total time of that result, in milliseconds. */
  last_response_time_ms: number | null
  last_failure: LastFailure | null
  /** End of validity of the last certificate seen. */
  certificate_not_after: number | null
  certificate_issuer: string | null
  certificate_chain_ok: boolean | null
}

/** State of one partition's ticks. */
export interface PartitionRow extends TickRecord {
  partition: number
  /** The last tick that counted. */
  tick_at: number
  /** Append time of the last skewed result that was reported to people. */
  skewed_told_at?: number
  /** Sum of all gaps over 3 s between consecutive ticks: how far tick time is behind the ticks. */
  lost_ms: number
}

export type StatusState = MonitorRow | PartitionRow

/** Key of a partition's own row. */
export const partitionKey = (partition: number): string => `partition:${partition}`

export const isMonitorRow = (state: StatusState | null | undefined): state is MonitorRow => !!state && 'monitor_id' in state
