/**
 * What the heartbeat fold keeps, as JSON in `partition_state`, processor `heartbeat`: one row per
 * heartbeat (key: its id), one per partition (key `partition:<n>`), and for a short while one per
 * heartbeat whose pings came before it was known (key `early:<id>`).
 *
 * The api reads the heartbeats' rows to show status, phase and deadlines; nobody but the fold
 * writes them. All instants are epoch ms, all values plain JSON: a row read back from the store
 * folds as the one in memory.
 */
import type { HeartbeatConfig, HeartbeatPhase, HeartbeatPing, HeartbeatReason, HeartbeatStatus } from '../../schemas/generated/events.ts'
import type { TickRecord } from '../partition-time.ts'

/** A run that was started and has not finished. */
export interface Run {
  /** Minted by the sender; null for a sender that names no runs, which has one open run at most. */
  run_id: string | null
  started_at: number
  /** By how much outages of ours moved the instant at which it has run too long, milliseconds. */
  shifted_ms: number
}

export interface HeartbeatRow {
  kind: 'heartbeat'
  /** Owning workspace: people of it may read the row. */
  tenant_id: string
  heartbeat_id: string
  /** The control record that it is folded with; `config.version` is the version. */
  config: HeartbeatConfig
  status: Exclude<HeartbeatStatus, 'unknown'>
  phase: HeartbeatPhase
  /** When the status began. */
  since: number
  /** Why it is missed; null while it is up. */
  reason: HeartbeatReason | null
  /** Of the last transition; 0 before the first. */
  ver: number
  /** Pings that counted, logs left out; orders the frames. */
  pings: number
  /**
   * When the newest ping that counted was received (here and below: `received_at`, or partition
   * time where that does not fit it); null before the first.
   */
  last_ping_at: number | null
  /**
   * Received_at of the newest success or failure: what the schedule goes on from; null before the
   * first.
   */
  last_finish_at: number | null
  /** Start of the newest open run; null without one. */
  started_at: number | null
  /** How long the last run that had a start took, seconds; null before the first. */
  last_run_seconds: number | null
  /** Open runs, oldest first. */
  runs: readonly Run[]
  /** The open slot: when the next ping is expected; null while waiting or paused. */
  expected_at: number | null
  /**
   * End of the open slot: expected_at + grace, a started run and outages of ours included. Its miss
   * is confirmed by a tick 8 s later.
   */
  deadline_at: number | null
  /** By how much outages of ours moved `deadline_at`, milliseconds. */
  shifted_ms: number
  /** By how much a started run moved it, milliseconds. */
  extended_ms: number
  /** Part of `shifted_ms` that gaps in the ticks caused. */
  tick_gap_ms: number
  /**
   * The deadline is not before this instant, because a door refused pings; null without such a gap.
   */
  door_gap_until: number | null
  /** The last slot that was judged, by a ping or a miss: none is judged twice. */
  last_slot: number | null
  /** The last miss or overrun while it is missed: a ping received by `deadline_at` undoes it. */
  last_miss: { expected_at: number; deadline_at: number } | null
  /** Slots missed in a row. */
  missed_count: number
  /** Reported failures in a row. */
  failures: number
  /** Good pings in a row while it is missed. */
  good: number
  /** Record time of the last frame; null before the first. */
  frame_at: number | null
  /** Pings came that no frame has told of, because one had gone out within the second. */
  frame_due: boolean
  /** The first instant at which a tick changes the row; null: none does. */
  next_at: number | null
}

export interface PartitionRow extends TickRecord {
  kind: 'partition'
  /** The last tick that counted. */
  last_tick: number
}

/** What is judged of a ping. */
export type PingReport = Pick<HeartbeatPing, 'kind' | 'exit_code' | 'run_id' | 'received_at'>

/** An outage of ours: no tick, or a door that refused pings. */
export interface Gap {
  input: 'tick_gap' | 'door_gap'
  from: number
  to: number
}

/** The record that something is owed to. */
export interface Origin {
  /** `topic:partition:offset` */
  src: string
  /** Null for a record without one, such as a tick. */
  event_id: string | null
}

/** `forget_at`: the ping counts for nothing once a tick of this instant has come. */
export type EarlyInput = Origin & ({ input: 'ping'; ping: PingReport; forget_at: number } | Gap)

/**
 * Pings of a heartbeat without a configuration, and the gaps behind the first of them. It has no
 * `tenant_id`: people do not read it.
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
