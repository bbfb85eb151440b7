/** Parses the address of the alert list and turns it into the query to the api. */
import type { AlertQuery, Severity } from '../../api/shapes.ts'
import { idOf, textOf, wordOf, wordsOf } from '../../search.ts'
import { severities } from '../incidents/search.ts'

/** Which alerts the list shows. Without a value it shows the ongoing ones. */
export const shownStates = ['resolved', 'all'] as const
export type ShownState = (typeof shownStates)[number]

export const sourceKinds = ['monitor', 'heartbeat', 'inbound'] as const
export type SourceKind = (typeof sourceKinds)[number]

export interface AlertsSearch {
  status?: ShownState | undefined
  severity?: Severity[] | undefined
  q?: string | undefined
  source?: SourceKind | undefined
  integration_id?: string | undefined
  monitor_id?: string | undefined
  heartbeat_id?: string | undefined
  team_id?: string | undefined
  /** Whether the alert belongs to an incident. */
  incident?: 'with' | 'without' | undefined
  /** Only alerts for which a routing rule says to notify nobody. */
  quiet?: 'yes' | undefined
}

export function alertsSearch(search: Record<string, unknown>): AlertsSearch {
  const severity = wordsOf(search.severity, severities)
  return {
    status: wordOf(search.status, shownStates),
    severity: severity.length > 0 ? severity : undefined,
    q: textOf(search.q)?.slice(0, 100),
    source: wordOf(search.source, sourceKinds),
    integration_id: idOf(search.integration_id),
    monitor_id: idOf(search.monitor_id),
    heartbeat_id: idOf(search.heartbeat_id),
    team_id: idOf(search.team_id),
    incident: wordOf(search.incident, ['with', 'without'] as const),
    quiet: wordOf(search.quiet, ['yes'] as const)
  }
}

export function toQuery(search: AlertsSearch): AlertQuery {
  const { status = 'ongoing', severity, q, source, integration_id, monitor_id, heartbeat_id, team_id, incident, quiet } = search
  return {
    ...(status !== 'all' && { status: [status] }),
    ...(severity && { severity }),
    // The api searches only for two characters or more.
    ...(q !== undefined && q.length >= 2 && { q }),
    ...(source && { source_kind: [source] }),
    ...(integration_id && { integration_id: [integration_id] }),
    ...(monitor_id && { monitor_id: [monitor_id] }),
    ...(heartbeat_id && { heartbeat_id: [heartbeat_id] }),
    ...(team_id && { team_id: [team_id] }),
    ...(incident && { promoted: incident === 'with' }),
    ...(quiet && { suppressed: true })
  }
}

/** True when a filter other than the state narrows the list. */
export const isNarrowed = ({ status: _status, ...filters }: AlertsSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined)
