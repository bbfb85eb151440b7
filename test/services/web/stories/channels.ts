/**
 * Notification channels: the kinds are searched; a channel is added, tested, changed, turned off
 * and deleted, at a desk and on a phone. Each part ends with a check of what the api returns.
 */
import type { View } from '../browser.ts'
import type { Newcomer, Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

const CHANNELS = '/api/v1/notifications/channels'

async function addMail({ page }: Newcomer): Promise<void> {
  await page.getByRole('link', { name: 'Add a channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Where should messages go?' }).waitFor()
  await page.getByRole('textbox', { name: 'Search channel types' }).fill('mail')
  await page.getByRole('link', { name: /^E-mail/ }).click()
  await page.getByLabel(/^Name/).first().fill('Night desk')
  await page.getByLabel(/^Recipient/).fill('night@example.test')
}

async function addHook({ page, go }: Newcomer, picture: (name: string) => Promise<void>): Promise<void> {
  await go('/settings/channels/new')
  await page.getByRole('region', { name: 'Chat' }).waitFor()
  await picture('channels-kinds')
  await page.getByRole('link', { name: /^Microsoft Teams/ }).click()
  await page.getByLabel(/^Name/).first().fill('Operations')
  await page.getByLabel(/^Webhook URL/).fill('https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4')
  await page.getByRole('button', { name: 'Add the channel' }).click()
  await page
    .getByText(/those no longer work/)
    .first()
    .waitFor()
  await picture('channels-connector')
  await go('/settings/channels/new')
  await page.getByRole('link', { name: /^Webhook/ }).click()
  await page.getByLabel(/^Name/).first().fill('Our bot')
  await page.getByLabel(/^URL/).fill('nowhere')
  await page.getByRole('button', { name: 'Add the channel' }).click()
  await page
    .getByText(/must be an address that begins with/)
    .first()
    .waitFor()
  await page.getByLabel(/^URL/).fill('https://hooks.example.test/in')
  await page.getByLabel(/^Secret/).fill('a-secret-that-nobody-sees')
  await page.getByRole('button', { name: 'Add one' }).click()
  await page.getByLabel('Name 1', { exact: true }).fill('X-Team')
  await page.getByLabel('Value of name 1').fill('night')
  await picture('channels-hook')
  await page.getByRole('button', { name: 'Add the channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Our bot' }).waitFor()
}

/**
 * Errors are shown at their fields. For another account of the vendor, the form asks for the secret
 * again.
 */
async function addDesk({ page, go }: Newcomer, picture: (name: string) => Promise<void>): Promise<void> {
  await go('/settings/channels/new?kind=jira')
  await page.getByLabel(/^Name/).first().fill('Our desk')
  await page.getByLabel(/^Domain/).fill('jira.example.com')
  await page.getByLabel(/^E-mail/).fill('ops@example.test')
  await page.getByLabel(/^API token/).fill('ATATT-that-nobody-sees-0123')
  await page.getByLabel(/^Project/).fill('ops')
  await page.getByRole('button', { name: 'Add the channel' }).click()
  await page
    .getByText(/must look like acme or acme\.atlassian\.net/)
    .first()
    .waitFor()
  await picture('channels-desk')
  await page.getByLabel(/^Domain/).fill('https://acme.atlassian.net/jira/projects')
  await page.getByRole('button', { name: 'Add the channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Our desk' }).waitFor()
  await page.getByText('acme.atlassian.net OPS').waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel(/^Domain/).fill('others')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByText(/is required again/)
    .first()
    .waitFor()
  await go('/settings/channels')
  await page.getByRole('link', { name: 'Our desk' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: '1 channel' }).waitFor()
}

export const channels: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    const picture = (name: string): Promise<void> => stage.looksRight(t, owner, name)
    const found = async (name: string) => {
      const { body } = await owner.api('GET', CHANNELS)
      return (body.items as { id: string; name: string; config: Record<string, unknown>; events: string[]; enabled: boolean }[]).find(
        (one) => one.name === name
      )
    }
    await owner.go('/settings/channels')
    await page.getByRole('heading', { name: 'Get notified when something breaks' }).waitFor()
    await picture('channels-empty')

    await addMail(owner)
    await picture('channels-add')
    await page.getByRole('button', { name: 'Add the channel' }).click()
    await page.getByRole('heading', { level: 1, name: 'Night desk' }).waitFor()
    await page.getByText(/until somebody opens the link/).waitFor()
    await page.getByRole('button', { name: 'Send the link again' }).click()
    await page.getByText(/Try again in/).waitFor()
    await page.getByRole('button', { name: 'Send test: Night desk' }).click()
    await page.getByText(/The other side accepted it|The test did not arrive/).waitFor()
    await page.getByRole('button', { name: 'Send test: Night desk', disabled: false }).waitFor()
    await picture('channels-tested')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    t.equal((await found('Night desk'))?.enabled, false, `it is off: ${named}`)

    await addDesk(owner, picture)
    await addHook(owner, picture)
    const hook = await found('Our bot')
    t.match(hook?.config, { url: 'https://hooks.example.test/in', secret: '********', headers: [{ name: 'X-Team', value: '********' }] })
    const stored = await owner.api('PATCH', `${CHANNELS}/${hook?.id}`, { events: [...(hook?.events ?? []), 'maintenance'] })
    t.equal(stored.status, 200, JSON.stringify(stored.body))
    await page.reload()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Replace: Secret' }).click()
    await page.getByLabel(/^Secret/).fill('another-secret-of-ours')
    await page.getByLabel(/^Old secret until/).waitFor()
    await page.getByText('Channels of this kind are not told of it.').waitFor()
    await page.getByRole('checkbox', { name: 'Something is degraded' }).click()
    t.equal(await page.getByRole('checkbox', { name: 'Maintenance' }).isChecked(), true, `a stored event is shown: ${named}`)
    t.equal(await page.getByRole('checkbox', { name: 'Status pages' }).count(), 0, `nothing sends it: ${named}`)
    await picture('channels-edit')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/both the old and the new secret sign/).waitFor()
    await picture('channels-rotating')
    await page.getByRole('button', { name: 'Stop using the old secret now' }).click()
    await page.getByText(/both the old and the new secret sign/).waitFor({ state: 'hidden' })
    const changed = await found('Our bot')
    t.ok(changed?.events.includes('degraded'), `it is told of more: ${named}`)
    t.ok(changed?.events.includes('maintenance'), `a save keeps what was stored: ${named}`)
    t.match(changed?.config, { headers: [{ name: 'X-Team', value: '********' }] }, 'what nobody touched stays')
    t.notOk(changed && 'secret_previous_expires_at' in changed.config, 'the old secret is gone')

    await owner.go('/settings/channels')
    await page.getByRole('heading', { level: 1, name: '2 channels' }).waitFor()
    await page.getByLabel('Kind').selectOption('webhook')
    await page.getByRole('link', { name: 'Night desk' }).waitFor({ state: 'hidden' })
    await picture('channels-list')
    const rule = { name: 'Nightly', match: {}, actions: { channel_ids: [hook?.id] } }
    t.equal((await owner.api('POST', '/api/v1/routing-rules', rule)).status, 201)
    await page.getByRole('link', { name: 'Our bot' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const asked = page.getByRole('dialog')
    await asked.getByRole('button', { name: 'Delete', exact: true }).click()
    await asked.getByText('Used by 1 routing rule: Nightly.').waitFor()
    await picture('channels-in-use')
    await asked.getByRole('checkbox').click()
    await asked.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: '1 channel' }).waitFor()
    t.equal(await found('Our bot'), undefined, `the channel is gone: ${named}`)
  }
  await disabled(t, stage)
}

/**
 * What is shown for a channel that was turned off after failures, and how it is turned on again.
 */
const disabled: Story = async (t, stage) => {
  const owner = await stage.newcomer(t)
  const { page } = owner
  const config = { url: 'https://hooks.example.test/in' }
  const { body } = await owner.api('POST', CHANNELS, { name: 'Broken bot', kind: 'webhook', config })
  const pool = stage.product.pool()
  t.teardown(() => pool.end())
  await pool.query(
    `UPDATE notification_channels SET health_state = 'disabled', disabled_reason = 'it answered 410', consecutive_failures = 3,
            last_error = 'HTTP 410: gone' WHERE channel_id = $1`,
    [body.id]
  )
  await owner.go(`/settings/channels/${body.id}`)
  await page.getByText(/Nothing is sent to this channel: it answered 410/).waitFor()
  await stage.looksRight(t, owner, 'channels-disabled')
  await owner.go('/settings/channels?health=disabled')
  await page.getByText('Last error: HTTP 410: gone').waitFor()
}
