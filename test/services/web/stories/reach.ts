/**
 * How a person is reached: a second address is added, verified with the code from its mail, and put
 * first in the order; quiet hours are set; one phone has the app, and from another it was removed.
 * At a desk and on a phone.
 */
import type { Test } from 'tap'
import { mintChatLink } from '../../../../services/credentials/credentials.ts'
import { offerLink } from '../../../../services/store/chat.ts'
import { until } from '../../../harness/until.ts'
import type { View } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

export const reach: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    await owner.go('/settings/notifications')
    await page.getByRole('heading', { level: 1, name: 'You are asked by e-mail' }).waitFor()
    await page.getByRole('option', { name: 'Call (not set up here)' }).waitFor({ state: 'attached' })

    const quiet = page.getByLabel('Hold back non-critical messages at night')
    await quiet.check()
    const second = `second-${named}@example.test`
    await page.getByLabel('Address or number').fill(second)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Not verified: nothing is sent to this address').waitFor()
    t.ok(await quiet.isChecked(), `an added address replaces nothing that is typed below: ${named}`)
    await page.getByRole('button', { name: `Send a code: ${second}` }).click()
    await page.getByText(`A code was sent to ${second}`).waitFor()
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText(/is not the code that was sent/).waitFor()
    await stage.looksRight(t, owner, `reach-code-${named}`)
    const code = await until('the mail', async () => {
      const { body } = await owner.api('GET', '/api/v1/notifications/mailbox')
      const mails = body.items as { recipient: string; subject: string }[]
      return /(\d{6})/.exec(mails.find(({ recipient }) => recipient === second)?.subject ?? '')?.[1] ?? null
    })
    await page.getByLabel('Code', { exact: true }).fill(code)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { level: 1, name: 'You are asked by e-mail, then 1 more' }).waitFor()

    await page.getByRole('button', { name: `Send test: ${second}` }).click()
    await page.getByText(/The other side accepted it after/).waitFor()
    await stage.looksRight(t, owner, `reach-tested-${named}`)

    await page.getByRole('button', { name: 'Normally: Add a row' }).click()
    await page.getByLabel('Normally 1: Method').selectOption({ label: `E-mail: ${second}` })
    await page.getByLabel('Normally 1: After').selectOption({ label: '5 min' })
    await page.getByLabel('Send me a digest').selectOption('daily')
    await page.getByLabel('At', { exact: true }).fill('08:15')
    await page.getByLabel('2 hours before').check()
    await page.getByLabel('1 day before').uncheck()
    await stage.looksRight(t, owner, `reach-wishes-${named}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your notifications are saved').waitFor()
    const { body } = await owner.api('GET', '/api/v1/notifications/preferences')
    t.match(body, { rules: { default: [{ delay_seconds: 300 }] }, quiet_hours: { from: '22:00', to: '07:00' } }, named)
    t.match(body, { digest: { every: 'daily', at: '08:15' }, handoff_summary: true }, named)
    t.same([...(body.shift_reminders_minutes as number[])].sort(), [120, 15], named)

    await page.getByRole('button', { name: `Remove: ${second}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'You are asked by e-mail', exact: true }).waitFor()
    const after = (await owner.api('GET', '/api/v1/notifications/preferences')).body
    t.match([after.rules, (after.contact_methods as unknown[]).length], [{ default: [] }, 1], `the rule is gone with it: ${named}`)
    await linksChat(t, stage, owner, named)
    await linksTelegram(t, stage, owner, named)

    for (const [platform, push_token] of [
      ['ios', `${'0123456789abcdef'.repeat(4)}${String(view.width).padStart(4, '0')}`],
      ['android', `fcm:${named}-${'x'.repeat(40)}`]
    ]) {
      const made = await owner.api('POST', '/api/v1/notifications/devices', { platform, push_token, app_version: '2.1' })
      t.equal(made.status, 201)
      const pool = stage.product.pool()
      // The state after the vendor has reported that the app is gone.
      if (platform === 'ios') {
        await pool.query('UPDATE push_devices SET invalid_at = now() WHERE device_id = $1', [made.body.id])
        await pool.query('UPDATE contact_methods SET verified_at = NULL WHERE method_id = $1', [made.body.id])
      }
      await pool.end()
    }
    await owner.go('/settings/notifications')
    await page.getByRole('heading', { level: 1, name: 'You are asked by e-mail, then 1 more' }).waitFor()
    const methods = page.getByRole('list', { name: 'Methods' })
    await methods.getByText('Not reachable: open the app on this device once').waitFor()
    await methods.getByText('Reachable', { exact: true }).waitFor()
    t.equal(await methods.getByText(/App last seen/).count(), 2)
    await stage.looksRight(t, owner, `reach-phones-${named}`)
    await page.getByRole('button', { name: 'Remove: Android phone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'You are asked by e-mail', exact: true }).waitFor()
    const left = (await owner.api('GET', '/api/v1/notifications/devices')).body.items as { platform: string }[]
    t.match(left, [{ platform: 'ios' }], named)
  }
}

