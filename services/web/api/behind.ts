/**
 * The logs of checks and pings pass through analytics, so they are a few seconds behind the
 * monitor's or heartbeat's own state.
 */

/**
 * Entries still missing after this time are no longer waited for. The log then counts as faulty and
 * is read like any list.
 */
const PATIENCE_MS = 60_000

const isGivenUp = (last: string): boolean => Date.now() - Date.parse(last) >= PATIENCE_MS

/** Whether the newest page of a log, once read, may still lack the entry of the time `last`. */
export function isBehind(newest: { complete_until: string | null } | undefined, last: string | null): boolean {
  if (!newest || last === null || isGivenUp(last)) return false
  return newest.complete_until === null || newest.complete_until <= last
}

/**
 * Returns whether a log of changes may still miss the change at `last`. `newest` is the time of its
 * newest entry. The log does not say up to when it is complete. It ends 30 days ago, so an older
 * change is not in it at all.
 */
export const lacksChange = (newest: string | undefined, last: string | null): boolean =>
  last !== null && (newest ?? '') < last && !isGivenUp(last)
