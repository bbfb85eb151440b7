/**
 * Silences with a pattern, the explanation of an incident, and back-tests. An alert comes through a
 * real intake, is silenced by its attributes, and shows which rule, group and silence apply to it.
 * The rules are then tested against it again.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { returnsUntil, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

interface Made {
  id: string
  endpoint_url: string
}

const said = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor()
const listed = (page: Page, name: string | RegExp) =>
  page.getByRole('list', { name: 'Silences' }).getByRole('listitem').filter({ hasText: name })

async function made(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

/** Sends an alert to a real intake. Returns its incident. */
async function fired(owner: Newcomer, door: string, title: string): Promise<string> {
  const body = JSON.stringify({ alerts: [{ title, severity: 'critical', dedup_key: title, labels: { service: 'shop', env: 'prod' } }] })
  const sent = await fetch(door, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (!sent.ok) throw new Error(`the door answered ${sent.status}: ${await sent.text()}`)
  const found = await until(`an incident of ${title}`, async () => {
    const { items } = (await owner.api('GET', '/api/v1/incidents')).body as { items: { id: string; title: string }[] }
    return items.find((one) => one.title === title)
  })
  return found.id
}

async function whyItIsThere(t: Test, stage: Stage, owner: Newcomer, incident: string): Promise<void> {
  const { page } = owner
  await owner.go(`/incidents/${incident}`)
  const section = page.getByRole('region', { name: 'Why do I see this?' })
  await section.getByText(/An integration reported it: Incoming webhook\./).waitFor()
  await section.getByText('Nothing similar was open, so this is new.').waitFor()
  await section.getByRole('link', { name: 'Shop together' }).first().waitFor()
  await section.getByText(/This is the first alert of its group\. Alerts with the same label service are added for 1 h\./).waitFor()
  await section.getByText(/would be different: priority/).waitFor()
  await section.getByText('Rule by rule').click()
  await section.getByText(/label env is “test”: the alert has “prod”/).waitFor()
  await section.getByText('Details').click()
  await section.getByText('alerts.inbound.v1:').waitFor()
  await section.scrollIntoViewIfNeeded()
  await stage.looksRight(t, owner, 'incident-why')
}

async function silenced(t: Test, stage: Stage, owner: Newcomer, incident: string): Promise<void> {
  const { page } = owner
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Silence others like it…' }).click()
  await page.getByRole('heading', { level: 1, name: 'What should nobody be notified of?' }).waitFor()
  await said(page, '1 ongoing alert matches.')
  await page.getByRole('button', { name: 'Create the silence' }).click()
  await said(page, /must have at least 1/)
  await stage.looksRight(t, owner, 'silence-new')
  await page.getByLabel('Reason', { exact: true }).fill('The shop moves to its new database')
  await page.getByLabel('Value of condition 2, All of these').fill('nothing')
  await said(page, 'The conditions have changed since.')
  await page.getByRole('button', { name: 'Check again' }).click()
  await said(page, 'No ongoing alert matches. New alerts that match will be silenced.')
  await page.getByLabel('Value of condition 2, All of these').fill('prod')
  await page.getByRole('button', { name: '1 day' }).click()
  await page.getByRole('button', { name: 'Create the silence' }).click()
  await page.getByRole('heading', { level: 1, name: '1 silence is active' }).waitFor()
  await listed(page, /label env is “prod”/).waitFor()
  await stage.looksRight(t, owner, 'silences')

  await owner.go(`/incidents/${incident}`)
  await page.getByRole('link', { name: 'Show the silence' }).click()
  await page.getByRole('heading', { level: 1, name: 'The shop moves to its new database' }).waitFor()
  const reason = page.getByLabel('Reason', { exact: true })
  await reason.fill('The shop moves')
  // Somebody else changes the silence meanwhile.
  const path = `/api/v1/silences/${page.url().split('/').at(-1)}`
  await owner.api('PATCH', path, { comment: 'The shop moves at noon' })
  await returnsUntil(page, page.getByRole('heading', { level: 1, name: 'The shop moves at noon' }))
  t.equal(await reason.inputValue(), 'The shop moves')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await said(page, 'Somebody else changed this')
  t.match((await owner.api('GET', path)).body, { comment: 'The shop moves at noon' })
  await page.getByRole('button', { name: 'Cancel' }).click()
  await listed(page, 'The shop moves at noon').getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: 'The shop moves at noon' }).waitFor()
  await reason.fill('The shop moves')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await listed(page, 'The shop moves')
    .getByRole('button', { name: /^End now: / })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
  await page.getByRole('heading', { level: 1, name: 'Nothing is silenced' }).waitFor()
  await page.getByRole('button', { name: 'Active' }).click()
  await page.getByRole('heading', { name: 'No silence is active' }).waitFor()
  await page.getByRole('button', { name: 'Active' }).click()
  await listed(page, 'The shop moves')
    .getByRole('button', { name: /^Repeat: / })
    .click()
  await said(page, '1 ongoing alert matches.')
}

