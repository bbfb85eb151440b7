/**
 * Handles what becomes known about a mail later: it came back, or its reader complained. Its
 * delivery then counts as failed. An address that bounces or complains gets no more mail: a channel
 * is turned off, and a person's contact method is no longer verified.
 * Source: docs/design/api/notifications.md#ch-10.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { FeedNotice } from '../../streams/define.ts'
import { type CalledBack, saveCalledBack } from './callbacks.ts'
import { deliveryColumns } from './deliveries.ts'
import { channelOffNotice, type Turned } from './delivery-outcomes.ts'
import { feedJob } from './feed-jobs.ts'
import { changeJobs } from './jobs.ts'
import { fallBack, isAsked } from './phone-fallback.ts'
import type { Tx } from './pool.ts'

/** Identifies the delivery of a mail, as the mail's id says. */
interface MailId {
  tenant_id: string
  incident_id: string | null
  /** The target for the first mail of an incident, the delivery for other mails. */
  of: { target_id: string } | { delivery_id: string }
}

export interface MailEvent {
  event_id: string
  recipient: string
  /**
   * refused: the server refused this mail. bounced: the address accepts no mail. complaint: the
   * reader reported the mail as spam.
   */
  what: 'refused' | 'bounced' | 'complaint'
  /** The reason, in the words of the other side. */
  why: string
}

/** Returns the delivery of a mail and locks it; null when there is none. */
export async function lockMailed(tx: Tx, { tenant_id, incident_id, of }: MailId): Promise<CalledBack | null> {
  const byDelivery = 'delivery_id' in of
  const { rows } = await tx.query<CalledBack>(
    `SELECT ${deliveryColumns}, d.state, clock_timestamp() AS now, '{}'::text[] AS sids FROM deliveries d
      WHERE d.tenant_id = $1 AND d.kind = 'email' AND d.attempts > 0
        AND ${byDelivery ? 'd.delivery_id = $2' : 'd.target_id = $2 AND d.incident_id = $3'}
      ORDER BY d.seq LIMIT 1 FOR UPDATE`,
    byDelivery ? [tenant_id, of.delivery_id] : [tenant_id, of.target_id, incident_id]
  )
  return rows[0] ?? null
}

/**
 * Turns the channel off. Does nothing when it has another recipient by now, or is off already.
 * `stops`: the address must be confirmed again.
 */
async function turnOff(
  tx: Tx,
  { tenant_id, channel_id }: CalledBack,
  recipient: string,
  reason: string,
  stops: boolean
): Promise<Turned[]> {
  const { rows } = await tx.query<Turned>(
    `UPDATE notification_channels
        SET health_state = 'disabled', disabled_reason = $4, last_error = $4, last_error_at = now(),
            verified_at = CASE WHEN $5 THEN NULL ELSE verified_at END
      WHERE tenant_id = $1 AND channel_id = $2 AND kind = 'email' AND lower(config ->> 'recipient') = lower($3) AND health_state <> 'disabled'
    RETURNING tenant_id, channel_id, name, team_id, visibility, disabled_reason, true AS turned_off`,
    [tenant_id, channel_id, recipient, reason, stops]
  )
  return rows
}

async function disprove(tx: Tx, { tenant_id, method_id }: CalledBack, recipient: string): Promise<{ user_id: string; address: string }[]> {
  const { rows } = await tx.query<{ user_id: string; address: string }>(
    `UPDATE contact_methods SET verified_at = NULL, updated_at = now()
      WHERE tenant_id = $1 AND method_id = $2 AND kind = 'email' AND lower(address) = lower($3) AND verified_at IS NOT NULL
    RETURNING user_id, address`,
    [tenant_id, method_id, recipient]
  )
  return rows
}

const words: Readonly<Record<MailEvent['what'], string>> = {
  refused: 'The mail server of the recipient refused this mail',
  bounced: 'The mail server of the recipient takes no mail for this address',
  complaint: 'The recipient reported these mails as unwanted'
}

/** Saves the event for a delivery that is locked. */
export async function saveMailEvent(tx: Tx, codec: Codec, row: CalledBack, { event_id, recipient, what, why }: MailEvent): Promise<void> {
  const { tenant_id, channel_id, now } = row
  const error = why === '' ? `${words[what]}.` : `${words[what]}: ${why}`
  await saveCalledBack(tx, codec, row, { state: 'failed', error_code: what, error, after_ms: 0 }, `mail:${event_id}`.slice(0, 100))
  if (what !== 'refused') {
    const off = channel_id === null ? [] : await turnOff(tx, row, recipient, error, what === 'complaint')
    const gone = channel_id === null ? await disprove(tx, row, recipient) : []
    const feed: FeedNotice[] = [
      ...off.map((one) => channelOffNotice(one, now)),
      ...gone.map(
        ({ user_id, address }): FeedNotice => ({
          tenant_id,
          key: `mail_off:${row.method_id}:${now}`,
          type: 'announcement',
          severity: 'warning',
          title: `${address} is not told any more`,
          body: `${error}. Confirm the address again under Your notifications.`,
          at: now,
          audience: 'watchers',
          user_id
        })
      )
    ]
    // The api writes no feed entries, so a job leaves that to the notifier.
    await changeJobs(tx, feed.map(feedJob))
  }
  // A person who was asked to look at a failure is asked by another method.
  if (row.state === 'sent' && isAsked(row)) await fallBack(tx, codec, [row])
}
