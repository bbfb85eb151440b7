/** Tests, as tables, of the feed's words, places and address. */
import t from 'tap'
import type { FeedItem } from '../../../services/web/api/shapes.ts'
import { feedSearch, toFilter, toSearch } from '../../../services/web/pages/feed/search.ts'
import { answerOf, placeOf, unreadOf } from '../../../services/web/pages/feed/words.ts'

const item = (over: Partial<FeedItem>) =>
  ({ incident_id: null, monitor_id: null, heartbeat_id: null, type: 'incident', ...over }) as FeedItem

t.test('a feed item links to the most specific object that it is about', async (t) => {
  const cases: [Partial<FeedItem>, string | null][] = [
    [{ incident_id: 'i', monitor_id: 'm', type: 'down' }, '/incidents/i'],
    [{ monitor_id: 'm', type: 'ssl_expiry' }, '/monitors/m'],
    [{ heartbeat_id: 'h', type: 'up' }, '/heartbeats/h'],
    [{ type: 'limit' }, '/settings/usage'],
    [{ type: 'usage' }, '/settings/usage'],
    [{ type: 'plan' }, '/settings/usage'],
    [{ type: 'announcement' }, null],
    [{ type: 'billing' }, null]
  ]
  for (const [over, place] of cases) t.equal(placeOf(item(over)), place, JSON.stringify(over))
})

t.test('counts of unread feed items in words', async (t) => {
  const count = { total: 6, by_category: { incident: 1, admin: 2, billing: 3 } }
  t.equal(unreadOf(count, []), 6)
  t.equal(unreadOf(count, ['incident', 'billing']), 4)
  t.equal(answerOf(count), '6 unread')
  t.equal(answerOf({ ...count, total: 0 }), 'You have read everything')
})

t.test('the address holds the feed filter, and unknown values are dropped', async (t) => {
  const filter = { unread: true, category: ['admin'] } as const
  t.same(toFilter(toSearch(filter)), filter)
  t.same(toFilter(feedSearch({ unread: 'maybe', category: 'billing,nonsense,incident' })), {
    unread: false,
    category: ['incident', 'billing']
  })
  t.same(toFilter(feedSearch({})), { unread: false, category: [] })
})
