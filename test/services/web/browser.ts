/**
 * Drives Chromium through the dashboard: in both colour schemes, at the width of a desk and of a
 * phone. Every error of a page counts as a failure, and axe-core's rules are applied to what is
 * shown. `SHOTS=<folder>` saves a picture of each place that a journey names.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, errors, type Locator, type Page, type Response } from 'playwright-core'
import { debianChromium, fetchChromium } from '../../harness/chromium.ts'
import type { Access } from '../../harness/product.ts'
import { SHORT_LIVED } from '../../harness/short-lived.ts'
import { until } from '../../harness/until.ts'
import { judged, toldOf } from './axe.ts'
import { leavePage, takePage } from './kept-pages.ts'

export type Scheme = 'light' | 'dark'

export interface View {
  scheme: Scheme
  width: 1280 | 390
  /** What is shown is also examined in the other scheme (`looksRight` of stage.ts). */
  bothSchemes?: true
  /**
   * Lets the dashboard fetch all of its parts a while after the first page (shell/ahead.ts). By
   * default, the browser says that the person saves data, and each part is loaded when it is
   * needed: all parts are five hundred files, again for each visit.
   */
  ahead?: true
  /**
   * The page of this visit is not reused by another, because the test changes it for good, for
   * example with `addInitScript`.
   */
  apart?: true
}

/**
 * The views for a journey that must be seen in every view: once at each width, with each place
 * examined in both schemes. The steps of a journey are the same in both, because a scheme is only
 * an attribute of the page and the colours that follow from it.
 */
export const walks: readonly View[] = [
  { scheme: 'light', width: 1280, bothSchemes: true },
  { scheme: 'dark', width: 390, bothSchemes: true }
]

/** Each scheme at each width, for tests that load a page anew in every view. */
export const views: readonly View[] = (['light', 'dark'] as const).flatMap((scheme) =>
  ([1280, 390] as const).map((width) => ({ scheme, width }))
)

export const otherScheme = (scheme: Scheme): Scheme => (scheme === 'light' ? 'dark' : 'light')

/**
 * Deadline for what the page should show, in ms. A slow machine must not fail a test; a page that
 * never shows it must.
 */
export const PATIENCE_MS = 60_000

/** How long one answer of the API may take to be shown; shorter than the time to the next one. */
const SHOWN_MS = 20_000

/** How often axe-core looks at a page in which it finds something, and the pause in between. */
const MAX_LOOKS = 5
const LOOK_AGAIN_MS = 500

/**
 * Features of Chromium that are turned off. A second list replaces Playwright's own, so those of
 * its features that concern pages of this machine are repeated.
 */
const OFF = [
  // It makes a new frame for each page. Without it, a load takes a tenth less CPU time.
  'RenderDocument',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'PaintHolding',
  'ThirdPartyStoragePartitioning'
]

/**
 * V8 optimizes a function of a page only after it has run for much longer than usual, as in a test
 * process (harness/short-lived.ts). Most scripts of a page do not run long enough.
 */
const LITTLE_SCRIPT = `--js-flags=${SHORT_LIVED.join(' ')}`

/**
 * Starts the browser; `close` ends it. `asksAgain`: Debian's, which asks again for a module that
 * failed while there was no network. Chromium 153 never does, so parts of a page stay missing.
 */
export async function openBrowser({ asksAgain = false } = {}): Promise<Browser> {
  const { executablePath, env } = await (asksAgain ? debianChromium() : fetchChromium())
  // Chromium has no sandbox when it runs as root; it visits only this machine. Without its zygote
  // process, it waits for the processes of its pages, so their CPU time counts as the test file's.
  const args = [
    '--no-sandbox',
    '--no-zygote',
    '--disable-gpu',
    '--force-color-profile=srgb',
    `--disable-features=${OFF.join()}`,
    LITTLE_SCRIPT
  ]
  return chromium.launch({ executablePath, env, args })
}

export type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

