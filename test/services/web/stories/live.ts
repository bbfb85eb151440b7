/**
 * The page stays correct without a reload, and shows the state of its connection meanwhile: without
 * a network, after a sleep with a connection that died silently, while the gateway is killed, and
 * while the stream is interrupted. Each time an alert arrives that the page cannot hear of, and the
 * page shows it afterwards.
 */
import type { Page, WebSocketRoute } from 'playwright-core'
import { until } from '../../../harness/until.ts'
import { agreed, logIn, PATIENCE_MS, visit } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

const GENERIC = { name: 'Live story', source_type: 'generic' }

/**
 * Sends alerts through an integration of its own. `clear` resolves them and deletes the
 * integration.
 */
async function sender({ product }: Stage): Promise<{ fire(title: string): Promise<void>; clear(): Promise<void> }> {
  const { body } = await product.api('POST', '/api/v1/integrations/inbound', GENERIC)
  const { id, endpoint_url } = body as { id: string; endpoint_url: string }
  const sent: string[] = []
  const send = async (title: string, status: 'firing' | 'resolved'): Promise<void> => {
    const answer = await fetch(endpoint_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title, status, severity: 'warning', dedup_key: title })
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
  }
  return {
    async fire(title) {
      sent.push(title)
      await send(title, 'firing')
      await until(
        `the incident ${title}`,
        async () => {
          const { body } = await product.api('GET', `/api/v1/incidents?status=ongoing&q=${encodeURIComponent(title)}`)
          return (body as { total: number }).total > 0
        },
        PATIENCE_MS
      )
    },
    async clear() {
      for (const title of sent) await send(title, 'resolved')
      await product.api('DELETE', `/api/v1/integrations/inbound/${id}`)
    }
  }
}

/**
 * With a network, the router has begun by then to load the page of the link under the pointer, and
 * the search has begun to load.
 */
const AHEAD_MS = 2500

const says = (page: Page, word: string): Promise<void> => page.getByRole('status').getByText(word, { exact: true }).waitFor()
const shows = (page: Page, title: string): Promise<void> => page.getByRole('link', { name: title }).first().waitFor()

