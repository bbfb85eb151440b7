/**
 * Marks items of the feed as read and reacts to them. Changes show at once and are undone if the
 * server refuses them. This module loads with the list, because the bell needs only the count.
 */
import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { tellRefused } from '../parts/tell.ts'
import { feedText } from '../texts/feed.ts'
import { client, take } from './client.ts'
import { unreadQuery } from './feed.ts'
import type { FeedCategory, FeedItem, UnreadCount } from './shapes.ts'

type Pages = InfiniteData<{ items: FeedItem[] }>

/** Applies `changed` to the items of every list that shows them. */
function change(queries: QueryClient, changed: (item: FeedItem) => FeedItem): void {
  queries.setQueriesData<Pages>(
    { queryKey: ['feed', 'list'] },
    (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(changed) })) }
  )
}

function count(queries: QueryClient, counted: (count: UnreadCount) => UnreadCount): void {
  queries.setQueryData(unreadQuery.queryKey, (before) => before && counted(before))
}

/** `changeOf` returns by how much the unread count of a category changes. */
const counting =
  (changeOf: (category: FeedCategory, before: number) => number) =>
  ({ by_category }: UnreadCount): UnreadCount => {
    const after = (category: FeedCategory): number => Math.max(0, by_category[category] + changeOf(category, by_category[category]))
    const next = { incident: after('incident'), admin: after('admin'), billing: after('billing') }
    return { total: next.incident + next.admin + next.billing, by_category: next }
  }

/** Shows the change at once. The returned `back` undoes it. */
async function ahead(queries: QueryClient, show: () => void): Promise<{ back: () => void }> {
  // Running requests would bring back the items as they were before.
  await queries.cancelQueries({ queryKey: ['feed'] })
  const before = queries.getQueriesData({ queryKey: ['feed'] })
  show()
  return {
    back: () => {
      for (const [key, data] of before) queries.setQueryData(key, data)
    }
  }
}

/** Marks one item as read or unread. */
export function useMark() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ item, read }: { item: FeedItem; read: boolean }) => {
      const of = { params: { path: { id: item.id } } }
      return take(
        read ? client.POST('/api/v1/notifications/feed/{id}/read', of) : client.POST('/api/v1/notifications/feed/{id}/unread', of)
      )
    },
    onMutate: ({ item, read }) =>
      ahead(queries, () => {
        if ((item.read_at !== null) === read) return
        const read_at = read ? new Date().toISOString() : null
        change(queries, (one) => (one.id === item.id ? { ...one, read_at } : one))
        count(
          queries,
          counting((category) => (category === item.category ? (read ? -1 : 1) : 0))
        )
      }),
    onError: (error, { read }, context) => {
      context?.back()
      tellRefused(feedText(read ? 'refused.read' : 'refused.unread'), error)
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['feed'] })
  })
}

/** Adds a reaction of the person to an item, or removes it. */
export function useReact() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ item, emoji, add }: { item: FeedItem; emoji: string; add: boolean }) => {
      const of = { params: { path: { id: item.id, emoji } } }
      return take(
        add
          ? client.PUT('/api/v1/notifications/feed/{id}/reactions/{emoji}', of)
          : client.DELETE('/api/v1/notifications/feed/{id}/reactions/{emoji}', of)
      )
    },
    onMutate: ({ item, emoji, add }) =>
      ahead(queries, () =>
        change(queries, (one) => {
          if (one.id !== item.id) return one
          const others = one.reactions.filter((reaction) => reaction.emoji !== emoji || reaction.user_id !== one.user_id)
          return { ...one, reactions: add ? [...others, { emoji, user_id: one.user_id, created_at: new Date().toISOString() }] : others }
        })
      ),
    onError: (error, _asked, context) => {
      context?.back()
      tellRefused(feedText('refused.reaction'), error)
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['feed', 'list'] })
  })
}

/**
 * Marks all items of the categories (none: of all) as read that were created until `before`, an
 * instant. Later items have not been seen.
 */
export function useMarkAll() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ category, before }: { category: readonly FeedCategory[]; before: string }) => {
      const bodies = category.length > 0 ? category.map((one) => ({ before, category: one })) : [{ before }]
      await Promise.all(bodies.map((body) => take(client.POST('/api/v1/notifications/feed/read-all', { body }))))
    },
    onMutate: ({ category, before }) =>
      ahead(queries, () => {
        const concerns = (one: FeedCategory): boolean => category.length === 0 || category.includes(one)
        const read_at = new Date().toISOString()
        change(queries, (item) =>
          concerns(item.category) && item.read_at === null && item.created_at <= before ? { ...item, read_at } : item
        )
        count(
          queries,
          counting((one, unread) => (concerns(one) ? -unread : 0))
        )
      }),
    onError: (error, _asked, context) => {
      context?.back()
      tellRefused(feedText('refused.all'), error)
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['feed'] })
  })
}
