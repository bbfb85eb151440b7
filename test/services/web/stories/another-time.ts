/** A person asks who is on call at another time, and types the year into the browser's field. */
import type { Story } from '../stage.ts'

export const anotherTime: Story = async (t, stage) => {
  const visited = await stage.newcomer(t)
  const { page, api } = visited
  const { user } = (await (await page.request.get('/api/v1/auth/session')).json()) as { user: { id: string } }
  const layer = { name: 'days', rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01', participants: [user.id] }
  const { status } = await api('POST', '/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'UTC', layers: [layer] })
  t.equal(status, 201)
  const asked: string[] = []
  page.on('request', (request) => {
    const at = /on-call\/now\?at=([^&]*)/.exec(request.url())?.[1]
    if (at !== undefined) asked.push(decodeURIComponent(at))
  })
  await visited.go('/on-call?at=2026-12-03T09:00:00.000Z')
  const field = page.getByLabel('Who is on call at another time')
  const before = await field.inputValue()
  t.match(before, /^2026-12-03T\d\d:\d\d$/)
  await field.focus()
  // The field has the month, the day, and then the year.
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  for (const digit of '2027') {
    await page.keyboard.press(digit)
    t.match(await field.inputValue(), /-12-03T/, 'the month and the day stay')
    // A person types slowly.
    await page.waitForTimeout(400)
  }
  await page.waitForURL(/at=2027-12-03/)
  t.equal(await field.inputValue(), before.replace('2026', '2027'))
  t.same(
    asked.filter((at) => !/^202[67]-12-03T/.test(at)),
    [],
    'no other year is asked for'
  )
  await page.getByRole('link', { name: 'Back to now' }).click()
  await page.waitForURL((url) => url.search === '')
  await page.getByRole('heading', { level: 1, name: 'Newcomer is on call' }).waitFor()
  t.equal(await field.inputValue(), '')
  t.same(visited.complaints, [])
}
