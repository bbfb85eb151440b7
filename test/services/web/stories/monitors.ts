/**
 * Monitors: created with an error and then correctly, first results, down with its cause, figures
 * and filters, changed, paused, resumed, deleted.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { certificate } from '../../prober/stand.ts'
import { PATIENCE_MS, painted, typeAtOnce } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

const NAME = 'Storefront of the tour'

const heading = (page: Page, name: RegExp): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()

const section = (page: Page, name: string) => page.getByRole('region', { name })

const checks = (page: Page) => page.getByRole('list', { name: 'Checks' })

/** Longer than the page itself waits for a check's results. */
const RESULTS_MS = 180_000
/** Long enough for the page to have read its figures again. */
const FIGURES_MS = 180_000

/** Presses the page's own button. `told` is the notice after all regions have answered. */
async function checkNow(page: Page, told: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Check now' }).click()
  // Each region has a line with its answer.
  const lines = page.getByRole('list', { name: 'Answers to this check' }).getByRole('listitem')
  await lines.first().waitFor()
  await page.getByText(told).waitFor({ timeout: RESULTS_MS })
}

async function makes(t: Test, stage: Stage): Promise<string> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go('/monitors')
  await page.getByRole('link', { name: 'New monitor' }).first().click()
  await page.waitForURL('**/monitors/new')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.getByText('This must have at least 1').first().waitFor()
  // The first invalid field has the focus. The summary names the fields by their labels.
  await page.getByLabel('Name', { exact: false }).first().and(page.locator(':focus')).waitFor()
  const summary = page.getByRole('alert').filter({ hasText: 'not right yet' })
  t.same(await summary.getByRole('button').allTextContents(), ['Name', 'Address'])
  await summary.getByRole('button', { name: 'Address' }).click()
  await page.getByLabel('Address', { exact: false }).first().and(page.locator(':focus')).waitFor()

  await page.getByLabel('Name', { exact: false }).first().fill(NAME)
  await page.getByLabel('Address', { exact: false }).first().fill('shop.example')
  await page.getByLabel('Check every').selectOption('30')
  await page.getByRole('button', { name: 'Add an assertion' }).click()
  await page.getByLabel('Operator of assertion 1').selectOption('is one of')
  await page.getByLabel('Value of assertion 1').fill('200, fine')
  await page.getByText('Down and up again').click()
  await page.getByLabel('Failures in a row').fill('0')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.getByText('This must be at least 1.').waitFor()
  await stage.looksRight(t, visited, 'monitors-new-fault')

  await page.getByLabel('Failures in a row').fill('1')
  await page.getByLabel('Successes in a row').fill('1')
  await page.getByLabel('More attempts').fill('0')
  await page.getByText('When a majority of the regions fails once').first().waitFor()
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.getByText('must be an address that begins with http:// or https://').first().waitFor()
  t.equal(
    await page.getByLabel('Address', { exact: false }).first().getAttribute('aria-invalid'),
    'true',
    'what the server refuses stands at its field'
  )

  await page.getByLabel('Address', { exact: false }).first().fill(`${stage.site.url}/tour`)
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.getByLabel('Value of assertion 1').and(page.locator('[aria-invalid=true]')).waitFor()
  await page.getByLabel('Value of assertion 1').fill('200, 204')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/)
  await heading(page, new RegExp(NAME))
  await page.getByText('Status is one of 200, 204').waitFor()
  // The result appears within an interval, without a click.
  await page.getByRole('heading', { level: 1, name: /Up for/ }).waitFor({ timeout: RESULTS_MS })
  await checks(page).getByText('Succeeded').first().waitFor()
  t.same(visited.complaints, [])
  return page.url().split('/').at(-1) ?? ''
}

