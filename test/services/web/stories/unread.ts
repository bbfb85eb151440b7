/**
 * Readings that fail while the connection is live: the overview and the wall board do not call
 * anything calm that they cannot read, and nothing on them moves.
 */
import type { Page } from 'playwright-core'
import { walks } from '../browser.ts'
import type { Story } from '../stage.ts'

const says = (page: Page, word: string): Promise<void> => page.getByRole('status').getByText(word, { exact: true }).waitFor()

export const unread: Story = async (t, stage) => {
  for (const view of walks)
    await t.test(`readings that fail, ${view.width} px`, async (t) => {
      const visited = await stage.newcomer(t, view)
      const { page, api } = visited
      // The overview of a workspace that watches nothing redirects to the first steps.
      await api('POST', '/api/v1/heartbeats', { name: 'Nightly backup', schedule: { kind: 'period', period_seconds: 86_400 } })
      const isDown = { incidents: false }
      await page.route(/\/api\/v1\/incidents\?/, (route) =>
        isDown.incidents ? route.fulfill({ status: 503, json: { error: 'Not now', code: 'UNAVAILABLE' } }) : route.fallback()
      )

      await t.test('the wall board is calm no longer, and says why', async (t) => {
        await visited.go('/wall')
        await page.getByRole('heading', { level: 1, name: 'Nothing is wrong' }).waitFor()
        const figures = page.getByText('incidents ongoing')
        const place = await figures.boundingBox()
        isDown.incidents = true
        const { body } = await api('POST', '/api/v1/incidents', { title: 'Nobody can read of this', severity: 'critical' })
        await page.getByText(/This may be out of date: not read since/).waitFor()
        await page.getByRole('heading', { level: 1, name: 'Nothing was wrong' }).waitFor()
        t.equal(await page.getByRole('main').getAttribute('data-mood'), 'warn')
        t.same(await figures.boundingBox(), place, 'nothing moves')
        await stage.looksRight(t, visited, 'wall-unread')
        isDown.incidents = false
        const id = (body as { id: string }).id
        await api('POST', `/api/v1/incidents/${id}/resolve`, { until_recovered: false })
        await page.getByRole('heading', { level: 1, name: 'Nothing is wrong' }).waitFor()
        t.equal(await page.getByText(/out of date/).count(), 0)
      })

      await t.test('the overview says until when nothing needed anybody, and the mark tells', async (t) => {
        await visited.go('/')
        await page.getByRole('heading', { level: 1, name: 'Nothing needs you' }).waitFor()
        await says(page, 'Live')
        const heartbeats = page.getByRole('heading', { name: 'Heartbeats' })
        const place = await heartbeats.boundingBox()
        isDown.incidents = true
        const { body } = await api('POST', '/api/v1/incidents', { title: 'Nor of this', severity: 'critical' })
        await says(page, 'Out of date')
        await page.getByRole('heading', { level: 1, name: /Nothing needed you at / }).waitFor()
        await page.getByText('No incident was open.').waitFor()
        t.same(await heartbeats.boundingBox(), place, 'nothing moves')
        await stage.looksRight(t, visited, 'overview-unread')
        const asked = page.waitForRequest(/\/api\/v1\/incidents\?/)
        await page.getByRole('status').getByText('Out of date', { exact: true }).click()
        await asked
        isDown.incidents = false
        await says(page, 'Live')
        await page.getByRole('heading', { level: 1, name: '1 incident needs someone' }).waitFor()
        await api('POST', `/api/v1/incidents/${(body as { id: string }).id}/resolve`, { until_recovered: false })
      })
      t.same(visited.complaints, [])
    })

  await t.test('a wall board of somebody who may not read says so', async (t) => {
    const visited = await stage.newcomer(t, walks[0], 'billing')
    const { page } = visited
    await visited.go('/wall')
    await page.getByRole('heading', { level: 1, name: 'Wall board' }).waitFor()
    await page.getByRole('alert').getByRole('heading', { name: 'You may not see or do this' }).waitFor()
    await stage.looksRight(t, visited, 'wall-forbidden')
    await page.getByRole('link', { name: 'To the dashboard' }).waitFor()
  })
}
