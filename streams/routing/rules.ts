/**
 * Routing: applies the rules of a workspace to an alert. The rules decide which team owns the
 * alert, how severe it is, whether anybody is notified, and which other alerts it is grouped with.
 *
 * In       a compiled version of the workspace's rules; an alert; the time of its record
 * Out      a Decision; for people who ask, also the reasons (`explain`)
 * Source   docs/design/api/alerts-and-routing.md#s6-3, docs/design/architecture.md#s6
 *
 * Rules are evaluated in order. A matching rule applies and ends the evaluation unless it says
 * `continue`. Conditions read the alert as it came, not as earlier rules changed it. A rule is
 * skipped when it is disabled, expired, outside its time window, in shadow mode, or not readable by
 * this version. Version 1 stands for no rules: the built-in behaviour, in which the signal's own
 * configuration decides.
 *
 * There is no clock, no random id and no time limit. The cost of a set is limited when it is saved
 * (budget.ts), and expressions take linear time.
 */
import { type Condition, type ConditionGroup, conditionGroups, type RuleMode, type StoredRule } from '../../schemas/http/routing-words.ts'
import { compileWindow, TZDB_VERSION, type Window } from './civil-time.ts'
import { compileCondition, type Routable, seenIn, type Test } from './conditions.ts'
import { type Candidates, type Indexed, indexOf } from './index-of-rules.ts'
import { apply, begin, type Decision, type Draft, end, type Surroundings, takesFrom } from './outcome.ts'

export type { Routable } from './conditions.ts'
export type { Decision } from './outcome.ts'

/**
 * Increases with every change of the meaning of stored rules. It is stored with each set and shown
 * in traces, so that a replay of an old event finds the meaning that decided it.
 */
export const ENGINE_VERSION = 1

/** The routing version that stands for no rules. */
export const ROUTING_VERSION = 1

interface CompiledCondition {
  group: ConditionGroup
  index: number
  condition: Condition
  test: Test
}

export interface CompiledRule {
  rule: StoredRule
  /** What `hour` is in. */
  zone: string
  window: Window | null
  all: readonly CompiledCondition[]
  any: readonly CompiledCondition[]
  none: readonly CompiledCondition[]
  takes_from: ReadonlySet<string>
  /** False when this version cannot read the rule; then it never matches. */
  readable: boolean
}

/** One version of a workspace's rules, compiled once and never changed. */
export interface RuleSet extends Surroundings {
  engine_version: number
  rules: readonly CompiledRule[]
  /** Index of the rules that may act. */
  index: Candidates
  /** An enabled rule, live or shadow, reads the local time of a zone. */
  reads_zones: boolean
}

/**
 * Compiles rules, given in order as stored. `private_team_ids`: teams that were private when the
 * version was made, deleted ones included. Never throws: a rule that cannot be read is skipped, and
 * traces show that.
 */
export function compile(version: number, rules: readonly StoredRule[], private_team_ids: readonly string[] = []): RuleSet {
  const compiled = rules.map(compileRule)
  const acting = ({ rule, readable }: CompiledRule): boolean => readable && rule.enabled && rule.mode === 'live'
  const indexed = compiled.map((one): Indexed => ({ acts: acting(one), all: one.rule.match.all }))
  return {
    version,
    engine_version: ENGINE_VERSION,
    rules: compiled,
    private_team_ids: new Set(private_team_ids),
    index: indexOf(indexed),
    reads_zones: compiled.some(({ rule, readable }) => readable && rule.enabled && readsZones(rule))
  }
}

function compileRule(rule: StoredRule): CompiledRule {
  const { match, time_window } = rule
  const zone = time_window?.time_zone ?? 'UTC'
  const window = time_window && compileWindow(time_window)
  let readable = time_window === null || window !== null
  const group = (name: ConditionGroup): CompiledCondition[] =>
    readable
      ? match[name].flatMap((condition, index) => {
          const test = compileCondition(condition, zone)
          if (test) return [{ group: name, index, condition, test }]
          readable = false
          return []
        })
      : []
  return { rule, zone, window, all: group('all'), any: group('any'), none: group('none'), takes_from: takesFrom(rule), readable }
}

/**
 * Whether a rule has a time window, or a condition on the hour in a zone. UTC alone needs no tz
 * database.
 */
const readsZones = ({ match, time_window }: StoredRule): boolean =>
  time_window !== null || conditionGroups.some((group) => match[group].some(({ op }) => op === 'in_window'))

/** The draft of an alert before any rule applies. */
function start(set: RuleSet, alert: Routable): Draft {
  const draft = begin(set.version, alert)
  if (set.reads_zones) draft.decision.tzdb_version = TZDB_VERSION
  return draft
}

/** Version 1: no rules, the built-in behaviour. */
export const builtIn: RuleSet = compile(ROUTING_VERSION, [])

/** The decision of version 1: the alert stays as it came. */
export const builtInDecision = (alert: Routable): Decision => begin(ROUTING_VERSION, alert).decision

