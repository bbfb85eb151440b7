/**
 * Hides rules that a caller does not see where answers name rules: the ids that decided about an
 * incident or an alert. A rule is judged as it was in the version that decided, by the teams of
 * this moment.
 * Source: docs/design/api/alerts-and-routing.md#s6-3-private.
 */
import type { AlertDetail } from '../../../schemas/http/alerts.ts'
import type { IncidentDetail } from '../../../schemas/http/incidents.ts'
import type { Sight } from '../../../schemas/http/visibility.ts'
import { actorNames } from '../../store/actor-names.ts'
import { seenAmong } from '../../store/alert-reads.ts'
import type { Tx } from '../../store/pool.ts'
import { rulesNamingNone } from '../../store/routing.ts'
import { readSight } from '../../store/teams.ts'

/** Whether the caller may be told about a rule of a version. */
export type SeesRule = (version: number, rule_id: string) => boolean

/** The version that decided about an incident or alert, and the ids of rules that it names. */
export interface NamedRules {
  routing_version: number
  rule_ids: readonly (string | null)[]
}

/** Rules of a version that no longer exists are not shown. */
export async function seesRuleOf(tx: Tx, tenant_id: string, named: readonly NamedRules[]): Promise<SeesRule> {
  const sight = await readSight(tx)
  if (sight === 'all' || sight.hidden.length === 0) return () => true
  const naming = named.filter(({ rule_ids }) => rule_ids.some((id) => id !== null))
  const versions = new Set(naming.map(({ routing_version }) => routing_version))
  const ids = new Set(naming.flatMap(({ rule_ids }) => rule_ids.filter((id) => id !== null)))
  const seen = await rulesNamingNone(tx, tenant_id, [...versions], [...ids], sight.hidden)
  return (version, rule_id) => seen.get(version)?.has(rule_id) === true
}

/** Returns a JSON value with null for each id of a team that the caller does not see. */
export function withoutHiddenTeams<T>(value: T, sight: Sight): T {
  if (sight === 'all' || sight.hidden.length === 0) return value
  const hidden = new Set<unknown>(sight.hidden)
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) => (hidden.has(one) ? null : one)) as T
}

/**
 * Returns incidents without the ids of rules that the caller does not see, and with the names of
 * the people who acted.
 */
export async function incidentsAsSeen(tx: Tx, tenant_id: string, details: readonly IncidentDetail[]): Promise<IncidentDetail[]> {
  const sees = await seesRuleOf(
    tx,
    tenant_id,
    details.map(({ routing_version, matched_rule_ids, suppressed_by_rule_id, held_by }) => ({
      routing_version,
      rule_ids: [...matched_rule_ids, suppressed_by_rule_id, ...held_by.flatMap(({ kind, id }) => (kind === 'rule' ? [id] : []))]
    }))
  )
  const actors = details.flatMap(({ acknowledged_by, resolved_by, silenced_by }) => [acknowledged_by, resolved_by, silenced_by])
  const names = await actorNames(tx, tenant_id, actors)
  const nameOf = (actor: string | null): string | null => (actor === null ? null : (names.get(actor) ?? null))
  return details.map((detail) => {
    const { routing_version, matched_rule_ids, suppressed_by_rule_id: by, held_by } = detail
    return {
      ...detail,
      acknowledged_by_name: nameOf(detail.acknowledged_by),
      resolved_by_name: nameOf(detail.resolved_by),
      silenced_by_name: nameOf(detail.silenced_by),
      matched_rule_ids: matched_rule_ids.filter((id) => sees(routing_version, id)),
      suppressed_by_rule_id: by !== null && sees(routing_version, by) ? by : null,
      held_by: held_by.filter(({ kind, id }) => kind !== 'rule' || sees(routing_version, id))
    }
  })
}

/**
 * Like incidentsAsSeen. `incident_id` and `reopened_from` are also shown only to people who see
 * what they name.
 */
export async function alertsAsSeen(tx: Tx, tenant_id: string, details: readonly AlertDetail[]): Promise<AlertDetail[]> {
  const sees = await seesRuleOf(
    tx,
    tenant_id,
    details.map(({ routing_version, matched_rule_ids, suppressed_by: by }) => ({
      routing_version,
      rule_ids: [...matched_rule_ids, by?.kind === 'rule' ? by.id : null]
    }))
  )
  const named = details.flatMap(({ id, incident_id, reopened_from }) =>
    [incident_id, reopened_from].filter((one): one is string => one !== null && one !== id)
  )
  const seen = await seenAmong(tx, tenant_id, [...new Set(named)])
  return details.map((detail) => {
    const { id, routing_version, matched_rule_ids, suppressed_by: by, incident_id, reopened_from } = detail
    return {
      ...detail,
      incident_id: incident_id !== null && (incident_id === id || seen.has(incident_id)) ? incident_id : null,
      reopened_from: reopened_from !== null && seen.has(reopened_from) ? reopened_from : null,
      matched_rule_ids: matched_rule_ids.filter((id) => sees(routing_version, id)),
      suppressed_by: by?.kind === 'rule' && !sees(routing_version, by.id) ? null : by
    }
  })
}

/** One of them. */
export async function incidentAsSeen(tx: Tx, tenant_id: string, detail: IncidentDetail): Promise<IncidentDetail> {
  const [seen = detail] = await incidentsAsSeen(tx, tenant_id, [detail])
  return seen
}

export async function alertAsSeen(tx: Tx, tenant_id: string, detail: AlertDetail): Promise<AlertDetail> {
  const [seen = detail] = await alertsAsSeen(tx, tenant_id, [detail])
  return seen
}
