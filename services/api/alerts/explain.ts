/**
 * Explains why an incident or alert opened as it did, from the stored cause of its first version
 * and the version of the rules that decided. Rules that the caller does not see are left out.
 * Source: docs/design/api/data.md#s17-2, docs/design/api/incidents.md#in-20.
 */
import { createHash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Cause } from '../../../schemas/generated/events.ts'
import { AlertParams } from '../../../schemas/http/alerts.ts'
import { iso } from '../../../schemas/http/common.ts'
import { Explanation } from '../../../schemas/http/explain.ts'
import { IncidentParams } from '../../../schemas/http/incidents.ts'
import { type Hold, holdsOf, holdsOfAlert } from '../../../streams/incident/holds.ts'
import type { Signal } from '../../../streams/incident/rules.ts'
import { changesBetween } from '../../../streams/routing/backtest.ts'
import { compile, type Decision, ENGINE_VERSION, explain, type RuleSet } from '../../../streams/routing/rules.ts'
import { readAlert } from '../../store/alert-reads.ts'
import { seenMonitors } from '../../store/dependencies.ts'
import { readEscalation } from '../../store/escalation.ts'
import { readFirstCause } from '../../store/first-causes.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { ruleSetAt } from '../../store/routing.ts'
import { readSight } from '../../store/teams.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { withoutHiddenTeams } from '../routing/hidden.ts'
import { toOutcome } from '../routing/shapes.ts'
import { ruleSightOf } from '../routing/sight.ts'
import type { Services } from '../services.ts'
import { type Step, stepsAsSeen } from './explain-sight.ts'

/** The first version of an incident or alert. */
interface First {
  at: number
  cause: Cause
  config_versions: Record<string, number>
}

/** The stored input: a signal, or a command with the signal for which it opened the incident. */
type Stored = Signal | { command: 'declare' | 'reopen' | 'promote'; by: string; signal: Signal; window?: { window_id: string } }

/** At most this many of the newest steps are shown. */
const MAX_STEPS_TOLD = 200

const SRC = /^([a-z0-9.]+):(\d+):(\d+)$/

const openings = {
  declare: { rule: 'declaration', verdict: 'It was declared.' },
  reopen: { rule: 'reopening', verdict: 'It still failed when the quiet after somebody’s resolve ended.' },
  promote: { rule: 'promotion_by_hand', verdict: 'Somebody opened an incident for an alert that rules had kept.' }
} as const

function openingOf(stored: Stored, { cause, config_versions }: First): Step {
  const config_refs = Object.entries(config_versions)
    .filter(([type]) => type !== 'routing')
    .map(([type, version]) => ({ type, id: null, version }))
  if ('command' in stored) {
    if (stored.window) {
      const verdict = 'A maintenance window had kept it, and it still failed when the window had settled.'
      return { rule: 'maintenance', inputs: [], config_refs, values: stored.window, verdict }
    }
    const { rule, verdict } = openings[stored.command]
    return { rule, inputs: [], config_refs, values: { by: stored.by }, verdict }
  }
  const [, topic = '', partition = '0', offset = '0'] = SRC.exec(cause.src) ?? []
  const { title, severity, source_kind, source_type, occurred_at, started_at } = stored
  return {
    rule: 'signal',
    inputs: topic === '' ? [] : [{ topic, partition: Number(partition), offset, summary: title }],
    config_refs,
    values: { severity, source_kind, source_type, occurred_at: iso(occurred_at), started_at: iso(started_at) },
    verdict: source_kind === 'mass_outage' ? 'Monitors went down together.' : `A signal of the ${source_kind} fired.`
  }
}

/**
 * What rules in shadow mode would have done. Only rules that the caller sees are evaluated: a
 * decision by other rules would reveal them.
 */
function shadowOf(signal: Signal, decision: Decision, set: RuleSet, at: number, seen: ReadonlySet<string>): Pick<Step, 'shadow'> {
  const rules = set.rules.map(({ rule }) => rule).filter(({ id }) => seen.has(id))
  if (!rules.some(({ mode, enabled }) => enabled && mode === 'shadow')) return {}
  const { shadow } = explain(compile(set.version, rules, [...set.private_team_ids]), signal, at)
  return { shadow: { matched: shadow.matched_rule_ids, changes: changesBetween(decision, shadow), outcome: toOutcome(shadow) } }
}

/**
 * The maintenance window that keeps the alert from becoming an incident, with the window's version
 * that decided.
 */
function keptOf({ decision }: Signal): Step[] {
  if (!decision?.maintenance) return []
  const { window_id, version, until } = decision.maintenance
  const config_refs = [{ type: 'maintenance_window', id: window_id, version }]
  const verdict = 'A maintenance window keeps it from becoming an incident.'
  return [{ rule: 'maintenance', inputs: [], config_refs, values: { window_id, until: iso(until) }, verdict }]
}

const dedupOf = ({ dedup_key, reopened_from, accepted_as }: Signal): Step => ({
  rule: 'dedup',
  inputs: [],
  config_refs: [],
  values: { dedup_key, accepted_as, reopened_from },
  verdict: reopened_from === null ? 'Nothing of its key was ongoing.' : 'Somebody had ended the one before while it still failed.'
})

