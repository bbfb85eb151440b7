/**
 * The ledger of deliveries, which is the queue of the notifier too: rows are made with their
 * intents, claimed under a lease, and get what became of each attempt.
 *
 *   queued ──claim──► sending ──► sent, delivered, failed, expired
 *     ▲                  │  └───► retrying ──claim──► sending
 *     └── lease is over ─┘         (its worker died: the attempt counts as one that may have arrived)
 *
 * A claim names its attempt: what a worker that lost it records changes nothing. Pages of people
 * are claimed no more once their incident is acknowledged (delivery-pages.ts).
 * Source: docs/design/api/notifications.md#s8-5, docs/design/architecture.md#s13-delivery.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Delivery } from '../../schemas/generated/events.ts'
import type { Template } from '../../schemas/http/template-words.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Intent, Outgoing } from '../../streams/define.ts'
import { type DeliveryFacts, readFacts } from './delivery-facts.ts'
import { forget, inPieces } from './forget.ts'
import { insertOutgoing } from './outbox.ts'
import type { Pool, Tx } from './pool.ts'

export const LANES = { incident: 0, feed: 1, status: 2 } as const
export type Lane = (typeof LANES)[keyof typeof LANES]

/** Maximum number of concurrent attempts to one channel or method, over all workers. */
export const MAX_IN_FLIGHT = 4

export interface DeliveryRow {
  tenant_id: string
  delivery_id: string
  intent_id: string
  incident_id: string | null
  incident_ver: number | null
  event: Intent['event']
  lane: Lane
  kind: string
  channel_id: string | null
  user_id: string | null
  method_id: string | null
  target_id: string
  policy_id: string | null
  cycle: number | null
  step: number | null
  seq: number
  ver: number
  /** For a claimed delivery: the number of the current attempt. */
  attempts: number
  ambiguous: number
  accepted: boolean
  combined: boolean
  manual: boolean
  /** Epoch ms. */
  queued_at: number
  expires_at: number
  facts: DeliveryFacts | null
  /** The workspace's text that replaces the channel's own text. */
  template: Template | null
  /** The text of a delivery that is not about an incident. */
  said: Intent['said'] | null
  team_id: string | null
  visibility: 'org' | 'private'
}

export const tellsOfFailure = (event: DeliveryRow['event']): boolean => event === 'down' || event === 'degraded'

/** Whether the delivery is a page to a person. An acknowledgement takes pages back. */
export const isPage = ({ user_id, event }: Pick<DeliveryRow, 'user_id' | 'event'>): boolean => user_id !== null && tellsOfFailure(event)

/**
 * The error code of a page that is put off until the silence of its incident ends. Only pages of
 * escalation policies are put off.
 */
export const SILENCED = 'silenced'
/** How long a delivery that a person sends again by hand is valid. */
export const BY_HAND_HOURS = 24

/**
 * Returns when the delivery was asked for (epoch ms): when it was queued, or when a person sent it
 * again by hand.
 */
export const askedFor = ({ manual, queued_at, expires_at }: Pick<DeliveryRow, 'manual' | 'queued_at' | 'expires_at'>): number =>
  manual ? expires_at - BY_HAND_HOURS * 3_600_000 : queued_at
export const askedForSql = (alias: string): string =>
  `CASE WHEN ${alias}.manual THEN ${alias}.expires_at - interval '${BY_HAND_HOURS} hours' ELSE ${alias}.queued_at END`

export const pageSql = (alias: string): string => `(${alias}.user_id IS NOT NULL AND ${alias}.event IN ('down', 'degraded'))`

const COLUMNS = `tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, user_id, method_id, target_id, policy_id,
  cycle, step, seq, ver, attempts, ambiguous, accepted, combined, manual, queued_at, expires_at, facts, template, said, team_id, visibility`
export const columnsOf = (alias: string): string =>
  COLUMNS.split(',')
    .map((column) => `${alias}.${column.trim()}`)
    .join(', ')

/** The columns of a DeliveryRow, for `deliveries d`. */
export const deliveryColumns = columnsOf('d')

