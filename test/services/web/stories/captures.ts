/**
 * The response to a failed check is kept if the form of its monitor says so. It is shown under the
 * check to admins, for three days. If it cannot be read, the page says why.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { View } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

/** Probers also check other monitors, and the response arrives a moment after the result. */
const ANSWERS_MS = 180_000

const checks = (page: Page) => page.getByRole('list', { name: 'Checks' })
const answer = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true })

async function keeps(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page, api } = owner
  const body = { error: 'Closed for repairs', password: 'never-shown', trace: 'orders.ts line 12' }
  stage.site.answer(503, body)
  await owner.go('/monitors/new')
  await page.getByLabel('Name', { exact: false }).first().fill('Storefront')
  await page.getByLabel('Address', { exact: false }).first().fill(`${stage.site.url}/kept`)
  await page.getByText('Request', { exact: true }).click()
  const keep = page.getByLabel('Keep the answer of a failed check')
  await page.getByText('for 3 days, with secrets removed').waitFor()
  await keep.check()
  await stage.looksRight(t, owner, 'captures-form')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/)
  const id = page.url().split('/').at(-1) ?? ''
  t.match((await api('GET', `/api/v1/monitors/${id}`)).body, { config: { capture_on_failure: true } })
  await page.getByRole('region', { name: 'Settings' }).getByText('the answer of a failed check is kept').waitFor()

  await checks(page).getByText('Failed').last().click({ timeout: ANSWERS_MS })
  await answer(page).locator('pre', { hasText: 'HTTP/1.1 503' }).waitFor({ timeout: ANSWERS_MS })
  await answer(page).locator('pre', { hasText: 'Closed for repairs' }).waitFor()
  await answer(page).getByText('Kept until').waitFor()
  t.notMatch(await answer(page).textContent(), 'never-shown')
  await stage.looksRight(t, owner, 'captures-answer')
  await elsewise(t, stage, owner, id)
}

/** What the page shows instead of a response that is not available. */
async function elsewise(t: Test, stage: Stage, owner: Newcomer, id: string): Promise<void> {
  const { page, go } = owner
  const opened = async (): Promise<void> => {
    await go(`/monitors/${id}`)
    await checks(page).getByText('Failed').last().click({ timeout: ANSWERS_MS })
  }
  const captures = '**/checks/*/capture'
  const refuse = (status: number, code: string, error: string) =>
    page.route(captures, (route) => route.fulfill({ status, json: { error, code, request_id: 'req_tour', details: [] } }))
  let captured = true
  await page.route(`**/api/v1/monitors/${id}/checks?*`, async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { items: object[] }
    await route.fulfill({ response, json: { ...json, items: json.items.map((item) => ({ ...item, captured })) } })
  })
  await refuse(503, 'UNAVAILABLE', 'Analytics is away')
  await opened()
  await answer(page).getByText('Analytics is away').waitFor()
  await stage.looksRight(t, owner, 'captures-away')
  await page.unroute(captures)
  await refuse(404, 'NOT_FOUND', 'No such object exists in this workspace')
  await answer(page).getByRole('button', { name: 'Try again' }).click()
  await answer(page).getByText('The answer is gone').waitFor()
  await page.route('**/api/v1/auth/session', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), role: 'responder' } })
  })
  await opened()
  await answer(page).getByText('only admins of the workspace').waitFor()
  captured = false
  await opened()
  await answer(page).getByText('is not kept').waitFor()
}

const views: View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

export const captures: Story = async (t, stage) => {
  t.teardown(() => stage.site.answer(200))
  for (const view of views)
    await t.test(`a failed check shows its kept response, ${view.scheme}, ${view.width} px`, async (t) =>
      keeps(t, stage, await stage.newcomer(t, view))
    )
}
