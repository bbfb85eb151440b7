/**
 * Keeps pages that several visits use, one after another. A new page in a new browser context takes
 * twice the CPU time to load the dashboard: the api sends every file again, two processes start,
 * and V8 compiles the scripts and axe-core again.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { carryAxe } from './axe.ts'
import type { View } from './browser.ts'

export interface KeptPage {
  context: BrowserContext
  page: Page
  /** Number of visits in this page. */
  visits: number
}

/**
 * The address where a page rests between two visits. It is on the same origin, so the page stays in
 * its process.
 */
const REST = '/icon.svg'

/** A page is closed after this many visits, which frees the memory of its process. */
const MAX_VISITS = 25

/** Runs before any script of a page. */
const SAVES_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true, effectiveType: '4g' } })"

/** Replacements that playwright makes of the browser's own functions stay in a page for good. */
const IS_CHANGED = `[Date, setTimeout, WebSocket].some((own) => !Function.prototype.toString.call(own).includes('[native code]'))`

/** Events that a story may listen to. */
const EVENTS = [
  'console',
  'pageerror',
  'request',
  'requestfinished',
  'requestfailed',
  'response',
  'websocket',
  'download',
  'dialog',
  'popup'
]

const sizeOf = ({ width }: View): { width: number; height: number } => ({ width, height: width === 390 ? 844 : 800 })

/** Pages that no visit uses now, grouped by the settings that cannot be changed later. */
const left = new WeakMap<Browser, Map<string, KeptPage[]>>()

function leftLike(browser: Browser, base: string, { width }: View): KeptPage[] {
  const all = left.get(browser) ?? new Map<string, KeptPage[]>()
  left.set(browser, all)
  const key = `${width} ${base}`
  const like = all.get(key) ?? []
  all.set(key, like)
  return like
}

const isShared = ({ ahead, apart }: View): boolean => !ahead && !apart

async function openPage(browser: Browser, base: string, view: View): Promise<KeptPage> {
  const context = await browser.newContext({
    baseURL: base,
    colorScheme: view.scheme,
    viewport: sizeOf(view),
    hasTouch: view.width === 390,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce'
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
  if (!view.ahead) await context.addInitScript(SAVES_DATA)
  await carryAxe(context)
  return { context, page: await context.newPage(), visits: 0 }
}

/** Returns a page that no other visit uses; `leavePage` gives it back. */
export async function takePage(browser: Browser, base: string, view: View): Promise<KeptPage> {
  const kept = (isShared(view) && leftLike(browser, base, view).pop()) || (await openPage(browser, base, view))
  if (kept.visits > 0) {
    await kept.page.setViewportSize(sizeOf(view))
    await kept.page.emulateMedia({ colorScheme: view.scheme })
  }
  kept.visits++
  return kept
}

/**
 * Resets a page so that the next visit finds it like a new one: nobody is logged in, nothing is
 * stored, and no listener is left. What a browser keeps across visits stays: cached files, and the
 * code that V8 compiled. Returns false if the page cannot be reset.
 */
async function isTidied({ context, page }: KeptPage, base: string): Promise<boolean> {
  if (page.isClosed() || new URL(page.url()).origin !== new URL(base).origin) return false
  for (const event of EVENTS) page.removeAllListeners(event)
  for (const other of context.pages()) if (other !== page) await other.close()
  await context.setOffline(false)
  await context.clearCookies()
  await page.mouse.move(-1, -1)
  await page.goto(REST)
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  return !(await page.evaluate<boolean>(IS_CHANGED))
}

export async function leavePage(kept: KeptPage, browser: Browser, base: string, view: View): Promise<void> {
  // A handler that is still at work would fail together with the page, and end the process.
  await kept.page.unrouteAll({ behavior: 'ignoreErrors' })
  if (isShared(view) && kept.visits < MAX_VISITS && (await isTidied(kept, base))) leftLike(browser, base, view).push(kept)
  else await kept.context.close()
}
