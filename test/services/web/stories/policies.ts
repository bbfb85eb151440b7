/**
 * Escalation policies: one is made on the pages, with steps that are moved and dragged. It shows
 * who is paged when, and why somebody is not. Odd settings are pointed out. It cannot be deleted
 * while something uses it.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { View } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const views: readonly View[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 }
]

interface Made {
  id: string
}

async function make(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

const stepAt = (page: Page, step: number) =>
  page
    .getByRole('list', { name: 'Steps', exact: true })
    .locator('> li')
    .nth(step - 1)

async function choose(page: Page, step: number, typed: string, option: RegExp): Promise<void> {
  const name = `Add a recipient to step ${step}`
  await page.getByRole('combobox', { name }).fill(typed)
  await page.getByRole('listbox', { name }).getByRole('option', { name: option }).click()
}

/** Reads the user ids of the workspace, and makes a schedule with the owner on call. */
async function schedule(owner: Newcomer): Promise<void> {
  const { items } = (await owner.api('GET', '/api/v1/workspace/members')).body as unknown as { items: { user_id: string }[] }
  await make(owner, '/api/v1/on-call/schedules', {
    name: 'Primary',
    time_zone: 'Europe/Berlin',
    layers: [
      {
        name: 'Week',
        participants: [items[0]?.user_id],
        rotation: 'weekly',
        handoff_day: 'mon',
        handoff_time: '09:00',
        starts_on: '2026-01-05'
      }
    ]
  })
}

/** Invalid values are reported at their fields before anything is sent. */
async function faults(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page } = owner
  await page.getByRole('button', { name: 'Create the policy' }).click()
  await page.getByText(/must have at least 1 character/).waitFor()
  await page.getByText('Choose at least one person, schedule, team or channel.').waitFor()
  await stage.looksRight(t, owner, `policies-faults-${named}`)
  t.equal((await owner.api('GET', '/api/v1/on-call/escalation-policies')).body.total, 0, 'nothing was made')
}

async function makes(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page, view } = owner
  await page.getByLabel('Name', { exact: true }).fill('Primary, then everybody')
  await choose(page, 1, 'Prim', /^Primary/)
  await page.getByRole('button', { name: 'Add a step' }).click()
  await choose(page, 2, 'Paym', /^Payments/)
  await stepAt(page, 2).getByLabel('Wait before this step, number').fill('10')
  await page.getByRole('button', { name: 'Add a step' }).click()
  await choose(page, 3, 'Newc', /^Newcomer/)
  await page.getByLabel('Urgency: Newcomer (you)').selectOption('high')
  await page.getByRole('button', { name: 'Move step 3 up' }).click()
  await page.getByText('Step 3 is now step 2 of 3').waitFor({ state: 'attached' })
  await stepAt(page, 2).getByText('Newcomer (you)').waitFor()
  if (view.width === 1280) {
    // Both places must be visible: if the page scrolled under the mouse, the step would be dropped
    // elsewhere.
    await page.setViewportSize({ width: 1280, height: 2000 })
    await page.getByTitle('Drag step 2 to another place').hover()
    await page.mouse.down()
    // The browser asks whether a drop is allowed only at the second move.
    const target = stepAt(page, 3).getByRole('heading')
    await target.hover()
    await target.hover()
    await page.mouse.up()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByText('Step 2 is now step 3 of 3').waitFor({ state: 'attached' })
  } else await page.getByRole('button', { name: 'Move step 2 down' }).click()
  await stepAt(page, 3).getByText('Newcomer (you)').waitFor()
  await stepAt(page, 3).getByText('Conditions').click()
  await stepAt(page, 3).getByLabel('Critical').check()
  await stepAt(page, 3).getByText('Only for critical. Otherwise the step is skipped.').waitFor()
  await stage.looksRight(t, owner, `policies-form-${named}`)
  await page.getByRole('button', { name: 'Create the policy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Primary, then everybody: 3 steps' }).waitFor()
}

