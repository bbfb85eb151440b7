/**
 * On-call: schedules are made, looked at and changed, at a desk and on a phone.
 */
import { views } from '../browser.ts'
import type { Story } from '../stage.ts'

export const onCall: Story = async (t, stage) => {
  for (const view of views)
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const owner = await stage.newcomer(t, view)
      const { page } = owner
      await owner.go('/')
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'On-call' }).click()
      await page.getByRole('heading', { level: 1, name: 'Nobody is on call yet' }).waitFor()
      await page.getByRole('heading', { name: 'No schedule yet' }).waitFor()
      await stage.looksRight(t, owner, 'on-call-empty')
      t.same(owner.complaints, [])
    })
}
