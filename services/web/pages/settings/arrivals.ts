/** Adds up the windows that the inbound doors counted, minute by minute over the last hour. */
import type { Usage } from '../../api/shapes.ts'

export interface Minute {
  /** Beginning, epoch ms. */
  at: number
  /** Alerts. */
  accepted: number
  /** Requests. */
  refused: number
}

export const MINUTE_MS = 60_000
const MINUTES = 60

/**
 * Returns sixty minutes up to the minute of `now`, oldest first. A window counts in the minute in
 * which it began.
 */
export function minutesOf(windows: Usage['ingest']['windows'], now: number): Minute[] {
  const first = (Math.floor(now / MINUTE_MS) - MINUTES + 1) * MINUTE_MS
  const minutes = Array.from({ length: MINUTES }, (_, index) => ({ at: first + index * MINUTE_MS, accepted: 0, refused: 0 }))
  for (const { from, accepted, refused } of windows) {
    const minute = minutes[Math.floor((Date.parse(from) - first) / MINUTE_MS)]
    if (!minute) continue
    minute.accepted += accepted
    minute.refused += refused
  }
  return minutes
}
