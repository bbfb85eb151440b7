/**
 * Adds an alert without an incident to an ongoing incident that a person chooses. Both change in
 * one transaction together with their audit entries.
 * Source: docs/design/api/alerts-and-routing.md#al-6.
 */
import type { FastifyRequest } from 'fastify'
import type { Alert } from '../../../schemas/generated/events.ts'
import type { AlertDetail } from '../../../schemas/http/alerts.ts'
import { joinRefusal } from '../../../streams/incident/merging.ts'
import { joinIncident, lockJoin } from '../../store/alert-joins.ts'
import { readAlert } from '../../store/alert-reads.ts'
import { actorText } from '../../store/audit.ts'
import { commandContext } from '../../store/incident-commands.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { audit } from './audit.ts'

export const joinAlert = (
  { pool, codec }: Services,
  request: FastifyRequest,
  id: string,
  incident_id: string,
  shown: (tx: Tx, alert: Alert) => Promise<AlertDetail>
): Promise<AlertDetail> =>
  retrying(() =>
    keyedTransaction(pool, callerOf(request), async (tx) => {
      const { tenant_id, actor } = callerOf(request)
      const locked = await lockJoin(tx, tenant_id, id, incident_id)
      if ('missing' in locked) {
        if (locked.missing === 'target') throw invalid('incident_id', 'unknown_incident', 'is not an incident of this workspace')
        if (!(await readAlert(tx, tenant_id, id))) throw notFound()
        throw new ApiError('ALREADY_PROMOTED', 'The alert belongs to an incident')
      }
      const refusal = joinRefusal(locked.alert, locked.target)
      if (refusal) throw new ApiError(refusal.code, refusal.message)
      const by = actorText(actor)
      const context = commandContext(locked, { kind: 'command', src: by, request_id: request.id })
      await audit(tx, request, await joinIncident(tx, codec, locked, by, context))
      const after = await readAlert(tx, tenant_id, id)
      if (!after) throw notFound()
      return shown(tx, after)
    })
  )
