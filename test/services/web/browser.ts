/**
 * Chromium for journeys through the dashboard: in both schemes, at the width of a desk and of a
 * phone, with every error of the page counted as a failure and axe-core's rules applied to what is
 * shown. `SHOTS=<folder>` keeps a picture of each place that a journey names, to be looked at.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { program } from '../../harness/debian.ts'
import type { Access } from '../../harness/product.ts'
import { until } from '../../harness/until.ts'
import { judged, toldOf } from './axe.ts'
import { leavePage, takePage } from './kept-pages.ts'

export type Scheme = 'light' | 'dark'

export interface View {
  scheme: Scheme
  width: 1280 | 390
  /** What is shown is looked at in the other scheme, too (`looksRight` of stage.ts). */
  bothSchemes?: true
  /**
   * The dashboard fetches all of its parts a while after the first page (shell/ahead.ts). Else the
   * person saves data, and each part comes when it is needed: it is five hundred files, again for
   * each visit.
   */
  ahead?: true
  /** No other visit gets its page: something is done to it that stays, such as `addInitScript`. */
  apart?: true
}

/**
 * How a journey is walked that is to be seen in every view: once at each width, where each place is
 * looked at in both schemes. What one does there is the same in both: a scheme is an attribute of
 * the page and the colours behind it.
 */
export const walks: readonly View[] = [
  { scheme: 'light', width: 1280, bothSchemes: true },
  { scheme: 'dark', width: 390, bothSchemes: true }
]

/** Each scheme at each width, for tests that load a page again in every view. */
export const views: readonly View[] = (['light', 'dark'] as const).flatMap((scheme) =>
  ([1280, 390] as const).map((width) => ({ scheme, width }))
)

export const otherScheme = (scheme: Scheme): Scheme => (scheme === 'light' ? 'dark' : 'light')

/**
 * Deadline for what the page should show, ms: a slow machine is no failure, a page that never shows
 * it is.
 */
export const PATIENCE_MS = 60_000

/**
 * One run of the browser; `close` ends it. The headless shell is Chromium without windows and pages
 * of its own, which nobody would see. `more`: switches.
 */
export async function openBrowser(...more: string[]): Promise<Browser> {
  const executablePath = await program('chromium-headless-shell', 'chromium-headless-shell')
  // As root, Chromium has no sandbox of its own; it visits nothing but this machine. Without its
  // zygote it waits for the processes of its pages: their time counts with that of the test file.
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--force-color-profile=srgb', ...more]
  return chromium.launch({ executablePath, args })
}

export type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

export interface Visit {
  page: Page
  view: View
  /** What the page complained of: errors in its console, exceptions, content the policy refused. */
  complaints: string[]
  /**
   * Opens a place of the dashboard as a link on its page does. It loads the dashboard where none is
   * shown yet, and for another view of the page that is shown: its filters may be read only once.
   */
  go(path: string): Promise<void>
  /** Opens a place as one who types its address: nothing that the page knew is left. */
  load(path: string): Promise<void>
  /**
   * axe-core's serious and critical findings in what is shown, a line each; only in what matches
   * `within`, if that is given.
   */
  findings(within?: string): Promise<string[]>
  /** The page as it stands, in another scheme from now on. */
  showIn(scheme: Scheme): Promise<void>
  /** What the page is shown in now. */
  shownIn(): Scheme
  /** A picture of the whole page, or of its screen, where SHOTS asks for them. */
  shot(name: string, part?: 'page' | 'screen'): Promise<void>
  cookies(): Promise<Cookies>
  close(): Promise<void>
}

/**
 * Follows a link to a path, by the router's own patch of the browser's history, and waits until the
 * heading of the page that was shown is gone. False where none is shown, or where the next one
 * would be drawn in its place.
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
 * Answers that the browser's console calls errors, and that a journey provokes on purpose, are no
 * complaint: the page must show them. The last is how it words a 401 of a socket: a page whose
 * session was ended elsewhere may ask for another one before it knows.
 */
const refusedAnswer =
  /Failed to load resource: the server responded with a status of (401|403|404|409|412|422|429|503)|WebSocket connection to '[^']+' failed: HTTP Authentication failed/

/** A visit in a browser that knows nothing of any other (kept-pages.ts). */
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
      const found = await judged(page, within)
      if (found.length === 0) return []
      // A part that was being drawn can give a false finding. A real one is still there a moment
      // later.
      await page.locator(WAITING_PART).first().waitFor({ state: 'detached' })
      await painted(page)
      return toldOf(await judged(page, within))
    },
    async showIn(shown) {
      scheme = shown
      // Else a colour that many elements inherit changes in one after the other, a frame each, also
      // where motion is reduced: it takes longer than axe-core does.
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
      // On a screen of its height: what stands fast at an edge is where the page ends.
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

/** A part of a page that is hidden until all of it has loaded (parts/Together.tsx). */
const WAITING_PART = '[aria-busy][style*=hidden]'

/** Logs in by the form, as a person does. */
export async function logIn({ page }: Visit, { email, password }: Access): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/**
 * Logs in without the form, which is one story's matter: the page stays where it was, and loads
 * nothing for it.
 */
export async function logInUnseen({ page }: Visit, base: string, { email, password }: Pick<Access, 'email' | 'password'>): Promise<void> {
  const answer = await page.request.post('/api/v1/auth/login', { data: { email, password }, headers: { origin: base } })
  if (!answer.ok()) throw new Error(`POST /auth/login answered ${answer.status()}: ${await answer.text()}`)
}

/** Whether the visit's session is one that has not ended. */
export const isLoggedIn = async ({ page }: Visit): Promise<boolean> => (await page.request.get('/api/v1/auth/session')).ok()

/** The person comes back to the tab: what is not fresh is asked for again. */
export const returnTo = (page: Page): Promise<void> => page.evaluate("void globalThis.dispatchEvent(new Event('visibilitychange'))")

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

/** Presses the button that copies, and waits until the clipboard holds `text`. */
export async function copies(page: Page, button: Locator, text: string): Promise<boolean> {
  await button.click()
  return until(`${text} in the clipboard`, async () => (await page.evaluate('navigator.clipboard.readText()')) === text, PATIENCE_MS)
}

/**
 * Typed into the field that has the cursor faster than the page draws: it sees every letter by
 * itself, and none of them in between.
 */
export const typeAtOnce = (page: Page, text: string): Promise<void> =>
  page.evaluate(`for (const letter of ${JSON.stringify(text)}) document.execCommand('insertText', false, letter)`)

/** Nothing of the page moves any more. */
const stands = (page: Page): Promise<void> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    do await frame()
    while (document.getAnimations().some(({ playState }) => playState === 'running'))
  })()`)

/** What the page has been told till now stands on it. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))')