export interface Visit {
  page: Page
  view: View
  /**
   * Complaints of the page: errors in its console, exceptions, content that the security policy
   * refused.
   */
  complaints: string[]
  /**
   * Opens a place of the dashboard as a link on its page does. If no dashboard is shown yet, it
   * loads it. It also loads it to show the same page with other filters, because a page may read
   * its filters only once.
   */
  go(path: string): Promise<void>
  /** Opens a place as by typing its address: the page keeps nothing that it knew. */
  load(path: string): Promise<void>
  /**
   * Returns axe-core's serious and critical findings in what is shown, one line each. With
   * `within`, only in the elements that match it.
   */
  findings(within?: string): Promise<string[]>
  /** Changes the colour scheme of the page as it is. */
  showIn(scheme: Scheme): Promise<void>
  /** The colour scheme that the page has now. */
  shownIn(): Scheme
  /** Saves a picture of the whole page, or of the visible screen, if SHOTS asks for pictures. */
  shot(name: string, part?: 'page' | 'screen'): Promise<void>
  cookies(): Promise<Cookies>
  close(): Promise<void>
}

/**
 * Follows a link to a path through the router's patch of the browser's history, and waits until the
 * heading of the old page is gone. Returns false if no page is shown, or if the new page would be
 * drawn in place of the old one.
 */
const FOLLOW = `(async (path) => {
  const shapeOf = (url) => url.pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')
  const headings = document.querySelectorAll('#root #main h1')
  if (headings.length === 0) return false
  const to = new URL(path, location.href)
  if (to.origin !== location.origin || shapeOf(to) === shapeOf(location)) return false
  for (const heading of headings) heading.dataset.left = ''
  history.pushState({}, '', path)
  const end = performance.now() + ${PATIENCE_MS}
  while (document.querySelector('[data-left]')) {
    if (performance.now() > end) throw new Error('the page before ' + path + ' stays')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
})`

/**
 * A journey causes these answers on purpose. The browser's console calls them errors, but they do
 * not count as complaints: the page must show them. The last one is the text for a WebSocket that
 * got a 401: a page whose session was ended elsewhere may try to connect again before it knows.
 */
const refusedAnswer =
  /Failed to load resource: the server responded with a status of (401|403|404|409|412|422|429|503)|WebSocket connection to '[^']+' failed: HTTP Authentication failed/

