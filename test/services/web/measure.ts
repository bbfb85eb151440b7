/** How a page stands, by the browser: what moved after it was drawn, which texts are beyond it. */
import type { Page, Request } from 'playwright-core'
import { until } from '../../harness/until.ts'
import { PATIENCE_MS } from './browser.ts'

/** Of the layout shift score, for each page (docs/design/ui.md#principle-7). */
export const MAX_SHIFT = 0.05

/** For addInitScript: notes what moves without the person having asked for it. */
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

/** What moved since the page was opened, in all, and what it was. */
export async function shiftOf(page: Page): Promise<{ score: number; what: string }> {
  const shifts: Shift[] = await page.evaluate('shifts')
  return {
    score: shifts.reduce((total, { value }) => total + value, 0),
    what: shifts.map(({ value, what }) => `${value.toFixed(3)} ${what}`).join('; ')
  }
}

/**
 * Texts that stand beyond the box that they belong to, and that nothing cuts. What is only for
 * those who hear the page, and what can be scrolled, is no matter.
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

/** Lines of the heading. */
export const linesOfHeading = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const heading = document.querySelector('h1')
    return heading ? Math.round(heading.clientHeight / Number.parseFloat(getComputedStyle(heading).lineHeight)) : 0
  })()`)

/** Pixels by which the page is wider than the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** With nothing asked for, for so long, a page has what it needs. */
const QUIET_MS = 150

/**
 * Gives a wait for the page to have all that it shows: nothing is asked for any more, and nothing
 * says that it loads. Playwright's own wait (`networkidle`) takes half a second more of each page.
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
  // Once the page has nothing to do: what it draws next may ask for more.
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

/** Within so long what an action causes has been asked for. */
export const SETTLED_MS = 4_000
/** Of one acknowledgement (docs/design/ui.md#principle-2). */
export const MAX_REQUESTS = 4

/** What the page asks of the api from now on, without what it asks for again by the clock. */
export function askedOf(page: Page): () => string[] {
  const asked: string[] = []
  const hear = (request: Request): void => {
    const { pathname, search } = new URL(request.url())
    const byTheClock = /\/(?:feed|deliveries|session|usage|events)\b/.test(pathname)
    // Names of people and integrations: once, by whatever first names one.
    const ofNames = /\/(?:workspace\/members|integrations\/inbound)$/.test(pathname)
    if (pathname.startsWith('/api/') && !byTheClock && !ofNames) asked.push(`${request.method()} ${pathname}${search}`)
  }
  page.on('request', hear)
  return () => {
    page.off('request', hear)
    return asked
  }
}
