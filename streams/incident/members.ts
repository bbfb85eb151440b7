/**
 * An incident of several alerts: what happens when alerts join it, get worse or end. Pure; rules.ts
 * makes one version for everything that a batch of the log says about the incident.
 *
 *   an alert joins            alert_count and ongoing_alerts grow; nobody is notified, an
 *                             acknowledgement stays. One that no rule suppresses joins no incident
 *                             that a rule does: nobody would ever be notified of it
 *   an alert gets worse       severity is raised, unless a rule set it
 *   its monitor goes down     title and summary, if the incident still has those of the degraded
 *   an alert ends             ongoing_alerts falls; with the last one the incident is resolved
 *
 * Source: docs/design/api/alerts-and-routing.md#groups.
 */
import type { Incident, Severity } from '../../schemas/generated/events.ts'
import { MAX_GROUP_ALERTS, MAX_INCIDENT_REGIONS } from '../../schemas/limits.ts'
import type { Decision } from '../routing/rules.ts'
import { type Words, withWords } from './degraded.ts'

type Grouping = NonNullable<Decision['group']>

export const rank: Record<Severity, number> = { info: 0, warning: 1, critical: 2 }

/**
 * Returns `known` with the new regions of `seen` added, at most MAX_INCIDENT_REGIONS; the same list
 * if none is new.
 */
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
  /** The worst new severity; null: no change. */
  severity: Severity | null
  affected_regions: string[]
  /** Who ended the last alert: actor as kind:id, null for a recovery. */
  by: string | null
  /** The resolution reason of the incident, if its last alert ended. */
  reason: string
  comment: string | null
  /** The alert that the change is about, if it is exactly one. */
  alert_id: string | null
  /** The words of the alert that opened it, whose monitor was degraded and is down now. */
  words?: Words
  /**
   * The new key of the incident, if a person makes it an incident of several alerts; missing: it
   * already is one.
   */
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

/**
 * Turns an incident of one alert, or a declared one without alerts, into an incident of several,
 * with `more` more alerts.
 */
const severalOf = (incident: Incident, dedup_key: string, more: number): Partial<Incident> => ({
  dedup_key,
  ongoing_alerts: (incident.ongoing_alerts ?? incident.alert_count) + more,
  flapping: false
})

/** Returns the incident after the change. Its version and status stay as they are. */
export function membersChanged(incident: Incident, { joined, ended, severity, affected_regions, dedup_key, words }: Members): Incident {
  const isWorse = severity !== null && rank[severity] > rank[incident.severity] && !incident.routing?.severity_by_rule
  return {
    ...(words ? withWords(incident, words) : incident),
    alert_count: incident.alert_count + joined.length,
    ongoing_alerts: incident.ongoing_alerts === null ? null : incident.ongoing_alerts + joined.length - ended.length,
    ...(dedup_key !== undefined && severalOf(incident, dedup_key, joined.length)),
    severity: isWorse ? severity : incident.severity,
    affected_regions: grown(incident.affected_regions, affected_regions)
  }
}

/**
 * Whether an incident has the alerts of a group. One that was opened for an alert with a row of its
 * own has the key of that alert until another alert joins it by hand.
 */
export const isOfGroup = ({ ongoing_alerts, dedup_key }: Pick<Incident, 'ongoing_alerts' | 'dedup_key'>): boolean =>
  ongoing_alerts !== null && dedup_key.startsWith('grp:')

type Joining = Pick<Decision, 'team_id' | 'visibility' | 'suppressed_by'>

/** Whether an alert would be kept quiet by a rule that does not suppress it. */
const isQuieter = ({ routing }: Incident, { suppressed_by }: Joining): boolean =>
  suppressed_by === null && (routing?.suppressed_by_rule_id ?? null) !== null

/** Whether an incident takes an alert back that was moved to it, has recovered, and fires again. */
export const takesBack = (incident: Incident, decision: Joining): boolean =>
  incident.status === 'ongoing' &&
  isOfGroup(incident) &&
  !isQuieter(incident, decision) &&
  incident.team_id === decision.team_id &&
  incident.visibility === decision.visibility &&
  incident.alert_count < MAX_GROUP_ALERTS

/** Whether an incident of a group takes one more alert at `now` (epoch ms). */
export const takesMore = (
  incident: Incident | null,
  { group, ...joining }: Joining & { group: Grouping },
  now: number
): incident is Incident =>
  incident?.status === 'ongoing' &&
  incident.ongoing_alerts !== null &&
  !isQuieter(incident, joining) &&
  incident.team_id === joining.team_id && // A person may have moved it to another team.
  incident.visibility === joining.visibility &&
  now - incident.opened_at <= group.window_seconds * 1000 &&
  incident.alert_count < group.max_alerts
