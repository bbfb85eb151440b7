/**
 * A monitor is tried before it is saved: each region reports its result, phase by phase, and
 * nothing is stored.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { View } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

/** Probers also check other monitors. */
const ANSWERS_MS = 180_000

const answers = (page: Page) => page.getByRole('list', { name: 'Answers of the regions' })

async function tries(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page, api } = owner
  await owner.go('/monitors/new')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('alert').filter({ hasText: 'not right yet' }).waitFor()
  await page.getByLabel('Address', { exact: false }).first().fill(`${stage.site.url}/tour`)
  await page.getByRole('button', { name: 'Add an assertion' }).click()
  await page.getByLabel('Value of assertion 1').fill('200')
  stage.site.answer(503)
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('3 of 3 answered').waitFor({ timeout: ANSWERS_MS })
  await answers(page).getByText('Failed').first().waitFor()
  stage.site.answer(200)
  await page.getByRole('button', { name: 'Try it again' }).click()
  await answers(page).getByText('Succeeded').nth(2).waitFor({ timeout: ANSWERS_MS })
  await answers(page).locator('summary').first().click()
  await answers(page).getByRole('list', { name: 'Where the time went' }).first().getByText('First byte').waitFor()
  await answers(page).getByText('Status equals 200').first().waitFor()
  await stage.looksRight(t, owner, 'monitors-tried')
  t.match((await api('GET', '/api/v1/monitors')).body, { total: 0 }, 'nothing is saved')
}

const views: View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

export const tryIt: Story = async (t, stage) => {
  t.teardown(() => stage.site.answer(200))
  for (const view of views)
    await t.test(`a monitor is tried before it is saved, ${view.scheme}, ${view.width} px`, async (t) =>
      tries(t, stage, await stage.newcomer(t, view))
    )
}