async function goesDown(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}`)
  await checkNow(page, /the answer is as expected/)
  await heading(page, /Up for/)
  await checks(page).getByText('Succeeded').first().waitFor()

  stage.site.answer(503)
  await checkNow(page, /failed\. The status is 503/)
  await heading(page, /Down for/)
  await section(page, 'Regions')
    .getByText(/say down; \d (is|are) needed/)
    .waitFor()
  await page.getByRole('link', { name: 'Open incident' }).waitFor()
  await checks(page).getByText('Failed').first().click()
  // Newer checks may appear above it meanwhile, so it is found by being open.
  const failed = checks(page).locator('details[open]')
  const result = failed.getByRole('list', { name: 'Assertions' }).getByRole('listitem').first()
  await result.getByText('Status is one of 200, 204').waitFor()
  await result.getByText('503').waitFor()
  await failed.getByText('First byte').waitFor()
  await page.getByRole('list', { name: 'Changes' }).getByText('Down', { exact: true }).first().waitFor()
  await stage.looksRight(t, visited, 'monitors-down')

  await section(page, 'Last checks').getByLabel('Outcome').selectOption('Succeeded')
  await page.waitForURL('**outcome=success')
  await checks(page).getByText('Failed', { exact: true }).first().waitFor({ state: 'detached' })
  await page.goBack()
  await checks(page).getByText('Failed', { exact: true }).first().waitFor()
  t.same(visited.complaints, [])
}

async function showsThePast(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}`)
  const past = section(page, 'Status over time')
  await past.getByText('Good checks').waitFor()
  await past.getByRole('button', { name: '30 d' }).click()
  await page.waitForURL('**range=30d')
  const band = past.getByRole('slider')
  // If summer time ends within the 30 days, they touch one day less late in the evening; if it
  // begins within them, one more.
  await past.locator('[role=slider]:is([aria-valuemax="30"], [aria-valuemax="31"], [aria-valuemax="32"])').waitFor()
  await band.focus()
  await page.keyboard.press('Home')
  t.match(await band.getAttribute('aria-valuetext'), /no data/, 'before it was made nothing is known')
  const both = async (): Promise<boolean> => {
    await page.keyboard.press('End')
    const today = await band.getAttribute('aria-valuetext')
    await page.keyboard.press('ArrowLeft')
    return /down.*up|up.*down/.test(`${await band.getAttribute('aria-valuetext')}; ${today}`)
  }
  // Figures are read again once a minute. A day may have begun meanwhile.
  await until('a day that it was up and down', both, FIGURES_MS)
  await page.goBack()
  await page.waitForURL((url) => url.search === '')

  await past.getByRole('button', { name: '90 d' }).click()
  await page.waitForURL('**range=90d')
  const times = section(page, 'Response time')
  // For a young monitor, only the checks since its creation: a list of checks over 90 days would be
  // refused.
  await times.getByRole('img', { name: /over the last 90 days/ }).waitFor()
  t.equal(await page.getByRole('heading', { name: 'That did not work' }).count(), 0)
  await past.getByRole('button', { name: 'Custom' }).click()
  await page.getByLabel('The last', { exact: true }).fill('2')
  await page.getByLabel('Unit').selectOption('hours')
  await stage.looksRight(t, visited, 'monitors-range')
  await page.getByRole('button', { name: 'Show', exact: true }).first().click()
  await page.waitForURL('**range=2h')
  await past.getByRole('button', { name: '2 h', pressed: true }).waitFor()
  await times.getByRole('img', { name: /over the last 2 hours/ }).waitFor()
  await past.getByRole('button', { name: 'Custom' }).click()
  await page.getByLabel('From', { exact: true }).fill('2026-11-20T10:00')
  await page.getByLabel('To', { exact: true }).fill('2026-11-20T09:00')
  await page.getByRole('button', { name: 'Show', exact: true }).last().click()
  await page.getByText('The end must be after the start').waitFor()
  await page.keyboard.press('Escape')
  await past.getByRole('button', { name: '24 h' }).click()
  await page.waitForURL((url) => url.search === '')

  await times.getByRole('img', { name: /Response time of/ }).waitFor()
  await times.getByRole('button', { name: 'Show as table' }).click()
  await times.getByRole('columnheader', { name: 'Time' }).waitFor()
  t.match(await times.getByRole('cell').first().textContent(), /\d (ms|s)$|–/, 'with units')
  await stage.looksRight(t, visited, 'monitors-table')
  await times.getByRole('button', { name: 'Show as plot' }).click()
  const plot = times.getByRole('img', { name: /Response time of/ })
  await plot.waitFor()
  const box = await plot.boundingBox()
  if (!box) throw new Error('the plot has no place')
  await page.mouse.move(box.x + box.width * 0.6, box.y + 80)
  await page.mouse.move(box.x + box.width * 0.4, box.y + 80)
  await painted(page)
  t.same(await plot.boundingBox(), box, 'nothing moves under the cursor')
  await past.locator('[data-at]').waitFor()
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.8, box.y + 80, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/from=.*to=/)
  await page.getByTitle('Back to the last 24 hours').click()
  await page.waitForURL((url) => url.search === '')
  t.same(visited.complaints, [])
}