/** Marks the page. A reload would lose the mark. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate('globalThis.sameLoad = true')
  return () => page.evaluate<boolean>('globalThis.sameLoad === true')
}

export const live: Story = async (t, stage) => {
  const alerts = await sender(stage)
  // The overview of a workspace that watches nothing redirects to the first steps.
  const { body: job } = await stage.product.api('POST', '/api/v1/heartbeats', {
    name: 'Live story',
    schedule: { kind: 'period', period_seconds: 86_400 }
  })
  t.teardown(async () => {
    await alerts.clear()
    await stage.product.api('DELETE', `/api/v1/heartbeats/${(job as { id: string }).id}`)
  })

  await t.test('a page that was offline shows new alerts without a reload', async (t) => {
    const visited = await stage.enter(t, { scheme: 'dark', width: 390 })
    const { page } = visited
    await visited.go('/')
    await says(page, 'Live')
    const same = await mark(page)
    await page.context().setOffline(true)
    await says(page, 'Offline')
    await stage.looksRight(t, visited, 'offline')
    await alerts.fire('Came while offline')
    t.equal(await page.getByRole('link', { name: 'Came while offline' }).count(), 0)
    await page.context().setOffline(false)
    await says(page, 'Live')
    await shows(page, 'Came while offline')
    t.ok(await same(), 'without a reload')
  })

  await t.test('actions fail at once while offline, and typed text is kept', async (t) => {
    const title = 'Needs a hand while offline'
    await alerts.fire(title)
    const visited = await stage.enter(t, { scheme: 'light', width: 1280 })
    const { page } = visited
    await visited.go('/')
    await says(page, 'Live')
    const row = page.getByRole('list', { name: 'Ongoing incidents' }).getByRole('listitem').filter({ hasText: title })
    await row.getByRole('button', { name: /Acknowledge/ }).waitFor()
    // The part that draws notices loads a moment after the page.
    await page.locator('.mantine-Notifications-root').first().waitFor({ state: 'attached' })
    const same = await mark(page)
    await page.context().setOffline(true)
    await says(page, 'Offline')
    await row.getByRole('button', { name: /Acknowledge/ }).click()
    await page.getByText('Nothing was sent. Try again when the network is back.').waitFor()
    t.equal(await row.getByText('Acknowledged').count(), 0, 'nobody believes that they have it')
    await stage.looksRight(t, visited, 'offline-refused')
    await page.context().setOffline(false)
    await says(page, 'Live')
    await agreed(page, 'POST', '/acknowledge', () => page.getByRole('button', { name: 'Try again' }).click())
    await row.getByText('Acknowledged').waitFor()

    await row.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.getByLabel('Comment').fill('Typed without a network')
    await page.context().setOffline(true)
    await says(page, 'Offline')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.getByText('Nothing was sent. Try again when the network is back.').waitFor()
    t.equal(await page.getByLabel('Comment').inputValue(), 'Typed without a network')
    await page.context().setOffline(false)
    await says(page, 'Live')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.getByRole('region', { name: 'What happened' }).getByText('Typed without a network').waitFor()
    t.ok(await same(), 'without a reload')
  })

  await t.test('pages and dialogs that were never opened work offline', async (t) => {
    const visited = await stage.enter(t, { scheme: 'dark', width: 1280, ahead: true })
    const { page } = visited
    const fetched = new Set<string>()
    page.on('requestfinished', (request) => fetched.add(new URL(request.url()).pathname))
    await visited.go('/')
    await says(page, 'Live')
    const listed = (await (await fetch(`${stage.base}/parts.json`)).json()) as string[]
    t.ok(listed.length > 50, 'the build lists its parts')
    await until('the parts to be there', async () => listed.every((name) => fetched.has(`/${name}`)), PATIENCE_MS)
    const same = await mark(page)
    await page.context().setOffline(true)
    await says(page, 'Offline')
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('heading', { name: 'This device has no network' }).waitFor()
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API tokens' }).click()
    await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor()
    await page.getByRole('heading', { name: 'This device has no network' }).waitFor()
    await stage.looksRight(t, visited, 'offline-page')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'This device has no network' }).waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: /token/ }).waitFor()
    t.ok(await same(), 'they recover without a reload')
    t.same(
      visited.complaints.filter((one) => !/ERR_INTERNET_DISCONNECTED/.test(one)),
      []
    )
  })

  await t.test('a part of a page that is missing offline says so, and loads when online', async (t) => {
    const visited = await stage.enter(t, { scheme: 'light', width: 390, ahead: true })
    const { page } = visited
    await page.route('**/parts.json', (route) => route.fulfill({ json: [] }))
    await visited.go('/')
    await says(page, 'Live')
    await page.context().setOffline(true)
    await says(page, 'Offline')
    await page.getByRole('link', { name: 'Monitors' }).first().click()
    await page.getByRole('heading', { name: 'This page needs a network connection' }).waitFor()
    await stage.looksRight(t, visited, 'offline-part')
    await page.context().setOffline(false)
    await page
      .getByRole('button', { name: 'New monitor' })
      .or(page.getByRole('link', { name: 'New monitor' }))
      .first()
      .waitFor()
  })

  await t.test('a page whose link was under the pointer while offline opens later without a reload', async (t) => {
    const visited = await stage.enter(t, { scheme: 'light', width: 1280, apart: true })
    const { page } = visited
    await visited.go('/')
    await says(page, 'Live')
    // The part that draws notices loads in any case. The search would, two seconds after the page.
    await page.locator('.mantine-Notifications-root').first().waitFor({ state: 'attached' })
    const same = await mark(page)
    await page.context().setOffline(true)
    await says(page, 'Offline')
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Analytics' })
    const asked: string[] = []
    page.on('request', (request) => void (request.resourceType() === 'script' && asked.push(request.url())))
    await link.hover()
    await page.waitForTimeout(AHEAD_MS)
    t.same(asked, [], 'nothing is loaded ahead')
    await page.context().setOffline(false)
    await says(page, 'Live')
    await link.click()
    await page.getByRole('heading', { level: 1 }).getByText('% up').waitFor()
    t.ok(await same(), 'without a reload')
  })

  await t.test('after a sleep the page replaces a dead connection and shows what it missed', async (t) => {
    const visited = await visit(stage.browser, stage.base, { scheme: 'light', width: 1280 })
    t.teardown(() => visited.close())
    const { page } = visited
    await page.clock.install()
    let opened = 0
    const dead = new Set<WebSocketRoute>()
    let current: WebSocketRoute | null = null
    await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
      opened++
      current = socket
      const server = socket.connectToServer()
      // Neither side is told when the connection dies.
      socket.onMessage((message) => dead.has(socket) || server.send(message))
      server.onMessage((message) => dead.has(socket) || socket.send(message))
    })
    await logIn(visited, stage.product.access)
    await says(page, 'Live')
    const same = await mark(page)
    const before = opened
    if (current) dead.add(current)
    await alerts.fire('Came while asleep')
    // The page checks whether the connection is alive and gets no answer. It says so only for a
    // moment.
    await Promise.all([says(page, 'Reconnecting'), page.clock.fastForward('01:00:00')])
    await says(page, 'Live')
    await shows(page, 'Came while asleep')
    t.ok(opened > before, 'by another socket')
    t.ok(await same(), 'without a reload')
    t.same(visited.complaints, [])
  })

  await t.test('after a kill of the gateway the page reconnects and shows what it missed', async (t) => {
    const { page, go } = await stage.enter(t)
    await go('/')
    await says(page, 'Live')
    const same = await mark(page)
    const before = stage.product.pids().gateway
    if (before === undefined) throw new Error('the gateway has no process')
    // Before another gateway is there, which takes a second or two.
    const noticed = says(page, 'Reconnecting')
    process.kill(before, 'SIGKILL')
    await noticed
    await alerts.fire('Came while the gateway was away')
    await until('another gateway', () => stage.product.pids().gateway !== before, PATIENCE_MS)
    await says(page, 'Live')
    await shows(page, 'Came while the gateway was away')
    t.ok(await same(), 'without a reload')
  })

  await t.test('the page says that it is stale during an interruption, and then catches up', async (t) => {
    const visited = await visit(stage.browser, stage.base, { scheme: 'light', width: 1280 })
    t.teardown(() => visited.close())
    const { page } = visited
    let tell: (type: string) => void = () => undefined
    let quiet = false
    await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
      const server = socket.connectToServer()
      socket.onMessage((message) => server.send(message))
      server.onMessage((message) => quiet || socket.send(message))
      tell = (type) => socket.send(JSON.stringify({ channel: 'system', type, data: {} }))
    })
    await logIn(visited, stage.product.access)
    await says(page, 'Live')
    const same = await mark(page)
    quiet = true
    tell('stale')
    await says(page, 'Stale')
    await alerts.fire('Came while the stream was interrupted')
    quiet = false
    tell('resumed')
    await says(page, 'Live')
    await shows(page, 'Came while the stream was interrupted')

    // Whoever presses the mark gets another socket, perhaps of a gateway that hears everything.
    quiet = true
    tell('stale')
    await says(page, 'Stale')
    await alerts.fire('Came before the mark was pressed')
    quiet = false
    await page.getByRole('status').getByText('Stale', { exact: true }).click()
    await says(page, 'Live')
    await shows(page, 'Came before the mark was pressed')
    t.ok(await same(), 'without a reload')
  })
}
