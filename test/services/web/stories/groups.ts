/**
 * Groups of monitors: none yet; then one is created, filled with several monitors at once, listed
 * with the state of each, shown alone, emptied, renamed and deleted.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Groups of monitors' }).getByRole('listitem').filter({ hasText: name })

const monitorRow = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Monitors' }).getByRole('listitem').filter({ hasText: name })

async function makes(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  for (const name of ['Storefront', 'Checkout', 'Mailbox']) {
    // The states are pushed, so no prober has to check.
    const made = await owner.api('POST', '/api/v1/monitors', { name, type: 'external' })
    t.equal(made.status, 201)
    await owner.api('POST', `/api/v1/monitors/${made.body.id}/results`, { state: name === 'Checkout' ? 'down' : 'up' })
  }
  await owner.go('/monitors')
  await page.getByRole('link', { name: 'Groups', exact: true }).click()
  await page.waitForURL('**/monitors/groups')
  await page.getByRole('heading', { name: 'Keep together what belongs together' }).waitFor()
  await stage.looksRight(t, owner, 'groups-empty')
  await page.getByRole('button', { name: 'New group' }).click()
  const form = page.getByRole('dialog', { name: 'New group' })
  await form.getByLabel('Place in the list').fill('first')
  await form.getByRole('button', { name: 'Create the group' }).click()
  await form.getByRole('alert').filter({ hasText: 'not right yet' }).waitFor()
  await stage.looksRight(t, owner, 'groups-form-faults')
  await form.getByLabel('Name').fill('Shop')
  await form.getByLabel('Description').fill('All that people buy with')
  await form.getByLabel('Place in the list').fill('1')
  await form.getByRole('button', { name: 'Create the group' }).click()
  await rowOf(page, 'Shop').getByText('Empty').waitFor()
  await page.keyboard.press('c')
  await form.getByLabel('Name').fill('shop')
  await form.getByRole('button', { name: 'Create the group' }).click()
  await form.getByText('Another group has this name').first().waitFor()
  await form.getByLabel('Name').fill('Office')
  await form.getByRole('button', { name: 'Create the group' }).click()
  await rowOf(page, 'Office').waitFor()
}

async function fills(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await rowOf(page, 'Shop').getByRole('link', { name: 'Shop' }).click()
  await page.getByRole('heading', { level: 1, name: 'Shop: no monitors' }).waitFor()
  await page.getByRole('heading', { name: 'No monitor is in this group' }).waitFor()
  await stage.looksRight(t, owner, 'group-empty')
  await page.getByRole('button', { name: 'Show all monitors' }).click()
  await monitorRow(page, 'Checkout').getByText('Down').first().waitFor()
  if ((page.viewportSize()?.width ?? 0) < 900) await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const name of ['Storefront', 'Checkout']) await page.getByLabel(`Select ${name}`).check()
  await page.getByRole('button', { name: 'Move to a group…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 2 monitors to a group' })
  await dialog.getByLabel('Group').selectOption({ label: 'Shop' })
  await stage.looksRight(t, owner, 'groups-move')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('2 changed').waitFor()
  await page.getByLabel('Order').selectOption('group')
  await page.waitForURL('**/monitors?sort=group')
  const items = page.getByRole('list', { name: 'Monitors' }).getByRole('listitem')
  await items.filter({ hasText: '2 monitors, 1 down' }).waitFor()
  const words = await items.allTextContents()
  t.match(words, [/^Shop.*Down/, /Checkout/, /Storefront/, /^No group/, /Mailbox/])
  await stage.looksRight(t, owner, 'monitors-by-group')
  await page.getByRole('link', { name: 'Shop', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Shop: 1 of 2 monitors down' }).waitFor()
  await page.getByText('All that people buy with').waitFor()
  t.equal(await items.count(), 2)
  await stage.looksRight(t, owner, 'group')
  await page.getByRole('link', { name: 'Storefront' }).click()
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor()
}

async function ends(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page, api } = owner
  await owner.go('/monitors/groups')
  await page.getByRole('heading', { level: 1, name: '1 of 2 groups need a look' }).waitFor()
  await rowOf(page, 'Shop').getByText('2 monitors, 1 down').waitFor()
  await stage.looksRight(t, owner, 'groups')
  await page.getByRole('button', { name: 'Edit Shop' }).click()
  const form = page.getByRole('dialog', { name: 'Edit Shop' })
  await form.getByLabel('Name').fill('Store')
  // Somebody else changes the description meanwhile.
  const groups = (await api('GET', '/api/v1/monitor-groups')).body.items as { id: string; name: string }[]
  const path = `/api/v1/monitor-groups/${groups.find((group) => group.name === 'Shop')?.id}`
  await api('PATCH', path, { description: 'What brings the money' })
  await form.getByRole('button', { name: 'Save' }).click()
  await rowOf(page, 'Store').waitFor()
  t.match((await api('GET', path)).body, { name: 'Store', description: 'What brings the money' })
  await page.getByRole('button', { name: 'Delete Store' }).click()
  const question = page.getByRole('dialog', { name: 'Delete the group Store?' })
  await question.getByText('Its monitors are kept').waitFor()
  await question.getByRole('button', { name: 'Delete the group' }).click()
  await rowOf(page, 'Store').waitFor({ state: 'detached' })
  t.match((await api('GET', '/api/v1/monitors')).body, { total: 3, items: [{ group_id: null }, { group_id: null }, { group_id: null }] })
}

export const groups: Story = async (t, stage) => {
  for (const view of walks)
    await t.test(`groups are created, filled and deleted, ${view.scheme}, ${view.width} px`, async (t) => {
      const owner = await stage.newcomer(t, view)
      await makes(t, stage, owner)
      await fills(t, stage, owner)
      await ends(t, stage, owner)
      t.same(owner.complaints, [])
    })
  await t.test('a viewer can only look at groups', async (t) => {
    const owner = await stage.newcomer(t, undefined, 'viewer')
    const { page } = owner
    await owner.go('/monitors/groups')
    await page.getByText('Your role can only view groups').waitFor()
    t.equal(await page.getByRole('button', { name: 'New group' }).count(), 0)
    await stage.looksRight(t, owner, 'groups-viewer')
  })
}