async function changes(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}`)
  await heading(page, /Down for/)
  await page.keyboard.press('e')
  await page.waitForURL('**/edit')
  await page.getByText('Description, tags and labels').click()
  await page.getByLabel('Tags').fill('tour, web')
  await page.getByText('Request', { exact: true }).click()
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.getByLabel('Name of header 1').fill('X-Key')
  await page.getByLabel('Value of header 1').fill('hush')
  await page.getByLabel('Secret').check()
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: 'Save' }).click()
  ])
  t.same(
    sent.postDataJSON(),
    { tags: ['tour', 'web'], config: { headers: [{ name: 'X-Key', value: 'hush', secret: true }] } },
    'what was not changed is not sent'
  )
  await page.waitForURL(`**/monitors/${id}`)
  await section(page, 'Settings').getByText('headers X-Key (secret)').waitFor()
  await secretStays(t, stage, id)

  stage.site.answer(200)
  await checkNow(page, /the answer is as expected/)
  await heading(page, /Up|Flapping/)
  await page.getByRole('link', { name: 'Open incident' }).waitFor({ state: 'detached' })

  await page.keyboard.press('p')
  const dialog = page.getByRole('dialog', { name: `Pause ${NAME}` })
  await dialog.getByLabel('Reason').fill('Moving house')
  await dialog.getByLabel('How long').selectOption('1 hour')
  await stage.looksRight(t, visited, 'monitors-pause')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await heading(page, /Paused for/)
  await page.getByText('Moving house').waitFor()
  await page.getByText(/Resumes in/).waitFor()
  await stage.looksRight(t, visited, 'monitors-paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await heading(page, /Pending|Up|no result yet/)
  t.same(visited.complaints, [])
}

/** The secret is not sent to another origin: the form asks for it again at its field. */
async function secretStays(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}/edit`)
  await page.getByLabel('Address', { exact: false }).first().fill('https://elsewhere.example/')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This is required again, since the address leads to another origin.').first().waitFor()
  await page.getByLabel('Value of header 1').and(page.locator('[aria-invalid=true]')).waitFor()
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.getByLabel('Name of header 2').fill('Authorization')
  t.equal(await page.getByLabel('Secret').nth(1).isChecked(), true, 'a credential by its name is secret')
  t.equal(await page.getByLabel('Secret').nth(1).isDisabled(), true)
  await stage.looksRight(t, visited, 'monitors-secret-again')
}

/**
 * The results of a slow check are shown when they arrive. Reads that fail meanwhile are repeated.
 */
