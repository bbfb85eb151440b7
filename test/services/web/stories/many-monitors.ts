/**
 * Many monitors: imported from a table, first with errors listed by row and field, then selected
 * and changed together.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { View } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const desk: View = { scheme: 'light', width: 1280 }
const phone: View = { scheme: 'dark', width: 390 }

const rows = (page: Page) => page.getByRole('list', { name: 'Monitors' }).getByRole('listitem')
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name })

async function imports(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/monitors')
  await page.getByRole('link', { name: 'Import' }).first().click()
  await page.waitForURL('**/monitors/import')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Paste a table or JSON first').waitFor()
  const text = page.getByLabel('Table or JSON')
  const good = [
    'name,type,target,interval_seconds,tags',
    ...['Shop', 'Blog', 'Docs'].map((name) => `${name},http,${stage.site.url}/${name},300,web`)
  ]
  await text.fill([...good, 'Mail,tcp,mail.example,5,'].join('\n'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText(/errors?\. Nothing is imported/).waitFor()
  const faulty = page.getByRole('row').filter({ hasText: 'interval_seconds' })
  await faulty.getByText('must be at least 10').waitFor()
  t.match(await faulty.textContent(), /4.*Mail/)
  await stage.looksRight(t, owner, 'monitors-import-faults')
  await text.fill(good.join('\n'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('3 new, 0 changed, 0 unchanged').waitFor()
  await stage.looksRight(t, owner, 'monitors-import')
  await page.getByRole('button', { name: 'Import 3 monitors' }).click()
  await page.waitForURL(/\/monitors$/)
  await rowOf(page, 'Docs').waitFor()
}

async function changes(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page, api } = owner
  await owner.go('/monitors')
  await rowOf(page, 'Shop').waitFor()
  await page.getByLabel('Select Shop').check()
  await page.getByLabel('Select Blog').check()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Tags…' }).click()
  const tags = page.getByRole('dialog', { name: 'Change the tags of 2 monitors' })
  await tags.getByLabel('Add tags').fill('public, eu')
  await tags.getByLabel('Remove tags').fill('web')
  await stage.looksRight(t, owner, 'monitors-bulk-tags')
  await tags.getByRole('button', { name: 'Change the tags' }).click()
  await page.getByText('2 changed').waitFor()
  await rowOf(page, 'Blog').getByText('public').waitFor()
  t.match(((await api('GET', '/api/v1/monitors?q=Shop')).body as { items: object[] }).items, [{ tags: ['public', 'eu'] }])

  await page.getByLabel('Select all on this page').check()
  await page.getByRole('button', { name: 'Interval…' }).click()
  const interval = page.getByRole('dialog', { name: 'Change the interval of 3 monitors' })
  await interval.getByLabel('Check every').selectOption('600')
  await interval.getByRole('button', { name: 'Change the interval' }).click()
  await page.getByText('3 changed').waitFor()

  await page.getByLabel('Select all on this page').check()
  await page.getByRole('button', { name: 'Pause…' }).click()
  const pause = page.getByRole('dialog', { name: 'Pause 3 monitors' })
  await pause.getByLabel('Reason').fill('Moving house')
  await pause.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('heading', { level: 1, name: '3 monitors paused' }).waitFor()
  // One is deleted meanwhile. Monitors that cannot be changed are reported, and stay selected as
  // long as they exist.
  const { items } = (await api('GET', '/api/v1/monitors?q=Docs')).body as { items: { id: string }[] }
  await page.getByLabel('Select all on this page').check()
  await page.route('**/api/v1/monitors?*', (route) => route.abort())
  await api('DELETE', `/api/v1/monitors/${items[0]?.id}`)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(/2 changed, 1 not: Docs/).waitFor()
  await stage.looksRight(t, owner, 'monitors-bulk-partly')
  await page.unroute('**/api/v1/monitors?*')
  await page.reload()
  await page.getByLabel('Select all on this page').check()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const gone = page.getByRole('dialog', { name: 'Delete 2 monitors?' })
  await gone.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Nothing is monitored yet' }).waitFor()
}

export const manyMonitors: Story = async (t, stage) => {
  await t.test('monitors are imported, and changed together', async (t) => {
    const owner = await stage.newcomer(t, desk)
    await imports(t, stage, owner)
    await changes(t, stage, owner)
  })
  await t.test('monitors are imported and selected on a phone', async (t) => {
    const owner = await stage.newcomer(t, phone)
    await imports(t, stage, owner)
    const { page } = owner
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByLabel('Select Shop').check()
    await page.getByText('1 selected').waitFor()
    await stage.looksRight(t, owner, 'monitors-bulk-phone')
    await page.getByRole('button', { name: 'Done', exact: true }).click()
    await page.getByLabel('Select Shop').waitFor({ state: 'hidden' })
    t.same(owner.complaints, [])
  })
}