/** A channel has a bot that takes commands, and the person makes a link to it. */
async function linksTelegram(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page } = owner
  const config = { bot_token: `123456789:${'a'.repeat(35)}`, chat_id: '-1001234567890' }
  const made = await owner.api('POST', '/api/v1/notifications/channels', { name: 'Ops', kind: 'telegram', config })
  t.equal(made.status, 201, named)
  const pool = stage.product.pool()
  try {
    // The state after Telegram was told to call back. Telegram cannot call an address of this
    // machine.
    await pool.query('UPDATE notification_channels SET config = config || $2 WHERE channel_id = $1', [
      made.body.id,
      JSON.stringify({ bot_id: '123456789', bot_name: 'acme_alert_bot' })
    ])
  } finally {
    await pool.end()
  }
  await owner.go(`/settings/channels/${String(made.body.id)}`)
  await page.getByText('@acme_alert_bot').waitFor()
  await stage.looksRight(t, owner, `channel-bot-${named}`)
  await owner.go('/settings/notifications')
  await page.getByRole('button', { name: 'Link Telegram with @acme_alert_bot' }).click()
  const link = page.getByRole('link', { name: 'Open @acme_alert_bot in Telegram' })
  t.match(await link.getAttribute('href'), /^https:\/\/t\.me\/acme_alert_bot\?start=[\w-]{43}$/, named)
  await stage.looksRight(t, owner, `reach-telegram-${named}`)
}

/** A person who manages members sees which chat account acts as which member, and ends that. */
async function unlinksAsAdmin(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page } = owner
  const pool = stage.product.pool()
  try {
    await pool.query(
      `INSERT INTO chat_identities (tenant_id, identity_id, user_id, vendor, account, sender, name)
       SELECT tenant_id, gen_random_uuid(), user_id, vendor, account, sender || '-2', 'jo.second' FROM chat_identities WHERE sender = $1`,
      [`U-${named}`]
    )
  } finally {
    await pool.end()
  }
  await owner.go('/settings/members')
  const linked = page.getByRole('list', { name: 'In chat apps' })
  await linked.getByText('jo.doe').waitFor()
  await stage.looksRight(t, owner, `members-linked-${named}`)
  await linked.getByRole('button', { name: /^Unlink: jo\.second, / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click()
  await linked.getByText('jo.second').waitFor({ state: 'detached' })
  await linked.getByText('jo.doe').waitFor()
  await owner.go('/settings/notifications')
}

/** A chat account is linked to the person through their link, and unlinked. */
async function linksChat(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page } = owner
  const { value, sha256 } = mintChatLink()
  const pool = stage.product.pool()
  try {
    await offerLink(pool, { vendor: 'slack', account: 'T0123ABCD', sender: `U-${named}`, name: 'jo.doe' }, sha256, 900)
  } finally {
    await pool.end()
  }
  await page.getByText('You have not linked a chat app.').waitFor()
  await owner.go(`/links/chat/${value}`)
  await page.getByRole('heading', { level: 1, name: 'Are you jo.doe on Slack?' }).waitFor()
  await stage.looksRight(t, owner, `chat-link-${named}`)
  await page.getByRole('button', { name: 'Yes, link it' }).click()
  await page.getByRole('heading', { level: 1, name: 'You are jo.doe on Slack' }).waitFor()
  await page.getByRole('link', { name: 'To your notifications' }).click()
  await page.getByRole('button', { name: 'Unlink: jo.doe' }).waitFor()
  await stage.looksRight(t, owner, `chat-linked-${named}`)
  await unlinksAsAdmin(t, stage, owner, named)
  await page.getByRole('button', { name: 'Unlink: jo.doe' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click()
  await page.getByText('You have not linked a chat app.').waitFor()
  t.match((await owner.api('GET', '/api/v1/chat/identities')).body, { items: [] }, named)
  await owner.load(`/links/chat/${value}`)
  await page.getByRole('heading', { level: 1, name: 'This link is no longer valid' }).waitFor()
  await stage.looksRight(t, owner, `chat-link-gone-${named}`)
}
