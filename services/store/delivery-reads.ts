/** The ledger as people read it. Row-level security leaves out what they must not see. */
import type { deliveryStates } from '../../schemas/http/notification-words.ts'
import { BY_HAND_HOURS, deliveryIdOf } from './deliveries.ts'
import type { Attempt, SentRequest } from './delivery-outcomes.ts'
import { type PersonTarget, personApp } from './delivery-targets.ts'
import { seeingAll, type Tx } from './pool.ts'

export interface LedgerEntry {
  delivery_id: string
  tenant_id: string
  intent_id: string
  incident_id: string | null
  /** The incident's fields, as far as the caller sees it. */
  incident_number: number | null
  incident_title: string | null
  event: string
  channel_id: string | null
  user_id: string | null
  kind: string
  target_name: string | null
  step: number | null
  state: (typeof deliveryStates)[number]
  suppressed_by: string | null
  suppressed_cause: string | null
  error_code: string | null
  manual: boolean
  attempt_log: Attempt[]
  /** Epoch ms. */
  queued_at: number
  next_at: number
  first_sent_at: number | null
  delivered_at: number | null
  expires_at: number
  /** The reason why this target was chosen. */
  why: Record<string, unknown> | null
}

/** `may_read`: the caller may read the address of the person whom the delivery is for. */
const SELECT = `
  SELECT d.method_id IS NULL OR (SELECT sees_all_teams()) OR coalesce(d.user_id = (SELECT seen_by()), false) AS may_read,
         d.delivery_id, d.tenant_id, d.intent_id, d.incident_id, d.event, d.channel_id, d.user_id, d.kind, d.step, d.state, d.suppressed_by, d.suppressed_cause,
         d.error_code, d.manual, d.attempt_log, d.queued_at, d.next_at, d.first_sent_at, d.delivered_at, d.expires_at, coalesce(c.name, u.name) AS target_name, i.why,
         o.number AS incident_number, o.title AS incident_title`
const FROM = `
    FROM deliveries d LEFT JOIN notification_channels c ON c.tenant_id = d.tenant_id AND c.channel_id = d.channel_id
    LEFT JOIN users u ON u.user_id = d.user_id
    LEFT JOIN intents i ON i.tenant_id = d.tenant_id AND i.intent_id = d.intent_id
    LEFT JOIN incidents o ON o.tenant_id = d.tenant_id AND o.incident_id = d.incident_id`

export interface LedgerFilter {
  incident_id: string | null
  channel_id: string | null
  user_id: string | null
  /** For these three, an empty list means no filter. */
  states: readonly string[]
  events: readonly string[]
  kinds: readonly string[]
  /** Epoch ms; null: no bound. */
  from: number | null
  to: number | null
}

type Read<T> = T & { may_read: boolean }

/** Leaves out the texts of attempts from which the person's address was not cut out. */
function shownOf<T extends LedgerEntry>({ may_read, ...row }: Read<T>): Omit<Read<T>, 'may_read'> {
  if (may_read) return row
  return { ...row, attempt_log: row.attempt_log.map((one) => (one.masked ? one : { ...one, error: null, reply: null })) }
}

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** Lists deliveries, newest first, after the delivery `behind`. */
export async function listDeliveries(
  tx: Tx,
  tenant_id: string,
  { incident_id, channel_id, user_id, states, events, kinds, from, to }: LedgerFilter,
  { behind, limit }: { behind: { queued_at: number; delivery_id: string } | null; limit: number }
): Promise<LedgerEntry[]> {
  const { rows } = await tx.query<Read<LedgerEntry>>(
    `${SELECT} ${FROM}
      WHERE d.tenant_id = $1 AND ($2::uuid IS NULL OR d.incident_id = $2) AND ($3::uuid IS NULL OR d.channel_id = $3) AND ($4::uuid IS NULL OR d.user_id = $4)
        AND (cardinality($5::text[]) = 0 OR d.state = ANY ($5)) AND ($6::timestamptz IS NULL OR d.queued_at >= $6) AND ($7::timestamptz IS NULL OR d.queued_at < $7)
        AND ($8::timestamptz IS NULL OR (d.queued_at, d.delivery_id) < ($8, $9::uuid))
        AND (cardinality($11::text[]) = 0 OR d.event = ANY ($11)) AND (cardinality($12::text[]) = 0 OR d.kind = ANY ($12))
      ORDER BY d.queued_at DESC, d.delivery_id DESC LIMIT $10`,
    [
      tenant_id,
      incident_id,
      channel_id,
      user_id,
      states,
      dateOf(from),
      dateOf(to),
      dateOf(behind?.queued_at ?? null),
      behind?.delivery_id ?? null,
      limit,
      events,
      kinds
    ]
  )
  return rows.map(shownOf)
}