async function takesLong(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await page.clock.install()
  let asked = 0
  await page.route(`**/api/v1/monitors/${id}/check`, (route) => route.fulfill({ status: 202, json: { check_ids: ['long'] } }))
  await page.route(`**/api/v1/monitors/${id}/checks?per_page=50`, (route) => {
    asked++
    if (asked === 3) return route.fulfill({ status: 503, json: { error: 'The log is away', code: 'UNAVAILABLE', request_id: 'req_tour' } })
    const result = { check_id: 'long', outcome: 'success', region: 'far', message: null, reason: null, timings_ms: { total: 12 } }
    const items = asked < 22 ? [] : [result]
    return route.fulfill({ json: { items, next_cursor: null } })
  })
  await visited.go(`/monitors/${id}`)
  await page.getByRole('button', { name: 'Check now' }).click()
  await until(
    'the results to be read',
    async () => {
      await page.clock.runFor(1_000)
      return asked >= 22
    },
    PATIENCE_MS
  )
  await page.getByText('Checked from 1 region: the answer is as expected').waitFor()
}

async function refusals(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  const refuse = (status: number, code: string, error: string, headers: Record<string, string> = {}) =>
    page.route(`**/api/v1/monitors/${id}/check`, (route) =>
      route.fulfill({ status, headers, json: { error, code, request_id: 'req_tour', details: [] } })
    )
  await page.route('**/api/v1/analytics/**', (route) =>
    route.fulfill({ status: 503, json: { error: 'Analytics is away', code: 'UNAVAILABLE', request_id: 'req_tour' } })
  )
  await visited.go(`/monitors/${id}`)
  await section(page, 'Status over time').getByText('Analytics is away').waitFor()
  await section(page, 'Settings').getByText('Attempts of a check').waitFor()
  await stage.looksRight(t, visited, 'monitors-without-analytics')
  await refuse(503, 'NO_PROBER_ONLINE', 'No prober of these regions is online')
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('No prober of these regions is online').waitFor()
  await page.unroute(`**/api/v1/monitors/${id}/check`)
  await refuse(429, 'RATE_LIMITED', 'Too many requests', { 'retry-after': '40' })
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Try again in 40 s').waitFor()

  await page.route('**/api/v1/monitors', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 402,
          json: {
            error: 'The plan has no room',
            code: 'TIER_LIMIT_EXCEEDED',
            request_id: 'req_tour',
            details: [{ limit_key: 'monitors', limit: 10, actual: 10, plan: 'free', upgrade_to: 'pro' }]
          }
        })
      : route.fallback()
  )
  await visited.go('/monitors/new')
  await page.getByLabel('Name', { exact: false }).first().fill('One too many')
  await page.getByLabel('Address', { exact: false }).first().fill(stage.site.url)
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.getByRole('alert').getByText('10 monitors on the plan free').waitFor()

  await visited.go('/monitors/01900000-0000-7000-8000-000000000000')
  await page.getByText('There is nothing here').waitFor()
  await stage.looksRight(t, visited, 'monitors-missing')

  await page.route('**/api/v1/auth/session', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), role: 'viewer' } })
  })
  await visited.go(`/monitors/${id}`)
  await page.getByText('Your role can only view').waitFor()
  t.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0, 'a viewer sees no button that would be refused')
  // A request may still be on its way through the handler above.
  await page.unrouteAll({ behavior: 'wait' })

  await page.route(/\/api\/v1\/monitors\?/, (route) =>
    route.fulfill({ json: { items: [], total: 0, page: 1, per_page: 200, total_pages: 0 } })
  )
  await visited.go('/monitors')
  await heading(page, /Nothing is monitored yet/)
  await stage.looksRight(t, visited, 'monitors-empty')
}

