/**
 * The documentation pages in Chromium, in both colour schemes, at the widths of a desktop, a phone
 * and a small phone: axe-core finds nothing serious, and nothing overflows the page's width.
 */
import t from 'tap'
import { guideUrl, places } from '../../services/api/docs/page.ts'
import { channelGuides, docsAddresses } from '../../services/api/docs/routes.ts'
import { stand } from '../services/api/stand.ts'
import { openBrowser, otherScheme, visit, walks } from '../services/web/browser.ts'

const SMALL_PHONE = { width: 360, height: 720 }

t.setTimeout(1_200_000)

t.test('every documentation page is accessible and fits its screen width', async (t) => {
  const { app } = await stand(t)
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  // Guides of channels are alike, so one is tested for all.
  const alike = new Set(channelGuides.slice(1).map(guideUrl))
  const pages = [
    ...docsAddresses.filter((url) => !/\.(?:css|js|svg|webp)$/.test(url) && !alike.has(url)),
    '/docs/nothing',
    '/docs/search?q=token'
  ]
  for (const view of walks) {
    await t.test(`${view.width} px`, async (t) => {
      const visited = await visit(browser, base, view)
      t.teardown(() => visited.close())
      const { page } = visited
      for (const url of pages) {
        await visited.load(url)
        await visited.shot(url.slice(1).replaceAll('/', '-'))
        t.same(await visited.findings(), [], url)
        const other = otherScheme(view.scheme)
        await visited.showIn(other)
        await visited.shot(url.slice(1).replaceAll('/', '-'))
        // axe-core takes a quarter of a minute for the long reference page, so it runs once in each
        // scheme.
        if (url !== places.api.url) t.same(await visited.findings(), [], `${url}, ${other}`)
        await visited.showIn(view.scheme)
        // Collapsed parts are opened, so that they are checked, too.
        await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
        if (view.width !== 1280) await page.setViewportSize(SMALL_PHONE)
        const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        t.equal(beyond, 0, `${url}: nothing stands beyond the edge`)
      }
      t.same(visited.complaints, [], 'the page complains of nothing')
    })
  }
  await t.test('the search finds a page, and the copy button copies the commands', async (t) => {
    const visited = await visit(browser, base, { scheme: 'dark', width: 390 })
    t.teardown(() => visited.close())
    const { page } = visited
    await visited.load(places.index.url)
    const field = page.getByRole('searchbox', { name: 'Search the documentation' })
    await field.fill('watch a site')
    await field.press('Enter')
    await page.waitForURL('**/docs/search?q=watch+a+site')
    await page.getByRole('heading', { level: 1, name: 'Search: watch a site' }).waitFor()
    t.equal(await field.inputValue(), 'watch a site')
    await page.getByRole('link', { name: 'Watch a site' }).first().click()
    await page.waitForURL(/\/docs\/(?:guides|api|operations)/)
    await visited.load(guideUrl('watch-a-site'))
    const commands = await page.locator('pre.code').first().textContent()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    t.equal(await page.evaluate('navigator.clipboard.readText()'), commands)
    t.same(visited.complaints, [])
  })
})
