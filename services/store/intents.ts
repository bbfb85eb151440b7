/**
 * Whom to tell what, and whom not: the one place that writes intents. In the transaction of the job
 * or command that decides; an intent that is there already is left as it is. A new one is told on
 * the log without any address: as the first version of its delivery, queued or suppressed.
 * Source: docs/design/api/decision-rules.md#s23-12, docs/design/architecture.md#s13-delivery.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Delivery } from '../../schemas/generated/events.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Intent, Outgoing } from '../../streams/define.ts'
import { insertOutgoing } from './outbox.ts'
import type { Pool, Tx } from './pool.ts'

const COLUMNS = `tenant_id, intent_id, incident_id, incident_ver, event, run, cycle, step, policy_id, policy_version, user_id,
  channel_id, method_id, method_kind, urgency, why, suppressed_by, suppressed_cause, team_id, visibility, at, due_at, expires_at`

/** Days that intents are kept. */
const KEPT_DAYS = 400
const FORGOTTEN_AT_ONCE = 10_000

const iso = (ms: number): string => new Date(ms).toISOString()

const rowOf = ({ target, escalation, at, due_at, expires_at, ...intent }: Intent) => ({
  ...intent,
  run: escalation?.run ?? null,
  cycle: escalation?.cycle ?? null,
  step: escalation?.step ?? null,
  policy_id: escalation?.policy_id ?? null,
  policy_version: escalation?.policy_version ?? null,
  user_id: 'user_id' in target ? target.user_id : null,
  channel_id: 'channel_id' in target ? target.channel_id : null,
  at: iso(at),
  due_at: iso(due_at),
  expires_at: iso(expires_at)
})

/** The delivery of an intent: there is one. */
export const deliveryIdOf = (intent_id: string): string => uuidv5(intent_id, 'delivery')

/** The first version of a delivery; whoever sends it makes the next ones. */
function recordOf(intent: Intent): Outgoing {
  const { tenant_id, intent_id, incident_id, escalation, target, suppressed_by, at, due_at, expires_at } = intent
  const delivery_id = deliveryIdOf(intent_id)
  const event_id = uuidv5(delivery_id, '1')
  const src = `intent:${intent_id}`
  const value: Delivery = {
    event_id,
    tenant_id,
    delivery_id,
    ver: 1,
    intent_id,
    incident_id,
    incident_ver: intent.incident_ver,
    event: intent.event,
    channel_kind: intent.method_kind ?? 'none',
    channel_id: 'channel_id' in target ? target.channel_id : null,
    user_id: 'user_id' in target ? target.user_id : null,
    escalation_policy_id: escalation?.policy_id ?? null,
    step: escalation?.step ?? null,
    cycle: escalation?.cycle ?? null,
    state: suppressed_by === null ? 'queued' : 'suppressed',
    suppressed_by,
    attempt: 0,
    manual: false,
    outcome: null,
    http_status: null,
    error_code: null,
    provider_message_id: null,
    latency_ms: null,
    at,
    queued_at: at,
    next_attempt_at: suppressed_by === null ? due_at : null,
    expires_at,
    team_id: intent.team_id,
    visibility: intent.visibility,
    cause: { kind: 'command', src, event_id: null, request_id: null, input: null },
    config_versions: escalation?.policy_version ? { escalation_policy: escalation.policy_version } : {}
  }
  return {
    tenant_id,
    aggregate: `delivery:${delivery_id}`,
    ver: 1,
    topic: 'notification.deliveries.v1',
    key: incident_id ?? delivery_id,
    event_id,
    event_type: `delivery.${value.state}`,
    src,
    body: 'record',
    record: 'Delivery',
    value
  }
}

export async function saveIntents(tx: Tx, intents: readonly Intent[], codec: Codec): Promise<void> {
  if (intents.length === 0) return
  const { rows } = await tx.query<{ intent_id: string }>({
    name: 'intents-save',
    text: `INSERT INTO intents (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(null::intents, $1::json)
           ON CONFLICT DO NOTHING RETURNING intent_id`,
    values: [JSON.stringify(intents.map(rowOf))]
  })
  const fresh = new Set(rows.map(({ intent_id }) => intent_id))
  await insertOutgoing(tx, intents.filter(({ intent_id }) => fresh.delete(intent_id)).map(recordOf), codec)
}

/** Forgets intents that are older than 400 days. Returns how many. */
export async function forgetIntents(pool: Pool): Promise<number> {
  for (let forgotten = 0; ; ) {
    const { rowCount } = await pool.query(
      `DELETE FROM intents WHERE (tenant_id, intent_id) IN (
         SELECT tenant_id, intent_id FROM intents WHERE at < now() - $1 * interval '1 day' LIMIT $2)`,
      [KEPT_DAYS, FORGOTTEN_AT_ONCE]
    )
    forgotten += rowCount ?? 0
    if ((rowCount ?? 0) < FORGOTTEN_AT_ONCE) return forgotten
  }
}
