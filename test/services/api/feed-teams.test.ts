/**
 * Tests of feed items about something that a team owns. Only people who see the team are notified,
 * and the items are hidden from people who no longer see it.
 */

import t from 'tap'
import { saveFeed } from '../../../services/store/feed.ts'
import { transaction } from '../../../services/store/pool.ts'
import type { FeedNotice } from '../../../streams/define.ts'
import { until } from '../../harness/until.ts'
import { addPerson, ask, done, type Holder, NOTHING } from './private-team.ts'
import { stand } from './stand.ts'

const PATH = '/api/v1/notifications/feed'

t.test('feed items about a team', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('feeding')
  const { tenant_id } = home
  const admin = await addPerson(s, home, 'high', 'admin')
  const stays = await addPerson(s, home, 'stays', 'editor')
  const goes = await addPerson(s, home, 'goes', 'editor')
  const never = await addPerson(s, home, 'never', 'editor')
  const people: Record<string, readonly Holder[]> = { admin, stays, goes, never }
  const [lead] = stays

  const makeTeam = async (name: string, visibility: string, ...members: (readonly Holder[])[]): Promise<string> => {
    const { id } = await done(ask(s, lead, 'POST', '/api/v1/teams', { name, visibility }))
    for (const [one] of members) await done(ask(s, lead, 'PUT', `/api/v1/teams/${id}/members/${one?.user_id}`, {}))
    return String(id)
  }
  let told = 0
  /**
   * Notifies the editors of something that the team owns. Returns the ids of the users who get a
   * frame of it.
   */
  const tell = async (team_id: string, visibility: 'org' | 'private' = 'org'): Promise<{ title: string; heard: string[] }> => {
    const title = `Notice ${++told}`
    const notice: FeedNotice = {
      ...{ tenant_id, key: title, type: 'announcement', severity: 'warning', title, body: '', at: Date.now(), audience: 'editors' },
      about: { team_id, visibility }
    }
    await transaction(s.systemPool, (tx) => saveFeed(tx, [notice], s.services.codec))
    const { rows } = await s.systemPool.query<{ audience: string }>(
      `SELECT headers ->> 'audience' AS audience FROM outbox
        WHERE tenant_id = $1 AND headers ->> 'event_type' = 'notification.created' AND convert_from(payload, 'UTF8') LIKE $2`,
      [tenant_id, `%"${title}"%`]
    )
    return { title, heard: rows.map(({ audience }) => audience.slice('user:'.length)) }
  }
  const names = (ids: readonly string[]) => Object.keys(people).filter((name) => people[name]?.some(({ user_id }) => ids.includes(user_id)))

  /**
   * Returns the people who are shown the item in every way: it is listed, counted and can be
   * marked.
   */
  const shown = async (title: string): Promise<string[]> => {
    const found: string[] = []
    for (const [name, holders] of Object.entries(people)) {
      for (const who of holders) {
        // A change of role may arrive between two requests. After it both must agree.
        const items = await until(`${who.name}: as many are listed as are counted`, async () => {
          const list = (await ask(s, who, 'GET', PATH)).json() as { items: { title: string }[]; total: number }
          const unread = (await ask(s, who, 'GET', `${PATH}/unread-count`)).json().total
          return list.total === list.items.length && unread === list.total && list.items
        })
        if (items.some((item) => item.title === title)) found.push(name)
      }
    }
    return [...new Set(found)]
  }
  const itemOf = async ([who]: readonly Holder[], title: string): Promise<string> =>
    (await s.systemPool.query<{ item_id: string }>('SELECT item_id FROM feed WHERE user_id = $1 AND title = $2', [who?.user_id, title]))
      .rows[0]?.item_id ?? ''

  await t.test('a person who leaves a private team sees no feed items of it', async (t) => {
    const team_id = await makeTeam('Closed', 'private', goes)
    const before = await tell(team_id)
    t.same(names(before.heard), ['admin', 'stays', 'goes'])
    t.same(await shown(before.title), ['admin', 'stays', 'goes'])
    const item_id = await itemOf(goes, before.title)

    await done(ask(s, goes[0], 'DELETE', `/api/v1/teams/${team_id}/members/${goes[0].user_id}`))
    t.same(await shown(before.title), ['admin', 'stays'])
    for (const who of goes) {
      for (const mark of ['read', 'unread']) {
        const [hidden, nothing] = [
          await ask(s, who, 'POST', `${PATH}/${item_id}/${mark}`),
          await ask(s, who, 'POST', `${PATH}/${NOTHING}/${mark}`)
        ]
        t.match([hidden.statusCode, hidden.json().error], [404, nothing.json().error], `${who.name}: ${mark}`)
      }
      t.same((await ask(s, who, 'POST', `${PATH}/read-all`)).json(), { changed: 0 }, who.name)
    }
    const after = await tell(team_id)
    t.same(names(after.heard), ['admin', 'stays'])
    t.same(await shown(after.title), ['admin', 'stays'])

    await done(ask(s, lead, 'PUT', `/api/v1/teams/${team_id}/members/${goes[0].user_id}`, {}))
    t.same(await shown(before.title), ['admin', 'stays', 'goes'], 'who comes back finds it again')
  })

  await t.test('a team that turns private hides its earlier feed items', async (t) => {
    const team_id = await makeTeam('Turning', 'org')
    const before = await tell(team_id)
    t.same(names(before.heard), ['admin', 'stays', 'goes', 'never'])
    const narrow = await tell(team_id, 'private')
    t.same(names(narrow.heard), ['admin', 'stays'], 'what is private by itself is for members')
    await done(ask(s, lead, 'PATCH', `/api/v1/teams/${team_id}`, { visibility: 'private' }))
    t.same(await shown(before.title), ['admin', 'stays'])
    t.same(names((await tell(team_id)).heard), ['admin', 'stays'])
    await done(ask(s, lead, 'DELETE', `/api/v1/teams/${team_id}`))
    t.same(await shown(before.title), ['admin'], 'what a deleted team owned is for those who see all')
    t.same(names((await tell(team_id)).heard), ['admin'])
  })

  await t.test('a former admin sees only feed items of their own teams', async (t) => {
    const team_id = await makeTeam('Lowered', 'private')
    const { title } = await tell(team_id)
    t.same(await shown(title), ['admin', 'stays'])
    await done(s.call(home, 'PATCH', `/api/v1/workspace/members/${admin[0].user_id}`, { role: 'editor' }))
    await until('the change of role is heard', async () => !(await shown(title)).includes('admin'))
    t.same(await shown(title), ['stays'])
  })
})
