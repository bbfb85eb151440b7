/**
 * Saves the outcomes of attempts, many in one transaction: the deliveries, the vendor's ids, the
 * health of channels, and a log record of each step. A report from a worker that lost its claim
 * changes nothing.
 *
 * Source: docs/design/api/notifications.md#s8-5.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { AttemptOutcome, SuppressionKind } from '../../schemas/generated/events.ts'
import type { FeedNotice } from '../../streams/define.ts'
import { configDigest } from './channels.ts'
import { type DeliveryRow, recordOf } from './deliveries.ts'
import { takenBack } from './delivery-pages.ts'
import { type EndedDevice, endDevices } from './devices.ts'
import { writeEffects } from './effects.ts'
import { fallBack, fallsBack } from './phone-fallback.ts'
import { countPhones, tellUsedUp } from './phones.ts'
import type { Tx } from './pool.ts'

/** An attempt as people see it. */
export interface Attempt {
  n: number
  /** Epoch ms. */
  at: number
  latency_ms: number | null
  outcome: AttemptOutcome
  http_status: number | null
  /** For people, without secrets. */
  error: string | null
  provider_message_id: string | null
  /** The response of the other side, without secrets, at most 2 KiB. */
  reply: string | null
  /**
   * The address of the person is cut out of the texts. Absent in attempts of before that rule:
   * only the person, owners and admins may read their texts.
   */
  masked?: true
}

export interface Step {
  row: DeliveryRow
  state: 'sent' | 'delivered' | 'failed' | 'retrying' | 'suppressed' | 'expired'
  /** Epoch ms. */
  at: number
  /** Null: nothing was sent. */
  attempt: Attempt | null
  /** It may have arrived. */
  ambiguous: boolean
  error_code: string | null
  suppressed_by: SuppressionKind | null
  suppressed_cause: string | null
  /**
   * When a `retrying` delivery is tried again, by the clock that `at` is of (epoch ms). Only the
   * time between the two counts: Postgres adds it to its own time.
   */
  next_at: number | null
  /** The last request, without secrets. */
  request: SentRequest | null
  /** Ids that the vendor gave the message; null: nothing new. */
  remote_ref: Record<string, string> | null
  /** What the attempt shows about the channel's health; null: nothing. */
  health: HealthSign | null
  /** Of the channel's configuration that was used (`config_digest`). Null: there is no channel. */
  config_digest: string | null
  /** For a phone that the vendor no longer knows: the sealed token that was used. Else null. */
  dead_device: string | null
}

export interface SentRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