/** Another type has its own form, made from its settings, and says what its target is. */
async function ofAnotherType(t: Test, stage: Stage): Promise<void> {
  const { host } = new URL(stage.site.url)
  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go('/monitors/new')
    await page.getByLabel('Type of check').selectOption('TCP port')
    await page.getByText('host:port, such as').waitFor()
    await page.getByLabel('Name', { exact: false }).first().fill('Port of the tour')
    await page.getByLabel('Target').fill('no port')
    await page.getByLabel('Send', { exact: true }).fill('GET / HTTP/1.0\\r\\n\\r\\n')
    await page.getByLabel('Send bytes').fill('AA==')
    await page.getByText('Without any, the default is: a connection.').waitFor()
    await stage.looksRight(t, visited, 'monitors-tcp-form')
  })
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go('/monitors/new')
  await page.getByLabel('Type of check').selectOption('TCP port')
  await page.getByLabel('Name', { exact: false }).first().fill('Port of the tour')
  await page.getByLabel('Target').fill('no port')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page
    .getByText(/must be host:port/)
    .first()
    .waitFor()
  await page.getByLabel('Target').fill(host)
  await page.getByLabel('Send', { exact: true }).fill('GET / HTTP/1.0\\r\\n\\r\\n')
  await page.getByLabel('Expect', { exact: true }).fill('^HTTP/1')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/)
  const id = page.url().split('/').at(-1) ?? ''
  t.teardown(() => stage.product.api('DELETE', `/api/v1/monitors/${id}`))
  await page.getByText('TCP port', { exact: true }).waitFor()
  await page.getByText(host, { exact: true }).first().waitFor()
  t.equal(await page.getByRole('link', { name: host }).count(), 0, 'a browser cannot open a port')
  await page.getByText(/Expect: \^HTTP\/1/).waitFor()
  await checks(page).getByText('Succeeded').first().waitFor({ timeout: RESULTS_MS })
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Expect', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/)
  await page.getByText(/Expect: /).waitFor({ state: 'detached' })

  const { body } = await stage.product.api('POST', '/api/v1/monitors', { name: 'Pushed in the tour', type: 'external' })
  t.teardown(() => stage.product.api('DELETE', `/api/v1/monitors/${String(body.id)}`))
  await visited.go(`/monitors/${String(body.id)}`)
  await heading(page, /Pushed in the tour/)
  await section(page, 'Settings').waitFor()
  t.equal(await page.getByRole('button', { name: 'Copy the address' }).count(), 0, 'a pushed monitor has no address')
  t.same(visited.complaints, [])
}

/**
 * A stored private key stays when a person moves through its place with the keyboard, and when they
 * decide not to replace it.
 */
async function keepsItsKey(t: Test, stage: Stage): Promise<void> {
  const { cert, key } = certificate(t)
  const config = { auth: { type: 'mtls', cert_pem: cert, key_pem: key } }
  const made = await stage.product.api('POST', '/api/v1/monitors', {
    name: 'Key of the tour',
    type: 'http',
    target: 'https://shop.example/',
    config
  })
  t.equal(made.status, 201)
  const { id } = made.body as { id: string }
  t.teardown(() => stage.product.api('DELETE', `/api/v1/monitors/${id}`))
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}/edit`)
  await page.getByText('Request', { exact: true }).click()
  await page.getByLabel('Client certificate', { exact: true }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.getByText('The saved key is used until you paste another one').waitFor()
  await page.getByRole('button', { name: 'Replace the private key' }).click()
  await page.getByLabel('Private key').fill('half a key')
  await stage.looksRight(t, visited, 'monitors-key')
  await page.getByRole('button', { name: 'Keep the saved key' }).click()
  await page.getByLabel('Name', { exact: false }).first().fill('Kept key of the tour')
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: 'Save' }).click()
  ])
  t.same(sent.postDataJSON(), { name: 'Kept key of the tour' })
  await heading(page, /Kept key of the tour/)
  t.same(visited.complaints, [])
}

/** Dependencies of a monitor: chosen in the form, and shown on the pages of both monitors. */
async function dependsOn(t: Test, stage: Stage, id: string): Promise<void> {
  const name = 'Router of the tour'
  const made = await stage.product.api('POST', '/api/v1/monitors', { name, type: 'http', target: `${stage.site.url}/router` })
  const parent = String((made.body as { id: string }).id)
  t.teardown(() => stage.product.api('DELETE', `/api/v1/monitors/${parent}`))
  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go(`/monitors/${id}/edit`)
    await page.getByText('Depends on', { exact: true }).click()
    await page.getByLabel('Wait for their result (s)').fill('301')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This must be at most 300.').first().waitFor()
    await stage.looksRight(t, visited, 'monitors-depends-fault')
  })
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}/edit`)
  await page.getByText('Depends on', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Monitors that this one needs to work' }).click()
  await page.getByRole('option', { name }).click()
  await page.keyboard.press('Escape')
  await page.getByLabel('Wait for their result (s)').fill('90')
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: 'Save' }).click()
  ])
  t.same(sent.postDataJSON(), { depends_on: [parent], dependency_hold_seconds: 90 })
  await page.waitForURL(`**/monitors/${id}`)
  await section(page, 'Settings').getByRole('link', { name }).waitFor()
  await visited.go(`/monitors/${parent}`)
  await section(page, 'Settings').getByRole('link', { name: NAME }).waitFor()
  await stage.looksRight(t, visited, 'monitors-parent')
  t.same(visited.complaints, [])
}

