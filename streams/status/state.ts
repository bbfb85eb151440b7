/**
 * What the status fold keeps: one row per monitor, and one per partition for its ticks. Stored as
 * JSON in `partition_state` (processor `status`), so every value survives a JSON round trip: no
 * undefined, no bigint, no Infinity.
 *
 *   key              state
 *   <monitor_id>     MonitorRow; has `tenant_id`, so people of that workspace can read it
 *   partition:<n>    PartitionRow; belongs to no workspace
 *
 * All times are epoch ms. *Tick time* is the partition's last tick that counted less all gaps
 * between its ticks (`lost_ms`): it stands still while we were away, and with it every freshness.
 * Before the first tick it is the record's append time. *Partition time* is that of a record, by
 * ../partition-time.ts.
 */
import type { CheckReason, MonitorConfig, MonitorPhase, MonitorState } from '../../schemas/generated/events.ts'
import type { TickRecord } from '../partition-time.ts'

/**
 * Latest judged results of one configured region. All but `region` and `last_seq` are forgotten
 * when a paused monitor goes on.
 */
export interface RegionRow {
  region: string
  /**
   * What it votes while it is fresh: `down` after its confirmed failures, `up` again after its
   * recovery; null before its first success or confirmed failure.
   */
  vote: 'up' | 'down' | null
  /** Its last judged result; null: none yet. */
  last: 'success' | 'degraded' | 'failure' | null
  /**
   * Results in a row that agree with the last one: failures, or successes (degraded ones included).
   * 0: none yet.
   */
  streak: number
  /** scheduled_at of the first result of that run. */
  run_at: number | null
  /** scheduled_at of the first failure behind a vote for down; null while it does not vote down. */
  down_from: number | null
  /** `failure_rate` alone made it vote down. Absent otherwise, as the two below. */
  by_rate?: true
  /** Tick time since which it votes down while the monitor is up (advisories.ts). */
  alone_at?: number
  /** That has lasted for `confirmation.advisory_after_seconds`. */
  advisory?: true
  /**
   * scheduled_at of the latest failures within the window of `confirmation.failure_rate`, oldest
   * first; empty where the rule is not set.
   */
  failures: number[]
  /** seq of its last judged result: what is not above it is late. */
  last_seq: number | null
  /** When a door received that result, in partition time where its own does not fit. */
  last_at: number | null
  /**
   * Tick time at which that result was judged: it is fresh for 2 intervals and a timeout from
   * there.
   */
  heard_at: number | null
  /**
   * True once that has passed, as seen by the last tick or judged result. A region never heard is
   * not stale, but not fresh either.
   */
  stale: boolean
  /** When what the region says (up, degraded or down) began. */
  since: number | null
  /** Why its last result failed or degraded. */
  reason: CheckReason | null
  /** Status of the protocol in its last result. */
  status_code: number | null
  /** Total time of its last result, milliseconds. */
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
  /** The control record folded with. */
  config: MonitorConfig
  status: 'up' | 'down' | 'paused'
  /** Detail behind the status; rules.ts has the table. */
  phase: Extract<MonitorPhase, 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'unconfirmed' | 'no_data' | 'paused'>
  /** When the status began. */
  since: number
  /** When the phase began. */
  phase_since: number
  /** Time of the last transition, or of the first configuration. */
  updated_at: number
  /** Grows by one with every transition; 0 before the first. */
  ver: number
  /** event_id of that transition: UUIDv5 of monitor_id and ver. */
  event_id: string
  /** Why that transition happened. */
  cause: MonitorState['cause']
  /** First failed evidence of the outage, by scheduled_at; null while not down. */
  started_at: number | null
  /** Changes of state are so frequent that notifications are held. */
  flapping: boolean
  /**
   * The last 21 rounds, the present one in bit 0: 1 where so many fresh regions failed that they
   * could have made it down. What flapping is measured on.
   */
  history: number
  /**
   * Regions with a judged result in the present round, bit by place in `regions`; the next result
   * of one of them begins another round.
   */
  round: number
  /** One for each configured region, in the order of the configuration. */
  regions: RegionRow[]
  /**
   * Tick time until which a lack of results is no news: a window after the first
   * configuration, another rhythm or a resume.
   */
  waiting_until: number
  /** Tick time from which a tick can change something; null: no tick can. */
  review_at: number | null
  /** Version of the configuration by which the whole vote was counted last. */
  judged_version: number
  /** When the last judged result was received. */
  last_checked_at: number | null
  /** Total time of that result, milliseconds. */
  last_response_time_ms: number | null
  last_failure: LastFailure | null
  /** End of validity of the certificate seen last. */
  certificate_not_after: number | null
  certificate_issuer: string | null
  certificate_chain_ok: boolean | null
}

/** Ticks of one partition. */
export interface PartitionRow extends TickRecord {
  partition: number
  /** The last tick that counted. */
  tick_at: number
  /** Append time of the result of which people were told last that it is skewed. */
  skewed_told_at?: number
  /** Sum of all gaps over 3 s between consecutive ticks: what tick time is behind. */
  lost_ms: number
}

export type StatusState = MonitorRow | PartitionRow

/** Key of a partition's own row. */
export const partitionKey = (partition: number): string => `partition:${partition}`

export const isMonitorRow = (state: StatusState | null | undefined): state is MonitorRow => !!state && 'monitor_id' in state
