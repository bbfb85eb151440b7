/** The feed of whoever asks; with a token, of the person who owns it. Source: specification.md 4.2, api-design.md NO-12 to NO-16. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { FeedList, FeedQuery, ReadAllAnswer, ReadAllBody, ReadMark, UnreadCount } from '../../../schemas/http/feed.ts'
import { countUnread, listFeed, markAllRead, markRead, toItem } from '../../store/feed.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../caller.ts'
import { on } from '../endpoint.ts'
import { notFound } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Services } from '../services.ts'

const PER_PAGE = 20

const instant = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

const Params = Type.Object({ id: Id })

export const feedRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    async function marked({ tenant_id, user_id }: Caller, id: string, read: boolean): Promise<{ read_at: string | null }> {
      const item = await tenantTransaction(pool, tenant_id, (tx) => markRead(tx, tenant_id, user_id, id, read))
      if (!item) throw notFound()
      return { read_at: iso(item.read_at) }
    }

    app.route({
      ...on('listFeed', { querystring: FeedQuery, response: { 200: FeedList } }),
      handler: async (request) => {
        const { tenant_id, user_id } = callerOf(request)
        const { page, per_page = PER_PAGE, unread, category = [], type = [], severity = [], from, to } = request.query
        const wanted = pageOf({ ...(page !== undefined && { page }), per_page })
        const filter = {
          ...(unread !== undefined && { unread }),
          categories: category,
          types: type,
          severities: severity,
          from: instant(from),
          to: instant(to)
        }
        const { items, total } = await tenantTransaction(pool, tenant_id, (tx) => listFeed(tx, tenant_id, user_id, filter, wanted))
        return envelope(items.map(toItem), total, wanted)
      }
    })

    app.route({
      ...on('countUnreadFeed', { response: { 200: UnreadCount } }),
      handler: async (request) => {
        const { tenant_id, user_id } = callerOf(request)
        const counts = await tenantTransaction(pool, tenant_id, (tx) => countUnread(tx, tenant_id, user_id))
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
        const { tenant_id, user_id } = callerOf(request)
        const { before, category = null } = request.body
        const bounds = { before: instant(before) ?? Date.now(), category }
        return { changed: await tenantTransaction(pool, tenant_id, (tx) => markAllRead(tx, tenant_id, user_id, bounds)) }
      }
    })
  }
