/**
 * Storms: so many incidents open in a workspace that a message for each would help nobody.
 *
 * In       what the workspace's counter row remembers, its threshold, the time of an opening
 * Out      the row after the opening, and the storm in which the opening falls, if any
 * Source   docs/design/api/alerts-and-routing.md#storms
 *
 * Openings of the last minute are counted by the times of their records, in steps of five seconds.
 * The first opening over the threshold begins a storm of one minute. The storm holds this opening
 * and every other one until it ends. Then all held incidents that are still ongoing are released
 * together (job storm_end). The next opening over the threshold begins the next storm. An opening
 * that is older than the minute, for example from a lagging partition, is neither counted nor held.
 */

/** The length of a storm, and of the span in which openings are counted. */
export const STORM_MS = 60_000
const STEP_MS = 5000
const STEPS = STORM_MS / STEP_MS

/** What a workspace remembers of its openings. */
export interface Openings {
  /** The newest step: epoch ms / STEP_MS. */
  step: number
  /** Openings by step, the newest step first; at most STEPS. */
  counts: readonly number[]
  /** Epoch ms: the end of the newest storm; null: there never was one. */
  storm_until: number | null
}

/** A workspace's openings, with its setting. */
export interface Traffic extends Openings {
  /** More openings than this in the span begin a storm. */
  threshold: number
  /**
   * Epoch ms: Postgres's time of the reading. No opening is later, whatever the clock of its record
   * says, so a clock that is ahead makes no storm longer. Missing: the records are trusted.
   */
  now?: number
}

/** The storm that holds an opening, with the numbers that decided it. Stored with the cause. */
export interface Storm {
  /** Epoch ms. */
  until: number
  /** Openings in the span, including this one. */
  count: number
  threshold: number
}

export const noOpenings: Openings = { step: 0, counts: [], storm_until: null }

/** Counts one more opening, by a record of the time `said` (epoch ms). Never throws. */
export function opening({ threshold, now, ...before }: Traffic, said: number): { after: Openings; storm: Storm | null } {
  const at = now === undefined ? said : Math.min(said, now)
  const own = Math.floor(at / STEP_MS)
  const step = Math.max(before.step, own)
  const back = step - own
  if (back >= STEPS) return { after: before, storm: null }
  const passed = step - before.step
  const counts = Array.from({ length: STEPS }, (_, nth) => (nth < passed ? 0 : (before.counts[nth - passed] ?? 0)))
  counts[back] = (counts[back] ?? 0) + 1
  const count = counts.slice(back).reduce((sum, some) => sum + some, 0)
  while (counts.at(-1) === 0) counts.pop()
  const isInside = before.storm_until !== null && at < before.storm_until
  const until = isInside ? before.storm_until : count > threshold ? at + STORM_MS : null
  const after = { step, counts, storm_until: until ?? before.storm_until }
  return { after, storm: until === null ? null : { until, count, threshold } }
}