const WRITTEN = `tenant_id, delivery_id, intent_id, incident_id, incident_ver, event, lane, kind, channel_id, user_id, method_id, target_id, policy_id,
  cycle, step, combined, state, suppressed_by, suppressed_cause, next_at, queued_at, expires_at, finished_at, facts, said, team_id, visibility`

const iso = (ms: number): string => new Date(ms).toISOString()

export const deliveryIdOf = (intent_id: string): string => uuidv5(intent_id, 'delivery')

function rowOf(intent: Intent, facts: DeliveryFacts | undefined) {
  const { target, escalation, suppressed_by, at, due_at, expires_at } = intent
  const channel_id = 'channel_id' in target ? target.channel_id : null
  const user_id = 'user_id' in target ? target.user_id : null
  return {
    tenant_id: intent.tenant_id,
    delivery_id: deliveryIdOf(intent.intent_id),
    intent_id: intent.intent_id,
    incident_id: intent.incident_id,
    incident_ver: intent.incident_ver,
    event: intent.event,
    lane: intent.said ? LANES.feed : LANES.incident,
    kind: intent.method_kind ?? '',
    channel_id,
    user_id,
    method_id: intent.method_id,
    target_id: channel_id ?? intent.method_id ?? user_id,
    policy_id: escalation?.policy_id ?? null,
    cycle: escalation?.cycle ?? null,
    step: escalation?.step ?? null,
    combined: intent.why.combined === true,
    state: suppressed_by === null ? 'queued' : 'suppressed',
    suppressed_by,
    suppressed_cause: intent.suppressed_cause,
    next_at: iso(due_at),
    queued_at: iso(at),
    expires_at: iso(expires_at),
    finished_at: suppressed_by === null ? null : iso(at),
    facts: suppressed_by === null ? (facts ?? null) : null,
    said: suppressed_by === null ? (intent.said ?? null) : null,
    team_id: intent.team_id,
    visibility: intent.visibility
  }
}

/** Returns the log record of one step. It never holds an address or a text. */
export function recordOf(
  row: Omit<
    DeliveryRow,
    'facts' | 'template' | 'said' | 'seq' | 'accepted' | 'ambiguous' | 'combined' | 'lane' | 'target_id' | 'method_id'
  >,
  step: Pick<Delivery, 'state' | 'suppressed_by' | 'at' | 'cause'> &
    Partial<Pick<Delivery, 'attempt' | 'outcome' | 'http_status' | 'error_code' | 'provider_message_id' | 'latency_ms' | 'next_attempt_at'>>
): Outgoing<'notification.deliveries.v1'> {
  const { tenant_id, delivery_id, ver, incident_id, event, channel_id, user_id } = row
  const event_id = uuidv5(delivery_id, String(ver))
  return {
    tenant_id,
    aggregate: `delivery:${delivery_id}`,
    ver,
    topic: 'notification.deliveries.v1',
    key: incident_id ?? delivery_id,
    event_id,
    event_type: 'delivery',
    src: step.cause.src,
    body: 'record',
    record: 'Delivery',
    value: {
      event_id,
      tenant_id,
      delivery_id,
      ver,
      intent_id: row.intent_id,
      incident_id,
      incident_ver: row.incident_ver,
      event,
      channel_kind: row.kind,
      channel_id,
      user_id,
      escalation_policy_id: row.policy_id,
      step: row.step,
      cycle: row.cycle,
      attempt: 0,
      manual: row.manual,
      outcome: null,
      http_status: null,
      error_code: null,
      provider_message_id: null,
      latency_ms: null,
      queued_at: row.queued_at,
      next_attempt_at: null,
      expires_at: row.expires_at,
      team_id: row.team_id,
      visibility: row.visibility,
      config_versions: {},
      ...step
    }
  }
}

export const causeOf = (src: string): Delivery['cause'] => ({ kind: 'job', src, event_id: null, request_id: null, input: null })

/**
 * Deliveries that a transaction makes, so that the caller that runs it can claim them before the
 * commit. Without a listener they wait in the queue.
 */
const made = new WeakMap<Tx, MadeDelivery[]>()

export interface MadeDelivery {
  tenant_id: string
  delivery_id: string
  /** Null: the delivery has no target. */
  target_id: string | null
  kind: string
}

