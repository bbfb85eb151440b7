/**
 * Notification channels: one is added, tested, turned off and deleted, at a desk and on a phone.
 */
import type { View } from '../browser.ts'
import type { Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

export const channels: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    await owner.go('/settings/channels')
    await page.getByRole('heading', { name: 'Be told when something breaks' }).waitFor()
    await stage.looksRight(t, owner, `channels-empty-${named}`)

    await page.getByRole('button', { name: 'Add a channel' }).click()
    const adding = page.getByRole('dialog', { name: 'Add a channel' })
    await adding.getByLabel('Kind').selectOption('webhook')
    await adding.getByLabel('Secret').first().waitFor()
    await adding.getByLabel('Kind').selectOption('email')
    await adding.getByLabel('Name').fill('Night desk')
    await adding.getByRole('textbox').nth(1).fill('night@example.test')
    await stage.looksRight(t, owner, `channels-add-${named}`)
    await adding.getByRole('button', { name: 'Add the channel' }).click()
    await page.getByRole('heading', { level: 1, name: /^1 channel/ }).waitFor()

    await page.getByRole('button', { name: 'Send test: Night desk' }).click()
    await page.getByText(/The other side took it|It did not arrive/).waitFor()
    // The buttons come back a moment after the answer.
    await page.getByRole('button', { name: 'Turn off: Night desk', disabled: false }).waitFor()
    await stage.looksRight(t, owner, `channels-tested-${named}`)
    await page.getByRole('button', { name: 'Turn off: Night desk' }).click()
    await page.getByRole('button', { name: 'Turn on: Night desk' }).waitFor()

    await page.getByRole('button', { name: 'Delete: Night desk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'Be told when something breaks' }).waitFor()
    const { body } = await owner.api('GET', '/api/v1/notifications/channels')
    t.equal(body.total, 0, `the channel is gone: ${named}`)
  }
}
