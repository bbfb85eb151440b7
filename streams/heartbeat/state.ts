/**
 * What the heartbeat fold stores, as JSON in `partition_state`, processor `heartbeat`: one row per
 * heartbeat (key: its id), one per partition (key `partition:<n>`), and for a short time one per
 * heartbeat whose pings came before its configuration (key `early:<id>`).
 *
 * The api reads the heartbeats' rows to show status, phase and deadlines; only the fold writes
 * them. All instants are epoch ms and all values plain JSON, so a row read back from the store
 * gives the same results as the one in memory.
 */
import type { HeartbeatConfig, HeartbeatPhase, HeartbeatPing, HeartbeatReason, HeartbeatStatus } from '../../schemas/generated/events.ts'
import type { TickRecord } from '../partition-time.ts'

/** A run that has started and not finished. */
export interface Run {
  /** Chosen by the sender. Null for a sender that sends no run ids; it has at most one open run. */
  run_id: string | null
  started_at: number
  /** By how many milliseconds outages of the service moved the limit of this run. */
  shifted_ms: number
  /** A slot that waited for its end was missed (lost-runs.ts). Rows of older versions lack it. */
  missed?: true
}

export interface HeartbeatRow {
  kind: 'heartbeat'
  /** Owning workspace; its people may read the row. */
  tenant_id: string
  heartbeat_id: string
  /** The configuration that is applied; `config.version` is its version. */
  config: HeartbeatConfig
  status: Exclude<HeartbeatStatus, 'unknown'>
  phase: HeartbeatPhase
  /** When the current status began. */
  since: number
  /** Why the heartbeat is missed; null while it is up. */
  reason: HeartbeatReason | null
  /** Version of the last transition; 0 before the first. */
  ver: number
  /** Number of pings that counted, without logs; it orders the frames. */
  pings: number
  /**
   * When the newest ping that counted was received; null before the first. Here and below, this is
   * `received_at`, or partition time when `received_at` is implausible.
   */
  last_ping_at: number | null
  /**
   * received_at of the newest success or failure, from which the schedule continues; null before
   * the first.
   */
  last_finish_at: number | null
  /** Start of the newest open run; null when no run is open. */
  started_at: number | null
  /** Duration in seconds of the last finished run that had a start; null before the first. */
  last_run_seconds: number | null
  /** Open runs, oldest first. */
  runs: readonly Run[]
  /** When the next ping is expected (the open slot); null while waiting or paused. */
  expected_at: number | null
  /**
   * End of the open slot: expected_at + grace, extended by a started run and by outages of the
   * service. A tick 8 s later confirms the miss.
   */
  deadline_at: number | null
  /** By how many milliseconds outages of the service moved `deadline_at`. */
  shifted_ms: number
  /** By how many milliseconds a started run moved `deadline_at`. */
  extended_ms: number
  /** The milliseconds by which gaps in the ticks move the deadline. */
  tick_gap_ms: number
  /**
   * End of the last door gap that moved the deadline: the deadline is at least this instant +
   * grace. Null without such a gap.
   */
  door_gap_until: number | null
  /** The last slot that a ping or a miss has judged; no slot is judged twice. */
  last_slot: number | null
  /**
   * The last miss or overrun while the heartbeat is missed. A ping received by its `deadline_at`
   * undoes it.
   */
  last_miss: { expected_at: number; deadline_at: number } | null
  /** Consecutive missed slots. */
  missed_count: number
  /** Consecutive reported failures. */
  failures: number
  /** Consecutive good pings while the heartbeat is missed. */
  good: number
  /** Record time of the last frame; null before the first frame. */
  frame_at: number | null
  /** A frame is due for pings that came within a second of the last frame. */
  frame_due: boolean
  /** The first instant at which a tick changes the row; null when no tick does. */
  next_at: number | null
}

export interface PartitionRow extends TickRecord {
  kind: 'partition'
  /** The last tick that counted. */
  last_tick: number
}

/** The part of a ping that is judged. */
export type PingReport = Pick<HeartbeatPing, 'kind' | 'exit_code' | 'run_id' | 'received_at'>

/** An outage of the service: no tick came, or a door refused pings. */
export interface Gap {
  input: 'tick_gap' | 'door_gap'
  from: number
  to: number
}

/** The record that caused something. */
export interface Origin {
  /** `topic:partition:offset` */
  src: string
  /** Null for a record without one, such as a tick. */
  event_id: string | null
}

/** `forget_at`: a tick at this instant or later drops the ping. */
export type EarlyInput = Origin & ({ input: 'ping'; ping: PingReport; forget_at: number } | Gap)

/**
 * Pings of a heartbeat that has no configuration yet, and the gaps after the first of them. The row
 * has no `tenant_id`, so people cannot read it.
 */
export interface EarlyRow {
  kind: 'early'
  heartbeat_id: string
  /** In the order of the log. */
  inputs: readonly EarlyInput[]
  /** The instant at which a tick drops the row: the last `forget_at`. */
  next_at: number
}

export type HeartbeatState = HeartbeatRow | EarlyRow | PartitionRow

/** Key of a partition's row. */
export const partitionKey = (partition: number): string => `partition:${partition}`

/** Key of the early pings of a heartbeat. */
export const earlyKey = (heartbeat_id: string): string => `early:${heartbeat_id}`