/** Returns a list to which the deliveries that `tx` makes from now on are added. */
export function watchDeliveries(tx: Tx): readonly MadeDelivery[] {
  const found: MadeDelivery[] = []
  made.set(tx, found)
  return found
}

/** The template of the channel, else of its kind, else of every kind. */
const TEMPLATE = `CASE WHEN d.suppressed_by IS NULL THEN coalesce(
  (SELECT c.template_overrides -> d.event FROM notification_channels c WHERE c.tenant_id = d.tenant_id AND c.channel_id = d.channel_id),
  (SELECT jsonb_build_object('title', t.title, 'body', t.body) FROM notification_templates t
    WHERE t.tenant_id = d.tenant_id AND t.event = d.event AND (t.kind = d.kind OR t.kind IS NULL) ORDER BY t.kind NULLS LAST LIMIT 1)) END`

/**
 * Returns the facts that the deliveries of these intents report about their incidents, by incident
 * id.
 */
export function factsOf(tx: Tx, intents: readonly Intent[]): Promise<Map<string, DeliveryFacts>> {
  const named = new Map(
    intents.flatMap(({ tenant_id, incident_id, suppressed_by }) =>
      incident_id === null || suppressed_by !== null ? [] : [[incident_id, { tenant_id, incident_id }]]
    )
  )
  return readFacts(tx, [...named.values()])
}

/**
 * Saves the deliveries of new intents with their texts. One statement puts the first record of each
 * delivery into the outbox, together with `outgoing`.
 */
export async function saveDeliveries(
  tx: Tx,
  intents: readonly Intent[],
  facts: ReadonlyMap<string, DeliveryFacts>,
  codec: Codec,
  outgoing: readonly Outgoing[]
): Promise<void> {
  const rows = intents.map((intent) => rowOf(intent, facts.get(intent.incident_id ?? '')))
  const records = intents.map((intent, nth) => firstRecordOf(intent, rows[nth] as ReturnType<typeof rowOf>))
  const queued = rows.filter(({ state }) => state === 'queued')
  made.get(tx)?.push(...queued.map(({ tenant_id, delivery_id, target_id, kind }) => ({ tenant_id, delivery_id, target_id, kind })))
  await Promise.all([rows.length === 0 ? null : insertRows(tx, rows), insertOutgoing(tx, [...outgoing, ...records], codec)])
}

const insertRows = (tx: Tx, rows: readonly ReturnType<typeof rowOf>[]): Promise<unknown> =>
  tx.query({
    name: 'deliveries-save',
    text: `INSERT INTO deliveries (${WRITTEN}, template) SELECT ${WRITTEN}, ${TEMPLATE}
             FROM json_populate_recordset(null::deliveries, $1::json) d ON CONFLICT DO NOTHING`,
    values: [JSON.stringify(rows)]
  })

function firstRecordOf(intent: Intent, row: ReturnType<typeof rowOf>): Outgoing {
  const { delivery_id, channel_id, user_id, kind, policy_id, cycle, step } = row
  const { at, expires_at, suppressed_by } = intent
  const names = { delivery_id, channel_id, user_id, kind, policy_id, cycle, step }
  return recordOf(
    { ...intent, ...names, ver: 1, attempts: 0, manual: false, queued_at: at, expires_at },
    { state: suppressed_by === null ? 'queued' : 'suppressed', suppressed_by, at, cause: causeOf(`intent:${intent.intent_id}`) }
  )
}

/**
 * SQL: whether the delivery `e` holds up no later one: a page that waits for the end of a silence,
 * or one that was not tried and is due later, by the person's rules or quiet hours. `now()` would
 * be too early for pages that the same transaction made.
 */
const STEPS_ASIDE = `CASE e.state WHEN 'retrying' THEN e.error_code IS NOT DISTINCT FROM '${SILENCED}'
  WHEN 'queued' THEN e.next_at > clock_timestamp() AND ${pageSql('e')} ELSE false END`

/**
 * One target gets the deliveries about one incident in their order, so `d` must be the first open
 * one. The condition compares one value instead of using NOT EXISTS. For NOT EXISTS, Postgres reads
 * all waiting deliveries of a target for each delivery when it estimates that few are waiting
 * there.
 */
