/**
 * The Slack app: a person refuses at Slack, then agrees. The channel is tested and edited. An
 * incident opens its room, and a room that Slack refuses is opened again. At a desk and on a phone.
 */
import type { View } from '../browser.ts'
import type { Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

export const slackApp: Story = async (t, stage) => {
  const there = await stage.slack(t)
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    const picture = (name: string): Promise<void> => stage.looksRight(t, owner, `${name}-${named}`)
    await owner.go('/settings/channels/new')
    await page.getByRole('link', { name: /^Slack/ }).click()
    await page.getByRole('link', { name: 'Add to Slack' }).waitFor()
    await picture('slack-add')
    there.says = 'no'
    await page.getByRole('link', { name: 'Add to Slack' }).click()
    await page.getByText('You cancelled on the page of Slack.').waitFor()
    await picture('slack-denied')
    there.says = 'yes'
    await page.getByRole('link', { name: 'Add to Slack' }).click()
    await page.getByRole('heading', { level: 1, name: '#alerts in Acme Chat' }).waitFor()
    await page.getByRole('button', { name: 'Send test: #alerts in Acme Chat' }).click()
    await page.getByText(/The other side accepted it/).waitFor()
    await picture('slack-channel')
    t.match(there.slack.messages.at(-1)?.text, /^\[TEST\]/)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('The room was chosen in Slack').waitFor()
    await picture('slack-edit')
    await page.getByLabel(/^Name/).first().fill('Operations')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor()

    const title = `API down ${named}`
    const made = await owner.api('POST', '/api/v1/incidents', { title, severity: 'critical' })
    t.equal(made.status, 201)
    there.slack.errors.set('conversations.create', ['restricted_action'])
    await owner.go(`/incidents/${made.body.id}`)
    await page.getByRole('button', { name: 'Open a war room' }).waitFor()
    await picture('war-room-none')
    await page.getByRole('button', { name: 'Open a war room' }).click()
    await page.getByText(/does not let apps make rooms/).waitFor()
    await picture('war-room-failed')
    await page.getByRole('button', { name: 'Open another' }).click()
    const link = page.getByRole('link', { name: /^#inc-1-api-down/ })
    await link.waitFor()
    await picture('war-room')
    t.match(await link.getAttribute('href'), /^https:\/\/slack\.com\/app_redirect\?team=T0001&channel=C\d+$/)
    const pool = stage.product.pool()
    try {
      await pool.query(
        "UPDATE notification_channels SET health_state = 'disabled', disabled_reason = 'The app was taken away at Slack.' WHERE name = 'Operations'"
      )
    } finally {
      await pool.end()
    }
    await owner.go('/settings/channels?q=Operations')
    await page.getByRole('link', { name: 'Operations' }).click()
    await page.getByRole('link', { name: 'Add to Slack again' }).waitFor()
    await picture('slack-gone')
    await page.getByRole('link', { name: 'Add to Slack again' }).click()
    await page.getByText('Works', { exact: true }).waitFor()
    t.same(owner.complaints, [], 'the page complains of nothing')
  }
}
