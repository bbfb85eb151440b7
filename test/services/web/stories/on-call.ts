/**
 * On-call: a first schedule is made in one dialog, viewed by week and month, changed with overrides
 * and swaps, edited with a preview of its shifts, and deleted; at a desk and on a phone.
 */
import type { Test } from 'tap'
import { returnsUntil, type View } from '../browser.ts'
import { colleagues } from '../shop.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]
const DAY_MS = 86_400_000

interface Made {
  id: string
}

async function made(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

const date = (at: number): string => new Date(at).toISOString().slice(0, 10)

async function firstSchedule(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/welcome')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'On-call' }).click()
  await page.getByRole('heading', { level: 1, name: 'Nobody is on call yet' }).waitFor()
  await page.getByRole('heading', { name: 'No schedule yet' }).waitFor()
  await stage.looksRight(t, owner, 'on-call-empty')
  await page.getByRole('button', { name: 'New schedule' }).click()
  const making = page.getByRole('dialog', { name: 'New schedule' })
  await making.getByRole('button', { name: 'Create the schedule' }).click()
  await making.getByText('This must have at least 1 character.').waitFor()
  await making.getByLabel('Name').fill('Primary')
  await making.getByRole('combobox', { name: 'People' }).click()
  await page.getByRole('option', { name: 'Ada' }).click()
  await page.getByRole('option', { name: 'Benedikt' }).click()
  await page.keyboard.press('Escape')
  await making.getByLabel('Handoff at').fill('10:00')
  await stage.looksRight(t, owner, 'on-call-new')
  await making.getByRole('button', { name: 'Create the schedule' }).click()
  await page.getByRole('heading', { level: 1, name: 'Primary: Newcomer is on call' }).waitFor()
  await page.getByText(/^Next: Ada/).waitFor()
}

/** One override is made in the dialog, another by dragging. Both are ended. */
async function overridden(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page, view } = owner
  await page.getByRole('button', { name: 'Override…' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Who is on call instead?' })
  await dialog.getByLabel('On call').selectOption({ label: 'Benedikt' })
  const from = await dialog.getByLabel('From').inputValue()
  await dialog.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
  await dialog.getByRole('button', { name: 'Create the override' }).click()
  await dialog.getByText('This must be later than starts_at.').waitFor()
  const tomorrow = new Date(Date.parse(`${from}Z`) + DAY_MS).toISOString().slice(0, 16)
  await dialog.getByLabel('To', { exact: true }).fill(tomorrow)
  await dialog.getByLabel('Reason').fill('Ada is at the dentist')
  await stage.looksRight(t, owner, 'on-call-override')
  await dialog.getByRole('button', { name: 'Create the override' }).click()
  await page.getByRole('heading', { level: 1, name: 'Primary: Benedikt is on call' }).waitFor()
  // On the day of the handoff, the override is shown in two pieces.
  await page
    .getByRole('list', { name: 'Final: who is on call' })
    .getByRole('button', { name: /^Benedikt, .*\(Override\)$/ })
    .first()
    .waitFor()
  const rows = page.getByRole('list', { name: 'Upcoming overrides' })
  await rows.getByText('Ada is at the dentist').waitFor()
  await stage.looksRight(t, owner, 'on-call-schedule')
  // On a phone, a notice covers the list for a while.
  await page.getByRole('button', { name: 'Dismiss' }).first().click()
  await rows.getByRole('button', { name: 'End override: Benedikt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End override' }).click()
  await rows.getByText('Ada is at the dentist').waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Primary: Newcomer is on call' }).waitFor()
  if (view.width === 390) return

  await page.getByRole('button', { name: 'Next week' }).click()
  const lane = page.getByRole('list', { name: 'Final: who is on call' }).locator('..')
  const box = await lane.boundingBox()
  if (!box) throw new Error('the calendar has no place')
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width * 0.5, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 })
  await stage.looksRight(t, owner, 'on-call-drag')
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 5 })
  await page.mouse.up()
  const hours = async (): Promise<number> => {
    const [starts, ends] = [await dialog.getByLabel('From').inputValue(), await dialog.getByLabel('To', { exact: true }).inputValue()]
    return (Date.parse(`${ends}Z`) - Date.parse(`${starts}Z`)) / 3_600_000
  }
  const wanted = 0.2 * 7 * 24
  t.ok(Math.abs((await hours()) - wanted) <= 1, 'what was marked stands in the fields')
  await dialog.getByLabel('On call').selectOption({ label: 'Nobody: a gap on purpose' })
  await dialog.getByRole('button', { name: 'Create the override' }).click()
  await page
    .getByRole('list', { name: 'Final: who is on call' })
    .getByRole('button', { name: /^Gap: / })
    .waitFor()
  await stage.looksRight(t, owner, 'on-call-gap')
}

