/**
 * An incident of several alerts: what joins it and what ends in it. Pure; rules.ts makes the
 * version of it, one for all that a batch of the log says of the incident.
 *
 *   an alert joins            alert_count and ongoing_alerts grow; nobody is told, an
 *                             acknowledgement stays
 *   an alert gets worse       severity is raised, unless a rule gave it
 *   an alert ends             ongoing_alerts falls; with the last one the incident is resolved
 * Source: docs/design/api/alerts-and-routing.md#groups.
 */
import type { Incident, Severity } from '../../schemas/generated/events.ts'
import { MAX_INCIDENT_REGIONS } from '../../schemas/limits.ts'
import type { Decision } from '../routing/rules.ts'

type Grouping = NonNullable<Decision['group']>

export const rank: Record<Severity, number> = { info: 0, warning: 1, critical: 2 }

/** `known`, or longer by those of `seen` that are new. */
export function grown(known: string[], seen: readonly string[]): string[] {
  const fresh = seen.filter((region) => !known.includes(region)).slice(0, Math.max(0, MAX_INCIDENT_REGIONS - known.length))
  return fresh.length === 0 ? known : [...known, ...fresh]
}

/** What happened to the alerts of an incident. */
export interface Members {
  members: 'changed'
  /** Ids of alerts. */
  joined: string[]
  ended: string[]
  /** The worst that was seen; null: nothing about it. */
  severity: Severity | null
  affected_regions: string[]
  /** Who ended the last one: actor as kind:id, null for a recovery. */
  by: string | null
  /** Of the incident, where the last one ended. */
  reason: string
  comment: string | null
  /** The alert that it is about, where it is one. */
  alert_id: string | null
  /** Its key from now on, where a person makes it an incident of several; missing: it is one. */
  dedup_key?: string
}

export const noChange = (): Members => ({
  members: 'changed',
  joined: [],
  ended: [],
  severity: null,
  affected_regions: [],
  by: null,
  reason: 'recovered',
  comment: null,
  alert_id: null
})

/** What one alert was alone, or nobody reported, as an incident of several with `more` alerts. */
const severalOf = (incident: Incident, dedup_key: string, more: number): Partial<Incident> => ({
  dedup_key,
  ongoing_alerts: (incident.ongoing_alerts ?? incident.alert_count) + more,
  flapping: false
})

/** The incident after it, but for its version and its status. */
export function membersChanged(incident: Incident, { joined, ended, severity, affected_regions, dedup_key }: Members): Incident {
  const isWorse = severity !== null && rank[severity] > rank[incident.severity] && !incident.routing?.severity_by_rule
  return {
    ...incident,
    alert_count: incident.alert_count + joined.length,
    ongoing_alerts: incident.ongoing_alerts === null ? null : incident.ongoing_alerts + joined.length - ended.length,
    ...(dedup_key !== undefined && severalOf(incident, dedup_key, joined.length)),
    severity: isWorse ? severity : incident.severity,
    affected_regions: grown(incident.affected_regions, affected_regions)
  }
}

/** Whether an incident of a group takes one more alert at `now` (epoch ms). */
export const takesMore = (
  incident: Incident | null,
  { team_id, visibility, group }: Pick<Decision, 'team_id' | 'visibility'> & { group: Grouping },
  now: number
): incident is Incident =>
  incident?.status === 'ongoing' &&
  incident.ongoing_alerts !== null &&
  incident.team_id === team_id && // A person may have given it to another team.
  incident.visibility === visibility &&
  now - incident.opened_at <= group.window_seconds * 1000 &&
  incident.alert_count < group.max_alerts