export const monitors: Story = async (t, stage) => {
  let id = ''
  t.teardown(async () => {
    stage.site.answer(200)
    if (id !== '') await stage.product.api('DELETE', `/api/v1/monitors/${id}`)
  })
  await t.test('a monitor is created, and faults are shown at their fields', async (t) => {
    id = await makes(t, stage)
  })
  await t.test('a monitor goes down, and the page says why', (t) => goesDown(t, stage, id))
  await t.test('the page shows the past of a monitor in spans, slots and figures', (t) => showsThePast(t, stage, id))
  await t.test('the list, a monitor and the form in each view', (t) =>
    stage.inEachView(t, async (t, visited) => {
      const { page } = visited
      await visited.go('/monitors')
      await heading(page, /of \d+ monitors? down/)
      await page.getByRole('link', { name: new RegExp(NAME) }).waitFor()
      await stage.looksRight(t, visited, 'monitors-list')
      await page.getByLabel('Filter by name or address').focus()
      await typeAtOnce(page, 'of the tour')
      await page.waitForURL('**q=of+the+tour')
      const fits = async () => (await page.getByRole('list', { name: 'Monitors' }).getByRole('listitem').count()) === 1
      await until('one fits', fits, PATIENCE_MS)
      await page.getByRole('link', { name: new RegExp(NAME) }).click()
      await heading(page, /Down for/)
      await section(page, 'Status over time').getByText('Good checks').waitFor()
      await section(page, 'Response time').getByRole('img').waitFor()
      await checks(page).getByText('Failed').first().waitFor()
      await section(page, 'Status changes').getByRole('listitem').first().waitFor()
      await stage.looksRight(t, visited, 'monitors-one')
      await visited.go('/monitors/new')
      await page.getByText('Frankfurt').or(page.getByText('None chosen')).first().waitFor()
      for (const title of ['Request', 'Down and up again', 'Alerts']) await page.getByText(title, { exact: true }).last().click()
      await page.getByRole('button', { name: 'Add an assertion' }).click()
      await page.getByRole('button', { name: 'Add a header' }).click()
      await stage.looksRight(t, visited, 'monitors-form')
    })
  )
  await t.test('a monitor is changed, paused and resumed', (t) => changes(t, stage, id))
  await t.test('a TCP monitor is created and changed in its own form', (t) => ofAnotherType(t, stage))
  await t.test('a private key stays until another one replaces it', (t) => keepsItsKey(t, stage))
  await t.test('dependencies of a monitor are set in the form and shown on both pages', (t) => dependsOn(t, stage, id))
  await t.test('the result of a slow check is shown when it arrives', (t) => takesLong(t, stage, id))
  await t.test('refusals and outages are explained on the monitor pages', (t) => refusals(t, stage, id))
  await t.test('a monitor is deleted', async (t) => {
    const { page, go, complaints } = await stage.enter(t)
    await go(`/monitors/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the monitor' }).click()
    await page.waitForURL(/\/monitors$/)
    await page.getByRole('link', { name: new RegExp(NAME) }).waitFor({ state: 'detached' })
    t.same(complaints, [])
  })
}
