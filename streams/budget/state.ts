/**
 * What the budget fold stores: one row per workspace (key: its id) and one per partition (key
 * `partition:<n>`), as JSON in `partition_state`, processor `budget`.
 *
 * The api reads a workspace's row for the usage view; only the fold writes it. All instants are
 * epoch ms, and all values are plain JSON.
 */

/**
 * What one door instance counted in one of its windows: the largest cumulative count that it sent.
 */
export interface Counter {
  instance: string
  /** Identifies the run of the instance's process: counts start at zero with each run. */
  boot: string
  /** Instant at which the window opened. */
  window: number
  /** Alerts admitted. */
  accepted: number
  /** Requests refused. */
  refused: number
  /** How many alerts the window admits. */
  limit: number
  /** Instant of the newest count. */
  at: number
}

/**
 * A period in which the workspace was refused repeatedly, without STREAK_MS between two refusals.
 */
export interface Limited {
  /** Instants of the first and the last count that reported a refusal. */
  since: number
  last_at: number
}

/** The raised ceiling, as the operator last set it. */
export interface Raised {
  version: number
  /** Alerts a minute. 0 means not raised: the limit of the plan applies. */
  ceiling: number
  at: number
  /** The control record: its event id, and its position on the log (`cause`). */
  event_id: string
  cause: string
}

export interface BudgetRow {
  kind: 'budget'
  /** People of this workspace may read the row. */
  tenant_id: string
  raised: Raised | null
  /** Counters of the hour before the newest one, sorted by window, instance and boot. */
  counters: readonly Counter[]
  limited: Limited | null
}

export interface PartitionRow {
  kind: 'partition'
  /** Record time of the last search for empty rows. */
  swept_at: number
}

export type BudgetState = BudgetRow | PartitionRow

/** Key of a partition's row. */
export const partitionKey = (partition: number): string => `partition:${partition}`
