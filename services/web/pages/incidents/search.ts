/** Parses the addresses of the incident pages. */
import type { Severity } from '../../api/shapes.ts'
import { idOf, pageOf, textOf, wordOf, wordsOf } from '../../search.ts'

/** Which incidents the list shows. Without a value it shows the ongoing ones. */
export const shownStates = ['triggered', 'acknowledged', 'silenced', 'resolved', 'all'] as const
export type ShownState = (typeof shownStates)[number]

export const severities: readonly Severity[] = ['critical', 'warning', 'info']

/** The kinds of source that can be chosen as a kind. An integration is chosen by its id instead. */
export const sourceKinds = ['monitor', 'heartbeat', 'manual'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** The order of the list. Without a value the newest come first. */
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
  /** A person's id, or `nobody`. */
  assignee?: string | undefined
  source_kind?: SourceKind | undefined
  /** `name=value`. */
  label?: string | undefined
  sort?: ShownSort | undefined
  /** Whether the dialog to declare an incident is open. */
  declare?: 'yes' | undefined
  tag?: string | undefined
  /** Days in the person's own time zone, `2026-11-22`. Both days belong to the span. */
  from?: string | undefined
  to?: string | undefined
  page?: number | undefined
}

const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

/**
 * Returns the name and value of a label for the filter. Undefined when the text is not a valid
 * pair.
 */
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

/** True when a filter other than the state narrows the list. */
export const isNarrowed = ({ status: _status, page: _page, sort: _sort, declare: _declare, ...filters }: IncidentsSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined)
