/** A person of two workspaces has two tabs open, and switches the workspace in one of them. */
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { copies } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'
import { makeStoryWorkspace } from '../story-workspace.ts'

interface Declared {
  id: string
  key: string
}

interface TwoWorkspaces {
  visited: Newcomer
  /** The name of the other workspace. */
  named: string
  /** Declares an incident in the workspace of the visit, or in the other one. */
  declare(title: string, where: 'own' | 'other'): Promise<Declared>
}

/** Starts a visit by a person who owns a second workspace, too. */
async function inTwoWorkspaces(t: Test, stage: Stage): Promise<TwoWorkspaces> {
  const visited = await stage.newcomer(t)
  const named = `Other ${randomBytes(4).toString('hex')}`
  const pool = stage.product.pool()
  t.teardown(() => pool.end())
  const { tenant_id, api_token } = await makeStoryWorkspace(pool, { named, user_name: 'Other', token_name: 'test' })
  const { user } = (await (await visited.page.request.get('/api/v1/auth/session')).json()) as { user: { id: string } }
  await pool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'owner')", [tenant_id, user.id])
  const declare: TwoWorkspaces['declare'] = async (title, where) => {
    const api: Newcomer['api'] = where === 'own' ? visited.api : (method, path, body) => stage.product.api(method, path, body, api_token)
    const { body } = await api('POST', '/api/v1/incidents', { title, severity: 'critical' })
    const declared = body as unknown as Declared
    t.teardown(() => api('POST', `/api/v1/incidents/${declared.id}/resolve`, { until_recovered: false }))
    return declared
  }
  return { visited, named, declare }
}

/** Switches to another workspace by the menu. */
async function switchTo(page: Page, named: string): Promise<void> {
  await page.getByRole('button', { name: 'Newcomers' }).click()
  await page.getByRole('menuitemradio', { name: named }).click()
  await page.getByRole('button', { name: named }).waitFor()
}

export const twoTabs: Story = async (t, stage) => {
  const { visited, named, declare } = await inTwoWorkspaces(t, stage)
  const { page } = visited
  await declare('Of the first workspace', 'own')

  const second = await page.context().newPage()
  t.teardown(() => second.close())
  const addresses: string[] = []
  second.on('framenavigated', (frame) => addresses.push(frame.url()))
  const state = { isSwitched: false, tooEarly: 0 }
  // The first reading of the session after the switch still has the cookie of the old one.
  await second.route('**/api/v1/auth/session', (route) =>
    state.isSwitched && state.tooEarly++ === 0
      ? route.fulfill({ status: 401, json: { error: 'No session', code: 'UNAUTHENTICATED' } })
      : route.fallback()
  )
  // The list cannot be read then, so what is shown would be of the old workspace.
  await second.route(/\/api\/v1\/incidents\?/, (route) =>
    state.isSwitched ? route.fulfill({ status: 503, json: { error: 'Not now', code: 'UNAVAILABLE' } }) : route.fallback()
  )
  await second.goto('/incidents')
  const incident = second.getByText('Of the first workspace')
  await incident.first().waitFor()

  await visited.go('/')
  await page.getByRole('button', { name: 'Newcomers' }).waitFor()
  state.isSwitched = true
  await switchTo(page, named)

  await second.getByRole('button', { name: named }).waitFor()
  t.equal(await incident.count(), 0, 'nothing of the old workspace under the name of the new one')
  t.ok(state.tooEarly > 1, 'the session was read again')
  t.same(
    addresses.filter((address) => address.includes('/login')),
    []
  )
  t.same(visited.complaints, [])
}

/** Each workspace has an incident with the same key. An address means one of them. */
export const sameKeys: Story = async (t, stage) => {
  const { visited, named, declare } = await inTwoWorkspaces(t, stage)
  const { page } = visited
  const own = await declare('Of the first workspace', 'own')
  const other = await declare('Of the other workspace', 'other')
  t.equal(own.key, other.key)

  await visited.go(`/incidents/${own.key}`)
  await page.getByRole('heading', { level: 1, name: 'Of the first workspace' }).waitFor()
  const link = `${stage.base}/incidents/${own.id}`
  t.equal(page.url(), link, 'the address holds the id')
  t.ok(await copies(page, page.getByRole('button', { name: 'Copy the link' }), link))
  const tab = await page.context().newPage()
  t.teardown(() => tab.close())
  await tab.goto(`/incidents/${own.key}/postmortem`)
  await tab.getByRole('heading', { level: 1, name: `Postmortem of ${own.key}` }).waitFor()
  await tab.waitForURL(`**/incidents/${own.id}/postmortem`)
  await tab.goto('/incidents')
  await tab.getByRole('link', { name: /Of the first workspace/ }).click()
  await tab.getByRole('heading', { level: 1, name: 'Of the first workspace' }).waitFor()

  await switchTo(page, named)
  await tab.getByRole('button', { name: named }).waitFor()
  await tab.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  t.equal(await tab.getByText('Of the other workspace').count(), 0, 'the tab does not turn to the incident of the other workspace')
  await visited.go(new URL(link).pathname)
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await visited.go(`/incidents/${own.key}`)
  await page.getByRole('heading', { level: 1, name: 'Of the other workspace' }).waitFor()
}
