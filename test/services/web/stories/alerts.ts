/**
 * Alerts and routing rules. Rules are made in the form, tried, moved and restored. Alerts come
 * through a real intake, are kept from becoming incidents or are grouped into one, and people act
 * on them.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { PATIENCE_MS, visit, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

interface Made {
  id: string
  title: string
  key: string
  endpoint_url: string
  alert_count: number
}

const listed = (page: Page, list: string, name: string | RegExp) =>
  page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: name })
const said = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()

async function made(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

/** A rule is made in the form. Errors are shown at their fields. */
async function quietRule(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/settings/routing')
  await page.getByRole('heading', { level: 1, name: 'No rules: every alert opens an incident' }).waitFor()
  await listed(page, 'Routing rules, in order', 'Default').waitFor()
  await stage.looksRight(t, owner, 'routing-empty')
  await page.keyboard.press('c')
  await page.waitForURL('**/settings/routing/new')
  await page.getByRole('heading', { level: 1, name: 'What should happen to which alerts?' }).waitFor()
  await page.getByLabel('Field of condition 1, All of these').selectOption({ label: 'Label…' })
  await page.getByLabel('Label name of condition 1').fill('env')
  await page.getByLabel('Operator of condition 1').selectOption({ label: 'matches' })
  await page.getByLabel('Value of condition 1').fill('(stag')
  await page.getByRole('button', { name: 'Create the rule' }).click()
  await said(page, /must have at least 1/)
  await page.getByLabel('Name', { exact: true }).fill('Staging is quiet')
  await page.getByRole('button', { name: 'Create the rule' }).click()
  await page.getByRole('alert').getByRole('button', { name: 'Value of condition 1' }).waitFor()
  await stage.looksRight(t, owner, 'routing-form-refused')
  await page.getByLabel('Value of condition 1').fill('^stag')
  await page.getByLabel('Incident', { exact: true }).selectOption({ label: 'Do not open one. The alert stays in the list' })
  await page.getByRole('button', { name: 'Create the rule' }).click()
  await page.getByRole('heading', { level: 1, name: '1 rule decides what happens to alerts' }).waitFor()
  await said(page, /label env matches “\^stag”/)
  await said(page, /it opens no incident/)
}

/**
 * Rules are changed and moved with the keyboard. A change is refused if somebody else was faster.
 */
