/**
 * Applies matching rules to an alert. Each rule sets what its actions name. A later rule overrides
 * an earlier one; labels are merged.
 *
 * An alert of a private team stays with that team, whatever the rules of other people say. Only a
 * rule that names the team in a condition can move it away, and only owners, admins and leads of
 * that team can manage such a rule.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { Severity, Visibility } from '../../schemas/generated/events.ts'
import { type GroupAction, MAX_COMPARED, type RuleActions, type StoredRule } from '../../schemas/http/routing-words.ts'
import { MAX_INCIDENT_LABELS } from '../../schemas/limits.ts'
import { byText } from '../../schemas/text-order.ts'
import { type Routable, seenIn } from './conditions.ts'
import type { PolicySource } from './policies.ts'

/** The maintenance window, with its version, that keeps an alert from becoming an incident. */
export interface Kept {
  window_id: string
  version: number
  /** The alert waits until then, epoch ms. */
  until: number
}

/** The outcome of routing for one alert. */
export interface Decision {
  routing_version: number
  /** Ids of the rules that matched, in the order in which they applied. */
  matched_rule_ids: string[]
  team_id: string | null
  visibility: Visibility
  escalation_policy_id: string | null
  policy_by: PolicySource
  /** Channels that a rule names; absent when the default channels are notified. */
  channel_ids?: string[]
  severity: Severity
  severity_by_rule: boolean
  priority: string | null
  /** Sorted by name when rules added labels; otherwise the alert's own object. */
  labels: Record<string, string>
  is_major: boolean
  promote: boolean
  /** Id of the rule. */
  suppressed_by: string | null
  /**
   * `key`: equal for alerts that belong together; the text to hash. `values`: '' for an absent
   * value.
   */
  group: { rule_id: string; values: string[]; key: string; window_seconds: number; max_alerts: number } | null
  auto_resolve_minutes: number | null
  notify_resolved: boolean
  /** Always 0, because no rule can delay yet. */
  delay_seconds: number
  /** Version of the tz database for time windows; absent when no enabled rule reads a time zone. */
  tzdb_version?: string
  /** Absent when no maintenance window keeps the alert. */
  maintenance?: Kept
}

/** Properties of a rule set besides its rules. */
export interface Surroundings {
  version: number
  private_team_ids: ReadonlySet<string>
}

type Grouping = { rule_id: string; action: GroupAction } | null

/** A decision that is still being made. */
export interface Draft {
  decision: Decision
  grouping: Grouping
}

export const begin = (version: number, alert: Routable): Draft => ({
  decision: {
    routing_version: version,
    matched_rule_ids: [],
    team_id: alert.team_id,
    visibility: alert.visibility,
    escalation_policy_id: alert.escalation_policy_id,
    policy_by: alert.escalation_policy_id === null ? null : 'signal',
    severity: alert.severity,
    severity_by_rule: false,
    priority: alert.priority,
    labels: alert.labels,
    is_major: false,
    promote: true,
    suppressed_by: null,
    group: null,
    auto_resolve_minutes: null,
    notify_resolved: true,
    delay_seconds: 0
  },
  grouping: null
})

/** The teams that a rule says it takes alerts from: values of `team_id` conditions in `all`. */
export function takesFrom({ match }: Pick<StoredRule, 'match'>): ReadonlySet<string> {
  const named = match.all.filter(({ field, op }) => field === 'team_id' && (op === 'eq' || op === 'in'))
  return new Set(named.flatMap(({ value }) => [value].flat()).filter((id) => typeof id === 'string'))
}

/**
 * Whether a rule that takes alerts from the teams in `from` may move this alert to another team.
 */
function mayMove({ team_id }: Decision, alert: Routable, from: ReadonlySet<string>, { private_team_ids }: Surroundings): boolean {
  if (team_id === null) return alert.visibility === 'org'
  return from.has(team_id) || (alert.visibility === 'org' && !private_team_ids.has(team_id))
}

/**
 * Applies a matching rule. Returns false when the alert stays with its private team despite the
 * rule's `team_id`; the rest of the rule still applies.
 */
export function apply(
  draft: Draft,
  alert: Routable,
  { id, actions, takes_from }: { id: string; actions: RuleActions; takes_from: ReadonlySet<string> },
  surroundings: Surroundings
): boolean {
  const { decision } = draft
  decision.matched_rule_ids.push(id)
  const { team_id, severity, labels_add, group } = actions
  let moved = true
  if (team_id !== undefined && team_id !== decision.team_id) {
    moved = mayMove(decision, alert, takes_from, surroundings)
    if (moved) decision.team_id = team_id
  }
  if (severity !== undefined) {
    decision.severity = severity
    decision.severity_by_rule = true
  }
  if (actions.escalation_policy_id !== undefined) {
    decision.escalation_policy_id = actions.escalation_policy_id
    decision.policy_by = 'rule'
  }
  if (actions.channel_ids !== undefined) decision.channel_ids = [...actions.channel_ids]
  if (actions.priority !== undefined) decision.priority = actions.priority
  if (labels_add !== undefined) decision.labels = withLabels(decision.labels, labels_add)
  if (actions.is_major !== undefined) decision.is_major = actions.is_major
  if (actions.promote !== undefined && actions.promote !== 'default') decision.promote = actions.promote === 'always'
  if (actions.suppress !== undefined) decision.suppressed_by = actions.suppress ? id : null
  if (group !== undefined) draft.grouping = group && { rule_id: id, action: group }
  if (actions.auto_resolve_minutes !== undefined) decision.auto_resolve_minutes = actions.auto_resolve_minutes
  if (actions.notify_resolved !== undefined) decision.notify_resolved = actions.notify_resolved
  return moved
}

/** Overwrites labels that the alert already has, and adds new ones while there is room. */
function withLabels(labels: Record<string, string>, added: Readonly<Record<string, string>>): Record<string, string> {
  const all = new Map(Object.entries(labels))
  for (const [name, value] of Object.entries(added)) if (all.has(name) || all.size < MAX_INCIDENT_LABELS) all.set(name, value)
  return Object.fromEntries([...all].sort(([left], [right]) => byText(left, right)))
}

/** Completes the decision when no further rule applies, and computes the group of the alert. */
export function end({ decision, grouping }: Draft, alert: Routable, at: number): Decision {
  if (grouping === null) return decision
  const { rule_id, action } = grouping
  const values = action.by.map((field) => (seenIn(field, 'UTC', alert, at) ?? '').slice(0, MAX_COMPARED))
  const key = JSON.stringify([rule_id, decision.team_id, decision.visibility, action.by, values])
  decision.group = { rule_id, values, key, window_seconds: action.window_seconds, max_alerts: action.max_alerts }
  return decision
}