/**
 * A layer is added and previewed before it is saved. The schedule cannot be deleted while another
 * falls back to it.
 */
async function edited(t: Test, stage: Stage, owner: Newcomer, id: string): Promise<void> {
  const { page } = owner
  const hook = await made(owner, '/api/v1/notifications/channels', {
    name: 'Ops room',
    kind: 'webhook',
    config: { url: 'https://example.com/' }
  })
  const pager = { name: 'Pager', kind: 'pagerduty', config: { integration_key: 'R0123456789abcdef0123456789abcde' } }
  await made(owner, '/api/v1/notifications/channels', pager)
  await owner.go(`/on-call/schedules/${id}/edit`)
  await page.getByRole('heading', { level: 1, name: 'Edit Payments' }).waitFor()
  await page.getByRole('button', { name: 'Add a layer on top' }).click()
  const added = page.getByRole('group', { name: 'Layer Layer 3' })
  await added.getByLabel('Name of the layer').fill('days')
  await page.getByRole('button', { name: 'Preview the shifts' }).click()
  await page.getByRole('alert').getByText('Layers 3, participants').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  const layers = page.getByRole('list', { name: 'Layers' }).getByRole('group')
  await layers.first().getByText('This must have at least 1 entry.').waitFor()
  await layers.first().getByRole('button', { name: 'Add a turn' }).click()
  await layers.first().getByRole('combobox', { name: 'Turn 1' }).click()
  await page.getByRole('option', { name: 'Newcomer (you)' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await layers.first().getByText('This is the name of another layer.').waitFor()
  await layers.first().getByLabel('Name of the layer').fill('holidays')
  await layers.first().getByText('Active hours and time zone').click()
  await layers.first().getByRole('button', { name: 'Add active hours' }).click()
  await page.getByRole('button', { name: /^Preview (the shifts|again)$/ }).click()
  await page
    .getByRole('list', { name: /^Week of / })
    .getByText('Newcomer')
    .first()
    .waitFor({ state: 'attached' }) // On a phone, the bar of a short shift has no room for a name.
  await page.getByRole('button', { name: 'Add a notice' }).click()
  const notice = page.getByRole('group', { name: 'Notice 1' })
  t.equal(await notice.getByRole('option', { name: 'Pager' }).count(), 0, 'what nobody reads is not offered')
  await notice.getByLabel('Channel').selectOption('Ops room')
  await notice.getByLabel('When').selectOption('Daily')
  await notice.getByLabel('Monday').check()
  await stage.looksRight(t, owner, 'on-call-edit')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('list', { name: 'Layer holidays' }).waitFor()
  const { body } = await owner.api('GET', `/api/v1/on-call/schedules/${id}`)
  t.match(body, { notices: [{ channel_id: hook.id, when: 'daily', at: '09:00', days: ['mon'] }] })
  const versions = page.getByRole('list', { name: 'Versions' })
  const [second, first] = [versions.getByRole('listitem').first(), versions.getByRole('listitem').last()]
  await second.getByText('Version 2, saved by Newcomer').waitFor()
  await second.getByText('Current').waitFor()
  await second.getByText('new layer holidays').waitFor()
  await first.getByText('Version 1, saved by an API token').waitFor()
  await first.getByText('Past').waitFor()
  await stage.looksRight(t, owner, 'on-call-versions')
  await first.getByRole('link', { name: 'Show in the calendar: version 1' }).click()
  await page.waitForURL(/day=/)

  const name = 'Falls back'
  const layer = { name: 'none', participants: [null], rotation: 'daily', handoff_time: '09:00', starts_on: date(Date.now()) }
  await made(owner, '/api/v1/on-call/schedules', { name, time_zone: 'UTC', layers: [layer], fallback: { kind: 'schedule', id } })
  await owner.go(`/on-call/schedules/${id}/edit`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  const deleting = page.getByRole('dialog', { name: 'Delete Payments?' })
  await deleting.getByRole('button', { name: 'Delete', exact: true }).click()
  await deleting.getByText('The schedule is still used. Remove it here first:').waitFor()
  await stage.looksRight(t, owner, 'on-call-in-use')
  await deleting.getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name: /^Falls back: / }).waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('list', { name: 'Schedules' }).getByRole('link', { name: 'Payments' }).waitFor()
  await page.getByRole('link', { name }).waitFor({ state: 'detached' })
}

/**
 * Somebody else saves the schedule while a person types. What they saved stays, and so does what is
 * typed.
 */
async function savedByAnother(t: Test, stage: Stage, owner: Newcomer, id: string): Promise<void> {
  const { page } = owner
  const path = `/api/v1/on-call/schedules/${id}`
  await owner.go(`/on-call/schedules/${id}/edit`)
  const description = page.getByLabel('Description')
  await description.fill('Who answers for payments')
  await owner.api('PATCH', path, { name: 'Billing' })
  await returnsUntil(page, page.getByRole('heading', { level: 1, name: 'Edit Billing' }))
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Somebody else changed this').waitFor()
  await stage.looksRight(t, owner, 'on-call-edit-conflict')
  t.equal(await description.inputValue(), 'Who answers for payments')
  t.match((await owner.api('GET', path)).body, { name: 'Billing', description: '' })

  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('heading', { level: 1, name: 'Edit Billing' }).waitFor()
  await owner.api('PATCH', path, { name: 'Money' })
  // A form in which nothing is typed yet begins anew.
  await returnsUntil(page, page.getByRole('heading', { level: 1, name: 'Edit Money' }))
  await description.fill('Who answers for payments')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('list', { name: 'Versions' }).waitFor()
  t.match((await owner.api('GET', path)).body, { name: 'Money', description: 'Who answers for payments' })
}

/**
 * A person's own shifts: a swap is requested and withdrawn, a calendar feed is made and revoked.
 */
async function ownShifts(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await page.getByRole('link', { name: 'My shifts' }).click()
  await page.getByRole('heading', { level: 1, name: /^You are on call in / }).waitFor()
  const shifts = page.getByRole('list', { name: 'Your next shifts' })
  await shifts.getByRole('button', { name: 'Ask for a swap…' }).first().click()
  const asking = page.getByRole('dialog', { name: 'Ask somebody to take over' })
  await asking.getByLabel('Note').fill('My train is late')
  await asking.getByRole('button', { name: 'Send the request', exact: true }).click()
  const asked = page.getByRole('list', { name: 'Open requests' })
  await asked.getByText('My train is late').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).first().click()
  await page.getByRole('button', { name: 'New feed' }).click()
  const feed = page.getByRole('dialog', { name: 'New calendar feed' })
  await feed.getByRole('button', { name: 'Create the link' }).click()
  const address = await feed.getByText(/\/api\/v1\/on-call\/ical\/.+\.ics$/).textContent()
  await stage.looksRight(t, owner, 'on-call-feed')
  const read = async (): Promise<number> => (await fetch(new URL(new URL(address ?? '').pathname, stage.base))).status
  t.equal(await read(), 200, 'the address is a calendar')
  await feed.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('list', { name: 'Calendar feeds' }).getByText('All my shifts').waitFor()
  await stage.looksRight(t, owner, 'on-call-mine')
  await asked.getByRole('button', { name: /^Withdraw / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await asked.waitFor({ state: 'detached' })
  await page.getByText('The request was withdrawn').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Revoke: All my shifts' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('To see your shifts in a calendar app, create a link that the app subscribes to.').waitFor()
  t.equal(await read(), 404, 'a revoked address is none')
}

/**
 * A responder, who may not change the schedule, takes over a shift and gives it back. Changes by
 * others appear by themselves.
 */
async function asResponder(t: Test, stage: Stage, view: View): Promise<void> {
  const responder = await stage.newcomer(t, view, 'responder')
  const { page, api } = responder
  const { Ada, Benedikt } = await colleagues(stage, responder, ['Ada', 'Benedikt'])
  const layer = { name: 'all', participants: [Ada], rotation: 'daily', handoff_time: '09:00', starts_on: date(Date.now() - 3 * DAY_MS) }
  const { id } = await made(responder, '/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'UTC', layers: [layer] })
  await responder.go(`/on-call/schedules/${id}`)
  await page.getByRole('heading', { level: 1, name: 'Primary: Ada is on call' }).waitFor()
  await page.getByText('You can take over shifts yourself.').waitFor()
  t.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0, 'the schedule is for others to edit')

  await page.getByRole('button', { name: 'Override…' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Who is on call instead?' })
  await dialog.getByText('You take the shift over.').waitFor()
  t.equal(await dialog.getByLabel('On call').count(), 0, 'for nobody else')
  await dialog.getByLabel('Reason').fill('Ada has a flight')
  await stage.looksRight(t, responder, 'on-call-responder')
  await dialog.getByRole('button', { name: 'Create the override' }).click()
  await page.getByRole('heading', { level: 1, name: 'Primary: The responder is on call' }).waitFor()
  const rows = page.getByRole('list', { name: 'Upcoming overrides' })
  await rows.getByText('Ada has a flight').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).first().click()

  // Somebody else changes the schedule meanwhile, and the page is not reloaded.
  const span = { starts_at: new Date().toISOString(), ends_at: new Date(Date.now() + DAY_MS / 2).toISOString() }
  const others = await made(responder, '/api/v1/on-call/overrides', { schedule_id: id, user_id: Benedikt, reason: 'By the owner', ...span })
  await page.getByRole('heading', { level: 1, name: 'Primary: Benedikt is on call' }).waitFor()
  await rows.getByText('By the owner').waitFor()
  t.equal(await rows.getByRole('button', { name: 'End override: Benedikt' }).count(), 0, 'what others do is not theirs to end')
  await stage.looksRight(t, responder, 'on-call-responder-schedule')
  await api('DELETE', `/api/v1/on-call/overrides/${others.id}`)
  await page.getByRole('heading', { level: 1, name: 'Primary: The responder is on call' }).waitFor()

  await page.getByRole('link', { name: 'My shifts' }).click()
  await page.getByRole('heading', { level: 1, name: /^You are on call in Primary until / }).waitFor()
  await page.getByRole('list', { name: 'Your next shifts' }).getByText('Override').waitFor()
  await stage.looksRight(t, responder, 'on-call-responder-mine')
  await page.getByRole('list', { name: 'Your next shifts' }).getByRole('link', { name: 'Primary' }).click()
  await rows.getByRole('button', { name: 'End override: The responder' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End override' }).click()
  await page.getByRole('heading', { level: 1, name: 'Primary: Ada is on call' }).waitFor()
  t.same(responder.complaints, [])
}

export const onCallResponder: Story = async (t, stage) => {
  for (const view of views) await t.test(`${view.scheme}, ${view.width} px`, (t) => asResponder(t, stage, view))
}

/** The list of who is on call has the first 200 schedules. The page of another one says it too. */
async function afterMany(stage: Stage, owner: Newcomer, user_id: unknown): Promise<void> {
  const { page } = owner
  const layer = { name: 'days', rotation: 'daily', handoff_time: '09:00', starts_on: date(Date.now() - 20 * DAY_MS) }
  const layers = [{ ...layer, participants: [user_id] }]
  const { id } = await made(owner, '/api/v1/on-call/schedules', { name: 'Zurich', time_zone: 'UTC', layers })
  const pool = stage.product.pool()
  try {
    await pool.query(
      `INSERT INTO schedules (tenant_id, schedule_id, name, created_at)
       SELECT tenant_id, gen_random_uuid(), 'Early ' || n, now() FROM schedules, generate_series(1, 200) n WHERE schedule_id = $1`,
      [id]
    )
    await owner.go(`/on-call/schedules/${String(id)}`)
    await page.getByRole('heading', { level: 1, name: 'Zurich: Ada is on call' }).waitFor()
  } finally {
    await pool.query(
      "DELETE FROM schedules WHERE name LIKE 'Early %' AND tenant_id = (SELECT tenant_id FROM schedules WHERE schedule_id = $1)",
      [id]
    )
    await pool.end()
  }
}

export const onCall: Story = async (t, stage) => {
  for (const view of views)
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const owner = await stage.newcomer(t, view)
      const people = await colleagues(stage, owner, ['Ada', 'Benedikt', 'Chidimma Okonkwo'])
      const { page } = owner
      await firstSchedule(t, stage, owner)
      await overridden(t, stage, owner)
      const { Ada, Benedikt, 'Chidimma Okonkwo': Chidimma } = people
      const layer = { handoff_time: '09:00', starts_on: date(Date.now() - 20 * DAY_MS) }
      const { id } = await made(owner, '/api/v1/on-call/schedules', {
        name: 'Payments',
        time_zone: 'America/New_York',
        fallback: { kind: 'none' },
        layers: [
          { ...layer, name: 'days', rotation: 'daily', participants: [Ada, [Benedikt, Chidimma], null] },
          {
            ...layer,
            name: 'weekends',
            rotation: 'weekly',
            handoff_day: 'fri',
            participants: [Chidimma],
            restrictions: [{ days: ['sat'], from: '00:00', to: '12:00', to_day: 'sun' }]
          }
        ]
      })
      await owner.go(`/on-call/schedules/${id}`)
      await page.getByText('Times are in America/New_York, the time zone of the schedule. Yours is Europe/Berlin.').waitFor()
      await page.getByRole('list', { name: 'Layer weekends' }).waitFor()
      await stage.looksRight(t, owner, 'on-call-layers')
      await page.getByRole('button', { name: 'Show my time zone' }).click()
      await page.getByRole('button', { name: 'Show a month' }).click()
      await page.waitForURL(/view=month/)
      await page
        .getByRole('list', { name: /^Week of / })
        .getByRole('button')
        .first()
        .waitFor()
      await stage.looksRight(t, owner, 'on-call-month')
      await page.getByRole('button', { name: 'Next month' }).click()
      await page
        .getByRole('list', { name: /^Week of / })
        .getByRole('button', { name: /^Ada/ })
        .first()
        .click()
      await page.getByRole('dialog', { name: 'Shift' }).getByText('Layer days').waitFor()
      await stage.looksRight(t, owner, 'on-call-shift')
      await page.keyboard.press('Escape')
      await owner.go('/on-call')
      await page
        .getByRole('list', { name: 'Schedules' })
        .getByText(/^Nobody is on call at \d+ times/)
        .first()
        .waitFor()
      await stage.looksRight(t, owner, 'on-call')
      await edited(t, stage, owner, id)
      await savedByAnother(t, stage, owner, id)
      await ownShifts(t, stage, owner)
      if (view.width === 1280) await afterMany(stage, owner, Ada)
      t.same(owner.complaints, [])
    })
}
