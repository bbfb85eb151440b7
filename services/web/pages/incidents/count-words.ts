/** How many incidents the list shows, in words. Pure. */
import { incidentListText } from '../../texts/incident-list.ts'
import type { ShownState } from './search.ts'

export interface Counted {
  status: ShownState | undefined
  /** Something other than the state narrows the list. */
  narrowed: boolean
  /** Of the list as it is shown, on all its pages. */
  total: number
}

/** Null: everything that is ongoing is shown, and what needs someone says more. */
export function countOf({ status, narrowed, total }: Counted): string | null {
  const of = (key: 'match' | 'resolved' | 'all'): string =>
    total === 1 ? incidentListText(`answer.${key}_one`) : incidentListText(`answer.${key}`, { count: total })
  if (narrowed) return of('match')
  if (total === 0) return null
  if (status === 'resolved') return of('resolved')
  return status === 'all' ? of('all') : null
}