async function orderOfRules(t: Test, stage: Stage, owner: Newcomer, team_id: string): Promise<void> {
  const { page } = owner
  const group = { by: ['label.service'], window_seconds: 3600, max_alerts: 100 }
  const match = { all: [{ field: 'label.env', op: 'eq', value: 'prod' }], none: [{ field: 'severity', op: 'eq', value: 'info' }] }
  await made(owner, '/api/v1/routing-rules', { name: 'Together by service', match, actions: { group, team_id } })
  await made(owner, '/api/v1/routing-rules', { name: 'Everything is a warning', actions: { severity: 'warning' } })
  const night = await made(owner, '/api/v1/routing-rules', {
    name: 'Nights are major',
    time_window: { time_zone: 'Europe/Berlin', days: [], from: '22:00', to: '06:00' },
    actions: { is_major: true, notify_resolved: false },
    continue: true
  })
  await owner.go('/settings/routing')
  const rules = page.getByRole('list', { name: 'Routing rules, in order' }).getByRole('listitem')
  await said(page, /it is grouped for 1 h with others that have the same label service/)
  await said(page, 'It matches every alert: no rule after it is ever asked.')
  await stage.looksRight(t, owner, 'routing-rules')
  const order = () => rules.getByRole('link').allTextContents()
  const become = (names: string[]) => until('the order', async () => ((await order()).join() === names.join() ? true : null), PATIENCE_MS)
  // The second move is made before the first is saved. Both are kept.
  let goOn = (): void => undefined
  const held = new Promise<void>((resolve) => (goOn = resolve))
  await page.route('**/api/v1/routing-rules/order', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Nights are major' }).focus()
  await page.keyboard.press('Shift+K')
  await become(['Staging is quiet', 'Together by service', 'Nights are major', 'Everything is a warning'])
  await page.getByRole('button', { name: 'Move up: Nights are major' }).click()
  await become(['Staging is quiet', 'Nights are major', 'Together by service', 'Everything is a warning'])
  goOn()
  const saved = async (): Promise<string> => {
    const { body } = await owner.api('GET', '/api/v1/routing-rules')
    return (body.items as { name: string }[]).map(({ name }) => name).join()
  }
  await until('the order is saved', async () => ((await saved()).startsWith('Staging is quiet,Nights are major') ? true : null))
  await page.getByRole('switch', { name: 'Enable Everything is a warning' }).uncheck({ force: true })
  await said(page, 'Disabled')

  await page.getByRole('link', { name: 'Nights are major' }).click()
  await page.getByRole('heading', { level: 1, name: 'What does Nights are major do?' }).waitFor()
  await page.getByRole('checkbox', { name: 'Sat' }).check()
  await owner.api('PATCH', `/api/v1/routing-rules/${night.id}`, { description: 'Somebody was faster' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await said(page, 'Somebody else changed this')
  await stage.looksRight(t, owner, 'routing-older')
  await page.getByRole('button', { name: 'Load the latest version' }).click()
  await until('the form is new', async () => ((await page.getByLabel('Description').inputValue()) === 'Somebody was faster' ? true : null))
  await page.getByRole('checkbox', { name: 'Sun' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/settings/routing')
  await said(page, /every alert, Sun from 22:00 to 06:00 \(Europe\/Berlin\)/)
}

/** The form of a rule that was changed in the list begins with the change, not with the cache. */
async function formOfKnownRule(owner: Newcomer): Promise<void> {
  const { page } = owner
  const { id } = await made(owner, '/api/v1/routing-rules', { name: 'Only for now', actions: { severity: 'info' } })
  await owner.go('/settings/routing')
  await page.getByRole('link', { name: 'Only for now' }).click()
  await page.getByRole('checkbox', { name: 'Enabled', checked: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('switch', { name: 'Enable Only for now' }).uncheck({ force: true })
  await listed(page, 'Routing rules, in order', 'Only for now').getByText('Disabled').waitFor()
  await page.getByRole('link', { name: 'Only for now' }).click()
  await page.getByRole('checkbox', { name: 'Enabled', checked: false }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Only for today')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/settings/routing')

  await page.getByRole('link', { name: 'Only for today' }).click()
  await page.getByRole('checkbox', { name: 'Enabled', checked: false }).waitFor()
  await owner.api('PATCH', `/api/v1/routing-rules/${id}`, { description: 'Somebody was faster' })
  await page.getByRole('button', { name: 'Delete the rule' }).click()
  const deleting = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
  await deleting.click()
  await page.getByRole('dialog').getByText('Somebody else changed this').waitFor()
  await until('the page has read the change', async () =>
    (await page.getByLabel('Description').inputValue()) === 'Somebody was faster' ? true : null
  )
  await deleting.click()
  await page.waitForURL('**/settings/routing')
  await listed(page, 'Routing rules, in order', 'Only for today').waitFor({ state: 'detached' })
}

async function tried(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/settings/routing/try')
  await page.getByLabel('Alert', { exact: true }).fill('{"title": ')
  await page.getByRole('button', { name: 'Try it' }).click()
  await said(page, /^This is not valid JSON/)
  const alert = { title: 'Disk full', severity: 'critical', labels: { env: 'prod', service: 'db' } }
  await page.getByLabel('Alert', { exact: true }).fill(JSON.stringify(alert, null, 2))
  await page.getByRole('button', { name: 'Try it' }).click()
  await said(page, 'Joins or opens the incident for “db” within 1 h')
  const trace = page.getByRole('list', { name: 'Rule by rule' })
  await trace.getByText('label env matches “^stag”: the alert has “prod”').waitFor()
  await trace.getByText('the rule is disabled').waitFor()
  await stage.looksRight(t, owner, 'routing-try')
}

export const alerts: Story = async (t, stage) => {
  const owner = await stage.newcomer(t)
  const { page } = owner
  const team = await made(owner, '/api/v1/teams', { name: 'Storage' })
  await t.test('a rule is created in the form', (t) => quietRule(t, stage, owner))
  await t.test('rules are moved, disabled and changed', (t) => orderOfRules(t, stage, owner, team.id))
  await t.test('the form of a rule begins with its newest version', () => formOfKnownRule(owner))
  await t.test('rules are tried on an alert', (t) => tried(t, stage, owner))

  const { endpoint_url } = await made(owner, '/api/v1/integrations/inbound', { name: 'Story webhook', source_type: 'generic' })
  const send = async (title: string, labels: Record<string, string>, status = 'firing'): Promise<void> => {
    const answer = await fetch(endpoint_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title, severity: 'critical', status, dedup_key: title, labels, url: 'https://example.com/graph' })
    })
    if (!answer.ok) throw new Error(`the door answered ${answer.status}`)
  }
  /** Returns the newest one with that title, once it exists. */
  const found = (resource: 'alerts' | 'incidents', q: string, fits: (one: Made) => boolean = () => true): Promise<Made> =>
    until(
      `${resource} of ${q}`,
      async () => ((await owner.api('GET', `/api/v1/${resource}?q=${encodeURIComponent(q)}`)).body.items as Made[]).find(fits) ?? null,
      2 * PATIENCE_MS
    )

  let quiet: Made | undefined
  let disk: Made | undefined
  await t.test('new alerts appear without a reload, with or without an incident', async (t) => {
    await owner.go('/alerts')
    await page.getByRole('heading', { level: 1, name: 'No alert is ongoing' }).waitFor()
    await page.getByRole('heading', { name: 'No ongoing alerts' }).waitFor()
    await stage.looksRight(t, owner, 'alerts-empty')
    await send('Canary is slow', { env: 'staging' })
    for (const shard of ['db-1', 'db-2', 'db-3']) await send(`Disk fills on ${shard}`, { env: 'prod', service: 'db', shard })
    await send('Lift out of order', { env: 'office' })
    quiet = await found('alerts', 'Canary')
    disk = await found('incidents', 'Disk fills', ({ alert_count }) => alert_count === 3)
    await found('incidents', 'Lift')
    await page.getByRole('heading', { level: 1, name: '5 alerts are ongoing' }).waitFor()
    await listed(page, 'Alerts', 'Canary').getByText('No incident').waitFor()
    await listed(page, 'Alerts', 'db-2')
      .getByRole('link', { name: /The incident of/ })
      .waitFor()
    await stage.looksRight(t, owner, 'alerts-list')
    await page.getByLabel('Incident', { exact: true }).selectOption({ label: 'Without an incident' })
    await page.waitForURL('**/alerts?incident=without')
    await listed(page, 'Alerts', 'Disk').first().waitFor({ state: 'detached' })
    await page.getByLabel('Title contains').fill('nowhere')
    await page.getByRole('heading', { name: 'No alert matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByLabel('Source').selectOption({ label: 'Story webhook' })
    await listed(page, 'Alerts', 'db-1').waitFor()
  })

  await t.test('an alert without an incident opens one or joins one', async (t) => {
    await owner.go('/alerts')
    await listed(page, 'Alerts', 'Canary').getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Canary is slow' }).waitFor()
    await said(page, 'This alert belongs to no incident, so nobody is notified.')
    await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'Staging is quiet' }).waitFor()
    await page.getByRole('region', { name: 'Signals' }).getByRole('button').first().click()
    await stage.looksRight(t, owner, 'alert-alone')
    // Somebody else is faster: the dialog says why the action was refused.
    const first = page.getByRole('button', { name: 'Open an incident' })
    await first.click()
    const dialog = page.getByRole('dialog', { name: 'Open an incident' })
    await dialog.getByLabel('Title of the incident').fill('Canary is slow, and it matters')
    await stage.looksRight(t, owner, 'alert-promote')
    await dialog.getByRole('button', { name: 'Open an incident' }).click()
    await page.getByRole('link', { name: /INC-\d+ Canary is slow, and it matters/ }).waitFor()
    await said(page, 'The incident is open')
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await said(page, /Acknowledged by you at/)
    await send('Canary is cold', { env: 'staging' })
    const cold = await found('alerts', 'cold')
    await owner.go(`/alerts/${cold.id}`)
    await first.click()
    await owner.api('POST', `/api/v1/alerts/${cold.id}/promote`, {})
    await dialog.getByRole('button', { name: 'Open an incident' }).click()
    await dialog.getByText('The alert belongs to an incident').waitFor()
    await stage.looksRight(t, owner, 'alert-refused')
    await page.keyboard.press('Escape')

    await send('Canary is slow again', { env: 'staging', app: 'again' })
    const again = await found('alerts', 'slow again')
    await owner.go(`/alerts/${again.id}`)
    await first.click()
    await dialog.getByText('An existing incident').click()
    await dialog.getByRole('button', { name: 'Add to the incident' }).click()
    await dialog.getByText('Choose an incident.').waitFor()
    await dialog.getByLabel('Incident', { exact: true }).fill('it matters')
    await page.getByRole('option', { name: /it matters/ }).click()
    await stage.looksRight(t, owner, 'alert-join')
    await dialog.getByRole('button', { name: 'Add to the incident' }).click()
    await said(page, 'The alert was added to the incident')
    await page.getByText('This alert is one of 2 alerts.').waitFor()
  })

  await t.test('an incident of several alerts lists them', async (t) => {
    await owner.go('/incidents')
    await listed(page, 'Incidents', 'Disk fills').getByText('3 alerts, 3 ongoing').waitFor()
    await stage.looksRight(t, owner, 'incidents-grouped')
    await owner.go(`/incidents/${disk?.key}`)
    await listed(page, 'Alerts', 'db-3').waitFor()
    await said(page, /alerts? joined/)
    await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'Together by service' }).waitFor()
    await send('Disk fills on db-1', { env: 'prod', service: 'db' }, 'resolved')
    await page.locator('main').getByText('3 alerts, 2 ongoing').first().waitFor()
    await said(page, /1 alert ended|1 ended/)
    await stage.looksRight(t, owner, 'incident-grouped')
    await listed(page, 'Alerts', 'db-2').getByRole('link').click()
    await said(page, 'This alert is one of 3 alerts.')
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: 'Resolve the alert' })
    await dialog.getByLabel('Note').fill('Made room')
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await said(page, /Ended by you/)
    await stage.looksRight(t, owner, 'alert-resolved')
    await owner.go('/alerts?q=db-3')
    await listed(page, 'Alerts', 'db-3').getByRole('link').first().click()
    await page.getByRole('button', { name: 'Resolve' }).click()
    await said(page, /last ongoing alert of its incident/)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Try the rules on this alert' }).click()
    await until('the form holds it', async () =>
      (await page.getByLabel('Alert', { exact: true }).inputValue()).includes('db-3') ? true : null
    )
  })

  await t.test('an earlier version of the rules is restored', async (t) => {
    await owner.go('/settings/routing/versions')
    await page.getByRole('heading', { level: 1, name: /^Version \d+ is active$/ }).waitFor()
    await stage.looksRight(t, owner, 'routing-versions')
    await page.getByRole('button', { name: 'Restore version 2', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await said(page, 'The rules are as they were in version 2')
    await owner.go('/settings/routing')
    await page.getByRole('heading', { level: 1, name: '1 rule decides what happens to alerts' }).waitFor()
    await page.getByRole('link', { name: 'Staging is quiet' }).click()
    await page.getByRole('button', { name: 'Delete the rule' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'No rules: every alert opens an incident' }).waitFor()
    await owner.go('/settings/routing/versions')
    const before = page.getByRole('button', { name: /^Restore version \d+$/ }).first()
    await before.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await said(page, /The rules are as they were in version/)
  })

  await t.test('a person creates an alert in the dialog', async (t) => {
    await owner.go('/alerts')
    await page.getByRole('button', { name: 'Create an alert' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send the alert' }).click()
    await said(page, 'This is required.')
    await dialog.getByLabel('Title').fill('The backup is missing')
    await dialog.getByLabel('Dedup key').fill('backup')
    await dialog.getByRole('button', { name: 'Add a label' }).click()
    await dialog.getByLabel('Label name 1', { exact: true }).fill('not fit')
    await dialog.getByLabel('Value of label name 1').fill('db')
    await dialog.getByRole('button', { name: 'Send the alert' }).click()
    await stage.looksRight(t, owner, 'alert-create')
    await dialog.getByLabel('Label name 1', { exact: true }).fill('service')
    await dialog.getByRole('button', { name: 'Send the alert' }).click()
    await said(page, 'The alert is sent')
    await listed(page, 'Alerts', 'The backup is missing').getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'The backup is missing' }).waitFor()
    await page.getByRole('region', { name: 'Facts' }).getByText('The API', { exact: true }).waitFor()
  })

  const rules = (await owner.api('GET', '/api/v1/routing-rules')).body.items as { id: string }[]
  for (const view of walks) {
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const visited = await visit(stage.browser, stage.base, view, await owner.cookies())
      t.teardown(() => visited.close())
      // The last item names a part that is drawn only when it is complete, if the page has one.
      const tour: readonly [path: string, heading: RegExp, name: string, part?: string][] = [
        ['/alerts?status=all', /alerts? (is|are) ongoing/, 'alerts'],
        [`/alerts/${quiet?.id}`, /^Canary is slow$/, 'alert', 'Signals'],
        ['/incidents?status=all', /incident/, 'alerts-incidents'],
        [`/incidents/${disk?.key}`, /^Disk fills/, 'alerts-incident', 'What happened'],
        ['/settings/routing', /decides? what happens/, 'routing'],
        [`/settings/routing/${rules[0]?.id}`, /^What does/, 'routing-rule'],
        ['/settings/routing/new', /^What should happen/, 'routing-new'],
        ['/settings/routing/try', /^What would happen/, 'routing-try'],
        ['/settings/routing/versions', /is active$/, 'routing-versions']
      ]
      for (const [path, heading, name, part] of tour) {
        await visited.go(path)
        await visited.page.getByRole('heading', { level: 1, name: heading }).waitFor()
        if (part) await visited.page.getByRole('region', { name: part }).waitFor()
        await visited.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
        await stage.looksRight(t, visited, `tour-${name}`)
      }
      t.same(visited.complaints, [])
    })
  }
  t.same(owner.complaints, [])
}
