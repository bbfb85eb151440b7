/** The overview: what needs someone, in words; search and keyboard shortcuts from there. */
import { agreed, painted, returnTo } from '../browser.ts'
import type { Story } from '../stage.ts'
import { MAX_TILL_SHOWN_BYTES, weigh } from '../weight.ts'

interface Made {
  id: string
}

export const overview: Story = async (t, stage) => {
  const { product, site } = stage
  const made = async (path: string, body: unknown): Promise<Made> => {
    const answer = await product.api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as unknown as Made
  }

  await t.test('an empty workspace is redirected to the first steps', async (t) => {
    const visited = await stage.enter(t)
    const { page } = visited
    for (const list of ['monitors', 'heartbeats', 'incidents', 'integrations/inbound'])
      await page.route(new RegExp(`/api/v1/${list}\\?`), (route) =>
        route.fulfill({ json: { items: [], total: 0, page: 1, per_page: 200, total_pages: 0 } })
      )
    await visited.go('/')
    await page.waitForURL('**/welcome')
    await page.getByRole('heading', { name: /Monitor a site/ }).waitFor()
  })

  await t.test('a workspace that only receives alerts keeps its overview while no incident is open', async (t) => {
    const visited = await stage.newcomer(t)
    const { page, api } = visited
    const name = 'Alerts of others'
    t.equal((await api('POST', '/api/v1/integrations/inbound', { name, source_type: 'generic' })).status, 201)
    await visited.go('/')
    await page.getByRole('heading', { level: 1, name: 'Nothing needs you' }).waitFor()
    await page.getByText('No incident is open.').waitFor()
    await page.getByRole('region', { name: 'Alerts from other tools' }).getByText('Accepting').waitFor()
    t.equal(new URL(page.url()).pathname, '/')
    await stage.looksRight(t, visited, 'overview-alerts-only')
    t.same(visited.complaints, [])
  })

  const monitor = await made('/api/v1/monitors', {
    name: 'Overview site',
    type: 'http',
    target: `${site.url}/overview`,
    interval_seconds: 30
  })
  const heartbeat = await made('/api/v1/heartbeats', { name: 'Overview job', schedule: { kind: 'period', period_seconds: 86_400 } })
  const integration = await made('/api/v1/integrations/inbound', { name: 'Overview alerts', source_type: 'generic' })
  const { endpoint_url } = integration as unknown as { endpoint_url: string }
  const send = (status: 'firing' | 'resolved'): Promise<Response> =>
    fetch(endpoint_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Queue is stuck', status, severity: 'critical', dedup_key: 'overview' })
    })
  t.teardown(async () => {
    await send('resolved')
    await product.api('DELETE', `/api/v1/monitors/${monitor.id}`)
    await product.api('DELETE', `/api/v1/heartbeats/${heartbeat.id}`)
    await product.api('DELETE', `/api/v1/integrations/inbound/${integration.id}`)
  })

  await t.test('an incident appears and disappears without a reload', async (t) => {
    const { page, go } = await stage.enter(t)
    await go('/')
    const row = page.getByRole('list', { name: 'Ongoing incidents' }).getByRole('link', { name: /Queue is stuck/ })
    await page.getByRole('link', { name: /Overview site/ }).waitFor()
    await send('firing')
    await row.waitFor()
    await page.getByRole('heading', { level: 1, name: /needs? someone/ }).waitFor()
    await send('resolved')
    await row.waitFor({ state: 'detached' })
    // The alert stays in the list of recent arrivals.
    await page
      .getByRole('list', { name: 'Alerts in the last hour' })
      .getByRole('link', { name: /Queue is stuck/ })
      .first()
      .waitFor()
    await send('firing')
    await row.waitFor()
    const take = page
      .getByRole('listitem')
      .filter({ hasText: 'Queue is stuck' })
      .getByRole('button', { name: /Acknowledge/ })
    await agreed(page, 'POST', '/acknowledge', () => take.click())
    await page.getByRole('listitem').filter({ hasText: 'Queue is stuck' }).getByText('Acknowledged').waitFor()
  })

  await t.test('the first load of the overview stays within its size limit', async (t) => {
    const { page } = await stage.enter(t)
    const bytes = await weigh(page, `${stage.base}/`, () => page.getByRole('link', { name: /Overview site/ }).waitFor())
    t.ok(bytes > 50_000, 'it was weighed')
    t.ok(bytes <= MAX_TILL_SHOWN_BYTES, `${bytes} bytes`)
  })

  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go('/')
    await page.getByRole('link', { name: /Overview site/ }).waitFor()
    await page
      .getByRole('list', { name: 'Ongoing incidents' })
      .getByRole('link', { name: /Queue is stuck/ })
      .waitFor()
    await stage.looksRight(t, visited, 'overview')
  })

  await t.test('keyboard shortcuts and search work from the overview', async (t) => {
    const visited = await stage.enter(t, { scheme: 'dark', width: 1280 })
    const { page } = visited
    await visited.go('/')
    await page.getByRole('link', { name: /Overview site/ }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await stage.looksRight(t, visited, 'keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search' }).fill('overview j')
    await page.getByRole('option', { name: /Overview job/ }).waitFor()
    await stage.looksRight(t, visited, 'search')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/heartbeats/${heartbeat.id}`)
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await page.waitForURL('**/monitors')
    await page.goBack()
    await page.waitForURL(`**/heartbeats/${heartbeat.id}`)
    t.same(visited.complaints, [])
  })

  await t.test('a refused list shows the reason and the request id, and keeps them during a reload', async (t) => {
    const visited = await stage.enter(t)
    const { page } = visited
    let answered = Promise.resolve()
    await page.route(/\/api\/v1\/monitors\?/, async (route) => {
      await answered
      await route.fulfill({
        status: 403,
        json: { error: 'The role billing may not do this', code: 'FORBIDDEN', request_id: 'req-forbidden' }
      })
    })
    await visited.go('/')
    const why = page.getByRole('heading', { name: 'You may not see or do this' })
    await why.waitFor()
    await page.getByText('req-forbidden').waitFor()
    await stage.looksRight(t, visited, 'forbidden')
    let answer: () => void = () => undefined
    answered = new Promise((resolve) => {
      answer = resolve
    })
    await Promise.all([page.waitForRequest(/\/api\/v1\/monitors\?/), returnTo(page)])
    await painted(page)
    t.ok(await why.isVisible(), 'while it is asked again')
    answer()
  })
}