export type LedgerDetail = LedgerEntry & {
  request: SentRequest | null
  incident_status: string | null
}

export async function readDelivery(tx: Tx, tenant_id: string, delivery_id: string): Promise<LedgerDetail | null> {
  const { rows } = await tx.query<Read<LedgerDetail>>(
    `${SELECT}, d.request, o.status AS incident_status ${FROM}
     WHERE d.tenant_id = $1 AND d.delivery_id = $2`,
    [tenant_id, delivery_id]
  )
  const [row] = rows
  if (!row) return null
  const isReadable = row.may_read || row.attempt_log.every(({ masked }) => masked)
  return { ...shownOf(row), request: isReadable ? row.request : null }
}

/**
 * Sends a delivery once more, at once and valid for a day. Returns false if it is under way, or if
 * nothing of it is kept.
 */
export async function redeliver(tx: Tx, tenant_id: string, delivery_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE deliveries SET state = 'queued', manual = true, suppressed_by = NULL, suppressed_cause = NULL, error_code = NULL, next_at = now(),
            expires_at = now() + interval '${BY_HAND_HOURS} hours', finished_at = NULL
      WHERE tenant_id = $1 AND delivery_id = $2 AND NOT open AND (facts IS NOT NULL OR said IS NOT NULL)`,
    [tenant_id, delivery_id]
  )
  return rowCount === 1
}

export interface TestedChannel {
  channel_id: string
  kind: string
  config: Record<string, unknown>
  verified: boolean
  team_id: string | null
  visibility: 'org' | 'private'
  workspace: { name: string; slug: string }
}

/** Reads a channel as Send test needs it. Null: there is none that the caller sees. */
export async function readTestedChannel(tx: Tx, tenant_id: string, channel_id: string): Promise<TestedChannel | null> {
  const { rows } = await tx.query<TestedChannel>(
    `SELECT c.channel_id, c.kind, c.config, c.verified_at IS NOT NULL AS verified, c.team_id, c.visibility, jsonb_build_object('name', t.name, 'slug', t.slug) AS workspace
       FROM notification_channels c JOIN tenants t USING (tenant_id) WHERE c.tenant_id = $1 AND c.channel_id = $2 AND c.deleted_at IS NULL`,
    [tenant_id, channel_id]
  )
  return rows[0] ?? null
}

export interface TestedMethod extends PersonTarget {
  method_id: string
  workspace: { name: string; slug: string }
}

/** Reads a person's own method as a test needs it. Null: the person has none with this id. */
export async function readTestedMethod(tx: Tx, tenant_id: string, user_id: string, method_id: string): Promise<TestedMethod | null> {
  const { rows } = await tx.query<TestedMethod>(
    `SELECT m.method_id, m.kind, m.address, m.verified_at IS NOT NULL AS verified, jsonb_build_object('name', t.name, 'slug', t.slug) AS workspace,
            CASE WHEN d.device_id IS NOT NULL THEN jsonb_build_object('platform', d.platform, 'push_token', d.push_token,
              'registered_at', floor(extract(epoch FROM d.last_seen_at) * 1000)) END AS device,
            ${personApp('m')} AS app
       FROM contact_methods m JOIN tenants t USING (tenant_id)
       LEFT JOIN push_devices d ON d.tenant_id = m.tenant_id AND d.device_id = m.method_id
      WHERE m.tenant_id = $1 AND m.user_id = $2 AND m.method_id = $3`,
    [tenant_id, user_id, method_id]
  )
  return rows[0] ?? null
}

export interface TestResult {
  delivery_id: string
  ok: boolean
  state: 'sent' | 'delivered' | 'failed'
  attempt: Attempt
  error_code: string | null
  request: SentRequest | null
}

/** The target of a test: a channel, or a person by one of their methods. */
interface Tested {
  kind: string
  target_id: string
  channel_id: string | null
  user_id: string | null
  method_id: string | null
  team_id: string | null
  visibility: 'org' | 'private'
}

async function insertTest(tx: Tx, tenant_id: string, tested: Tested, result: TestResult): Promise<void> {
  const { delivery_id, ok, state, attempt, error_code, request } = result
  const { kind, target_id, channel_id, user_id, method_id, team_id, visibility } = tested
  await tx.query(
    `INSERT INTO deliveries (tenant_id, delivery_id, intent_id, event, lane, kind, channel_id, user_id, method_id, target_id, state, attempts, accepted, manual,
       attempt_log, error_code, next_at, queued_at, expires_at, first_sent_at, delivered_at, finished_at, request, team_id, visibility)
     VALUES ($1, $2, $3, 'test', 0, $4, $5, $6, $7, $8, $9, 1, $10, true, $11, $12, now(), now(), now(), now(), CASE WHEN $10 THEN now() END, now(), $13, $14, $15)`,
    [
      tenant_id,
      delivery_id,
      deliveryIdOf(delivery_id),
      kind,
      channel_id,
      user_id,
      method_id,
      target_id,
      state,
      ok,
      JSON.stringify([attempt]),
      error_code,
      request === null ? null : JSON.stringify(request),
      team_id,
      visibility
    ]
  )
}

/** Saves the result of a test of a person's own method. */
export const saveMethodTest = (tx: Tx, tenant_id: string, user_id: string, { method_id, kind }: TestedMethod, result: TestResult) =>
  insertTest(tx, tenant_id, { kind, target_id: method_id, channel_id: null, user_id, method_id, team_id: null, visibility: 'org' }, result)

/**
 * Makes the deliveries due that wait until the quota of the channel ends. Those that somebody holds
 * at this moment are left out.
 */
export async function endQuotaWait(tx: Tx, tenant_id: string, channel_id: string): Promise<void> {
  await tx.query(
    `UPDATE deliveries d SET next_at = now()
       FROM (SELECT delivery_id FROM deliveries WHERE tenant_id = $1 AND target_id = $2 AND open AND state = 'retrying' AND error_code = 'quota'
                AND next_at > now() FOR UPDATE SKIP LOCKED) w
      WHERE d.tenant_id = $1 AND d.delivery_id = w.delivery_id`,
    [tenant_id, channel_id]
  )
}

/**
 * Saves the result of a test. A test that arrives turns the channel on again, and ends the wait for
 * its quota. Returns the channel's
 * health before; null: the channel is gone.
 */
export async function saveTest(tx: Tx, tenant_id: string, channel: TestedChannel, result: TestResult): Promise<string | null> {
  const { ok, attempt } = result
  const { channel_id } = channel
  await insertTest(tx, tenant_id, { ...channel, target_id: channel_id, channel_id, user_id: null, method_id: null }, result)
  const set = ok
    ? `health_state = 'ok', disabled_reason = NULL, consecutive_failures = 0, consecutive_refusals = 0, dead_letters = 0, dead_since = NULL,
       quota_exhausted_until = NULL, last_ok_at = now()`
    : 'last_error = $3, last_error_at = now()'
  const { rows } = await tx.query<{ health_state: string }>(
    `WITH before AS (SELECT health_state FROM notification_channels WHERE tenant_id = $1 AND channel_id = $2 FOR NO KEY UPDATE)
     UPDATE notification_channels c SET ${set} FROM before b WHERE c.tenant_id = $1 AND c.channel_id = $2 RETURNING b.health_state`,
    ok ? [tenant_id, channel_id] : [tenant_id, channel_id, attempt.error]
  )
  if (ok) await seeingAll(tx, (tx) => endQuotaWait(tx, tenant_id, channel_id))
  return rows[0]?.health_state ?? null
}
