/**
 * Tests of a person's feed: items that a fold wrote, filters and pages, read and unread, and who
 * sees whose items.
 */
import t from 'tap'
import { saveFeed } from '../../../services/store/feed.ts'
import { transaction } from '../../../services/store/pool.ts'
import type { FeedNotice } from '../../../streams/define.ts'
import { login, stand } from './stand.ts'

const PATH = '/api/v1/notifications/feed'
const DAY = 86_400_000

t.test('the feed', async (t) => {
  const s = await stand(t)
  const { tenant_id, user_id } = s.acme
  const now = Date.now()
  const notice = (nth: number, over: Partial<FeedNotice> = {}): FeedNotice => ({
    tenant_id,
    key: `limit:${nth}`,
    type: 'limit',
    severity: 'warning',
    title: `Notice ${nth}`,
    body: 'Alerts are refused.',
    at: now - nth * DAY,
    audience: 'managers',
    ...over
  })
  const tell = (...notices: FeedNotice[]) => transaction(s.systemPool, (tx) => saveFeed(tx, notices, s.services.codec))
  const get = async (query = '') => (await s.call(s.acme, 'GET', `${PATH}${query}`)).json()

  await t.test('a notice goes once to each member who can act on it', async (t) => {
    const { rows: members } = await s.systemPool.query(
      "INSERT INTO users (user_id, email, name, password_hash) VALUES (gen_random_uuid(), 'v@example.test', 'v', 'x'), (gen_random_uuid(), 'b@example.test', 'b', 'x') RETURNING user_id"
    )
    for (const [nth, role] of ['viewer', 'billing'].entries())
      await s.systemPool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [
        tenant_id,
        members[nth]?.user_id,
        role
      ])
    await tell(...Array.from({ length: 30 }, (_, nth) => notice(nth)))
    await tell(notice(0))
    const { rows } = await s.systemPool.query('SELECT user_id, count(*) FROM feed WHERE tenant_id = $1 GROUP BY user_id ORDER BY user_id', [
      tenant_id
    ])
    t.same(
      rows,
      [user_id, members[1]?.user_id].sort().map((user_id) => ({ user_id, count: 30 }))
    )
    const frames = await s.systemPool.query(
      "SELECT headers, payload FROM outbox WHERE tenant_id = $1 AND topic = 'realtime.frames.v1' ORDER BY id LIMIT 60",
      [tenant_id]
    )
    t.equal(frames.rows.length, 60, 'a frame with each item, none for the repeat')
    t.match(frames.rows[0]?.headers, { event_type: 'notification.created', audience: /^user:/ })
  })

  await t.test('feed items come newest first, in pages of twenty', async (t) => {
    const first = await get()
    t.match(first, { total: 30, page: 1, per_page: 20, total_pages: 2 })
    t.same(first.items[0], {
      id: first.items[0].id,
      tenant_id,
      user_id,
      type: 'limit',
      title: 'Notice 0',
      body: 'Alerts are refused.',
      severity: 'warning',
      incident_id: null,
      monitor_id: null,
      heartbeat_id: null,
      event_id: null,
      category: 'billing',
      reactions: [],
      read_at: null,
      created_at: new Date(now).toISOString()
    })
    const second = await get('?page=2')
    t.same(
      [...first.items, ...second.items].map(({ title }) => title),
      Array.from({ length: 30 }, (_, nth) => `Notice ${nth}`)
    )
    const behind = await get(`?cursor=${first.next_cursor}`)
    t.same(behind.items, second.items)
    t.match(behind, { total: 30, next_cursor: null })
    t.equal(second.next_cursor, null)
    t.equal((await s.call(s.acme, 'GET', `${PATH}?unread=true&cursor=${first.next_cursor}`)).statusCode, 400, 'a cursor of other filters')
    const [mark, ...rest] = JSON.parse(Buffer.from(first.next_cursor, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify([mark, ...rest.slice(0, -1), 'x'])).toString('base64url')
    t.equal((await s.call(s.acme, 'GET', `${PATH}?cursor=${forged}`)).statusCode, 400, 'a forged one')
    t.equal((await s.call(s.globex, 'GET', `${PATH}?cursor=${first.next_cursor}`)).statusCode, 400, 'a cursor of somebody else')
    t.equal((await get(`?from=${new Date(now - 3 * DAY).toISOString()}&to=${new Date(now).toISOString()}`)).total, 3)
    t.equal((await get('?category=incident,admin')).total, 0)
    t.equal((await get('?type=limit&severity=warning&category=billing')).total, 30)
    for (const query of ['?type=nope', '?unread=maybe', '?from=yesterday', '?nope=1'])
      t.equal((await s.call(s.acme, 'GET', `${PATH}${query}`)).statusCode, 422, query)
    t.equal((await s.call(s.acme, 'GET', `${PATH}?page=9999`)).json().code, 'PAGE_TOO_DEEP')
  })

  await t.test('feed items are marked read, unread or all read', async (t) => {
    const [item, other] = (await get()).items
    const read = (await s.call(s.acme, 'POST', `${PATH}/${item.id}/read`)).json()
    t.match(read.read_at, /Z$/)
    t.same((await s.call(s.acme, 'POST', `${PATH}/${item.id}/read`)).json(), read, 'the first reading counts')
    t.same((await s.call(s.acme, 'GET', `${PATH}/unread-count`)).json(), { total: 29, by_category: { incident: 0, admin: 0, billing: 29 } })
    t.equal((await get('?unread=false')).total, 1)
    t.equal((await get('?unread=true')).total, 29)
    t.same((await s.call(s.acme, 'POST', `${PATH}/${item.id}/unread`)).json(), { read_at: null })
    const before = new Date(now - 10 * DAY).toISOString()
    t.same((await s.call(s.acme, 'POST', `${PATH}/read-all`, { before, category: 'billing' })).json(), { changed: 20 })
    t.same((await s.call(s.acme, 'POST', `${PATH}/read-all`, { category: 'incident' })).json(), { changed: 0 })
    t.same((await s.call(s.acme, 'POST', `${PATH}/read-all`)).json(), { changed: 10 })
    t.equal((await s.call(s.acme, 'GET', `${PATH}/unread-count`)).json().total, 0)
    t.equal((await s.call(s.globex, 'POST', `${PATH}/${other.id}/read`)).statusCode, 404, 'not somebody else’s')
    t.equal((await s.call(s.acme, 'POST', `${PATH}/nope/read`)).statusCode, 404)
  })

  await t.test('each person reads only their own feed', async (t) => {
    t.equal((await s.call(s.globex, 'GET', PATH)).json().total, 0)
    const { cookie } = await login(s, s.acme.email)
    const bySession = await s.call(null, 'GET', PATH, undefined, { headers: { cookie } })
    t.equal(bySession.json().total, 30, 'a token’s feed is that of its owner')
    t.equal((await s.call(null, 'GET', PATH)).statusCode, 401)
    const answer = await s.call(s.acme, 'GET', PATH)
    t.equal(answer.headers['x-ratelimit-name'], 'api_read')
    t.equal(answer.headers['cache-control'], 'no-store')
  })
})
