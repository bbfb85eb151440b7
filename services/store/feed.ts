/**
 * The in-app feed of people: one row per person and notice, and a frame on their channel
 * `notifications.feed`.
 *
 * Source: docs/design/specification.md#s2-5 and #s6-4, docs/design/api/notifications.md#no-12 to
 * #no-16.
 */
import type { Codec } from '../../schemas/codec.ts'
import { type MemberRole, roles } from '../../schemas/http/endpoints.ts'
import type { FeedCategory, FeedType } from '../../schemas/http/feed.ts'
import { feedCategoriesOf, rightsOf } from '../../schemas/http/rights.ts'
import { isVisible, type Owned, sightOf, type TeamLists } from '../../schemas/http/visibility.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { FeedNotice, Outgoing } from '../../streams/define.ts'
import { noticeIdOf } from './feed-jobs.ts'
import { forgetReactions, type Reaction } from './feed-reactions.ts'
import { forget } from './forget.ts'
import { insertOutgoing } from './outbox.ts'
import type { Pool, Tx } from './pool.ts'

export interface FeedItem {
  item_id: string
  /** The same for everybody who received the notice. */
  notice_id: string
  tenant_id: string
  user_id: string
  type: FeedType
  category: FeedCategory
  severity: 'critical' | 'warning' | 'info'
  title: string
  body: string
  incident_id: string | null
  monitor_id: string | null
  heartbeat_id: string | null
  event_id: string | null
  /** Epoch ms. */
  read_at: number | null
  created_at: number
}

const COLUMNS =
  'item_id, notice_id, tenant_id, user_id, type, category, severity, title, body, incident_id, monitor_id, heartbeat_id, event_id, read_at, created_at'

const categoryOf = (type: FeedType): FeedCategory => {
  switch (type) {
    case 'billing':
    case 'limit':
    case 'usage':
    case 'plan':
      return 'billing'
    case 'admin':
    case 'broadcast':
    case 'announcement':
      return 'admin'
    default:
      return 'incident'
  }
}

const audiences: Readonly<Record<FeedNotice['audience'], readonly MemberRole[]>> = {
  managers: ['owner', 'admin', 'billing'],
  admins: ['owner', 'admin'],
  editors: ['owner', 'admin', 'editor'],
  watchers: ['owner', 'admin', 'responder', 'editor', 'viewer'],
  everybody: roles
}

/** Roles that could not see the notice in their feed do not receive it. */
const recipientsOf = (audience: FeedNotice['audience'], category: FeedCategory): MemberRole[] =>
  audiences[audience].filter((role) => feedCategoriesOf(rightsOf(role, null)).includes(category))

/**
 * Returns an item as specification 2.5 defines it: the exact JSON of both the frame and the api.
 */
export const toItem = (item: FeedItem, reactions: readonly Reaction[] = []) => ({
  id: item.item_id,
  tenant_id: item.tenant_id,
  user_id: item.user_id,
  type: item.type,
  title: item.title,
  body: item.body,
  severity: item.severity,
  incident_id: item.incident_id,
  monitor_id: item.monitor_id,
  heartbeat_id: item.heartbeat_id,
  event_id: item.event_id,
  category: item.category,
  reactions: reactions.map(({ emoji, user_id, created_at }) => ({ emoji, user_id, created_at: new Date(created_at).toISOString() })),
  read_at: item.read_at === null ? null : new Date(item.read_at).toISOString(),
  created_at: new Date(item.created_at).toISOString()
})

function frameOf(item: FeedItem): Outgoing {
  const { tenant_id, user_id, item_id, created_at } = item
  const at = new Date(created_at).toISOString()
  return {
    tenant_id,
    aggregate: `feed:${item_id}`,
    ver: 1,
    topic: 'realtime.frames.v1',
    key: tenant_id,
    event_id: item_id,
    event_type: 'notification.created',
    src: `feed:${item_id}`,
    body: 'frame',
    json: JSON.stringify({ channel: 'notifications.feed', type: 'notification.created', data: toItem(item), at, ver: 1 }),
    audience: `user:${user_id}`,
    category: item.category
  }
}

