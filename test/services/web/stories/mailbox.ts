/**
 * Without a mail server, a new owner reads here the mails that would have been sent: the mail that
 * confirms an address, in a frame in which no script runs.
 */
import { until } from '../../../harness/until.ts'
import type { View } from '../browser.ts'
import type { Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

export const mailbox: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    await owner.go('/settings/channels')
    await page.getByRole('link', { name: /Messages are kept in the mailbox/ }).click()
    await page.getByRole('heading', { name: 'E-mails appear here' }).waitFor()
    await stage.looksRight(t, owner, `mailbox-empty-${named}`)

    // An address is asked a few times an hour at most, whichever workspace asks.
    const recipient = `night-${named}@example.test`
    const config = { recipient }
    const made = await owner.api('POST', '/api/v1/notifications/channels', { name: 'Night desk', kind: 'email', config })
    t.equal(made.status, 201)
    await until('the mail to be kept', async () => {
      const { body } = await owner.api('GET', '/api/v1/notifications/mailbox')
      return (body as { total: number }).total === 1 ? true : null
    })
    await owner.go('/settings/mailbox')
    await page.getByRole('heading', { level: 1, name: '1 e-mail, not sent' }).waitFor()
    await stage.looksRight(t, owner, `mailbox-${named}`)

    await page.getByRole('link', { name: /^Confirm mails/ }).click()
    const frame = page.frameLocator('iframe[title="The e-mail as its reader sees it"]')
    const link = frame.getByRole('link', { name: 'Confirm' })
    await link.waitFor()
    t.match(await link.getAttribute('href'), /\/links\/cnf_/)
    t.equal(await frame.locator('html').evaluate('self.origin'), 'null', 'the frame has an origin of its own')
    await stage.looksRight(t, owner, `mail-html-${named}`)
    // It opens next to the dashboard. Opening it changes nothing.
    const [beside] = await Promise.all([page.waitForEvent('popup'), link.click()])
    await beside.getByRole('heading', { name: `Send alerts to ${recipient}?` }).waitFor()
    const proven = async () => {
      const { body } = await owner.api('GET', '/api/v1/notifications/channels')
      return (body as { items: { verified_at: string | null }[] }).items[0]?.verified_at
    }
    t.equal(await proven(), null)
    const address = new URL(beside.url()).pathname
    await beside.close()
    await owner.go(address)
    await page.getByRole('button', { name: 'Confirm' }).waitFor()
    await stage.looksRight(t, owner, `link-confirm-${named}`)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: `${recipient} is confirmed` }).waitFor()
    t.ok(await proven())
    await stage.looksRight(t, owner, `link-confirmed-${named}`)
    await owner.go(address)
    await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor()
    await stage.looksRight(t, owner, `link-gone-${named}`)
    await owner.go('/settings/mailbox')
    await page.getByRole('link', { name: /^Confirm mails/ }).click()
    await page.getByText('Text', { exact: true }).click()
    await page.getByText(/wants to send its alerts to this address/).waitFor()
    await page.getByText('Source', { exact: true }).click()
    await page.getByText(/X-Service-Not-Sent/).waitFor()
    await stage.looksRight(t, owner, `mail-source-${named}`)

    await owner.go('/settings/mailbox')
    await page.getByRole('button', { name: 'Delete all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click()
    await page.getByRole('heading', { name: 'E-mails appear here' }).waitFor()
    // The test's own click tries to run a script in the frame, and the sandbox refuses.
    t.same(
      owner.complaints.filter((complaint) => !/^Blocked script execution in .*frame is sandboxed/.test(complaint)),
      []
    )
  }
}
