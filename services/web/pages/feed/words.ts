/** Words for the feed, and the link of each item. Pure. */
import type { FeedCategory, FeedItem, UnreadCount } from '../../api/shapes.ts'
import { feedText } from '../../texts/feed.ts'

/** The reactions offered here. Others that were added through the api are shown as well. */
export const offered = ['👍', '👀', '🎉', '❤️', '🙏', '😕'] as const

export interface Counted {
  emoji: string
  count: number
  mine: boolean
}

/**
 * Returns each emoji once, in the order of its first use. `user_id` is the owner of the item, who
 * is the person looking at it.
 */
export function countedOf({ reactions, user_id }: Pick<FeedItem, 'reactions' | 'user_id'>): Counted[] {
  const found = new Map<string, Counted>()
  for (const { emoji, user_id: by } of reactions) {
    const { count, mine } = found.get(emoji) ?? { count: 0, mine: false }
    found.set(emoji, { emoji, count: count + 1, mine: mine || by === user_id })
  }
  return [...found.values()]
}

/** Returns the number of unread items in these categories. Without categories it counts all. */
export const unreadOf = ({ total, by_category }: UnreadCount, category: readonly FeedCategory[]): number =>
  category.length === 0 ? total : category.reduce((sum, one) => sum + by_category[one], 0)

/** Covers the whole feed, whatever the filters are. */
export const answerOf = ({ total }: UnreadCount): string =>
  total === 0 ? feedText('answer.none') : feedText('answer.unread', { count: total })

/**
 * Returns the address of the item's subject. Null when the item has no page of its own to link to.
 */
export function placeOf({ incident_id, monitor_id, heartbeat_id, type }: FeedItem): string | null {
  if (incident_id !== null) return `/incidents/${incident_id}`
  if (monitor_id !== null) return `/monitors/${monitor_id}`
  if (heartbeat_id !== null) return `/heartbeats/${heartbeat_id}`
  if (type === 'limit' || type === 'usage' || type === 'plan') return '/settings/usage'
  return null
}
