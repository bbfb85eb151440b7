/**
 * Rows of monitors and heartbeats with their actions: the last 24 hours, copying, cloning and
 * deleting a monitor, a test ping, a test alert.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { copies, opensWith, type Visit } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

interface Made {
  id: string
  ping_url: string
}

/** A missed ping is detected after the period, and the machine may be busy. */
const MISSED_MS = 120_000

const rowOf = (page: Page, list: string, name: RegExp) => page.getByRole('list', { name: list, exact: true }).getByRole('link', { name })

async function monitors(t: Test, stage: Stage, visited: Visit): Promise<void> {
  const { page } = visited
  const target = `${stage.site.url}/rows`
  const row = rowOf(page, 'Monitors', /(?<!Copy of )Rows site/)
  const strip = row.getByRole('img', { name: /^Last 24 hours/ })
  await opensWith(visited, '/monitors', strip)
  const bars = await Promise.all((await strip.locator('path[data-state]').all()).map((path) => path.getAttribute('d')))
  t.equal(bars.join('').split('M').length - 1, 24, 'a bar for each hour')
  await stage.looksRight(t, visited, 'rows-monitors')
  await row.click()
  await page.getByRole('link', { name: target }).waitFor()
  t.ok(await copies(page, page.getByRole('button', { name: 'Copy the address' }).first(), target))
  await page.getByRole('link', { name: 'Clone' }).click()
  await page.getByRole('heading', { level: 1, name: 'A copy of Rows site' }).waitFor()
  t.equal(await page.getByLabel('Name', { exact: false }).first().inputValue(), 'Copy of Rows site')
  t.equal(await page.getByLabel('Address', { exact: false }).first().inputValue(), target)
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.getByRole('heading', { level: 1, name: /^Copy of Rows site/ }).waitFor()
  await page.getByRole('region', { name: 'Settings' }).getByRole('button', { name: 'Delete', exact: true }).click()
  const deleting = page.getByRole('dialog', { name: 'Delete Copy of Rows site?' })
  await deleting.waitFor()
  await stage.looksRight(t, visited, 'rows-monitor-delete')
  await deleting.getByRole('button', { name: 'Delete the monitor' }).click()
  await row.waitFor()
  await rowOf(page, 'Monitors', /Copy of Rows site/).waitFor({ state: 'detached' })
}

async function heartbeats(t: Test, stage: Stage, visited: Visit, silent: Made): Promise<void> {
  const { page } = visited
  const row = rowOf(page, 'Heartbeats', /Rows job/)
  const strip = row.getByRole('img', { name: /^Last 24 hours/ })
  await opensWith(visited, '/heartbeats', visited.view.width === 1280 ? strip : row)
  await rowOf(page, 'Heartbeats', /Rows silent.*missing for/).waitFor()
  await stage.looksRight(t, visited, 'rows-heartbeats')
  await row.click()
  await page.getByRole('region', { name: 'Last 24 hours' }).getByRole('slider').waitFor()
  await page.getByRole('button', { name: 'Send a test ping' }).click()
  const pinging = page.getByRole('dialog', { name: 'Send a ping now?' })
  await pinging.waitFor()
  await stage.looksRight(t, visited, 'rows-test-ping')
  await pinging.getByRole('button', { name: 'Send the ping' }).click()
  await page.getByText('The ping was sent').waitFor()
  await page.getByRole('list', { name: 'Ping log' }).getByText('Test ping from the dashboard').first().waitFor()
  await visited.go(`/heartbeats/${silent.id}`)
  await page.getByText('Missing since').waitFor()
  await stage.looksRight(t, visited, 'rows-missing-since')
}

async function integrations(t: Test, stage: Stage, visited: Visit, { id }: Made): Promise<void> {
  const { page } = visited
  await visited.go('/integrations')
  await page.getByRole('searchbox', { name: 'Find by name or tool' }).fill('no such tool')
  await page.getByRole('heading', { name: 'No integration matches' }).waitFor()
  await page.getByRole('searchbox', { name: 'Find by name or tool' }).fill('rows al')
  const row = rowOf(page, 'Integrations', /^Rows alerts/)
  await row.waitFor()
  await page.waitForURL('**/integrations?q=rows+al')
  t.equal(
    await page.getByRole('link', { name: 'Incidents of Rows alerts' }).getAttribute('href'),
    `/incidents?status=all&integration_id=${id}`
  )
  await stage.looksRight(t, visited, 'rows-integrations')
  await row.click()
  await page.getByRole('heading', { level: 1, name: 'Rows alerts' }).waitFor()
  await page.getByRole('button', { name: 'Send a test alert' }).click()
  const sending = page.getByRole('dialog', { name: 'Send a test alert?' })
  await sending.waitFor()
  await stage.looksRight(t, visited, 'rows-test-alert')
  await sending.getByRole('button', { name: 'Send the alert' }).click()
  await page.waitForURL(`**/incidents?integration_id=${id}`)
  await rowOf(page, 'Incidents', /Test alert/)
    .first()
    .waitFor()
}

export const rows: Story = async (t, stage) => {
  const { product } = stage
  const made = async (path: string, body: unknown): Promise<Made> => {
    const answer = await product.api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    const one = answer.body as unknown as Made
    t.teardown(() => product.api('DELETE', `${path}/${one.id}`))
    return one
  }
  await made('/api/v1/monitors', { name: 'Rows site', type: 'http', target: `${stage.site.url}/rows`, interval_seconds: 60 })
  const job = await made('/api/v1/heartbeats', { name: 'Rows job', schedule: { kind: 'period', period_seconds: 86_400 } })
  const silent = await made('/api/v1/heartbeats', {
    name: 'Rows silent',
    schedule: { kind: 'period', period_seconds: 30 },
    grace_seconds: 0,
    severity: 'info'
  })
  const source = await made('/api/v1/integrations/inbound', { name: 'Rows alerts', source_type: 'generic' })
  for (const { ping_url } of [job, silent]) await fetch(ping_url)
  await until(
    'the heartbeat to be missed',
    async () => (await product.api('GET', `/api/v1/heartbeats/${silent.id}`)).body.status === 'missed',
    MISSED_MS
  )
  await stage.inEachView(t, async (t, visited) => {
    await monitors(t, stage, visited)
    await heartbeats(t, stage, visited, silent)
    await integrations(t, stage, visited, source)
  })
}
