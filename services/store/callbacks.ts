/**
 * Handles callbacks about deliveries by phone. Each callback is taken once, matched to its message
 * or call, and written to the delivery ledger. Also finds whose number it is that answers.
 *
 * Source: docs/design/outbound-channels.md#s4-4.
 */
import type { Codec } from '../../schemas/codec.ts'
import { type DeliveryRow, deliveryColumns, recordOf } from './deliveries.ts'
import { writeEffects } from './effects.ts'
import { fallBack, isAsked } from './phone-fallback.ts'
import type { Tx } from './pool.ts'

/** Takes a callback. Returns false when it was taken before. A rollback undoes the taking. */
export async function takeCallback(tx: Tx, receipt: string): Promise<boolean> {
  const { rows } = await tx.query<{ taken: boolean }>('SELECT take_callback($1) AS taken', [receipt])
  return rows[0]?.taken ?? false
}

export type CalledBack = DeliveryRow & { state: string; now: number; sids: (string | null)[] }

/** Locks a delivery by phone. Returns null when there is none. */
export async function lockCalledBack(tx: Tx, tenant_id: string, delivery_id: string): Promise<CalledBack | null> {
  const { rows } = await tx.query<CalledBack>(
    `SELECT ${deliveryColumns}, d.state, clock_timestamp() AS now,
            ARRAY(SELECT a ->> 'provider_message_id' FROM jsonb_array_elements(d.attempt_log) AS a) AS sids
       FROM deliveries d WHERE d.tenant_id = $1 AND d.delivery_id = $2 AND d.kind IN ('sms', 'voice') FOR UPDATE`,
    [tenant_id, delivery_id]
  )
  return rows[0] ?? null
}

/**
 * Returns whether a callback about this message or call may belong to the delivery. While the
 * delivery has no stored message id, any callback may.
 */
export const isOf = ({ sids }: CalledBack, sid: string): boolean => {
  const known = sids.filter((one) => one !== null)
  return known.length === 0 || known.includes(sid)
}

/**
 * Returns whether a key may have been pressed in a call of the delivery. An attempt without an
 * answer may have placed a call whose id is not stored, so a key counts in that one as well. The
 * outcome of such a call is ignored: it would end the attempt after it.
 */
export const mayBePressed = (row: CalledBack, sid: string): boolean => isOf(row, sid) || row.ambiguous > 0

/** An outcome that is known only later. `after_ms`: delay before the next try. */
export type LaterOutcome = { state: 'delivered' } | { state: 'failed' | 'retrying'; error_code: string; error: string; after_ms: number }

const SAVE = `
  UPDATE deliveries SET state = $3, ver = ver + 1, error_code = $4, accepted = $3 = 'delivered', delivered_at = CASE WHEN $3 = 'delivered' THEN now() END,
         finished_at = CASE WHEN $3 <> 'retrying' THEN now() END, next_at = CASE WHEN $3 = 'retrying' THEN now() + $5 * interval '1 millisecond' ELSE next_at END,
         attempt_log = CASE WHEN $6::text IS NULL OR jsonb_array_length(attempt_log) = 0 THEN attempt_log
                            ELSE jsonb_set(jsonb_set(attempt_log, '{-1,error}', to_jsonb($6::text)), '{-1,outcome}', '"refused"') END
   WHERE tenant_id = $1 AND delivery_id = $2`

/**
 * Writes a later outcome of a locked delivery. The state never goes back: a delivered or finished
 * delivery stays so.
 */
export async function saveCalledBack(tx: Tx, codec: Codec, row: CalledBack, outcome: LaterOutcome, src: string): Promise<void> {
  const isOpen = row.state === 'sent' || (row.state === 'retrying' && outcome.state === 'delivered')
  if (!isOpen) return
  const { tenant_id, delivery_id, attempts, now, expires_at } = row
  const isLate = outcome.state === 'retrying' && now + outcome.after_ms >= expires_at
  const state = isLate ? 'failed' : outcome.state
  const told = outcome.state === 'delivered' ? { error_code: null, error: null, after_ms: 0 } : outcome
  await tx.query(SAVE, [tenant_id, delivery_id, state, told.error_code, told.after_ms, told.error])
  const cause = { kind: 'command', src, event_id: null, request_id: null, input: null } as const
  const next_attempt_at = state === 'retrying' ? now + told.after_ms : null
  const step = { state, suppressed_by: null, at: now, cause, attempt: attempts, error_code: told.error_code, next_attempt_at }
  await writeEffects(tx, { outgoing: [recordOf({ ...row, ver: row.ver + 1 }, step)] }, codec)
  if (state === 'failed' && isAsked(row)) await fallBack(tx, codec, [row])
}

export interface PhoneOwner {
  tenant_id: string
  user_id: string
}

/** Returns who has verified this number, in any workspace. */
export const phoneOwners = async (tx: Tx, number: string): Promise<PhoneOwner[]> =>
  (await tx.query<PhoneOwner>('SELECT tenant_id, user_id FROM phone_owners($1)', [number])).rows

export interface PhonePage extends PhoneOwner {
  incident_id: string
  /** Epoch ms. */
  told_at: number
}

/** Returns incidents about which a verified number was notified in the last days, newest first. */
export const phonePages = async (tx: Tx, number: string): Promise<PhonePage[]> =>
  (await tx.query<PhonePage>('SELECT tenant_id, user_id, incident_id, told_at FROM phone_pages($1)', [number])).rows
