/**
 * Maintenance: a window is planned, seen in the list, in the calendar and on a monitor, holds an
 * incident, and is ended. A deployment opens another, which is shown next to the incident.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { returnsUntil, visit, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const said = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const listed = (page: Page, list: string, name: string) =>
  page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: name })

async function made(owner: Newcomer, path: string, body: unknown): Promise<{ id: string }> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as { id: string }
}

async function planned(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/maintenance')
  await said(page, 'Plan your next maintenance')
  await stage.looksRight(t, owner, 'maintenance-empty')
  await page.getByRole('button', { name: 'New window' }).click()
  await heading(page, 'What do you work on, and when?')
  await page.getByRole('button', { name: 'Plan the window' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Sunday patches')
  await page.getByLabel('Everything in the workspace').check()
  await page.getByLabel('How often').selectOption('recurring')
  // In two days, so it is not open yet, whatever day it is.
  await page.getByLabel('First day').fill(new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10))
  await page.getByLabel('Effect').selectOption('suppress_incidents')
  await page.getByRole('button', { name: 'Preview' }).click()
  await said(page, /This covers 1 monitor and 0 heartbeats\./)
  await stage.looksRight(t, owner, 'maintenance-new')
  await page.getByRole('button', { name: 'Plan the window' }).click()
  await listed(page, 'Maintenance', 'Sunday patches').getByText('Planned').waitFor()
}

async function ended(t: Test, stage: Stage, owner: Newcomer, monitor: string, incident: string): Promise<void> {
  const { page } = owner
  await listed(page, 'Maintenance', 'Shop moves').getByText('Active').waitFor()
  await stage.looksRight(t, owner, 'maintenance-list')
  await page.getByRole('link', { name: 'Calendar' }).click()
  await page.getByRole('link', { name: 'Shop moves' }).first().waitFor()
  await stage.looksRight(t, owner, 'maintenance-calendar')
  await owner.go(`/monitors/${monitor}`)
  await page.getByRole('link', { name: /In maintenance, ends/ }).waitFor()
  await owner.go(`/incidents/${incident}`)
  await said(page, /In maintenance/)
  await page.getByRole('region', { name: 'Why do I see this?' }).getByRole('link', { name: 'Show the window' }).first().waitFor()
  const around = page.getByRole('region', { name: 'Changes around this time' })
  await around.getByRole('link', { name: 'Shop 1.4.2' }).waitFor()
  await around.scrollIntoViewIfNeeded()
  await stage.looksRight(t, owner, 'maintenance-incident')
  await around.getByRole('link', { name: 'Shop moves' }).click()
  await heading(page, /Shop moves/)
  await stage.looksRight(t, owner, 'maintenance-window')
  await page.getByRole('button', { name: 'End now: Shop moves' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
  await said(page, 'The window has ended')
}

async function deployed(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/maintenance?view=deployments')
  const row = listed(page, 'Deployments', 'Shop 1.4.2')
  await row.getByText('shop 1.4.2 in production').waitFor()
  await stage.looksRight(t, owner, 'maintenance-deployments')
  await row.getByRole('button', { name: 'Cancel: Shop 1.4.2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the deployment' }).click()
  await row.getByText('Outcome: cancelled').waitFor()
}

/**
 * Somebody else saves a window while a person types. What they saved stays, and so does what is
 * typed. The person's own *End now* is no such change.
 */
async function savedByAnother(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  const began = new Date(Date.now() - 3_600_000).toISOString()
  const times = { time_zone: 'UTC', starts_on: began.slice(0, 10), at: began.slice(11, 16), duration_minutes: 120 }
  const schedule = { kind: 'recurring', rrule: 'FREQ=DAILY', ...times }
  const { id } = await made(owner, '/api/v1/maintenance-windows', { name: 'Copies', scope: { all: true }, schedule })
  const path = `/api/v1/maintenance-windows/${id}`
  await owner.go(`/maintenance/${id}`)
  const why = page.getByLabel('Why', { exact: true })
  await why.fill('The disks are slow')
  await owner.api('PATCH', path, { name: 'Backups' })
  await returnsUntil(page, page.getByRole('heading', { level: 1, name: /Backups/ }))
  t.equal(await why.inputValue(), 'The disks are slow')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await said(page, 'Somebody else changed this')
  await stage.looksRight(t, owner, 'maintenance-conflict')
  t.match((await owner.api('GET', path)).body, { name: 'Backups', reason: null })

  await page.getByRole('button', { name: 'End now: Backups' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
  await until('the form to begin anew', async () => (await why.inputValue()) === '')
  await why.fill('The disks are slow')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await listed(page, 'Maintenance', 'Backups').waitFor()
  t.match((await owner.api('GET', path)).body, { name: 'Backups', reason: 'The disks are slow' })
}

/** The clock of the person's machine is an hour ahead. */
async function begunNow(t: Test, stage: Stage): Promise<void> {
  const view = { scheme: 'light', width: 1280 } as const
  const owner = await stage.newcomer(t, view)
  const visited = await visit(stage.browser, stage.base, view, await owner.cookies())
  t.teardown(() => visited.close())
  const { page } = visited
  await page.clock.setSystemTime(Date.now() + 3_600_000)
  const told = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'))
  await visited.go('/maintenance/new')
  await told
  await page.getByLabel('Name', { exact: true }).fill('Begins now')
  await page.getByLabel('Everything in the workspace').check()
  await page.getByRole('button', { name: 'Plan the window' }).click()
  await listed(page, 'Maintenance', 'Begins now').getByText('Active').waitFor()
  t.same(visited.complaints, [])
}

export const maintenance: Story = async (t, stage) => {
  for (const view of walks)
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const owner = await stage.newcomer(t, view)
      const monitor = await made(owner, '/api/v1/monitors', { name: 'Shop', type: 'http', target: 'https://shop.example/', tags: ['shop'] })
      await planned(t, stage, owner)
      const schedule = { kind: 'once', starts_at: new Date().toISOString(), ends_at: new Date(Date.now() + 7_200_000).toISOString() }
      await made(owner, '/api/v1/maintenance-windows', { name: 'Shop moves', reason: 'New racks', scope: { all: true }, schedule })
      const deployment = {
        name: 'Shop 1.4.2',
        service: 'shop',
        environment: 'production',
        version: '1.4.2',
        scope: { all: true },
        confirm_all: true
      }
      await made(owner, '/api/v1/deployments/maintenance', deployment)
      const incident = await made(owner, '/api/v1/incidents', { title: 'Shop is slow', severity: 'critical' })
      await owner.go('/maintenance')
      await until('the window to be listed', () => listed(page(owner), 'Maintenance', 'Shop moves').count())
      await ended(t, stage, owner, monitor.id, incident.id)
      await deployed(t, stage, owner)
      await savedByAnother(t, stage, owner)
      t.same(owner.complaints, [])
    })

  await t.test('a window that begins now is active at once, also with a wrong clock of the browser', (t) => begunNow(t, stage))

  await t.test('a viewer is told who can plan maintenance', async (t) => {
    const viewer = await stage.newcomer(t, { scheme: 'light', width: 1280 }, 'viewer')
    await viewer.go('/maintenance')
    await said(viewer.page, 'Only owners, admins and editors can plan maintenance.')
    await viewer.go('/maintenance/new')
    await said(viewer.page, /Your role \(viewer\) can view/)
    await viewer.go('/maintenance/01890000-0000-7000-8000-000000000000')
    await viewer.page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  })
}

const page = ({ page }: Newcomer): Page => page
