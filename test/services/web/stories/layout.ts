/**
 * How pages stand: nothing moves after it was drawn, no text stands beyond its column, and what a
 * tool has written at length does not fill a phone.
 */
import type { Page } from 'playwright-core'
import { until } from '../../../harness/until.ts'
import { PATIENCE_MS, views } from '../browser.ts'
import type { Story } from '../stage.ts'

/** Of the layout shift score, for each page. */
const MAX_SHIFT = 0.05
/** On a phone, of pages whose parts come one by one above others. */
const MAX_SHIFT_OF_PARTS = 0.1
const inParts = (path: string): boolean => path === '/' || path.startsWith('/incidents/')

/** Notes what moves without the person having asked for it. */
const WATCH = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, what: sources.map(({ node }) => node?.nodeName + '.' + (node?.className ?? '')).join(' ') })
  }).observe({ type: 'layout-shift', buffered: true })
`
interface Shift {
  value: number
  what: string
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

const LONG =
  'ALERT KubePersistentVolumeFillingUp firing for namespace production-payments, persistentvolumeclaim data-postgresql-primary-0, ' +
  'job kubelet, severity critical: the volume is expected to fill up within four days, only 2.81 % of its space is left now'

export const layout: Story = async (t, stage) => {
  const visited = await stage.newcomer(t)
  const { page, api } = visited
  const made = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as unknown as Record<string, string>
  }
  const monitor = await made('/api/v1/monitors', {
    name: 'The storefront of the northern region, with its search and its baskets',
    type: 'http',
    target: `${stage.site.url}/a/rather/long/address/that/does/not/fit/into/one/column/of/a/list`,
    interval_seconds: 30
  })
  const heartbeat = await made('/api/v1/heartbeats', { name: 'Nightly export', schedule: { kind: 'period', period_seconds: 86_400 } })
  for (let nth = 0; nth < 12; nth++) await fetch(heartbeat.ping_url ?? '', { method: 'POST', body: `Exported ${nth} tables` })
  const { key = '' } = await made('/api/v1/incidents', { title: LONG, severity: 'critical', summary: 'Look at **the volume** first.' })
  await made('/api/v1/integrations/inbound', { name: 'Alerts of the northern region', source_type: 'generic' })
  await until(
    'the log of pings',
    async () => ((await api('GET', `/api/v1/heartbeats/${heartbeat.id}/pings`)).body.items as unknown[]).length >= 12,
    PATIENCE_MS
  )
  await until(
    'an answer of a region',
    async () => (await api('GET', `/api/v1/monitors/${monitor.id}`)).body.last_checked_at !== null,
    2 * PATIENCE_MS
  )
  await page.addInitScript(WATCH)

  const places: readonly (readonly [path: string, shown: (page: Page) => Promise<unknown>])[] = [
    ['/', (page) => page.getByRole('list', { name: 'Monitors' }).waitFor()],
    ['/incidents', (page) => page.getByRole('list', { name: 'Incidents' }).waitFor()],
    [`/incidents/${key}`, (page) => page.getByRole('region', { name: 'What happened' }).getByText('declared this incident').waitFor()],
    ['/monitors', (page) => page.getByRole('list', { name: 'Monitors' }).waitFor()],
    [`/monitors/${monitor.id}`, (page) => page.getByRole('region', { name: 'Settings' }).waitFor()],
    ['/heartbeats', (page) => page.getByRole('list', { name: 'Heartbeats' }).waitFor()],
    [`/heartbeats/${heartbeat.id}`, (page) => page.getByRole('region', { name: 'Schedule' }).waitFor()],
    ['/integrations', (page) => page.getByRole('link', { name: /^Alerts of the northern region/ }).waitFor()],
    ['/alerts', (page) => page.getByRole('heading', { level: 1 }).waitFor()],
    ['/on-call', (page) => page.getByRole('heading', { level: 1 }).waitFor()],
    ['/settings/usage', (page) => page.getByText('Not available yet').first().waitFor()],
    ['/settings/members', (page) => page.getByRole('heading', { level: 1 }).waitFor()]
  ]
  for (const { width } of views.filter(({ scheme }) => scheme === 'light')) {
    await t.test(`${width} px`, async (t) => {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 })
      for (const [path, shown] of places) {
        await visited.go(path)
        await shown(page)
        await page.waitForLoadState('networkidle')
        const shifts: Shift[] = await page.evaluate('shifts')
        const sum = shifts.reduce((total, { value }) => total + value, 0)
        t.ok(
          sum <= (width === 390 && inParts(path) ? MAX_SHIFT_OF_PARTS : MAX_SHIFT),
          `${path}: ${sum.toFixed(3)} ${shifts.map(({ value, what }) => `${value.toFixed(3)} ${what}`).join('; ')}`
        )
        t.same(await page.evaluate(BEYOND), [], `${path}: every text stands in its column`)
        await stage.looksRight(t, { ...visited, view: { scheme: 'light', width } }, `layout${path.replaceAll('/', '-')}-${width}`)
      }
      await visited.go(`/incidents/${key}`)
      const title = page.getByRole('heading', { level: 1 })
      await title.waitFor()
      const lines = await page.evaluate<number>(
        "(({ clientHeight }, { lineHeight }) => Math.round(clientHeight / Number.parseFloat(lineHeight)))(document.querySelector('h1'), getComputedStyle(document.querySelector('h1')))"
      )
      if (width === 390) t.ok(lines <= 4, `the title has ${lines} lines`)
      t.same(visited.complaints, [])
    })
  }
}
