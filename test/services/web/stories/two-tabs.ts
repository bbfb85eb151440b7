/** A person of two workspaces has two tabs open, and switches the workspace in one of them. */
import { randomBytes } from 'node:crypto'
import type { Story } from '../stage.ts'
import { makeStoryWorkspace } from '../story-workspace.ts'

export const twoTabs: Story = async (t, stage) => {
  const visited = await stage.newcomer(t)
  const { page, api } = visited
  const named = `Other ${randomBytes(4).toString('hex')}`
  const pool = stage.product.pool()
  t.teardown(() => pool.end())
  const { tenant_id } = await makeStoryWorkspace(pool, { named, user_name: 'Other', token_name: 'test' })
  const { user } = (await (await page.request.get('/api/v1/auth/session')).json()) as { user: { id: string } }
  await pool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'owner')", [tenant_id, user.id])
  const { body } = await api('POST', '/api/v1/incidents', { title: 'Of the first workspace', severity: 'critical' })
  t.teardown(() => api('POST', `/api/v1/incidents/${(body as { id: string }).id}/resolve`, { until_recovered: false }))

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
  await page.getByRole('button', { name: 'Newcomers' }).click()
  state.isSwitched = true
  await page.getByRole('menuitemradio', { name: named }).click()
  await page.getByRole('button', { name: named }).waitFor()

  await second.getByRole('button', { name: named }).waitFor()
  t.equal(await incident.count(), 0, 'nothing of the old workspace under the name of the new one')
  t.ok(state.tooEarly > 1, 'the session was read again')
  t.same(
    addresses.filter((address) => address.includes('/login')),
    []
  )
  t.same(visited.complaints, [])
}