export interface HealthSign {
  ok: boolean
  error: string | null
  /** Turns the channel off: at once, or at the third such refusal in a row. */
  disable: 'at_once' | 'third' | null
  /** Given up. */
  dead: boolean
  /** Epoch ms. */
  quota_until: number | null
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const SAVE = `
  UPDATE deliveries d
     SET state = r.state, ver = d.ver + 1, attempts = d.attempts - CASE WHEN r.attempt IS NULL THEN 1 ELSE 0 END,
         accepted = d.accepted OR r.state IN ('sent', 'delivered'), ambiguous = d.ambiguous + r.ambiguous::integer,
         error_code = r.error_code, suppressed_by = r.suppressed_by, suppressed_cause = r.suppressed_cause,
         next_at = coalesce(clock_timestamp() + r.wait_ms * interval '1 millisecond', d.next_at), request = coalesce(r.request, d.request),
         attempt_log = CASE WHEN r.attempt IS NULL THEN d.attempt_log
           WHEN jsonb_array_length(d.attempt_log) >= 50 THEN (d.attempt_log - 0) || r.attempt ELSE d.attempt_log || r.attempt END,
         first_sent_at = coalesce(d.first_sent_at, CASE WHEN r.attempt IS NOT NULL THEN r.at END),
         delivered_at = CASE WHEN r.state IN ('sent', 'delivered') THEN r.at ELSE d.delivered_at END,
         finished_at = CASE WHEN r.state <> 'retrying' THEN r.at END
    FROM json_to_recordset($1::json) AS r (tenant_id uuid, delivery_id uuid, n integer, state text, at timestamptz, attempt jsonb, ambiguous boolean,
           error_code text, suppressed_by text, suppressed_cause text, wait_ms bigint, request jsonb)
   WHERE d.tenant_id = r.tenant_id AND d.delivery_id = r.delivery_id AND d.state = 'sending' AND d.attempts = r.n
  RETURNING d.delivery_id, d.ver, d.next_at`

/** How many answers of one target to an incident are known, to make them neutral; the newest. */
const MAX_ANSWERS = 50

// The vendors' ids grow with time, so the longest and greatest key is the newest.
const REFS = `
  INSERT INTO delivery_refs (tenant_id, target_id, incident_id, ref)
  SELECT tenant_id, target_id, incident_id, ref FROM json_populate_recordset(null::delivery_refs, $1::json)
  ON CONFLICT (tenant_id, target_id, incident_id) DO UPDATE SET updated_at = now(), ref = (
    SELECT coalesce(jsonb_object_agg(k.key, k.value), '{}') FROM (
      SELECT key, value, row_number() OVER (PARTITION BY starts_with(key, 'reply_') ORDER BY length(key) DESC, key COLLATE "C" DESC) AS nth
        FROM jsonb_each(delivery_refs.ref || EXCLUDED.ref)) k
     WHERE k.nth <= ${MAX_ANSWERS} OR NOT starts_with(k.key, 'reply_'))`

/**
 * Failures in a row after which a channel counts as failing, and refusals in a row that turn it
 * off.
 */
const IN_A_ROW = 3
const DEAD_IN_A_ROW = 10

// A healthy channel whose health was recorded moments ago is not written again. What an attempt by
// an earlier configuration shows is left out: a late refusal of the old token says nothing about
// the new one. All that counts is read under the lock.
const HEALTH = `
  WITH signs AS (
    SELECT * FROM json_to_recordset($1::json) AS r (tenant_id uuid, channel_id uuid, ok boolean, fails integer, dead integer, error text, at_once boolean, refused integer, unbroken boolean, quota_until timestamptz, config_digest text)
  ), before AS MATERIALIZED (
    SELECT c.tenant_id, c.channel_id, c.health_state, c.consecutive_failures, c.consecutive_refusals, c.dead_letters, c.dead_since, s.config_digest
      FROM notification_channels c JOIN signs s ON s.tenant_id = c.tenant_id AND s.channel_id = c.channel_id AND s.config_digest = ${configDigest('c')}
     WHERE NOT (s.ok AND s.fails = 0 AND s.quota_until IS NULL AND c.consecutive_failures = 0 AND c.health_state = 'ok' AND c.dead_letters = 0
                AND c.quota_exhausted_until IS NULL AND coalesce(c.last_ok_at > now() - interval '10 seconds', false))
     ORDER BY c.tenant_id, c.channel_id FOR UPDATE OF c
  ), counted AS (
    SELECT s.*, CASE WHEN s.ok THEN 0 ELSE b.consecutive_failures END + s.fails AS in_a_row,
           CASE WHEN s.unbroken THEN b.consecutive_refusals ELSE 0 END + s.refused AS refused_in_a_row,
           CASE WHEN s.ok THEN 0 ELSE b.dead_letters END + s.dead AS dead_in_a_row,
           CASE WHEN s.dead = 0 AND NOT s.ok THEN b.dead_since WHEN s.dead = 0 THEN NULL WHEN s.ok THEN now() ELSE coalesce(b.dead_since, now()) END AS since
      FROM signs s JOIN before b USING (tenant_id, channel_id, config_digest)
  ), judged AS (
    SELECT k.*, k.at_once OR (k.refused > 0 AND k.refused_in_a_row >= ${IN_A_ROW}) AS by_fault,
           k.dead_in_a_row >= ${DEAD_IN_A_ROW} AND k.since <= now() - interval '24 hours' AS by_dead
      FROM counted k
  )
  UPDATE notification_channels c
     SET consecutive_failures = j.in_a_row, consecutive_refusals = j.refused_in_a_row, dead_letters = j.dead_in_a_row, dead_since = j.since,
         last_ok_at = CASE WHEN j.ok THEN now() ELSE c.last_ok_at END,
         last_error = coalesce(j.error, c.last_error), last_error_at = CASE WHEN j.error IS NULL THEN c.last_error_at ELSE now() END,
         quota_exhausted_until = CASE WHEN j.quota_until IS NOT NULL THEN j.quota_until WHEN j.ok THEN NULL ELSE c.quota_exhausted_until END,
         disabled_reason = CASE WHEN c.health_state = 'disabled' THEN c.disabled_reason WHEN j.by_fault THEN coalesce(j.error, 'refused')
                                WHEN j.by_dead THEN 'gave_up' END,
         health_state = CASE WHEN c.health_state = 'disabled' OR j.by_fault OR j.by_dead THEN 'disabled'
                             WHEN j.in_a_row >= ${IN_A_ROW} THEN 'failing' ELSE 'ok' END
    FROM judged j, before b
   WHERE c.tenant_id = j.tenant_id AND c.channel_id = j.channel_id AND b.tenant_id = j.tenant_id AND b.channel_id = j.channel_id
  RETURNING c.tenant_id, c.channel_id, c.name, c.team_id, c.visibility, c.disabled_reason,
            c.health_state = 'disabled' AND b.health_state <> 'disabled' AS turned_off`

export interface Turned {
  tenant_id: string
  channel_id: string
  name: string
  team_id: string | null
  visibility: 'org' | 'private'
  disabled_reason: string | null
  turned_off: boolean
}

/** Combines the signs of one channel, in their order, into one. */
export function joinSigns(signs: readonly HealthSign[]) {
  const after = signs.slice(signs.findLastIndex(({ ok }) => ok) + 1)
  const refused = signs.length - 1 - signs.findLastIndex(({ disable }) => disable !== 'third')
  return {
    ok: signs.length > after.length,
    fails: after.length,
    dead: after.filter(({ dead }) => dead).length,
    error: after.at(-1)?.error ?? null,
    at_once: after.some(({ disable }) => disable === 'at_once'),
    /** The refusals at the end; `unbroken`: nothing else is before them. */
    refused,
    unbroken: refused === signs.length,
    quota_until: iso(after.reduce<number | null>((most, { quota_until }) => quota_until ?? most, null))
  }
}

export const channelOffNotice = (
  { tenant_id, channel_id, name, team_id, visibility, disabled_reason }: Turned,
  at: number
): FeedNotice => ({
  tenant_id,
  key: `channel_off:${channel_id}:${at}`,
  type: 'announcement',
  severity: 'critical',
  title: `${name} is turned off`,
  body: `Nothing more is sent to this channel: ${disabled_reason ?? 'it keeps refusing'}. Fix the problem and send a test. When the test arrives, the channel is turned on again.`,
  at,
  audience: 'editors',
  about: { team_id, visibility }
})

/**
 * Writes the health of channels of any workspaces, as service_system. Notifies of the channels that
 * were turned off.
 */
async function saveHealth(tx: Tx, codec: Codec, steps: readonly Step[]): Promise<void> {
  const byConfig = new Map<string, { tenant_id: string; channel_id: string; config_digest: string; signs: HealthSign[] }>()
  for (const { row, health, config_digest } of steps) {
    if (health === null || row.channel_id === null || config_digest === null) continue
    const { tenant_id, channel_id } = row
    const key = `${channel_id} ${config_digest}`
    const known = byConfig.get(key) ?? { tenant_id, channel_id, config_digest, signs: [] }
    known.signs.push(health)
    byConfig.set(key, known)
  }
  if (byConfig.size === 0) return
  const { rows } = await tx.query<Turned>({
    name: 'channels-health',
    text: HEALTH,
    values: [JSON.stringify([...byConfig.values()].map(({ signs, ...channel }) => ({ ...channel, ...joinSigns(signs) })))]
  })
  const now = Date.now()
  const feed = rows.filter(({ turned_off }) => turned_off).map((row) => channelOffNotice(row, now))
  if (feed.length > 0) await writeEffects(tx, { feed }, codec)
}

const endedNotice = ({ tenant_id, device_id, user_id, name }: EndedDevice, at: number): FeedNotice => ({
  tenant_id,
  key: `device_off:${device_id}:${at}`,
  type: 'announcement',
  severity: 'warning',
  title: `${name} is not told any more`,
  body: 'The app on this phone can no longer be reached: it was removed, or may not show notifications. Open it once, so that it registers again.',
  at,
  audience: 'watchers',
  user_id
})

/** Marks phones whose app is gone as unverified methods, and notifies their owners. */
async function saveDeadDevices(tx: Tx, codec: Codec, steps: readonly Step[]): Promise<void> {
  const dead = steps.flatMap(({ row: { tenant_id, method_id }, dead_device }) =>
    dead_device === null || method_id === null ? [] : [{ tenant_id, device_id: method_id, push_token: dead_device }]
  )
  const now = Date.now()
  const feed = (await endDevices(tx, dead)).map((device) => endedNotice(device, now))
  if (feed.length > 0) await writeEffects(tx, { feed }, codec)
}

const isPhone = ({ kind }: DeliveryRow): boolean => kind === 'sms' || kind === 'voice'

/** Writes the outcomes of attempts. Returns the ids of deliveries whose claims were still valid. */
export async function saveSteps(tx: Tx, codec: Codec, worker: string, made: readonly Step[]): Promise<Set<string>> {
  const steps = await takenBack(tx, made)
  const { rows } = await tx.query<{ delivery_id: string; ver: number; next_at: number }>({
    name: 'deliveries-steps',
    text: SAVE,
    values: [
      JSON.stringify(
        steps.map(({ row, state, at, attempt, ambiguous, error_code, suppressed_by, suppressed_cause, next_at, request }) => ({
          tenant_id: row.tenant_id,
          delivery_id: row.delivery_id,
          n: row.attempts,
          state,
          at: iso(at),
          attempt,
          ambiguous,
          error_code,
          suppressed_by,
          suppressed_cause,
          wait_ms: next_at === null ? null : Math.round(next_at - at),
          request
        }))
      )
    ]
  })
  const saved = new Map(rows.map((one) => [one.delivery_id, one]))
  const kept = steps.filter(({ row }) => saved.has(row.delivery_id))
  const refs = new Map(
    kept.flatMap(({ row: { tenant_id, target_id, incident_id }, remote_ref }) =>
      remote_ref === null || incident_id === null
        ? []
        : [[`${target_id} ${incident_id}`, { tenant_id, target_id, incident_id, ref: remote_ref }]]
    )
  )
  if (refs.size > 0) await tx.query({ name: 'delivery-refs-save', text: REFS, values: [JSON.stringify([...refs.values()])] })
  const outgoing = kept.map((step) => {
    const { row, attempt } = step
    const { ver, next_at } = saved.get(row.delivery_id) ?? { ver: row.ver + 1, next_at: step.next_at }
    return recordOf(
      { ...row, ver },
      {
        state: step.state,
        suppressed_by: step.suppressed_by,
        at: step.at,
        cause: { kind: 'job', src: `notifier:${worker}`, event_id: null, request_id: null, input: null },
        attempt: attempt === null ? row.attempts - 1 : attempt.n,
        outcome: attempt?.outcome ?? null,
        http_status: attempt?.http_status ?? null,
        error_code: step.error_code,
        provider_message_id: attempt?.provider_message_id ?? null,
        latency_ms: attempt?.latency_ms ?? null,
        next_attempt_at: step.next_at === null ? null : next_at
      }
    )
  })
  await writeEffects(tx, { outgoing }, codec)
  await saveHealth(tx, codec, kept)
  await saveDeadDevices(tx, codec, kept)
  await countPhones(
    tx,
    kept.filter(({ row, state }) => isPhone(row) && (state === 'sent' || state === 'delivered')).map(({ row }) => row.tenant_id)
  )
  await tellUsedUp(
    tx,
    kept.map(({ row: { tenant_id }, suppressed_by, suppressed_cause }) => ({ tenant_id, suppressed_by, suppressed_cause }))
  )
  await fallBack(
    tx,
    codec,
    kept.filter(fallsBack).map(({ row }) => row)
  )
  return new Set(saved.keys())
}
