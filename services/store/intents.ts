/**
 * Writes intents: whom to notify of what, and whom not. Only this file writes them, each with its
 * delivery, in the transaction of the job or command that decides. An existing intent is left as it
 * is.
 *
 * Source: docs/design/api/decision-rules.md#s23-12, docs/design/architecture.md#s13-delivery.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Intent, Outgoing } from '../../streams/define.ts'
import { factsOf, saveDeliveries } from './deliveries.ts'
import { forget } from './forget.ts'
import { tellUsedUp } from './phones.ts'
import type { Pool, Tx } from './pool.ts'

const COLUMNS = `tenant_id, intent_id, incident_id, incident_ver, event, run, cycle, step, policy_id, policy_version, user_id,
  channel_id, method_id, method_kind, urgency, why, suppressed_by, suppressed_cause, team_id, visibility, at, due_at, expires_at`

/** Days that intents are kept. */
const KEPT_DAYS = 400

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

/**
 * Writes intents and `outgoing`. One statement puts the records of both and of the deliveries into
 * the outbox.
 */
export async function saveIntents(tx: Tx, intents: readonly Intent[], codec: Codec, outgoing: readonly Outgoing[] = []): Promise<void> {
  const insert = tx.query<{ intent_id: string }>({
    name: 'intents-save',
    text: `INSERT INTO intents (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(null::intents, $1::json)
           ON CONFLICT DO NOTHING RETURNING intent_id`,
    values: [JSON.stringify(intents.map(rowOf))]
  })
  const [{ rows }, facts] = await Promise.all([insert, factsOf(tx, intents)])
  const written = new Set(rows.map(({ intent_id }) => intent_id))
  const fresh = intents.filter(({ intent_id }) => written.has(intent_id))
  await saveDeliveries(tx, fresh, facts, codec, outgoing)
  await tellUsedUp(tx, fresh)
}

/** Deletes intents older than 400 days. Returns how many. */
export const forgetIntents = (pool: Pool): Promise<number> =>
  forget(pool, 'intents', 'x.at < now() - make_interval(days => $1)', [KEPT_DAYS])
