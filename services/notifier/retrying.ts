/**
 * Decides when an attempt is repeated, and what its outcome means for its delivery. Pure.
 * Source: docs/design/api/notifications.md#s8-5, docs/design/outbound-channels.md#s1-5.
 */
import type { Channel } from '../channels/channel.ts'
import type { Performed } from '../delivery/perform.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { Attempt, HealthSign, Step } from '../store/delivery-outcomes.ts'
import { isAsked } from '../store/phone-fallback.ts'

const S = 1000
const M = 60 * S
const H = 60 * M
/**
 * Delay before the second attempt, the third, and so on. The last delay applies to all later
 * attempts.
 */
const DELAYS = [5 * S, 30 * S, 2 * M, 10 * M, 30 * M, H, 2 * H]
const JITTER = 0.2
const MAX_RETRY_AFTER = H

/**
 * Returns the milliseconds until the next attempt. `random`: from 0 to 1. `attempts`: made so far.
 */
export function delayAfter(attempts: number, random: number, after_ms?: number): number {
  const usual = DELAYS[Math.min(attempts, DELAYS.length) - 1] ?? DELAYS[0] ?? 0
  const spread = usual * (1 + JITTER * (2 * random - 1))
  return Math.round(after_ms === undefined ? spread : Math.max(spread, Math.min(after_ms, MAX_RETRY_AFTER)))
}

type Told = Pick<Step, 'state' | 'ambiguous' | 'error_code' | 'next_at' | 'remote_ref' | 'suppressed_by' | 'suppressed_cause'> & {
  outcome: Attempt['outcome']
  error: string | null
  provider_message_id: string | null
  health: HealthSign | null
}

const plain = {
  ambiguous: false,
  error_code: null,
  next_at: null,
  remote_ref: null,
  suppressed_by: null,
  suppressed_cause: null,
  provider_message_id: null
}
const well: HealthSign = { ok: true, error: null, disable: null, dead: false, quota_until: null }
const ill = (error: string, more: Partial<HealthSign> = {}): HealthSign => ({ ...well, ok: false, error, ...more })

interface Moment {
  /** Epoch ms. */
  now: number
  random: number
}

/** Tries again later, or ends the delivery when no later attempt would be in time or allowed. */
function again(
  row: DeliveryRow,
  channel: Pick<Channel, 'max_ambiguous'>,
  { now, random }: Moment,
  how: { error: string; code: string; outcome: Attempt['outcome']; ambiguous: boolean; after_ms?: number; health: HealthSign | null }
): Told {
  const { error, code, outcome, ambiguous, after_ms, health } = how
  const told = { ...plain, outcome, error, ambiguous, error_code: code, health }
  const doubtful = row.ambiguous + (ambiguous ? 1 : 0)
  if (channel.max_ambiguous !== null && ambiguous && doubtful > channel.max_ambiguous) return { ...told, state: 'failed' }
  const next_at = now + delayAfter(row.attempts, random, after_ms)
  if (next_at >= row.expires_at) return { ...told, state: 'expired', error_code: 'expired', health: health && { ...health, dead: true } }
  return { ...told, state: 'retrying', next_at }
}

/** Returns what the result of an attempt means for its delivery. */
export function judgeAttempt(
  row: DeliveryRow,
  channel: Pick<Channel, 'max_ambiguous'>,
  { result, clean }: Performed,
  moment: Moment
): Told {
  switch (result.outcome) {
    case 'delivered':
      return {
        ...plain,
        state: result.confirmed ? 'delivered' : 'sent',
        outcome: 'accepted',
        error: null,
        remote_ref: result.remote_ref ?? null,
        provider_message_id: result.provider_message_id ?? null,
        health: well
      }
    case 'skipped':
      return {
        ...plain,
        state: 'suppressed',
        outcome: 'unknown',
        error: null,
        suppressed_by: 'preference',
        suppressed_cause: result.why,
        health: null
      }
    case 'retry': {
      const error = clean(result.why)
      const quota_until = result.quota && result.after_ms !== undefined ? moment.now + result.after_ms : null
      return again(row, channel, moment, {
        error,
        code: result.quota ? 'quota' : result.operator ? 'operator' : 'retry',
        outcome: 'retryable',
        ambiguous: result.ambiguous === true,
        ...(result.after_ms !== undefined && { after_ms: result.after_ms }),
        health: result.operator ? null : ill(error, { quota_until })
      })
    }
    case 'permanent': {
      const error = clean(`${result.user_text} (${result.why})`)
      const told = { ...plain, outcome: 'refused' as const, error, error_code: `refused_${result.scope}` }
      if (result.scope === 'delivery') return { ...told, state: 'failed', health: ill(error, { dead: true }) }
      if (result.operator) return { ...told, state: 'failed', health: null }
      // A page does not wait for the target to recover: the person's next method is asked.
      if (result.at_once || isAsked(row)) return { ...told, state: 'failed', health: ill(error, { disable: 'at_once', dead: true }) }
      return again(row, channel, moment, {
        error,
        code: told.error_code,
        outcome: 'refused',
        ambiguous: false,
        health: ill(error, { disable: 'third' })
      })
    }
    case 'unanswered': {
      const { kind, message, ambiguous, operator } = result.failure
      const error = clean(message)
      if (kind === 'blocked_target')
        return { ...plain, state: 'failed', outcome: 'blocked_target', error, error_code: kind, health: ill(error, { dead: true }) }
      if (kind === 'unsupported') return { ...plain, state: 'failed', outcome: 'refused', error, error_code: kind, health: null }
      return again(row, channel, moment, {
        error,
        code: kind,
        outcome: kind === 'timeout' ? 'timeout' : 'network',
        ambiguous,
        health: operator ? null : ill(error, kind === 'tls_untrusted' ? { disable: 'third' } : {})
      })
    }
  }
}
