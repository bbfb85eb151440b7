/**
 * Decides whether a claimed delivery must still be sent, given the present state of its target and
 * its incident. Pure. Things may have changed since the intent was made: the channel was turned
 * off, the team became private, somebody acknowledged, or the incident is over.
 * Source: docs/design/api/notifications.md#s8-5, docs/design/api/decision-rules.md#s23-5.
 */
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import { isVisible, sightOf } from '../../schemas/http/visibility.ts'
import type { Channel } from '../channels/channel.ts'
import { askedFor, type DeliveryRow, isPage, SILENCED, tellsOfFailure } from '../store/deliveries.ts'
import type { Step } from '../store/delivery-outcomes.ts'
import type { Sending } from '../store/delivery-targets.ts'
import { PHONE_LIMIT } from '../store/phones.ts'

export type Verdict =
  /**
   * `combined`: the message tells of both the failure and its end, because the failure was never
   * told.
   */
  | { send: true; combined: boolean }
  | ({ send: false; state: 'suppressed' | 'failed' | 'expired' | 'retrying'; error_code: string | null; next_at?: number } & Pick<
      Step,
      'suppressed_by' | 'suppressed_cause'
    >)

const not = (suppressed_by: Step['suppressed_by'], suppressed_cause: string | null = null): Verdict => ({
  send: false,
  state: 'suppressed',
  error_code: null,
  suppressed_by,
  suppressed_cause
})

const ended = (state: 'failed' | 'expired', error_code: string): Verdict => ({
  send: false,
  state,
  error_code,
  suppressed_by: null,
  suppressed_cause: null
})

/**
 * Returns the verdict that follows from the target alone; null when the target allows sending.
 * `attempts` includes the current attempt.
 */
function byTarget(row: DeliveryRow, channel: Channel, { channel: target, method, role, ...now }: Sending, at: number): Verdict | null {
  const { incident, exhausted } = now
  if (row.channel_id !== null) {
    if (!target || target.deleted) return not('disabled', 'deleted')
    if (target.health_state === 'disabled' || !target.enabled)
      return row.attempts > 1
        ? ended('failed', 'channel_disabled')
        : not('disabled', target.health_state === 'disabled' ? 'health' : 'enabled')
    if (channel.verified && !target.verified) return not('unverified')
    if (incident?.visibility === 'private') {
      const mayHear =
        incident.team_id !== null && (target.team_id === incident.team_id || target.allowed_team_ids.includes(incident.team_id))
      if (!mayHear) return not('not_visible')
    }
    if (target.quota_until !== null && target.quota_until > at)
      return target.quota_until >= row.expires_at
        ? not('quota')
        : { send: false, state: 'retrying', error_code: 'quota', next_at: target.quota_until, suppressed_by: null, suppressed_cause: null }
    return exhausted ? not('quota', PHONE_LIMIT) : null
  }
  if (!method) return not('no_method')
  if (role === null) return not('not_visible', 'no_member')
  if (!method.verified) return not('unverified')
  if ((row.kind === 'push' && !method.device) || (row.kind === 'slack_dm' && !method.app)) return not('no_method')
  if (incident && !isVisible(sightOf(role as MemberRole, now), incident)) return not('not_visible')
  return exhausted ? not('quota', PHONE_LIMIT) : null
}

/** Returns until when (epoch ms) a silence puts off this page of a policy; null when none does. */
function silencedUntil(row: DeliveryRow, incident: NonNullable<Sending['incident']>, at: number): number | null {
  const { status, silenced_until } = incident
  if (!isPage(row) || row.step === null || status !== 'ongoing' || silenced_until === null) return null
  return silenced_until > at ? silenced_until : null
}

/** Returns the verdict on a failure whose incident is over. A webhook gets both, in that order. */
function ofFailureAfterEnd(plain: Verdict, { unsent }: Channel, { merged }: NonNullable<Sending['incident']>): Verdict {
  if (merged) return not('merged')
  return unsent === 'both' ? plain : not('stale', 'resolved')
}

/**
 * Returns the verdict that follows from the incident. Not sent are: a page that somebody has
 * acknowledged, a failure that is over, and an end when nobody heard of the failure.
 * A page of a policy waits for the end of a silence.
 */
function byIncident(row: DeliveryRow, channel: Channel, { incident, told }: Sending, at: number): Verdict {
  const plain: Verdict = { send: true, combined: row.combined }
  if (!incident) return plain
  if (row.manual) {
    // Somebody asked for this message while its incident went on. An attempt after its end is late.
    const isLate = incident.resolved_at !== null && incident.resolved_at >= askedFor(row)
    return isLate && tellsOfFailure(row.event) ? ofFailureAfterEnd(plain, channel, incident) : plain
  }
  const asks = isPage(row) || row.event === 'reminder'
  if (asks && incident.acknowledged && incident.status === 'ongoing') return not('acknowledged')
  const until = silencedUntil(row, incident, at)
  if (until !== null) {
    const next_at = Math.min(until, row.expires_at)
    return { send: false, state: 'retrying', error_code: SILENCED, next_at, suppressed_by: null, suppressed_cause: null }
  }
  if (row.event === 'reminder' && incident.status === 'resolved') return not('stale', 'resolved')
  if (row.event === 'up') {
    if (told) return plain
    if (channel.unsent === 'combine') return { send: true, combined: true }
    return not('dedup', 'never_told')
  }
  if (incident.status !== 'resolved') return plain
  if (tellsOfFailure(row.event)) return ofFailureAfterEnd(plain, channel, incident)
  if (incident.merged) return not('merged')
  return told ? plain : not('stale', 'resolved')
}

export function judgeBefore(row: DeliveryRow, channel: Channel | undefined, sending: Sending | undefined, now: number): Verdict {
  if (!channel || !sending) return ended('failed', 'unknown_kind')
  if (row.expires_at <= now) return ended('expired', 'expired')
  // An earlier attempt died with its worker, so its message may have arrived. A person who sends it
  // again knows that.
  if (!row.manual && channel.max_ambiguous !== null && row.ambiguous > channel.max_ambiguous) return ended('failed', 'outcome_unknown')
  return byTarget(row, channel, sending, now) ?? byIncident(row, channel, sending, now)
}