async function backtested(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/settings/routing')
  await page.getByRole('link', { name: 'Test is kept' }).first().waitFor()
  // Somebody adds a rule that this person's list does not have yet.
  const quiet = await made(owner, '/api/v1/routing-rules', {
    name: 'Shop is quiet',
    position: 0,
    actions: { suppress: true, severity: 'info' }
  })
  await page.getByRole('link', { name: 'Back-test' }).click()
  await page.getByRole('heading', { level: 1, name: 'What would the rules have done with past alerts?' }).waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  await said(page, '1 of 1 alerts would have been treated differently.')
  await said(page, /It was: .*Critical/)
  await said(page, /It would be: .*nobody is notified: Shop is quiet.*Info/)
  await stage.looksRight(t, owner, 'routing-backtest')
  // The rule as it is in its form, before it is saved.
  await page.getByRole('link', { name: 'Shop is quiet' }).first().click()
  await page.getByRole('heading', { level: 1, name: /Shop is quiet/ }).waitFor()
  await page.getByLabel('Severity', { exact: true }).selectOption('warning')
  await page.getByRole('button', { name: 'Start' }).click()
  await said(page, /It would be: .*Warning/)
  await stage.looksRight(t, owner, 'routing-backtest-draft')
  // Somebody deletes the rule while its form is open.
  t.equal((await owner.api('DELETE', `/api/v1/routing-rules/${quiet.id}`)).status, 204)
  await page.getByRole('button', { name: 'Start' }).click()
  await said(page, 'This rule is no longer there, so it cannot be tested.')
}

export const silences: Story = async (t, stage) => {
  for (const view of walks)
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const owner = await stage.newcomer(t, view)
      const { page } = owner
      await owner.go('/silences')
      await page.getByRole('heading', { name: 'No silences yet' }).waitFor()
      await stage.looksRight(t, owner, 'silences-empty')
      const test = { match: { all: [{ field: 'label.env', op: 'eq', value: 'test' }] }, actions: { promote: 'never' } }
      await made(owner, '/api/v1/routing-rules', { name: 'Test is kept', ...test })
      await made(owner, '/api/v1/routing-rules', { name: 'Only a word', mode: 'shadow', continue: true, actions: { priority: 'P1' } })
      await made(owner, '/api/v1/routing-rules', {
        name: 'Shop together',
        actions: { group: { by: ['label.service'], window_seconds: 3600, max_alerts: 100 } }
      })
      const door = await made(owner, '/api/v1/integrations/inbound', { name: 'Door', source_type: 'generic' })
      const incident = await fired(owner, door.endpoint_url, 'Payments time out')
      await whyItIsThere(t, stage, owner, incident)
      await silenced(t, stage, owner, incident)
      await backtested(t, stage, owner)
      t.same(owner.complaints, [])
    })

  await t.test('a viewer is told who can create silences', async (t) => {
    const viewer = await stage.newcomer(t, { scheme: 'light', width: 1280 }, 'viewer')
    await viewer.go('/silences')
    await said(viewer.page, 'Only owners, admins and responders can create silences.')
    await viewer.go('/silences/new')
    await said(viewer.page, /Your role \(viewer\) can view/)
    await viewer.go('/silences/01890000-0000-7000-8000-000000000000')
    await viewer.page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  })
}
