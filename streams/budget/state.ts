/**
 * What the budget fold keeps: one row per workspace (key: its id) and one per partition (key
 * `partition:<n>`), as JSON in `partition_state`, processor `budget`.
 *
 * The api reads a workspace's row for the usage view; nobody but the fold writes it. All instants
 * are epoch ms, all values plain JSON.
 */

/**
 * What one door instance counted in one of its windows: the largest of the cumulative counts that
 * it told.
 */
export interface Counter {
  instance: string
  /** Of the instance's process: its counts start anew with it. */
  boot: string
  /** Instant at which the window opened. */
  window: number
  /** Alerts admitted. */
  accepted: number
  /** Requests refused. */
  refused: number
  /** Alerts that the window admits. */
  limit: number
  /** Instant of the newest count. */
  at: number
}

/** A time in which the workspace was refused again and again, without STREAK_MS of peace. */
export interface Limited {
  /** First and last count that told of a refusal. */
  since: number
  last_at: number
}

/** The raised ceiling, as the operator last set it. */
export interface Raised {
  version: number
  /** Alerts a minute; 0: not raised, the plan's figure counts. */
  ceiling: number
  at: number
  /** Of the control record: its event and where it stands on the log. */
  event_id: string
  cause: string
}

export interface BudgetRow {
  kind: 'budget'
  /** People of this workspace may read the row. */
  tenant_id: string
  raised: Raised | null
  /** Of the last hour before the newest of them, by window, instance and boot. */
  counters: readonly Counter[]
  limited: Limited | null
}

export interface PartitionRow {
  kind: 'partition'
  /** Record time at which rows without anything in them were last looked for. */
  swept_at: number
}

export type BudgetState = BudgetRow | PartitionRow

/** Key of a partition's row. */
export const partitionKey = (partition: number): string => `partition:${partition}`
