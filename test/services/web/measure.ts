/**
 * Measures the layout of a page in the browser: what moved after it was drawn, and which texts
 * overflow.
 */
import type { Page, Request } from 'playwright-core'
import { until } from '../../harness/until.ts'
import { PATIENCE_MS } from './browser.ts'

/** Limit of the layout shift score of each page (docs/design/ui.md#principle-7). */
export const MAX_SHIFT = 0.05

/** A script for addInitScript: notes what moves on the page without an action of the person. */
export const WATCH_SHIFTS = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries())
      if (!hadRecentInput) {
        const what = sources.map(({ node, previousRect, currentRect }) =>
          (node?.nodeName ?? '') + '.' + (node?.className ?? '') + ' ' + Math.round(previousRect.top) + ' to ' + Math.round(currentRect.top))
        shifts.push({ value, what: 'at ' + Math.round(startTime) + ' ms ' + what.join(', ') })
      }
  }).observe({ type: 'layout-shift', buffered: true })
`

interface Shift {
  value: number
  what: string
}

/** Returns how much has moved since the page was opened, and what moved. */
export async function shiftOf(page: Page): Promise<{ score: number; what: string }> {
  const shifts: Shift[] = await page.evaluate('shifts')
  return {
    score: shifts.reduce((total, { value }) => total + value, 0),
    what: shifts.map(({ value, what }) => `${value.toFixed(3)} ${what}`).join('; ')
  }
}

/**
 * Finds texts that overflow the box they belong to and are not clipped. Texts only for screen
 * readers, and areas that scroll, do not count.
 */
const BEYOND = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('#root'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent.trim()) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const text = range.getBoundingClientRect()
    if (text.width === 0 || text.height === 0) continue
    let box = node.parentElement
    while (box && getComputedStyle(box).display.startsWith('inline') && getComputedStyle(box).display !== 'inline-block') box = box.parentElement
    let cut = false
    for (let above = node.parentElement; above && !cut; above = above.parentElement) cut = getComputedStyle(above).overflowX !== 'visible' && above !== document.body && above !== document.documentElement
    if (cut || !box) continue
    const edge = box.getBoundingClientRect()
    if (text.right > edge.right + 1.5 || text.left < edge.left - 1.5) found.push(node.textContent.trim().slice(0, 60) + ' in ' + box.className)
  }
  return found
})()`

export const textsBeyond = (page: Page): Promise<string[]> => page.evaluate(BEYOND)

/** Returns how many lines the heading takes. */
export const linesOfHeading = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const heading = document.querySelector('h1')
    return heading ? Math.round(heading.clientHeight / Number.parseFloat(getComputedStyle(heading).lineHeight)) : 0
  })()`)

/** Returns by how many pixels the page is wider than the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** When a page has made no request for this long, it has loaded. */
const QUIET_MS = 150

/**
 * Returns a function that waits until the page has loaded everything it shows: no request is open,
 * and nothing says that it loads. Playwright's own wait (`networkidle`) takes half a second longer
 * for each page.
 */
export function quietOf(page: Page): (quietMs?: number) => Promise<void> {
  const asked = new Set<Request>()
  let changed = 0
  const note = (change: (request: Request) => unknown) => (request: Request) => {
    change(request)
    changed = performance.now()
  }
  page.on(
    'request',
    note((request) => asked.add(request))
  )
  const ended = note((request) => asked.delete(request))
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  // Checked when the page is idle, because what it draws next may cause more requests.
  const isThere = `new Promise((resolve) => requestIdleCallback(() =>
    resolve(document.querySelector('h1') !== null && document.querySelector('[aria-busy=true]') === null)))`
  return async (quietMs = QUIET_MS) => {
    await until(
      'the page to have loaded',
      async () => {
        if (asked.size > 0 || performance.now() - changed < quietMs) return false
        const before = changed
        return (await page.evaluate<boolean>(isThere)) && changed === before
      },
      PATIENCE_MS
    )
  }
}

/** Within this time, an action has caused all of its requests. */
export const SETTLED_MS = 4_000
/** Limit of requests for one acknowledgement (docs/design/ui.md#principle-2). */
export const MAX_REQUESTS = 4

/** Collects the page's requests to the api from now on, except those that it repeats by a timer. */
export function askedOf(page: Page): () => string[] {
  const asked: string[] = []
  const hear = (request: Request): void => {
    const { pathname, search } = new URL(request.url())
    const byTheClock = /\/(?:feed|deliveries|session|usage|events)\b/.test(pathname)
    // Names of people and integrations are fetched once, by whichever part shows a name first.
    const ofNames = /\/(?:workspace\/members|integrations\/inbound)$/.test(pathname)
    if (pathname.startsWith('/api/') && !byTheClock && !ofNames) asked.push(`${request.method()} ${pathname}${search}`)
  }
  page.on('request', hear)
  return () => {
    page.off('request', hear)
    return asked
  }
}
