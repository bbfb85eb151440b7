/**
 * The logs of checks and pings pass through analytics, so they are a few seconds behind the
 * monitor's or heartbeat's own state.
 */

/**
 * Entries still missing after this time are no longer waited for. The log then counts as faulty and
 * is read like any list.
 */
const PATIENCE_MS = 60_000

/** Whether the newest page of a log, once read, may still lack the entry of the time `last`. */
export function isBehind(newest: { complete_until: string | null } | undefined, last: string | null): boolean {
  if (!newest || last === null || Date.now() - Date.parse(last) >= PATIENCE_MS) return false
  return newest.complete_until === null || newest.complete_until <= last
}
