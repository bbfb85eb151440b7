/**
 * Message templates: one is written next to a sample, refused if it uses an unknown name, changed
 * and reset. At a desk and on a phone.
 */
import { until } from '../../../harness/until.ts'
import { returnsUntilRead, type View } from '../browser.ts'
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
    const stored = async () =>
      (await owner.api('GET', TEMPLATES)).body.items as [{ id: string; kind: string | null; title: string; body: string }]
    await owner.go('/settings/templates')
    await page.getByRole('heading', { name: 'Write your own messages' }).waitFor()
    await stage.looksRight(t, owner, `templates-empty-${named}`)

    await page.getByRole('link', { name: 'New template' }).click()
    await page.getByRole('heading', { level: 1, name: 'New template' }).waitFor()
    await page.getByLabel('Title', { exact: true }).fill('{{incident.titel}}')
    await page.getByText(/There is a mistake: title: has no placeholder/).waitFor()
    await page.getByRole('button', { name: 'Create the template' }).click()
    await page
      .getByText(/has no placeholder \{\{incident\.titel\}\}/)
      .first()
      .waitFor()
    await page.getByLabel('Title', { exact: true }).fill('{{subject.name}} needs you')
    await page.getByLabel('Text', { exact: true }).fill('Runbook: ')
    await page.getByText('Placeholders').click()
    await page.getByRole('button', { name: 'Insert incident.url: Its page in the dashboard' }).click()
    await page.getByText('[CRITICAL] api.example.com needs you').waitFor()
    await page
      .getByText(/Runbook: .*\/incidents\//)
      .last()
      .waitFor()
    await stage.looksRight(t, owner, `templates-form-${named}`)
    await page.getByRole('button', { name: 'Create the template' }).click()
    await page.getByRole('heading', { level: 1, name: '1 message uses your own text' }).waitFor()
    t.match(await stored(), [{ kind: null, title: '{{subject.name}} needs you', body: 'Runbook: {{incident.url}}' }], named)

    await page.getByRole('link', { name: 'Edit: Something goes down, every kind' }).click()
    const title = page.getByLabel('Title', { exact: true })
    await title.fill('Typed')
    // Somebody else changes the template meanwhile.
    const [{ id }] = await stored()
    await owner.api('PATCH', `${TEMPLATES}/${id}`, { body: 'See {{incident.url}}' })
    await returnsUntilRead(page, `${TEMPLATES}/${id}`)
    t.equal(await title.inputValue(), 'Typed', named)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else changed this').waitFor()
    await stage.looksRight(t, owner, `templates-conflict-${named}`)
    t.match(await stored(), [{ title: '{{subject.name}} needs you', body: 'See {{incident.url}}' }], named)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Edit: Something goes down, every kind' }).click()
    const text = page.getByLabel('Text', { exact: true })
    await until('the new text', async () => (await text.inputValue()) === 'See {{incident.url}}')
    await title.fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Default title').waitFor()
    await stage.looksRight(t, owner, `templates-list-${named}`)
    await page.getByRole('button', { name: 'Reset: Something goes down, every kind' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'All messages use the default text' }).waitFor()
    t.same(await stored(), [], named)
    t.same(owner.complaints, [])
  }
  await ofOneChannel(t, stage)
  const viewer = await stage.newcomer(t, views[0], 'viewer')
  await viewer.go('/settings/templates')
  await viewer.page.getByText('Only owners, admins and editors can change templates.').waitFor()
  await viewer.go('/settings/templates/new')
  await viewer.page.getByText('You may not see or do this').waitFor()
}

/** A channel gets its own template, which is refused, saved, shown and removed. */
const ofOneChannel: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    const config = { url: 'https://hooks.example.com/in' }
    const made = await owner.api('POST', '/api/v1/notifications/channels', { name: 'Hook', kind: 'webhook', config })
    const path = `/api/v1/notifications/channels/${made.body.id}`
    const stored = async (): Promise<unknown> => (await owner.api('GET', path)).body.template_overrides
    await owner.go(`/settings/channels/${made.body.id}`)
    await page.getByRole('link', { name: 'Write custom messages' }).click()
    await page.getByRole('heading', { level: 1, name: 'Custom messages of Hook' }).waitFor()
    await page.getByLabel('When', { exact: true }).selectOption('up')
    await page.getByLabel('Title', { exact: true }).fill('{{incident.titel}}')
    await page.getByText(/There is a mistake: title: has no placeholder/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText(/has no placeholder \{\{incident\.titel\}\}/)
      .first()
      .waitFor()
    t.same(await stored(), {}, named)
    await page.getByLabel('Title', { exact: true }).fill('{{subject.name}} is well')
    await page.getByText('[RESOLVED] api.example.com is well').waitFor()
    await stage.looksRight(t, owner, `channel-words-${named}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Hook', exact: true }).waitFor()
    t.same(await stored(), { up: { title: '{{subject.name}} is well', body: null } }, named)
    await page.getByRole('region', { name: 'Custom messages' }).getByText('Something recovers').waitFor()
    await page.getByRole('link', { name: 'Write custom messages' }).click()
    await page.getByRole('button', { name: 'Use the templates' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use the templates' }).click()
    await page.getByText('None. The message templates or the default messages are used.').waitFor()
    t.same(await stored(), {}, named)
    t.same(owner.complaints, [])
  }
}
