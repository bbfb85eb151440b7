/**
 * The daily work on incidents: finding one's own, taking them and undoing it, saved views, the list
 * as a file, and search that runs actions.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { copies, PATIENCE_MS, type View, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

interface Made {
  id: string
  key: string
}

const rowOf = (page: Page, name: RegExp) => page.getByRole('list', { name: 'Incidents' }).getByRole('link', { name })

/**
 * A notice under the mouse pointer does not close by itself, so there is time to press its button.
 */
const holds = (page: Page, told: string): Promise<void> => page.getByText(told).hover()

interface Work {
  stage: Stage
  visited: Newcomer
  disk: Made
  queue: Made
  slow: Made
  stateOf(id: string): Promise<Record<string, unknown>>
}

/** On a phone, the checkboxes are shown only while somebody selects. */
async function selects({ page, view }: Newcomer): Promise<void> {
  if (view.width === 390) await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
}

async function takesAndGivesBack(t: Test, { stage, visited, disk, queue, stateOf }: Work): Promise<void> {
  const { page } = visited
  await visited.go('/incidents')
  await page.getByRole('button', { name: `Acknowledge ${disk.key}` }).click()
  await holds(page, `${disk.key} acknowledged`)
  await stage.looksRight(t, visited, 'incidents-undo')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone').waitFor()
  await page.getByRole('button', { name: `Acknowledge ${disk.key}` }).waitFor()
  t.match(await stateOf(disk.id), { acknowledged_at: null })

  await rowOf(page, /Queue is stuck/).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Acknowledge and assign to me' }).click()
  await page.getByText(/Acknowledged by you at .*assigned to you/).waitFor()
  await page.getByText(`${queue.key} acknowledged and assigned`).waitFor()
  t.ok(await copies(page, page.getByRole('button', { name: 'Copy the link' }), `${stage.base}/incidents/${queue.id}`))
  await stage.looksRight(t, visited, 'incident-taken')
  t.same(visited.complaints, [])
}

/**
 * Silencing, assigning and editing can be undone as well. An action that asks first says what it
 * will do.
 */
async function asksAndUndoes(t: Test, { stage, visited, slow, stateOf }: Work): Promise<void> {
  const { page } = visited
  const isAgain = (what: string, as: (state: Record<string, unknown>) => boolean): Promise<unknown> =>
    until(what, async () => as(await stateOf(slow.id)), PATIENCE_MS)
  const undo = async (told: string): Promise<void> => {
    await holds(page, told)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone').last().waitFor()
  }
  const asked = async (item: string, title: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    return page.getByRole('dialog', { name: title })
  }
  await visited.go(`/incidents/${slow.key}`)
  await page.getByRole('button', { name: 'Silence', exact: true }).click()
  const silencing = page.getByRole('dialog', { name: `Silence ${slow.key}` })
  await silencing.getByLabel('Reason').fill('We know')
  await stage.looksRight(t, visited, 'incident-silence')
  await silencing.getByRole('button', { name: 'Silence', exact: true }).click()
  await undo(`${slow.key} silenced`)
  await isAgain('the silence to be gone', ({ silenced_until }) => silenced_until === null)
  await page.getByRole('button', { name: 'Silence', exact: true }).waitFor()

  const assigning = await asked('Assign…', `Assign ${slow.key}`)
  await assigning.getByLabel('Also acknowledge it').check()
  await stage.looksRight(t, visited, 'incident-assign')
  await assigning.getByRole('button', { name: 'Assign', exact: true }).click()
  await undo(`${slow.key} acknowledged and assigned`)
  await isAgain('nobody to have it', ({ acknowledged_at, assignee_id }) => acknowledged_at === null && assignee_id === null)
  // Waits until the page knows it, too: an open menu then loses an entry, and the others move.
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor()

  const editing = await asked('Edit…', `Edit ${slow.key}`)
  await editing.getByLabel('Title').fill('Slow search everywhere')
  await editing.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Slow search everywhere' }).waitFor()
  await undo(`${slow.key} changed`)
  await page.getByRole('heading', { level: 1, name: 'Slow search', exact: true }).waitFor()

  for (const [item, title] of [
    ['Acknowledge with a comment…', 'Acknowledge'],
    ['Escalate now…', 'Escalate now'],
    ['Close manually…', 'Close']
  ] as const) {
    const dialog = await asked(item, title)
    await dialog.waitFor()
    await stage.looksRight(t, visited, `incident-asks-${title.toLowerCase().replaceAll(' ', '-')}`)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  t.same(visited.complaints, [])
}

async function narrows(t: Test, { stage, visited }: Work): Promise<void> {
  const { page } = visited
  await visited.go('/incidents')
  await page.getByRole('button', { name: 'Mine', exact: true }).click()
  await page.waitForURL('**/incidents?mine=true')
  await page.getByRole('heading', { level: 1, name: '1 incident matches' }).waitFor()
  await rowOf(page, /Disk full/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Mine', exact: true }).click()
  await page.waitForURL((url) => url.search === '')

  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Label').fill('storage')
  await page.getByLabel('Label').press('Enter')
  await page.getByText('Write a name, an equals sign and the value').waitFor()
  await page.getByLabel('Label').fill('team=storage')
  await page.getByLabel('Label').press('Enter')
  await page.waitForURL('**label=team%3Dstorage')
  await page.getByLabel('Order').selectOption('worst')
  await page.waitForURL('**sort=worst')
  await stage.looksRight(t, visited, 'incidents-filters')
  await page.keyboard.press('Escape')
  await rowOf(page, /Disk full/).waitFor()
  await rowOf(page, /Queue is stuck/).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  const saving = page.getByRole('dialog', { name: 'Save this view' })
  await saving.getByLabel('Name').fill('Storage')
  await stage.looksRight(t, visited, 'incidents-save-view')
  await saving.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'View: Storage' }).waitFor()
  await page.getByRole('button', { name: 'Remove the filter Label team=storage' }).click()
  await rowOf(page, /Slow search/).waitFor()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Storage' }).click()
  await rowOf(page, /Slow search/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'View: Storage' }).click()
  await page.getByRole('button', { name: 'Delete the view Storage' }).click()
  await page.getByText('The view is deleted').waitFor()
  t.same(visited.complaints, [])
}

