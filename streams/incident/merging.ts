/**
 * Merging: one incident (the target) takes over the alerts of another (the source). Pure; rules.ts
 * makes the versions.
 *
 * In       two incidents of one team and visibility, the alerts of the source
 * Out      a command for each of the two, and the rows that their alerts get
 * Source   docs/design/api/incidents.md#merging
 *
 *   source      target      both
 *   ongoing     ongoing     the source is resolved as `merged`; its alerts go on in the target
 *   resolved    either      its end stays as it was; its ended alerts move
 *   ongoing     resolved    refused INCIDENT_RESOLVED
 *   merged      any         refused CONFLICT; into the same target once more: nothing changes
 *   any         merged      refused CONFLICT
 *
 * An alert that was an incident by itself gets a row under the same id, and its signals go on
 * there. The target becomes an incident of several alerts. From then on the key that locks it is
 * the key of a group, because keys of signals are locked before keys of groups. The target keeps
 * its own group if it has one. Otherwise it takes over the group of the source, or gets a new group
 * that nothing else joins.
 *
 * An alert without an incident joins one by hand in the same way: nobody is notified, and the
 * acknowledgement stays.
 */
import type { Alert, Incident, Severity } from '../../schemas/generated/events.ts'
import { MAX_GROUP_ALERTS } from '../../schemas/limits.ts'
import { grown, type Members, noChange, rank } from './members.ts'

/** How an incident is named to people. */
export interface Named {
  incident_id: string
  number: number
}

/** The command for the source. */
export interface Merge {
  command: 'merge'
  by: string
  into: Named
}

/** The command for the target. */
export interface TakeOver {
  command: 'take_over'
  by: string
  from: Named
  /** How many alerts the target gets, and how many of them are ongoing. */
  alerts: number
  ongoing: number
  /** The severity of the source, if it was ongoing; null: no change. */
  severity: Severity | null
  affected_regions: string[]
  /** The new key of the target; null: it stays as it is. */
  dedup_key: string | null
  /**
   * Ends the flapping of the target, which has several alerts from now on; missing: no flapping to
   * end.
   */
  ends_flapping?: true
}

/** Why an alert without an incident cannot join one. */
export type JoinRefusal = MergeRefusal | { code: 'ALREADY_PROMOTED'; message: string }

export type MergeRefusal = { code: 'INCIDENT_RESOLVED' | 'CONFLICT'; message: string }

const named = ({ number }: Pick<Incident, 'number'>): string => `INC-${number}`

/** The source was merged into this target before. The same request again changes nothing. */
export const isMergedInto = (source: Incident, target: Incident): boolean => source.merged_into === target.incident_id

/** Returns why the source cannot be merged into the target, another incident; null: it can. */
export function mergeRefusal(source: Incident, target: Incident): MergeRefusal | null {
  const outage = [source, target].find(({ source_kind }) => source_kind === 'mass_outage')
  if (outage) return conflict(`${named(outage)} is a mass outage, which ends by itself when all of it is up`)
  if (source.merged_into !== null) return conflict(`${named(source)} is merged into another incident already`)
  if (target.merged_into !== null) return conflict(`${named(target)} is merged into another incident itself`)
  if (source.team_id !== target.team_id) return conflict(`${named(source)} and ${named(target)} belong to different teams`)
  if (source.visibility !== target.visibility) return conflict(`${named(source)} and ${named(target)} are not seen by the same people`)
  if (source.status === 'ongoing' && target.status !== 'ongoing')
    return { code: 'INCIDENT_RESOLVED', message: `${named(target)} is resolved: what is ongoing is merged into what is ongoing` }
  if (source.alert_count + target.alert_count > MAX_GROUP_ALERTS)
    return conflict(`${named(source)} and ${named(target)} have more than ${MAX_GROUP_ALERTS} alerts together`)
  return null
}

