/**
 * Visits every page of a workspace in use, at a desk in the light scheme and on a phone in the dark
 * one. Nothing moves after it was drawn, nothing overflows its column or the edge, the console has
 * no errors, and axe-core finds nothing serious in any dialog. With SHOTS (`npm run screenshots`),
 * it saves a picture of each page and dialog in both schemes and widths. With PLACES it visits only
 * pages whose names match, for example PLACES='^monitor'.
 */
import type { Test } from 'tap'
import { painted, type View, type Visit, views, visit } from '../browser.ts'
import { eachDialog } from '../dialogs.ts'
import { linesOfHeading, MAX_SHIFT, overflowOf, quietOf, shiftOf, textsBeyond, WATCH_SHIFTS } from '../measure.ts'
import { notAmong, type Place, places } from '../places.ts'
import { openShop } from '../shop.ts'
import type { Stage, Story } from '../stage.ts'

/** A long text from a tool must not fill the screen of a phone. */
const MAX_LINES = 4

/** Late parts are requested a second after the page is first seen (parts/part.ts). */
const LATE_MS = 1_300

const looked: readonly View[] = process.env.SHOTS
  ? views
  : [
      { scheme: 'light', width: 1280 },
      { scheme: 'dark', width: 390 }
    ]

interface Walker {
  visited: Visit
  quiet: ReturnType<typeof quietOf>
  /** Console errors since the last look, including the server's refusals. */
  errors: string[]
}

async function walker(t: Test, stage: Stage, view: View, cookies: Awaited<ReturnType<Visit['cookies']>>): Promise<Walker> {
  const visited = await visit(stage.browser, stage.base, { ...view, apart: true }, cookies)
  t.teardown(() => visited.close())
  const { page } = visited
  const errors: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.addInitScript(WATCH_SHIFTS)
  return { visited, quiet: quietOf(page), errors }
}

/** Selects everything in a list, which may be long. */
async function selectAll({ page, view }: Visit): Promise<void> {
  if (view.width === 390) await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByLabel('Select all on this page').check()
}

/** Returns what is wrong with a page, one line each. */
async function faultsOf({ visited, quiet, errors }: Walker, place: Place): Promise<string[]> {
  const { page } = visited
  errors.length = 0
  await visited.load(place.path)
  await quiet(place.isLate || process.env.SHOTS ? LATE_MS : undefined)
  await painted(page)
  const faults: string[] = []
  const { score, what } = await shiftOf(page)
  if (score > MAX_SHIFT) faults.push(`moved ${score.toFixed(3)}: ${what}`)
  for (const text of await textsBeyond(page)) faults.push(`stands beyond its column: ${text}`)
  const overflow = await overflowOf(page)
  if (overflow !== 0) faults.push(`is ${overflow} px wider than the screen`)
  const lines = await linesOfHeading(page)
  if (lines > MAX_LINES) faults.push(`has a heading of ${lines} lines`)
  await visited.shot(place.name)
  if (place.isOnlyHere) faults.push(...(await visited.findings()))
  if (place.selects) await selectAll(visited)
  const dialogs = (): Promise<string[]> =>
    eachDialog(page, place.withShell ? 'body' : '#main', async (words) => {
      await quiet()
      await visited.shot(`${place.name}--${words.toLowerCase().replaceAll(/\W+/g, '-')}`, 'screen')
      const marked = await page.locator('[role=dialog] [aria-invalid=true]').count()
      if (marked > 0) faults.push(`dialog ${words}: marks ${marked} fields as wrong before anything is typed`)
      for (const finding of await visited.findings('[role=dialog]')) faults.push(`dialog ${words}: ${finding}`)
    })
  let opened = await dialogs()
  if (opened.length < place.dialogs) {
    // On a busy machine, a button may not have been there yet.
    await quiet(LATE_MS)
    opened = await dialogs()
  }
  if (opened.length !== place.dialogs) faults.push(`opens ${opened.length} dialogs (${opened.join(', ')}), expected ${place.dialogs}`)
  const wrong = place.isMissing ? errors.filter((text) => !text.includes('status of 404')) : errors
  return [...faults, ...wrong.map((text) => `console: ${text}`)]
}

export const everyPage: Story = async (t, stage) => {
  const owner = await stage.newcomer(t)
  const shop = await openShop(t, stage, owner)
  const known = places(shop)
  t.same(notAmong(known), [], 'each address of the router is among the pages')
  const all = known.filter(({ name }) => new RegExp(process.env.PLACES ?? '').test(name))
  const cookies = await owner.cookies()
  const walk = async (view: View, order: readonly Place[]): Promise<[name: string, faults: string[]][]> => {
    const [inside, outside] = await Promise.all([walker(t, stage, view, cookies), walker(t, stage, view, [])])
    const found: [name: string, faults: string[]][] = []
    for (const place of order) {
      const faults = await faultsOf(place.isOutside ? outside : inside, place).catch((error: Error) => [error.message])
      found.push([`${place.path}, ${view.scheme}, ${view.width} px`, faults])
    }
    return found
  }
  // Two walks at once: while one page loads, the other is examined. More would exceed one person's
  // request limit. One of the two begins with the last page: a page whose figures take half of what
  // a workspace may request at once must not be opened by both at the same moment.
  for (let first = 0; first < looked.length; first += 2) {
    const walks = looked.slice(first, first + 2).map((view, nth) => walk(view, nth === 0 ? all : all.toReversed()))
    for (const [name, faults] of (await Promise.all(walks)).flat()) t.same(faults, [], name)
  }
}
