/**
 * A back-test: what a set of rules would have decided about past alerts.
 *
 * In       a version of the rules, or a draft; alerts as they came, each with its past decision
 * Out      how often each rule matched, how many alerts would be decided differently, and samples
 *          of these
 * Source   docs/design/api/alerts-and-routing.md#rt-8
 *
 * Pure: no clock, no random id. Every alert is decided separately. Later effects (an incident that
 * the alert would join, a storm) are not simulated.
 */
import { type RoutingChange, routingChanges } from '../../schemas/http/routing-words.ts'
import { byText } from '../../schemas/text-order.ts'
import type { Routable } from './conditions.ts'
import type { Decision } from './outcome.ts'
import { explain, type RuleSet } from './rules.ts'

const sortedLabels = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).sort(([left], [right]) => byText(left, right)))

/**
 * The part of a group that matters for a comparison: its values and limits, but not the rule that
 * made it.
 */
const groupText = ({ group }: Decision): string =>
  group === null ? '' : JSON.stringify([group.values, group.window_seconds, group.max_alerts])

const readers: Readonly<Record<RoutingChange, (decision: Decision) => unknown>> = {
  team: ({ team_id }) => team_id,
  promote: ({ promote }) => promote,
  suppress: ({ suppressed_by }) => suppressed_by !== null,
  severity: ({ severity }) => severity,
  group: groupText,
  priority: ({ priority }) => priority,
  major: ({ is_major }) => is_major,
  labels: ({ labels }) => sortedLabels(labels),
  auto_resolve: ({ auto_resolve_minutes }) => auto_resolve_minutes,
  notify_resolved: ({ notify_resolved }) => notify_resolved
}

/**
 * What the rules had decided about an alert. A maintenance window keeps only alerts of which rules
 * made an incident.
 */
const byRules = (was: Decision): Decision => (was.maintenance ? { ...was, promote: true } : was)

/**
 * The aspects in which two decisions about one alert differ. Into which group rules had put an
 * alert that a maintenance window kept is not stored, so its group is not compared.
 */
export const changesBetween = (was: Decision, would: Decision): RoutingChange[] =>
  routingChanges.filter((change) => readers[change](byRules(was)) !== readers[change](would) && !(change === 'group' && was.maintenance))

/** One alert as it came. */
export interface Decided<Tag> {
  /** Identifies the alert for the caller. */
  tag: Tag
  alert: Routable
  /** Time of the record that brought the alert, epoch ms. */
  at: number
  was: Decision
}

export interface ChangedAlert<Tag> {
  tag: Tag
  changes: RoutingChange[]
  was: Decision
  would: Decision
}

export interface RuleTally {
  matched: number
  /** The rule was evaluated, but a condition or its time window did not match. */
  not_matched: number
  /** The rule was not evaluated: disabled, expired, or an earlier rule ended the evaluation. */
  skipped: number
}

export class Backtest<Tag> {
  readonly #set: RuleSet
  readonly #most: number
  readonly #rules: Map<string, RuleTally>
  readonly #changes = new Map<RoutingChange, number>()
  readonly samples: ChangedAlert<Tag>[] = []
  looked_at = 0
  changed = 0
  /** No rule matched. */
  by_default = 0

  /**
   * `most`: how many of the alerts that would change are kept as samples; the first ones are kept.
   */
  constructor(set: RuleSet, most: number) {
    this.#set = set
    this.#most = most
    this.#rules = new Map(set.rules.map(({ rule }) => [rule.id, { matched: 0, not_matched: 0, skipped: 0 }]))
  }

  /** The tally of each rule, in the order of the set. */
  get rules(): ReadonlyMap<string, RuleTally> {
    return this.#rules
  }

  get changes(): Partial<Record<RoutingChange, number>> {
    return Object.fromEntries(routingChanges.flatMap((change) => (this.#changes.has(change) ? [[change, this.#changes.get(change)]] : [])))
  }

  add({ tag, alert, at, was }: Decided<Tag>): void {
    const { decision: would, trace } = explain(this.#set, alert, at)
    this.looked_at += 1
    for (const { rule_id, outcome } of trace) {
      const tally = this.#rules.get(rule_id)
      if (tally) tally[outcome] += 1
    }
    if (would.matched_rule_ids.length === 0) this.by_default += 1
    const changes = changesBetween(was, would)
    if (changes.length === 0) return
    this.changed += 1
    for (const change of changes) this.#changes.set(change, (this.#changes.get(change) ?? 0) + 1)
    if (this.samples.length < this.#most) this.samples.push({ tag, changes, was: byRules(was), would })
  }
}
