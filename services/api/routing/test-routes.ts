/**
 * Shows what the rules would make of an alert, with the saved rules or a draft. Nothing is stored,
 * counted or sent. Only rules that the caller sees are evaluated, so the answer reveals no other.
 * Source: docs/design/api/alerts-and-routing.md#rt-7.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Sample, TestRulesAnswer, TestRulesBody } from '../../../schemas/http/routing.ts'
import { compile, explain, type Routable } from '../../../streams/routing/rules.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { readRuleSet } from '../../store/routing.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'
import { chosenTeam } from '../teams/rules.ts'
import { checkDraft, draftOf } from './drafts.ts'
import { toOutcome } from './shapes.ts'
import { ruleSightOf } from './sight.ts'

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
