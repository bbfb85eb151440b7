/**
 * Tests of several visits in the same page, one after another: to the browser each visit is a new
 * person, and an error of one visit is reported for that visit only.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { openBrowser, type View, visit } from './browser.ts'

const desk: View = { scheme: 'light', width: 1280 }
const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
const page = (colour: string): string =>
  `<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1><p style="color:${colour};background:#fff">Words</p></main></html>`

/** Requests that the site got: who asks, and for which address. */
async function site(t: Test): Promise<{ base: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.cookie ?? ''}`.trim())
    const isIcon = url === '/icon.svg'
    response.writeHead(200, { 'content-type': isIcon ? 'image/svg+xml' : 'text/html' })
    response.end(isIcon ? ICON : page(url === '/pale' ? '#ddd' : '#000'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function firstVisit(browser: Browser, base: string, work: (page: Page) => Promise<unknown>): Promise<Page> {
  const visited = await visit(browser, base, desk)
  await visited.load('/first')
  await work(visited.page)
  await visited.close()
  await visited.close()
  return visited.page
}

t.test('the next visit gets the same page without any state of the last visit', async (t) => {
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { base, asked } = await site(t)
  let heard = 0
  const before = await firstVisit(browser, base, async (page) => {
    await page.evaluate(
      "document.cookie = 'session=first'; localStorage.setItem('scheme', 'dark'); sessionStorage.setItem('recent', 'x'); globalThis.mine = 1"
    )
    await page.route('**/second', (route) => route.fulfill({ body: 'caught' }))
    page.on('request', () => heard++)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 500, height: 500 })
    await page.context().setOffline(true)
  })
  heard = 0
  t.equal(asked.at(-1), '/icon.svg', 'it rests where nobody is logged in')

  const { page, go, close } = await visit(browser, base, desk)
  t.equal(page, before)
  const beside = await visit(browser, base, desk)
  t.not(beside.page, page, 'two visits at once have a page each')
  await beside.close()
  await go('/second')
  t.equal(asked.at(-1), '/second', 'neither a cookie nor a route')
  t.equal(heard, 0)
  t.same(
    await page.evaluate(
      `[localStorage.length, sessionStorage.length, typeof mine, innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]`
    ),
    [0, 0, 'undefined', 1280, false]
  )
  await close()
})

t.test('findings and complaints belong only to their own visit', async (t) => {
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { base } = await site(t)
  const first = await visit(browser, base, desk)
  await first.load('/first')
  t.same(await first.findings(), [])
  await first.close()

  const second = await visit(browser, base, desk)
  t.equal(second.page, first.page)
  await second.load('/pale')
  t.match(await second.findings(), [/^color-contrast/])
  await second.page.evaluate("console.error('planted'), void setTimeout(() => { throw new Error('thrown') })")
  await second.page.waitForTimeout(100)
  await second.close()
  t.same(second.complaints, ['planted', 'thrown'])
  t.same(first.complaints, [])

  const third = await visit(browser, base, desk)
  t.equal(third.page, first.page)
  await third.load('/first')
  t.same(await third.findings(), [])
  t.same(third.complaints, [])
})

t.test('a page that cannot be reset is closed and not used again', async (t) => {
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { base } = await site(t)
  const changes: Record<string, (page: Page) => Promise<unknown>> = {
    'a clock': (page) => page.clock.install(),
    'a time': (page) => page.clock.setSystemTime(0),
    'a caught socket': (page) => page.routeWebSocket(/ws/, () => undefined),
    elsewhere: (page) => page.goto('about:blank')
  }
  for (const [name, change] of Object.entries(changes)) {
    const before = await firstVisit(browser, base, change)
    t.ok(before.isClosed(), name)
  }
  for (const more of [{ apart: true }, { ahead: true }] as const) {
    const visited = await visit(browser, base, { ...desk, ...more })
    await visited.load('/first')
    await visited.close()
    t.ok(visited.page.isClosed(), Object.keys(more).join())
  }
})
