/** What the cache shows of an action on an incident, before and after the service has answered. */
import type { Query, QueryClient } from '@tanstack/react-query'
import { countsQuery, incidentQuery } from './lists.ts'
import type { Incident } from './shapes.ts'
import { silencedUntil } from './silenced.ts'

interface List {
  items: Incident[]
  total: number
}

/** Replaces the incident in every cached list and in its own cached page. */
function replace(queries: QueryClient, id: string, change: (before: Incident) => Partial<Incident>): void {
  const changed = <Before extends Incident>(before: Before): Before => (before.id === id ? { ...before, ...change(before) } : before)
  queries.setQueriesData<List>({ queryKey: ['incidents', 'list'] }, (list) => list && { ...list, items: list.items.map(changed) })
  queries.setQueryData(incidentQuery(id).queryKey, (before) => before && changed(before))
}

/**
 * Puts the incident into every cached list and its own cached page. A newer cached version stays.
 */
export const show = (queries: QueryClient, incident: Incident): void =>
  replace(queries, incident.id, (before) => (before.ver <= incident.ver ? incident : {}))

/** The queries that an acknowledgement changes before the service has answered. */
export const shownEarly = ({ queryKey: [resource, kind] }: Query): boolean =>
  resource === 'incidents' && (kind === 'list' || kind === 'counts' || kind === 'one')

/**
 * Shows the incident as acknowledged, and counts it so. Returns the function that takes this back
 * and nothing else: what was read or heard meanwhile stays. `now` is in epoch ms.
 */
export function showAcknowledged(queries: QueryClient, incident: Incident, by: string | null, now: number): () => void {
  const acknowledged_at = new Date(now).toISOString()
  show(queries, { ...incident, dashboard_state: 'Acknowledged', acknowledged_at, acknowledged_by: by })
  const counts = queries.getQueryData(countsQuery.queryKey)
  const from = silencedUntil(incident, now) === null ? 'needs_someone' : 'silenced'
  queries.setQueryData(
    countsQuery.queryKey,
    counts && { ...counts, [from]: Math.max(0, counts[from] - 1), acknowledged: counts.acknowledged + 1 }
  )
  const early = queries.getQueryData(countsQuery.queryKey)
  const { dashboard_state, acknowledged_at: at, acknowledged_by } = incident
  return () => {
    replace(queries, incident.id, (shown) =>
      shown.acknowledged_at === acknowledged_at && shown.acknowledged_by === by
        ? { dashboard_state, acknowledged_at: at, acknowledged_by }
        : {}
    )
    if (queries.getQueryData(countsQuery.queryKey) === early) queries.setQueryData(countsQuery.queryKey, counts)
  }
}
