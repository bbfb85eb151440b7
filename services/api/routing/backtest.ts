/**
 * Runs one back-test: it reads pages of decided alerts, the latest first, and evaluates the rules
 * on each again. Between pages it checks whether somebody ended it, and whether the person who
 * asked still sees what they saw. The cost of an alert is bounded by the budget of the rules, so
 * the number of alerts is bounded by it, too.
 * Source: docs/design/api/alerts-and-routing.md#rt-8.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Alert } from '../../../schemas/generated/events.ts'
import { type BacktestResult, MAX_BACKTEST_ALERTS, MAX_BACKTEST_SAMPLES } from '../../../schemas/http/backtests.ts'
import { iso } from '../../../schemas/http/common.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import type { Sight, Viewer } from '../../../schemas/http/visibility.ts'
import type { Signal } from '../../../streams/incident/rules.ts'
import { Backtest, type ChangedAlert, type Decided } from '../../../streams/routing/backtest.ts'
import { costOf } from '../../../streams/routing/budget.ts'
import { builtInDecision, type Decision, type RuleSet } from '../../../streams/routing/rules.ts'
import { type AlertPlace, listAlerts } from '../../store/alert-reads.ts'
import { advanceBacktest, type BacktestEnd, firstCausesOf } from '../../store/backtests.ts'
import { type Pool, type Tx, tenantTransaction } from '../../store/pool.ts'
import { readSight } from '../../store/teams.ts'
import { type SeesRule, seesRuleOf, withoutHiddenTeams } from './hidden.ts'
import { toOutcome } from './shapes.ts'

export interface BacktestPlan {
  backtest_id: string
  viewer: Viewer
  /** What the person saw when they asked for it. */
  sight: Sight
  set: RuleSet
  rules: readonly StoredRule[]
  routing_version: number
  /** Epoch ms; bounds of `started_at`. */
  from: number
  to: number
}

const PAGE = 200
/**
 * The most steps of all alerts together, as budget.ts counts them, plus some for each rule and
 * condition.
 */
const MAX_STEPS = 2_000_000_000
const STEPS_OF_A_RULE = 100
/** After this many steps, other work of this process gets a turn. */
const STEPS_AT_ONCE = 2_000_000

/** Returns the most steps that one alert may cost. */
function stepsOf(rules: readonly StoredRule[]): number {
  const { steps, conditions } = costOf(rules)
  return 1 + steps + STEPS_OF_A_RULE * (conditions + rules.length)
}

/**
 * The stored input of a first version: a signal, or a command with the signal for which it opened
 * the incident.
 */
type Stored = Signal | { signal: Signal }

const signalOf = (input: string | null): Signal | null => {
  const stored = JSON.parse(input ?? 'null') as Stored | null
  return stored === null ? null : 'signal' in stored ? stored.signal : stored
}

interface Page {
  decided: Decided<Alert>[]
  /** Number of alerts whose cause is not stored. */
  passed_over: number
  sees: SeesRule
  next: AlertPlace | null
}

async function readPage(tx: Tx, { viewer, from, to }: BacktestPlan, before: AlertPlace | null, limit: number): Promise<Page> {
  const { tenant_id } = viewer
  const found = await listAlerts(tx, tenant_id, { from, to }, { before, limit: limit + 1 })
  const alerts = found.slice(0, limit)
  const causes = await firstCausesOf(tx, tenant_id, alerts)
  const decided = alerts.flatMap((alert): Decided<Alert>[] => {
    const first = causes.get(alert.alert_id)
    const signal = first ? signalOf(first.cause.input) : null
    return first && signal ? [{ tag: alert, alert: signal, at: first.at, was: signal.decision ?? builtInDecision(signal) }] : []
  })
  const sees = await seesRuleOf(
    tx,
    tenant_id,
    decided.map(({ was: { routing_version, matched_rule_ids, suppressed_by, group } }) => ({
      routing_version,
      rule_ids: [...matched_rule_ids, suppressed_by, group?.rule_id ?? null]
    }))
  )
  return { decided, passed_over: alerts.length - decided.length, sees, next: found.length > limit ? (alerts.at(-1) ?? null) : null }
}

type Shown = BacktestResult['samples'][number]

const toDecision = (decision: Decision, sees: (rule_id: string) => boolean): Shown['was'] => {
  const outcome = toOutcome(decision)
  const named = (id: string | null): string | null => (id !== null && sees(id) ? id : null)
  return {
    matched: decision.matched_rule_ids.filter(sees),
    outcome: {
      ...outcome,
      suppressed_by: named(outcome.suppressed_by),
      group: outcome.group && { ...outcome.group, rule_id: named(outcome.group.rule_id) }
    }
  }
}

const toSample = ({ tag, changes, was, would }: ChangedAlert<Alert>, sees: SeesRule): Shown => ({
  alert_id: tag.alert_id,
  incident_id: tag.incident_id,
  title: tag.title,
  started_at: iso(tag.started_at),
  changes,
  was: toDecision(was, (id) => sees(was.routing_version, id)),
  would: toDecision(would, () => true)
})

/** Returns the result; null: somebody ended it meanwhile. Throws what the store throws. */
export async function runBacktest(pool: Pool, plan: BacktestPlan, signal: AbortSignal): Promise<BacktestEnd | null> {
  const { backtest_id, viewer, set, rules, routing_version } = plan
  const tally = new Backtest<Alert>(set, MAX_BACKTEST_SAMPLES)
  const samples: Shown[] = []
  const steps = stepsOf(rules)
  const most = Math.max(1, Math.min(MAX_BACKTEST_ALERTS, Math.floor(MAX_STEPS / steps)))
  const atOnce = Math.max(1, Math.floor(STEPS_AT_ONCE / steps))
  const known = JSON.stringify(plan.sight)
  let passed_over = 0
  let before: AlertPlace | null = null
  for (;;) {
    const seen = tally.looked_at + passed_over
    const page = await tenantTransaction(pool, viewer, async (tx) => {
      if (JSON.stringify(await readSight(tx)) !== known) return 'sight' as const
      if (signal.aborted || !(await advanceBacktest(tx, viewer.tenant_id, backtest_id, seen))) return null
      return readPage(tx, plan, before, Math.min(PAGE, most - seen))
    })
    if (page === 'sight') return { state: 'failed', failure: 'What you see has changed meanwhile: start it again' }
    if (page === null) return null
    for (const [at, one] of page.decided.entries()) {
      tally.add(one)
      if (at % atOnce === atOnce - 1) await breathe()
    }
    for (const sample of tally.samples.splice(0))
      if (samples.length < MAX_BACKTEST_SAMPLES) samples.push(withoutHiddenTeams(toSample(sample, page.sees), plan.sight))
    passed_over += page.passed_over
    before = page.next
    if (before !== null && tally.looked_at + passed_over < most) continue
    const { changed, by_default, changes, looked_at } = tally
    const complete = before === null
    const { engine_version } = set
    const result = {
      routing_version,
      engine_version,
      complete,
      passed_over,
      changed,
      by_default,
      changes,
      rules: rulesOf(rules, tally),
      samples
    }
    return { state: 'done', looked_at, result }
  }
}

const rulesOf = (rules: readonly StoredRule[], tally: Backtest<Alert>): BacktestResult['rules'] =>
  rules.map(({ id, name, mode }) => ({
    rule_id: id,
    name,
    mode,
    ...(tally.rules.get(id) ?? { matched: 0, not_matched: 0, skipped: 0 })
  }))
