/**
 * Templates of messages: one is written with a sample beside it, refused where it names what there
 * is not, changed and reset. At a desk and on a phone.
 */
import type { View } from '../browser.ts'
import type { Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]
const TEMPLATES = '/api/v1/notifications/templates'

export const templates: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    const stored = async () => (await owner.api('GET', TEMPLATES)).body.items as { kind: string | null; title: string; body: string }[]
    await owner.go('/settings/templates')
    await page.getByRole('heading', { name: 'Say it in your own words' }).waitFor()
    await stage.looksRight(t, owner, `templates-empty-${named}`)

    await page.getByRole('link', { name: 'New template' }).click()
    await page.getByRole('heading', { level: 1, name: 'New template' }).waitFor()
    await page.getByLabel('Title', { exact: true }).fill('{{incident.titel}}')
    await page.getByText(/Not yet: title: has no placeholder/).waitFor()
    await page.getByRole('button', { name: 'Create the template' }).click()
    await page
      .getByText(/has no placeholder \{\{incident\.titel\}\}/)
      .first()
      .waitFor()
    await page.getByLabel('Title', { exact: true }).fill('{{subject.name}} needs you')
    await page.getByLabel('Text', { exact: true }).fill('Runbook: ')
    await page.getByText('What can be filled in').click()
    await page.getByRole('button', { name: 'Insert incident.url: Its page in the dashboard' }).click()
    await page.getByText('[CRITICAL] api.example.com needs you').waitFor()
    await page
      .getByText(/Runbook: .*\/incidents\//)
      .last()
      .waitFor()
    await stage.looksRight(t, owner, `templates-form-${named}`)
    await page.getByRole('button', { name: 'Create the template' }).click()
    await page.getByRole('heading', { level: 1, name: '1 message is in your own words' }).waitFor()
    t.match(await stored(), [{ kind: null, title: '{{subject.name}} needs you', body: 'Runbook: {{incident.url}}' }], named)

    await page.getByRole('link', { name: 'Edit: Something fails, Every kind' }).click()
    await page.getByLabel('Title', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Title in the service’s words').waitFor()
    await stage.looksRight(t, owner, `templates-list-${named}`)
    await page.getByRole('button', { name: 'Reset: Something fails, Every kind' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Messages are in the service’s own words' }).waitFor()
    t.same(await stored(), [], named)
    t.same(owner.complaints, [])
  }
  const viewer = await stage.newcomer(t, views[0], 'viewer')
  await viewer.go('/settings/templates')
  await viewer.page.getByText('Owners, admins and editors change templates.').waitFor()
  await viewer.go('/settings/templates/new')
  await viewer.page.getByText('You may not see or do this').waitFor()
}
