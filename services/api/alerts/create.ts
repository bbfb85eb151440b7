/**
 * Creates an alert through the API. The body is read and normalised as the generic door does it,
 * gets a number, and goes into the outbox. The relay appends it to the log, and the incident fold
 * decides what becomes of it. The record is the same as a door's record except for its number: by
 * that number the fold recognises a record that the relay sends twice. The integration that the
 * record names is not stored: its id is derived from the workspace's id.
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
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { refuse } from '../http/errors.ts'
import type { Services } from '../services.ts'

/** Reads bodies as the generic door does, but with its own source kind. */
const source: Source = { ...sources.generic, kind: 'api' }

/** The id of the integration of a workspace's API. It has no row and no settings. */
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

/**
 * Reads the body as one event. Throws VALIDATION_FAILED with the faults for which the door would
 * refuse it.
 */
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

/** Returns the id of the ongoing alert with this key, if the transaction sees one. */
export async function ongoingOf(tx: Tx, tenant_id: string, dedup_key: string): Promise<string | null> {
  const [alert] = await listAlerts(tx, tenant_id, { dedup_key: [dedup_key], status: ['ongoing'] }, { before: null, limit: 1 })
  return alert?.alert_id ?? null
}

export interface Sending {
  value: InboundAlert
  receipt: number
  /** The alert that the event is about, or opens; null: no known alert. */
  alert_id: string | null
}

/** Puts the record into the outbox and writes its audit entry. */
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
        const created = await keyedTransaction(services.pool, caller, async (tx): Promise<CreatedAlert> => {
          const { dedup_key: source_dedup_key, action, reason } = event
          const dedup_key = signalKey(integration, source.kind, source_dedup_key)
          if (action === 'ignore') {
            const alert_id = await ongoingOf(tx, tenant_id, dedup_key)
            return { alert_id, dedup_key, source_dedup_key, action, status: 'ignored', reason }
          }
          const { receipt, at } = await takeReceipt(tx, tenant_id)
          const alert = toInboundAlert(event, { integration, source, received_at: at, escaped: true })
          const value: InboundAlert = { ...alert, sequence: receipt, sequence_kind: 'receipt' }
          // The id of the alert that it opens is derived from the event's id.
          const opens = action === 'fire' ? uuidv5(alert.event_id, 'incident') : null
          const alert_id = (await ongoingOf(tx, tenant_id, dedup_key)) ?? opens
          await send(tx, services, actor, { value, receipt, alert_id })
          return { alert_id, dedup_key, source_dedup_key: alert.source_dedup_key, action, status: 'accepted', reason: null }
        })
        return reply.code(202).send(created)
      }
    })
  }
