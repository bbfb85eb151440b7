/** Looking back and from afar: past figures, the audit log, and the wall board. */
import type { Story } from '../stage.ts'

export const lookingBack: Story = async (t, stage) => {
  const { product } = stage
  const made = async (path: string, body: unknown): Promise<{ id: string }> => {
    const answer = await product.api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as unknown as { id: string }
  }
  const heartbeat = await made('/api/v1/heartbeats', { name: 'Backup of old', schedule: { kind: 'period', period_seconds: 86_400 } })
  await product.api('PATCH', `/api/v1/heartbeats/${heartbeat.id}`, { name: 'Nightly backup', tags: ['night'] })
  const incident = await made('/api/v1/incidents', { title: 'The wall shows this', severity: 'critical' })
  t.teardown(async () => {
    await product.api('DELETE', `/api/v1/heartbeats/${heartbeat.id}`)
    await product.api('POST', `/api/v1/incidents/${incident.id}/resolve`, { until_recovered: false })
  })

  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go('/analytics')
    await page.getByRole('region', { name: 'How fast people are notified', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Uptime as CSV' }).waitFor()
    await page.getByRole('region', { name: 'Uptime' }).first().getByRole('link', { name: 'Nightly backup' }).waitFor()
    await page.getByRole('heading', { level: 1, name: /over the last 30 days/ }).waitFor()
    await stage.looksRight(t, visited, 'analytics')
    await page.getByRole('button', { name: '7 d' }).click()
    await page.waitForURL('**/analytics?range=7d')
    await page.getByRole('heading', { level: 1, name: /over the last 7 days/ }).waitFor()

    await visited.go('/settings/audit')
    // The newest entry, because an earlier run may have left others.
    const entry = page.getByRole('listitem').filter({ hasText: 'Heartbeat updated: Nightly backup' }).first()
    await entry.getByRole('button', { name: /^Details/ }).click()
    await entry.getByRole('cell', { name: 'Backup of old' }).waitFor()
    await stage.looksRight(t, visited, 'audit')
    await entry.getByRole('button', { name: 'Only show changes to this' }).click()
    await page.waitForURL(`**/settings/audit?object=${heartbeat.id}`)
    await page.getByText('Heartbeat created: Nightly backup').first().waitFor()
    await page.getByText(/^Your plan keeps changes for [\d,]+ days\.$/).waitFor()
    await page.getByRole('button', { name: 'Show changes to everything' }).click()
    await page.getByLabel('What was changed').selectOption('heartbeat')
    await page.waitForURL('**/settings/audit?type=heartbeat')

    await visited.go('/wall')
    await page.getByRole('heading', { level: 1, name: /need(s)? someone/ }).waitFor()
    await page.getByText('The wall shows this').waitFor()
    await stage.looksRight(t, visited, 'wall')
    await page.getByRole('link', { name: 'To the dashboard' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  await t.test('a wall board whose session has ended asks to log in, and returns', async (t) => {
    const visited = await stage.newcomer(t)
    const { page } = visited
    await visited.go('/wall')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const headers = { origin: stage.base, 'content-type': 'application/json' }
    t.equal((await page.request.post('/api/v1/auth/logout', { headers })).status(), 204, 'the session ends elsewhere')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.waitForURL('**/login?next=%2Fwall')
    t.same(visited.complaints, [])
  })

  await t.test('a viewer cannot see the audit log', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'light', width: 1280 }, 'viewer')
    const { page } = visited
    await visited.go('/settings/audit')
    await page.getByRole('heading', { level: 1, name: 'Only owners and admins can see the audit log' }).waitFor()
    t.equal(await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).count(), 0)
    await stage.looksRight(t, visited, 'audit-forbidden')
  })
}
