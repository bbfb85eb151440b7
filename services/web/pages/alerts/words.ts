/** Alerts in words. Pure. */
import type { Alert } from '../../api/shapes.ts'
import { alertsText } from '../../texts/alerts.ts'

/** The list's question answered: `count` ongoing alerts have been read, and there may be more. */
export function answerOf(count: number, hasMore: boolean): string {
  if (hasMore) return alertsText('answer.many', { count })
  if (count === 0) return alertsText('answer.none')
  return count === 1 ? alertsText('answer.one') : alertsText('answer.some', { count })
}

/** The alert that alone opened an incident is that incident. */
export const isItsIncident = ({ id, incident_id }: Pick<Alert, 'id' | 'incident_id'>): boolean => id === incident_id
