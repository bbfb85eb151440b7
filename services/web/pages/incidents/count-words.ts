/** How many incidents the list shows, in words. Pure. */
import { incidentListText } from '../../texts/incident-list.ts'
import type { ShownState } from './search.ts'

export interface Counted {
  status: ShownState | undefined
  /** A filter other than the state narrows the list. */
  narrowed: boolean
  /** Number of incidents in the filtered list, on all its pages. */
  total: number
}

/**
 * Returns null when no filter narrows the list and it shows ongoing incidents or is empty: then the
 * usual headline, with those that need someone, says more.
 */
export function countOf({ status, narrowed, total }: Counted): string | null {
  const of = (key: 'match' | 'resolved' | 'all'): string =>
    total === 1 ? incidentListText(`answer.${key}_one`) : incidentListText(`answer.${key}`, { count: total })
  if (narrowed) return of('match')
  if (total === 0) return null
  if (status === 'resolved') return of('resolved')
  return status === 'all' ? of('all') : null
}
