/**
 * Rules of a monitor: set in its form, shown on its page, and what a single failing region looks
 * like.
 */
import type { Test } from 'tap'
import type { Monitor } from '../../../../services/web/api/shapes.ts'
import type { Stage, Story } from '../stage.ts'

const NAME = 'Watched by rules'

/** Errors are shown at their fields, in each view. */
async function faults(t: Test, stage: Stage, id: string): Promise<void> {
  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go(`/monitors/${id}/edit`)
    await page.getByText('Down and up again', { exact: true }).click()
    await page.getByLabel('Or this many failures').fill('3')
    await page.getByLabel('Within (s)', { exact: true }).fill('30')
    await page.getByLabel('Check interval while it fails (s)').fill('5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This must be at least 60.').first().waitFor()
    await page.getByText('This must be at least 10.').first().waitFor()
    await stage.looksRight(t, visited, 'rules-fault')
  })
}

async function set(t: Test, stage: Stage, id: string): Promise<void> {
  const visited = await stage.enter(t)
  const { page } = visited
  await visited.go(`/monitors/${id}/edit`)
  await page.getByText('Down and up again', { exact: true }).click()
  await page.getByLabel('Or this many failures').fill('9')
  await page.getByLabel('Within (s)', { exact: true }).fill('60')
  await page.getByLabel('Check interval while it fails (s)').fill('30')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByText(/must be at least 241: a region checks every 30 seconds/)
    .first()
    .waitFor()
  await page.getByLabel('Within (s)', { exact: true }).fill('600')
  await page
    .getByText(/or 9 times within 10 min/)
    .first()
    .waitFor()
  await page.getByLabel('Report a region that fails alone after (s)').fill('1800')
  await page.getByLabel('Starts at changes of (%)').fill('40')
  await page.getByText('Alerts', { exact: true }).last().click()
  await page.getByLabel('Remind every (s) while nobody acknowledges').fill('900')
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: 'Save' }).click()
  ])
  t.same(sent.postDataJSON(), {
    confirmation: { failure_rate: { failures: 9, window_seconds: 600 }, advisory_after_seconds: 1800 },
    down_interval_seconds: 30,
    flap: { high_percent: 40 },
    repeat_interval_seconds: 900
  })
  await page.waitForURL(`**/monitors/${id}`)
  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByText('Every 30 s', { exact: true }).waitFor()
  await settings.getByText(/or 9 times within 10 min/).waitFor()
  await settings.getByText('Reported in the feed after 30 min. Nobody is paged').waitFor()
  await page
    .getByRole('region', { name: 'Why this status' })
    .getByText(/regions have a recent result/)
    .waitFor()
  await settings.getByText('When 40 % of the last 20 rounds are changes, until 15 % are').waitFor()
  await settings.getByText('Every 15 min, until somebody acknowledges or the problem is over').waitFor()
  t.same(visited.complaints, [])
}

/**
 * All regions of the stage reach its site, so the state of a single failing region is written into
 * the api's answer.
 */
async function showsAlone(t: Test, stage: Stage, id: string): Promise<void> {
  const alone = (monitor: Monitor): Monitor => ({
    ...monitor,
    status: 'up',
    phase: 'validating',
    region_states: [
      { region: 'ap-south', state: 'down', since: monitor.created_at, response_time_ms: null, advisory: true },
      { region: 'eu-central', state: 'up', since: monitor.created_at, response_time_ms: 12, advisory: false },
      { region: 'us-east', state: 'up', since: monitor.created_at, response_time_ms: 40, advisory: false }
    ]
  })
  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await page.route(`**/api/v1/monitors/${id}`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: alone((await answer.json()) as Monitor) })
    })
    await visited.go(`/monitors/${id}`)
    const regions = page.getByRole('region', { name: 'Regions' })
    await regions.getByText('only this region has failed for a long time').waitFor()
    await regions.getByText('1 of 3 regions say down; 2 are needed.').waitFor()
    await stage.looksRight(t, visited, 'rules-alone')
  })
}

export const rulesOfWatching: Story = async (t, stage) => {
  const made = await stage.product.api('POST', '/api/v1/monitors', { name: NAME, type: 'http', target: `${stage.site.url}/rules` })
  const { id } = made.body as { id: string }
  t.teardown(() => stage.product.api('DELETE', `/api/v1/monitors/${id}`))
  await t.test('faults are shown at their fields', (t) => faults(t, stage, id))
  await t.test('rules are set in the form, and the page shows them', (t) => set(t, stage, id))
  await t.test('the page points out a region that fails alone', (t) => showsAlone(t, stage, id))
}