async function isAFile(t: Test, { visited }: Work): Promise<void> {
  const { page } = visited
  await visited.go('/incidents?status=all&severity=critical')
  await rowOf(page, /Disk full/).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as CSV' }).click()])
  t.equal(download.suggestedFilename(), 'incidents.csv')
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  t.equal(lines.length, 2)
  t.match(lines[1], /Disk full,Triggered,critical/)
}

async function actsOnSeveral(t: Test, { stage, visited, disk, queue, stateOf }: Work): Promise<void> {
  const { page } = visited
  await visited.go('/incidents')
  await rowOf(page, /Disk full/).waitFor()
  await selects(visited)
  for (const verb of ['Resolve', 'Silence', 'Hand back', 'Close']) {
    await page.getByRole('button', { name: `${verb}…` }).click()
    const dialog = page.getByRole('dialog', { name: `${verb} 3 incidents` })
    await dialog.waitFor()
    await stage.looksRight(t, visited, `incidents-bulk-${verb.toLowerCase().replace(' ', '-')}`)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Assign…' }).click()
  const assigning = page.getByRole('dialog', { name: 'Assign 3 incidents' })
  await assigning.getByLabel('Also acknowledge them').check()
  await stage.looksRight(t, visited, 'incidents-bulk-assign')
  await assigning.getByRole('button', { name: 'Assign' }).click()
  await holds(page, '3 incidents acknowledged and assigned')
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(
    'it is undone',
    async () => {
      const { acknowledged_at, assignee_id } = await stateOf(disk.id)
      return acknowledged_at === null && assignee_id === null
    },
    PATIENCE_MS
  )
  t.match(await stateOf(queue.id), { acknowledged_at: String, assignee_id: String }, 'who had one before has it again')

  await visited.api('POST', `/api/v1/incidents/${disk.id}/acknowledge`, {})
  await rowOf(page, /Disk full.*Acknowledged by the token test/).waitFor()
  t.same(visited.complaints, [])
}

async function searches(t: Test, { stage, visited, disk }: Work): Promise<void> {
  const { page } = visited
  await visited.go(`/incidents/${disk.key}`)
  await page.getByRole('heading', { level: 1, name: 'Disk full' }).waitFor()
  await page.getByLabel('Comment').focus()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search' })
  await field.fill('silence inc')
  await page.getByRole('option', { name: `Silence ${disk.key}…`, selected: true }).waitFor()
  await stage.looksRight(t, visited, 'search-actions')
  await field.press('Enter')
  await page.getByRole('dialog', { name: `Silence ${disk.key}` }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await visited.go('/monitors')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('option', { name: new RegExp(`${disk.key} Disk full.*Recent`) }).waitFor()
  await stage.looksRight(t, visited, 'search-recent')
  await field.fill(`${stage.base}/settings/usage`)
  await page.getByRole('option', { name: '/settings/usage Address', selected: true }).waitFor()
  await page.route('**/api/v1/incidents?*', (route) => route.fulfill({ status: 429, json: { error: 'Wait', code: 'RATE_LIMITED' } }))
  await field.fill('disk full of')
  await page.getByText('Could not search everything: Too many requests.').waitFor()
  t.equal(await page.getByText('Nothing matches').count(), 0)
  await stage.looksRight(t, visited, 'search-failed')
  await page.unroute('**/api/v1/incidents?*')
  await field.fill('declare')
  await page.getByRole('option', { name: /Declare an incident/, selected: true }).waitFor()
  await field.press('Enter')
  await page.getByRole('dialog', { name: 'Declare an incident' }).waitFor()
  t.same(visited.complaints, [])
}

async function works(t: Test, stage: Stage, view: View): Promise<void> {
  const visited = await stage.newcomer(t, view)
  const { api } = visited
  const declare = async (title: string, more: object): Promise<Made> => {
    const answer = await api('POST', '/api/v1/incidents', { title, severity: 'warning', ...more })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body as unknown as Made
  }
  const work: Work = {
    stage,
    visited,
    disk: await declare('Disk full', { severity: 'critical', labels: { team: 'storage' } }),
    queue: await declare('Queue is stuck', { labels: { team: 'payments' } }),
    slow: await declare('Slow search', { severity: 'info' }),
    stateOf: async (id) => (await api('GET', `/api/v1/incidents/${id}`)).body
  }
  await t.test('an acknowledgement can be undone, and an incident can be assigned to oneself', (t) => takesAndGivesBack(t, work))
  await t.test('the list shows only own incidents or those with a label, and is saved as a view', (t) => narrows(t, work))
  await t.test('the list is exported as a CSV file', (t) => isAFile(t, work))
  await t.test('several incidents are assigned and acknowledged together, and this is undone', (t) => actsOnSeveral(t, work))
  await t.test('search runs actions and offers recently viewed incidents', (t) => searches(t, work))
  await t.test('silencing, assigning and editing can be undone, and dialogs can be left', (t) => asksAndUndoes(t, work))
}

export const dailyWork: Story = async (t, stage) => {
  for (const view of walks) await t.test(`${view.scheme}, ${view.width} px`, (t) => works(t, stage, view))
}