const IN_TURN = `coalesce((SELECT e.delivery_id = d.delivery_id FROM deliveries e
  WHERE e.open AND e.tenant_id = d.tenant_id AND e.target_id = d.target_id AND e.incident_id = d.incident_id
    AND (e.delivery_id = d.delivery_id OR NOT ${STEPS_ASIDE})
  ORDER BY e.incident_ver, e.seq LIMIT 1), true)`

/** A claim whose lease ran out counts as an attempt with unknown outcome. */
export const LOST = `ambiguous = d.ambiguous + (d.state = 'sending')::integer,
  attempt_log = CASE WHEN d.state = 'sending' THEN d.attempt_log || jsonb_build_object('n', d.attempts, 'at', floor(extract(epoch FROM now()) * 1000),
    'outcome', 'unknown', 'error', 'worker_lost', 'masked', true) ELSE d.attempt_log END`
const TAKE = `state = 'sending', attempts = d.attempts + 1, next_at = now() + $1 * interval '1 millisecond', ${LOST}`

/**
 * A page whose claim ran out is first checked against its incident (delivery-pages.ts). `SELECT
 * now()` keeps the planner from using statistics of a minute ago to estimate how much is due.
 */
const CLAIMABLE = `d.open AND d.next_at <= (SELECT now()) AND NOT (d.state = 'sending' AND ${pageSql('d')})`

export interface MadeOptions {
  leaseMs: number
  /** Maximum number of concurrent attempts of one workspace, over all workers. */
  roomOfWorkspace: number
}

/**
 * Claims deliveries that this transaction made, as many as there is room for in their workspaces
 * and at their targets. It runs in the same transaction, so they are claimed when it commits. Their
 * due time is later than `now()`, because `now()` is when the transaction began.
 */
export async function claimMade(
  tx: Tx,
  deliveries: readonly Pick<MadeDelivery, 'tenant_id' | 'delivery_id'>[],
  { leaseMs, roomOfWorkspace }: MadeOptions
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return []
  const { rows } = await tx.query<DeliveryRow>({
    text: `WITH made AS (
             SELECT o.tenant_id, o.delivery_id, row_number() OVER (PARTITION BY o.tenant_id, o.target_id ORDER BY o.incident_ver, o.seq) AS nth,
                    (SELECT count(*) FROM deliveries b WHERE b.tenant_id = o.tenant_id AND b.target_id = o.target_id AND b.state = 'sending') AS busy
               FROM unnest($2::uuid[], $3::uuid[]) AS k (tenant_id, delivery_id)
               JOIN deliveries o ON o.tenant_id = k.tenant_id AND o.delivery_id = k.delivery_id
              WHERE o.state = 'queued' AND o.next_at <= clock_timestamp()
           ), turns AS (
             SELECT m.tenant_id, m.delivery_id, row_number() OVER (PARTITION BY m.tenant_id ORDER BY m.nth) AS turn
               FROM made m WHERE m.nth + m.busy <= ${MAX_IN_FLIGHT}
           ), spare AS MATERIALIZED (
             SELECT w.tenant_id, $4 - (SELECT count(*) FROM deliveries b
                                        WHERE b.tenant_id = w.tenant_id AND b.state = 'sending' AND b.next_at > now()) AS places
               FROM (SELECT DISTINCT tenant_id FROM turns) w
           )
           UPDATE deliveries d SET ${TAKE} FROM turns t JOIN spare s ON s.tenant_id = t.tenant_id AND t.turn <= s.places
            WHERE d.tenant_id = t.tenant_id AND d.delivery_id = t.delivery_id AND ${IN_TURN}
        RETURNING ${columnsOf('d')}`,
    values: [leaseMs, deliveries.map(({ tenant_id }) => tenant_id), deliveries.map(({ delivery_id }) => delivery_id), roomOfWorkspace]
  })
  return rows
}

export interface Cursor {
  tenant_id: string
  target_id: string
}

export interface MailRoom {
  /** At most so many. */
  room: number
  /** Maximum number of concurrent attempts by mail of one workspace, over all workers. */
  roomOfWorkspace: number
}

export interface ShareOptions extends MadeOptions {
  /** At most so many. */
  room: number
  /** Targets that are paused for a while. */
  resting: readonly string[]
  /** For the mails among them. Without it, they have no limits of their own. */
  mail?: MailRoom
}

