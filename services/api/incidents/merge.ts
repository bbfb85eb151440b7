/**
 * Merges one incident into another. Both change in one transaction together with their audit
 * entries.
 * Source: docs/design/api/incidents.md#in-13.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IncidentDetail, IncidentParams, MergeBody } from '../../../schemas/http/incidents.ts'
import { actorText } from '../../store/audit.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import { commandContext } from '../../store/incident-commands.ts'
import { lockMerge, mergeIncidents, refusalOf } from '../../store/incident-merges.ts'
import { readIncident } from '../../store/incident-reads.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { incidentAsSeen } from '../routing/hidden.ts'
import type { Services } from '../services.ts'
import { auditEvents } from './commands.ts'
import { toDetail } from './detail.ts'

export const incidentMergeRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('mergeIncident', { params: IncidentParams, body: MergeBody, response: { 200: IncidentDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const by = actorText(actor)
        const detail = await retrying(() =>
          keyedTransaction(pool, caller, async (tx) => {
            const locked = await lockMerge(tx, tenant_id, request.params.id, request.body.into_id)
            if ('same' in locked) throw invalid('into_id', 'same_incident', 'names the incident itself')
            if ('missing' in locked) {
              if (locked.missing === 'source') throw notFound()
              throw invalid('into_id', 'unknown_incident', 'is not an incident of this workspace')
            }
            const refusal = refusalOf(locked)
            if (refusal) throw new ApiError(refusal.code, refusal.message)
            const context = commandContext(locked, { kind: 'command', src: by, request_id: request.id })
            await auditEvents(tx, request, await mergeIncidents(tx, codec, locked, by, context))
            const after = await readIncident(tx, tenant_id, locked.target.incident_id)
            if (!after) throw notFound()
            const facts = await loadHoldFacts(tx, tenant_id, [after], locked.now)
            return incidentAsSeen(tx, tenant_id, toDetail(after, facts, locked.now))
          })
        )
        return reply.header('etag', `"${detail.version}"`).send(detail)
      }
    })
  }
