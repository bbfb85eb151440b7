/**
 * Who was notified: on the incident, in the ledger, and in one delivery with its attempts. One
 * delivery is sent again, and one was held back by a silence.
 */
import type { View } from '../browser.ts'
import type { Newcomer, Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

const CHANNELS = '/api/v1/notifications/channels'
const LEDGER = '/api/v1/notifications/deliveries'

async function declared({ api }: Newcomer, title: string): Promise<string> {
  const { status, body } = await api('POST', '/api/v1/incidents', { title, severity: 'critical' })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return String(body.id)
}

/**
 * Makes an e-mail channel to the owner's own address, and a webhook whose host does not resolve.
 */
async function makeChannels({ api }: Newcomer): Promise<void> {
  const session = await api('GET', '/api/v1/workspace/members')
  const [owner] = session.body.items as { email: string }[]
  for (const body of [
    { name: 'Mail to us', kind: 'email', config: { recipient: owner?.email } },
    { name: 'Lost bot', kind: 'webhook', config: { url: 'https://nobody.invalid/in' } }
  ]) {
    const { status, body: said } = await api('POST', CHANNELS, { ...body, is_default: true })
    if (status !== 201) throw new Error(JSON.stringify(said))
  }
}

export const deliveries: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme} ${view.width}`
    await owner.go('/settings/deliveries')
    await page.getByRole('heading', { name: 'Nobody was notified yet' }).waitFor()
    await stage.looksRight(t, owner, 'deliveries-empty')
    await makeChannels(owner)

    const id = await declared(owner, `Checkout is down ${named}`)
    await owner.go(`/incidents/${id}`)
    const told = page.getByRole('region', { name: 'Who was notified' })
    await told.getByText('1 of 2 notified').waitFor()
    await told.getByText('No escalation policy notifies people here').waitFor()
    await told.getByRole('link', { name: /^Failure Retrying/ }).waitFor()
    await stage.looksRight(t, owner, 'deliveries-incident')
    await told.getByRole('link', { name: 'All deliveries' }).click()
    await page.getByRole('link', { name: /Mail to us/ }).waitFor()
    await page.getByRole('button', { name: 'Remove this filter: Of one incident' }).click()
    await page.getByRole('button', { name: 'Retrying' }).click()
    await page.getByRole('link', { name: /Mail to us/ }).waitFor({ state: 'detached' })
    await stage.looksRight(t, owner, 'deliveries-list')
    await page.getByRole('link', { name: new RegExp(`Lost bot.*INC-\\d+ Checkout is down ${named}`) }).click()
    await page.getByRole('heading', { level: 1, name: 'Failure: Lost bot' }).waitFor()
    await page.getByText('This is a default channel').waitFor()
    await stage.looksRight(t, owner, 'deliveries-retrying')

    await owner.go('/settings/deliveries?kind=email')
    await page.getByRole('link', { name: /Mail to us/ }).click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Attempt 2').waitFor()
    await stage.looksRight(t, owner, 'deliveries-again')
    const mail = await owner.api('GET', `${LEDGER}?kind=email`)
    t.match(
      mail.body.items,
      [
        {
          manual: true,
          attempts: [
            { n: 1, outcome: 'accepted' },
            { n: 2, outcome: 'accepted' }
          ]
        }
      ],
      `sent twice: ${named}`
    )

    const matchers = [{ field: 'title', op: 'contains', value: 'quiet' }]
    const ends_at = new Date(Date.now() + 3_600_000).toISOString()
    const silence = await owner.api('POST', '/api/v1/silences', { matchers, ends_at, comment: 'Tonight' })
    t.equal(silence.status, 201, JSON.stringify(silence.body))
    const quiet = await declared(owner, 'A quiet one')
    await owner.go(`/incidents/${quiet}`)
    await told.getByText('A silence was active.').first().waitFor()
    await told.getByText(/nobody is notified/).waitFor()
    await stage.looksRight(t, owner, 'deliveries-held')
    await told
      .getByRole('link', { name: /Not sent/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'The silence' }).waitFor()
    await stage.looksRight(t, owner, 'deliveries-held-one')
  }
}
