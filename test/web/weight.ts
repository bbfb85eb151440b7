/** What a first load asks for, weighed as a proxy would send it. */
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

export const KIB = 1024
/** ui.md principle 7. */
export const MOST_SCRIPT_KIB = 250

/** Opens `address` anew and waits for what `shown` waits for. KiB, compressed, of everything of each type that was asked for till then. */
export async function weigh(page: Page, address: string, shown: () => Promise<unknown>): Promise<{ script: number; style: number }> {
  const bodies: Promise<{ type: string; size: number }>[] = []
  page.on('response', (response) => {
    const type = response.request().resourceType()
    if (type === 'script' || type === 'stylesheet')
      bodies.push(response.body().then((body) => ({ type, size: gzipSync(body, { level: 9 }).length })))
  })
  // What is routed comes from the server, not from the browser's cache: all of it is weighed.
  await page.route('**/*', (route) => route.continue())
  await page.goto(address)
  await shown()
  const sizes = await Promise.all(bodies)
  page.removeAllListeners('response')
  await page.unroute('**/*')
  const of = (wanted: string): number => sizes.reduce((sum, { type, size }) => (type === wanted ? sum + size : sum), 0) / KIB
  return { script: of('script'), style: of('stylesheet') }
}
