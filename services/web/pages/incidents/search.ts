/** What the addresses of these pages hold, and the questions to the api that they stand for. */
import type { IncidentQuery, Severity } from '../../api/shapes.ts'
import { idOf, pageOf, textOf, wordOf, wordsOf } from '../../search.ts'

/** Which incidents are listed; without one, the ongoing. */
export const shownStates = ['triggered', 'acknowledged', 'silenced', 'resolved', 'all'] as const
export type ShownState = (typeof shownStates)[number]

export const severities: readonly Severity[] = ['critical', 'warning', 'info']

export interface IncidentsSearch {
  status?: ShownState | undefined
  severity?: Severity[] | undefined
  q?: string | undefined
  monitor_id?: string | undefined
  heartbeat_id?: string | undefined
  integration_id?: string | undefined
  team_id?: string | undefined
  tag?: string | undefined
  /** Days in the person's own zone, `2026-11-22`; both are part of the span. */
  from?: string | undefined
  to?: string | undefined
  page?: number | undefined
}

const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

export function incidentsSearch(search: Record<string, unknown>): IncidentsSearch {
  const severity = wordsOf(search.severity, severities)
  return {
    status: wordOf(search.status, shownStates),
    severity: severity.length > 0 ? severity : undefined,
    q: textOf(search.q)?.slice(0, 100),
    monitor_id: idOf(search.monitor_id),
    heartbeat_id: idOf(search.heartbeat_id),
    integration_id: idOf(search.integration_id),
    team_id: idOf(search.team_id),
    tag: textOf(search.tag)?.slice(0, 64),
    from: dayOf(search.from),
    to: dayOf(search.to),
    page: pageOf(search.page)
  }
}

const states: Readonly<Record<ShownState | 'ongoing', Pick<IncidentQuery, 'status' | 'dashboard_state' | 'silenced'>>> = {
  ongoing: { status: ['ongoing'] },
  triggered: { dashboard_state: ['Triggered'], silenced: false },
  acknowledged: { dashboard_state: ['Acknowledged'] },
  silenced: { dashboard_state: ['Triggered'], silenced: true },
  resolved: { status: ['resolved'] },
  all: {}
}

/** Start of a day, or of the day after it, in the person's zone. */
function startOf(day: string, plusDays: 0 | 1): string {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + plusDays)
  return at.toISOString()
}

export const PER_PAGE = 50

export function toQuery(search: IncidentsSearch): IncidentQuery {
  const { status, severity, q, monitor_id, heartbeat_id, integration_id, team_id, tag, from, to, page } = search
  return {
    ...states[status ?? 'ongoing'],
    ...(severity && { severity }),
    // The api looks for two characters or more.
    ...(q !== undefined && q.length >= 2 && { q }),
    ...(monitor_id && { monitor_id: [monitor_id] }),
    ...(heartbeat_id && { heartbeat_id: [heartbeat_id] }),
    ...(integration_id && { integration_id: [integration_id] }),
    ...(team_id && { team_id: [team_id] }),
    ...(tag && { tag: [tag] }),
    ...(from && { from: startOf(from, 0) }),
    ...(to && { to: startOf(to, 1) }),
    ...(page && { page }),
    per_page: PER_PAGE
  }
}

/** True where something other than the state narrows the list. */
export const isNarrowed = ({ status: _status, page: _page, ...filters }: IncidentsSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined)