export interface LookOptions extends ShareOptions {
  lane: Lane
  /** Where the previous look ended. */
  after: Cursor
  /** How many targets one look visits. */
  targets: number
}

/**
 * Parameters: `$1` lease, `$2` lane, `$3` resting, `$4` share of a workspace, `$5` room, `$8` share
 * of a workspace in mails, `$9` room for mails. Reads the CTE `targets`.
 */
const CLAIMED = `due_each AS (
    SELECT c.*, row_number() OVER (PARTITION BY c.tenant_id, c.is_mail ORDER BY c.nth, c.next_at) AS turn_of_kind
      FROM targets t
     CROSS JOIN LATERAL (SELECT count(*)::integer AS n FROM deliveries b
                          WHERE b.tenant_id = t.tenant_id AND b.target_id = t.target_id AND b.state = 'sending' AND b.next_at > now()) busy
     CROSS JOIN LATERAL (SELECT d.tenant_id, d.delivery_id, d.next_at, d.kind = 'email' AS is_mail, row_number() OVER (ORDER BY d.next_at, d.seq) AS nth FROM (
                           SELECT d.* FROM deliveries d WHERE ${CLAIMABLE} AND d.lane = $2 AND d.tenant_id = t.tenant_id AND d.target_id = t.target_id
                              AND ${IN_TURN}
                            ORDER BY d.next_at LIMIT greatest(0, ${MAX_IN_FLIGHT} - busy.n)) d) c
     WHERE t.target_id <> ALL ($3::uuid[])
  ), shared AS (
    SELECT e.*, row_number() OVER (PARTITION BY e.is_mail ORDER BY e.turn_of_kind, e.next_at) AS nth_of_kind FROM due_each e
     WHERE NOT e.is_mail OR (e.turn_of_kind <= $8 AND e.turn_of_kind <= $8 -
       (SELECT count(*) FROM deliveries b WHERE b.tenant_id = e.tenant_id AND b.state = 'sending' AND b.next_at > now() AND b.kind = 'email'))
  ), due AS (
    SELECT s.*, row_number() OVER (PARTITION BY s.tenant_id ORDER BY s.nth, s.next_at) AS turn FROM shared s
     WHERE NOT s.is_mail OR s.nth_of_kind <= $9
  ), picked AS (
    SELECT u.tenant_id, u.delivery_id FROM due u
     WHERE u.turn <= $4 - (SELECT count(*) FROM deliveries b WHERE b.tenant_id = u.tenant_id AND b.state = 'sending' AND b.next_at > now())
     ORDER BY u.turn, u.next_at LIMIT $5
  ), locked AS (
    SELECT l.* FROM picked p CROSS JOIN LATERAL (
      SELECT d.tenant_id, d.delivery_id FROM deliveries d
       WHERE d.tenant_id = p.tenant_id AND d.delivery_id = p.delivery_id AND ${CLAIMABLE} FOR UPDATE OF d SKIP LOCKED) l
  ), claimed AS (
    UPDATE deliveries d SET ${TAKE} FROM locked l WHERE d.tenant_id = l.tenant_id AND d.delivery_id = l.delivery_id RETURNING ${columnsOf('d')}
  )`

/**
 * Walks the queue by target and not by time, so that the backlog of a workspace or a dead channel
 * is passed in one step. Workspaces take turns, one delivery each. A test reads the plan: it may
 * touch no more rows than it claims.
 */
export const CLAIM = `
  WITH RECURSIVE walk AS (
    (SELECT tenant_id, target_id FROM deliveries WHERE open AND lane = $2 AND (tenant_id, target_id) > ($6::uuid, $7::uuid)
      ORDER BY tenant_id, target_id LIMIT 1)
    UNION ALL
    SELECT n.tenant_id, n.target_id FROM walk w CROSS JOIN LATERAL (
      SELECT tenant_id, target_id FROM deliveries WHERE open AND lane = $2 AND (tenant_id, target_id) > (w.tenant_id, w.target_id)
       ORDER BY tenant_id, target_id LIMIT 1) n
  ), targets AS MATERIALIZED (SELECT * FROM walk LIMIT $10
  ), ${CLAIMED}
  SELECT (SELECT count(*) FROM targets)::integer AS walked,
         (SELECT jsonb_build_object('tenant_id', tenant_id, 'target_id', target_id) FROM targets ORDER BY tenant_id DESC, target_id DESC LIMIT 1) AS last,
         c.* FROM (SELECT 1) one LEFT JOIN claimed c ON true`

