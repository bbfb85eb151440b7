/** Puts alerts into words. Pure. */
import type { Alert } from '../../api/shapes.ts'
import { alertsText } from '../../texts/alerts.ts'

/**
 * Returns the sentence above the list. `count` is the number of ongoing alerts read so far;
 * `hasMore` says that there are more.
 */
export function answerOf(count: number, hasMore: boolean): string {
  if (hasMore) return alertsText('answer.many', { count })
  if (count === 0) return alertsText('answer.none')
  return count === 1 ? alertsText('answer.one') : alertsText('answer.some', { count })
}

/** True when the alert opened its incident alone: then both have the same id. */
export const isItsIncident = ({ id, incident_id }: Pick<Alert, 'id' | 'incident_id'>): boolean => id === incident_id