/** Who is paged when: now, tonight, and how the severity changes it. */
async function course(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page } = owner
  const list = page.getByRole('list', { name: 'Who is asked when' })
  await list.getByText('At once', { exact: true }).waitFor()
  await list
    .getByText(/on call in Primary, by e-mail/)
    .first()
    .waitFor()
  await list.getByText('Nobody is in the team Payments.').first().waitFor()
  await page.getByText('At the moment step 2 reaches nobody.').waitFor()
  await stage.looksRight(t, owner, `policies-policy-${named}`)
  await page.getByText('Tonight, 03:00').click()
  await list
    .getByText(/, 03:00$/)
    .first()
    .waitFor()
  await page.getByLabel('Severity', { exact: true }).selectOption('info')
  await list.getByText('Skipped: its condition is not met at that time.').first().waitFor()
  await page.getByText('Another time').click()
  await page.getByLabel('Date and time').fill('')
  await page.getByText('Choose a date and a time.').waitFor()
  await page.getByLabel('Date and time').fill('2027-03-02T14:30')
  await list.getByText('2 Mar, 14:30').waitFor()
  await stage.looksRight(t, owner, `policies-course-${named}`)
}

/**
 * Workspace, team and rule choose a policy, and a rule also its channels. The overview shows who
 * uses it.
 */
async function choices(t: Test, stage: Stage, owner: Newcomer, team_id: string, named: string): Promise<void> {
  const { page } = owner
  const policy = 'Primary, then everybody'
  await owner.go('/settings')
  await page.getByLabel('Default escalation policy').selectOption({ label: policy })
  await stage.looksRight(t, owner, `policies-workspace-${named}`)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('The workspace is saved').waitFor()
  await owner.go(`/settings/teams/${team_id}`)
  await page.getByLabel('Escalation policy', { exact: true }).selectOption({ label: policy })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Payments is saved').waitFor()

  const channel = { name: 'Night desk', kind: 'webhook', config: { url: 'https://hooks.example.test/night' } }
  await make(owner, '/api/v1/notifications/channels', channel)
  await owner.go('/settings/routing/new')
  await page.getByLabel('Name', { exact: true }).fill('Nights')
  await page.getByLabel('Escalation policy', { exact: true }).selectOption({ label: policy })
  await page.getByLabel('Channels', { exact: true }).selectOption('these')
  await page.getByRole('combobox', { name: 'Only these channels' }).fill('Night')
  await page.getByRole('option', { name: 'Night desk' }).click()
  await stage.looksRight(t, owner, `policies-rule-${named}`)
  await page.getByRole('button', { name: 'Create the rule' }).click()
  await page.getByText(`the policy ${policy} asks people, only these channels are notified: Night desk`).waitFor()
  await page.getByRole('link', { name: 'Nights' }).click()
  await page.getByLabel('Channels', { exact: true }).selectOption('none')
  await page.getByLabel('Escalation policy', { exact: true }).selectOption('nobody')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('no policy asks people, no channel is notified').waitFor()

  await make(owner, '/api/v1/heartbeats', { name: 'Backup', schedule: { kind: 'period', period_seconds: 86_400 } })
  await owner.go('/')
  await page.getByRole('list', { name: 'On call now' }).getByText('Newcomer').waitFor()
  await stage.looksRight(t, owner, `policies-overview-${named}`)
}

/** The form makes nothing that the api would refuse: it offers no more steps than are allowed. */
async function mostSteps(t: Test, stage: Stage, owner: Newcomer, named: string): Promise<void> {
  const { page } = owner
  await owner.go('/on-call/policies/new')
  for (let steps = 1; steps < 20; steps++) await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByText('A policy has at most 20 steps.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Add a step' }).count(), 0, 'there is no button for one more')
  await page.getByLabel('Name', { exact: true }).fill('Twenty')
  await page.getByRole('button', { name: 'Create the policy' }).click()
  const empty = page.getByText('Choose at least one person, schedule, team or channel.')
  // Only the first eight errors are shown at once.
  await empty.nth(7).waitFor()
  t.equal(await empty.count(), 8, 'empty steps say so')
  await page.getByRole('button', { name: 'Remove step 20' }).click()
  await page.getByRole('button', { name: 'Add a step' }).waitFor()
  await stage.looksRight(t, owner, `policies-many-${named}`)
}