/** Does the same for known targets. A test reads its plan, too. */
export const CLAIM_NEXT = `
  WITH targets AS MATERIALIZED (SELECT * FROM unnest($6::uuid[], $7::uuid[]) AS t (tenant_id, target_id)
  ), ${CLAIMED}
  SELECT * FROM claimed`

const START: Cursor = { tenant_id: '00000000-0000-0000-0000-000000000000', target_id: '00000000-0000-0000-0000-000000000000' }
export const firstCursor = START

/**
 * Claims the due deliveries of one lane, and returns where the next look begins. The statement has
 * no name, so it is planned for each look (docs/decisions/0071): a cached plan would be made while
 * the queue is short, when every index costs the same.
 */
export async function claimDeliveries(tx: Tx, options: LookOptions): Promise<{ claimed: DeliveryRow[]; after: Cursor }> {
  const { lane, leaseMs, room, roomOfWorkspace, resting, after, targets, mail = { room, roomOfWorkspace } } = options
  const { rows } = await tx.query<DeliveryRow & { walked: number; last: Cursor | null }>({
    text: CLAIM,
    values: [leaseMs, lane, resting, roomOfWorkspace, room, after.tenant_id, after.target_id, mail.roomOfWorkspace, mail.room, targets]
  })
  const [first] = rows
  const ended = !first || first.walked < targets || first.last === null
  const claimed = rows.flatMap(({ walked: _walked, last: _last, ...row }) => (row.delivery_id === null ? [] : [row]))
  return { claimed, after: ended ? START : (first.last ?? START) }
}

/**
 * Claims the next deliveries of these targets in the lane of incidents, in the transaction that
 * records the outcomes of the previous ones. Planned for each call, as a claim is.
 */
export async function claimNext(
  tx: Tx,
  targets: readonly Cursor[],
  { leaseMs, room, roomOfWorkspace, resting, mail = { room, roomOfWorkspace } }: ShareOptions
): Promise<DeliveryRow[]> {
  if (targets.length === 0 || room < 1) return []
  const { rows } = await tx.query<DeliveryRow>(CLAIM_NEXT, [
    leaseMs,
    LANES.incident,
    resting,
    roomOfWorkspace,
    room,
    targets.map(({ tenant_id }) => tenant_id),
    targets.map(({ target_id }) => target_id),
    mail.roomOfWorkspace,
    mail.room
  ])
  return rows
}

const MAX_TARGETS = 1000
/** The first delivery of each target. */
const NEXT = `
  WITH RECURSIVE walk AS (
    (SELECT lane, tenant_id, target_id, next_at FROM deliveries WHERE open ORDER BY lane, tenant_id, target_id, next_at LIMIT 1)
    UNION ALL
    SELECT n.* FROM walk w CROSS JOIN LATERAL (
      SELECT lane, tenant_id, target_id, next_at FROM deliveries WHERE open AND (lane, tenant_id, target_id) > (w.lane, w.tenant_id, w.target_id)
       ORDER BY lane, tenant_id, target_id, next_at LIMIT 1) n
  )
  SELECT (extract(epoch FROM min(next_at) - now()) * 1000)::float8 AS ms, count(*) = ${MAX_TARGETS} AS has_more
    FROM (SELECT next_at FROM walk LIMIT ${MAX_TARGETS}) firsts`

export interface NextDelivery {
  /**
   * Milliseconds until a delivery of the first 1000 targets may be claimed, or null when none
   * waits. May be negative.
   */
  ms: number | null
  /** Other targets may have deliveries that may be claimed earlier. */
  has_more: boolean
}

/** Looks for the next delivery that may be claimed. */
export async function nextDelivery(pool: Pool): Promise<NextDelivery> {
  const { rows } = await pool.query<NextDelivery>({ name: 'deliveries-next', text: NEXT })
  return rows[0] ?? { ms: null, has_more: false }
}

