/**
 * Certificates: none yet, the list that cannot be loaded, a server whose certificate expires in six
 * days, which people are notified about, and its replacement.
 */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { certificate } from '../../prober/stand.ts'
import { visit, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const LIST = '/api/v1/certificates'
/** The notifier checks every minute. */
const TOLD_MS = 180_000

interface Item {
  monitor_id: string
  days_left: number
  told: { threshold_days: number } | null
}

async function answersOver(t: Test, pair: { key: string; cert: string }): Promise<{ server: Server; port: number }> {
  const server = createServer(pair, (_request, response) => response.end('well'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { server, port: (server.address() as AddressInfo).port }
}

const listed = async (owner: Newcomer): Promise<Item[]> => (await owner.api('GET', LIST)).body.items as Item[]

const titles = async (owner: Newcomer): Promise<string[]> =>
  ((await owner.api('GET', '/api/v1/notifications/feed')).body.items as { title: string }[]).map(({ title }) => title)

async function before(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/monitors')
  await page.getByRole('link', { name: 'Certificates' }).click()
  await page.waitForURL('**/monitors/certificates')
  await page.getByRole('heading', { level: 1, name: 'No certificate seen yet' }).waitFor()
  await page.getByRole('heading', { name: 'Monitor an address that has one' }).waitFor()
  await stage.looksRight(t, owner, 'certificates-empty')
  await page.route(/\/api\/v1\/certificates/, (route) =>
    route.fulfill({ status: 503, json: { error: 'The store is away', code: 'UNAVAILABLE', request_id: 'req-certificates' } })
  )
  await owner.go('/monitors/certificates')
  await page.getByRole('alert').getByText('req-certificates').waitFor()
  await stage.looksRight(t, owner, 'certificates-error')
  await page.unroute(/\/api\/v1\/certificates/)
}

export const certificates: Story = async (t, stage) => {
  const owner = await stage.newcomer(t)
  const { page } = owner
  await before(t, stage, owner)

  const { server, port } = await answersOver(t, certificate(t, { days: 6 }))
  const renewed = certificate(t, { days: 80 })
  const made = await owner.api('POST', '/api/v1/monitors', {
    name: 'Mail of the tour',
    type: 'http',
    target: `https://127.0.0.1:${port}/`,
    config: { verify_tls: false }
  })
  t.equal(made.status, 201)
  const id = String(made.body.id)
  await until('the certificate to be seen', async () => (await listed(owner)).length === 1)

  await t.test('a certificate with six days left is listed, and people are notified once', async (t) => {
    await owner.go('/monitors/certificates')
    await page.getByRole('heading', { level: 1, name: '1 certificate expires within 30 days' }).waitFor()
    const row = page.getByRole('list', { name: 'Certificates' }).getByRole('listitem').filter({ hasText: 'Mail of the tour' })
    await row.getByText('5 days left').waitFor()
    await row.getByText('For 127.0.0.1').waitFor()
    await row.getByText('Notified at 7 days').waitFor({ timeout: TOLD_MS })
    const words = (await titles(owner)).filter((title) => /certificate/i.test(title))
    t.match(words, [/^The certificate of Mail of the tour expires in \d days$/])
    const cookies = await owner.cookies()
    for (const view of walks) {
      const other = await visit(stage.browser, stage.base, view, cookies)
      await other.go('/monitors/certificates')
      await other.page.getByText('Notified at 7 days').waitFor()
      await stage.looksRight(t, other, 'certificates')
      t.same(other.complaints, [])
      await other.close()
    }
  })

  await t.test('the filters of certificates are kept in the address', async () => {
    await page.getByLabel('Ends').selectOption('Within 14 days')
    await page.waitForURL('**within=14**')
    await page.getByText('Mail of the tour').waitFor()
    await page.getByLabel('Filter by name or address').fill('nothing of the kind')
    await page.getByRole('heading', { name: 'No certificate matches these filters' }).waitFor()
    await page.getByRole('link', { name: 'Show all of them' }).click()
    await page.getByRole('link', { name: 'Mail of the tour' }).click()
    await page.waitForURL(`**/monitors/${id}`)
    await page.getByText('Certificate: 5 days left').waitFor()
  })

  await t.test('a renewed certificate is listed, and people are notified', async (t) => {
    server.setSecureContext(renewed)
    const answer = await owner.api('POST', `/api/v1/monitors/${id}/check`, { count: true })
    t.equal(answer.status, 202)
    await until('the new certificate', async () => (await listed(owner))[0]?.days_left === 79)
    await owner.load('/monitors/certificates')
    await page.getByRole('heading', { level: 1, name: 'No certificate expires within 30 days' }).waitFor()
    await page.getByText('79 days left').waitFor()
    const words = 'The certificate of Mail of the tour is renewed'
    await until('the feed to say so', async () => (await titles(owner)).includes(words), TOLD_MS)
  })

  await t.test('a monitor that changes to http leaves the list of certificates', async (t) => {
    const changed = await owner.api('PATCH', `/api/v1/monitors/${id}`, { target: `http://127.0.0.1:${port}/` })
    t.equal(changed.status, 200)
    await until('the certificate to leave the list', async () => (await listed(owner)).length === 0)
    t.match((await owner.api('GET', `/api/v1/monitors/${id}`)).body, { certificate: null })
    await owner.go('/monitors/certificates')
    await page.getByRole('heading', { level: 1, name: 'No certificate seen yet' }).waitFor()
  })
  t.same(owner.complaints, [])
}
