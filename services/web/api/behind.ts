/**
 * The logs of checks and pings come by way of analytics, a few seconds behind what a monitor or
 * heartbeat says of itself.
 */

/**
 * What has not come by then is not waited for: the log counts as out of order and is read like any
 * list.
 */
const PATIENCE_MS = 60_000

/** Whether the newest page of a log, where it has been read, may still lack what came at `last`. */
export function isBehind(newest: { complete_until: string | null } | undefined, last: string | null): boolean {
  if (!newest || last === null || Date.now() - Date.parse(last) >= PATIENCE_MS) return false
  return newest.complete_until === null || newest.complete_until <= last
}
