/**
 * Turns the address of the incident list into queries to the api. Separate from search.ts, which is
 * part of the first load.
 */
import type { IncidentQuery } from '../../api/shapes.ts'
import { DAY_MS, ownZone } from '../../parts/clock.ts'
import { startOfDay } from '../../parts/zone-times.ts'
import { type IncidentsSearch, labelOf, NOBODY, type ShownState } from './search.ts'

const states: Readonly<Record<ShownState | 'ongoing', Pick<IncidentQuery, 'status' | 'dashboard_state' | 'silenced'>>> = {
  ongoing: { status: ['ongoing'] },
  triggered: { dashboard_state: ['Triggered'], silenced: false },
  acknowledged: { dashboard_state: ['Acknowledged'] },
  silenced: { dashboard_state: ['Triggered'], silenced: true },
  resolved: { status: ['resolved'] },
  all: {}
}

/** Returns the start of a day, or of the day after it, in the person's time zone. */
function startOf(day: string, plusDays: 0 | 1): string {
  return new Date(startOfDay(ownZone(), Date.parse(day) / DAY_MS + plusDays)).toISOString()
}

export const PER_PAGE = 50

const sorts = { worst: '-severity', oldest: 'started_at' } as const

/**
 * Returns the filters other than the state. The api has a parameter of its own for each label,
 * `label.<name>`.
 */
export function filtersOf(search: IncidentsSearch): IncidentQuery {
  const { severity, q, monitor_id, heartbeat_id, integration_id, team_id, mine, assignee, source_kind, tag, from, to } = search
  const label = labelOf(search.label)
  return {
    ...(severity && { severity }),
    // The api searches only for two characters or more.
    ...(q !== undefined && q.length >= 2 && { q }),
    ...(monitor_id && { monitor_id: [monitor_id] }),
    ...(heartbeat_id && { heartbeat_id: [heartbeat_id] }),
    ...(integration_id && { integration_id: [integration_id] }),
    ...(team_id && { team_id: [team_id] }),
    ...(mine && { mine }),
    ...(assignee === NOBODY ? { assigned: false } : assignee && { assignee_id: [assignee] }),
    ...(source_kind && { source_kind: [source_kind] }),
    ...(label && { [`label.${label.name}`]: label.value }),
    ...(tag && { tag: [tag] }),
    ...(from && { from: startOf(from, 0) }),
    ...(to && { to: startOf(to, 1) })
  }
}

/** Returns the query without the page number. */
export const questionOf = (search: IncidentsSearch): IncidentQuery => ({
  ...states[search.status ?? 'ongoing'],
  ...filtersOf(search),
  ...(search.sort && { sort: sorts[search.sort] })
})

export const toQuery = (search: IncidentsSearch): IncidentQuery => ({
  ...questionOf(search),
  ...(search.page && { page: search.page }),
  per_page: PER_PAGE
})

/**
 * Returns the last page, if the asked one lies behind it: the list has become shorter. null: the
 * asked page exists. `total` counts the incidents of all pages.
 */
export function lastPageInstead(page: number, total: number): number | null {
  const last = Math.max(1, Math.ceil(total / PER_PAGE))
  return page > last ? last : null
}

/** Returns the address that exports the whole list, not only the current page, as a CSV file. */
export function addressOfExport(search: IncidentsSearch): string {
  const written = new URLSearchParams({ format: 'csv' })
  for (const [name, value] of Object.entries(questionOf(search))) written.set(name, [value].flat().join(','))
  return `/api/v1/incidents?${written}`
}