const OF_NO_TEAM: Owned = { team_id: null, visibility: 'org' }

type Reader = TeamLists & { user_id: string; role: MemberRole }

/** Returns the members of a workspace who may read a category. `user_id`: only that one. */
async function readersOf(tx: Tx, tenant_id: string, roles: readonly MemberRole[], category: FeedCategory, user_id: string | null) {
  const { rows } = await tx.query<Reader>({
    name: 'feed-readers',
    text: `SELECT m.user_id, m.role, l.own_teams, l.hidden_teams FROM members m CROSS JOIN LATERAL team_lists(m.tenant_id, m.user_id) l
      WHERE m.tenant_id = $1 AND m.role = ANY ($2::text[]) AND ($4::uuid IS NULL OR m.user_id = $4)
        AND NOT EXISTS (SELECT FROM notification_preferences p WHERE p.tenant_id = $1 AND p.user_id = m.user_id AND NOT p.body -> 'feed_categories' ? $3)
      ORDER BY m.user_id`,
    values: [tenant_id, roles, category, user_id]
  })
  return rows
}

/** Returns a row for each reader who may see the subject of the notice. */
function rowsOf(notice: FeedNotice, category: FeedCategory, readers: readonly Reader[]) {
  const { tenant_id, key, type, severity, title, body, at, about = OF_NO_TEAM } = notice
  const { incident_id = null, monitor_id = null, heartbeat_id = null } = notice
  const told = readers.filter((reader) => isVisible(sightOf(reader.role, reader), about))
  return told.map(({ user_id }) => ({
    tenant_id,
    user_id,
    item_id: uuidv5(user_id, `${tenant_id} ${key}`),
    type,
    category,
    severity,
    title,
    body,
    created_at: new Date(at).toISOString(),
    team_id: about.team_id,
    visibility: about.visibility,
    incident_id,
    monitor_id,
    heartbeat_id,
    notice_id: noticeIdOf({ tenant_id, key })
  }))
}

const WRITTEN = `tenant_id, user_id, item_id, type, category, severity, title, body, created_at, team_id, visibility,
  incident_id, monitor_id, heartbeat_id, notice_id`

/**
 * Delivers each notice to everybody it is for, in the transaction of its cause. A notice that was
 * delivered before is not delivered again. Notices for the same readers load the readers once. For
 * service_system.
 */
