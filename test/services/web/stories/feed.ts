/**
 * The feed: notices for a person appear without a reload, link to what they are about, and can be
 * marked read, unread, or all read at once.
 */

import { randomUUID } from 'node:crypto'
import { saveFeed } from '../../../../services/store/feed.ts'
import { transaction } from '../../../../services/store/pool.ts'
import type { FeedNotice } from '../../../../streams/define.ts'
import { localCodec } from '../../../harness/codec.ts'
import { until } from '../../../harness/until.ts'
import { agreed } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

const LIMIT = {
  title: 'Alerts are refused: the budget is used up',
  body: 'More than 1000 alerts a minute came in. What goes beyond is answered with 429, and senders are told when to try again; nothing of it is stored. The usage view shows the figures; the limit grows with the plan, or by request.'
}

interface Told extends Partial<Pick<FeedNotice, 'title' | 'body' | 'severity'>> {
  /** Minutes. */
  ago?: number
  /**
   * A notice is saved as the processors save it, and turned into an item of another kind before
   * anybody sees it.
   */
  becomes?: { type: string; category: string; incident_id?: string }
}

/**
 * Notifies the owners of workspaces with row and frame, as the processors do. `clear` removes all
 * of it.
 */
function teller({ product }: Stage) {
  const pool = product.pool()
  const told: string[] = []
  return {
    async tell(tenant_id: string, ...items: Told[]): Promise<void> {
      await transaction(pool, async (tx) => {
        for (const { title = LIMIT.title, body = LIMIT.body, severity = 'warning', ago = 0, becomes } of items) {
          const at = Date.now() - ago * 60_000
          const notice = { tenant_id, key: randomUUID(), type: 'limit', severity, title, body, at, audience: 'managers' } as const
          await saveFeed(tx, [notice], localCodec())
          const { rows } = await tx.query<{ item_id: string }>(
            'UPDATE feed SET type = $4, category = $5, incident_id = $6 WHERE tenant_id = $1 AND title = $2 AND created_at = $3 RETURNING item_id',
            [tenant_id, title, new Date(at), becomes?.type ?? 'limit', becomes?.category ?? 'billing', becomes?.incident_id ?? null]
          )
          told.push(...rows.map(({ item_id }) => item_id))
        }
      })
    },
    /** Removes what an incident of the workspace has already put into the feed. */
    async forget(tenant_id: string): Promise<void> {
      await until('the incident to be in the feed', async () => {
        const { rowCount } = await pool.query('DELETE FROM feed WHERE tenant_id = $1 AND incident_id IS NOT NULL', [tenant_id])
        return (rowCount ?? 0) > 0
      })
    },
    async clear(): Promise<void> {
      await pool.query('DELETE FROM feed WHERE item_id = ANY ($1::uuid[])', [told])
      await pool.end()
    }
  }
}

const idOf = ({ body }: { body: Record<string, unknown> }): string => String(body.id)

