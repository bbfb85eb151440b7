/**
 * The first minutes in a new workspace: each of the three ways is done at each width, and its step
 * turns green in place. The commands are run exactly as printed.
 */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { walks } from '../browser.ts'
import type { Story } from '../stage.ts'

const run = promisify(execFile)

/** Runs the text of a block with bash, as it is shown. Throws if that fails. */
export async function runBlock(page: Page, title: string): Promise<string> {
  const block = page.locator('figure').filter({ hasText: title })
  const { stdout } = await run('bash', ['-c', (await block.locator('pre').textContent()) ?? 'false'])
  return stdout
}

/** Returns a promise, and the function that resolves it. */
function held(): { wait: Promise<void>; release(): void } {
  let release = (): void => undefined
  const wait = new Promise<void>((resolve) => {
    release = resolve
  })
  return { wait, release: () => release() }
}

export const welcome: Story = async (t, stage) => {
  for (const view of walks) {
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const visited = await stage.newcomer(t, view)
      const { page } = visited
      await visited.go('/welcome')
      await page.getByRole('heading', { name: 'See it work: three ways, one minute each' }).waitFor()
      await stage.looksRight(t, visited, 'welcome')

      const tell = page.getByRole('region', { name: 'Get notified when something breaks' })
      await tell.getByRole('button', { name: 'Notify me by e-mail' }).click()
      await tell.getByText(/The other side accepted it/).waitFor()
      await tell.getByText('Done').waitFor()
      // A moment after the answer, the button returns in a less prominent style.
      await tell.locator('button[data-variant=default]:not([data-loading])').waitFor()
      const { body } = await visited.api('GET', '/api/v1/notifications/channels')
      t.match(
        body.items,
        [{ kind: 'email', is_default: true, needs_verification: false, health: { state: 'ok' } }],
        'they are told from now on'
      )
      await stage.looksRight(t, visited, 'welcome-told')

      const watch = page.getByRole('region', { name: 'Monitor a site' })
      await watch.getByLabel('URL').fill(stage.site.url)
      await watch.getByRole('button', { name: 'Monitor it' }).click()
      await watch.getByText('Done').waitFor()
      await watch
        .getByText(/^Up, \d+ ms$/)
        .nth(2)
        .waitFor()

      const ping = page.getByRole('region', { name: 'Monitor a job' })
      await ping.getByRole('button', { name: 'Create a heartbeat' }).click()
      await ping.getByText('Waiting for the first ping…').waitFor()

      const alert = page.getByRole('region', { name: 'Send an alert' })
      await alert.getByRole('button', { name: 'Create a URL for alerts' }).click()
      await alert.getByText('Waiting for the first alert…').waitFor()
      await stage.looksRight(t, visited, 'welcome-waiting')

      await runBlock(page, 'Send a ping')
      await ping.getByText('The ping arrived').waitFor()
      await page.getByRole('heading', { name: 'Two work, one to go' }).waitFor()

      t.match(JSON.parse(await runBlock(page, 'Open an incident')), { status: 'accepted', processed: 1 })
      await alert.getByText('An alert arrived').waitFor()
      // One click leads to the incident.
      await alert.getByRole('link', { name: /INC-1 Disk full on db-7/ }).waitFor()
      await page.getByRole('heading', { name: 'All three work' }).waitFor()
      await stage.looksRight(t, visited, 'welcome-done')
      t.same(visited.complaints, [])
    })
  }

  await t.test('a site that fails in every region does not complete its step', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'light', width: 1280 })
    const { page } = visited
    t.teardown(() => stage.site.answer(200))
    stage.site.answer(503)
    await visited.go('/welcome')
    const watch = page.getByRole('region', { name: 'Monitor a site' })
    await watch.getByLabel('URL').fill(stage.site.url)
    await watch.getByRole('button', { name: 'Monitor it' }).click()
    await watch.getByText(/The check fails in every region, so this step is not done yet/).waitFor()
    t.equal(await watch.getByText('Done', { exact: true }).count(), 0)
    await page.getByRole('heading', { name: 'See it work: three ways, one minute each' }).waitFor()
    await stage.looksRight(t, visited, 'welcome-failing')
  })

  await t.test('a person who has left the overview is not redirected to the first steps', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'light', width: 1280, apart: true })
    const { page } = visited
    const [list, parts] = [held(), held()]
    await page.clock.install()
    await page.route(/\/api\/v1\/heartbeats/, (route) => list.wait.then(() => route.continue()))
    const asked = page.waitForRequest(/\/api\/v1\/heartbeats/)
    await visited.go('/')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    // The overview has loaded, so only later requests are held back.
    await asked
    // The overview stays while the feed's part of the app loads, for at most 150 ms.
    await page.route(/\/assets\//, (route) => parts.wait.then(() => route.continue()))
    await page.clock.pauseAt(Date.now() + 1000)
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.waitForURL('**/feed')
    const answered = page.waitForResponse(/\/api\/v1\/heartbeats/)
    list.release()
    await (await answered).finished()
    const shown = page.getByRole('heading', { level: 1, name: 'Nothing is monitored yet' })
    // Other lists may load slowly, because the page's clock advances only 1 ms each time.
    for (let ms = 0; ms < 120 && !(await shown.isVisible()); ms++) {
      await page.clock.runFor(1)
      await sleep(50)
    }
    await shown.waitFor()
    parts.release()
    await page.clock.resume()
    await page.getByRole('heading', { level: 1, name: 'You have read everything' }).waitFor()
    t.match(page.url(), /\/feed$/)
    t.same(visited.complaints, [])
  })

  await t.test('faults of the first steps are explained, and progress survives a reload', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'dark', width: 390 })
    const { page } = visited
    await visited.go('/welcome')
    const watch = page.getByRole('region', { name: 'Monitor a site' })
    await watch.getByRole('button', { name: 'Monitor it' }).click()
    await watch.getByText('This must have at least 1').waitFor()
    await watch.getByLabel('URL').fill('10.0.0.1')
    await watch.getByRole('button', { name: 'Monitor it' }).click()
    await watch.getByText('This URL is in a private network').waitFor()

    const ping = page.getByRole('region', { name: 'Monitor a job' })
    await ping.getByRole('button', { name: 'Create a heartbeat' }).click()
    await ping.getByText('Waiting for the first ping…').waitFor()
    const alert = page.getByRole('region', { name: 'Send an alert' })
    await alert.getByRole('button', { name: 'Create a URL for alerts' }).click()
    await alert.getByText('Open an incident', { exact: true }).waitFor()
    await page.reload()
    await ping.getByText('Send a ping', { exact: true }).waitFor()
    await alert.getByText('Its token was shown once').waitFor()
    await stage.looksRight(t, visited, 'welcome-reloaded')
    await alert.getByRole('button', { name: 'Show the command' }).click()

    await runBlock(page, 'Open an incident')
    await alert.getByRole('button', { name: 'Resolve INC-1' }).click()
    await alert.getByText('Resolved', { exact: true }).waitFor()
    await runBlock(page, 'Open an incident')
    await alert.getByRole('button', { name: 'Resolve INC-2' }).waitFor()
    await runBlock(page, 'Resolve it')
    await alert.getByText('Resolved', { exact: true }).waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('a viewer is told who can do the first steps', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'light', width: 1280 }, 'viewer')
    await visited.go('/welcome')
    const { page } = visited
    await page.getByText('An editor of the workspace can do this step.').first().waitFor()
    t.equal(await page.getByRole('main').getByRole('button').count(), 0, 'no button that would be refused')
    t.same(visited.complaints, [])
  })
}