/** To find out whether it is the turn of a delivery costs about as much as to claim it. */
const MAX_AGED = 1000

/**
 * Returns what is due and not claimed, by lane: how many deliveries, at most `limit`, and how long
 * one of them has waited for a worker. For the time, a delivery does not count that waits for an
 * earlier one of its incident, for a target that is `resting`, for the mail server (`mailRests`),
 * or for the attempts that its target already has: another worker could not send it earlier.
 */
export async function waitingDeliveries(
  pool: Pool,
  limit: number,
  resting: readonly string[],
  mailRests = false
): Promise<{ lane: Lane; waiting: number; oldest_ms: number }[]> {
  const due = "d.open AND d.lane = l.lane AND d.state <> 'sending' AND d.next_at <= now()"
  const { rows } = await pool.query<{ lane: Lane; waiting: number; oldest_ms: number }>(
    `WITH full_targets AS MATERIALIZED (
       SELECT tenant_id, target_id FROM deliveries WHERE state = 'sending' AND next_at > now()
        GROUP BY tenant_id, target_id HAVING count(*) >= ${MAX_IN_FLIGHT}
     )
     SELECT l.lane, waits.n AS waiting, coalesce(extract(epoch FROM now() - oldest.next_at) * 1000, 0)::float8 AS oldest_ms
       FROM unnest(ARRAY[0, 1, 2]) AS l (lane)
      CROSS JOIN LATERAL (SELECT count(*)::integer AS n FROM (SELECT FROM deliveries d WHERE ${due} LIMIT $1) w) waits
      CROSS JOIN LATERAL (SELECT min(w.next_at) AS next_at FROM (
                            SELECT d.next_at FROM deliveries d
                             WHERE ${due} AND d.target_id <> ALL ($2::uuid[]) AND NOT ($3 AND d.kind = 'email')
                               AND NOT EXISTS (SELECT FROM full_targets f WHERE f.tenant_id = d.tenant_id AND f.target_id = d.target_id)
                               AND ${IN_TURN} LIMIT ${MAX_AGED}) w) oldest
      ORDER BY l.lane`,
    [limit, resting, mailRests]
  )
  return rows
}

const KEPT_DAYS = 400
const SENT_KEPT_DAYS = 30
/**
 * SQL: what says who heard of an incident is kept for as long as it goes on, by itself or in the
 * one that it was merged into, and until its end has been told. So nobody hears of it anew, and
 * everybody who heard of it hears of its end.
 */
const IS_OVER = `NOT EXISTS (
  WITH RECURSIVE goes_on AS (
    SELECT i.status, i.resolved_at, i.merged_into FROM incidents i WHERE i.tenant_id = x.tenant_id AND i.incident_id = x.incident_id
     UNION ALL
    SELECT i.status, i.resolved_at, i.merged_into FROM goes_on g JOIN incidents i ON i.tenant_id = x.tenant_id AND i.incident_id = g.merged_into
  ) SELECT FROM goes_on WHERE status = 'ongoing' OR resolved_at > now() - interval '30 days')`

/**
 * Deletes what was sent by deliveries queued 30 days ago (the rows stay), and deletes deliveries of
 * 400 days ago, unless they are about an incident that is still ongoing. Returns how many of both.
 */
export async function forgetDeliveries(pool: Pool): Promise<{ forgotten: number; emptied: number }> {
  const emptied = await inPieces(
    pool,
    'deliveries',
    (isInPiece) => `UPDATE deliveries x SET facts = NULL, template = NULL, said = NULL, request = NULL
      WHERE ${isInPiece} AND x.queued_at < now() - make_interval(days => $1) AND NOT x.open
        AND (x.facts IS NOT NULL OR x.template IS NOT NULL OR x.said IS NOT NULL OR x.request IS NOT NULL)`,
    [SENT_KEPT_DAYS]
  )
  const forgotten = await forget(pool, 'deliveries', `x.queued_at < now() - make_interval(days => $1) AND ${IS_OVER}`, [KEPT_DAYS])
  for (const table of ['delivery_refs', 'incident_tellings'])
    await forget(pool, table, `x.updated_at < now() - make_interval(days => $1) AND ${IS_OVER}`, [KEPT_DAYS])
  return { forgotten, emptied }
}
