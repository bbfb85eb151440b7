/** What the addresses of these pages hold, and the questions to the api that they stand for. */
import type { IncidentQuery, Severity } from '../../api/shapes.ts'
import { DAY_MS, ownZone, startOfDay } from '../../parts/clock.ts'
import { idOf, pageOf, textOf, wordOf, wordsOf } from '../../search.ts'

/** Which incidents are listed; without one, the ongoing. */
export const shownStates = ['triggered', 'acknowledged', 'silenced', 'resolved', 'all'] as const
export type ShownState = (typeof shownStates)[number]

export const severities: readonly Severity[] = ['critical', 'warning', 'info']

/** Kinds of source that have no list of their own to choose from; integrations are named by id. */
export const sourceKinds = ['monitor', 'heartbeat', 'manual'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** Order of the list; without one, the newest first. */
export const shownSorts = ['worst', 'oldest'] as const
export type ShownSort = (typeof shownSorts)[number]

export const NOBODY = 'nobody'

export interface IncidentsSearch {
  status?: ShownState | undefined
  severity?: Severity[] | undefined
  q?: string | undefined
  monitor_id?: string | undefined
  heartbeat_id?: string | undefined
  integration_id?: string | undefined
  team_id?: string | undefined
  mine?: boolean | undefined
  /** A person's id, or nobody. */
  assignee?: string | undefined
  source_kind?: SourceKind | undefined
  /** `name=value`. */
  label?: string | undefined
  sort?: ShownSort | undefined
  /** The dialog that declares one is open. */
  declare?: 'yes' | undefined
  tag?: string | undefined
  /** Days in the person's own zone, `2026-11-22`; both are part of the span. */
  from?: string | undefined
  to?: string | undefined
  page?: number | undefined
}

const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

/** Name and value of a label, as a filter takes them; undefined: it is no pair. */
export function labelOf(text: string | undefined): { name: string; value: string } | undefined {
  const [, name, value] = /^\s*([a-zA-Z_][a-zA-Z0-9_.-]{0,99})\s*=\s*(.*?)\s*$/.exec(text ?? '') ?? []
  return name === undefined || value === undefined || value === '' ? undefined : { name, value }
}

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
    mine: search.mine === 'true' || search.mine === true || undefined,
    assignee: search.assignee === NOBODY ? NOBODY : idOf(search.assignee),
    source_kind: wordOf(search.source_kind, sourceKinds),
    label: labelOf(textOf(search.label)) && textOf(search.label)?.slice(0, 400),
    sort: wordOf(search.sort, shownSorts),
    declare: wordOf(search.declare, ['yes'] as const),
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
  return new Date(startOfDay(ownZone(), Date.parse(day) / DAY_MS + plusDays)).toISOString()
}

export const PER_PAGE = 50

const sorts = { worst: '-severity', oldest: 'started_at' } as const

/** What the list is narrowed to beside its state; `label.<name>` is a parameter of its own name. */
export function filtersOf(search: IncidentsSearch): IncidentQuery {
  const { severity, q, monitor_id, heartbeat_id, integration_id, team_id, mine, assignee, source_kind, tag, from, to } = search
  const label = labelOf(search.label)
  return {
    ...(severity && { severity }),
    // The api looks for two characters or more.
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

/** The question without its page. */
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

/** The whole list, whatever the page, as a file of lines. */
export function addressOfExport(search: IncidentsSearch): string {
  const written = new URLSearchParams({ format: 'csv' })
  for (const [name, value] of Object.entries(questionOf(search))) written.set(name, [value].flat().join(','))
  return `/api/v1/incidents?${written}`
}

/** True where something other than the state narrows the list. */
export const isNarrowed = ({ status: _status, page: _page, sort: _sort, declare: _declare, ...filters }: IncidentsSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined)