export const policies: Story = async (t, stage) => {
  for (const view of views) {
    const owner = await stage.newcomer(t, view)
    const { page } = owner
    const named = `${view.scheme}-${view.width}`
    const payments = await make(owner, '/api/v1/teams', { name: 'Payments' })
    await owner.api('DELETE', `/api/v1/teams/${payments.id}/members/me`)
    await schedule(owner)
    await owner.go('/on-call/policies')
    await page.getByRole('heading', { name: 'Create your first policy' }).waitFor()
    await stage.looksRight(t, owner, `policies-empty-${named}`)
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('heading', { level: 1, name: 'Who is asked, and who next?' }).waitFor()
    await t.test(`missing values are reported at their fields: ${named}`, (t) => faults(t, stage, owner, named))
    await t.test(`a policy is created: ${named}`, (t) => makes(t, stage, owner, named))
    await t.test(`a policy shows who is paged when: ${named}`, (t) => course(t, stage, owner, named))

    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await t.test(`a change does not overwrite what somebody else has saved: ${named}`, async (t) => {
      await owner.api('PATCH', `/api/v1/on-call/escalation-policies/${id}`, { repeat: 3 })
      await page.getByRole('button', { name: 'Remove step 2' }).click()
      await page.getByRole('button', { name: 'Save the policy' }).click()
      await page.getByText('Somebody else changed this').waitFor()
      await stage.looksRight(t, owner, `policies-conflict-${named}`)
      await page.getByRole('button', { name: 'Load the latest version' }).click()
      await page.getByLabel('Repeat from step 1').and(page.locator('select')).waitFor()
      await page.getByRole('button', { name: 'Remove step 2' }).click()
      await page.getByRole('button', { name: 'Save the policy' }).click()
      await page.getByRole('heading', { level: 1, name: 'Primary, then everybody: 2 steps' }).waitFor()
      const { body } = await owner.api('GET', `/api/v1/on-call/escalation-policies/${id}`)
      t.match(body, { repeat: 3, steps: [{ targets: [{ type: 'schedule' }] }, { targets: [{ type: 'user', urgency: 'high' }] }] })
    })

    await t.test(`a policy shows what uses it, and cannot be deleted while in use: ${named}`, async (t) => {
      await owner.api('PATCH', '/api/v1/workspace', { default_escalation_policy_id: id })
      await owner.api('PATCH', `/api/v1/teams/${payments.id}`, { escalation_policy_id: id })
      await make(owner, '/api/v1/on-call/escalation-policies', {
        name: 'Nobody',
        steps: [{ targets: [{ type: 'team', id: payments.id }] }]
      })
      await owner.go('/on-call/policies')
      await page.getByText('Used by the workspace and 1 team').waitFor()
      await page.getByText('At the moment this policy reaches nobody.').waitFor()
      await page.getByRole('heading', { level: 1, name: '2 escalation policies, 1 reach nobody' }).waitFor()
      await page.getByText('Reaches now: Newcomer').waitFor()
      await stage.looksRight(t, owner, `policies-${named}`)
      await page.getByRole('link', { name: 'Primary, then everybody' }).click()
      await page.getByRole('button', { name: 'Delete policy' }).click()
      const deleting = page.getByRole('dialog', { name: 'Delete Primary, then everybody?' })
      await deleting.getByRole('link', { name: 'Payments' }).waitFor()
      await deleting.getByRole('button', { name: 'Delete', exact: true }).click()
      await deleting.getByText(/The policy is in use: default of the workspace, 1 team\. Choose another policy for them first/).waitFor()
      await stage.looksRight(t, owner, `policies-in-use-${named}`)
      await deleting.getByRole('button', { name: 'Cancel' }).click()
      await owner.go('/on-call/policies')
      await page.getByRole('link', { name: 'Nobody', exact: true }).click()
      await page.getByRole('button', { name: 'Delete policy' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: '1 escalation policy' }).waitFor()
    })
    await t.test(`a workspace, a team and a rule choose a policy: ${named}`, (t) => choices(t, stage, owner, payments.id, named))
    if (view.width === 1280) await t.test('a policy has at most 20 steps', (t) => mostSteps(t, stage, owner, named))
    t.same(owner.complaints, [], `the page complains of nothing: ${named}`)
  }
}
