/** What a first load asks for, weighed as a proxy would send it. */
import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'

export const KIB = 1024
/** docs/design/ui.md#principle-7. */
export const MAX_SCRIPT_KIB = 250

/**
 * Opens `address` anew and waits for what `shown` waits for. KiB, compressed, of everything of each
 * type that was asked for till then.
 */
export async function weigh(page: Page, address: string, shown: () => Promise<unknown>): Promise<{ script: number; style: number }> {
  await page.goto('about:blank') // What the page before still loads is not weighed, and is gone.
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  // What is routed comes from the server, not from the browser's cache: all of it is weighed.
  await page.route('**/*', (route) => route.continue())
  await page.goto(address)
  await shown()
  page.removeAllListeners('response')
  await page.unroute('**/*')
  const of = async (wanted: string): Promise<number> => {
    const bodies = await Promise.all(responses.filter((one) => one.request().resourceType() === wanted).map((one) => one.body()))
    return bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0) / KIB
  }
  return { script: await of('script'), style: await of('stylesheet') }
}
