/** Words for the feed, and where its items lead. Pure. */
import type { FeedCategory, FeedItem, UnreadCount } from '../../api/shapes.ts'
import { feedText } from '../../texts/feed.ts'

/** What one may react with here; others that came by the api are shown, too. */
export const offered = ['👍', '👀', '🎉', '❤️', '🙏', '😕'] as const

export interface Counted {
  emoji: string
  count: number
  mine: boolean
}

/** Each emoji once, in the order in which they came first. An item belongs to who looks at it. */
export function countedOf({ reactions, user_id }: Pick<FeedItem, 'reactions' | 'user_id'>): Counted[] {
  const found = new Map<string, Counted>()
  for (const { emoji, user_id: by } of reactions) {
    const { count, mine } = found.get(emoji) ?? { count: 0, mine: false }
    found.set(emoji, { emoji, count: count + 1, mine: mine || by === user_id })
  }
  return [...found.values()]
}

/** Unread items of these categories; of none: of all. */
export const unreadOf = ({ total, by_category }: UnreadCount, category: readonly FeedCategory[]): number =>
  category.length === 0 ? total : category.reduce((sum, one) => sum + by_category[one], 0)

/** Of everything, whatever the list is narrowed to. */
export const answerOf = ({ total }: UnreadCount): string =>
  total === 0 ? feedText('answer.none') : feedText('answer.unread', { count: total })

/** The address of what an item is about; null: it says all itself. */
export function placeOf({ incident_id, monitor_id, heartbeat_id, type }: FeedItem): string | null {
  if (incident_id !== null) return `/incidents/${incident_id}`
  if (monitor_id !== null) return `/monitors/${monitor_id}`
  if (heartbeat_id !== null) return `/heartbeats/${heartbeat_id}`
  if (type === 'limit' || type === 'usage' || type === 'plan') return '/settings/usage'
  return null
}
