/** What the stories of the dashboard share: one product, one browser, and a site of their own to watch. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { attach, type Product, startProduct } from '../harness/product.ts'
import { logIn, openBrowser, type View, type Visit, views, visit } from './browser.ts'

export interface Site {
  url: string
  /** What it answers from now on. */
  answer(status: number, body?: unknown): void
  close(): Promise<void>
}

export interface Stage {
  product: Pick<Product, 'dataDir' | 'access' | 'pids' | 'port' | 'api' | 'pool'>
  /** Where the dashboard is. */
  base: string
  browser: Browser
  site: Site
  /** A visit by somebody who is logged in as the owner; it is closed with the test. */
  enter(t: Test, view?: View): Promise<Visit>
  /** The work in each scheme and width; afterwards the page has complained of nothing. */
  inEachView(t: Test, work: (t: Test, visit: Visit) => Promise<void>): Promise<void>
  /** axe-core finds nothing serious or critical in what is shown, which is also kept as a picture. */
  looksRight(t: Test, visit: Visit, name: string): Promise<void>
  close(): Promise<void>
}

export type Story = (t: Test, stage: Stage) => Promise<void>

async function openSite(): Promise<Site> {
  let answer: { status: number; body: unknown } = { status: 200, body: { healthy: true } }
  const server: Server = createServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (status, body = { healthy: status < 400 }) => {
      answer = { status, body }
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/**
 * A product of its own; or, for working on a page, one that runs already: `STAGE=<its data folder>`, started with PROBER_ALLOW_CIDRS=127.0.0.0/8, and `STAGE_URL` where the
 * dashboard under work is served (`npx vite services/web --host 127.0.0.1`).
 */
export async function openStage(): Promise<Stage> {
  const { STAGE, STAGE_URL } = process.env
  const [started, browser, site] = await Promise.all([
    STAGE ? null : startProduct({ environment: { PROBER_ALLOW_CIDRS: '127.0.0.0/8' } }),
    openBrowser(),
    openSite()
  ])
  const product = started ?? attach(STAGE ?? '')
  const { access } = product
  const base = STAGE_URL ?? access.base_url

  async function enter(t: Test, view: View = { scheme: 'light', width: 1280 }): Promise<Visit> {
    const visited = await visit(browser, base, view)
    t.teardown(() => visited.close())
    await logIn(visited, access)
    return visited
  }

  return {
    product,
    base,
    browser,
    site,
    enter,
    async inEachView(t, work) {
      for (const view of views) {
        await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
          const visited = await enter(t, view)
          await work(t, visited)
          t.same(visited.complaints, [], 'the page complains of nothing')
        })
      }
    },
    async looksRight(t, visited, name) {
      await visited.shot(name)
      t.same(await visited.findings(), [], `${name}: axe-core finds nothing serious`)
      const overflow = await visited.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      t.equal(overflow, 0, `${name}: nothing stands beyond the edge`)
    },
    async close() {
      await browser.close()
      await site.close()
      await started?.stop()
    }
  }
}