const isExpired = ({ rule }: CompiledRule, at: number): boolean => rule.expires_at !== null && at >= rule.expires_at

function conditionsHold({ all, any, none }: CompiledRule, alert: Routable, at: number): boolean {
  for (const { test } of all) if (!test(alert, at)) return false
  for (const { test } of none) if (test(alert, at)) return false
  if (any.length === 0) return true
  for (const { test } of any) if (test(alert, at)) return true
  return false
}

const matches = (one: CompiledRule, alert: Routable, at: number): boolean =>
  !isExpired(one, at) && (one.window === null || one.window(at)) && conditionsHold(one, alert, at)

const applyRule = (draft: Draft, alert: Routable, { rule, takes_from }: CompiledRule, set: RuleSet): boolean =>
  apply(draft, alert, { id: rule.id, actions: rule.actions, takes_from }, set)

/**
 * Decides an alert. `at`: time of the record that brought it, epoch ms. Equal arguments give equal
 * decisions. Never throws.
 */
export function route(set: RuleSet, alert: Routable, at: number): Decision {
  const draft = start(set, alert)
  set.index.visit(alert, (position) => {
    const one = set.rules[position]
    if (!one || !matches(one, alert, at)) return true
    applyRule(draft, alert, one, set)
    return one.rule.continue
  })
  return end(draft, alert, at)
}

/** A condition because of which a rule did not match. */
export interface FailedCondition {
  group: ConditionGroup
  /** The index in its group. */
  index: number
  field: string
  op: string
  /** The alert's value of the field, at most MAX_SEEN characters; null when it has none. */
  seen: string | null
}

export type Passed = 'disabled' | 'expired' | 'outside_time_window' | 'after_stop' | 'unreadable'

/** The outcome of one rule. */
export interface TraceStep {
  rule_id: string
  name: string
  mode: RuleMode
  outcome: 'matched' | 'not_matched' | 'skipped'
  /** Why it was skipped. */
  reason: Passed | null
  /**
   * Why it did not match: the first condition of `all` that is false or of `none` that is true; or
   * all conditions of `any`.
   */
  conditions: FailedCondition[]
  /** The rule matched, but the alert stayed with its private team. */
  team_kept: boolean
}

export interface Explanation {
  engine_version: number
  decision: Decision
  /** Every rule, in order. */
  trace: TraceStep[]
  /** The decision if rules in shadow mode were live. */
  shadow: Decision
}

/** Most characters of a value that a trace shows. */
export const MAX_SEEN = 256

/** Decides like `route`, and explains why: it evaluates every rule in turn. Never throws. */
export function explain(set: RuleSet, alert: Routable, at: number): Explanation {
  const draft = start(set, alert)
  const trace: TraceStep[] = []
  let stopped = false
  for (const one of set.rules) {
    const step = explainRule(one, alert, at, stopped)
    trace.push(step)
    if (step.outcome !== 'matched' || one.rule.mode === 'shadow') continue
    step.team_kept = !applyRule(draft, alert, one, set)
    stopped = !one.rule.continue
  }
  return { engine_version: set.engine_version, decision: end(draft, alert, at), trace, shadow: shadowOf(set, alert, at) }
}

function shadowOf(set: RuleSet, alert: Routable, at: number): Decision {
  const draft = start(set, alert)
  for (const one of set.rules) {
    if (!one.readable || !one.rule.enabled || !matches(one, alert, at)) continue
    applyRule(draft, alert, one, set)
    if (!one.rule.continue) break
  }
  return end(draft, alert, at)
}

function passedOver(one: CompiledRule, at: number, stopped: boolean): Passed | null {
  if (!one.rule.enabled) return 'disabled'
  if (!one.readable) return 'unreadable'
  if (isExpired(one, at)) return 'expired'
  if (stopped) return 'after_stop'
  return one.window !== null && !one.window(at) ? 'outside_time_window' : null
}

function explainRule(one: CompiledRule, alert: Routable, at: number, stopped: boolean): TraceStep {
  const { id, name, mode } = one.rule
  const step: TraceStep = { rule_id: id, name, mode, outcome: 'skipped', reason: null, conditions: [], team_kept: false }
  step.reason = passedOver(one, at, stopped)
  if (step.reason !== null) return step
  step.conditions = failedOf(one, alert, at).map(({ group, index, condition: { field, op } }) => {
    const seen = seenIn(field, one.zone, alert, at)
    return { group, index, field, op, seen: seen === null ? null : seen.slice(0, MAX_SEEN) }
  })
  step.outcome = step.conditions.length === 0 ? 'matched' : 'not_matched'
  return step
}

function failedOf({ all, any, none }: CompiledRule, alert: Routable, at: number): readonly CompiledCondition[] {
  const failed = all.find(({ test }) => !test(alert, at)) ?? none.find(({ test }) => test(alert, at))
  if (failed) return [failed]
  return any.some(({ test }) => test(alert, at)) ? [] : any
}
