/**
 * Asks people by hand, about an existing incident or about one that is declared for it.
 * Source: docs/design/api/incidents.md#in-12, docs/design/api/on-call.md#oc-24.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { EscalateAnswer, EscalateBody, PageAnswer, PageBody } from '../../../schemas/http/escalation.ts'
import type { PolicyTarget } from '../../../schemas/http/escalation-words.ts'
import { IncidentParams } from '../../../schemas/http/incidents.ts'
import { uuidv4, uuidv7 } from '../../../schemas/uuid.ts'
import type { Intent } from '../../../streams/define.ts'
import { fromDeclaration } from '../../../streams/incident/signals.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { currentCourse, escalateByHand } from '../../store/escalation-by-hand.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { commandContext, declareIncident, type LockedIncident, lockIncident } from '../../store/incident-commands.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid, notFound } from '../http/errors.ts'
import { auditEvents, refusalOf } from '../incidents/commands.ts'
import { toDetail } from '../incidents/detail.ts'
import { incidentAsSeen } from '../routing/hidden.ts'
import type { Services } from '../services.ts'
import { checkTargets } from './rules.ts'
import { toIntent } from './shapes.ts'

const target = (type: PolicyTarget['type'], id: string): PolicyTarget => ({ type, id: id.toLowerCase(), urgency: 'high' })

/** Checks that each target a person chose exists. Throws VALIDATION_FAILED. */
async function chosen(tx: Tx, caller: Caller, targets: readonly PolicyTarget[]): Promise<readonly PolicyTarget[]> {
  const step = { delay_seconds: 0, targets, strategy: 'all', only_if: null, on_empty: 'next' } as const
  await checkTargets(tx, caller, { steps: [step], team_id: null }, null)
  return targets
}

async function targetsOf(tx: Tx, caller: Caller, locked: LockedIncident, body: EscalateBody): Promise<readonly PolicyTarget[]> {
  const { step, user_ids = [], schedule_ids = [] } = body
  const named = [...user_ids.map((id) => target('user', id)), ...schedule_ids.map((id) => target('schedule', id))]
  if (step === undefined && named.length === 0) throw invalid('step', 'required', 'name a step of the policy, or user_ids or schedule_ids')
  if (step !== undefined && named.length > 0) throw invalid('step', 'mutually_exclusive', 'a step, or people and schedules, not both')
  if (step === undefined) return chosen(tx, caller, named)
  const found = (await currentCourse(tx, locked))?.course.policy.steps[step]
  if (!found) throw invalid('step', 'unknown_step', 'the incident has no policy with such a step')
  return found.targets.map((one) => ({ ...one, urgency: 'high' }))
}

interface Asked {
  targets: readonly PolicyTarget[]
  step: number | null
  message: string | null
}

/** Asks on a locked incident and writes the audit entry. Throws INCIDENT_RESOLVED. */
async function ask(
  tx: Tx,
  { codec }: Pick<Services, 'codec'>,
  request: FastifyRequest,
  locked: LockedIncident,
  asked: Asked
): Promise<Intent[]> {
  const { tenant_id, actor } = callerOf(request)
  const by = actorText(actor)
  const context = commandContext(locked, { kind: 'command', src: by, request_id: request.id })
  const done = await escalateByHand(tx, codec, locked, { ...asked, by }, context)
  if (done.refused) throw refusalOf(done.refused)
  const { incident_id: object_id, ver } = locked.incident
  await insertAudit(tx, tenant_id, actor, {
    action: 'incident.escalated',
    object_type: 'incident',
    object_id,
    diff: { ver: [ver, ver + 1] }
  })
  return done.intents
}

export const byHandRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, codec } = services

    app.route({
      ...on('escalateIncident', { params: IncidentParams, body: EscalateBody, response: { 202: EscalateAnswer } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { body, params } = request
        const intents = await retrying(() =>
          keyedTransaction(pool, caller, async (tx) => {
            const locked = await lockIncident(tx, caller.tenant_id, params.id, { alerts: false })
            if (!locked) throw notFound()
            const targets = await targetsOf(tx, caller, locked, body)
            return ask(tx, services, request, locked, { targets, step: body.step ?? null, message: body.message ?? null })
          })
        )
        return reply.code(202).send({ intents: intents.map(toIntent) })
      }
    })

    app.route({
      ...on('pageByHand', { body: PageBody, response: { 201: PageAnswer } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const { target: named, message, severity = 'critical' } = request.body
        const by = actorText(actor)
        const answer = await keyedTransaction(pool, caller, async (tx) => {
          const targets = await chosen(tx, caller, [target(named.type, named.id)])
          const key = { tenant_id, dedup_key: `man:${uuidv4()}` }
          const cause = { kind: 'command', src: by, request_id: request.id } as const
          const { incident, events, now } = await declareIncident(tx, codec, key, cause, (at) => ({
            command: 'declare',
            by,
            incident_id: uuidv7(),
            signal: fromDeclaration(
              key,
              { title: message, severity, summary: null, labels: {}, team_id: null, escalation_policy_id: null },
              at
            ),
            is_major: false,
            assignee_id: null
          }))
          await auditEvents(tx, request, events)
          const locked = await lockIncident(tx, tenant_id, incident.incident_id, { alerts: false })
          if (!locked) throw notFound()
          const intents = await ask(tx, services, request, locked, { targets, step: null, message })
          const after = await readIncident(tx, tenant_id, incident.incident_id)
          if (!after) throw notFound()
          const detail = toDetail(after, await loadHoldFacts(tx, tenant_id, [after], now), now)
          return { incident: await incidentAsSeen(tx, tenant_id, detail), intents: intents.map(toIntent) }
        })
        return reply.code(201).send(answer)
      }
    })
  }
