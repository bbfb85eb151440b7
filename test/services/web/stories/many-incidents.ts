/**
 * More incidents than fit on a page: headline and badge count all of them, and silenced ones
 * separately. Repeated alerts are one row. One acknowledgement takes few requests.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { PATIENCE_MS, walks } from '../browser.ts'
import { askedOf, MAX_REQUESTS, SETTLED_MS } from '../measure.ts'
import type { Newcomer, Story } from '../stage.ts'

/** More than the overview lists. */
const ALERTS = 56
const AT_ONCE = 8
/** Of the list of incidents. */
const PER_PAGE = 50

interface Counted {
  total: number
  counts: { ongoing: number; needs_someone: number; silenced: number; acknowledged: number }
}

async function door({ api }: Newcomer): Promise<(title: string, status?: 'firing' | 'resolved') => Promise<void>> {
  const { body } = await api('POST', '/api/v1/integrations/inbound', { name: 'Many', source_type: 'generic' })
  const { endpoint_url } = body as { endpoint_url: string }
  return async (title, status = 'firing') => {
    const answer = await fetch(endpoint_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title, status, severity: 'warning', dedup_key: title })
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
  }
}

const counted = async ({ api }: Newcomer): Promise<Counted> =>
  (await api('GET', '/api/v1/incidents?include=counts&status=ongoing&per_page=1')).body as unknown as Counted

/** Waits until `count` incidents are ongoing. */
const ongoing = (visited: Newcomer, count: number): Promise<unknown> =>
  until(`${count} ongoing incidents`, async () => (await counted(visited)).counts.ongoing === count, PATIENCE_MS)

async function idOf({ api }: Newcomer, title: string): Promise<{ id: string; key: string }> {
  const { body } = await api('GET', `/api/v1/incidents?q=${encodeURIComponent(title)}`)
  const [found] = body.items as { id: string; key: string }[]
  if (!found) throw new Error(`there is no incident ${title}`)
  return found
}

/** Acknowledges with `press`, and checks how many requests that takes. */
async function costs(t: Test, page: Page, place: string, press: () => Promise<unknown>): Promise<void> {
  // Until the page's own loading is over.
  await page.waitForLoadState('networkidle')
  const heard = askedOf(page)
  await press()
  await page.waitForTimeout(SETTLED_MS)
  const asked = heard()
  t.ok(
    asked.some((one) => one.startsWith('POST ')),
    `${place}: it was sent`
  )
  t.ok(asked.length <= MAX_REQUESTS, `${place}: ${asked.length} requests: ${asked.join('; ')}`)
}

export const manyIncidents: Story = async (t, stage) => {
  const visited = await stage.newcomer(t)
  const { page, api } = visited
  const send = await door(visited)
  // The overview of a workspace that watches nothing redirects to its first steps.
  await api('POST', '/api/v1/heartbeats', { name: 'Many', schedule: { kind: 'period', period_seconds: 86_400 } })
  const titles = Array.from({ length: ALERTS }, (_, nth) => `Queue ${String(nth).padStart(2, '0')} is long`)
  for (let at = 0; at < titles.length; at += AT_ONCE) await Promise.all(titles.slice(at, at + AT_ONCE).map((title) => send(title)))
  await ongoing(visited, ALERTS)
  const [muted, taken] = [await idOf(visited, 'Queue 01'), await idOf(visited, 'Queue 02')]
  await api('POST', `/api/v1/incidents/${muted.id}/silence`, { duration_minutes: 60 })
  await api('POST', `/api/v1/incidents/${taken.id}/acknowledge`, {})

  await t.test('headline and badge count all incidents, and silenced ones separately', async (t) => {
    await visited.go('/')
    await page.getByRole('heading', { level: 1, name: `${ALERTS - 2} incidents need someone, 1 acknowledged, 1 silenced` }).waitFor()
    await page.getByRole('link', { name: `Incidents ${ALERTS - 2} waiting` }).waitFor()
    await visited.go('/incidents')
    await page.getByRole('heading', { level: 1, name: `${ALERTS - 2} incidents need someone, 1 acknowledged, 1 silenced` }).waitFor()
    await page.getByRole('link', { name: 'Silenced 1' }).click()
    await page.waitForURL('**status=silenced')
    const rows = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem')
    await rows.getByText(muted.key, { exact: true }).waitFor()
    await until('the others to be gone', async () => (await rows.count()) === 1, PATIENCE_MS)
    t.equal(await rows.count(), 1)
    // Includes the day if it ends after midnight.
    await rows.getByText(/^until (\d{1,2} \w{3,4}, )?\d\d:\d\d$/).waitFor()
    await page.getByRole('link', { name: 'Needs someone' }).click()
    await page.getByText(new RegExp(`of ${ALERTS - 2}`)).waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('one acknowledgement takes few requests', async (t) => {
    await visited.go('/')
    const onOverview = page
      .getByRole('list', { name: 'Ongoing incidents' })
      .getByRole('button', { name: /^Acknowledge/ })
      .first()
    await onOverview.waitFor()
    await costs(t, page, 'overview', () => onOverview.click())
    await visited.go('/incidents')
    const inList = page
      .getByRole('list', { name: 'Incidents' })
      .getByRole('button', { name: /^Acknowledge/ })
      .first()
    await inList.waitFor()
    await costs(t, page, 'list', () => inList.click())
    const { key } = await idOf(visited, 'Queue 30')
    await visited.go(`/incidents/${key}`)
    const onPage = page.getByRole('button', { name: 'Acknowledge', exact: true })
    await onPage.waitFor()
    // Parts below the fold load a while after the page is first seen.
    await page.getByRole('region', { name: 'Why do I see this?' }).waitFor()
    await page.waitForTimeout(SETTLED_MS)
    await costs(t, page, 'page', () => onPage.click())
    await page.getByRole('region', { name: 'What happened' }).getByText('You acknowledged the incident').waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('an alert that fires again and again is one row with a count', async (t) => {
    const { counts } = await counted(visited)
    for (let round = 0; round < 4; round++) {
      await send('Flapping queue')
      await ongoing(visited, counts.ongoing + 1)
      await send('Flapping queue', 'resolved')
      await ongoing(visited, counts.ongoing)
    }
    for (const view of walks) {
      await page.setViewportSize({ width: view.width, height: view.width === 390 ? 844 : 800 })
      await visited.showIn(view.scheme)
      await visited.go('/incidents?status=all')
      const rows = page.getByRole('list', { name: 'Incidents' }).getByRole('link', { name: /Flapping queue/ })
      await rows.first().waitFor()
      t.equal(await rows.count(), 1)
      const unfold = page.getByRole('button', { name: '4×: show 3 earlier of the same' })
      t.equal(await unfold.textContent(), '4×')
      await unfold.click()
      await rows.nth(3).waitFor()
      await stage.looksRight(t, { ...visited, view }, `incidents-repeats-${view.scheme}-${view.width}`)
      await page.getByRole('button', { name: '4×: hide 3 earlier of the same' }).click()
      await rows.nth(1).waitFor({ state: 'detached' })
    }
    t.same(visited.complaints, [])
  })

  await t.test('when the last page empties, the page before it is shown, with the outcome', async (t) => {
    const { counts } = await counted(visited)
    await page.setViewportSize({ width: 1280, height: 800 })
    await visited.go('/incidents?page=2')
    const rows = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem')
    await rows.nth(counts.ongoing - PER_PAGE - 1).waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Resolve…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await page.waitForURL('**/incidents')
    await rows.first().waitFor()
    await page.getByText(`${counts.ongoing - PER_PAGE} changed`).waitFor()
    t.same(visited.complaints, [])
  })
}
