/**
 * Tests of reactions to feed items. People react to their own items; everybody who got the same
 * item sees the reactions.
 */
import t from 'tap'
import { isEmoji } from '../../../schemas/http/emoji.ts'
import { forgetFeed, saveFeed } from '../../../services/store/feed.ts'
import { transaction } from '../../../services/store/pool.ts'
import { as, type Person, person } from './people.ts'
import { stand } from './stand.ts'

const FEED = '/api/v1/notifications/feed'
const at = (id: string, emoji: string): string => `${FEED}/${id}/reactions/${encodeURIComponent(emoji)}`

t.test('texts that are one emoji, and others', async (t) => {
  for (const emoji of ['👍', '👍🏽', '❤️', '🇩🇪', '👩‍💻', '1️⃣', '☕']) t.ok(isEmoji(emoji), emoji)
  for (const text of ['', 'a', '1', '👍👍', '👍 ', ':+1:', '<b>', '🇩', '\u200d', '👩‍💻'.repeat(10)])
    t.notOk(isEmoji(text), JSON.stringify(text))
})

t.test('reactions to feed items', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('react')
  const jo = await person(s, home, 'jo-react', 'viewer')
  const al = await person(s, home, 'al-react', 'admin')
  const notice = { tenant_id: home.tenant_id, severity: 'info', title: 'News', body: '', at: Date.now() } as const
  await transaction(s.systemPool, (tx) =>
    saveFeed(
      tx,
      [
        { ...notice, key: 'news', type: 'broadcast', audience: 'everybody' },
        { ...notice, key: 'bill', type: 'billing', audience: 'managers', title: 'Bill' }
      ],
      s.services.codec
    )
  )
  const itemOf = async (who: Person, title = 'News') => {
    const { items } = (await as(s, who, 'GET', FEED)).json()
    return items.find((one: { title: string }) => one.title === title)
  }
  const mine = (await itemOf(jo)).id

  await t.test('a reaction counts once and is seen by everybody who got the same notice', async (t) => {
    for (let again = 0; again < 2; again++) t.equal((await as(s, jo, 'PUT', at(mine, '👍'))).statusCode, 204)
    const other = await itemOf(al)
    t.not(other.id, mine)
    t.match(other.reactions, [{ emoji: '👍', user_id: jo.user_id, created_at: /Z$/ }])
    t.equal((await as(s, al, 'PUT', at(other.id, '👍'))).statusCode, 204)
    t.equal((await as(s, al, 'PUT', at(other.id, '🎉'))).statusCode, 204)
    t.match((await itemOf(jo)).reactions, [
      { emoji: '👍', user_id: jo.user_id },
      { emoji: '👍', user_id: al.user_id },
      { emoji: '🎉', user_id: al.user_id }
    ])
    t.same((await itemOf(al, 'Bill')).reactions, [], 'not at another notice')
  })

  await t.test('people remove their own reactions only', async (t) => {
    t.equal((await as(s, jo, 'DELETE', at(mine, '🎉'))).statusCode, 204, 'nothing to take back')
    t.equal((await as(s, jo, 'DELETE', at(mine, '👍'))).statusCode, 204)
    t.match((await itemOf(jo)).reactions, [
      { emoji: '👍', user_id: al.user_id },
      { emoji: '🎉', user_id: al.user_id }
    ])
  })

  await t.test('a reaction to an item of somebody else gets 404', async (t) => {
    const bill = (await itemOf(al, 'Bill')).id
    const theirs = (await itemOf(al)).id
    for (const id of [bill, theirs, '01890000-0000-7000-8000-000000000000', 'nope'])
      for (const method of ['PUT', 'DELETE']) t.equal((await as(s, jo, method, at(id, '👍'))).statusCode, 404, `${method} ${id}`)
    t.equal((await s.call(s.globex, 'PUT', at(mine, '👍'))).statusCode, 404)
    for (const method of ['PUT', 'DELETE'])
      t.match((await as(s, jo, method, at(mine, 'yes'))).json(), {
        code: 'VALIDATION_FAILED',
        details: [{ path: 'emoji', rule: 'pattern' }]
      })
  })

  await t.test('a notice has at most twenty kinds of reactions, also with concurrent requests', async (t) => {
    const many = [...'😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎😏😐😑😒😓😔😕']
    const answers = await Promise.all(many.map((emoji) => as(s, jo, 'PUT', at(mine, emoji))))
    const done = answers.filter(({ statusCode }) => statusCode === 204).length
    t.equal(done, 18, 'beside the two that there are')
    t.ok(answers.every(({ statusCode }) => statusCode === 204 || statusCode === 409))
    t.equal((await as(s, jo, 'PUT', at(mine, '👍'))).statusCode, 204, 'one that is there')
    t.match((await as(s, jo, 'PUT', at(mine, '🚀'))).json(), { code: 'CONFLICT' })
    t.equal(new Set((await itemOf(jo)).reactions.map(({ emoji }: { emoji: string }) => emoji)).size, 20)
  })

  await t.test('reactions end with the last item of their notice and with the membership', async (t) => {
    const count = async () =>
      (await s.systemPool.query<{ n: number }>('SELECT count(*) AS n FROM feed_reactions WHERE tenant_id = $1', [home.tenant_id])).rows[0]
        ?.n
    await s.systemPool.query('DELETE FROM members WHERE tenant_id = $1 AND user_id = $2', [home.tenant_id, al.user_id])
    t.equal(await count(), 19)
    await s.systemPool.query("UPDATE feed SET created_at = now() - interval '91 days' WHERE tenant_id = $1", [home.tenant_id])
    await forgetFeed(s.systemPool)
    t.equal(await count(), 0)
  })
})
