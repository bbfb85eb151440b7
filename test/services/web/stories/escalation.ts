/**
 * The escalation of an incident: what comes next, by the service's clock and not the browser's; who
 * was paged; paging by hand; assigning it to whoever is on call.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { type View, visit } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]
/** How far the clock of the person's machine is off. */
const AHEAD_MS = 3_600_000

interface Made {
  id: string
  key: string
}

async function make(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

/**
 * A policy for every incident: pages whoever is on call at once, and the owner ten minutes later.
 */
async function policy(owner: Newcomer): Promise<void> {
  const { items } = (await owner.api('GET', '/api/v1/workspace/members')).body as unknown as { items: { user_id: string }[] }
  const id = items[0]?.user_id
  const layer = { name: 'Day', participants: [id], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }
  const schedule = await make(owner, '/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'UTC', layers: [layer] })
  const steps = [{ targets: [{ type: 'schedule', id: schedule.id }] }, { targets: [{ type: 'user', id }], delay_seconds: 600 }]
  const made = await make(owner, '/api/v1/on-call/escalation-policies', { name: 'Page', steps })
  await owner.api('PATCH', '/api/v1/workspace', { default_escalation_policy_id: made.id })
}

const section = (page: Page) => page.getByRole('region', { name: 'Escalation' })

async function open(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** A machine whose clock is an hour ahead shows the same minutes. */
async function wrongClock(t: Test, stage: Stage, owner: Newcomer, key: string, view: View): Promise<void> {
  const visited = await visit(stage.browser, stage.base, view, await owner.cookies())
  t.teardown(() => visited.close())
  await visited.page.clock.setSystemTime(Date.now() + AHEAD_MS)
  await visited.go(`/incidents/${key}`)
  await section(visited.page)
    .getByText(/^Step 2 is next in \d:\d\d$/)
    .waitFor()
  t.ok(((await visited.page.evaluate('Date.now()')) as number) > Date.now() + AHEAD_MS / 2, 'the clock of the page is wrong')
}

/**
 * Presses the button of the open form in every frame until the dialog is gone, as a double click
 * does that meets the dialog while it closes.
 */
const pressAgainAndAgain = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const button = document.querySelector('[role="dialog"] button[type="submit"]')
    const press = () => {
      if (!button.isConnected) return resolve()
      button.click()
      requestAnimationFrame(press)
    }
    press()
  })`)

async function byHand(t: Test, stage: Stage, owner: Newcomer, key: string, named: string): Promise<void> {
  const { page } = owner
  await open(page, 'Escalate now…')
  const asking = page.getByRole('dialog', { name: `Escalate now: ${key}` })
  await asking.getByRole('button', { name: 'Ask them now' }).click()
  await asking.getByText('Choose at least one person, schedule or step.').waitFor()
  await asking.getByRole('combobox', { name: 'Whoever is on call in' }).fill('Prim')
  await page.getByRole('option', { name: 'Primary' }).click()
  await asking.getByLabel('Message').fill('The tills stand still')
  await stage.looksRight(t, owner, `escalation-now-${named}`)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/escalate')) sent.push(request.url())
  })
  // Only with motion is a closing dialog still there for the second press.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await pressAgainAndAgain(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.getByText(`${key}: 1 will be asked`).waitFor()
  t.equal(sent.length, 1, 'people are asked once')
  await section(page).getByText('You manually asked you').waitFor()
  await page.getByText('The tills stand still').waitFor()
}

export const escalation: Story = async (t, stage) => {
  for (const view of views) {
    const named = `${view.scheme}-${view.width}`
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    await policy(owner)
    const { key } = await make(owner, '/api/v1/incidents', { title: 'Tills stand still', severity: 'critical' })
    await owner.go(`/incidents/${key}`)
    await t.test(`the page shows the next step and who was paged: ${named}`, async (t) => {
      await section(page).getByText('Running: people are asked until somebody has it').waitFor()
      await section(page)
        .getByText(/^Step 2 is next in \d:\d\d$/)
        .waitFor()
      await section(page).getByText('Step 1 asked you').waitFor()
      await section(page).getByRole('link', { name: 'Page' }).waitFor()
      await stage.looksRight(t, owner, `escalation-running-${named}`)
    })
    await t.test(`a wrong clock of the browser does not change the countdown: ${named}`, (t) => wrongClock(t, stage, owner, key, view))
    await t.test(`people are paged by hand: ${named}`, (t) => byHand(t, stage, owner, key, named))
    await t.test(`an incident is assigned to the person on call, taken and handed back: ${named}`, async (t) => {
      await open(page, 'Assign…')
      const assigning = page.getByRole('dialog', { name: `Assign ${key}` })
      await assigning.getByText('Who is on call', { exact: true }).click()
      await assigning.getByText('The first person who is on call there now gets it.').waitFor()
      await stage.looksRight(t, owner, `escalation-assign-${named}`)
      await assigning.getByRole('button', { name: 'Assign' }).click()
      await page.getByText(/assigned to you/).waitFor()
      await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
      await section(page).getByText('Paused: somebody has it').waitFor()
      await stage.looksRight(t, owner, `escalation-paused-${named}`)
      await open(page, 'Hand back…')
      await page.getByRole('dialog').getByRole('button', { name: 'Hand back' }).click()
      await section(page).getByText('Running: people are asked until somebody has it').waitFor()
    })
    t.same(owner.complaints, [], `the page complains of nothing: ${named}`)
  }
}