/** Returns why an alert cannot join an incident by hand; null: it can. */
export function joinRefusal(alert: Alert, target: Incident): JoinRefusal | null {
  if (alert.incident_id !== null) return { code: 'ALREADY_PROMOTED', message: 'The alert belongs to an incident' }
  if (alert.status === 'resolved') return { code: 'INCIDENT_RESOLVED', message: 'The alert is resolved' }
  if (target.source_kind === 'mass_outage') return conflict(`${named(target)} is a mass outage, which alerts do not join`)
  if (target.merged_into !== null) return conflict(`${named(target)} is merged into another incident`)
  if (target.status !== 'ongoing') return { code: 'INCIDENT_RESOLVED', message: `${named(target)} is resolved` }
  if (target.team_id !== alert.team_id) return conflict(`The alert and ${named(target)} belong to different teams`)
  if (target.visibility !== alert.visibility) return conflict(`The alert and ${named(target)} are not seen by the same people`)
  if (target.alert_count >= MAX_GROUP_ALERTS) return conflict(`${named(target)} has ${MAX_GROUP_ALERTS} alerts already`)
  return null
}

/**
 * Returns the change of an incident that an alert joins by hand. `group` is the key that locks the
 * incident from then on.
 */
export function joined(alert: Alert, target: Incident, by: string, group: string): Members {
  const dedup_key = `${group}/${target.incident_id}`
  const isWorse = rank[alert.severity] > rank[target.severity] && !target.routing?.severity_by_rule
  return {
    ...noChange(),
    joined: [alert.alert_id],
    severity: isWorse ? alert.severity : null,
    affected_regions: alert.affected_regions.filter((region) => !target.affected_regions.includes(region)),
    by,
    alert_id: alert.alert_id,
    ...(dedup_key !== target.dedup_key && { dedup_key })
  }
}

const conflict = (message: string): MergeRefusal => ({ code: 'CONFLICT', message })

/** Whether the incident has one alert, which is the incident itself. */
export const isOwnAlert = ({ ongoing_alerts, alert_count }: Incident): boolean => ongoing_alerts === null && alert_count > 0

const GROUP = 'grp:'

/** Returns the key of the group of a target after it took alerts over. */
export function groupKeyAfter(source: Incident, target: Incident, isNewestOfGroup: boolean): string {
  const [own = '', taken = ''] = [target, source].map(({ dedup_key }) => dedup_key.split('/', 1)[0])
  if (own.startsWith(GROUP)) return own
  return taken.startsWith(GROUP) && isNewestOfGroup ? taken : `${GROUP}${target.incident_id}`
}

/** Returns the commands for both incidents. `group` is the result of groupKeyAfter. */
export function mergeCommands(source: Incident, target: Incident, by: string, group: string): { merge: Merge; takeOver: TakeOver } {
  const { incident_id, number, affected_regions, alert_count: alerts } = source
  const isOngoing = source.status === 'ongoing'
  const ongoing = source.ongoing_alerts ?? (isOngoing ? alerts : 0)
  const dedup_key = `${group}/${target.incident_id}`
  return {
    merge: { command: 'merge', by, into: { incident_id: target.incident_id, number: target.number } },
    takeOver: {
      command: 'take_over',
      by,
      from: { incident_id, number },
      alerts,
      ongoing,
      severity: isOngoing ? source.severity : null,
      affected_regions,
      dedup_key: alerts === 0 || dedup_key === target.dedup_key ? null : dedup_key,
      ...(alerts > 0 && target.flapping && { ends_flapping: true as const })
    }
  }
}

/**
 * Returns the source after the merge. Its version and status stay as they are; its alerts now
 * belong to the target.
 */
export const mergedAway = (source: Incident, { into }: Merge): Incident => ({
  ...source,
  merged_into: into.incident_id,
  alert_count: 0,
  // A declared incident without alerts stays one without alerts.
  ongoing_alerts: source.alert_count === 0 ? source.ongoing_alerts : 0
})

/** Returns the target after the merge. Its version stays as it is. */
export function takenOver(target: Incident, takeOver: TakeOver): Incident {
  const { alerts, ongoing, severity, affected_regions, dedup_key, ends_flapping } = takeOver
  const isWorse = severity !== null && rank[severity] > rank[target.severity] && !target.routing?.severity_by_rule
  const own = target.ongoing_alerts ?? (target.status === 'ongoing' ? target.alert_count : 0)
  return {
    ...target,
    dedup_key: dedup_key ?? target.dedup_key,
    severity: isWorse ? severity : target.severity,
    affected_regions: grown(target.affected_regions, affected_regions),
    flapping: target.flapping && !ends_flapping,
    alert_count: target.alert_count + alerts,
    ongoing_alerts: alerts === 0 ? target.ongoing_alerts : own + ongoing
  }
}
