/**
 * The feed of one person: what the app shows them.
 * Source: docs/design/specification.md#s2-5 and #s6-4, docs/design/api/notifications.md#no-12 to
 * #no-16.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, list, nullable, oneOf, paging, Severity } from './common.ts'

export const feedTypes = [
  'down',
  'up',
  'mass_outage',
  'ssl_expiry',
  'incident',
  'recovered',
  'admin',
  'broadcast',
  'announcement',
  'billing',
  'limit',
  'usage',
  'plan'
] as const
export type FeedType = (typeof feedTypes)[number]
export const feedCategories = ['incident', 'admin', 'billing'] as const
export type FeedCategory = (typeof feedCategories)[number]

const several = <const V extends readonly string[]>(words: V) => Type.Optional(Type.Array(oneOf(words), { minItems: 1, maxItems: 20 }))

export const FeedQuery = Type.Object(
  {
    ...paging,
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
    unread: Type.Optional(Type.Boolean({ description: 'true: only unread items; false: only read ones.' })),
    category: several(feedCategories),
    type: several(feedTypes),
    severity: Type.Optional(Type.Array(Severity, { minItems: 1, maxItems: 3 })),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'next_cursor of the previous page, with the same filters; use it instead of `page`.'
      })
    )
  },
  { additionalProperties: false }
)

export const FeedItem = Type.Object({
  id: Id,
  tenant_id: Id,
  user_id: Id,
  type: oneOf(feedTypes),
  title: Type.String(),
  body: Type.String(),
  severity: Severity,
  incident_id: nullable(Id),
  monitor_id: nullable(Id),
  heartbeat_id: nullable(Id),
  event_id: nullable(Id),
  category: oneOf(feedCategories),
  reactions: Type.Array(Type.Object({ emoji: Type.String(), user_id: Id, created_at: Instant })),
  read_at: nullable(Instant),
  created_at: Instant
})
export type FeedItem = Static<typeof FeedItem>
export const FeedList = Type.Object({ ...list(FeedItem).properties, next_cursor: nullable(Type.String()) })

export const UnreadCount = Type.Object({
  total: Type.Integer(),
  by_category: Type.Object({ incident: Type.Integer(), admin: Type.Integer(), billing: Type.Integer() })
})

export const ReadMark = Type.Object({ read_at: nullable(Instant) })

export const ReadAllBody = Type.Object({
  before: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Items created after this time stay unread. Default: now.' })),
  category: Type.Optional(oneOf(feedCategories))
})
export const ReadAllAnswer = Type.Object({ changed: Type.Integer() })
