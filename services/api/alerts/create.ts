/**
 * An alert by the api: read and normalised as the generic door does it, numbered, and put into the
 * outbox; the relay appends it, and the incident fold decides what becomes of it. It is the record
 * of a door in all but its number, by which the fold knows what the relay sends twice. The
 * integration that the record names is stored nowhere: its id follows from the workspace.
 * Source: docs/design/api/alerts-and-routing.md#al-8;
 * docs/decisions/0070-alerts-of-the-api-go-through-the-outbox.md.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { CreateAlertBody, CreatedAlert } from '../../../schemas/http/alerts.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { signalKey, toInboundAlert } from '../../intake/normalise.ts'
import { type SequencedEvent, type Source, Unparseable } from '../../intake/source.ts'
import { sources } from '../../intake/sources/index.ts'
import { listAlerts } from '../../store/alert-reads.ts'
import { takeReceipt } from '../../store/alert-receipts.ts'
import { type Actor, actorText, insertAudit } from '../../store/audit.ts'
import { insertOutgoing } from '../../store/outbox.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { refuse } from '../http/errors.ts'
import type { Services } from '../services.ts'

/** Read as the generic door reads, under a name of its own. */
const source: Source = { ...sources.generic, kind: 'api' }

/** The integration of a workspace's api; it has no row and no settings. */
export const apiIntegrationId = (tenant_id: string): string => uuidv5(tenant_id, 'integration of the api')

const integrationOf = ({ tenant_id, plan }: Pick<Caller, 'tenant_id' | 'plan'>) => ({
  tenant_id,
  integration_id: apiIntegrationId(tenant_id),
  severity_map: new Map(),
  labels_add: new Map(),
  dedup_template: null,
  default_severity: null,
  team_id: null,
  visibility: 'org' as const,
  plan
})

/** Throws VALIDATION_FAILED with what the door would refuse. */
export function eventOf(body: CreateAlertBody): SequencedEvent & Pick<CreatedAlert, 'action'> {
  try {
    const [event] = source.parse({ body, headers: {}, received_at: 0, options: {}, warn: () => undefined })
    if (!event || event.action === 'note' || event.action === 'update') throw new Error('an object is read as one alert')
    return { ...event, action: event.action }
  } catch (error) {
    if (error instanceof Unparseable) refuse(error.details)
    throw error
  }
}

/** The ongoing alert of the key, where the transaction sees it. */
export async function ongoingOf(tx: Tx, tenant_id: string, dedup_key: string): Promise<string | null> {
  const [alert] = await listAlerts(tx, tenant_id, { dedup_key: [dedup_key], status: ['ongoing'] }, { before: null, limit: 1 })
  return alert?.alert_id ?? null
}

export interface Sending {
  value: InboundAlert
  receipt: number
  /** What it is about, or opens; null: nothing that is known. */
  alert_id: string | null
}

/** Puts it into the outbox. */
export async function send(tx: Tx, { codec }: Pick<Services, 'codec'>, actor: Actor, { value, receipt, alert_id }: Sending): Promise<void> {
  const { tenant_id, event_id, dedup_key, action } = value
  const key = `${tenant_id}|${dedup_key}`
  const src = actorText(actor)
  const row = { tenant_id, aggregate: `alerts:${tenant_id}`, ver: receipt, topic: 'alerts.inbound.v1', key, event_id, src } as const
  await insertOutgoing(tx, [{ ...row, event_type: 'inbound_alert', body: 'record', record: 'InboundAlert', value }], codec)
  await insertAudit(tx, tenant_id, actor, {
    action: 'alert.sent',
    object_type: 'alert',
    object_id: alert_id ?? event_id,
    diff: { action: [null, action], dedup_key: [null, dedup_key] }
  })
}

export const createAlertRoute =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('createAlert', { body: CreateAlertBody, response: { 202: CreatedAlert } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const event = eventOf(request.body)
        const integration = integrationOf(caller)
        const created = await tenantTransaction(services.pool, caller, async (tx): Promise<CreatedAlert> => {
          const { dedup_key: source_dedup_key, action, reason } = event
          const dedup_key = signalKey(integration, source.kind, source_dedup_key)
          if (action === 'ignore') {
            const alert_id = await ongoingOf(tx, tenant_id, dedup_key)
            return { alert_id, dedup_key, source_dedup_key, action, status: 'ignored', reason }
          }
          const { receipt, at } = await takeReceipt(tx, tenant_id)
          const alert = toInboundAlert(event, { integration, source, received_at: at, escaped: true })
          const value: InboundAlert = { ...alert, sequence: receipt, sequence_kind: 'receipt' }
          // What it opens is named by its event.
          const opens = action === 'fire' ? uuidv5(alert.event_id, 'incident') : null
          const alert_id = (await ongoingOf(tx, tenant_id, dedup_key)) ?? opens
          await send(tx, services, actor, { value, receipt, alert_id })
          return { alert_id, dedup_key, source_dedup_key: alert.source_dedup_key, action, status: 'accepted', reason: null }
        })
        return reply.code(202).send(created)
      }
    })
  }