/** Starts a visit in a browser context that knows nothing of other visits (kept-pages.ts). */
export async function visit(browser: Browser, base: string, view: View, cookies: Cookies = []): Promise<Visit> {
  const kept = await takePage(browser, base, view)
  const { context, page } = kept
  if (cookies.length > 0) await context.addCookies(cookies)
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  let { scheme } = view
  let isOver = false
  const load = async (path: string): Promise<void> => void (await page.goto(path))
  page.on('console', (message) => {
    if (message.type() === 'error' && !refusedAnswer.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    page,
    view,
    complaints,
    async go(path) {
      const isThere = await page.evaluate<boolean>(`${FOLLOW}(${JSON.stringify(path)})`)
      if (!isThere) await load(path)
    },
    load,
    async findings(within = 'html') {
      let found = await judged(page, within)
      // A part that is still being drawn can cause a false finding, on a busy machine for a while.
      // A real finding stays.
      for (let looks = 1; found.length > 0 && looks < MAX_LOOKS; looks++) {
        await page.locator(WAITING_PART).first().waitFor({ state: 'detached' })
        await painted(page)
        if (looks > 1) await page.waitForTimeout(LOOK_AGAIN_MS)
        found = await judged(page, within)
      }
      return toldOf(found)
    },
    async showIn(shown) {
      scheme = shown
      // Without this, a colour that many elements inherit changes in one element after the other,
      // one frame each, even with reduced motion. That takes longer than axe-core does.
      await page.evaluate(`globalThis.still = new CSSStyleSheet()
        still.replaceSync('*, ::before, ::after { transition: none !important }')
        document.adoptedStyleSheets.push(still)`)
      await page.emulateMedia({ colorScheme: shown })
      await stands(page)
      await page.evaluate('document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== still)')
    },
    shownIn: () => scheme,
    async shot(name, part = 'page') {
      const folder = process.env.SHOTS
      if (!folder) return
      mkdirSync(folder, { recursive: true })
      const size = page.viewportSize()
      const height = await page.evaluate<number>('document.documentElement.scrollHeight')
      // Uses a screen as high as the page, so that elements fixed to an edge are at the end of the
      // page.
      const isTall = part === 'page' && size !== null && height > size.height
      if (isTall) await page.setViewportSize({ width: size.width, height })
      await page.screenshot({ path: join(folder, `${name}-${scheme}-${view.width}.png`) })
      if (isTall) await page.setViewportSize(size)
    },
    cookies: () => context.cookies(),
    async close() {
      if (isOver) return
      isOver = true
      await leavePage(kept, browser, base, view)
    }
  }
}

/** A part of a page that stays hidden until all of it has loaded (parts/Together.tsx). */
const WAITING_PART = '[aria-busy][style*=hidden]'

/** Logs in through the form, as a person does. */
export async function logIn({ page }: Visit, { email, password }: Access): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/**
 * Logs in without the form, which only one story tests. The page stays where it is and loads
 * nothing.
 */
export async function logInUnseen({ page }: Visit, base: string, { email, password }: Pick<Access, 'email' | 'password'>): Promise<void> {
  const answer = await page.request.post('/api/v1/auth/login', { data: { email, password }, headers: { origin: base } })
  if (!answer.ok()) throw new Error(`POST /auth/login answered ${answer.status()}: ${await answer.text()}`)
}

/** Whether the visit has a session that has not ended. */
export const isLoggedIn = async ({ page }: Visit): Promise<boolean> => (await page.request.get('/api/v1/auth/session')).ok()

/** The person returns to the tab, so the page fetches again what is no longer fresh. */
export const returnTo = (page: Page): Promise<void> => page.evaluate("void globalThis.dispatchEvent(new Event('visibilitychange'))")

/** The person returns to the tab, again and again, until the page shows `what`. */
export const returnsUntil = (page: Page, what: Locator): Promise<boolean> =>
  until(
    `${what}`,
    async () => {
      await returnTo(page)
      return what.first().isVisible()
    },
    PATIENCE_MS
  )

/** The person returns to the tab, again and again, until the page reads a path with this `end`. */
export async function returnsUntilRead(page: Page, end: string): Promise<void> {
  let isRead = false
  const hear = (answer: Response): void => {
    isRead ||= answer.request().method() === 'GET' && new URL(answer.url()).pathname.endsWith(end)
  }
  page.on('response', hear)
  await until(
    `a reading of ${end}`,
    async () => {
      await returnTo(page)
      return isRead
    },
    PATIENCE_MS
  )
  page.off('response', hear)
  await painted(page)
}

/**
 * Runs `work` and waits until the server accepts the request that it causes: one with this `method`
 * and a path that ends with `end`. Use it where the page shows a change before the server confirms
 * it: a test that asks the API too early gets the old state.
 */
export async function agreed(page: Page, method: string, end: string, work: () => Promise<unknown>): Promise<void> {
  const sent = page.waitForResponse(
    (answer) => answer.request().method() === method && decodeURI(new URL(answer.url()).pathname).endsWith(end) && answer.ok()
  )
  await Promise.all([sent, work()])
}

/** Presses a copy button and waits until the clipboard holds `text`. */
export async function copies(page: Page, button: Locator, text: string): Promise<boolean> {
  await button.click()
  return until(`${text} in the clipboard`, async () => (await page.evaluate('navigator.clipboard.readText()')) === text, PATIENCE_MS)
}

/**
 * Types into the focused field faster than the page draws. The field gets each letter separately,
 * with no redraw in between.
 */
export const typeAtOnce = (page: Page, text: string): Promise<void> =>
  page.evaluate(`for (const letter of ${JSON.stringify(text)}) document.execCommand('insertText', false, letter)`)

/**
 * Opens a page and reloads it until it shows `what`. Use it for figures from analytics: the API
 * leaves them out when analytics is too busy, and the page may not ask again for minutes.
 */
export async function opensWith({ page, go, load }: Visit, path: string, what: Locator): Promise<void> {
  let open = go
  await until(
    `${what} at ${path}`,
    async () => {
      await open(path)
      open = load
      try {
        await what.waitFor({ timeout: SHOWN_MS })
        return true
      } catch (error) {
        if (error instanceof errors.TimeoutError && !page.isClosed()) return false
        throw error
      }
    },
    3 * PATIENCE_MS
  )
}

/** Waits until nothing on the page moves any more. */
const stands = (page: Page): Promise<void> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    do await frame()
    while (document.getAnimations().some(({ playState }) => playState === 'running'))
  })()`)

/** Waits until the page shows everything that it has received so far. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))')
