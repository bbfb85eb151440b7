/**
 * Teams: a team is created, hidden, and gets a member and a monitor. People outside it see nothing
 * of it, and lose what is open on their screens the moment it is hidden. Several incidents are
 * handled at once.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../../../harness/until.ts'
import { logIn, PATIENCE_MS, type View, type Visit, visit, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const desk: View = { scheme: 'light', width: 1280 }
const phone: View = { scheme: 'dark', width: 390 }
const PASSWORD = 'correct horse battery'

interface Made {
  id: string
  key: string
}

const rowOf = (page: Page, list: string, name: string) =>
  page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: name })
const notThere = (page: Page) => page.getByRole('heading', { name: 'There is nothing here' })

async function make(owner: Newcomer, path: string, body: unknown): Promise<Made> {
  const answer = await owner.api('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Made
}

/** Joins the owner's workspace with an invite, and is logged in. */
async function joined(t: Test, stage: Stage, owner: Newcomer, name: string, role: string, view: View): Promise<Visit> {
  const email = `${name.toLowerCase()}-${Date.now()}@example.test`
  const { accept_url } = (await make(owner, '/api/v1/workspace/invites', { email, role })) as unknown as { accept_url: string }
  const { base_url } = stage.product.access
  const accepted = await fetch(`${base_url}/api/v1/invites/${new URL(accept_url).pathname.split('/').at(-1)}/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base_url },
    body: JSON.stringify({ name, password: PASSWORD })
  })
  t.ok(accepted.ok, `the invite of ${name} is accepted: ${accepted.status}`)
  const visited = await visit(stage.browser, stage.base, view)
  t.teardown(() => visited.close())
  await logIn(visited, { ...stage.product.access, email, password: PASSWORD })
  return visited
}

/** A team is created, hidden, filled, and given a monitor, all on the pages. */
async function privateTeam(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/settings/teams')
  await page.getByRole('heading', { name: 'Create a team' }).waitFor()
  await stage.looksRight(t, owner, 'teams-empty')
  await page.keyboard.press('c')
  const making = page.getByRole('dialog', { name: 'New team' })
  await making.getByRole('button', { name: 'Create the team' }).click()
  await making.getByText(/must have at least 1/).waitFor()
  await making.getByLabel('Name').fill('Payments')
  await making.getByLabel('Description').fill('Cards and invoices')
  await making.getByRole('radio', { name: 'Private: only its members' }).check()
  await stage.looksRight(t, owner, 'teams-create')
  await making.getByRole('button', { name: 'Create the team' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payments: 1 member' }).waitFor()
  await page.getByText('Only members, owners and admins see what the team owns').waitFor()

  await page.getByRole('button', { name: 'Add a member' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a member' })
  await adding.getByLabel('Person').fill('Ina')
  await page.getByRole('option', { name: /^Ina/ }).click()
  await stage.looksRight(t, owner, 'teams-add-member')
  await adding.getByRole('button', { name: 'Add a member' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payments: 2 members' }).waitFor()
  await page.getByRole('button', { name: 'Make lead: Ina' }).click()
  await page.getByRole('button', { name: 'Make member: Ina' }).click()
  await rowOf(page, 'Members of the team', 'Ina').getByText('Member', { exact: true }).waitFor()

  await owner.go('/monitors/new')
  await page.getByLabel('Name').fill('Card gateway')
  await page.getByLabel('Address').fill(`${stage.site.url}/cards`)
  await page.getByLabel('Team').selectOption({ label: 'Payments (private)' })
  await page.getByText('Only the members of Payments, owners and admins see this').waitFor()
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/)
  await page.getByRole('heading', { level: 1, name: /^Card gateway/ }).waitFor()
  await page.locator('main').getByText('Private', { exact: true }).waitFor()
}

/** Waits until the monitor with that name is down and has opened an incident. */
async function brokenMonitor(stage: Stage, owner: Newcomer): Promise<Made> {
  stage.site.answer(500)
  const { body } = await owner.api('GET', '/api/v1/monitors?q=Card')
  const [monitor] = body.items as Made[]
  const id = monitor?.id ?? ''
  await owner.api('PATCH', `/api/v1/monitors/${id}`, { confirmation: { rounds: 1 }, retry: { count: 0 } })
  await owner.api('POST', `/api/v1/monitors/${id}/check`, { count: true })
  return until(
    'the incident of the monitor',
    async () => {
      const { body } = await owner.api('GET', `/api/v1/incidents?monitor_id=${id}`)
      return (body.items as Made[])[0] ?? null
    },
    3 * PATIENCE_MS
  )
}

/** What is open on a screen goes with the next reading when it moves out of the person's sight. */
async function movesAway(t: Test, stage: Stage, owner: Newcomer, outsider: Visit, team_id: string): Promise<void> {
  const visited = await visit(stage.browser, stage.base, desk, await outsider.cookies())
  t.teardown(() => visited.close())
  stage.site.answer(200)
  const { page } = visited
  await page.clock.install()
  const monitors = { list: '/api/v1/monitors', body: { type: 'http', url: `${stage.site.url}/salaries` } }
  const heartbeats = { list: '/api/v1/heartbeats', body: { schedule: { kind: 'period', period_seconds: 86_400 } } }
  const integrations = { list: '/api/v1/integrations/inbound', body: { source_type: 'generic' } }
  for (const [name, { list, body }, path] of [
    ['Salaries', monitors, '/monitors/$id'],
    ['Salaries again', monitors, '/monitors/$id/edit'],
    ['Pay run', heartbeats, '/heartbeats/$id'],
    ['Pay run again', heartbeats, '/heartbeats/$id/edit'],
    ['Bank', integrations, '/integrations/$id']
  ] as const) {
    const { id } = await make(owner, list, { ...body, name })
    await visited.go(path.replace('$id', id))
    await page.getByRole('heading', { level: 1, name: new RegExp(name) }).waitFor()
    const moved = await owner.api('PATCH', `${list}/${id}`, { team_id })
    t.equal(moved.status, 200, JSON.stringify(moved.body))
    await page.clock.fastForward('00:31')
    await page.locator('main').getByText(name).first().waitFor({ state: 'detached' })
    await notThere(page).waitFor()
    t.notMatch(await page.title(), name)
    await stage.looksRight(t, visited, `teams-moved-away-${name}`)
  }
}

export const teams: Story = async (t, stage) => {
  const owner = await stage.newcomer(t, desk)
  t.teardown(() => stage.site.answer(200))
  const insider = await joined(t, stage, owner, 'Ina', 'responder', phone)
  const outsider = await joined(t, stage, owner, 'Otto', 'editor', desk)

  await t.test('a private team gets a member and a monitor', (t) => privateTeam(t, stage, owner))

  const cards = await brokenMonitor(stage, owner)
  await t.test('a member sees the incident of a private team, and an outsider sees nothing', async (t) => {
    await insider.go('/incidents')
    await rowOf(insider.page, 'Incidents', 'Card gateway').getByText('Private', { exact: true }).waitFor()
    await stage.looksRight(t, insider, 'teams-insider-incidents')
    await insider.go(`/incidents/${cards.key}`)
    await insider.page.getByRole('heading', { level: 1, name: /Card gateway/ }).waitFor()
    await insider.page.getByText('Team Payments').waitFor()
    await insider.go('/settings/teams')
    await rowOf(insider.page, 'Teams', 'Payments').getByText('You are in it').waitFor()
    await insider.page.getByRole('link', { name: 'Payments' }).click()
    await insider.page.getByText('Your role (responder) can view the team').waitFor()
    t.equal(await insider.page.getByRole('button', { name: /Add|Remove|Make|Save|Delete/ }).count(), 0, 'no button to be refused')
    await stage.looksRight(t, insider, 'teams-read-only')

    const { page } = outsider
    const team = new URL(insider.page.url()).pathname
    await outsider.go('/incidents')
    await page.getByRole('heading', { level: 1, name: 'Nothing is wrong' }).waitFor()
    await outsider.go(`/incidents/${cards.key}`)
    await notThere(page).waitFor()
    await outsider.go('/monitors')
    await page.getByRole('heading', { level: 1, name: 'Nothing is monitored yet' }).waitFor()
    await outsider.go('/settings/teams')
    await page.getByRole('heading', { level: 1, name: 'No team yet' }).waitFor()
    await outsider.go(team)
    await notThere(page).waitFor()
  })

  const storage = await make(owner, '/api/v1/teams', { name: 'Storage' })
  const disk = await make(owner, '/api/v1/incidents', { title: 'Disk fills on db-1', severity: 'critical', team_id: storage.id })
  const other = await make(owner, '/api/v1/incidents', { title: 'Lift out of order', severity: 'info' })
  await t.test('a team that becomes private removes its incidents from the screens of others', async (t) => {
    const second = await visit(stage.browser, stage.base, phone, await outsider.cookies())
    t.teardown(() => second.close())
    await second.go(`/incidents/${disk.key}`)
    await second.page.getByRole('heading', { level: 1, name: 'Disk fills on db-1' }).waitFor()
    await outsider.go('/incidents')
    await rowOf(outsider.page, 'Incidents', 'Disk fills').waitFor()
    await outsider.page.getByRole('heading', { level: 1, name: '2 incidents need someone' }).waitFor()

    const { page } = owner
    await owner.go(`/settings/teams/${storage.id}`)
    await page.getByRole('radio', { name: 'Private: only its members' }).check()
    await page.getByText(/When you save, only members of Storage/).waitFor()
    await stage.looksRight(t, owner, 'teams-turns-private')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Only members, owners and admins see what the team owns').waitFor()
    // The fields start with the saved values.
    await page.getByText(/When you save/).waitFor({ state: 'detached' })

    await rowOf(outsider.page, 'Incidents', 'Disk fills').waitFor({ state: 'detached' })
    await outsider.page.getByRole('heading', { level: 1, name: '1 incident needs someone' }).waitFor()
    await rowOf(outsider.page, 'Incidents', 'Lift out of order').waitFor()
    await notThere(second.page).waitFor()
    await stage.looksRight(t, second, 'teams-incident-gone')

    await page.getByRole('button', { name: 'Delete team' }).click()
    const deleting = page.getByRole('dialog', { name: 'Delete Storage?' })
    await deleting.getByRole('button', { name: 'Delete', exact: true }).click()
    await deleting.getByText('The team still has 1 ongoing incident. Move them to another team first.').waitFor()
    await stage.looksRight(t, owner, 'teams-in-use')
  })

  await t.test('an incident is moved to a private team, disappears for outsiders, and is found by its team', async () => {
    const { page } = owner
    await owner.go(`/incidents/${other.key}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    const editing = page.getByRole('dialog', { name: `Edit ${other.key}` })
    await editing.getByLabel('Team').selectOption({ label: 'Storage (private)' })
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.waitFor({ state: 'detached' })
    await page.locator('main').getByText('Team Storage').waitFor()
    await rowOf(outsider.page, 'Incidents', 'Lift out of order').waitFor({ state: 'detached' })
    await owner.go('/incidents')
    await page.getByLabel('Team').selectOption({ label: 'Payments (private)' })
    await page.waitForURL('**/incidents?team_id=*')
    await rowOf(page, 'Incidents', 'Lift').waitFor({ state: 'detached' })
    await rowOf(page, 'Incidents', 'Card gateway').waitFor()
    await page.getByLabel('Team').selectOption({ label: 'Storage (private)' })
    await page.waitForURL(`**/incidents?team_id=${storage.id}`)
    await rowOf(page, 'Incidents', 'Card gateway').waitFor({ state: 'detached' })
    await rowOf(page, 'Incidents', 'Lift').waitFor()
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Search' }).fill('Storag')
    await page.getByRole('option', { name: 'Storage Team' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/settings/teams/${storage.id}`)
  })

  await t.test('several incidents are changed at once, also with the keyboard', async (t) => {
    const ended = await make(owner, '/api/v1/incidents', { title: 'Over already', severity: 'info' })
    await owner.api('POST', `/api/v1/incidents/${ended.id}/resolve`, {})
    const { page } = owner
    await owner.go('/incidents?status=all')
    await rowOf(page, 'Incidents', 'Over already').waitFor()
    await page.getByRole('checkbox', { name: `Select ${disk.key}` }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('checkbox', { name: `Select ${ended.key}` }).check()
    await rowOf(page, 'Incidents', 'Lift out of order').getByRole('link').focus()
    await page.keyboard.press('x')
    await page.getByText('3 selected').waitFor()
    await stage.looksRight(t, owner, 'incidents-selected')
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await page.getByText(`2 changed, 1 not: ${ended.key}`).waitFor()
    await stage.looksRight(t, owner, 'incidents-partly')
    await page.getByText('1 selected').waitFor()
    // The notice that offers to undo has such a button, too.
    await page.locator('#main').getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByText('4 selected').waitFor()
    await page.getByRole('checkbox', { name: `Select ${ended.key}` }).uncheck()
    await page.getByRole('button', { name: 'Assign…' }).click()
    await page.getByRole('dialog', { name: 'Assign 3 incidents' }).getByRole('button', { name: 'Assign' }).click()
    // An exact match, because an earlier notice says "INC-3 changed".
    await page.getByText('3 changed', { exact: true }).waitFor()
    const { body } = await owner.api('GET', `/api/v1/incidents/${disk.id}`)
    t.not(body.assignee_id, null)
    await page.getByRole('checkbox', { name: `Select ${disk.key}` }).check()
    await page.getByRole('button', { name: 'Hand back…' }).click()
    await page.getByRole('dialog', { name: 'Hand back 1 incident' }).getByRole('button', { name: 'Hand back' }).click()
    await page.getByText('1 changed', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: `Select ${disk.key}` }).check()
    await page.getByRole('button', { name: 'Resolve…' }).click()
    const resolving = page.getByRole('dialog', { name: 'Resolve 1 incident' })
    await resolving.getByLabel('Note').fill('Deleted the old segments')
    await stage.looksRight(t, owner, 'incidents-resolve')
    await resolving.getByRole('button', { name: 'Resolve' }).click()
    await rowOf(page, 'Incidents', 'Disk fills')
      .getByText(/^Resolved/)
      .waitFor()
  })

  const list = (await owner.api('GET', '/api/v1/teams?q=Payments')).body.items as Made[]
  const team_id = list[0]?.id ?? ''
  const schedule = { kind: 'period', period_seconds: 86_400 }
  await make(owner, '/api/v1/heartbeats', { name: 'Nightly settlement', schedule, team_id, tags: ['night'] })
  await make(owner, '/api/v1/integrations/inbound', { name: 'Prometheus of cards', source_type: 'alertmanager', team_id })
  for (const view of walks) {
    await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
      const visited = await visit(stage.browser, stage.base, view, await owner.cookies())
      t.teardown(() => visited.close())
      const { page } = visited
      const tour: readonly [path: string, heading: RegExp, name: string][] = [
        ['/settings/teams', /^2 teams, you are in 2$/, 'teams'],
        [`/settings/teams/${team_id}`, /^Payments: 2 members$/, 'team'],
        ['/incidents?status=all', /incident|wrong/, 'teams-incidents'],
        [`/incidents/${cards.key}`, /Card gateway/, 'teams-incident'],
        ['/monitors', /monitor/, 'teams-monitors'],
        ['/heartbeats', /heartbeat|job|ping/i, 'teams-heartbeats'],
        ['/integrations', /integration|delivered|arrived|nothing/i, 'teams-integrations'],
        ['/monitors/new', /watched/, 'teams-monitor-form']
      ]
      for (const [path, heading, name] of tour) {
        await visited.go(path)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        // The teams have been read when the page shows a chosen team, an offered one, or a team's
        // mark.
        await page.locator('main').getByText('Payments').first().waitFor({ state: 'attached' })
        await stage.looksRight(t, visited, name)
      }
      await visited.go('/incidents?status=all')
      if (view.width === 390) await page.getByRole('button', { name: 'Select', exact: true }).tap()
      await page.getByRole('checkbox', { name: `Select ${cards.key}` }).check()
      await page.getByText('1 selected').waitFor()
      await stage.looksRight(t, visited, 'incidents-bulk')
      t.same(visited.complaints, [])
    })
  }

  await t.test('what moves to a private team leaves the pages of outsiders', (t) => movesAway(t, stage, owner, outsider, team_id))

  await t.test('a team that owns nothing is deleted', async (t) => {
    await make(owner, '/api/v1/teams', { name: 'Short lived' })
    await owner.go('/settings/teams')
    await owner.page.getByRole('link', { name: 'Short lived' }).click()
    await owner.page.getByRole('button', { name: 'Delete team' }).click()
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await owner.page.getByRole('heading', { level: 1, name: '2 teams, you are in 2' }).waitFor()
    for (const { complaints } of [owner, insider, outsider]) t.same(complaints, [])
  })
}
