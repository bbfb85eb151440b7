/**
 * The feed of the caller; with a token, of the person who owns it. It contains the categories that
 * the caller's rights allow.
 * Source: docs/design/specification.md#s4-2, docs/design/api/notifications.md#no-12 to #no-16.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { isEmoji } from '../../../schemas/http/emoji.ts'
import { type FeedCategory, FeedList, FeedQuery, ReadAllAnswer, ReadAllBody, ReadMark, UnreadCount } from '../../../schemas/http/feed.ts'
import { feedCategoriesOf } from '../../../schemas/http/rights.ts'
import { countUnread, listFeed, markAllRead, markRead, toItem } from '../../store/feed.ts'
import { MAX_KINDS, react, readReactions, takeBack } from '../../store/feed-reactions.ts'
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { cursorOf, positionOf } from '../http/cursor.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'

const PER_PAGE = 20
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const instant = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

/**
 * Returns the requested categories that the caller may see. A caller who names none asks for all.
 */
function shownOf({ rights }: Caller, asked: readonly FeedCategory[]): readonly FeedCategory[] {
  const visible = feedCategoriesOf(rights)
  return asked.length === 0 ? visible : visible.filter((category) => asked.includes(category))
}

const Params = Type.Object({ id: Id })
const ReactionParams = Type.Object({ id: Id, emoji: Type.String({ minLength: 1, maxLength: 200, description: 'One emoji.' }) })

/** Throws VALIDATION_FAILED. */
function emojiOf(text: string): string {
  if (!isEmoji(text)) throw invalid('emoji', 'pattern', 'must be one emoji')
  return text
}

const whose = (caller: Caller, item_id: string) => ({
  tenant_id: caller.tenant_id,
  user_id: caller.user_id,
  item_id,
  categories: shownOf(caller, [])
})

export const feedRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    async function marked(caller: Caller, id: string, read: boolean): Promise<{ read_at: string | null }> {
      const { tenant_id, user_id } = caller
      const mark = { read, categories: shownOf(caller, []) }
      const item = await keyedTransaction(pool, caller, (tx) => markRead(tx, tenant_id, user_id, id, mark))
      if (!item) throw notFound()
      return { read_at: iso(item.read_at) }
    }

    app.route({
      ...on('listFeed', { querystring: FeedQuery, response: { 200: FeedList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const { page, per_page = PER_PAGE, unread, category = [], type = [], severity = [], from, to, cursor } = request.query
        const wanted = pageOf({ ...(page !== undefined && { page }), per_page })
        const filter = {
          ...(unread !== undefined && { unread }),
          categories: shownOf(caller, category),
          types: type,
          severities: severity,
          from: instant(from),
          to: instant(to)
        }
        const now = Date.now()
        const list = ['feed', tenant_id, user_id, filter]
        const [created_at, item_id] = cursor === undefined ? [] : positionOf(cursor, list, ['number', 'string'], now).keys
        if (item_id !== undefined && !UUID.test(String(item_id))) throw new ApiError('BAD_REQUEST', 'cursor: does not belong to this list')
        const behind = created_at === undefined ? null : { created_at: Number(created_at), item_id: String(item_id) }
        const asked = { offset: behind ? 0 : (wanted.page - 1) * per_page, limit: per_page + 1, behind }
        const { items, total, before, reactions } = await tenantTransaction(pool, callerOf(request), async (tx) => {
          const found = await listFeed(tx, tenant_id, user_id, filter, asked)
          const notices = found.items.map(({ notice_id }) => notice_id)
          return { ...found, reactions: await readReactions(tx, tenant_id, notices) }
        })
        const shown = items.slice(0, per_page)
        const last = items.length > per_page ? shown.at(-1) : undefined
        const next_cursor = last ? cursorOf(list, { from: 0, to: now, keys: [last.created_at, last.item_id] }, now) : null
        return {
          ...envelope(
            shown.map((item) => toItem(item, reactions.get(item.notice_id))),
            total,
            { page: Math.floor(before / per_page) + 1, per_page }
          ),
          next_cursor
        }
      }
    })

    app.route({
      ...on('reactToFeedItem', { params: ReactionParams, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const emoji = emojiOf(request.params.emoji)
        const done = await keyedTransaction(pool, caller, (tx) => react(tx, whose(caller, request.params.id), emoji))
        if (done === 'unknown') throw notFound()
        if (done === 'full') throw new ApiError('CONFLICT', `An item has at most ${MAX_KINDS} kinds of reactions`)
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('takeReactionBack', { params: ReactionParams, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const emoji = emojiOf(request.params.emoji)
        const found = await keyedTransaction(pool, caller, (tx) => takeBack(tx, whose(caller, request.params.id), emoji))
        if (!found) throw notFound()
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('countUnreadFeed', { response: { 200: UnreadCount } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const shown = shownOf(caller, [])
        const counts = await keyedTransaction(pool, callerOf(request), (tx) => countUnread(tx, tenant_id, user_id, shown))
        const by_category = { incident: counts.get('incident') ?? 0, admin: counts.get('admin') ?? 0, billing: counts.get('billing') ?? 0 }
        return { total: by_category.incident + by_category.admin + by_category.billing, by_category }
      }
    })

    app.route({
      ...on('markFeedItemRead', { params: Params, response: { 200: ReadMark } }),
      handler: (request) => marked(callerOf(request), request.params.id, true)
    })

    app.route({
      ...on('markFeedItemUnread', { params: Params, response: { 200: ReadMark } }),
      handler: (request) => marked(callerOf(request), request.params.id, false)
    })

    app.route({
      ...on('markAllFeedRead', { body: ReadAllBody, response: { 200: ReadAllAnswer } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id, user_id } = caller
        const { before, category } = request.body
        const bounds = { before: instant(before) ?? Date.now(), categories: shownOf(caller, category === undefined ? [] : [category]) }
        return { changed: await tenantTransaction(pool, callerOf(request), (tx) => markAllRead(tx, tenant_id, user_id, bounds)) }
      }
    })
  }