const stateWords = { down: 'is down', maintenance: 'is in maintenance', validating: 'fails, and is not confirmed yet' } as const

/**
 * The monitor that it depends on, if that monitor's state made people wait when the incident
 * opened. A monitor that the caller does not see is left unnamed.
 */
function waitingOf({ waits }: Signal, sees: (monitor_id: string) => boolean): Step[] {
  if (!waits) return []
  const { monitor_id, state, wait_seconds, bound_at } = waits
  const parent = sees(monitor_id) ? monitor_id : null
  const values = { monitor_id: parent, state, wait_seconds, until: iso(bound_at) }
  const config_refs = [{ type: 'monitor', id: parent, version: waits.ver }]
  return [{ rule: 'dependency', inputs: [], config_refs, values, verdict: `People wait: what it depends on ${stateWords[state]}.` }]
}

/** The mass outage that it is part of. */
function bundledOf({ bundled_into: id }: Signal): Step[] {
  if (id === undefined) return []
  const verdict = 'It went down together with others: people are told of the mass outage.'
  return [{ rule: 'mass_outage', inputs: [], config_refs: [], values: { incident_id: id }, verdict }]
}

function routingOf(signal: Signal, set: RuleSet | null, at: number, seen: ReadonlySet<string>): Step[] {
  const { decision } = signal
  if (!decision) {
    const values = { team_id: signal.team_id, visibility: signal.visibility }
    const verdict = 'No rules of the workspace: what watches it, or its integration, names the team.'
    return [{ rule: 'routing', inputs: [], config_refs: [{ type: 'routing', id: null, version: 1 }], values, verdict }]
  }
  const { group, labels: _labels, suppressed_by, maintenance, ...values } = decision
  const matched_rule_ids = decision.matched_rule_ids.filter((id) => seen.has(id))
  const matched = matched_rule_ids.length
  const steps: Step[] = [
    {
      rule: 'routing',
      inputs: [],
      config_refs: [{ type: 'routing', id: null, version: decision.routing_version }],
      values: { ...values, matched_rule_ids, suppressed_by: suppressed_by !== null && seen.has(suppressed_by) ? suppressed_by : null },
      verdict: matched === 0 ? 'No rule matched.' : matched === 1 ? 'One rule matched.' : `${matched} rules matched.`,
      ...(set && { trace: explain(set, signal, at).trace.filter(({ rule_id }) => seen.has(rule_id)) }),
      ...(set && shadowOf(signal, decision, set, at, seen))
    }
  ]
  if (group) {
    const { key: _key, rule_id, ...equal } = group
    const of = { ...equal, rule_id: seen.has(rule_id) ? rule_id : null }
    const verdict = signal.opens_group ? 'It is the first of its group.' : 'It joined the incident of its group.'
    steps.push({ rule: 'grouping', inputs: [], config_refs: [], values: of, verdict })
  }
  if (maintenance) return [...steps, ...keptOf(signal)]
  const verdict = decision.promote ? 'It becomes part of an incident.' : 'A rule keeps it from becoming an incident.'
  steps.push({ rule: 'promotion', inputs: [], config_refs: [], values: { promote: decision.promote }, verdict })
  return steps
}

/** What prevents notifications now. Rules that the caller does not see are left out. */
const suppressionsOf = (held: readonly Hold[], silenced_by: string | null, seen: ReadonlySet<string>): Explanation['suppressions'] =>
  held
    .filter(({ kind, id }) => kind !== 'rule' || seen.has(id))
    .map(({ kind, id, until }) => ({
      kind,
      id: kind === 'silence' ? silenced_by : id,
      until: iso(until),
      effect: until === null ? 'Nobody is told.' : 'Nobody is told before it ends.'
    }))

/** The holds in force now, and who silenced the incident itself. */
interface Holding {
  held: readonly Hold[]
  silenced_by: string | null
}

const chosenBy = {
  rule: 'A routing rule names it.',
  signal: 'What watches it, or its integration, names it.',
  team: 'Its team names it.',
  workspace: 'It is the default of the workspace.'
} as const

/** Says which escalation policy applies, and why that one. */
function policyOf({ decision, escalation_policy_id }: Signal): Step {
  const id = decision ? decision.escalation_policy_id : escalation_policy_id
  const by = decision?.policy_by ?? (id === null ? null : 'signal')
  const verdict =
    id === null ? 'No escalation policy asks anybody.' : `An escalation policy asks people. ${by === null ? '' : chosenBy[by]}`
  return { rule: 'policy', inputs: [], config_refs: [], values: { escalation_policy_id: id, policy_by: by }, verdict: verdict.trim() }
}

const outcomes = {
  fired: 'asked',
  empty: 'had nobody to ask',
  skipped: 'was passed over: its condition did not hold',
  exhausted: 'was not reached: the policy had asked everybody'
} as const

/**
 * What the escalation runs of the incident did, step by step: whom each step asked, and whom it did
 * not ask and why.
 */
