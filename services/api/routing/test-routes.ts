/**
 * What the rules would make of an alert, saved ones or a draft. Nothing is kept, counted or sent.
 * Only rules that the caller sees are asked, so the answer tells of no other.
 * Source: docs/design/api/alerts-and-routing.md#rt-7.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Sample, TestRulesAnswer, TestRulesBody } from '../../../schemas/http/routing.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { compile, explain, type Routable } from '../../../streams/routing/rules.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { existingOf, readRuleSet } from '../../store/routing.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { chosenTeam } from '../teams/rules.ts'
import { checkCosts, checkCount } from './change.ts'
import { changedSettings, toOutcome, unsetRule } from './shapes.ts'
import { ruleSightOf, teamsNamed } from './sight.ts'

const lower = (id: string | null | undefined): string | null => id?.toLowerCase() ?? null

const toRoutable = (tenant_id: string, team_id: string | null, sample: Sample): Routable => ({
  tenant_id,
  severity: sample.severity ?? 'warning',
  title: sample.title,
  summary: sample.description ?? null,
  source_kind: sample.source_kind ?? 'inbound',
  source_type: sample.source_type ?? null,
  integration_id: lower(sample.integration_id),
  monitor_id: lower(sample.monitor_id),
  heartbeat_id: lower(sample.heartbeat_id),
  region: sample.region ?? null,
  affected_regions: sample.affected_regions ?? [],
  priority: sample.priority ?? null,
  labels: sample.labels ?? {},
  links: [],
  team_id,
  visibility: sample.visibility ?? 'org',
  escalation_policy_id: null
})

/** The draft as if it were saved; one without an id has one of its place. */
function draftOf(caller: Caller, given: NonNullable<TestRulesBody['rules']>): StoredRule[] {
  checkCount(planOf(caller.plan), given.length)
  const rules: StoredRule[] = []
  const ids = new Set<string>()
  for (const [at, one] of given.entries()) {
    const settings = changedSettings(unsetRule, one, `rules[${at}].`)
    const id = one.id?.toLowerCase() ?? uuidv5(caller.tenant_id, `draft of a routing rule ${at}`)
    if (ids.has(id)) throw invalid(`rules[${at}].id`, 'mutually_exclusive', 'is there twice')
    ids.add(id)
    rules.push({ ...settings, id, ver: 0, created_at: 0, updated_at: 0 })
  }
  checkCosts(rules, new Map(rules.map((_, at) => [at, `rules[${at}].`])))
  return rules
}

/** Throws VALIDATION_FAILED for a team that the caller does not see, whether it exists or not. */
async function checkDraft(tx: Tx, { tenant_id }: Caller, rules: readonly StoredRule[]): Promise<void> {
  const named = rules.flatMap((rule, at) => teamsNamed(rule).map(([path, team_id]) => ({ path: `rules[${at}].${path}`, team_id })))
  if (named.length === 0) return
  const team_ids = [...new Set(named.map(({ team_id }) => team_id))]
  const there = await existingOf(tx, tenant_id, { monitor_id: [], heartbeat_id: [], integration_id: [], team_id: team_ids })
  const strange = named.find(({ team_id }) => !there.has(team_id))
  if (strange) throw invalid(strange.path, 'unknown_team', 'names no team of this workspace')
}

export const routingTestRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('testRoutingRules', { body: TestRulesBody, response: { 200: TestRulesAnswer } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { alert, at, rules } = request.body
        return tenantTransaction(pool, caller, async (tx) => {
          const sight = await ruleSightOf(tx, caller)
          const saved = await readRuleSet(tx, tenant_id)
          const draft = rules && draftOf(caller, rules)
          if (draft) await checkDraft(tx, caller, draft)
          const team_id = await chosenTeam(tx, caller, 'alert.team_id', alert.team_id ?? null)
          const set = compile(
            saved.version,
            draft ?? saved.rules.filter(sight.sees),
            draft ? sight.private_team_ids : saved.private_team_ids
          )
          const found = explain(set, toRoutable(tenant_id, team_id, alert), at === undefined ? Date.now() : Date.parse(at))
          return {
            routing_version: saved.version,
            engine_version: found.engine_version,
            matched: found.decision.matched_rule_ids,
            outcome: toOutcome(found.decision),
            would_notify: [],
            trace: found.trace,
            shadow: { matched: found.shadow.matched_rule_ids, outcome: toOutcome(found.shadow) }
          }
        })
      }
    })
  }