export async function saveFeed(tx: Tx, notices: readonly FeedNotice[], codec: Codec): Promise<void> {
  const asked = new Map<string, Promise<Reader[]>>()
  const read = ({ tenant_id, audience, user_id }: FeedNotice, category: FeedCategory): Promise<Reader[]> => {
    const name = [tenant_id, audience, category, user_id].join(' ')
    const reading = asked.get(name) ?? readersOf(tx, tenant_id, recipientsOf(audience, category), category, user_id ?? null)
    asked.set(name, reading)
    return reading
  }
  const told = await Promise.all(
    notices.map(async (notice) => {
      const category = categoryOf(notice.type)
      return rowsOf(notice, category, await read(notice, category))
    })
  )
  const items = told.flat()
  if (items.length === 0) return
  const { rows } = await tx.query<FeedItem>({
    name: 'feed-save',
    text: `INSERT INTO feed (${WRITTEN}) SELECT ${WRITTEN} FROM json_populate_recordset(null::feed, $1::json)
           ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    values: [JSON.stringify(items)]
  })
  await insertOutgoing(tx, rows.map(frameOf), codec)
}

export interface FeedFilter {
  unread?: boolean
  /** Categories that the reader may see (rights.ts) and asked for. An empty list gives no items. */
  categories: readonly FeedCategory[]
  types: readonly FeedType[]
  severities: readonly string[]
  /** Epoch ms; null: no bound. */
  from: number | null
  to: number | null
}

const WHERE = `tenant_id = $1 AND user_id = $2 AND ($3::boolean IS NULL OR (read_at IS NULL) = $3)
  AND category = ANY ($4::text[]) AND (cardinality($5::text[]) = 0 OR type = ANY ($5))
  AND (cardinality($6::text[]) = 0 OR severity = ANY ($6))
  AND ($7::timestamptz IS NULL OR created_at >= $7) AND ($8::timestamptz IS NULL OR created_at < $8)`

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** Lists the items of one person, newest first: from an offset on, or after the item `behind`. */
export async function listFeed(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  filter: FeedFilter,
  { offset, limit, behind }: { offset: number; limit: number; behind: { created_at: number; item_id: string } | null }
): Promise<{ items: FeedItem[]; total: number; before: number }> {
  const { unread = null, categories, types, severities, from, to } = filter
  const values = [tenant_id, user_id, unread, categories, types, severities, dateOf(from), dateOf(to)]
  const { rows } = await tx.query<FeedItem>(
    `SELECT ${COLUMNS} FROM feed WHERE ${WHERE} AND ($9::timestamptz IS NULL OR (created_at, item_id) < ($9, $10::uuid))
      ORDER BY created_at DESC, item_id DESC LIMIT $11 OFFSET $12`,
    [...values, dateOf(behind?.created_at ?? null), behind?.item_id ?? null, limit, offset]
  )
  const { rows: counts } = await tx.query<{ total: number; behind: number }>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE (created_at, item_id) < ($9::timestamptz, $10::uuid)) AS behind FROM feed WHERE ${WHERE}`,
    [...values, dateOf(behind?.created_at ?? null), behind?.item_id ?? null]
  )
  const total = counts[0]?.total ?? 0
  return { items: rows, total, before: behind ? total - (counts[0]?.behind ?? 0) : offset }
}

/** Counts the unread items of one person by category, among the categories that they may see. */
export async function countUnread(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  categories: readonly FeedCategory[]
): Promise<Map<FeedCategory, number>> {
  const { rows } = await tx.query<{ category: FeedCategory; count: number }>(
    'SELECT category, count(*) FROM feed WHERE tenant_id = $1 AND user_id = $2 AND category = ANY ($3) AND read_at IS NULL GROUP BY category',
    [tenant_id, user_id, categories]
  )
  return new Map(rows.map(({ category, count }) => [category, count]))
}

/**
 * Marks one item as read or unread. The time of the first reading is kept. Returns null when the
 * person has no such item that they may see.
 */
export async function markRead(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  item_id: string,
  { read, categories }: { read: boolean; categories: readonly FeedCategory[] }
): Promise<FeedItem | null> {
  const { rows } = await tx.query<FeedItem>(
    `UPDATE feed SET read_at = CASE WHEN $4 THEN coalesce(read_at, now()) END
      WHERE tenant_id = $1 AND user_id = $2 AND item_id = $3 AND category = ANY ($5) RETURNING ${COLUMNS}`,
    [tenant_id, user_id, item_id, read, categories]
  )
  return rows[0] ?? null
}

/**
 * Marks unread items of these categories, created up to `before` (epoch ms), as read. Returns how
 * many.
 */
export async function markAllRead(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  { before, categories }: { before: number; categories: readonly FeedCategory[] }
): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE feed SET read_at = now()
      WHERE tenant_id = $1 AND user_id = $2 AND read_at IS NULL AND created_at <= $3 AND category = ANY ($4)`,
    [tenant_id, user_id, new Date(before), categories]
  )
  return rowCount ?? 0
}

const KEPT_DAYS = 90

/**
 * Deletes items older than 90 days, in all workspaces. Returns how many items. For service_system.
 */
export async function forgetFeed(pool: Pool): Promise<number> {
  const forgotten = await forget(pool, 'feed', 'x.created_at < now() - make_interval(days => $1)', [KEPT_DAYS])
  await forgetReactions(pool)
  return forgotten
}