async function escalationOf(tx: Tx, tenant_id: string, incident_id: string): Promise<Step[]> {
  const { runs, steps } = await readEscalation(tx, tenant_id, incident_id, MAX_STEPS_TOLD)
  return runs.flatMap((run) => {
    const { policy_id, policy_version, state, hold_reason } = run
    const config_refs = [{ type: 'escalation_policy', id: policy_id, version: policy_version }]
    const values = { run: run.run, state, hold_reason, started_at: iso(run.started_at), next_at: iso(run.next_at) }
    // A policy that the caller does not see has no name here.
    const name = run.policy_name === '' ? 'A policy' : `The policy ${run.policy_name}`
    const held = state === 'held' ? ` It is held: ${hold_reason ?? 'unknown'}.` : ''
    const begin: Step = { rule: 'escalation_run', inputs: [], config_refs, values, verdict: `${name} began.${held}` }
    const done = steps
      .filter((step) => step.run === run.run)
      .map(({ cycle, step, part, outcome, due_at, at, facts }): Step => {
        const told = { run: run.run, cycle, step, part, outcome, due_at: iso(due_at), at: iso(at), ...facts }
        const verdict = `Step ${step + 1} of round ${cycle + 1} ${outcomes[outcome]}.`
        return { rule: 'escalation_step', inputs: [], config_refs, values: told, verdict }
      })
    return [begin, ...done]
  })
}

/** What happened after the first version. */
interface Later {
  /** The incident whose escalation is shown; null: none is shown. */
  incident_id: string | null
}

async function explained(
  tx: Tx,
  caller: Caller,
  question: string,
  first: First,
  { held, silenced_by }: Holding,
  { incident_id }: Later
): Promise<Explanation> {
  const stored = JSON.parse(first.cause.input ?? 'null') as Stored | null
  if (stored === null) throw notFound()
  const signal = 'command' in stored ? stored.signal : stored
  const version = signal.decision?.routing_version ?? 1
  const sight = await ruleSightOf(tx, caller)
  const set = version === 1 ? null : await ruleSetAt(tx, caller.tenant_id, version)
  const seen = new Set((set?.rules ?? []).filter(({ rule }) => sight.sees(rule)).map(({ rule }) => rule.id))
  // A reopened incident keeps its former decision: no rule was evaluated at that time.
  const asked = 'command' in stored && stored.command === 'reopen' ? null : set
  const later = incident_id === null ? [] : await escalationOf(tx, caller.tenant_id, incident_id)
  const parents = signal.waits ? await seenMonitors(tx, caller.tenant_id, [signal.waits.monitor_id]) : new Set<string>()
  const waiting = waitingOf(signal, (id) => parents.has(id))
  const routed = routingOf(signal, asked, first.at, seen)
  const every = [openingOf(stored, first), dedupOf(signal), ...routed, policyOf(signal), ...waiting, ...bundledOf(signal), ...later]
  const teams = await readSight(tx)
  const all = await stepsAsSeen(tx, caller.tenant_id, every, teams)
  // The incident may have begun with a team that the caller does not see, and may since belong to a
  // team that they do see.
  const found = withoutHiddenTeams(all, teams)
  const steps = found.map((step, at) => ({ n: at + 1, ...step }))
  return {
    question,
    answer: found.map(({ verdict }) => verdict).join(' '),
    at: iso(first.at),
    steps,
    suppressions: suppressionsOf(held, silenced_by, seen),
    engine_version: set?.engine_version ?? ENGINE_VERSION,
    tzdb_version: signal.decision?.tzdb_version ?? null,
    trace_hash: createHash('sha256').update(JSON.stringify(steps)).digest('hex')
  }
}

export const explainRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('explainIncident', { params: IncidentParams, response: { 200: Explanation } }),
      handler: (request) => {
        const caller = callerOf(request)
        return tenantTransaction(pool, caller, async (tx) => {
          const incident = await readIncident(tx, caller.tenant_id, request.params.id)
          const first = incident && (await readFirstCause(tx, caller.tenant_id, 'incident', incident.incident_id))
          if (!incident || !first) throw notFound()
          const now = Date.now()
          const held = holdsOf(incident, await loadHoldFacts(tx, caller.tenant_id, [incident], now), now)
          const holding = { held, silenced_by: incident.silenced_by }
          return explained(tx, caller, `Why is INC-${incident.number} there?`, first, holding, { incident_id: incident.incident_id })
        })
      }
    })

    app.route({
      ...on('explainAlert', { params: AlertParams, response: { 200: Explanation } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { id } = request.params
        return tenantTransaction(pool, caller, async (tx) => {
          const alert = await readAlert(tx, caller.tenant_id, id)
          if (!alert) throw notFound()
          const own = await readFirstCause(tx, caller.tenant_id, 'alert', alert.alert_id)
          const first = own ?? (await readFirstCause(tx, caller.tenant_id, 'incident', alert.alert_id))
          if (!first) throw notFound()
          const now = Date.now()
          const held = holdsOfAlert(alert, await loadHoldFacts(tx, caller.tenant_id, [alert], now), now)
          return explained(tx, caller, 'Why is this alert there?', first, { held, silenced_by: null }, { incident_id: null })
        })
      }
    })
  }
