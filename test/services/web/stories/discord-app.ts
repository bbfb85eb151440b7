/**
 * The Discord app: a person refuses at Discord, then chooses a channel that the bot cannot see,
 * then one that it can. The channel is tested, and added again after it was removed. At a desk and
 * on a phone.
 */
import type { View } from '../browser.ts'
import type { Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 }
]

export const discordApp: Story = async (t, stage) => {
  const there = await stage.discord(t)
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    const picture = (name: string): Promise<void> => stage.looksRight(t, owner, `${name}-${named}`)
    const add = page.getByRole('link', { name: 'Add to Discord' })
    await owner.go('/settings/channels/new')
    await page.getByRole('link', { name: /^Discord/ }).click()
    await add.waitFor()
    await picture('discord-add')
    there.says = 'no'
    await add.click()
    await page.getByText('You cancelled on the page of Discord.').waitFor()
    there.says = 'yes'
    there.room.seen = false
    await add.click()
    await page.getByText('The app cannot see the room you chose in Discord.').waitFor()
    await picture('discord-hidden')
    there.room.seen = true
    await add.click()
    await page.getByRole('heading', { level: 1, name: '#alerts in Acme Games' }).waitFor()
    await page.getByRole('button', { name: 'Send test: #alerts in Acme Games' }).click()
    await page.getByText(/The other side accepted it/).waitFor()
    await picture('discord-channel')
    t.match(there.discord.messages.at(-1)?.content, /TEST/)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('The room was chosen in Discord').waitFor()
    await page.getByLabel(/^Name/).first().fill('Operations')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor()

    const made = await owner.api('POST', '/api/v1/incidents', { title: `API down ${named}`, severity: 'critical' })
    t.equal(made.status, 201)
    await owner.go(`/incidents/${made.body.id}`)
    await page.getByRole('heading', { level: 1, name: `API down ${named}` }).waitFor()
    t.equal(await page.getByRole('button', { name: 'Open a war room' }).count(), 0, 'Discord opens no rooms')
    const pool = stage.product.pool()
    try {
      await pool.query(
        "UPDATE notification_channels SET health_state = 'disabled', disabled_reason = 'The app is no longer in this Discord server.' WHERE name = 'Operations' AND kind = 'discord'"
      )
    } finally {
      await pool.end()
    }
    await owner.go('/settings/channels?q=Operations')
    await page.getByRole('link', { name: 'Operations' }).click()
    await page.getByRole('link', { name: 'Add to Discord again' }).waitFor()
    await picture('discord-gone')
    await page.getByRole('link', { name: 'Add to Discord again' }).click()
    await page.getByText('Works', { exact: true }).waitFor()
    t.same(owner.complaints, [], 'the page complains of nothing')
  }
}
