/**
 * Heartbeats as people use them: created with an error and then correctly, pinged at their address,
 * failed, missed, changed, paused, deleted; and what a viewer sees of them.
 */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { copies, typeAtOnce } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

interface Made {
  id: string
  name: string
  ping_url: string
}

/** Makes heartbeats that are deleted at the end of the story. */
function maker(t: Test, { product }: Stage): (body: object) => Promise<Made> {
  return async (body) => {
    const answer = await product.api('POST', '/api/v1/heartbeats', body)
    if (answer.status !== 201) throw new Error(`the api answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    const made = answer.body as unknown as Made
    t.teardown(() => product.api('DELETE', `/api/v1/heartbeats/${made.id}`))
    return made
  }
}

/** Sends a ping as a job does. */
async function ping(url: string, body?: string): Promise<void> {
  const answer = await fetch(url, body === undefined ? {} : { method: 'POST', body })
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
}

/**
 * Returns an hour of the day that is far from now in that time zone, so nothing scheduled for it is
 * due during the story.
 */
function farHour(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' })
  return format.format(new Date(Date.now() + 10 * 3_600_000))
}

const answers = (page: Page, answer: RegExp | string): Promise<void> => page.getByRole('heading', { level: 1, name: answer }).waitFor()
const log = (page: Page) => page.getByRole('list', { name: 'Ping log' })

export const heartbeats: Story = async (t, stage) => {
  const make = maker(t, stage)
  // Pings once and then never again. The story returns to it later.
  const silent = await make({
    name: 'Story silent',
    schedule: { kind: 'period', period_seconds: 30 },
    grace_seconds: 0,
    severity: 'warning'
  })
  await ping(silent.ping_url)
  const far = farHour('America/New_York')
  const failing = await make({
    name: 'Story export',
    schedule: { kind: 'cron', expression: `0 ${Number(far)} * * mon-fri`, time_zone: 'America/New_York' },
    tags: ['story'],
    max_run_seconds: 3600,
    description: 'Sends the invoices of the day. If it fails:\n\n```\ninvoices --again --since yesterday\n```\n\nthen tell **billing**.'
  })
  await ping(failing.ping_url)
  for (const [files, code] of [
    ['12 files', 0],
    ['14 files', 0],
    ['the disk is full', 1]
  ] as const) {
    // A run id, if there is one, connects the end of a run with its start.
    const rid = randomUUID()
    await ping(`${failing.ping_url}/start?rid=${rid}`)
    await ping(`${failing.ping_url}/${code}?rid=${rid}`, `copying\n${files}\n`)
  }

  await t.test('a heartbeat is created, pinged, failed, changed, paused and deleted', (t) => life(t, stage))
  await t.test('refusals and unreadable lists are explained, and older pings can be shown', (t) => refusals(t, stage))
  await t.test('the form sets what counts as a ping, and a ping ends a pause', (t) => rules(t, stage))
  await t.test('a viewer does not see the ping address', (t) => viewer(t, stage))

  await t.test('a missed heartbeat is shown, and its next ping appears without a reload', async (t) => {
    const visited = await stage.enter(t, { scheme: 'dark', width: 390 })
    const { page } = visited
    await visited.go(`/heartbeats/${silent.id}`)
    await answers(page, /^Story silent missed .*due/)
    await page.getByRole('link', { name: /^Open incident INC-\d+, triggered$/ }).waitFor()
    await stage.looksRight(t, visited, 'heartbeat-missed')
    await ping(silent.ping_url)
    await answers(page, /^Story silent ran .*, on time$/)
    await visited.go(`/heartbeats/${failing.id}/edit`)
    await page.getByText(`At ${far}:00, Monday through Friday, America/New_York`).waitFor()
    await stage.looksRight(t, visited, 'heartbeat-edit')
    t.same(visited.complaints, [])
  })

  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go('/heartbeats')
    await page
      .getByRole('list', { name: 'Heartbeats' })
      .getByRole('link', { name: /Story export/ })
      .waitFor()
    await answers(page, /failed|missed/)
    await stage.looksRight(t, visited, 'heartbeats')
    await visited.go(`/heartbeats/${failing.id}?how=systemd`)
    await answers(page, /^Story export failed .*, with exit code 1$/)
    await log(page).getByText('the disk is full').waitFor()
    const runs = page.getByRole('region', { name: 'How long it ran' })
    await runs.getByText('Median').waitFor()
    await runs.getByText(/^2 since /).waitFor()
    await stage.looksRight(t, visited, 'heartbeat-failed')
  })
}

async function rules(t: Test, stage: Stage): Promise<void> {
  const owner = await stage.newcomer(t)
  const { page } = owner
  await owner.go('/heartbeats/new')
  await page.getByLabel('Name').fill('Nightly export')
  await page.getByText('What counts as a ping').click()
  await page.getByLabel('Accepted failures in a row').fill('1')
  await page.getByLabel('Characters of the body to store').fill('8')
  await page.getByLabel('Shortest run, number').fill('10')
  for (const method of ['GET', 'HEAD']) await page.getByRole('checkbox', { name: method, exact: true }).uncheck()
  const words = page.getByLabel('Words that mean failure').and(page.locator('input')).first()
  await words.fill('error')
  await words.press('Enter')
  await stage.looksRight(t, owner, 'heartbeat-rules')
  await page.getByRole('button', { name: 'Create heartbeat' }).click()
  await answers(page, 'Nightly export is waiting for its first ping')
  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByText('POST', { exact: true }).waitFor()
  await settings.getByText('error', { exact: true }).waitFor()
  const url = (await page.getByRole('region', { name: 'Send the first ping' }).locator('code').first().textContent()) ?? ''
  t.equal((await fetch(url)).status, 405, 'a scanner that follows the address pings nothing')
  await page.getByText(`curl -fsS -m 10 --retry 5 -o /dev/null -X POST ${url}`, { exact: true }).waitFor()
  await ping(url, 'an error that is accepted')
  await answers(page, /^Nightly export ran/)
  await ping(url, 'the second error is not')
  await answers(page, /^Nightly export failed/)

  await page.locator('body').press('p')
  const dialog = page.getByRole('dialog', { name: 'Pause Nightly export?' })
  await dialog.getByLabel('The next ping ends the pause').check()
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('It continues with its next ping.').waitFor()
  await ping(url, 'exported 12 files')
  await answers(page, /^Nightly export ran .*, on time$/)
  await log(page).getByText('exported', { exact: true }).waitFor()
  for (let run = 0; run < 2; run++) {
    await ping(`${url}/start`, '')
    await ping(url, 'exported nothing')
  }
  await answers(page, /^Nightly export ended after .*, which is too soon$/)
  t.same(owner.complaints, [])
}

async function life(t: Test, stage: Stage): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go('/heartbeats')
  await page.getByRole('link', { name: /Story export/ }).waitFor()
  const part = page.getByLabel('Name contains…')
  await part.focus()
  await typeAtOnce(page, 'no such job')
  await page.waitForURL('**/heartbeats?q=no+such+job')
  t.equal(await part.inputValue(), 'no such job', 'every letter counts')
  await page.getByRole('link', { name: /^Show all/ }).click()
  await page.getByRole('link', { name: /Story export/ }).waitFor()
  t.equal(await part.inputValue(), '', 'the field follows the address')
  await page.locator('body').press('c')
  await page.waitForURL('**/heartbeats/new')

  await page.getByRole('button', { name: 'Create heartbeat' }).click()
  await page.getByText('This must have at least 1').waitFor()
  await until('the cursor in the field that is wrong', () =>
    page.evaluate<boolean>("document.activeElement?.getAttribute('aria-invalid') === 'true'")
  )
  const far = farHour('Europe/Berlin')
  const daily = `30 ${Number(far)} * * *`
  await page.getByLabel('Name').fill('Story backup')
  await page.getByText('With a cron expression').click()
  const expression = page.getByRole('textbox', { name: 'Cron expression' })
  await expression.fill('61 3 * * *')
  await page.getByText('Minutes part must be >= 0 and <= 59').waitFor()
  await expression.fill('0 0 31 2 *')
  await page.getByRole('button', { name: 'Create heartbeat' }).click()
  await page.getByText('The expression never fires').first().waitFor()
  await stage.looksRight(t, visited, 'heartbeat-refused')
  await expression.fill(daily)
  await page.getByText(`At ${far}:30, Europe/Berlin`).waitFor()
  await page.getByRole('button', { name: 'Create heartbeat' }).click()

  await answers(page, 'Story backup is waiting for its first ping')
  const id = page.url().split('/').at(-1) ?? ''
  t.teardown(() => stage.product.api('DELETE', `/api/v1/heartbeats/${id}`))
  const address = page.getByRole('region', { name: 'Send the first ping' })
  const url = (await address.locator('code').first().textContent()) ?? ''
  t.match(url, /\/api\/v1\/ping\/[0-9a-f-]{36}$/)
  await copies(page, address.getByRole('button', { name: 'Copy the ping address' }), url)
  await page.getByRole('tab', { name: 'Crontab' }).click()
  await address.getByText(`${daily} /usr/local/bin/your-job && curl -fsS -m 10 --retry 5 -o /dev/null ${url}`).waitFor()
  await page.waitForURL('**how=crontab')
  const times = page.getByRole('table').getByRole('row')
  await times.nth(5).waitFor()
  t.equal(await times.count(), 6, 'the next five times')
  await stage.looksRight(t, visited, 'heartbeat-waiting')

  await page.evaluate('globalThis.sameLoad = true')
  await ping(url, '1204 files copied')
  await answers(page, /^Story backup ran .*, on time$/)
  await log(page).getByText('1204 files copied').waitFor()
  await ping(`${url}/start`)
  await answers(page, /^Story backup has been running for/)
  await ping(`${url}/1`, 'copying\nno space left')
  await answers(page, /^Story backup failed .*, with exit code 1$/)
  await page.getByRole('link', { name: /^Open incident INC-\d+, triggered$/ }).waitFor()
  const failed = log(page).getByRole('button', { name: /Failed, exit 1/ })
  await failed.click()
  await log(page).getByText('POST from').waitFor()
  t.equal(await failed.getAttribute('aria-expanded'), 'true')
  t.equal(await page.evaluate('globalThis.sameLoad'), true, 'nothing was loaded again')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await failed.waitFor({ state: 'detached' })
  await page.waitForURL('**kind=start')
  await page.goBack()
  await failed.waitFor()

  await page.locator('body').press('e')
  await answers(page, 'Edit Story backup')
  await page.getByLabel('Name').fill('Story copy')
  await expression.fill('0 4 * * *')
  await page.getByLabel('Keep its state').check()
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: 'Save' }).click()
  ])
  t.same(
    sent.postDataJSON(),
    { name: 'Story copy', schedule: { kind: 'cron', expression: '0 4 * * *', time_zone: 'Europe/Berlin' }, keep_phase: true },
    'only what was changed is sent'
  )
  await answers(page, /^Story copy failed/)

  await page.locator('body').press('p')
  const dialog = page.getByRole('dialog', { name: 'Pause Story copy?' })
  await dialog.getByLabel('Reason').fill('Moving the disk')
  await stage.looksRight(t, visited, 'heartbeat-pausing')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await answers(page, 'Story copy is paused')
  await page.getByText(/^You paused it .*: Moving the disk\. It continues when somebody resumes it\.$/).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await answers(page, 'Story copy is waiting for its first ping')

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete Story copy?' }).getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/heartbeats')
  await page.getByRole('link', { name: /Story export/ }).waitFor()
  await page.getByRole('link', { name: /Story copy/ }).waitFor({ state: 'detached' })
  t.same(visited.complaints, [])
}

async function refusals(t: Test, stage: Stage): Promise<void> {
  const visited = await stage.newcomer(t, { scheme: 'light', width: 390 })
  const { page } = visited
  await visited.go('/heartbeats')
  await answers(page, 'No heartbeats yet')
  await stage.looksRight(t, visited, 'heartbeats-empty')
  await page.getByRole('link', { name: 'New heartbeat' }).click()
  await page.route(/\/api\/v1\/heartbeats$/, (route) =>
    route.fulfill({
      status: 403,
      json: {
        error: 'The plan’s limit of heartbeats is reached',
        code: 'TIER_LIMIT_EXCEEDED',
        request_id: 'story-limit',
        details: [{ rule: 'limit', limit_key: 'heartbeats', limit: 10, actual: 10, plan: 'free', upgrade_to: 'pro' }]
      }
    })
  )
  await page.getByLabel('Name').fill('One too many')
  await page.getByRole('button', { name: 'Create heartbeat' }).click()
  await page.getByRole('alert').getByText('10 heartbeats on the plan free').waitFor()
  await stage.looksRight(t, visited, 'heartbeat-over-limit')

  await page.route(/\/api\/v1\/heartbeats\?/, (route) =>
    route.fulfill({ status: 422, json: { error: 'The list cannot be read', code: 'STRANGE', request_id: 'story-list' } })
  )
  await visited.load('/heartbeats')
  await page.getByRole('alert').getByText('story-list').waitFor()
  await stage.looksRight(t, visited, 'heartbeats-unreadable')
  await visited.go('/heartbeats/01a20000-0000-7000-8000-000000000000')
  await page.getByRole('alert').getByText('There is nothing here').waitFor()

  // A log of two pages. It is not made by pings, because so many would be refused.
  const { body } = await visited.api('POST', '/api/v1/heartbeats', {
    name: 'Story of many',
    schedule: { kind: 'period', period_seconds: 60 }
  })
  const many = body as unknown as Made
  await ping(many.ping_url, 'the newest')
  await page.route(/\/pings\?/, async (route) => {
    const answer = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/&?cursor=[^&]*/, '')
    })
    const read = (await answer.json()) as { items: object[] }
    const second = route.request().url().includes('cursor=')
    const items = read.items.map((item) =>
      second ? { ...item, id: '01a20000-0000-7000-8000-000000000000', body_excerpt: 'the oldest' } : item
    )
    await route.fulfill({ json: { ...read, items, next_cursor: second ? null : 'next' } })
  })
  await visited.go(`/heartbeats/${many.id}`)
  await log(page).getByText('the newest').first().waitFor()
  await page.getByRole('button', { name: 'Show older pings' }).click()
  await log(page).getByText('the oldest').first().waitFor()
  t.ok(await log(page).getByText('the newest').first().isVisible(), 'those before stay')
  t.equal(await page.getByRole('button', { name: 'Show older pings' }).count(), 0)
}

async function viewer(t: Test, stage: Stage): Promise<void> {
  const visited = await stage.newcomer(t, { scheme: 'dark', width: 1280 }, 'viewer')
  const { page } = visited
  const name = 'Story of a viewer'
  const { body } = await visited.api('POST', '/api/v1/heartbeats', { name, schedule: { kind: 'period', period_seconds: 3600 } })
  const { id, ping_url } = body as unknown as Made
  await ping(ping_url)
  await visited.go('/heartbeats')
  await page.getByRole('link', { name }).waitFor()
  t.equal(await page.getByRole('link', { name: 'New heartbeat' }).count(), 0)
  t.equal(await page.getByRole('button', { name: /Copy the ping address/ }).count(), 0)
  await page.getByRole('link', { name }).click()
  await page.getByText('it is shown to those who may change heartbeats. Your role is viewer').waitFor()
  await log(page).waitFor()
  for (const button of ['Pause', 'Delete']) t.equal(await page.getByRole('button', { name: button }).count(), 0, `no ${button}`)
  t.notOk((await page.content()).includes(ping_url))
  await stage.looksRight(t, visited, 'heartbeat-viewer')
  await visited.go(`/heartbeats/${id}/edit`)
  await page.getByRole('alert').getByText('This needs the role editor').waitFor()
  t.same(visited.complaints, [])
}