export const feed: Story = async (t, stage) => {
  const { tell, forget, clear } = teller(stage)
  t.teardown(clear)

  await t.test('a feed item appears without a reload, opens its incident, and is marked read and unread', async (t) => {
    const visited = await stage.newcomer(t)
    const { page, api } = visited
    const workspace = idOf(await api('GET', '/api/v1/workspace'))
    const declared = await api('POST', '/api/v1/incidents', { title: 'Checkout is slow', severity: 'critical' })
    t.equal(declared.status, 201)
    await forget(workspace)
    await visited.go('/')
    const bell = page.getByRole('button', { name: /^Feed/ })
    const panel = page.getByRole('dialog', { name: 'Feed' })

    await page.getByRole('button', { name: 'Feed', exact: true }).click()
    await panel.getByRole('heading', { name: 'No messages yet' }).waitFor()
    await stage.looksRight(t, visited, 'feed-panel-empty')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    // The focus has returned to the bell.
    await page.locator('button:focus', { hasText: /^Feed/ }).waitFor()

    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await page.evaluate('globalThis.sameLoad = true')
    await tell(workspace, {})
    await page.getByRole('button', { name: 'Feed 1 unread' }).waitFor()
    await bell.click()
    await panel.getByRole('listitem').filter({ hasText: LIMIT.title }).getByText('Warning').waitFor()

    // The item arrives while the list is open.
    const becomes = { type: 'incident', category: 'incident', incident_id: idOf(declared) }
    await tell(workspace, { title: 'Checkout is slow was declared', body: '', severity: 'critical', becomes })
    await panel.getByRole('listitem').nth(1).waitFor()
    t.match(await panel.getByRole('listitem').first().textContent(), /^Unread: Checkout is slow was declared.*Critical.*Incidents/)
    await page.getByRole('button', { name: 'Feed 2 unread' }).waitFor()
    t.equal(await page.evaluate('globalThis.sameLoad'), true, 'without a reload')

    await agreed(page, 'POST', '/read', () => panel.getByRole('link', { name: 'Checkout is slow was declared' }).click())
    await page.waitForURL(`**/incidents/${idOf(declared)}`)
    await page.getByRole('heading', { level: 1, name: /Checkout is slow/ }).waitFor()
    // The list closes.
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Feed 1 unread' }).waitFor()

    await bell.click()
    const unread = panel.getByRole('button', { name: 'Mark as unread: Checkout is slow was declared' })
    await agreed(page, 'POST', '/unread', () => unread.click())
    await page.getByRole('button', { name: 'Feed 2 unread' }).waitFor()
    await panel.getByRole('button', { name: /^Unread/ }).click()
    await agreed(page, 'POST', '/read', () => panel.getByRole('button', { name: `Mark as read: ${LIMIT.title}` }).click())
    await panel.getByText(LIMIT.title).waitFor({ state: 'detached' })
    await agreed(page, 'POST', '/read-all', () => panel.getByRole('button', { name: 'Mark all as read' }).click())
    await panel.getByRole('heading', { name: 'No unread messages' }).waitFor()
    await page.getByRole('button', { name: 'Feed', exact: true }).waitFor()
    const { body } = await api('GET', '/api/v1/notifications/feed/unread-count')
    t.match(body, { total: 0 }, 'the token’s owner is the same person')
    t.same(visited.complaints, [])
  })

  await t.test('the feed page shows older items, filters by address, and explains errors', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'dark', width: 390 })
    const { page, api } = visited
    const workspace = idOf(await api('GET', '/api/v1/workspace'))
    const news = { type: 'announcement', category: 'admin' }
    await tell(workspace, ...Array.from({ length: 23 }, (_, nth) => ({ title: `Notice ${nth}`, ago: nth * 60 + 1 })))
    // Old, but not older than the 90 days after which the service deletes items.
    const old = { title: 'A new region', body: 'Checks can run from Warsaw.', severity: 'info', ago: 100_000, becomes: news } as const
    await tell(workspace, old)
    const rows = page.getByRole('list', { name: 'Feed' }).getByRole('listitem')

    await visited.go('/')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.waitForURL('**/feed')
    await page.getByRole('heading', { level: 1, name: '24 unread' }).waitFor()
    await rows.nth(19).waitFor()
    t.equal(await rows.count(), 20)
    await page.getByRole('button', { name: 'Show older' }).click()
    await rows.nth(23).waitFor()
    t.match(await rows.last().textContent(), /A new region.*Warsaw.*Info.*Announcements/)
    t.equal(await page.getByRole('button', { name: 'Show older' }).count(), 0)

    await page.getByRole('button', { name: 'React: Notice 0' }).click()
    const react = page.getByRole('button', { name: 'React with 🎉: Notice 0' })
    await agreed(page, 'PUT', '/reactions/🎉', () => react.click())
    const given = page.getByRole('button', { name: '🎉 1: Notice 0' })
    await given.waitFor()
    await page.getByRole('button', { name: 'React: Notice 1', exact: true }).click()
    await stage.looksRight(t, visited, 'feed-reactions')
    const stored = async () => ((await api('GET', '/api/v1/notifications/feed')).body.items as { reactions: unknown[] }[])[0]?.reactions
    t.match(await stored(), [{ emoji: '🎉' }])
    await agreed(page, 'DELETE', '/reactions/🎉', () => given.click())
    await given.waitFor({ state: 'detached' })
    t.same(await stored(), [])

    await page.getByRole('button', { name: 'Announcements' }).click()
    await page.waitForURL('**/feed?category=admin')
    await rows.nth(1).waitFor({ state: 'detached' })
    await agreed(page, 'POST', '/read-all', () => page.getByRole('button', { name: 'Mark all as read' }).click())
    await page.getByRole('heading', { level: 1, name: '23 unread' }).waitFor()
    await page.getByRole('button', { name: /^Unread/ }).click()
    await page.waitForURL('**/feed?unread=yes&category=admin')
    await page.getByRole('heading', { name: 'No unread messages' }).waitFor()
    await stage.looksRight(t, visited, 'feed-nothing')
    await page.goBack()
    await page.getByText('A new region').waitFor()
    await page.goBack()
    await page.waitForURL('**/feed')

    // A change that the server refuses is undone, and the server's message is shown.
    await page.route('**/feed/*/read', (route) =>
      route.fulfill({ status: 503, json: { error: 'The store is away', code: 'UNAVAILABLE', request_id: 'req-feed' } })
    )
    await page.getByRole('button', { name: 'Mark as read: Notice 0' }).click()
    await page.getByText('Marking the message as read did not work').waitFor()
    await page.getByRole('button', { name: 'Mark as read: Notice 0' }).waitFor()
    await page.getByRole('heading', { level: 1, name: '23 unread' }).waitFor()

    // Keys walk the list and open an item.
    await page.getByRole('link', { name: 'Notice 0', exact: true }).focus()
    await page.keyboard.press('j')
    await page.locator('a:focus', { hasText: /^Notice 1$/ }).waitFor()
    await page.unroute('**/feed/*/read')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings/usage')
    await page.getByRole('button', { name: 'Feed 22 unread' }).waitFor()

    await page.route(/notifications\/feed\?/, (route) =>
      route.fulfill({ status: 403, json: { error: 'Not for this token', code: 'FORBIDDEN', request_id: 'req-feed' } })
    )
    await visited.go('/feed')
    await page.getByRole('alert').getByText('req-feed').waitFor()
    await stage.looksRight(t, visited, 'feed-error')
    t.same(visited.complaints, [])
  })

  const workspace = idOf(await stage.product.api('GET', '/api/v1/workspace'))
  const named = `Feed story ${randomUUID().slice(0, 8)}`
  await tell(
    workspace,
    { ago: 3 },
    { title: `${named} was declared`, body: '', severity: 'critical', ago: 1, becomes: { type: 'incident', category: 'incident' } },
    {
      title: 'A new region',
      body: 'Checks can run from Warsaw.',
      severity: 'info',
      ago: 2,
      becomes: { type: 'announcement', category: 'admin' }
    }
  )

  await stage.inEachView(t, async (t, visited) => {
    const { page, view } = visited
    await visited.go('/')
    await page.getByRole('button', { name: /^Feed \d+ unread$/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Feed' })
    await dialog.getByText(`${named} was declared`).waitFor()
    if (view.width === 390) t.equal((await dialog.boundingBox())?.height, 844, 'over the whole height')
    await stage.looksRight(t, visited, 'feed-panel')
    await dialog.getByRole('link', { name: 'Open as a page' }).click()
    await page.waitForURL('**/feed')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(`${named} was declared`).waitFor()
    await stage.looksRight(t, visited, 'feed')
  })
}
