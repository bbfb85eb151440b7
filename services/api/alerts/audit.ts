/** Writes what people do to alerts into the audit log. */
import type { FastifyRequest } from 'fastify'
import type { AlertObeyed } from '../../store/alert-commands.ts'
import { insertAudit } from '../../store/audit.ts'
import type { Tx } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { auditEvents } from '../incidents/commands.ts'

/** Writes one audit entry for each event of the alert and of its incident. */
export async function audit(tx: Tx, request: FastifyRequest, { alert, events, incidentEvents }: AlertObeyed): Promise<void> {
  const { tenant_id, actor } = callerOf(request)
  for (const { change, ver } of events) {
    const diff: Record<string, [unknown, unknown]> = { ver: [ver - 1, ver] }
    await insertAudit(tx, tenant_id, actor, { action: `alert.${change}`, object_type: 'alert', object_id: alert.alert_id, diff })
  }
  await auditEvents(tx, request, incidentEvents)
}
